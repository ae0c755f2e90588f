"""Under a chapter's title how long it takes to read, its homework and its deck.

Put into the written page, anew each time: whichever of book, homework and decks is made
last, each page leads to what there is. Sphinx writes a page only when its text changes.
"""

import os
import re
import shutil
from pathlib import Path

from press import chapters

BUILD = chapters.ROOT / "_build"
HEAD = re.compile(r'<div class="chapter-head">.*?</div>', re.S)
TITLE = "</a></h1>"  # with its anchor: the theme has another, for print
OFFERS = (
    ("homework", "zip", "Homework", "Exercises for marks; their checks answer at once"),
    (
        "slides",
        "html",
        "Slides",
        "For the lecture hall: one file that needs no network",
    ),
)


def setup(app):
    app.connect("build-finished", _finish)


def _finish(app, exception):
    if exception is None and app.builder.format == "html":
        for slug in chapters.SLUGS:
            write(slug, Path(app.outdir))


def write(slug, html=BUILD / "html"):
    """Bring the head of a chapter's written page, if there is one, up to date."""
    page = html / "book" / f"{slug}.html"
    if not page.exists():
        return
    links = [link for offer in OFFERS if (link := _link(slug, html, *offer))]
    text = page.read_text("utf-8")
    bare = HEAD.sub("", text, count=1)
    start, title, rest = bare.partition(TITLE)
    new = f"{start}{title}{_head(slug, links)}{rest}"
    if new != text:
        times = page.stat()
        page.write_text(new, "utf-8")
        # A deck is cut anew when its page is newer, and this changes nothing in a deck.
        os.utime(page, ns=(times.st_atime_ns, times.st_mtime_ns))


def _link(slug, html, folder, suffix, text, title):
    """A link to one of the files made of a chapter, copied beside the pages."""
    made = BUILD / folder / f"{slug}.{suffix}"
    if not made.exists():
        return None
    (html / folder).mkdir(exist_ok=True)
    shutil.copy2(made, html / folder)
    return f'<a href="../{folder}/{made.name}" title="{title}">{text}</a>'


def _head(slug, links):
    core, total = chapters.words(chapters.markdown(chapters.read(slug)))
    time = (
        f"Reading time: {chapters.minutes(core)} minutes for the core, "
        f"{chapters.minutes(total)} for all"
    )
    return f'<div class="chapter-head">{" · ".join([time, *links])}</div>'
