"""What a chapter is, decided here alone: for the build, the decks, the homework and the tests.

A chapter is a notebook ``book/NN_slug.ipynb``, and an entry of ``_toc.yml``, which has the
order and the parts as Sphinx reads them and, under ``meta``, what no notebook says of itself.
Its slug is its address and never changes.
"""

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import nbformat
import yaml

ROOT = Path(__file__).parent.parent
BOOK = ROOT / "book"
BUILD = ROOT / "_build"  # all that is made
PATTERN = re.compile(r"(\d\d)_\w+")

# Sections that no reading time counts to the core, besides those whose title ends in a star.
BACK_MATTER = re.compile(
    r"Exercises|Questions|References|Summary|What this leaves|Where the notes|Notation"
    r"|Homework|In depth|Experiments in detail"
)
LABEL = re.compile(r"^\(([\w-]+)\)=|\$\$ \(([\w-]+)\)|^:label: ([\w-]+)", re.M)
QUESTION = re.compile(
    r"^\((q-[\w-]+)\)=\n:::\{admonition\} (.+)\n:class:.*\bquestion\b", re.M
)
WORDS_A_MINUTE = 130  # of a text with formulas, at a student's pace


@dataclass(frozen=True)
class Interactive:
    """An interactive figure: its function, what it shows, the section that it stands in."""

    name: str
    shows: str
    label: str
    section: str
    keeps_colours: bool  # in dark mode
    is_alive: bool  # its network runs on the page


@dataclass(frozen=True)
class Chapter:
    """A chapter: what ``_toc.yml`` plans for it, and what its notebook holds.

    The notebook is read once, when something of it is asked for.
    """

    slug: str
    part: str
    week_of_14: int
    week_of_7: int  # 0: not in the short course
    holds: str
    discuss: str

    @property
    def path(self) -> Path:
        """The notebook's file."""
        return BOOK / f"{self.slug}.ipynb"

    @property
    def digits(self) -> str:
        """The number as names and labels have it: "03"."""
        return digits(self.slug)

    @property
    def number(self) -> int:
        """The number: 3."""
        return int(self.digits)

    @cached_property
    def notebook(self):
        """The notebook as nbformat has it; not to be changed in place."""
        return nbformat.read(self.path, 4)

    @cached_property
    def markdown(self) -> str:
        """The text, its markdown cells one after the other."""
        return markdown(self.notebook)

    @cached_property
    def title(self) -> str:
        """Of ``# Chapter 10 · Optimisation`` the name alone."""
        return self._line(r"^# Chapter \d+ · (.+)$", "# Chapter 1 · Title")[1].strip()

    @cached_property
    def core_words(self) -> int:
        """Words that everybody reads; see ``words``."""
        return words(self.markdown)[0]

    @property
    def core_minutes(self) -> int:
        """How long a student reads the core."""
        return minutes(self.core_words)

    @property
    def all_minutes(self) -> int:
        """How long a student reads the whole chapter."""
        return minutes(words(self.markdown)[1])

    @cached_property
    def needs(self) -> list[int]:
        """Numbers of the chapters without which it cannot be read: its head names them."""
        line = self._line(r"^.*\bYou need\b.*$", "You need …")[0]
        return sorted({int(n) for n in re.findall(r"\((\d\d)_\w+\.ipynb#", line)})

    def _line(self, pattern, example):
        """Find the first line of the text that a pattern describes."""
        if line := re.search(pattern, self.markdown, re.M):
            return line
        raise ValueError(f"{self.path}: expected a line {example!r}, got none")

    @cached_property
    def sections(self) -> dict[str, tuple[str, str]]:
        """By label the label and the title of the section that it stands in."""
        return sections(self.markdown)

    @cached_property
    def questions(self) -> dict[str, str]:
        """What readers ask: by label the question, in the order of the text."""
        return dict(QUESTION.findall(self.markdown))

    @cached_property
    def figures(self) -> list[Interactive]:
        """The interactive figures in their order."""
        figures, text = [], ""
        for cell in self.notebook.cells:
            tags = cell.metadata.get("tags", [])
            if cell.cell_type == "markdown":
                text += cell.source + "\n\n"
            elif "widget" in tags:
                label, section = [*sections(text).values()][-1]
                for node in ast.parse(cell.source).body:
                    if isinstance(node, ast.FunctionDef) and node.decorator_list:
                        shows = " ".join(ast.get_docstring(node).split())
                        keeps_colours = "keep-colours" in tags
                        call = ast.unparse(node.decorator_list[0])
                        figure = Interactive(
                            node.name,
                            shows,
                            label,
                            section,
                            keeps_colours,
                            is_alive=call.startswith("alive("),
                        )
                        figures.append(figure)
        return figures

    def link(self, form: str = "{} · {}") -> str:
        """Return number and title as a MyST link of the built pages."""
        return f"{{ref}}`{form.format(self.number, self.title)} <ch-{self.digits}>`"


@dataclass(frozen=True)
class Part:
    """A part of the book that has chapters: its name, what it is about, its chapters."""

    name: str
    about: str
    chapters: tuple[Chapter, ...]


def read_parts(toc: dict[str, Any]) -> tuple[Part, ...]:
    """Return the parts of a table of contents that have chapters, in its order.

    KeyError if ``meta`` lacks one of them.
    """
    parts = []
    for entry in toc["parts"]:
        name, files = entry["caption"], [item["file"] for item in entry["chapters"]]
        slugs = [slug for file in files if (slug := of_page(file))]
        chapters = tuple(_chapter(toc, slug, name) for slug in slugs)
        if chapters:
            parts.append(Part(name, _meta(toc, "parts", name), chapters))
    return tuple(parts)


def _chapter(toc, slug, part):
    entry = _meta(toc, "chapters", slug)
    return Chapter(slug, part, *entry["weeks"], entry["holds"], entry["discuss"])


def _meta(toc, kind, name):
    entries = toc["meta"][kind]
    if name not in entries:
        raise KeyError(f"_toc.yml, meta, {kind}: expected {name!r}, got {[*entries]}")
    return entries[name]


def of_page(page: str) -> str | None:
    """Return the slug of a page, ``book/03_linear_regression``; None if it is no chapter."""
    folder, _, slug = page.rpartition("/")
    return slug if folder == BOOK.name and PATTERN.fullmatch(slug) else None


def digits(slug: str) -> str:
    """Return the number of a chapter as names and labels have it: "03"."""
    return PATTERN.fullmatch(slug)[1]


def by_number(number: int) -> Chapter:
    """Return the chapter of that number."""
    return next(c for c in CHAPTERS.values() if c.number == number)


def markdown(notebook) -> str:
    """Return the text of a notebook, its markdown cells one after the other."""
    return "\n\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")


def words(text: str) -> tuple[int, int]:
    """Count the words of the core and of all of a chapter's markdown, by white space.

    The core lacks starred sections, exercises and the back matter.
    """
    core, total = 0, 0
    for section in re.split(r"^(?=## )", text, flags=re.M):
        heading = re.match(r"## (.*)", section)
        name = heading[1].strip() if heading else ""
        count = len(section.split())
        total += count
        core += 0 if name.endswith("*") or BACK_MATTER.match(name) else count
    return core, total


def minutes(words: int) -> int:
    """Return how long a student reads so many words, to the next five minutes."""
    return max(5, 5 * round(words / WORDS_A_MINUTE / 5))


def sections(text: str) -> dict[str, tuple[str, str]]:
    """Return by label the label and the title of the section that it stands in, in order.

    The title has no star; a label before the first section stands under the chapter's.
    """
    sections_by_label, section = {}, None
    for block in re.split(r"^(?=\([\w-]+\)=\n#+ )", text, flags=re.M):
        if heading := re.match(r"\(([\w-]+)\)=\n#+ (.+?)(?: \*)?$", block, re.M):
            section = heading.groups()
        for groups in LABEL.findall(block):
            sections_by_label["".join(groups)] = section
    return sections_by_label


TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
PARTS = read_parts(TOC)
CHAPTERS = {c.slug: c for part in PARTS for c in part.chapters}  # in their order
