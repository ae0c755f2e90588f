"""``make pdf``: the whole book for print, and each chapter by itself, from a built book."""

import shutil
import sys

from press import chapters
from press.build import StepFailed, build_pages
from press.chapters import BUILD
from press.execution import cache
from press.execution.progress import Line
from press.pages.chapter_head import BOOK
from press.paper import cut, engine

LATEX = BUILD / "paper"  # where jupyter-book writes what LaTeX reads
PDF = BUILD / "pdf"  # what the pages link to: see press.pages.chapter_head


def main() -> None:
    """Typeset the book, cut it into chapters, and link both on the pages."""
    if packages := engine.missing():
        sys.exit(
            "Expected XeLaTeX and its packages, got a machine without. On Debian or Ubuntu:\n"
            f"  apt-get install --no-install-recommends {' '.join(packages)}\n"
            "Elsewhere TeX Live has all of them: https://tug.org/texlive"
        )
    if not (BUILD / "html" / "index.html").exists():
        sys.exit("Expected a built book, got none. First:  make book")
    strict = ["-W", "-n", "--keep-going"]
    paper = [chapters.ROOT, "--builder", "custom", "--custom-builder", "paper"]
    line = Line()
    try:
        build_pages(paper, strict, "paper.txt")
        path = engine.typeset(LATEX, "book", line.show)
        line.show("cutting the chapters")
        shutil.rmtree(PDF, ignore_errors=True)
        cut.chapters_of(path, PDF)
        shutil.copy(path, PDF / BOOK)
        shutil.copy(path, BUILD / BOOK)
        line.end()
        # The pages have something to link to now.
        build_pages([chapters.ROOT], strict, "pages.txt")
    except (StepFailed, engine.Failed) as error:
        # A book of the last run would be taken for one of this.
        shutil.rmtree(PDF, ignore_errors=True)
        (BUILD / BOOK).unlink(missing_ok=True)
        sys.exit(f"\n{error}")
    print(f"The book for print, and its chapters beside it:  {PDF / BOOK}")
    if failed := cache.failed_cells(sorted(chapters.BOOK.glob("*.ipynb"))):
        sys.exit(cache.failure_report(failed))


if __name__ == "__main__":
    main()
