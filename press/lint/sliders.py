"""Rules of the interactive figures: how many, and what belongs to each of them."""

import ast
import builtins
import contextlib
import re
import symtable

from press import chapters
from press.lint.cells import code, tags
from press.lint.evidence import asserted, bare_names, figures, parts
from utils.interact.positions import FORM, linked, number, values_of

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
    """Each slider is predicted before, explained after, and what it shows is asserted."""
    out = []
    drawn_by, known = figures(notebook), imported(notebook) | set(dir(builtins))
    places = widgets(notebook)
    bounds = [-1, *places, len(notebook.cells)]
    for before, here, after in zip(bounds, places, bounds[2:], strict=False):
        name, reads = drawing(notebook.cells[here])
        below = notebook.cells[here + 1 : after]
        answers = notes(below, "What you should have seen")
        lacks = []
        if not notes(notebook.cells[before + 1 : here], "Predict first"):
            lacks.append("expected *Predict first* before it, got none")
        if not answers:
            lacks.append("expected *What you should have seen* after it, got none")
        asked = [
            pair
            for figure, text in linked("\n".join(answers))
            for pair in pairs(text)
            if figure == name
        ]
        checks = [ast.parse(c.source) for c in below if {"check", "seen"} <= tags(c)]
        lacks += unasserted(checks, {name, *reads} - known, asked, drawn_by)
        out += [f"{name}: {lack}" for lack in lacks]
    return out


def unasserted(checks, reads, asked, drawn_by):
    """What the `seen` checks of a figure do not assert, though its note tells it.

    ``reads`` are the names of which one must flow into an assertion, ``asked`` the
    controls and values of positions, of which each must.
    """
    found = [
        node
        for tree in checks
        for expression in asserted(tree, drawn_by)
        for node in parts(expression)
    ]
    out = [
        f"expected a comparison, got {leaf}"
        for tree in checks
        for leaf in bare_names(tree)
    ]
    if not reads & {node.id for node in found if isinstance(node, ast.Name)}:
        out.append("expected a `seen` check of what it draws, got none")
    values = {value for node in found for value in literals(node)}
    out += [
        f"expected {control}={value} in a `seen` check, got none"
        for control, value in asked
        if not readings(value) & values
    ]
    return out


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


def readings(value):
    """What code may write for the value of a control."""
    return {value, number(value)} - {None}


def literals(node):
    """What a literal says, also a negative one; a bool as in an address, on or off."""
    match node:
        case ast.UnaryOp(
            op=ast.USub(), operand=ast.Constant(value=int() | float() as x)
        ):
            yield -x
        case ast.Constant(value=bool() as switch):
            yield "on" if switch else "off"
        case ast.Constant(value=int() | float() as number):
            yield number
        case ast.Constant(value=str() as text):
            yield text
            for _, value in pairs(text):  # position(descent, "lr=0.21,momentum=0.9")
                yield from readings(value)


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
