"""Three ways through the book, on the landing page; ``_toc.yml`` says which."""

import re
from html import escape

from press import chapters


def paths():
    """Make three cards for the landing page: the ways through the book."""
    lines = ["````{grid} 1 1 2 2", ":gutter: 3", ""]
    for path in chapters.TOC["meta"]["paths"]:
        kind = path["through"]
        steps = [STEPS[kind](*step) for step in path.get("steps", _weeks())]
        options = [":columns: 12"] if kind == "sections" else []
        minutes = sum(
            int(number) for number in re.findall(r", (\d+) min:", " ".join(steps))
        )
        text = path["says"].format(minutes=minutes)
        lines += [f"```{{grid-item-card}} {path['name']}", *options, text, ""]
        lines += [*(f"{i}. {step}" for i, step in enumerate(steps, 1)), "```", ""]
    return "\n".join([*lines, "````"])


def _weeks():
    """List the chapters of each week of seven."""
    planned = chapters.CHAPTERS.values()
    return [[c.slug for c in planned if c.week_of_7 == week] for week in range(1, 8)]


def _week(*slugs):
    return " · ".join(chapters.CHAPTERS[slug].link("{1}") for slug in slugs)


def _sections(aim, *labels):
    """Make a step of a path: sections, or of a chapter the core, and their minutes."""
    words, links = 0, []
    for label in labels:
        chapter = chapters.by_number(int(label.split("-")[1]))
        if label.startswith("ch-"):
            words += chapter.core_words
            links.append(f"the core of {chapter.link()}")
        else:
            section = rf"^\({label}\)=\n(## .+?)(?=^## |\Z)"
            words += len(re.search(section, chapter.markdown, re.M | re.S)[1].split())
            links.append(f"{{ref}}`{label}`")
    return f"**{aim}**, {chapters.minutes(words)} min: {' · '.join(links)}"


def _figure(number, name, words):
    """Make a step of a path: an interactive figure."""
    chapter = chapters.by_number(number)
    if name not in {figure.name for figure in chapter.figures}:
        raise ValueError(f"_toc.yml: expected a figure of {chapter.slug}, got {name!r}")
    target = f"{chapter.slug}.html#{name}:"
    return f'<a class="position" href="{target}">{escape(words)}</a> ({number})'


STEPS = {"weeks": _week, "sections": _sections, "figures": _figure}
