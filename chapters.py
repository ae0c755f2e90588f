"""What a chapter is, decided here alone: for the build, the decks, the homework and the tests.

A chapter is a notebook ``book/NN_slug.ipynb``. Its slug is its address and never changes.
"""

import re
from functools import cache
from pathlib import Path

import nbformat

ROOT = Path(__file__).parent
BOOK = ROOT / "book"
PATTERN = re.compile(r"(\d\d)_\w+")
SLUGS = sorted(p.stem for p in BOOK.glob("*.ipynb") if PATTERN.fullmatch(p.stem))

# Sections that no reading time counts to the core, besides those whose title ends in a star.
BACK_MATTER = re.compile(
    r"Exercises|References|Summary|What this leaves|Where the notes|Notation|Homework"
)
WORDS_A_MINUTE = 130  # of a text with formulas, at a student's pace


def path(slug):
    """The notebook of a chapter."""
    return BOOK / f"{slug}.ipynb"


@cache
def read(slug):
    """The notebook of a chapter as nbformat has it; not to be changed in place."""
    return nbformat.read(path(slug), 4)


def of_page(page):
    """The slug of a page of the book, ``book/03_linear_regression``; None if no chapter."""
    folder, _, slug = page.rpartition("/")
    return slug if folder == BOOK.name and PATTERN.fullmatch(slug) else None


def number(slug):
    return int(slug[:2])


def markdown(notebook):
    """The text of a notebook, its markdown cells one after the other."""
    return "\n\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")


def title(slug):
    """Of ``# Chapter 10 · Optimisation`` the name alone."""
    return re.search(r"^# Chapter \d+ · (.+)$", markdown(read(slug)), re.M)[1].strip()


def words(text):
    """Words of the core and of all of a chapter's markdown, counted by white space.

    The core lacks starred sections, exercises and the back matter; see design of a
    chapter in CONTRIBUTING.md.
    """
    core, total = 0, 0
    for section in re.split(r"^(?=## )", text, flags=re.M):
        heading = re.match(r"## (.*)", section)
        name = heading[1].strip() if heading else ""
        count = len(section.split())
        total += count
        core += 0 if name.endswith("*") or BACK_MATTER.match(name) else count
    return core, total


def minutes(words):
    """How long a student reads, to the next five minutes."""
    return max(5, 5 * round(words / WORDS_A_MINUTE / 5))
