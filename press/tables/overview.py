"""Tables about the chapters, made from what says it first: the notebooks and their homework.

A page has ``<!-- table: talks -->`` and ``<!-- end -->`` where a table belongs. The build
fills it in when it reads the page; README's table is on disk, ``python -m overview`` renews it.
What no notebook says stands in book/data: about_NN.toml of a chapter, plan.toml of all twenty.
The tables of the appendices are made in ``appendices``.
"""

import json
import re
import tomllib
from functools import cache
from html import escape
from pathlib import Path

import nbformat

from press import chapters
from press.tables import appendices

README = chapters.ROOT / "README.md"
DATA = chapters.BOOK / "data"
HOMEWORK = chapters.ROOT / "homework" / "source"
PLACE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.S)
ROMAN = ("I", "II", "III", "IV", "V", "VI")
WEEKS = 14
ROW, ARCS = 44, 110  # of the map: height of a row and width of all arcs, to scale
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


def _name(number, form="{} · {}"):
    """A chapter by its number and title, as a link."""
    title = chapters.title(_slug(number))
    return f"{{ref}}`{form.format(number, title)} <ch-{number:02}>`"


def _slug(number):
    (slug,) = (slug for slug in chapters.SLUGS if chapters.number(slug) == number)
    return slug


def core(slug):
    """How long a student reads the core of a chapter, in minutes."""
    return chapters.minutes(chapters.words(chapters.markdown(chapters.read(slug)))[0])


def book_map():
    """The twenty chapters and what needs what, as a list with arcs beside it: landing page.

    An arc leads from each chapter to one that needs it; book.css makes all rows of the list
    equally high, headings too, and book.js lights what a chapter rests on.
    """
    lines, places, needed = [], {}, {}
    for roman, part in zip(ROMAN, parts(), strict=True):
        lines.append(
            f'<li class="part"><b>Part {roman} · {part["name"]}</b>'
            f"<span>{part['says']}</span></li>"
        )
        for number, *_ in part["chapters"]:
            slug = _slug(number)
            needed[number] = chapters.needs(slug)
            places[number] = len(lines)
            named = " ".join(f"{n}" for n in needed[number])
            needs = f" · needs {_listed(needed[number])}" if needed[number] else ""
            lines.append(
                f'<li data-chapter="{number}" data-needs="{named}" data-minutes="{core(slug)}">'
                f'<a href="{slug}.html"><i>{number}</i>{escape(chapters.title(slug))}</a>'
                f"<small>{core(slug)} min{needs}</small></li>"
            )
    arcs = [
        _arc(one, other, places[one], places[other], implied=one in below)
        for other, ones in needed.items()
        for below in [set().union(*(_below(n, needed) for n in ones))]
        for one in ones
    ]
    height = len(lines) * ROW
    drawing = (
        f'<svg viewBox="0 0 {ARCS} {height}" preserveAspectRatio="none" '
        f'style="--rows: {len(lines)}" aria-hidden="true">{"".join(arcs)}</svg>'
    )
    start = '<nav class="map" aria-label="Chapters and what they need">'
    return "\n".join([start, drawing, "<ol>", *lines, "</ol>", "</nav>"])


def _below(number, needed):
    """All chapters that one rests on, through others too."""
    return set(needed[number]).union(*(_below(n, needed) for n in needed[number]))


def _arc(one, other, start, end, implied):
    """A curve from one chapter to another, which bends out the more, the farther it goes.

    It is seen only when lit, if the other chapter needs the one through a third, too.
    """
    top, bottom = (start + 0.5) * ROW, (end + 0.5) * ROW
    bend = ARCS - 10 - (ARCS - 18) * ((end - start) / 22) ** 0.6 * 4 / 3
    kind = ' class="implied"' if implied else ""
    return (
        f'<path{kind} data-from="{one}" '
        f'data-to="{other}" d="M{ARCS} {top:g}'
        f'C{bend:.0f} {top:g} {bend:.0f} {bottom:g} {ARCS} {bottom:g}"/>'
    )


def _listed(numbers):
    *some, last = (str(n) for n in numbers)
    return f"{', '.join(some)} and {last}" if some else last


def paths():
    """Three ways through the book: landing page."""
    lines = ["````{grid} 1 1 2 2", ":gutter: 3", ""]
    for path in _toml("plan.toml")["paths"]:
        through = path["through"]
        steps = [STEPS[through](*step) for step in path.get("steps", _weeks())]
        wide = [":columns: 12"] if through == "sections" else []
        minutes = sum(
            int(found) for found in re.findall(r", (\d+) min:", " ".join(steps))
        )
        says = path["says"].format(minutes=minutes)
        lines += [f"```{{grid-item-card}} {path['name']}", *wide, says, ""]
        lines += [*(f"{i}. {step}" for i, step in enumerate(steps, 1)), "```", ""]
    return "\n".join([*lines, "````"])


def _weeks():
    """The numbers of the chapters of each week of seven."""
    planned = [chapter for part in parts() for chapter in part["chapters"]]
    return [[n for n, _, w in planned if w == week] for week in range(1, 8)]


def _week(*numbers):
    return " · ".join(_name(number, form="{1}") for number in numbers)


def _sections(aim, *labels):
    """A step of a path: sections, or of a chapter the core, and their minutes."""
    words, links = 0, []
    for label in labels:
        slug = _slug(int(label.split("-")[1]))
        text = chapters.markdown(chapters.read(slug))
        if label.startswith("ch-"):
            words += chapters.words(text)[0]
            links.append(f"the core of {_name(chapters.number(slug))}")
        else:
            section = rf"^\({label}\)=\n(## .+?)(?=^## |\Z)"
            words += len(re.search(section, text, re.M | re.S)[1].split())
            links.append(f"{{ref}}`{label}`")
    return f"**{aim}**, {chapters.minutes(words)} min: {' · '.join(links)}"


def _figure(number, name, words):
    """A step of a path: an interactive figure."""
    slug = _slug(number)
    if name not in {figure.name for figure in chapters.figures(slug)}:
        raise ValueError(f"plan.toml: expected a figure of {slug}, got {name!r}")
    target = f"{slug}.html#{name}:"
    return f'<a class="position" href="{target}">{escape(words)}</a> ({number})'


STEPS = {"weeks": _week, "sections": _sections, "figures": _figure}


def semester():
    """Which chapter in which week, for a course of fourteen and one of seven."""
    lines = [
        "| week | 14 weeks, one lecture of 90 minutes each | 7 weeks |",
        "|---|---|---|",
    ]
    planned = [chapter for part in parts() for chapter in part["chapters"]]
    for week in range(1, WEEKS + 1):
        cells = [
            "; ".join(_name(c[0], form="{} {}") for c in planned if c[column] == week)
            for column in (1, 2)
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
            f"| {_name(chapters.number(slug))} | {talk(notebook)} | {reading} "
            f"| {sliders} | {tasks} | {points} |"
        )
    return "\n".join(lines)


def discussions():
    """What in each chapter is worth a discussion in class, as a list."""
    return "\n".join(
        f"- {_name(chapters.number(slug))}: {about(slug)['discuss']}."
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


def numbers():
    """What the book holds, counted: README."""
    lines = ["| | |", "|---|---|"]
    lines += [
        f"| {name} | {number:,} |" for name, number in appendices.counts().items()
    ]
    return "\n".join(lines)


MADE = (book_map, contents, discussions, numbers, paths, semester, talks)
TABLES = {f.__name__: f for f in MADE} | appendices.TABLES


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
    for pattern in ("data/*", "*_*.ipynb"):
        for path in chapters.BOOK.glob(pattern):
            app.env.note_dependency(str(path))
    for path in HOMEWORK.glob("*/*.ipynb"):
        app.env.note_dependency(str(path))


if __name__ == "__main__":
    print(
        *(f"{number:6,} {name}" for name, number in appendices.counts().items()),
        sep="\n",
    )
    README.write_text(fill(README.read_text(encoding="utf-8")), encoding="utf-8")
