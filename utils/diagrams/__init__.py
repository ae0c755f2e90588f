"""Drawings of networks: boxes, states, operations and the arrows between them.

They are drawn with matplotlib: its pictures already pass through the pages (dark theme, phone,
print), and graphviz needs a program, schemdraw draws circuits, networkx places but draws no
cell. What is drawn is kept as a graph, so that a check can hold it against the equation.

    d = Diagram("One step of a recurrent network")
    d.row(d.circle, ["h_{t-1}", "h_t"], (0, 1))
    d.circle("x_t", (1, 0), role="input")
    d.arrows({"h_t": ("h_{t-1}", "x_t")})
    d.draw()

``geometry`` holds where things lie, ``room`` that nothing lies on another, ``ink`` the one set
of sizes and colours, ``words`` the drawing in words.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes

from utils.diagrams import ink, room, words
from utils.diagrams.geometry import Node, Route, way
from utils.diagrams.words import measure, typeset

Place = tuple[float, float]


class Diagram:
    """A drawing of named nodes on a grid, and of the arrows between them.

    A place is (column, row), from the bottom left; a name is drawn as mathematics where it
    looks like that (``h_t``), unless another text is given. Sizes are in inches.

    Parameters
    ----------
    title : str
        What is drawn; it begins the drawing in words (``alt``) and is not drawn itself.
    dx, dy : float
        Distance of two columns and of two rows, in inches.

    Attributes
    ----------
    nodes, routes : dict, list
        The nodes by name, joints among them; the arrows and lines with their points.

    Raises
    ------
    ValueError
        A name is taken or unknown; at ``draw``, things overlap or all is too wide.
    """

    def __init__(self, title: str, *, dx: float = 1.0, dy: float = 0.75):
        self.title, self.step = title, np.array([dx, dy])
        self.nodes: dict[str, Node] = {}
        self.routes: list[Route] = []
        self.groups: list[tuple[list[str], str, bool]] = []

    # Nodes: each of these methods returns the name.

    def _add(self, name, at, text, role, shape, size, **more) -> str:
        if name in self.nodes:
            raise ValueError(f"Diagram: expected a new name, got {name!r} again")
        if role not in ink.ROLES:
            expected = ", ".join(ink.ROLES)
            raise ValueError(f"Diagram: expected a role of {expected}, got {role!r}")
        text = typeset(name) if text is None else text
        at, size = np.array(at, float) * self.step, np.array(size, float)
        self.nodes[name] = Node(name, text, role, shape, at, size, **more)
        return name

    def box(
        self,
        name: str,
        at: Place,
        text: str | None = None,
        *,
        role: str = "layer",
        width: float = 0.0,
        height: float = 0.34,
        note: str = "",
    ) -> str:
        """Draw a layer or a quantity: a box as large as its text, and of that size at least.

        A ``note`` stands under it, as under a bar without a text of its own (``text=""``).
        """
        needs = words.size_of_box(typeset(name) if text is None else text)
        size = np.maximum(needs, (width, height)) / 2
        return self._add(name, at, text, role, "box", size, note=note)

    def circle(
        self, name: str, at: Place, text: str | None = None, *, role: str = "state"
    ) -> str:
        """Draw a state, an input, an output, a loss: a circle, all of one size."""
        return self._add(name, at, text, role, "circle", (ink.STATE, ink.STATE))

    def gate(self, name: str, at: Place, text: str = "σ") -> str:
        """Draw a layer within a cell by its activation function, with its own weights."""
        return self._add(name, at, text, "gate", "box", (0.24, 0.15))

    def op(self, name: str, at: Place, text: str) -> str:
        """Draw an operation without weights: ⊙, +, ×, or a word such as tanh."""
        half_width = measure(text, words.SMALL)[0] / 2 + 0.07
        shape = "circle" if half_width < ink.OPERATION else "pill"
        size = max(half_width, ink.OPERATION), ink.OPERATION
        return self._add(name, at, text, "operation", shape, size)

    def text(self, name: str, at: Place, text: str | None = None) -> str:
        """Draw words without a frame, from and to which arrows may lead."""
        half = measure(typeset(name) if text is None else text) / 2 + (0.02, 0)
        return self._add(name, at, text, "text", "words", half)

    def joint(self, name: str, at: Place) -> str:
        """Draw where lines join or fork; it is no node of ``edges``, which pass through it."""
        return self._add(name, at, "", "operation", "joint", (0, 0))

    def maps(
        self,
        name: str,
        at: Place,
        shape: tuple[int, int, int],
        *,
        scale: float = 1.0,
        role: str = "layer",
    ) -> str:
        """Draw a tensor (C, H, W) as sheets with its shape under them.

        The more channels the more sheets. Their side goes with the root of H and of W, or the
        last maps of a network could not be seen; ``scale`` inches is that of 100 by 100.
        """
        channels, height, width = shape
        sheets = 1 + round(np.log2(channels) / 2)
        size = scale * np.sqrt([width, height]) / 20 + ink.SHEET / 2 * (sheets - 1)
        note = f"{height} × {width}\n{channels}"
        more = {"note": note, "sheets": sheets}
        return self._add(name, at, "", role, "maps", size, **more)

    def row(self, kind: Callable, names: Iterable[str], at: Place = (0, 0), **look):
        """Draw nodes of one kind (``d.circle``) side by side, the first ``at``; return their names.

        ``names`` may be a dict of what each of them is given, a text or a shape. ``step`` is
        1 column. A ``gap`` in inches puts them at that distance, whatever their sizes are.
        """
        return self._line(0, kind, names, at, **look)

    def column(self, kind: Callable, names: Iterable[str], at: Place = (0, 0), **look):
        """Draw nodes of one kind one above the other, the lowest ``at``; see ``row``."""
        return self._line(1, kind, names, at, **look)

    def _line(self, axis, kind, names, at, step=1.0, gap=None, **look) -> list[str]:
        edge = None
        for i, name in enumerate(names):
            position = np.array(at, float)
            position[axis] += i * step
            kind(
                name,
                position,
                *([names[name]] if isinstance(names, dict) else []),
                **look,
            )
            node = self.nodes[name]
            if gap is not None and edge is not None:
                node.at[axis] = edge + gap + node.size[axis]
            edge = node.at[axis] + node.size[axis]
        return list(names)

    def tree(
        self,
        parts: tuple,
        at: Place = (0, 0),
        *,
        leaf: Callable,
        inner: Callable,
        kind: str = "plain",
    ) -> str:
        """Draw a tree (label, child, child, …) over a row of leaves, texts, from ``at``.

        Returns the name of its root. A leaf that occurs twice is named with its number
        ("the 5"), a label that occurs twice with the words below it ("NP the cat").
        """
        leaves = []

        def place(part) -> tuple[str, float, float]:
            if isinstance(part, str):
                x, y = at[0] + len(leaves), at[1]
                leaves.append(part)
                name = f"{part} {len(leaves)}" if part in self.nodes else part
                return leaf(name, (x, y), typeset(part)), x, y
            label, before = part[0], len(leaves)
            children = [place(child) for child in part[1:]]
            x = (children[0][1] + children[-1][1]) / 2
            y = max(child[2] for child in children) + 1
            below = " ".join(leaves[before:])
            name = f"{label} {below}" if label in self.nodes else label
            inner(name, (x, y), typeset(label))
            self.arrows({name: [child[0] for child in children]}, kind=kind)
            return name, x, y

        return place(parts)[0]

    # Arrows and frames

    def arrow(
        self,
        start: str,
        end: str,
        label: str = "",
        *,
        via: Sequence[Place] = (),
        route: str = "--",
        bend: float = 0.0,
        kind: str = "plain",
    ) -> None:
        """Draw an arrow from the border of one node to the border of another, or a loop.

        Parameters
        ----------
        label : str
            Beside the longest piece: above what runs across, right of what runs up.
        via : sequence of (column, row)
            Corners that it passes; they are rounded.
        route : "--", "-|" or "|-"
            On from there straight; or first across and then up; or first up and then across.
        bend : float
            How far a straight arrow is bent to its left, as a share of its length.
        kind : str
            plain, strong, dashed, gradient, or line, which has no head.
        """
        self._known("arrow", start, end)
        if kind not in ink.KINDS or route not in ("--", "-|", "|-"):
            expected = f"a kind of {', '.join(ink.KINDS)} and a route --, -| or |-"
            raise ValueError(f"arrow: expected {expected}, got {kind!r} and {route!r}")
        corners = [np.array(point, float) * self.step for point in via]
        points, label_at = way(self.nodes[start], self.nodes[end], corners, route, bend)
        self.routes.append(Route(start, end, points, kind, label, label_at))

    def arrows(self, inputs: dict[str, str | Iterable[str]], **look) -> None:
        """Draw arrows as equations have them: to each name from its input, or from all of them.

        ``{"c_t": ("f ⊙ c", "i ⊙ g"), "h_t": "c_t"}``; ``look`` as in ``arrow``.
        """
        for end, starts in inputs.items():
            for start in [starts] if isinstance(starts, str) else starts:
                self.arrow(start, end, **look)

    def group(self, names: Iterable[str], title: str = "", *, beside=False) -> None:
        """Draw a rounded frame around nodes, its title above it, or ``beside`` it, as × 3 is."""
        names = set(names)
        self._known("group", *names)
        members = [name for name in self.nodes if name in names]
        self.groups.append((members, title, beside))

    def _known(self, who: str, *names: str) -> None:
        for name in names:
            if name not in self.nodes:
                expected = ", ".join(self.nodes)
                raise ValueError(f"{who}: expected one of {expected}, got {name!r}")

    # What is drawn

    @property
    def edges(self) -> set[tuple[str, str]]:
        """The pairs (from, to) that arrows join, by way of joints too, without gradients."""
        real = [n for n, node in self.nodes.items() if node.shape != "joint"]
        return self.between(real)

    def between(self, names: Iterable[str]) -> set[tuple[str, str]]:
        """Return the pairs (from, to) of these nodes that arrows join by way of none of them.

        With the variables of an equation as names, these are its dependences.
        """
        names, pairs = set(names), set()
        for start in names:
            waiting, passed = [start], set()
            while waiting:
                node = waiting.pop()
                passed.add(node)
                ends = {r.end for r in self.routes if r.start == node and r.forward}
                pairs |= {(start, end) for end in ends & names}
                waiting += ends - names - passed
        return pairs

    @property
    def alt(self) -> str:
        """The drawing in words: what leads to what, and what stands in which frame."""
        return words.sentences(self)

    def draw(self, ax: Axes | None = None) -> None:
        """Put the drawing into a figure of its own, or on ``ax``; at one scale always.

        A figure of its own is the current one then, ``plt.gcf()``.
        """
        texts, frames = room.texts_and_frames(self.nodes, self.routes, self.groups)
        room.check(self.nodes, self.routes, texts, frames)
        frames = [frame for frame, _ in frames]
        ends = [node.corners for node in (*self.nodes.values(), *texts, *frames)]
        points = np.concatenate([*ends, *(route.points for route in self.routes)])
        ax = ink.axes(ax, points.min(0) - 0.05, points.max(0) + 0.05)
        ink.draw(ax, self.nodes, self.routes, frames, texts)
        words.describe(ax.figure, self)
