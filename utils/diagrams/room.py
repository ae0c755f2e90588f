"""Nothing of a diagram lies on another: where texts find room, and what has none."""

from itertools import combinations

import numpy as np

from utils.diagrams.geometry import Node, Route, beside
from utils.diagrams.words import SMALL, measure

PAD = 0.14  # inches between a frame and what it holds


def texts_and_frames(nodes: dict[str, Node], routes: list[Route], groups: list):
    """Find room for notes, labels, titles, and frames with the names that they hold."""
    texts = []
    for node in nodes.values():
        if node.note:
            half = measure(node.note, SMALL) / 2
            texts.append(_text(node.note, node.at - (0, node.size[1] + half[1] + 0.05)))
    for route in routes:
        if route.label:
            half = measure(route.label, SMALL) / 2
            texts.append(_text(route.label, beside(route.longest, half)))
    frames = []
    for names, title, aside in groups:
        frame = _frame([nodes[name] for name in names], routes)
        frames.append((frame, set(names)))
        if title:
            texts.append(
                _titled(title, frame, aside, [*nodes.values(), *texts], routes)
            )
    return texts, frames


def _text(text: str, at: np.ndarray) -> Node:
    return Node(text, text, "text", "words", at, measure(text, SMALL) / 2)


def _frame(members: list[Node], routes: list[Route]) -> Node:
    names = {node.name for node in members}
    inside = [route.points for route in routes if {route.start, route.end} <= names]
    points = np.concatenate([*(node.corners for node in members), *inside])
    low, high = points.min(0) - PAD, points.max(0) + PAD
    return Node("frame", "", "text", "frame", (low + high) / 2, (high - low) / 2)


def _titled(title, frame, aside, others, routes) -> Node:
    """Return a frame's title where nothing is: above it, from the left on, or else below."""
    half = measure(title, SMALL) / 2
    if aside:
        right = np.array([frame.size[0] + half[0] + 0.07, 0])
        return _text(title, frame.at + right)
    points = np.concatenate([np.zeros((0, 2)), *(route.points for route in routes)])
    reach = max(frame.size[0] - half[0] - 0.04, 0)
    for y in (1, -1):
        for x in np.linspace(-reach, reach, 60):
            away = np.array([x, y * (frame.size[1] + half[1] + 0.03)])
            label = _text(title, frame.at + away)
            if not label.holds(points, 0.05).any() and not any(
                _overlap(label, other) for other in others
            ):
                return label
    raise ValueError(f"draw: expected room for {title!r} above or below its frame")


def _overlap(a: Node, b: Node) -> bool:
    return bool((np.abs(a.at - b.at) < a.size + b.size - 0.005).all())


def check(
    nodes: dict[str, Node], routes: list[Route], texts: list[Node], frames: list
) -> None:
    """Raise ValueError where something lies on another, or in a frame that is not its own."""
    solid = [node for node in nodes.values() if node.shape != "joint"]
    for a, b in combinations(solid + texts, 2):
        if _overlap(a, b):
            raise ValueError(f"draw: expected room between {a.name!r} and {b.name!r}")
    for route in routes:
        for node in solid + texts:
            ends = route.start, route.end
            if node.name not in ends and node.holds(route.points, -0.01).any():
                expected = f"a free way from {route.start!r} to {route.end!r}"
                raise ValueError(f"draw: expected {expected}, got {node.name!r} on it")
    for frame, names in frames:
        for node in solid:
            if node.name not in names and _overlap(frame, node):
                raise ValueError(
                    f"draw: expected a frame around {sorted(names)}, got {node.name!r} too"
                )
