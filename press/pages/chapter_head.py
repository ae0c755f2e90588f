"""Under a chapter's title how long it takes to read, its homework, deck, PDF, and a hub."""

import html
import shutil
from pathlib import Path
from urllib.parse import urlencode

from docutils import nodes
from sphinx.errors import ExtensionError

from press import chapters
from press.decks import written

ZIPS = Path("_build") / "homework"  # where `make homework` puts the zips
PDF = Path("_build") / "pdf"  # where `make pdf` puts the book and its chapters
BOOK = "neural-networks-derived.pdf"
ZIP = "Exercises for marks; their checks answer at once"
PROJECT = "Two weeks, an open question, marked by hand for the most part"
PRINT = "For paper: this chapter and its solutions"
DECK = "For the lecture hall: one file that needs no network"
HUB = "In your own JupyterLab on the course's hub; it takes the newest edition there"


def setup(app):
    app.add_config_value("book_hub", "", "html", str)
    app.add_config_value("book_repository", "", "html", str)
    app.add_config_value("book_branch", "main", "html", str)
    app.connect("env-get-updated", _write_if_files_change)
    app.connect("doctree-resolved", _insert)
    app.connect("doctree-resolved", _insert_book)
    app.connect("build-finished", _copy_files)


def zips(root: Path, slug: str) -> list[Path]:
    """List the assignments of a chapter, as students get them: made before the pages."""
    return sorted((root / ZIPS).glob(f"{chapters.digits(slug)}_*.zip"))


def pdf(root: Path, name: str) -> list[Path]:
    """Return the PDF of a chapter or of the book, where there is one."""
    return [path for path in [root / PDF / name] if path.exists()]


def deck(slug: str) -> list[Path]:
    """Return what the deck of a chapter is made from, where there is one."""
    return [path for path in [written.path_of(slug)] if path.exists()]


def hub_link(config, slug: str) -> str | None:
    """Return where nbgitpuller opens a chapter on the hub of ``book_hub``; None without a hub.

    ExtensionError if nothing says what it should pull.
    """
    if not config.book_hub:
        return None
    if not config.book_repository:
        raise ExtensionError(
            "book_hub: expected book_repository as well, what the hub pulls; got nothing"
        )
    # As nbgitpuller names it.
    folder = config.book_repository.rstrip("/").split("/")[-1]
    query = {
        "repo": config.book_repository,
        "branch": config.book_branch,
        "urlpath": f"lab/tree/{folder}/book/{slug}.ipynb",
    }
    redirect = f"{config.book_hub.rstrip('/')}/hub/user-redirect/git-pull"
    return f"{redirect}?{urlencode(query)}"


def _write_if_files_change(app, env):
    """Have a page written again when an assignment, a PDF or a deck has come or gone since."""
    before, env.book_files = getattr(env, "book_files", {}), {}
    root = Path(app.srcdir)
    for page in env.found_docs:
        if slug := chapters.of_page(page):
            paths = zips(root, slug) + pdf(root, f"{slug}.pdf") + deck(slug)
        elif page == app.config.root_doc:
            paths = pdf(root, BOOK)
        else:
            continue
        env.book_files[page] = [path.name for path in paths]
    return [page for page, names in env.book_files.items() if before.get(page) != names]


def _insert(app, doctree, page):
    slug = chapters.of_page(page)
    title = next(iter(doctree.findall(nodes.title)), None)
    if not slug or title is None or app.builder.format != "html":
        return
    chapter = chapters.CHAPTERS[slug]
    entries = [
        f"Reading time: {chapter.core_minutes} minutes for the core, "
        f"{chapter.all_minutes} for all"
    ]
    for path in zips(Path(app.srcdir), slug):
        kind = path.stem.removeprefix(slug).strip("_").replace("_", " ")
        name = f"Homework: {kind}" if kind else "Homework"
        name, tooltip = ("Project", PROJECT) if kind == "project" else (name, ZIP)
        entries.append(
            f'<a href="../homework/{path.name}" title="{tooltip}">{name}</a>'
        )
    if deck(slug):
        entries.append(f'<a href="../slides/{slug}.html" title="{DECK}">Slides</a>')
    for path in pdf(Path(app.srcdir), f"{slug}.pdf"):
        entries.append(f'<a href="../pdf/{path.name}" title="{PRINT}">PDF</a>')
    if address := hub_link(app.config, slug):
        link = f'<a href="{html.escape(address)}" title="{HUB}">On the hub</a>'
        entries.append(link)
    head = f'<div class="chapter-head">{" · ".join(entries)}</div>'
    title.parent.insert(
        title.parent.index(title) + 1, nodes.raw("", head, format="html")
    )


def _insert_book(app, doctree, page):
    """Insert the link to the whole book for print over the map of the landing page."""
    if page != app.config.root_doc or app.builder.format != "html":
        return
    for path in pdf(Path(app.srcdir), BOOK):
        size = f"{path.stat().st_size / 1e6:.0f} MB"
        link = f'<a href="../pdf/{BOOK}">All as PDF</a>, to print: {size}'
        section = next(
            s for s in doctree.findall(nodes.section) if "the-book" in s["ids"]
        )
        section.insert(
            1, nodes.raw("", f'<p class="chapter-head">{link}</p>', format="html")
        )


def _copy_files(app, exception):
    """Copy zips and PDFs beside the pages, so that a folder of HTML is all that is published."""
    if exception is not None or app.builder.format != "html":
        return
    for source, pattern in ((ZIPS, "*.zip"), (PDF, "*.pdf")):
        folder = Path(app.outdir, source.name)
        shutil.rmtree(folder, ignore_errors=True)  # something may have gone
        folder.mkdir()
        for path in (Path(app.srcdir) / source).glob(pattern):
            shutil.copy2(path, folder)
