"""What of a chapter goes on paper: where it stands, at its end, or at the book's."""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx_exercise.nodes import solution_node

from press import chapters
from press.execution.box import boxes
from press.pages.code import OPEN
from press.paper import figures
from press.paper.latex import raw

LINES = 30  # of an output
REMARK = re.compile(r"\s*# (?:fmt: skip|noqa\b.*)$")
EQUATION = re.compile(r"\beq-\d\d-[\w-]+")
PREDICT, SEEN = "Predict first", "What you should have seen"
TEXTS = ("text/markdown", "text/plain")  # of what a cell shows, the better first


class PrintedChapter:
    """A chapter on paper: its tree, what its figures should have shown, its solutions."""

    def __init__(self, builder, slug):
        self.builder, self.slug = builder, slug
        self.page = f"{chapters.BOOK.name}/{slug}"
        self.chapter = chapters.CHAPTERS[slug]
        self.text = self.chapter.markdown
        self.tree = builder.env.get_doctree(self.page)
        self.top = next(self.tree.findall(nodes.section))
        self.answers, self.solutions = [], []
        self.figure = None  # the last interactive one
        self._shorten_title()
        self._set_apart()
        self._cells()
        self._show_answers()

    def body(self):
        """The chapter as the builder puts it into the book."""
        file = addnodes.start_of_file(docname=self.page)
        file += self.tree.children
        return file

    def solved(self):
        """Its solutions, under a title of their own."""
        number = self.chapter.number
        section = nodes.section("", nodes.title("", f"Solutions to Chapter {number}"))
        section += raw(rf"\label{{solutions:{self.slug}}}")
        section += [node for solution in self.solutions for node in solution]
        file = addnodes.start_of_file(docname=self.page)
        file += section
        self.solution_section = section
        return file

    def _shorten_title(self):
        """LaTeX numbers the chapters; under the title stands where things are."""
        title = self.top[self.top.first_child_matching_class(nodes.title)]
        title[:] = [nodes.Text(self.chapter.title)]
        self.top.insert(self.top.index(title) + 1, raw(rf"\chapterhead{{{self.slug}}}"))

    def _set_apart(self):
        """Solutions leave the text with their code, and what should have been seen."""
        for node in list(self.tree.findall(solution_node)):
            parent, place = node.parent, node.parent.index(node)
            code = [c for c in _after(parent, place) if "tag_solution" in c["classes"]]
            for one in (node, *code):
                parent.remove(one)
            self.solutions.append([node, *code])

    def _cells(self):
        predict = None
        for node in list(self.tree.findall(_cell_or_answer)):
            if isinstance(node, nodes.admonition) and node[0].astext() == PREDICT:
                predict = node
            elif isinstance(node, nodes.admonition):
                node.parent.remove(node)
                self.answers.append((self.figure, node))
            else:
                before = self.figure
                self._cell(node)
                if predict is not None and self.figure not in (before, None):
                    label = figures.label(self.slug, self.figure)
                    predict[0] += raw(
                        rf" (Figure~\ref{{{label}}}, page~\pageref{{{label}}})"
                    )
                    predict = None
        for solution in self.solutions:
            for cell in solution[1:]:
                self._cell(cell)

    def _cell(self, cell):
        tags = {name.removeprefix("tag_") for name in cell["classes"]}
        # What is folded on the page is open on paper; sphinx-jupyterbook-latex would drop it.
        cell["classes"] = [name for name in cell["classes"] if "hide-" not in name]
        code = next(iter(cell.findall(nodes.literal_block)), None)
        name = self.chapter.notebook.cells[cell["cell_index"]].id
        failed = bool(boxes(cell))
        if "seen" in tags and not failed:
            return cell.parent.remove(cell)
        if "widget" in tags and failed:
            self.figure = None  # what should have been seen belongs to no other
        self._for_paper(cell)
        if {"remove-input", "figure", "widget"} & tags or self._long(tags, code):
            for box in [c for c in cell if "cell_input" in c.get("classes", ())]:
                place = cell.index(box)
                cell.remove(box)
                if not {"remove-input", "figure", "widget"} & tags:
                    cell.insert(place, raw(rf"\online{{{self.slug}}}{{{name}}}"))
        for bundle in list(cell.findall(nodes.container)):
            if bundle.get("nb_element") == "mime_bundle":
                self._bundle(bundle, failed)
        return None

    def _for_paper(self, cell):
        """Numbers in place of labels of equations, no remarks to tools, no endless output."""
        for block in cell.findall(nodes.literal_block):
            lines = block.astext().split("\n")
            if "output" in block["classes"] and len(lines) > LINES:
                kept = lines[: LINES - 2]
                lines = [*kept, f"… and {len(lines) - len(kept)} lines more"]
            else:
                lines = [self._numbered(REMARK.sub("", line)) for line in lines]
            block[:] = [nodes.Text("\n".join(lines))]
            block.rawsource = block.astext()

    def _numbered(self, line):
        return EQUATION.sub(lambda found: self._number(found[0]) or found[0], line)

    def _number(self, label):
        """The number of an equation of any chapter; None if it has none."""
        for kinds in self.builder.env.toc_fignumbers.values():
            found = kinds.get("displaymath", {}).get(f"equation-{label}")
            if found:
                return f"({'.'.join(map(str, found))})"
        return None

    def _long(self, tags, code):
        """An experiment whose code is folded on the page."""
        lines = len(code.astext().splitlines()) if code else 0
        return "run" in tags and lines > OPEN["run"]

    def _bundle(self, bundle, failed):
        types = {content["mime_type"]: content for content in bundle}
        if "image/png" not in types:
            kind = next(kind for kind in TEXTS if kind in types)
            shown = types[kind].children
            # As a warning, for a frame around it.
            bundle.replace_self(nodes.warning("", *shown) if boxes(bundle) else shown)
            return
        picture = figures.best(self.builder, types)
        if figures.is_interactive(types):
            frames = figures.Frames(types["text/html"].astext())
            self.figure = frames.name
            latex = figures.interactive(self, frames, picture, lenient=failed)
        else:
            says = types["text/plain"].astext() if "text/plain" in types else "<"
            latex = figures.still(self, picture, says)
        bundle.replace_self(raw(latex))

    def _show_answers(self):
        """At the end of the chapter, so that a prediction stays one."""
        if not self.answers:
            return
        section = nodes.section("", nodes.title("", SEEN))
        section += raw(rf"\label{{seen:{self.slug}}}")
        for name, box in self.answers:
            content = [
                node for node in box.children if not isinstance(node, nodes.title)
            ]
            if name:
                section += raw(rf"\seen{{{figures.label(self.slug, name)}}}")
            section += content
        self.top += section

    def finish(self):
        """When references are resolved: what leads to a chapter leads to its beginning."""
        self.solution_section["ids"].remove(":doc")


def _after(parent, place):
    """The cells that follow a node at once; marks of text cells do not part them."""
    for node in parent[place + 1 :]:
        if isinstance(node, nodes.container):
            yield node
        elif not isinstance(node, nodes.raw):
            return


def _cell_or_answer(node):
    if isinstance(node, nodes.admonition):
        return node[0].astext() in (PREDICT, SEEN)
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"
