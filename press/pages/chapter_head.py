"""Under a chapter's title how long it takes to read, its homework and its deck."""

import shutil
from pathlib import Path

from docutils import nodes

from press import chapters

HOMEWORK = Path("_build") / "homework"  # where `make homework` puts the zips
ZIP = "Exercises for marks; their checks answer at once"
PROJECT = "Two weeks, an open question, marked by hand for the most part"
DECK = "For the lecture hall: one file that needs no network"


def setup(app):
    app.connect("env-get-updated", _write_if_homework_changes)
    app.connect("doctree-resolved", _insert)
    app.connect("build-finished", _copy_homework)


def zips(root: Path, slug: str) -> list[Path]:
    """The assignments of a chapter, as students get them: made before the pages."""
    return sorted((root / HOMEWORK).glob(f"{chapters.digits(slug)}_*.zip"))


def _write_if_homework_changes(app, env):
    """A page is written again when an assignment has come or gone since."""
    before, env.book_homework = getattr(env, "book_homework", {}), {}
    for page in env.found_docs:
        if slug := chapters.of_page(page):
            found = zips(Path(app.srcdir), slug)
            env.book_homework[page] = [path.name for path in found]
    return [p for p, names in env.book_homework.items() if before.get(p) != names]


def _insert(app, doctree, page):
    slug = chapters.of_page(page)
    title = next(iter(doctree.findall(nodes.title)), None)
    if not slug or title is None or app.builder.format != "html":
        return
    core, total = chapters.words(chapters.markdown(chapters.read(slug)))
    entries = [
        f"Reading time: {chapters.minutes(core)} minutes for the core, "
        f"{chapters.minutes(total)} for all"
    ]
    for path in zips(Path(app.srcdir), slug):
        kind = path.stem.removeprefix(slug).strip("_").replace("_", " ")
        name = f"Homework: {kind}" if kind else "Homework"
        name, says = ("Project", PROJECT) if kind == "project" else (name, ZIP)
        entries.append(f'<a href="../homework/{path.name}" title="{says}">{name}</a>')
    entries.append(f'<a href="../slides/{slug}.html" title="{DECK}">Slides</a>')
    head = f'<div class="chapter-head">{" · ".join(entries)}</div>'
    title.parent.insert(
        title.parent.index(title) + 1, nodes.raw("", head, format="html")
    )


def _copy_homework(app, exception):
    """Beside the pages, so that a folder of HTML is all that is published."""
    if exception is None and app.builder.format == "html":
        folder = Path(app.outdir, "homework")
        shutil.rmtree(folder, ignore_errors=True)  # an assignment may have gone
        folder.mkdir()
        for path in (Path(app.srcdir) / HOMEWORK).glob("*.zip"):
            shutil.copy2(path, folder)
