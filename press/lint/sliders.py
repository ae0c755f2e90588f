"""Rules of the interactive figures: how many, and what belongs to each of them."""

import ast
import contextlib
import re
import symtable
from itertools import pairwise

from press import chapters
from press.lint.cells import code, tags
from utils.interact.positions import FORM, linked, values_of

FIRST = 10  # a slider stands within so many cells

# What is meant for a link to a position; the page has one where it is written as one.
MEANT = re.compile(r"\]\(#([^\s():]+:[^\n)]*)\)")
ADMONITION = re.compile(
    r"^(`{3,}|:{3,})\{admonition\} *(.+?) *\n(.*?)^\1 *$", re.M | re.S
)


def sliders(notebook):
    """Say so if no slider stands within the first cells."""
    places = widgets(notebook)
    if not places or places[0] >= FIRST:
        return [f"expected a slider within the first {FIRST} cells, got none"]
    return []


def seen(notebook):
    """List the figures that nobody predicts before, explains after or checks.

    Whether the check notices what is drawn, ``press.execution.seen`` finds out.
    """
    out, cells = [], notebook.cells
    starts = [0, *(i + 1 for i in widgets(notebook))]
    for start, (name, _, checks, note) in zip(starts, around(notebook), strict=False):
        before = cells[start : next(i for i in widgets(notebook) if i >= start)]
        if not notes(before, "Predict first"):
            out.append(f"{name}: expected *Predict first* before it, got none")
        if not note:
            out.append(
                f"{name}: expected *What you should have seen* after it, got none"
            )
        if not checks:
            out.append(f"{name}: expected a `seen` check after it, got none")
    return out


def around(notebook):
    """Give each figure's name, the names that it reads, its `seen` checks, its note."""
    places = widgets(notebook)
    for place, end in pairwise([*places, len(notebook.cells)]):
        below = notebook.cells[place + 1 : end]
        checks = [cell for cell in below if {"check", "seen"} <= tags(cell)]
        note = "\n".join(notes(below, "What you should have seen"))
        yield *drawing(notebook.cells[place]), checks, note


def positions(note, name):
    """List the positions of a figure to which a note links."""
    return [position for figure, position in linked(note) if figure == name]


def unknown_positions(notebook):
    """Links to positions that are not written as one, or whose figure or control is none.

    Whether a figure has the value its grid alone knows: see ``press.execution.cells``.
    """
    controls = {}
    for i in widgets(notebook):
        function = ast.parse(notebook.cells[i].source).body[-1]
        (call,) = [d for d in function.decorator_list if isinstance(d, ast.Call)]
        named = {keyword.arg for keyword in call.keywords}
        controls[function.name] = named - {"labels", "play"}
    text, out, written = chapters.markdown(notebook), [], set()
    for name, position in linked(text):
        written.add(f"{name}:{position}")
        asked = {control for control, _ in pairs(position)}
        if not asked or not asked <= controls.get(name, set()):
            out.append(f"expected a figure and its controls, got #{name}:{position}")
    out += [
        f"expected a link to #figure:{FORM}, got #{meant}"
        for meant in MEANT.findall(text)
        if meant not in written
    ]
    return out


def pairs(position):
    """The controls that a position names and their values; none if it is not written so."""
    with contextlib.suppress(ValueError):
        return list(values_of(position).items())
    return []


def notes(cells, title):
    """Texts of the boxes of that title in some cells."""
    text = "\n\n".join(c.source for c in cells if c.cell_type == "markdown")
    return [body for _, name, body in ADMONITION.findall(text) if name == title]


def drawing(cell):
    """Name of the function that a widget cell draws with, and the names it reads."""
    table = symtable.symtable(cell.source, "cell", "exec")
    function = [t for t in table.get_children() if t.get_type() == "function"][-1]
    return function.get_name(), globals_read(function)


def globals_read(table):
    """Names that a function takes from its notebook, those of its inner functions too."""
    inner = [globals_read(child) for child in table.get_children()]
    own = {x.get_name() for x in table.get_symbols() if x.is_global()}
    return own.union(*inner)


def imported(notebook):
    """Names that a notebook imports: to use them says nothing of a figure."""
    return {
        (alias.asname or alias.name).partition(".")[0]
        for cell in code(notebook)
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def widgets(notebook):
    """Where the interactive figures stand among all cells."""
    return [
        i
        for i, c in enumerate(notebook.cells)
        if c.cell_type == "code" and "widget" in tags(c)
    ]
