"""``make book`` and ``make check``: what is being made in a line, the chatter in a file."""

import argparse
import subprocess
import sys
import time

import yaml

from press import chapters
from press.build import BUILD, LOGS, pages
from press.execution import cache


def main() -> None:
    """Build the whole book, or check one chapter of it."""
    parser = argparse.ArgumentParser(prog="press", description=__doc__)
    parser.add_argument("--check", metavar="NN_slug", help="this chapter alone")
    options = parser.parse_args()
    try:
        if options.check is None:
            book()
        elif options.check in chapters.SLUGS:
            check(options.check)
        else:
            known = ", ".join(chapters.SLUGS)
            sys.exit(f"Expected CHAPTER= one of {known}; got {options.check!r}")
    except cache.Failed as error:
        sys.exit(f"\n{error}")
    except KeyboardInterrupt:
        sys.exit("\nStopped. The same command goes on from here.")


def book() -> None:
    """Execute every notebook that has changed, and build the pages and the decks."""
    cache.execute(sorted(chapters.BOOK.glob("*.ipynb")))
    pages([chapters.ROOT], ["-W", "-n", "--keep-going"], "pages.txt")
    print(f"The book stands. Open it with a browser:  {_address(BUILD / 'html')}")


def check(slug: str) -> None:
    """One chapter, alone: its notebook, tests, page, deck and homework."""
    begun, digits = time.monotonic(), chapters.digits(slug)
    tests = _pytest([f"tests/chapters/{path.name}" for path in _own_tests(slug)], "own")
    try:
        cache.execute([chapters.path(slug)])
    except cache.Failed:
        tests.terminate()
        raise
    # Its page in a book of its own: references to other chapters lead nowhere there.
    folder = BUILD / "check"
    folder.mkdir(parents=True, exist_ok=True)
    toc = {"format": "jb-book", "root": f"book/{slug}"}
    (folder / "_toc.yml").write_text(yaml.safe_dump(toc))
    for page in (folder / "_build" / "html" / "book").glob("*.html"):
        if (
            page.stem != slug
        ):  # checked before, and perhaps changed since: no deck of it
            page.unlink()
    where = ["--toc", folder / "_toc.yml", "--path-output", folder]
    pages([chapters.ROOT, *where], [], "check.txt")
    html = folder / "_build" / "html"
    _finish(tests, f"The chapter's own tests of {slug}")
    about = [
        f"tests/homework/test_{name}.py" for name in ("answers", "mend", "numbers")
    ]
    homework = _pytest([*about, "-k", f"{digits}_"], "homework")
    _finish(homework, f"The homework of chapter {slug}")
    print(f"{slug} holds, in {time.monotonic() - begun:.0f} s:  {_address(html, slug)}")


def _own_tests(slug):
    return sorted((chapters.ROOT / "tests" / "chapters").glob(f"test_{slug}*.py"))


def _pytest(arguments, log):
    """Tests that run beside what else is done; their output goes to a file."""
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / f"{log}.txt"
    command = [sys.executable, "-m", "pytest", "-q", "--color=no", *arguments]
    with path.open("w") as file:
        process = subprocess.Popen(
            command, cwd=chapters.ROOT, stdout=file, stderr=subprocess.STDOUT
        )
    process.log = path
    return process


def _finish(process, what):
    if process.wait():
        said = process.log.read_text()[-8000:]
        raise cache.Failed(f"{said}\n{what} failed: {process.log}")


def _address(html, slug=None):
    return (html / (f"book/{slug}.html" if slug else "index.html")).as_uri()


if __name__ == "__main__":
    main()
