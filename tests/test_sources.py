"""Each row of the notes points to a label that exists in the chapter it names."""

import csv
import re
from collections import Counter

import pytest

from tests.notebooks import BOOK, CHAPTERS, Chapter

LABEL = re.compile(r"^\(([\w-]+)\)=|\$\$ \(([\w-]+)\)|^:label: ([\w-]+)", re.M)


def rows(name):
    with (BOOK / "data" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def labels(slug):
    cells = Chapter(slug).notebook.cells
    text = "\n".join(c.source for c in cells if c.cell_type == "markdown")
    return [label for groups in LABEL.findall(text) for label in groups if label]


SOURCES, GLOSSARY = rows("sources.csv"), rows("glossary.csv")


def test_sources_have_the_columns_and_no_row_twice():
    assert list(SOURCES[0]) == [
        "id",
        "note",
        "reference",
        "statement",
        "chapter",
        "label",
    ]
    assert [
        i for i, count in Counter(r["id"] for r in SOURCES).items() if count > 1
    ] == []
    for row in SOURCES:
        assert all(value and value.strip() == value for value in row.values()), row
        assert row["note"] in {"000", "001", "002", "003", "004"}
        assert row["id"].startswith(f"S{row['note']}-")
        assert row["statement"].count("$") % 2 == 0, row


@pytest.mark.parametrize("slug", CHAPTERS)
def test_every_row_of_a_chapter_leads_to_a_label_in_it(slug):
    mine = [row for row in SOURCES if row["chapter"] == slug]
    known = labels(slug)
    assert mine, f"{slug}: no row of the notes"
    missing = {row["label"] for row in mine} - set(known)
    assert not missing
    assert [x for x, count in Counter(known).items() if count > 1] == []


def test_every_chapter_of_the_sources_exists():
    assert {row["chapter"] for row in SOURCES} == set(CHAPTERS)


def test_the_glossary_leads_to_labels():
    known = {label for slug in CHAPTERS for label in labels(slug)}
    found = {row["label"] for row in GLOSSARY}
    assert found <= known and not any(x.startswith(("eq-", "fig-")) for x in found)
    assert list(GLOSSARY[0]) == ["english", "chinese", "label"]
    assert [row["english"] for row in GLOSSARY] == sorted(
        (row["english"] for row in GLOSSARY), key=str.lower
    )
