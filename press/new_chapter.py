"""``make chapter``: the files of a new chapter, which runs and passes its tests at once."""

import argparse
import re
import sys
from pathlib import Path

import nbformat

from press import chapters
from press.decks import written

TEMPLATE = Path(__file__).parent / "template"
DATA = chapters.BOOK / "data"
TABLES = ("glossary", "index", "sources")


def main() -> None:
    """Lay out a chapter, and say what is left to do."""
    parser = argparse.ArgumentParser(prog="new_chapter", description=__doc__)
    parser.add_argument("slug", metavar="NN_slug")
    parser.add_argument("title")
    options = parser.parse_args()
    try:
        paths = lay_out(options.slug, options.title)
    except ValueError as error:
        sys.exit(str(error))
    print("Written:", *(path.relative_to(chapters.ROOT) for path in paths), sep="\n  ")
    print(
        f"Replace the example, then: make check CHAPTER={options.slug}\n"
        "_toc.yml has the chapter at the end of its last part; its plan there is yours.\n"
        "CONTRIBUTING.md says what else a chapter may have: errata and homework."
    )


def lay_out(slug: str, title: str) -> list[Path]:
    """Write the files of a chapter, and return their paths.

    The chapter comes last in the book: its number follows the last chapter's. ValueError if
    the slug or the title is none, or if one of the files exists.
    """
    last = [*chapters.CHAPTERS.values()][-1]
    digits = f"{last.number + 1:02}"
    if not re.fullmatch(rf"{digits}_[a-z0-9_]+", slug):
        raise ValueError(
            f"expected CHAPTER={digits}_ and a name in small letters, "
            f"as the last chapter is {last.slug}; got {slug!r}"
        )
    if not title.strip():
        raise ValueError('expected TITLE="…", got none')
    # The longer placeholder stands before the shorter one that it contains.
    words = {"NN_slug": slug, "NN": digits, "NUMBER": str(int(digits)), "TITLE": title}
    tests, deck = (
        _filled((TEMPLATE / name).read_text(encoding="utf-8"), words)
        for name in ("test_NN_slug.py", "NN_slug.md")
    )
    texts = {
        chapters.BOOK / f"{slug}.ipynb": _notebook(words),
        chapters.ROOT / "tests" / "chapters" / f"test_{slug}.py": tests,
        written.path_of(slug): deck,
        **{DATA / f"{kind}_{digits}.csv": _columns(kind) for kind in TABLES},
    }
    if existing := [str(path) for path in texts if path.exists()]:
        raise ValueError(f"expected new files, got {', '.join(existing)}")
    toc = chapters.ROOT / "_toc.yml"
    toc.write_text(_planned(toc.read_text(encoding="utf-8"), last.slug, slug), "utf-8")
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return [toc, *texts]


def _notebook(words):
    notebook = nbformat.read(TEMPLATE / "NN_slug.ipynb", 4)
    for cell in notebook.cells:
        cell.id = _filled(cell.id, words)
        cell.source = _filled(cell.source, words)
    return nbformat.writes(notebook) + "\n"


def _filled(text, words):
    """Replace each placeholder of a text."""
    pattern = "|".join(map(re.escape, words))
    return re.sub(pattern, lambda match: words[match[0]], text)


def _columns(kind):
    """Return the first line of a table, as the first chapter has it."""
    lines = (DATA / f"{kind}_01.csv").read_text(encoding="utf-8").splitlines()
    return f"{lines[0]}\n"


def _planned(toc, last, slug):
    """Put a chapter after the last one of a table of contents, and a plan of it."""
    plan = (
        f"    {slug}:\n      weeks: [14, 0]\n"
        "      holds: what the chapter derives, builds and measures\n"
        "      discuss: what in it is worth a discussion in class\n"
    )
    for entry, addition in (
        (rf"^( +- file: book/){last}\n", rf"\g<0>\g<1>{slug}\n"),
        (rf"^    {last}:\n(?:      .*\n)+", rf"\g<0>{plan}"),
    ):
        toc, count = re.subn(entry, addition, toc, flags=re.M)
        if count != 1:
            raise ValueError(f"_toc.yml: expected {last} once, got {count}: {entry}")
    return toc


if __name__ == "__main__":
    main()
