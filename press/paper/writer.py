"""LaTeX for what Sphinx's writer says otherwise on paper."""

import re
from unicodedata import east_asian_width

from docutils import nodes
from sphinx.writers.latex import CR, LaTeXTranslator

from press.paper.latex import place

# Of a box on the page the environment of book.tex.
BOXES = ("tip", "question")
MATRIX = re.compile(r"\\begin\{([bp]?matrix)\}.*?\\end\{\1\}", re.DOTALL)
NUMBERED = re.compile(r"(?<=\bChapter) (?=\d)")
MANY = 60  # rows of a table in small print, which has so much more room in a line:
SMALL = 1.25
WORD = 24  # characters of a word or formula that a column makes room for
FORMULA = 16  # characters of a formula; a longer one breaks behind = or a comma
NUMBER = 8  # characters of (16.10)
WIDE = 92  # characters that fit beside each other in a table


class Writer(LaTeXTranslator):
    """As Sphinx writes, but for boxes, the numbers of equations, pages and tables."""

    def __init__(self, document, builder, theme):
        super().__init__(document, builder, theme)
        # A chapter is a chapter; sphinx-jupyterbook-latex would make parts of them.
        self.top_sectionlevel = self.sectionnames.index("chapter")

    def visit_admonition(self, node):
        kind = next((name for name in BOXES if name in node["classes"]), "note")
        self.body.append(CR + rf"\begin{{bookbox}}{{{kind}}}")
        self.no_latex_floats += 1

    def depart_admonition(self, node):
        self.body.append(r"\end{bookbox}" + CR)
        self.no_latex_floats -= 1

    def visit_math_block(self, node):
        """Give an equation the number that the page has, whatever precedes it on paper."""
        counts = self.builder.env.toc_fignumbers.get(node.get("docname"), {})
        counter = counts.get("displaymath", {}).get(next(iter(node["ids"]), None))
        text = _unicode_math(node.astext().strip())
        if r"\\" in re.sub(r"\\begin\{(\w+)\}.*?\\end\{\1\}", "", text, flags=re.S):
            text = rf"\begin{{split}}{text}\end{{split}}"
        if counter:
            number = ".".join(map(str, counter))
            name = f"equation:{node['docname']}:{node['label']}"
            text += rf"\tag{{{number}}}\label{{{name}}}"
        # A line left free would be a paragraph of its own, and a line of paper.
        joint = "%" if self.body and self.body[-1].endswith("\n") else CR
        self.body.append(
            rf"{joint}{CR}\begin{{equation*}}{CR}{text}{CR}\end{{equation*}}{CR}"
        )
        raise nodes.SkipNode

    def visit_math_reference(self, node):
        label = f"equation:{node['docname']}:{node['target']}"
        self.body.append(rf"\eqref{{{label}}}{self._page(node['docname'], label)}")
        raise nodes.SkipNode

    def visit_Text(self, node):
        super().visit_Text(node)
        self.body[-1] = NUMBERED.sub("~", self.body[-1])  # "Chapter" and 3 in one line

    def visit_math(self, node):
        node[:] = [nodes.Text(_unicode_math(node.astext()))]
        super().visit_math(node)

    def hyperlink(self, id):
        return super().hyperlink(place(id))

    def visit_thebibliography(self, node):
        self.body.append(CR + r"\begin{sphinxthebibliography}{}" + CR)

    def visit_citation(self, node):
        super().visit_citation(node)
        label = self.idescape(f"{node['docname']}:{node['ids'][0]}")
        self.body.append(rf"\phantomsection\label{{{label}}}")

    def visit_reference(self, node):
        super().visit_reference(node)
        current_page = self.curfilestack[-1] if self.curfilestack else ""
        uri = node.get("refuri") or f"%{current_page}#{node.get('refid', '')}"
        if uri.startswith("%") and "#" in uri and not self.in_title:
            page, _, name = uri[1:].partition("#")
            end = self.context.pop()
            self.context.append(end + self._page(page, f"{page}:{name}"))

    def _page(self, page, label):
        """Return the page of a link's target in another chapter or section; else nothing."""
        is_near = page == self.curfilestack[-1] and ":sec-" not in label
        if self.table or is_near:
            return ""
        return rf"\onpage{{{place(label)}}}"

    def visit_table(self, node):
        rows = len(list(node.findall(nodes.row)))
        small = rows > MANY
        if not self.next_table_colspec:
            self.next_table_colspec = columns(node, SMALL * WIDE if small else WIDE)
        if rows > 4 and not _in_box(node):
            node["classes"].append("longtable")  # which breaks between pages
        self.body.append(r"{\footnotesize" if small else "{")
        super().visit_table(node)

    def depart_table(self, node):
        super().depart_table(node)
        self.body.append("}" + CR)


def _in_box(node):
    """Return whether a table stands in a box, where it must not break."""
    while node is not None and not isinstance(node, nodes.Admonition):
        node = node.parent
    return node is not None


def _rows_apart(matrix):
    """Move the rows of a matrix apart whose fractions would touch in LaTeX."""
    if r"\frac" not in matrix[0]:
        return matrix[0]
    return matrix[0].replace(r"\\", r"\\[4pt]")


def _unicode_math(formula):
    """Rewrite a formula for unicode-math, whose alphabets are MathJax's letters."""
    formula = re.sub(r"\\mathrm(?=\\)", r"\\symup", formula)
    formula = MATRIX.sub(_rows_apart, formula)
    formula = re.sub(r"\\(mathbf|boldsymbol)\b", r"\\symbf", formula)
    return formula.replace(r"\setminus", r"\smallsetminus")


def columns(table: nodes.table, wide: float = WIDE) -> str:
    """Return the widths of a table's columns by their content; "l" for each where all fit."""
    rows = [list(row.findall(nodes.entry)) for row in table.findall(nodes.row)]
    count = max(map(len, rows))
    cells = [[row[j] for row in rows if j < len(row)] for j in range(count)]
    lengths = [list(map(_length, column)) for column in cells]
    room = wide - 2 * count
    if sum(map(max, lengths)) <= room:
        return "l" * count
    min_widths = [1 + max(map(_widest_piece, column)) for column in cells]
    widths = [max(pair) for pair in zip(min_widths, map(max, lengths), strict=True)]
    while sum(widths) > room:  # that column gives which breaks the fewest cells by it
        shrinkable = [j for j in range(count) if widths[j] > min_widths[j]]
        if not shrinkable:
            break
        index = min(
            shrinkable, key=lambda j: (_extra_lines(lengths[j], widths[j]), -widths[j])
        )
        widths[index] -= 1
    return "".join(
        rf">{{\raggedright\arraybackslash}}p{{{width / sum(widths):.3f}\tablewidth{{{count}}}}}"
        for width in widths
    )


def _extra_lines(lengths, width):
    """Count the lines that a column gains when it is a character narrower."""
    return sum(-(-n // (width - 1)) - -(-n // width) for n in lengths)


def _length(entry):
    """Count the characters of a cell as they print: a formula has fewer than its source."""
    text = _plain(entry)
    length = len(text) + sum(east_asian_width(character) == "W" for character in text)
    length += NUMBER * len(_numbers(entry))
    for formula in entry.findall(nodes.math):
        source = formula.astext()
        length += len(re.sub(r"\\[A-Za-z]+|[{}_^\\]", "", source)) - len(source)
        length += len(
            re.findall(r"\\(?!math|bold|text|hat|bar|left|right)[A-Za-z]+", source)
        )
        length += 2 * len(re.findall("[=+]", source))  # with space on both sides
    return length


def _plain(entry):
    """Return the text of a cell but for LaTeX as it stands, a page number say."""
    return "".join(
        text.astext()
        for text in entry.findall(nodes.Text)
        if not isinstance(text.parent, nodes.raw)
    )


def _numbers(entry):
    """Find references to equations, of which LaTeX will make numbers."""
    return [n for n in entry.findall() if type(n).__name__ == "math_reference"]


def _widest_piece(entry):
    """Count the characters of a cell's longest word or formula, which no line may break."""
    text = _plain(entry)
    pieces = [
        min(_length(nodes.entry("", formula.deepcopy())), FORMULA)
        for formula in entry.findall(nodes.math)
    ]
    formulas = [formula.astext() for formula in entry.findall(nodes.math)]
    for formula in sorted(formulas, key=len, reverse=True):  # one may hold another
        text = text.replace(formula, " ")
    pieces += [NUMBER] * bool(_numbers(entry))
    return min(max([3, *pieces, *map(len, re.split(r"[\s-]+", text))]), WORD)
