"""What a built page shows, by the names that a deck uses: see ``press.decks.written``."""

import ast
import json
import re
from copy import copy
from html import escape
from types import SimpleNamespace

from bs4 import BeautifulSoup

from press.alive.files import views_of
from press.execution.failure_box import BOX, REMARK
from press.figures.bundle import payload
from press.pages.cell_ids import cell_of
from utils.interact.positions import indices_of, values_of

ALIGNED = re.compile(r"(\\begin\{(aligned|gathered)\})(.*?)(\\end\{\2\})", re.S)
LABEL = re.compile(  # the formula has it
    r'\s*<span class="c1"># eq-[^<]*</span>|,?\s+eq-\d\d-[a-z0-9-]+(?=</span>)'
)
EXCERPT = re.compile(r"^(\w+)(?:: (.+?) … (.+))?$")


class PageParts:
    """Find figures, formulas, code and tables of a built page by their names."""

    def __init__(self, page: BeautifulSoup, notebook: dict):
        self.page = page.find("article")
        self.cells = notebook["cells"]
        self.boxes = {cell_of(box): box for box in self.page.find_all(cell_of)}

    def figure(self, name: str) -> str:
        """Show an interactive figure at a position, ``walk step=6, kernel=upright``.

        Of a figure whose network runs, some of its views: ``writing text=a | seen, next``.
        """
        name, _, views = name.partition(" | ")
        name, _, position = name.partition(" ")
        element = self._element(
            "figure",
            name,
            "figure.interact, figure.alive",
            lambda figure: figure["data-name"],
        )
        script = element.find("script", type="application/json")
        data = json.loads(script.string)
        if "alive" in element["class"]:
            return _alive_at(element, data, position, views)
        if views:
            raise ValueError(f"figure {name}: expected no views, got {views!r}")
        controls = [SimpleNamespace(**control) for control in data["controls"]]
        indices = indices_of(f"figure {name}", controls, position)
        for control, index in zip(data["controls"], indices, strict=True):
            control["default_index"] = index
        moved = copy(element)
        moved.find("script", type="application/json").string = payload(data)
        moved["data-moved"] = ""
        # A photograph stays positive.
        if element.find_parent(class_="tag_keep-colours"):
            moved["class"] = [*moved["class"], "keep-colours"]
        return str(moved)

    def equation(self, label: str) -> str:
        """Show a displayed equation by its label, ``eq-11-line``."""
        return str(self._equation(label))

    def steps(self, label: str) -> str:
        """Show an equation, its lines one click after the other."""
        equation = copy(self._equation(label))
        body = equation.find(string=re.compile(r"\\\["))
        body.replace_with(ALIGNED.sub(_clicks, str(body)))
        return str(equation)

    def code(self, name: str) -> str:
        """Show a function or class, or of it the lines ``name: first … last``."""
        match = EXCERPT.match(name)
        if match is None:
            raise ValueError(f"code: expected 'name' or 'name: a … b', got {name!r}")
        name, first, last = match.groups()
        definitions = {}
        for cell in self.cells:
            if cell["id"] in self.boxes:
                source = "".join(cell["source"])
                for node in ast.parse(re.sub(r"^[%!].*$", "", source, flags=re.M)).body:
                    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                        definitions[node.name] = node, source, self.boxes[cell["id"]]
        if name not in definitions:
            raise ValueError(
                f"code: expected one of {', '.join(definitions)}; got {name!r}"
            )
        node, source, box = definitions[name]
        begin, end = node.lineno - 1, node.end_lineno
        if first:
            lines = [line.strip() for line in source.split("\n")]
            begin = _line(lines, first, begin, end, name)
            end = _line(lines, last, begin, end, name) + 1
        highlighted = box.find(class_="cell_input").find("pre").decode_contents()
        highlighted = LABEL.sub("", highlighted)
        lines = dict(enumerate(highlighted.strip("\n").split("\n")))
        # The speaker says what a docstring would.
        docstring = node.body[0] if ast.get_docstring(node) else None
        for i in range(docstring.lineno - 1, docstring.end_lineno) if docstring else ():
            del lines[i]
        excerpt = _dedented([line for i, line in lines.items() if begin <= i < end])
        return f'<div class="highlight"><pre>{excerpt}</pre></div>'

    def table(self, label: str) -> str:
        """Show the first table after a label, ``sec-11-size``."""
        return str(self._after("table", label, "table"))

    def drawing(self, label: str) -> str:
        """Show the first picture after a label, ``fig-11-sharing``."""
        image = self._after("drawing", label, "img")
        if image.find_parent(class_="tag_keep-colours"):
            image = copy(image)
            image["class"] = "keep-colours"
        return str(image)

    def printed(self, name: str) -> str:
        """Show what the cell with this id prints."""
        box = self.boxes.get(name)
        output = box and box.find(class_="cell_output")
        if output is None or output.find(class_=[BOX, REMARK]):
            raise ValueError(f"printed: expected a cell with output, got {name!r}")
        return f'<pre class="printed">{escape(output.get_text().strip())}</pre>'

    def _equation(self, label):
        name = lambda e: e["id"].removeprefix("equation-")
        return self._element("equation", label, "div.math[id^=equation-]", name)

    def _element(self, kind, name, selector, name_of):
        elements = {name_of(element): element for element in self.page.select(selector)}
        if name not in elements:
            expected = ", ".join(elements)
            raise ValueError(f"{kind}: expected one of {expected}; got {name!r}")
        return elements[name]

    def _after(self, kind, label, tag):
        target = self.page.find(id=label)
        element = target and (target.find(tag) or target.find_next(tag))
        if not element:
            ids = [e["id"] for e in self.page.select("[id^=sec-], [id^=fig-]")]
            raise ValueError(
                f"{kind}: expected a {tag} after one of {ids}, got {label}"
            )
        return element


def _alive_at(element, data, position, views):
    """Show a figure whose network runs at a position; its page reads the texts."""
    starts = values_of(position)
    names = [control["name"] for control in data["controls"]]
    for name in starts:
        if name not in names:
            expected = f"figure {element['data-name']}: expected one of {names}"
            raise ValueError(f"{expected}, got {name!r}")
    for control in data["controls"]:
        control["start"] = starts.get(control["name"], control["start"])
    moved = copy(element)
    moved.find("script", class_="inputs").string = payload(data)
    if views:
        moved["data-views"] = ",".join(_views(element, views))
    return str(moved)


def _views(element, text):
    """Return the names of the views that a text lists, each of which the figure has."""
    known, names = views_of(element["data-program"]), text.split(", ")
    for name in names:
        if name not in known:
            expected = f"figure {element['data-name']}: expected views among"
            raise ValueError(f"{expected} {', '.join(known)}; got {name!r}")
    return names


def _clicks(match):
    """Put each line of an aligned formula but the first into a fragment."""
    opening, _, body, closing = match.groups()
    first, *rest = re.split(r"\\\\(?:\[\w+\])?", body)
    lines = [first]
    for line in rest:
        parts = (rf"\class{{fragment}}{{{cell}}}" if cell.strip() else cell
                 for cell in line.split("&"))  # fmt: skip
        lines.append("&".join(parts))
    return opening + r"\\".join(lines) + closing


def _line(lines, start, begin, end, name):
    for i in range(begin, end):
        if lines[i].startswith(start):
            return i
    raise ValueError(
        f"code {name}: expected a line that begins with {start!r}, got none"
    )


def _dedented(lines):
    """Return highlighted lines without the indentation that they share."""
    shared = min(
        (len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0
    )
    return "\n".join(line[shared:] for line in lines)
