"""Tables about the chapters, made from what says it first: the notebooks and their homework.

A page has ``<!-- table: cards -->`` and ``<!-- end -->`` where a table belongs. The build
fills it in when it reads the page; README's table is on disk, ``python -m overview`` renews it.
What no notebook says stands in book/data: about_NN.toml of a chapter, plan.toml of all twenty.
"""

import re
import tomllib
from functools import cache
from pathlib import Path

import nbformat

import chapters

README = chapters.ROOT / "README.md"
DATA = chapters.BOOK / "data"
HOMEWORK = chapters.ROOT / "homework" / "source"
PLACE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.S)
ROMAN = ("I", "II", "III", "IV", "V", "VI")
WEEKS = 14
VOTE = 4  # minutes of a slider in a lecture; a slide takes one


@cache
def _toml(name):
    return tomllib.loads((DATA / name).read_text(encoding="utf-8"))


def parts():
    """The parts of the book as plan.toml has them."""
    return _toml("plan.toml")["parts"]


def about(slug):
    """What a chapter holds and what in it is worth a discussion, in a line each."""
    return _toml(f"about_{slug[:2]}.toml")


def _name(number, title, form="{} · {}"):
    """A chapter by its number and title, linked once its notebook exists."""
    slugs = [s for s in chapters.SLUGS if chapters.number(s) == number]
    if not slugs:
        return form.format(number, title)
    return f"{{ref}}`{form.format(number, chapters.title(slugs[0]))} <ch-{number:02}>`"


def cards():
    """A card for each part, with its chapters: landing page."""
    lines = ["````{grid} 1 1 2 2", ":gutter: 3", ""]
    for roman, part in zip(ROMAN, parts(), strict=True):
        names = [_name(number, title) for number, title, *_ in part["chapters"]]
        lines += [f"```{{grid-item-card}} Part {roman} · {part['name']}"]
        lines += [part["says"], "+++", " \\\n".join(names), "```", ""]
    return "\n".join([*lines, "````"])


def semester():
    """Which chapter in which week, for a course of fourteen and one of seven."""
    lines = [
        "| week | 14 weeks, one lecture of 90 minutes each | 7 weeks |",
        "|---|---|---|",
    ]
    planned = [chapter for part in parts() for chapter in part["chapters"]]
    for week in range(1, WEEKS + 1):
        cells = [
            "; ".join(_name(*c[:2], form="{} {}") for c in planned if c[column] == week)
            for column in (2, 3)
        ]
        lines.append(f"| {week} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def talks():
    """How long each chapter takes, to tell and to read, and its homework."""
    lines = [
        "| chapter | talk | reading | sliders | tasks | points |",
        "|---|---|---|---|---|---|",
    ]
    for slug in chapters.SLUGS:
        notebook = chapters.read(slug)
        sliders = sum("widget" in c.metadata.get("tags", []) for c in notebook.cells)
        words = chapters.words(chapters.markdown(notebook))
        core, total = map(chapters.minutes, words)
        reading = f"{core}" if core == total else f"{core}–{total}"
        tasks, points = homework(slug)
        lines.append(
            f"| {_name(chapters.number(slug), '')} | {talk(notebook)} | {reading} "
            f"| {sliders} | {tasks} | {points} |"
        )
    return "\n".join(lines)


def discussions():
    """What in each chapter is worth a discussion in class, as a list."""
    return "\n".join(
        f"- {_name(chapters.number(slug), '')}: {about(slug)['discuss']}."
        for slug in chapters.SLUGS
    )


def talk(notebook):
    """Minutes of a chapter's deck without its starred sections, to the nearest five."""
    minutes, starred = 0, False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for title in re.findall(r"^## (.*)", cell.source, re.M):
                starred = title.rstrip().endswith("*")
        kind = cell.metadata.get("slideshow", {}).get("slide_type", "-")
        if not starred and kind != "skip":
            minutes += kind in ("slide", "subslide")
            minutes += VOTE * ("widget" in cell.metadata.get("tags", []))
    return 5 * round(minutes / 5)


def homework(slug):
    """The number of tasks of a chapter's homework, and their points."""
    cells = nbformat.read(HOMEWORK / slug / f"{slug}.ipynb", 4).cells
    infos = [c.metadata.get("nbgrader", {}) for c in cells]
    marked = [info for info in infos if info.get("grade")]
    tasks = {info.grade_id.split("-marks")[0] for info in marked}
    return len(tasks), sum(info.points for info in marked)


def contents():
    """The chapters with what each one holds: README."""
    lines = ["| | | |", "|---|---|---|"]
    for slug in chapters.SLUGS:
        link = f"[{chapters.title(slug)}](book/{slug}.ipynb)"
        lines.append(f"| {chapters.number(slug)} | {link} | {about(slug)['holds']} |")
    return "\n".join(lines)


TABLES = {f.__name__: f for f in (cards, contents, discussions, semester, talks)}


def fill(text):
    """The text with its tables renewed."""

    def put(place):
        if place[2] not in TABLES:
            raise ValueError(f"expected a table of {[*TABLES]}, got {place[2]!r}")
        return f"{place[1]}\n{TABLES[place[2]]()}\n\n{place[3]}"

    return PLACE.sub(put, text)


def setup(app):
    """The book's pages get their tables as Sphinx reads them."""
    app.connect("env-get-outdated", _read_again)
    app.connect("source-read", _fill_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _read_again(app, env, added, changed, removed):
    """The pages with tables, if any page has come, changed or gone."""
    paths = {page: Path(env.doc2path(page)) for page in env.found_docs}
    return [
        page
        for page, path in paths.items()
        if (added or changed or removed)
        and path.suffix == ".md"
        and PLACE.search(path.read_text(encoding="utf-8"))
    ]


def _fill_page(app, page, source):
    if PLACE.search(source[0]):
        source[0] = fill(source[0])
        for path in (*DATA.glob("*.toml"), *HOMEWORK.glob("*/*.ipynb")):
            app.env.note_dependency(str(path))


if __name__ == "__main__":
    README.write_text(fill(README.read_text(encoding="utf-8")), encoding="utf-8")
