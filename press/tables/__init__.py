"""Tables that are made from what the chapters say of themselves.

A page has ``<!-- table: talks -->`` and ``<!-- end -->`` where a table belongs; the build fills
it in when it reads the page.

=========== =========================================================================
chapter_map which chapter needs which
paths       ways through the book
course      weeks, talks, homework, discussions; what each chapter holds
appendices  sources, errata, glossary, index, data, letters, gallery
=========== =========================================================================
"""

import json
import re
from pathlib import Path

from press import chapters
from press.tables import appendices, chapter_map, course, paths

TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.S)
FUNCTIONS = (
    chapter_map.book_map,
    paths.paths,
    course.assignments,
    course.calendar,
    course.contents,
    course.discussions,
    course.mistakes,
    course.numbers,
    course.semester,
    course.talks,
)
TABLES = {f.__name__: f for f in FUNCTIONS} | appendices.TABLES


def fill(text):
    """Renew the tables of a text."""

    def filled(match):
        if match[2] not in TABLES:
            raise ValueError(f"expected a table of {[*TABLES]}, got {match[2]!r}")
        return f"{match[1]}\n{TABLES[match[2]]()}\n\n{match[3]}"

    return TABLE.sub(filled, text)


def setup(app):
    """Give the book's pages their tables as Sphinx reads them."""
    app.connect("env-get-outdated", _outdated_pages)
    app.connect("source-read", _fill_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _outdated_pages(app, env, added, changed, removed):
    """Name the pages with tables, if any page has come, changed or gone."""
    paths = {page: Path(env.doc2path(page)) for page in env.found_docs}
    return [
        page
        for page, path in paths.items()
        if (added or changed or removed)
        and "<!-- table: " in path.read_text(encoding="utf-8")
    ]


def _fill_page(app, page, source):
    if "<!-- table: " not in source[0]:
        return
    if app.env.doc2path(page).endswith(".ipynb"):
        notebook = json.loads(source[0])
        for cell in notebook["cells"]:
            cell["source"] = fill("".join(cell["source"]))
        source[0] = json.dumps(notebook)
    else:
        source[0] = fill(source[0])
    app.env.note_dependency(str(chapters.ROOT / "_toc.yml"))
    for pattern in ("data/*", "*_*.ipynb"):
        for path in chapters.BOOK.glob(pattern):
            app.env.note_dependency(str(path))
    for path in course.ASSIGNMENTS.glob("*/*.ipynb"):
        app.env.note_dependency(str(path))
