"""Rows of the notes, glossary and errata of a chapter lead to labels of that chapter."""

import csv
import re
from collections import Counter
from itertools import zip_longest

import nbformat
import pytest

from press import chapters
from tests.chapter_code import BOOK


def rows(kind, slug):
    """Return the rows of a table of a chapter; a chapter without the file has none."""
    path = BOOK / "data" / f"{kind}_{chapters.digits(slug)}.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def labels(slug):
    text = chapters.CHAPTERS[slug].markdown
    return [
        label for groups in chapters.LABEL.findall(text) for label in groups if label
    ]


def twice(values):
    return [value for value, count in Counter(values).items() if count > 1]


every_chapter = pytest.mark.parametrize("slug", chapters.CHAPTERS)


@every_chapter
def test_rows_of_the_notes_have_their_columns(slug):
    for row in rows("sources", slug):
        assert list(row) == ["id", "note", "reference", "statement", "label"]
        assert all(value and value.strip() == value for value in row.values()), row
        assert row["note"] in {"000", "001", "002", "003", "004"}
        assert row["id"].startswith(f"S{row['note']}-")
        assert row["statement"].count("$") % 2 == 0, row


@every_chapter
def test_every_row_of_the_notes_leads_to_a_label_in_its_chapter(slug):
    chapter_labels = labels(slug)
    row_labels = {row["label"] for row in rows("sources", slug)}
    assert not row_labels - set(chapter_labels)
    assert not twice(chapter_labels)


@every_chapter
def test_the_glossary_leads_to_labels(slug):
    terms = rows("glossary", slug)
    row_labels = {row["label"] for row in terms}
    assert not row_labels - set(labels(slug))
    assert not any(label.startswith(("eq-", "fig-")) for label in row_labels)
    for term in terms:
        assert list(term) == ["english", "chinese", "says", "label"]
    english = [row["english"] for row in terms]
    assert english == sorted(english, key=str.lower)


def test_no_row_or_term_twice():
    for kind, key in (("sources", "id"), ("glossary", "english")):
        values = [row[key] for slug in chapters.CHAPTERS for row in rows(kind, slug)]
        assert not twice(values)


def test_every_file_belongs_to_a_chapter():
    for kind in ("sources", "glossary"):
        names = {path.name for path in (BOOK / "data").glob(f"{kind}*.csv")}
        assert names <= {
            f"{kind}_{chapters.digits(slug)}.csv" for slug in chapters.CHAPTERS
        }


LINK = re.compile(r"(?:\{(?:eq|ref)\}`(?:[^`<]+<)?|\d\d_\w+\.ipynb#)([\w-]+)")
ENTRY = re.compile(r"\((e\d{3}-\d+)\)=\n### (E\d{3}-\d+) · .+")


def errata(slug):
    """Return the page of the errata that concern a chapter: its cells, none if it has no page."""
    path = BOOK / f"errata_{chapters.digits(slug)}.ipynb"
    return nbformat.read(path, 4).cells if path.exists() else []


@every_chapter
def test_every_erratum_leads_to_the_chapter_and_is_shown_by_code(slug):
    cells, chapter_labels = errata(slug), labels(slug)
    for cell, following in zip_longest(cells, cells[1:]):
        if entry := ENTRY.match(cell.source):
            assert entry[1] == entry[2].lower()
            led = LINK.findall(cell.source)
            assert led and not set(led) - set(chapter_labels), entry[2]
            assert following.cell_type == "code", entry[2]
        else:
            assert "### " not in cell.source


def test_no_erratum_twice_and_each_page_belongs_to_a_chapter():
    matches = [
        ENTRY.match(c.source) for slug in chapters.CHAPTERS for c in errata(slug)
    ]
    assert not twice([entry[1] for entry in matches if entry])
    pages = {path.stem for path in BOOK.glob("errata_*")}
    assert pages <= {f"errata_{chapters.digits(slug)}" for slug in chapters.CHAPTERS}
