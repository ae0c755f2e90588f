"""The tables of the appendices, made from what the chapters say of themselves.

In book/data each chapter has the rows of the notes that it treats (sources_NN.csv), its
terms (glossary_NN.csv) and its algorithms, architectures and theorems (index_NN.csv). From
the notebooks come letters, questions, interactive figures and errata; the build puts the tables
on the pages; a page with ``<div class="finder">`` gets a box that searches them.
"""

import csv
import inspect
import re
from functools import cache
from html import escape

import nbformat

from press import chapters
from utils import corpora, data, reviews, stories

DATA = chapters.BOOK / "data"
NOTES = {
    "000": "Tan, Machine Learning",
    "001": "Zhao, Deep Learning Cheat Sheet",
    "002": "邱锡鹏, 《神经网络与深度学习》讲义",
    "003": "张腾, slides",
    "004": "recurrent networks",
}
ERRATA = {  # the tag of an entry → what its kind is called
    "result": "What changes a result",
    "claim": "What claims too much, or something else",
    "slip": "Slips of the pen",
    "holds": "What is right after all",
}
KINDS = {  # of the index
    "algorithm": "Algorithms",
    "architecture": "Architectures",
    "theorem": "Theorems",
}
DATA_SETS = (
    data.load_diabetes,
    data.load_breast_cancer,
    data.load_digits,
    data.photograph,
    data.load_prose,
    data.load_series,
    corpora.parallel_corpus,
    stories.stories,
    reviews.reviews,
)
ENTRY = re.compile(r"\((e(\d{3})-(\d+))\)=\n### E[\d-]+ · (.+)")


def rows(kind):
    """Read the rows of all chapters, with their slugs: ``sources``, ``glossary``, ``index``.

    A chapter without such a file has none.
    """
    table_rows = []
    for slug in chapters.CHAPTERS:
        path = DATA / f"{kind}_{chapters.digits(slug)}.csv"
        if not path.exists():
            continue
        with path.open(encoding="utf-8", newline="") as file:
            table_rows += [row | {"slug": slug} for row in csv.DictReader(file)]
    return table_rows


@cache
def errata_rows():
    """List every entry: its note, number, label, title, kind and chapter, by note and number."""
    entries_found = []
    for slug in chapters.CHAPTERS:
        path = chapters.BOOK / f"errata_{chapters.digits(slug)}.ipynb"
        for cell in nbformat.read(path, 4).cells if path.exists() else []:
            if entry := ENTRY.match(cell.source):
                label, note, number, title = entry.groups()
                (kind,) = cell.metadata.get("tags", [])
                entries_found.append((note, int(number), label, title, kind, slug))
    return sorted(entries_found)


@cache
def notation_rows():
    """Read each chapter's notation: rows of symbol, meaning, shape, name in code, slug."""
    notation = []
    for slug in chapters.CHAPTERS:
        text = chapters.CHAPTERS[slug].markdown
        table = re.search(
            r"^## Notation\n(?:(?!\|).*\n)*\|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.M
        )
        for line in table[1].splitlines() if table else []:
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            notation.append([*(cell.strip() for cell in cells), slug])
    return notation


def counts():
    """Count what there is, by name: asserted in tests/pages/test_appendices.py."""
    kinds = [row["kind"] for row in rows("index")]
    errors = [kind for *_, kind, _ in errata_rows()]
    texts = [chapter.markdown for chapter in chapters.CHAPTERS.values()]
    return {
        "chapters": len(chapters.CHAPTERS),
        "labelled equations": sum(len(re.findall(r"\$\$ \(eq-", t)) for t in texts),
        "interactive figures": sum(len(c.figures) for c in chapters.CHAPTERS.values()),
        "exercises with solutions": sum(t.count("{exercise}") for t in texts),
        "rows of the five notes": len(rows("sources")),
        "errata of the notes": len(errors),
        "of these, right after all": errors.count("holds"),
        "terms in English and Chinese": len(rows("glossary")),
        **{name.lower(): kinds.count(kind) for kind, name in KINDS.items()},
    }


def sources():
    """List what each note states and where it is treated, in the order of the note."""
    out = []
    for note, name in NOTES.items():
        out += [f"## Note {note} · {name}", ""]
        note_rows = [row for row in rows("sources") if row["note"] == note]
        out += _table(
            ["in the note", "states", "chapter", "here"],
            [
                [row["reference"], _cell(row["statement"]), *_links(row)]
                for row in sorted(note_rows, key=lambda row: row["id"])
            ],
        )
    return "\n".join(out)


def entries():
    """List the errata by what they change; each leads to its entry."""
    out = []
    for kind, name in ERRATA.items():
        entries_of_kind = [entry for entry in errata_rows() if entry[4] == kind]
        out += [f"## {name}", ""] if entries_of_kind else []
        out += _table(
            ["entry", "note", "chapter"],
            [
                [f"[{label.upper()} · {title}](#{label})", note, _chapter(slug)]
                for note, _, label, title, _, slug in entries_of_kind
            ],
        )
    return "\n".join(out)


def glossary():
    """List every term in English and Chinese, what it is, and where it is introduced."""
    terms = sorted(rows("glossary"), key=lambda row: row["english"].lower())
    cells = [
        [f"**{row['english']}**", row["chinese"], _cell(row["says"]), *_links(row)]
        for row in terms
    ]
    return "\n".join(
        _table(["English", "中文", "is", "chapter", "introduced in"], cells)
    )


def index():
    """List algorithms, architectures and theorems, and where each is derived."""
    out = []
    for kind, name in KINDS.items():
        rows_of_kind = [row for row in rows("index") if row["kind"] == kind]
        out += [f"## {name}", ""]
        out += _table(
            ["name", "is", "chapter", "derived in"],
            [
                [f"**{row['name']}**", _cell(row["says"]), *_links(row)]
                for row in sorted(rows_of_kind, key=lambda row: row["name"].lower())
            ],
        )
    return "\n".join(out)


def data_sets():
    """List the data of the chapters, by the function of utils that gives them."""
    cells = []
    for function in DATA_SETS:
        call = re.compile(rf"\b{function.__name__}\(")
        users = [slug for slug in chapters.CHAPTERS if call.search(_code(slug))]
        first_chapter, *others = map(_chapter, users)
        first_line = inspect.getdoc(function).splitlines()[0]
        description = first_line.partition(" ")[2]  # without "Load"
        description = _cell(description[0].upper() + description[1:].rstrip("."))
        cells.append(
            [f"`{function.__name__}`", description, first_chapter, ", ".join(others)]
        )
    return "\n".join(_table(["function", "gives", "chapter", "also in"], cells))


def _code(slug):
    cells = chapters.CHAPTERS[slug].notebook.cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "code")


def letters():
    """List the letters of all chapters, as each of them says."""
    head = ["symbol", "meaning", "shape", "in code", "chapter"]
    return "\n".join(
        _table(head, [[*row, _chapter(slug)] for *row, slug in notation_rows()])
    )


def questions():
    """List what readers ask, by chapter; each question leads to its answer."""
    cells = [
        [f"[{_cell(question)}](#{label})", _chapter(slug)]
        for slug, chapter in chapters.CHAPTERS.items()
        for label, question in chapter.questions.items()
    ]
    return "\n".join(_table(["question", "chapter"], cells))


def practice():
    """List what people use now: the subjects of each chapter's section on it."""
    cells = []
    for slug, chapter in chapters.CHAPTERS.items():
        label = f"sec-{chapter.digits}-now"
        if label in chapter.sections:
            section = chapter.markdown.partition(f"({label})=\n")[2]
            text = re.split(r"^\(sec-", section, flags=re.M)[0]
            subjects = "; ".join(re.findall(r"^\*\*(.+?)[.?]\*\*", text, re.M))
            english = re.sub(r" \([\u4e00-\u9fff]+\)", "", subjects)
            title = f"[{chapter.title}](#{label})"
            cells.append([_chapter(slug), title, _cell(english)])
    return "\n".join(_table(["chapter", "section", "in use"], cells))


def gallery():
    """Show a picture of every interactive figure, which leads to it: press.pages.gallery."""
    out = []
    for chapter in chapters.CHAPTERS.values():
        out += [f"## {chapter.number} · {chapter.title}", ""]
        out += ['<div class="gallery">']
        for figure in chapter.figures:
            title = re.sub(r"\*(.+?)\*", r"<i>\1</i>", escape(figure.section))
            css_class = " tag_keep-colours" if figure.keeps_colours else ""
            out.append(
                f'<a class="position{css_class}" href="{chapter.slug}.html#{figure.name}:">'
                f'<img src="../_images/figures/{chapter.digits}_{figure.name}.webp" alt=""'
                f' loading="lazy"><b>{title}</b><span>{escape(figure.shows)}</span></a>'
            )
        out += ["</div>", ""]
    return "\n".join(out)


def _table(head, cells):
    if not cells:
        return []
    lines = [head, ["---"] * len(head), *cells]
    return [*("| " + " | ".join(line) + " |" for line in lines), ""]


def _cell(text):
    """Return text in which a norm or an absolute value does not end a cell of a table."""
    return text.replace("\\|", "\\Vert ").replace("|", "\\|")


def _chapter(slug):
    chapter = chapters.CHAPTERS[slug]
    return f"[{chapter.number}](#ch-{chapter.digits})"


def _links(row):
    """Link to the chapter of a row, and to its label in the words of its section."""
    label, slug = row["label"], row["slug"]
    section, title = chapters.CHAPTERS[slug].sections[label]
    link = {
        "eq": f"{{eq}}`{label}` [{title}](#{section})",  # an equation has only its number
        "ex": f"[exercise](#{label})",
        "fig": f"[figure](#{label}) in [{title}](#{section})",
    }
    return [_chapter(slug), link.get(label.split("-")[0], f"[{title}](#{label})")]


TABLES = {
    f.__name__: f
    for f in (
        data_sets,
        entries,
        gallery,
        glossary,
        index,
        letters,
        practice,
        questions,
        sources,
    )
}
