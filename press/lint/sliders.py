"""Rules of the interactive figures: where they stand, and what belongs to each of them."""

import ast
import contextlib
import re
import symtable
from typing import NamedTuple

import nbformat

from press import chapters
from press.lint.cells import code, tags
from utils.interact.positions import FORM, linked, values_of

FIRST_CELLS = 10  # a slider stands within so many cells
# What interact and alive are given besides controls.
NO_CONTROLS = {"labels", "play", "weights", "data", "compute", "actions"}

# What is meant for a link to a position; the page has one where it is written as one.
LINK_LIKE = re.compile(r"\]\(#([^\s():]+:[^\n)]*)\)")
ADMONITION = re.compile(
    r"^(`{3,}|:{3,})\{admonition\} *(.+?) *\n(.*?)^\1 *$", re.M | re.S
)


def sliders(notebook):
    """Say so if no slider stands within the first cells."""
    indices = widgets(notebook)
    if not indices or indices[0] >= FIRST_CELLS:
        return [f"expected a slider within the first {FIRST_CELLS} cells, got none"]
    return []


class Figure(NamedTuple):
    """An interactive figure, and what stands around it."""

    name: str
    reads: set[str]  # names of its notebook
    predictions: list[str]  # texts of the boxes before it
    notes: list[str]  # and after it
    checks: list[nbformat.NotebookNode]  # cells


def seen(notebook):
    """List the figures that nobody predicts before, explains after or checks.

    Whether a check notices what is drawn, ``press.execution.figure_mutations`` finds out.
    """
    errors = []
    for figure in figures(notebook):
        if not figure.predictions:
            errors.append(
                f"{figure.name}: expected *Predict first* before it, got none"
            )
        if not figure.notes:
            errors.append(
                f"{figure.name}: expected *What you should have seen* after it, got none"
            )
        if not figure.checks:
            errors.append(f"{figure.name}: expected a `seen` check after it, got none")
    return errors


def figures(notebook):
    """List the interactive figures of a notebook."""
    indices, cells = widgets(notebook), notebook.cells
    bounds = [-1, *indices, len(cells)]
    return [
        Figure(
            *drawing(cells[index]),
            boxes(cells[start + 1 : index], "Predict first"),
            boxes(cells[index + 1 : end], "What you should have seen"),
            [c for c in cells[index + 1 : end] if {"check", "seen"} <= tags(c)],
        )
        for start, index, end in zip(bounds, indices, bounds[2:], strict=False)
    ]


def positions(figure):
    """List the positions of a figure to which its notes link."""
    links = linked("\n".join(figure.notes))
    return [position for name, position in links if name == figure.name]


def unknown_positions(notebook):
    """List links to positions that are not written as one, or that no figure can have.

    Whether a figure has the value its grid alone knows: see ``press.execution.cells``.
    """
    controls = {}
    for i in widgets(notebook):
        function = ast.parse(notebook.cells[i].source).body[-1]
        (call,) = [d for d in function.decorator_list if isinstance(d, ast.Call)]
        names_of_controls = {keyword.arg for keyword in call.keywords}
        controls[function.name] = names_of_controls - NO_CONTROLS
    text, errors, links = chapters.markdown(notebook), [], set()
    for name, position in linked(text):
        links.add(f"{name}:{position}")
        names = set()
        with contextlib.suppress(ValueError):
            names = values_of(position).keys()
        if not names or not names <= controls.get(name, set()):
            errors.append(f"expected a figure and its controls, got #{name}:{position}")
    errors += [
        f"expected a link to #figure:{FORM}, got #{link}"
        for link in LINK_LIKE.findall(text)
        if link not in links
    ]
    return errors


def boxes(cells, title):
    """List the texts of the boxes of that title in some cells."""
    text = "\n\n".join(c.source for c in cells if c.cell_type == "markdown")
    return [body for _, name, body in ADMONITION.findall(text) if name == title]


def drawing(cell):
    """Return the name of the function that a widget cell draws with, and what it reads."""
    table = symtable.symtable(cell.source, "cell", "exec")
    function = [t for t in table.get_children() if t.get_type() == "function"][-1]
    return function.get_name(), globals_read(function)


def globals_read(table):
    """Return the names that a function and its inner functions take from their notebook."""
    inner = [globals_read(child) for child in table.get_children()]
    own = {x.get_name() for x in table.get_symbols() if x.is_global()}
    return own.union(*inner)


def imported(notebook):
    """Return the names that a notebook imports: to use them says nothing of a figure."""
    return {
        (alias.asname or alias.name).partition(".")[0]
        for cell in code(notebook)
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def widgets(notebook):
    """List the places of the interactive figures among all cells."""
    return [
        i
        for i, c in enumerate(notebook.cells)
        if c.cell_type == "code" and "widget" in tags(c)
    ]
