"""Decks as files: one a chapter, beside the built pages, with all that it needs inside."""

import base64
import re
from concurrent.futures import ProcessPoolExecutor
from html import escape
from importlib import resources
from itertools import repeat
from pathlib import Path
from urllib.parse import urljoin

from bs4 import BeautifulSoup

from press import chapters
from press.alive import files as alive
from press.decks import written

HERE = Path(__file__).parent
HTML = chapters.ROOT / "_build" / "html"
PAGES = HERE.parent / "pages" / "static"
FIGURES = HERE.parent / "figures" / "static"


def setup(app):
    # After the theme, which writes the colours of code for both rooms when a build ends.
    app.connect("build-finished", _write_outdated, priority=900)


def _write_outdated(app, exception):
    """Write the decks with the pages, so that what the head of a page names exists."""
    if exception is None and app.builder.format == "html":
        html, slugs = Path(app.outdir), written.slugs()
        outdated = [
            slug
            for slug in slugs
            if page_of(slug, html).exists() and not is_newest(slug, html)
        ]
        for old in (html / "slides").glob("*.*"):
            if old.stem not in slugs:  # an earlier build's
                old.unlink()
        with ProcessPoolExecutor(app.parallel) as pool:
            list(pool.map(write, outdated, repeat(html)))  # raises what one has


def page_of(slug: str, html: Path = HTML) -> Path:
    return html / "book" / f"{slug}.html"


def deck_of(slug: str, html: Path = HTML) -> Path:
    return html / "slides" / f"{slug}.html"


def is_newest(slug: str, html: Path = HTML) -> bool:
    """Return whether nothing that a deck is made of is newer than it."""
    deck = deck_of(slug, html)
    made_of = [page_of(slug, html), chapters.CHAPTERS[slug].path, written.path_of(slug)]
    made_of += [*HERE.glob("*.*"), *FIGURES.iterdir()]
    made_of += [*alive.STATIC.rglob("*.*"), *alive.PAD.iterdir()]
    made_of += [chapters.ROOT / "requirements.txt"]
    newest = max(path.stat().st_mtime for path in made_of if path.exists())
    return deck.exists() and deck.stat().st_mtime > newest


def write(slug: str, html: Path = HTML) -> None:
    """Write the deck of one chapter, a single file."""
    built = page_of(slug, html)
    if not built.exists():
        raise FileNotFoundError(
            f"{slug}: expected its built page at {built}; run make book"
        )
    page = BeautifulSoup(built.read_text(encoding="utf-8"), "html.parser")
    for link in page.select("a.position"):
        link.unwrap()  # its figure is on another slide
    for link in page.find_all("a", href=True):
        link["href"] = urljoin(f"../book/{slug}.html", link["href"])
    for image in page.find_all("img", src=True):
        if not image["src"].startswith("data:"):
            image["src"] = _data_uri(built.parent / image["src"])
    deck = written.of_chapter(slug, page)
    body = "\n".join(slide.html() for slide in deck)
    parts = {
        "title": escape(BeautifulSoup(deck[0].title, "html.parser").get_text()),
        "style": _style(html, body),
        "script": _script(html, body),
        "slides": body,
    }
    template = (HERE / "deck.html").read_text(encoding="utf-8")
    out = deck_of(slug, html)
    out.parent.mkdir(parents=True, exist_ok=True)
    filled = re.sub(r"\{\{(\w+)\}\}", lambda m: parts[m[1]], template)
    out.write_text(filled, encoding="utf-8")


def _style(html, slides):
    reveal = resources.files("sphinx_revealjs") / "_static" / "revealjs" / "dist"
    sheets = [reveal / "reset.css", reveal / "reveal.css"]
    sheets += [html / "_static" / "pygments.css", HERE / "deck.css"]
    sheets += [FIGURES / "figure.css"]
    sheets += alive.STYLES if alive.programs_of(slides) else []
    css = "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
    return re.sub(
        r"url\((fonts/[^)]+)\)", lambda m: f"url({_data_uri(PAGES / m[1])})", css
    )


def _script(html, slides):
    """Join the scripts of Reveal, its notes and MathJax, whose letters are drawings: no fonts."""
    reveal = resources.files("sphinx_revealjs") / "_static" / "revealjs"
    files = [html / "_static" / "mathjax" / "tex-svg-full.js"]
    files += [reveal / "dist" / "reveal.js", reveal / "plugin" / "notes" / "notes.js"]
    files += [FIGURES / "figure.js", *alive.scripts_of(slides)]
    files += alive.networks_of(slides, html / alive.NETWORKS)
    files += [HERE / "deck.js"]
    texts = (
        f.read_text(encoding="utf-8").replace("</script", "<\\/script") for f in files
    )
    return "\n".join(f"<script>{text}</script>" for text in texts)


def _data_uri(path):
    kind = {".png": "image/png", ".svg": "image/svg+xml", ".woff2": "font/woff2"}[
        path.suffix
    ]
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"
