"""What a chapter is, decided here alone: for the build, the decks, the homework and the tests.

A chapter is a notebook ``book/NN_slug.ipynb``. Its slug is its address and never changes.
"""

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat

ROOT = Path(__file__).parent.parent
BOOK = ROOT / "book"
PATTERN = re.compile(r"(\d\d)_\w+")
SLUGS = sorted(p.stem for p in BOOK.glob("*.ipynb") if PATTERN.fullmatch(p.stem))

# Sections that no reading time counts to the core, besides those whose title ends in a star.
BACK_MATTER = re.compile(
    r"Exercises|Questions|References|Summary|What this leaves|Where the notes|Notation"
    r"|Homework"
)
LABEL = re.compile(r"^\(([\w-]+)\)=|\$\$ \(([\w-]+)\)|^:label: ([\w-]+)", re.M)
QUESTION = re.compile(
    r"^\((q-[\w-]+)\)=\n:::\{admonition\} (.+)\n:class:.*\bquestion\b", re.M
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


def digits(slug: str) -> str:
    """The number of a chapter as names and labels have it: "03"."""
    return PATTERN.fullmatch(slug)[1]


def number(slug: str) -> int:
    """The number of a chapter: 3."""
    return int(digits(slug))


def slug_of(number: int) -> str:
    """The chapter of that number."""
    return next(slug for slug in SLUGS if digits(slug) == f"{number:02}")


def link(slug: str, form: str = "{} · {}") -> str:
    """A chapter by its number and title, as a MyST link of the built pages."""
    return f"{{ref}}`{form.format(number(slug), title(slug))} <ch-{digits(slug)}>`"


def core_minutes(slug: str) -> int:
    """How long a student reads the core of a chapter."""
    return minutes(words(markdown(read(slug)))[0])


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


def needs(slug):
    """Numbers of the chapters without which this one cannot be read: its head names them."""
    line = re.search(r"^.*\bYou need\b.*$", markdown(read(slug)), re.M)[0]
    return sorted({int(found) for found in re.findall(r"\((\d\d)_\w+\.ipynb#", line)})


def sections(text):
    """By label the label and the title of the section that it stands in, as in (text) order.

    The title has no star; a label before the first section stands under the chapter's.
    """
    found, home = {}, None
    for block in re.split(r"^(?=\([\w-]+\)=\n#+ )", text, flags=re.M):
        if heading := re.match(r"\(([\w-]+)\)=\n#+ (.+?)(?: \*)?$", block, re.M):
            home = heading.groups()
        for groups in LABEL.findall(block):
            found["".join(groups)] = home
    return found


def questions(slug):
    """What readers ask of a chapter: by label the question, in the order of the text."""
    return dict(QUESTION.findall(markdown(read(slug))))


@dataclass(frozen=True)
class Interactive:
    """An interactive figure: its function, what it shows, the section that it stands in."""

    name: str
    shows: str
    label: str
    section: str
    keeps_colours: bool  # in dark mode


def figures(slug):
    """The interactive figures of a chapter in their order."""
    found, text = [], ""
    for cell in read(slug).cells:
        if cell.cell_type == "markdown":
            text += cell.source + "\n\n"
        elif "widget" in cell.metadata.get("tags", []):
            label, section = [*sections(text).values()][-1]
            for node in ast.parse(cell.source).body:
                if isinstance(node, ast.FunctionDef) and node.decorator_list:
                    shows = " ".join(ast.get_docstring(node).split())
                    kept = "keep-colours" in cell.metadata.tags
                    found.append(Interactive(node.name, shows, label, section, kept))
    return found
