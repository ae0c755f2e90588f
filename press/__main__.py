"""Build the book or check one chapter: a line for each step, all output in a file."""

import argparse
import subprocess
import sys
import time

import yaml

from press import chapters
from press.build import LOGS, StepFailed, Warned, build_pages
from press.execution import cache
from press.execution.execute import execute

STOPPED = 130  # as a shell says of a command that Ctrl-C has ended


def main() -> None:
    """Build the whole book, or check one chapter of it; report what failed at the end."""
    parser = argparse.ArgumentParser(prog="press", description=__doc__)
    parser.add_argument(
        "--check", metavar="NN_slug", help="test and build this chapter alone"
    )
    options = parser.parse_args()
    if options.check not in (None, *chapters.CHAPTERS):
        slugs = ", ".join(chapters.CHAPTERS)
        sys.exit(f"Expected CHAPTER= one of {slugs}; got {options.check!r}")
    try:
        problems = book() if options.check is None else check(options.check)
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on from here.", file=sys.stderr)
        sys.exit(STOPPED)
    if problems:
        sys.exit(1)


def book() -> list[str]:
    """Execute what has changed or failed, build pages and decks; list what is wrong with them."""
    notebooks = sorted(chapters.BOOK.glob("*.ipynb"))
    execute(notebooks)
    strict = ["-W", "-n", "--keep-going"]
    built, problems = _try_build([chapters.ROOT], strict, "pages.txt")
    problems += _failed_cells(notebooks)
    _print(problems)
    if built:
        print(
            f"The book is built. Open it in a browser:  {_address(chapters.BUILD / 'html')}"
        )
    return problems


def check(slug: str) -> list[str]:
    """Build and test one chapter alone; return what is wrong with it.

    The notebook runs twice: once as it is, once with disturbed last bits.
    """
    start, digits = time.monotonic(), chapters.digits(slug)
    tests = _start_tests(
        [f"tests/chapters/{path.name}" for path in _own_tests(slug)], "own"
    )
    options = [str(chapters.CHAPTERS[slug].path), "--only", "last bits 1"]
    other_bits = _start(["tests.robustness.elsewhere", *options], "elsewhere")
    execute([chapters.CHAPTERS[slug].path])
    # Its page in a book of its own: references to other chapters lead nowhere there.
    folder = chapters.BUILD / "check"
    folder.mkdir(parents=True, exist_ok=True)
    toc = {"format": "jb-book", "root": f"book/{slug}"}
    (folder / "_toc.yml").write_text(yaml.safe_dump(toc), "utf-8")
    for page in (folder / "_build" / "html" / "book").glob("*.html"):
        if page.stem != slug:  # of earlier checks: no deck is made from a stale page
            page.unlink()
    paths = ["--toc", folder / "_toc.yml", "--path-output", folder]
    built, problems = _try_build([chapters.ROOT, *paths], [], "check.txt")
    html = folder / "_build" / "html"
    problems += _finish(tests, f"The chapter's own tests of {slug}")
    problems += _finish(other_bits, f"{slug} with other last bits")
    if any((chapters.ROOT / "homework" / "source").glob(f"{digits}_*")):
        modules = [
            f"tests/homework/test_{name}.py" for name in ("answers", "mend", "numbers")
        ]
        homework = _start_tests([*modules, "-k", f"{digits}_"], "homework")
        problems += _finish(homework, f"The homework of chapter {slug}")
    problems += _failed_cells([chapters.CHAPTERS[slug].path])
    _print(problems)
    if built:
        result = "is built, with failures" if problems else "passes"
        seconds = time.monotonic() - start
        print(f"{slug} {result}, in {seconds:.0f} s:  {_address(html, slug)}")
    return problems


def _try_build(arguments, options, log):
    """Build pages; return whether they are written, and what Sphinx says against them."""
    try:
        build_pages(arguments, options, log)
    except Warned as warning:
        return True, [str(warning)]
    except StepFailed as error:
        return False, [str(error)]
    return True, []


def _failed_cells(notebooks):
    """Report the cells that failed in notebooks, in one text if there are any."""
    failed = cache.failed_cells(notebooks)
    return [cache.failure_report(failed)] if failed else []


def _print(problems):
    for problem in problems:
        print(f"\n{problem}\n", file=sys.stderr, flush=True)


def _own_tests(slug):
    return sorted((chapters.ROOT / "tests" / "chapters").glob(f"test_{slug}*.py"))


def _start_tests(arguments, log):
    """Start tests, which run beside what else is done."""
    return _start(["pytest", "-q", "--color=no", *arguments], log)


def _start(module, log):
    """Start a module, which runs beside what else is done; its output goes to a file."""
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / f"{log}.txt"
    command = [sys.executable, "-m", *module]
    with path.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(
            command, cwd=chapters.ROOT, stdout=file, stderr=subprocess.STDOUT
        )
    process.log = path
    return process


def _finish(process, title):
    """Wait for a process; list its output if it failed."""
    if not process.wait():
        return []
    output = process.log.read_text("utf-8", "replace")[-8000:]
    return [f"{output}\n{title} failed: {process.log}"]


def _address(html, slug=None):
    return (html / (f"book/{slug}.html" if slug else "index.html")).as_uri()


if __name__ == "__main__":
    main()
