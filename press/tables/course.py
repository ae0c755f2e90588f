"""Tables for who teaches: weeks, talks, homework, discussions; what each chapter holds."""

import re
import tomllib

import nbformat

from press import chapters
from press.decks import written
from press.tables import appendices

ASSIGNMENTS = chapters.ROOT / "homework" / "source"
REMARKS = chapters.ROOT / "homework" / "teaching.toml"
WEEKS = 14


def semester():
    """List the chapters of each week, for a course of fourteen and one of seven."""
    lines = [
        "| week | 14 weeks, one lecture of 90 minutes each | talk | 7 weeks | talk |",
        "|---|---|---|---|---|",
    ]
    planned = chapters.CHAPTERS.values()
    for week in range(1, WEEKS + 1):
        long = [c for c in planned if c.week_of_14 == week]
        short = [c for c in planned if c.week_of_7 == week]
        cells = [
            cell
            for some in (long, short)
            for cell in ("; ".join(c.link("{} {}") for c in some), _spoken(some))
        ]
        lines.append(f"| {week} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _spoken(some):
    """Return the minutes of the decks of some chapters, without what may go and with it.

    Empty if one of them has no deck.
    """
    found = [written.minutes(chapter.slug) for chapter in some]
    if not found or None in found:
        return ""
    whole, may_go = (sum(minutes[i] for minutes in found) for i in (0, 1))
    return f"{whole - may_go:.0f}–{whole:.0f}" if may_go else f"{whole:.0f}"


def talks():
    """List how long each chapter takes, to present and to read, and its homework."""
    lines = [
        "| chapter | talk | reading | sliders | tasks | points |",
        "|---|---|---|---|---|---|",
    ]
    for chapter in chapters.CHAPTERS.values():
        cells = chapter.notebook.cells
        sliders = sum("widget" in c.metadata.get("tags", []) for c in cells)
        core, total = chapter.core_minutes, chapter.all_minutes
        reading = f"{core}" if core == total else f"{core}–{total}"
        tasks, points = homework(chapter)
        minutes = written.minutes(chapter.slug)
        talk = f"{minutes[0]:.0f}" if minutes else ""
        lines.append(
            f"| {chapter.link()} | {talk} | {reading} "
            f"| {sliders} | {tasks} | {points} |"
        )
    return "\n".join(lines)


def discussions():
    """List what in each chapter is worth a discussion in class."""
    return "\n".join(
        f"- {chapter.link()}: {chapter.discuss}."
        for chapter in chapters.CHAPTERS.values()
    )


def homework(chapter: chapters.Chapter) -> tuple[int, float]:
    """Count the tasks of a chapter's assignments, and their points."""
    tasks, points = 0, 0
    for path in sorted(ASSIGNMENTS.glob(f"{chapter.digits}_*/*.ipynb")):
        infos = [c.metadata.get("nbgrader", {}) for c in nbformat.read(path, 4).cells]
        marked = [info for info in infos if info.get("grade")]
        tasks += len({info.grade_id.split("-marks")[0] for info in marked})
        points += sum(info.points for info in marked)
    return tasks, points


def assignments():
    """List the assignments and projects: tasks, by hand, points, and what is known of them."""
    lines = [
        "| assignment | tasks | proofs | by hand | points | minutes | data |",
        "|---|---|---|---|---|---|---|",
    ]
    remarks = _remarks()
    for path in sorted(ASSIGNMENTS.glob("*/*.ipynb")):
        cells = nbformat.read(path, 4).cells
        marked = [
            i for c in cells if (i := c.metadata.get("nbgrader", {})).get("grade")
        ]
        by_hand = sum(info.solution for info in marked)
        tasks = len({info.grade_id.split("-marks")[0] for info in marked})
        kinds = re.findall(r"^\| `[^|]+\| ([^|]+) \|", cells[0].source, re.M)
        proofs = sum("prove" in kind for kind in kinds)
        minutes = re.search(
            r"^\| \*\*together\*\* \| \| \*\*(\d+)\*\* \| \*\*", cells[0].source, re.M
        )
        data = remarks.get(path.stem, {}).get("data")
        lines.append(
            f"| {_title(cells)} | {tasks} | {proofs or '–'} | {by_hand or '–'} | "
            f"{sum(info.points for info in marked):g} | {minutes[1] if minutes else '–'} "
            f"| {data or '–'} |"
        )
    return "\n".join(lines)


def mistakes():
    """List, by assignment, where answers go wrong."""
    titles = {
        path.stem: _title(nbformat.read(path, 4).cells)
        for path in sorted(ASSIGNMENTS.glob("*/*.ipynb"))
    }
    remarks = _remarks()
    return "\n".join(
        f"- **{title}**: {remarks[name]['mistake']}"
        for name, title in titles.items()
        if name in remarks
    )


def _remarks():
    """Read what teachers are told of the assignments, by name."""
    return tomllib.loads(REMARKS.read_text(encoding="utf-8"))


def _title(cells):
    """Return the heading of an assignment."""
    return re.match(r"# (.+)", cells[0].source)[1]


def calendar():
    """List fourteen weeks with one piece of homework at a time, and the chosen projects."""
    lines = ["| week | lectures | handed out |", "|---|---|---|"]
    chosen, busy = _remarks()["semester"]["projects"], 0
    for week in range(1, WEEKS + 1):
        taught = [c for c in chapters.CHAPTERS.values() if c.week_of_14 == week]
        numbers = [c.number for c in taught]
        projects = [name for name in chosen if int(name[:2]) in numbers]
        if projects:
            handed_out, busy = (
                f"project of Chapter {int(projects[0][:2])}, two weeks",
                2,
            )
        else:
            assigned = [c.number for c in taught if (ASSIGNMENTS / c.slug).is_dir()]
            handed_out = f"homework {max(assigned)}" if assigned and not busy else "–"
        busy = max(0, busy - 1)
        names = "; ".join(chapter.link("{} {}") for chapter in taught)
        lines.append(f"| {week} | {names} | {handed_out} |")
    return "\n".join(lines)


def contents():
    """List the chapters with what each one holds: landing page."""
    lines = ["| chapter | holds |", "|---|---|"]
    lines += [
        f"| {chapter.link()} | {chapter.holds} |"
        for chapter in chapters.CHAPTERS.values()
    ]
    return "\n".join(lines)


def numbers():
    """Count what the book holds: landing page."""
    lines = ["| | |", "|---|---|"]
    lines += [
        f"| {name} | {number:,} |" for name, number in appendices.counts().items()
    ]
    return "\n".join(lines)
