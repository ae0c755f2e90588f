"""What a chapter must keep to, each rule a function of a notebook that lists its breaches."""

import ast
import contextlib
import re
import statistics
import symtable
from urllib.parse import unquote

from press import chapters
from tests.chapter_code import kind, tags

CORE_WORDS, WORDS, WORDS_OF_MANY, MANY_ROWS = 4_500, 7_500, 9_000, 50
CODE_CELLS, MEDIAN_LINES, FOLDED_LINES = 55, 8, 6
MAX_COLUMNS = 88  # of code and of what is printed
FIRST_SLIDER = 10  # a widget stands within so many cells
WIDGETS = range(4, 8)

# A link to a position of a figure: [it swings](#descent:lr=0.21,momentum=0.9)
POSITION = re.compile(r"\]\(#(\w+):([^)\s]+)\)")
ADMONITION = re.compile(
    r"^(`{3,}|:{3,})\{admonition\} *(.+?) *\n(.*?)^\1 *$", re.M | re.S
)


def size(notebook, rows=0):
    """Words, cells and lines; ``rows`` are those of the sources that lead here."""
    out = []
    core, total = chapters.words(chapters.markdown(notebook))
    most = WORDS_OF_MANY if rows > MANY_ROWS else WORDS
    if core > CORE_WORDS:
        out.append(f"expected at most {CORE_WORDS} words in the core, got {core}")
    if total > most:
        out.append(f"expected at most {most} words, got {total}")
    cells = [c for c in code(notebook) if kind(c) != "solution"]
    if len(cells) > CODE_CELLS:
        out.append(f"expected at most {CODE_CELLS} code cells, got {len(cells)}")
    median = statistics.median(map(lines, cells))
    if median > MEDIAN_LINES:
        out.append(f"expected a median of at most {MEDIAN_LINES} lines, got {median}")
    return out


def open_checks(notebook):
    """Of the code that stands open on the page at most a third is checks."""
    shown = [c for c in code(notebook) if is_open(c)]
    checks = sum(lines(c) for c in shown if kind(c) == "check")
    everything = sum(map(lines, shown))
    if 3 * checks > everything:
        return [f"expected a third of {everything} open lines in checks, got {checks}"]
    return []


def is_open(cell):
    """Whether the built page shows the code of a cell before a click."""
    if kind(cell) in {"figure", "widget", "solution"}:
        return False
    if any(tag.startswith(("hide-", "remove-")) for tag in tags(cell)):
        return False
    return kind(cell) != "check" or lines(cell) <= FOLDED_LINES


def sliders(notebook):
    """Four to seven, and the first of them soon."""
    places = widgets(notebook)
    out = []
    if len(places) not in WIDGETS:
        out.append(f"expected {WIDGETS[0]} to {WIDGETS[-1]} sliders, got {len(places)}")
    if not places or places[0] >= FIRST_SLIDER:
        out.append(f"expected a slider within the first {FIRST_SLIDER} cells, got none")
    return out


def seen(notebook):
    """Each slider is predicted before, explained after, and what it shows is asserted."""
    out = []
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
            for c in below
            if c.cell_type == "code" and {"check", "seen"} <= tags(c)
        ]
        used = {
            n.id for tree in checks for n in ast.walk(tree) if isinstance(n, ast.Name)
        }
        if not used & {name, *reads}:
            out.append(f"{name}: expected a `seen` check of what it draws, got none")
        known = {x for tree in checks for x in literals(tree)}
        for figure, text in POSITION.findall("\n".join(answers)):
            if figure != name:
                continue
            for pair in text.split(","):
                if not readings(pair) & known:
                    out.append(f"{name}: expected {pair} in a `seen` check, got none")
    return out


def unknown_positions(notebook):
    """Links to positions whose figure or control no cell of the notebook makes."""
    controls = {}
    for i in widgets(notebook):
        function = ast.parse(notebook.cells[i].source).body[-1]
        (call,) = [d for d in function.decorator_list if isinstance(d, ast.Call)]
        controls[function.name] = {keyword.arg for keyword in call.keywords}
    return [
        f"expected a figure and its controls, got #{name}:{text}"
        for name, text in POSITION.findall(chapters.markdown(notebook))
        if not {x.partition("=")[0] for x in text.split(",")}
        <= controls.get(name, set())
    ]


def two_sentences(notebook):
    """Lines of prose that hold more than one sentence: a diff should show a sentence."""
    return [
        line for line in prose(notebook) if SECOND.search(ABBREVIATION.sub("", line))
    ]


# TeX takes a bracket that opens an environment or a line for an option, and drops it.
SWALLOWED = re.compile(
    r"\\begin\{(?:aligned|gathered|alignedat)\}\s*\[|\\\\\s*\[(?!\d)"
)


def swallowed_brackets(notebook):
    """Lines of formulas that would lose their left side; ``{}[`` keeps it."""
    return [m.group() for m in SWALLOWED.finditer(chapters.markdown(notebook))]


def prose(notebook):
    """The lines of a notebook's text, formulas, code and links each as one word."""
    text = "\n".join(
        c.source + "\n" for c in notebook.cells if c.cell_type == "markdown"
    )
    text = re.sub(r"^(`{3,})(?!\{).*?^\1$", "", text, flags=re.M | re.S)  # listings
    text = re.sub(r"\$\$.*?\$\$( *\([\w-]+\))?", "", text, flags=re.S)
    text = re.sub(r"\$[^$]+\$|`[^`\n]+`", "formula", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", "link", text)
    aside = re.compile(r"\s*(\||#|:\w|```|:::|<!--|\([\w-]+\)=)")
    return [line for line in text.split("\n") if line.strip() and not aside.match(line)]


# A full stop, and a capital after it …
SECOND = re.compile(r"[.?!][”\"')*_]*\s+[“\"'(*_]*[A-ZÀ-ÖØ-Þ]")
# … but not that of "e.g.", of an initial, of "1." or of a heading that runs into its text.
ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|[Cc]f|vs|al|[Ee]qs?|[Ff]igs?|[Ss]ecs?|[Cc]hs?|pp?|[Nn]o|Dr|[A-Z])\."
    r"|^\s*\d+\. |^\W*(\*\*?)[^*]+[.?!]\1(?= )"
)
SWITCH = {"on": True, "off": False}


def readings(pair):
    """What code may write for the value of ``control=value`` in an address."""
    text = unquote(pair.partition("=")[2])
    with contextlib.suppress(ValueError):
        return {text, float(text)}
    return {text, SWITCH.get(text, text)}


def literals(tree):
    """The constants of a piece of code, negative ones too, and what strings pair up."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and not isinstance(node.value, bytes):
            yield node.value
            if isinstance(node.value, str):  # position(descent, "lr=0.21,momentum=0.9")
                for pair in node.value.split(","):
                    yield from readings(pair)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            if isinstance(node.operand, ast.Constant):
                yield -node.operand.value


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


def widgets(notebook):
    """Where the interactive figures stand among all cells."""
    return [
        i
        for i, c in enumerate(notebook.cells)
        if c.cell_type == "code" and "widget" in tags(c)
    ]


def code(notebook):
    return [c for c in notebook.cells if c.cell_type == "code"]


def lines(cell):
    return len(cell.source.splitlines())
