"""Where the nodes and the arrows of a diagram lie, in inches."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

CORNER = 0.08  # radius of a rounded corner
HEAD = 0.10  # length of an arrow's head
GAP = 0.03  # between the tip of an arrow and the border that it points at
FINE = 0.003  # distance of the points on a way


@dataclass
class Node:
    """Something with a place: its middle ``at`` and half of its ``size``."""

    name: str
    text: str
    role: str
    shape: str
    at: np.ndarray
    size: np.ndarray
    note: str = ""
    sheets: int = 0

    @property
    def corners(self) -> np.ndarray:
        """Its lower left and its upper right corner."""
        return np.array([self.at - self.size, self.at + self.size])

    def holds(self, points: np.ndarray, gap: float = 0.0) -> np.ndarray:
        """Return which of ``points (K, 2)`` lie in the node, or nearer to it than ``gap``."""
        distances = np.abs(points - self.at)
        if self.shape == "circle":
            return np.hypot(*distances.T) < self.size[0] + gap
        return (distances < self.size + gap).all(-1)


@dataclass
class Route:
    """An arrow or a line: its ends, its points (K, 2), and its longest straight piece."""

    start: str
    end: str
    points: np.ndarray
    kind: str
    label: str
    longest: np.ndarray

    @property
    def forward(self) -> bool:
        """Whether it leads from an input to what is computed, and not a gradient back."""
        return self.kind != "gradient"


def way(a: Node, b: Node, corners: list, route: str, bend: float):
    """Return the points (K, 2) from border to border, and the longest straight piece."""
    if a is b and not corners:
        points = _loop(a)
    else:
        end = corners[-1] if corners else a.at
        if route == "-|":
            corners = [*corners, np.array([b.at[0], end[1]])]
        if route == "|-":
            corners = [*corners, np.array([end[0], b.at[1]])]
        start = _landing(a, corners[0] if corners else b.at)
        end = _landing(b, corners[-1] if corners else start)
        points = _bent(start, end, bend) if bend else _rounded([start, *corners, end])
    # A line begins on the border of its node, and a tip keeps its distance.
    begins = np.flatnonzero(~a.holds(points))
    ends = np.flatnonzero(~b.holds(points, 0.0 if b.shape == "joint" else GAP))
    points = (
        points[begins[0] : ends[-1] + 1] if len(begins) and len(ends) else points[:0]
    )
    if not _has_room(points):
        raise ValueError(
            f"arrow: expected a straight way of {HEAD:.2f} inches before {b.name!r}, "
            f"got less from {a.name!r}"
        )
    if not corners:
        return points, points
    ends = [points[0], *corners, points[-1]]
    p, q = max(pairwise(ends), key=lambda piece: np.hypot(*(piece[1] - piece[0])))
    return points, np.linspace(p, q, 100)


def _has_room(points: np.ndarray) -> bool:
    """Return whether a head fits on the end of a way, and the way does not turn there."""
    vectors = points[-1:] - points
    lengths = np.hypot(*vectors.T)
    if len(points) < 5 or lengths.max() < HEAD:
        return False
    base = len(points) - 1 - int(np.argmax(lengths[::-1] > HEAD))
    return vectors[base] @ vectors[-4] > 0.95 * lengths[base] * lengths[-4]


def beside(points: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Return where a label of that size stands: above a line across, right of a line up."""
    i = len(points) // 2
    ahead = points[min(i + 5, len(points) - 1)] - points[max(i - 5, 0)]
    normal = np.array([-ahead[1], ahead[0]]) / np.hypot(*ahead)
    normal *= np.sign(normal[1] if abs(normal[1]) > 0.3 else normal[0])
    return points[i] + normal * (np.abs(normal) @ half + 0.06)


def _landing(node: Node, other: np.ndarray) -> np.ndarray:
    """Return where in a node the line to ``other`` begins, to run straight if it can."""
    if node.shape not in ("circle", "joint"):
        for axis in (0, 1):
            if abs(other[axis] - node.at[axis]) < node.size[axis] - 0.07:
                point = node.at.copy()
                point[axis] = other[axis]
                return point
    return node.at


def _rounded(corners: list) -> np.ndarray:
    """Return points close to each other on the way through ``corners``, which are rounded."""
    bends = [np.array([corners[0]])]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        sides = before - corner, after - corner
        lengths = [np.hypot(*side) for side in sides]
        if min(lengths) > 0:
            radius = min(CORNER, min(lengths) / 2)
            p, q = (
                corner + radius * side / length
                for side, length in zip(sides, lengths, strict=True)
            )
            bends.append(_curve([p, corner, q], 16))
    points = np.concatenate([*bends, [corners[-1]]])
    pieces = [
        np.linspace(p, q, 2 + int(np.hypot(*(q - p)) / FINE), endpoint=False)
        for p, q in pairwise(points)
    ]
    return np.concatenate([*pieces, points[-1:]])


def _bent(p: np.ndarray, q: np.ndarray, bend: float) -> np.ndarray:
    left = np.array([p[1] - q[1], q[0] - p[0]])
    return _curve([p, (p + q) / 2 + 2 * bend * left, q])


def _loop(node: Node) -> np.ndarray:
    """Return a way from a node's right side around and back to it."""
    p, q = node.at + 0.6 * node.size, node.at + (0.6, -0.6) * node.size
    out, up = np.array([0.5, 0]), np.array([0, 0.3])
    return _curve([p, p + out + up, q + out - up, q])


def _curve(points: list, count: int = 800) -> np.ndarray:
    """Return points of the Bézier curve with these control points, by de Casteljau's algorithm."""
    t, level = np.linspace(0, 1, count)[:, None], list(points)
    while len(level) > 1:
        level = [(1 - t) * a + t * b for a, b in pairwise(level)]
    return level[0]
