"""What no notebook says of itself: parts, weeks, what a chapter holds, paths.

All of it stands in ``_toc.yml``, the order and the parts as Sphinx reads them, the rest under
its ``meta``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import yaml

from press import chapters


@dataclass(frozen=True)
class Chapter:
    """One chapter as it is planned: its part, its weeks, two lines about it."""

    slug: str
    part: str
    week_of_14: int
    week_of_7: int  # 0: not in the short course
    holds: str
    discuss: str


@cache
def _toc() -> dict:
    return yaml.safe_load((chapters.ROOT / "_toc.yml").read_text(encoding="utf-8"))


def parts() -> Iterator[tuple[str, str, list[Chapter]]]:
    """Each part that has chapters: its name, what it is about, its chapters in order."""
    for part in _toc()["parts"]:
        files = [entry["file"] for entry in part["chapters"]]
        slugs = [slug for file in files if (slug := chapters.of_page(file))]
        if slugs:
            name = part["caption"]
            found = [_chapter(slug, name) for slug in slugs]
            yield name, _meta("parts", name), found


def planned() -> list[Chapter]:
    """All chapters in their order."""
    return [chapter for *_, found in parts() for chapter in found]


def about(slug: str) -> Chapter:
    """The plan of one chapter."""
    return next(chapter for chapter in planned() if chapter.slug == slug)


def paths() -> list[dict]:
    """Ways through the book: name, what is said of it, what it leads through, steps."""
    return _toc()["meta"]["paths"]


def _chapter(slug, part):
    entry = _meta("chapters", slug)
    return Chapter(slug, part, *entry["weeks"], entry["holds"], entry["discuss"])


def _meta(kind, name):
    """What ``meta`` of _toc.yml says; KeyError names what is missing there."""
    found = _toc()["meta"][kind]
    if name not in found:
        raise KeyError(f"_toc.yml, meta, {kind}: expected {name!r}, got {[*found]}")
    return found[name]
