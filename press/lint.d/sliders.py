"""Rules of the interactive figures: how many, and what belongs to each of them."""

import ast
import contextlib
import re
import symtable
from urllib.parse import unquote

from press import chapters
from press.lint.cells import code, tags
from press.lint.evidence import asserted, figures, parts, unproved

FIRST = 10  # a slider stands within so many cells
NUMBER = range(4, 8)

# A link to a position of a figure: [it swings](#descent:lr=0.21,momentum=0.9)
POSITION = re.compile(r"\]\(#(\w+):([^)\s]+)\)")
ADMONITION = re.compile(
    r"^(`{3,}|:{3,})\{admonition\} *(.+?) *\n(.*?)^\1 *$", re.M | re.S
)


def sliders(notebook):
    """Four to seven, and the first of them soon."""
    places = widgets(notebook)
    out = []
    if len(places) not in NUMBER:
        out.append(f"expected {NUMBER[0]} to {NUMBER[-1]} sliders, got {len(places)}")
    if not places or places[0] >= FIRST:
        out.append(f"expected a slider within the first {FIRST} cells, got none")
    return out


def seen(notebook):
    """Each slider is predicted before, explained after, and what it shows is asserted."""
    out = []
    drawn_by, imports = figures(notebook), imported(notebook)
    places = widgets(notebook)
    bounds = [-1, *places, len(notebook.cells)]
    for before, here, after in zip(bounds, places, bounds[2:], strict=False):
        name, reads = drawing(notebook.cells[here])
        above = notebook.cells[before + 1 : here]
        below = notebook.cells[here + 1 : after]
        if not notes(above, "Predict first"):
            out.append(f"{name}: expected *Predict first* before it, got none")
        answers = notes(below, "What you should have seen")
        if not answers:
            out.append(
                f"{name}: expected *What you should have seen* after it, got none"
            )
        checks = [
            ast.parse(c.source)
            for c in code(notebook)
            if c in below and {"check", "seen"} <= tags(c)
        ]
        for leaf in (leaf for tree in checks for leaf in unproved(tree, drawn_by)):
            out.append(f"{name}: expected a comparison, got {ast.unparse(leaf)}")
        found = [
            node
            for tree in checks
            for expression in asserted(tree, drawn_by)
            for node in parts(expression)
        ]
        names = {node.id for node in found if isinstance(node, ast.Name)}
        if not names & ({name} | reads - imports):
            out.append(f"{name}: expected a `seen` check of what it draws, got none")
        known = {value for node in found for value in values(node)}
        for figure, text in POSITION.findall("\n".join(answers)):
            if figure != name:
                continue
            for pair in text.split(","):
                if not readings(pair) & known:
                    out.append(f"{name}: expected {pair} in a `seen` check, got none")
    return out
