"""How diagrams look: one set of sizes, line widths and colours, each with its meaning."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Polygon, Rectangle
from matplotlib.path import Path

from utils.diagrams.geometry import CORNER, HEAD, Node, Route
from utils.diagrams.words import LEADING, SMALL, TEXT
from utils.plots import COLORS

WIDEST = 6.5  # inches: a page's column, and legible on a phone
OPERATION, STATE, SHEET = 0.15, 0.22, 0.035  # inches: two radii, an offset
INK, LINE = "#4A5058", 1.3  # an arrow's colour, a line's width in points
ROLES = {  # what a node means: the colour of its border, and how much of it fills the node
    "layer": (COLORS["prediction"], 0.10),
    "state": (COLORS["prediction"], 0.22),
    "input": (COLORS["data"], 0.14),
    "output": (COLORS["good"], 0.16),
    "gate": (COLORS["second"], 0.16),
    "parameter": (COLORS["gradient"], 0.16),
    "loss": (COLORS["bad"], 0.16),
    "operation": (COLORS["truth"], 0.0),
    "text": (COLORS["truth"], 0.0),
}
KINDS = {  # what an arrow means
    "plain": {"color": INK, "lw": LINE},
    "strong": {"color": COLORS["prediction"], "lw": 3.2},  # the path that matters
    "dashed": {
        "color": INK,
        "lw": LINE,
        "ls": (0, (3.2, 2)),
    },  # recurrent, shared weights
    "gradient": {"color": COLORS["gradient"], "lw": 2.0},
    "line": {"color": INK, "lw": LINE},  # without a head: a parse tree
}


def axes(ax: Axes | None, low: np.ndarray, high: np.ndarray) -> Axes:
    """Return axes on which a unit is an inch, ``low`` to ``high``; ValueError without room."""
    width, height = high - low
    if width > WIDEST:
        raise ValueError(f"draw: expected at most {WIDEST} inches, got {width:.2f}")
    if ax is None:
        ax = plt.figure(figsize=(width, height), layout="none").add_axes((0, 0, 1, 1))
        ax.axis("off")
    else:
        ax.axis("off")
        ax.figure.draw_without_rendering()  # only then the layout has given it its size
        size = ax.get_position().size * ax.figure.get_size_inches()
        if (size < (width, height)).any():
            needs = f"axes of at least {width:.2f} by {height:.2f} inches"
            raise ValueError(f"draw: expected {needs}, got {size.round(2)}")
        middle = (low + high) / 2
        low, high = middle - size / 2, middle + size / 2
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return ax


def draw(
    ax: Axes,
    nodes: dict[str, Node],
    routes: list[Route],
    frames: list[Node],
    texts: list[Node],
) -> None:
    """Put everything on axes whose unit is an inch: frames, lines, nodes, words."""
    for frame in sorted(frames, key=lambda frame: -frame.size.prod()):
        look = {"fc": "#F5F6F8", "ec": "#AEB6BF", "lw": 1.0, "zorder": 1}
        ax.add_patch(_rounded_box(frame, 0.12, **look))
    for route in routes:
        head = route.kind != "line" and nodes[route.end].shape != "joint"
        _draw_route(ax, route, head)
    ends = [name for route in routes for name in (route.start, route.end)]
    for node in nodes.values():
        if node.shape == "joint" and ends.count(node.name) > 2:
            ax.add_patch(Circle(node.at, 0.028, fc=INK, ec="none", zorder=4))
        _draw_node(ax, node)
    for text in texts:
        _write(ax, text, SMALL)


def _rounded_box(node: Node, radius: float, **look) -> FancyBboxPatch:
    style = f"round,pad=0,rounding_size={min(radius, *node.size)}"
    return FancyBboxPatch(node.at - node.size, *(2 * node.size), boxstyle=style, **look)


def _draw_route(ax: Axes, route: Route, head: bool) -> None:
    points, style = route.points, KINDS[route.kind]
    length = HEAD * (1.35 if style["lw"] > 3 else 1)
    tip = points[-1]
    if head:
        start = int(np.argmax(np.hypot(*(points - tip).T) < length))
        back = (points[start] - tip) / np.hypot(*(points[start] - tip)) * length
        side = 0.42 * np.array([-back[1], back[0]])
        corners = [tip, tip + back + side, tip + back - side]
        ax.add_patch(Polygon(corners, fc=style["color"], ec="none", zorder=3.1))
        points = points[: start + 8]  # it ends within the head
    ax.add_patch(PathPatch(Path(points), fc="none", capstyle="butt", zorder=3, **style))


def _draw_node(ax: Axes, node: Node) -> None:
    color, share = ROLES[node.role]
    fill = 1 - share * (1 - np.array(to_rgb(color)))
    look = {"fc": fill, "ec": color, "lw": LINE, "zorder": 4}
    if node.shape == "circle":
        ax.add_patch(Circle(node.at, node.size[0], **look))
    if node.shape in ("box", "pill"):
        ax.add_patch(_rounded_box(node, CORNER if node.shape == "box" else 1, **look))
    for i in reversed(range(node.sheets)):  # the front one last
        corner = node.at - node.size + SHEET * i
        sides = 2 * node.size - SHEET * (node.sheets - 1)
        ax.add_patch(Rectangle(corner, *sides, **look | {"lw": 0.9}))
    if node.text == "⊙":  # the circle of the sign is the node's own
        ax.add_patch(Circle(node.at, 0.035, fc=color, ec="none", zorder=5))
    elif node.text in ("+", "×"):
        turn = 0 if node.text == "+" else np.pi / 4
        for angle in (turn, turn + np.pi / 2):
            half = 0.08 * np.array([np.cos(angle), np.sin(angle)])
            ends = np.array([node.at - half, node.at + half])
            ax.plot(*ends.T, color=color, lw=1.5, zorder=5)
    else:
        _write(ax, node, SMALL if node.role == "operation" else TEXT)


def _write(ax: Axes, node: Node, points: float) -> None:
    """Return a node's text, each line on a base line, so that a row of words has one."""
    look = {"size": points, "ha": "center", "va": "baseline", "color": COLORS["truth"]}
    lines = node.text.split("\n")
    first = node.at[1] + ((len(lines) - 1) / 2 * LEADING - 0.29) * points / 72
    for i, line in enumerate(lines):
        ax.text(node.at[0], first - i * LEADING * points / 72, line, zorder=5, **look)
