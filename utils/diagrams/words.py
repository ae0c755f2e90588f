"""The words of a diagram: how large they are, how a name is set, and all of it in sentences."""

import re
from functools import cache

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from utils.alt import spoken

# In points: 8 pixels and more where a phone makes 366 pixels of 6.5 inches.
TEXT, SMALL = 11.0, 10.5
LEADING = 1.3  # from line to line, as a multiple of the size
PAD = np.array([0.22, 0.14])  # inches of a box that are not its text's
NAME = re.compile(r"(\\?[A-Za-z]+|\\\w+ ?\w)'?[_^]|\\|[A-Za-z]'?$")


@cache
def _measure(line: str, points: float, fonts: tuple[str, ...]) -> tuple[float, float]:
    box = Figure(dpi=288).text(0, 0, line, size=points).get_window_extent()
    return box.width / 288, max(box.height / 288, LEADING * points / 72)


def measure(text: str, points: float = TEXT) -> np.ndarray:
    """Return width and height of a text in inches, in the fonts that are set."""
    fonts = tuple(mpl.rcParams["font.family"])
    lines = np.array([_measure(line, points, fonts) for line in text.split("\n")])
    return np.array([lines[:, 0].max(), lines[:, 1].sum()])


def size_of_box(text: str) -> np.ndarray:
    """Return width and height of a box around a text; zeros around none."""
    return measure(text) + PAD if text else np.zeros(2)


def typeset(name: str) -> str:
    """Write a name as it is drawn: ``h_t`` and ``c`` as mathematics, others as words."""
    return f"${name}$" if "$" not in name and NAME.match(name) else name


def sentences(diagram) -> str:
    """Say what leads to what, from the inputs on, and what is in which frame."""
    nodes, routes, edges = diagram.nodes, diagram.routes, diagram.edges
    inputs = {end: [start for start in nodes if (start, end) in edges] for end in nodes}
    texts = [node.text for node in nodes.values()]
    phrases = {name: _say(node, texts) for name, node in nodes.items()}
    by = {
        (r.start, r.end): f" by {spoken(r.label)}"
        for r in routes
        if r.label and spoken(r.label) != spoken(r.start)
    }
    facts = []
    for end in _from_inputs_on(inputs):
        starts = [
            ("itself" if start == end else phrases[start]) + by.get((start, end), "")
            for start in inputs[end]
        ]
        if starts:
            *others, last = starts
            subject = (
                f"{', '.join(others)} and {last} lead" if others else f"{last} leads"
            )
            facts.append(f"{subject} to {phrases[end]}")
    for r in routes:
        if not r.forward:
            gradient = by.get((r.start, r.end), "")
            facts.append(
                f"a gradient goes from {phrases[r.start]} to {phrases[r.end]}{gradient}"
            )
    joined = {name for edge in edges for name in edge}
    alone = [
        n for n, node in nodes.items() if node.shape != "joint" and n not in joined
    ]
    facts += [phrases[name] for name in alone]
    description = [f"{spoken(diagram.title)}: {'; '.join(facts)}."]
    for names, called, _ in diagram.groups:
        called = f" ({spoken(called)})" if called else ""
        members = ", ".join(phrases[n] for n in names if nodes[n].shape != "joint")
        description.append(f"A frame{called} holds {members}.")
    return " ".join(description)


def _from_inputs_on(inputs: dict[str, list[str]]) -> list[str]:
    """Order the nodes, each after what leads to it, unless they form a circle."""
    seen, order = set(), []

    def visit(name):
        if name not in seen:
            seen.add(name)
            for start in inputs[name]:
                visit(start)
            order.append(name)

    for name in inputs:
        visit(name)
    return order


def _say(node, texts: list[str]) -> str:
    """Call a node by its text, and by its name where others have the same text."""
    name, text = spoken(node.name), spoken(f"{node.text} {node.note}")
    if node.role not in ("gate", "operation") and texts.count(node.text) == 1:
        return text
    return name if text in name else f"{name} ({text})"


def describe(figure: Figure, diagram) -> None:
    """Give a figure the words of its diagrams, for whoever reads and does not see it.

    A notebook keeps them as the plain text of the picture and as its ``alt``, and the pages
    take them from there.
    """
    figure.diagrams = [*getattr(figure, "diagrams", []), diagram]

    def bundle(include=None, exclude=None):
        text = " ".join(d.alt for d in figure.diagrams)
        return {"text/plain": text}, {"image/png": {"alt": text}}

    figure._repr_mimebundle_ = bundle  # to which IPython adds the picture
