"""What of a chapter goes on paper: where it stands, at its end, or at the book's."""

import re
from dataclasses import dataclass

from docutils import nodes
from sphinx import addnodes
from sphinx_exercise.nodes import solution_node

from press import chapters
from press.execution.failure_box import boxes
from press.pages.code import MAX_OPEN_LINES
from press.paper import figures
from press.paper.latex import raw

LINES = 30  # of an output
REMARK = re.compile(r"\s*# (?:fmt: skip|noqa\b.*)$")
EQUATION = re.compile(r"\beq-\d\d-[\w-]+")
PREDICT, SEEN = "Predict first", "What you should have seen"
TEXTS = ("text/markdown", "text/plain")  # of what a cell shows, the better first
DRAWN = {"remove-input", "figure", "widget"}  # tags of cells without code on paper


@dataclass(frozen=True)
class PrintedChapter:
    """The parts of a chapter on paper."""

    body: addnodes.start_of_file  # at its end stands what figures should have shown
    solutions: addnodes.start_of_file | None  # of its exercises, under a title


def printed(builder, chapter: chapters.Chapter) -> PrintedChapter:
    """Part a chapter for paper; the tree that the builder keeps stays as it is.

    The builder has the trees of all pages, and the numbers of equations.
    """
    tree = builder.env.get_doctree(_page(chapter))  # read anew at each call
    solutions = _take_solutions(tree)
    answers = _set_cells(builder, chapter, tree)
    for solution in solutions:
        for cell in solution[1:]:
            _set_cell(builder, chapter, cell)
    top = next(tree.findall(nodes.section))
    _set_title(chapter, top)
    if answers:
        top += _seen_section(chapter, answers)
    body = addnodes.start_of_file(docname=_page(chapter))
    body += tree.children
    return PrintedChapter(body, _solutions(chapter, solutions))


def finish(printed_chapters: list[PrintedChapter]) -> None:
    """Have links to a chapter lead to its beginning, once references are resolved."""
    for chapter in printed_chapters:
        if chapter.solutions:
            chapter.solutions[0]["ids"].remove(":doc")


def _page(chapter):
    return f"{chapters.BOOK.name}/{chapter.slug}"


def _set_title(chapter, top):
    """Set the title without its number, which LaTeX adds, and the links under it."""
    title = top[top.first_child_matching_class(nodes.title)]
    title[:] = [nodes.Text(chapter.title)]
    top.insert(top.index(title) + 1, raw(rf"\chapterhead{{{chapter.slug}}}"))


def _take_solutions(tree):
    """Take the solutions out of a text: for each its box and the cells of its code."""
    solutions = []
    for box in list(tree.findall(solution_node)):
        parent, index = box.parent, box.parent.index(box)
        code = [c for c in _after(parent, index) if "tag_solution" in c["classes"]]
        for node in (box, *code):
            parent.remove(node)
        solutions.append([box, *code])
    return solutions


def _solutions(chapter, solutions):
    """Put solutions under a title of their own; None where there are none."""
    if not solutions:
        return None
    title = nodes.title("", f"Solutions to Chapter {chapter.number}")
    section = nodes.section("", title)
    section += raw(rf"\label{{solutions:{chapter.slug}}}")
    section += [node for solution in solutions for node in solution]
    file = addnodes.start_of_file(docname=_page(chapter))
    file += section
    return file


def _set_cells(builder, chapter, tree):
    """Set the cells of a text, and take out what its figures should have shown.

    Returns pairs of the figure's name, None where it failed, and the box.
    """
    answers, figure, predict = [], None, None
    for node in list(tree.findall(_is_cell_or_box)):
        if isinstance(node, nodes.admonition) and node[0].astext() == PREDICT:
            predict = node
        elif isinstance(node, nodes.admonition):
            node.parent.remove(node)
            answers.append((figure, node))
        elif "tag_widget" in node["classes"]:
            figure = _set_cell(builder, chapter, node)
            if predict is not None and figure:
                label = figures.label(chapter.slug, figure)
                reference = rf" (Figure~\ref{{{label}}}, page~\pageref{{{label}}})"
                predict[0] += raw(reference)
                predict = None
        else:
            _set_cell(builder, chapter, node)
    return answers


def _set_cell(builder, chapter, cell):
    """Set a cell for paper; return the name of the interactive figure that it shows."""
    tags = {name.removeprefix("tag_") for name in cell["classes"]}
    # What is folded on the page is open on paper; sphinx-jupyterbook-latex would drop it.
    cell["classes"] = [name for name in cell["classes"] if "hide-" not in name]
    failed = bool(boxes(cell))
    if "seen" in tags and not failed:
        cell.parent.remove(cell)
        return None
    code = next(iter(cell.findall(nodes.literal_block)), None)
    _set_text(builder, cell)
    if DRAWN & tags or _is_long(tags, code):
        for box in [c for c in cell if "cell_input" in c.get("classes", ())]:
            index = cell.index(box)
            cell.remove(box)
            if not DRAWN & tags:
                name = chapter.notebook.cells[cell["cell_index"]].id
                cell.insert(index, raw(rf"\online{{{chapter.slug}}}{{{name}}}"))
    names = [
        _set_output(builder, chapter, bundle, failed)
        for bundle in list(cell.findall(nodes.container))
        if bundle.get("nb_element") == "mime_bundle"
    ]
    return next(filter(None, names), None)


def _set_text(builder, cell):
    """Put numbers for labels of equations; leave out remarks to tools, and endless output."""
    number = lambda label: _number(builder, label[0]) or label[0]
    for block in cell.findall(nodes.literal_block):
        lines = block.astext().split("\n")
        if "output" in block["classes"] and len(lines) > LINES:
            kept = lines[: LINES - 2]
            lines = [*kept, f"… and {len(lines) - len(kept)} lines more"]
        else:
            lines = [EQUATION.sub(number, REMARK.sub("", line)) for line in lines]
        block[:] = [nodes.Text("\n".join(lines))]
        block.rawsource = block.astext()


def _number(builder, label):
    """Return the number of an equation of any chapter; None if it has none."""
    for kinds in builder.env.toc_fignumbers.values():
        number = kinds.get("displaymath", {}).get(f"equation-{label}")
        if number:
            return f"({'.'.join(map(str, number))})"
    return None


def _is_long(tags, code):
    """Tell an experiment whose code is folded on the page."""
    lines = len(code.astext().splitlines()) if code else 0
    return "run" in tags and lines > MAX_OPEN_LINES["run"]


def _set_output(builder, chapter, bundle, failed):
    """Set what a cell shows; return the name of a figure that is interactive."""
    types = {content["mime_type"]: content for content in bundle}
    if "image/png" not in types:
        kind = next(kind for kind in TEXTS if kind in types)
        children = types[kind].children
        # As a warning, for a frame around it.
        bundle.replace_self(nodes.warning("", *children) if boxes(bundle) else children)
        return None
    picture, name = figures.best_picture(builder, types), None
    if figures.is_interactive(types):
        frames = figures.Frames(types["text/html"].astext())
        name = frames.name
        latex = figures.interactive(builder, chapter, frames, picture, lenient=failed)
    elif figures.is_alive(types):
        figure = figures.Alive(types["text/html"].astext())
        name = figure.name
        latex = figures.alive(builder, chapter, figure, picture)
    else:
        title = types["text/plain"].astext() if "text/plain" in types else "<"
        latex = figures.still_picture(builder, picture, title)
    bundle.replace_self(raw(latex))
    return name


def _seen_section(chapter, answers):
    """Put answers at the end of the chapter, so that a prediction stays one."""
    section = nodes.section("", nodes.title("", SEEN))
    section += raw(rf"\label{{seen:{chapter.slug}}}")
    for name, box in answers:
        if name:
            section += raw(rf"\seen{{{figures.label(chapter.slug, name)}}}")
        section += [node for node in box.children if not isinstance(node, nodes.title)]
    return section


def _after(parent, index):
    """Give the cells that follow a node at once."""
    for node in parent[index + 1 :]:
        if not isinstance(node, nodes.container):
            return
        yield node


def _is_cell_or_box(node):
    if isinstance(node, nodes.admonition):
        return node[0].astext() in (PREDICT, SEEN)
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"
