"""Each row of a chapter's sources and glossary leads to a label of that chapter."""

import csv
import re
from collections import Counter

import pytest

import chapters
from tests.notebooks import BOOK

LABEL = re.compile(r"^\(([\w-]+)\)=|\$\$ \(([\w-]+)\)|^:label: ([\w-]+)", re.M)


def rows(kind, slug):
    path = BOOK / "data" / f"{kind}_{slug[:2]}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def labels(slug):
    text = chapters.markdown(chapters.read(slug))
    return [label for groups in LABEL.findall(text) for label in groups if label]


def twice(values):
    return [value for value, count in Counter(values).items() if count > 1]


every_chapter = pytest.mark.parametrize("slug", chapters.SLUGS)


@every_chapter
def test_sources_have_the_columns(slug):
    for row in rows("sources", slug):
        assert list(row) == ["id", "note", "reference", "statement", "label"]
        assert all(value and value.strip() == value for value in row.values()), row
        assert row["note"] in {"000", "001", "002", "003", "004"}
        assert row["id"].startswith(f"S{row['note']}-")
        assert row["statement"].count("$") % 2 == 0, row


@every_chapter
def test_every_row_of_a_chapter_leads_to_a_label_in_it(slug):
    known = labels(slug)
    found = {row["label"] for row in rows("sources", slug)}
    assert found and not found - set(known)
    assert not twice(known)


@every_chapter
def test_the_glossary_leads_to_labels(slug):
    terms = rows("glossary", slug)
    found = {row["label"] for row in terms}
    assert found and not found - set(labels(slug))
    assert not any(label.startswith(("eq-", "fig-")) for label in found)
    assert list(terms[0]) == ["english", "chinese", "label"]
    english = [row["english"] for row in terms]
    assert english == sorted(english, key=str.lower)


def test_no_row_or_term_twice():
    for kind, key in (("sources", "id"), ("glossary", "english")):
        values = [row[key] for slug in chapters.SLUGS for row in rows(kind, slug)]
        assert not twice(values)


def test_every_file_belongs_to_a_chapter():
    for kind in ("sources", "glossary"):
        found = sorted(p.name for p in (BOOK / "data").glob(f"{kind}*.csv"))
        assert found == [f"{kind}_{slug[:2]}.csv" for slug in chapters.SLUGS]
