"""What the appendices hold is all there, agrees with the chapters and leads somewhere."""

import re
from collections import Counter

import nbformat
import pytest

from press import chapters
from press.tables import appendices

CHINESE = r"[\u4e00-\u9fff]+"
every_chapter = pytest.mark.parametrize("slug", chapters.CHAPTERS)
# How many rows of each note there are to treat, and how many of its errors to weigh.
ROWS = {"000": 136, "001": 185, "002": 172, "003": 108, "004": 81}
ERRORS = {"000": 52, "001": 52, "002": 73, "003": 27, "004": 26}


def test_every_row_of_every_note_is_treated():
    ids = {row["id"] for row in appendices.rows("sources")}
    assert ids == {
        f"S{note}-{i:03}" for note, n in ROWS.items() for i in range(1, n + 1)
    }
    assert appendices.counts()["rows of the five notes"] == sum(ROWS.values())


def test_every_error_of_every_note_has_its_entry_and_one_kind():
    counts = Counter(note for note, *_ in appendices.errata_rows())
    assert counts == ERRORS
    for note, n in ERRORS.items():
        numbers = [e[1] for e in appendices.errata_rows() if e[0] == note]
        assert numbers == list(range(1, n + 1))
    assert {entry[4] for entry in appendices.errata_rows()} == set(appendices.ERRATA)


def test_what_changes_a_result_comes_first():
    kind_by_link = {
        f"[{e[2].upper()} · {e[3]}](#{e[2]})": e[4] for e in appendices.errata_rows()
    }
    kinds = [kind for line in appendices.entries().splitlines()
             for link, kind in kind_by_link.items() if line.startswith(f"| {link} |")]  # fmt: skip
    order = list(appendices.ERRATA)
    assert len(kinds) == len(kind_by_link) and kinds == sorted(kinds, key=order.index)


def test_each_term_has_a_short_meaning():
    for term in appendices.rows("glossary"):
        assert 8 < len(term["says"]) <= 160 and not term["says"].endswith("."), term
        assert re.search(r"[\u4e00-\u9fff]", term["chinese"]), term
        assert term["says"].count("$") % 2 == 0, term


@every_chapter
def test_a_chapter_has_what_the_index_says(slug):
    rows = [row for row in appendices.rows("index") if row["slug"] == slug]
    assert {row["kind"] for row in rows} <= set(appendices.KINDS)
    labels = chapters.CHAPTERS[slug].sections
    for row in rows:
        assert row["label"] in labels and not row["label"].startswith("fig-"), row
        assert row["says"] and not row["says"].endswith("."), row
    names = [(row["kind"], row["name"].lower()) for row in rows]
    assert names == sorted(names)


def test_nothing_is_in_the_index_twice():
    names = Counter(
        (row["kind"], row["name"].lower()) for row in appendices.rows("index")
    )
    assert not [name for name, count in names.items() if count > 1]


@every_chapter
def test_a_term_and_its_chinese_stand_in_the_chapter_that_introduces_it(slug):
    text = chapters.CHAPTERS[slug].markdown
    for term in appendices.rows("glossary"):
        if term["slug"] == slug:
            name = re.sub(r" \(.+\)", "", term["english"])  # depth (of a network)
            assert plain(name) in plain(text), term
            for chinese in re.findall(r"[\u4e00-\u9fff]+", term["chinese"]):
                assert chinese in text, term


@every_chapter
def test_chinese_beside_an_english_term_is_that_of_the_glossary(slug):
    """Of the words before (中文), the last ones are a term, and it has this Chinese."""
    chinese_of = {}
    for term in appendices.rows("glossary"):
        chinese_of.setdefault(plain(term["english"]), set()).update(
            re.findall(r"[\u4e00-\u9fff]+", term["chinese"])
        )
    text = chapters.CHAPTERS[slug].markdown
    for words, chinese in re.findall(
        r"([^()\n|]{3,60}?)[*_]* \(([\u4e00-\u9fff]+)\)", text
    ):
        ends = [plain(words).split()[-n:] for n in range(6, 0, -1)]
        gloss = next((e for e in map(" ".join, ends) if e in chinese_of), None)
        # Or of a kind of it: exponentially weighted moving average.
        fits = chinese.endswith(tuple(chinese_of.get(gloss, {""})))
        assert fits, f"{gloss} ({chinese})"


def test_chinese_stands_beside_a_term_once_where_it_is_introduced():
    glossed = set()
    for chapter in chapters.CHAPTERS.values():
        own_terms = [
            row for row in appendices.rows("glossary") if row["slug"] == chapter.slug
        ]
        introduced = set(
            re.findall(CHINESE, " ".join(row["chinese"] for row in own_terms))
        )
        glosses = Counter(re.findall(rf"\(({CHINESE})\)", chapter.markdown))
        assert not [term for term, count in glosses.items() if count > 1], chapter.slug
        assert not glosses.keys() & glossed - introduced, chapter.slug
        glossed |= glosses.keys()


def plain(text):
    """Return text to compare terms in: lower case, without marks, plurals or hyphens."""
    text = re.sub(r"[*_`$\\]", "", text.lower().replace("–", "-").replace("-", " "))
    return re.sub(r"\s+", " ", re.sub(r"(?<=\w\w\w)s\b", "", text))


@every_chapter
def test_the_notation_of_a_chapter_has_four_columns(slug):
    rows = [row for row in appendices.notation_rows() if row[-1] == slug]
    for row in rows:
        assert len(row) == 5 and row[0] and row[1], row


@pytest.mark.parametrize("name", sorted(appendices.TABLES))
def test_tables_are_whole_and_lead_to_labels(name):
    targets = {"find"}
    for slug in chapters.CHAPTERS:
        text = chapters.CHAPTERS[slug].markdown
        targets |= set(chapters.sections(text)) | {f"ch-{chapters.digits(slug)}"}
    targets |= {entry[2] for entry in appendices.errata_rows()}
    table = appendices.TABLES[name]()
    for block in re.findall(r"(?:^\|.*\n?)+", table, re.M):
        head, _, *rows = block.splitlines()
        assert rows
        for row in rows:
            assert len(re.findall(r"(?<!\\)\|", row)) == head.count("|"), row
            labels = re.findall(r"\]\(#([\w-]+)\)|\{eq\}`([\w-]+)`", row)
            assert labels and all("".join(label) in targets for label in labels), row


def test_the_gallery_has_every_figure():
    links = re.findall(r'href="(\w+)\.html#(\w+):"', appendices.gallery())
    assert links == [
        (slug, figure.name)
        for slug in chapters.CHAPTERS
        for figure in chapters.CHAPTERS[slug].figures
    ]
    widgets = [
        cell for slug in chapters.CHAPTERS for cell in chapters.CHAPTERS[slug].notebook.cells
        if "widget" in cell.metadata.get("tags", [])
    ]  # fmt: skip
    assert len(links) == len(widgets)


def test_a_symbol_stands_in_the_chapter_that_is_said_to_use_it_first():
    table = re.findall(
        r"^\| \$(.+?)\$.*\[\d+\]\((\w+)\.ipynb#ch-\d+\) \|$",
        chapters.markdown(nbformat.read(chapters.BOOK / "notation.ipynb", 4)),
        re.M,
    )
    assert len(table) >= 25
    for symbol, slug in table:
        left_side = re.split(r"[=]|\\cdot", symbol)[0]
        if "\\" not in left_side:  # a letter stands alone
            left_side = f"${left_side}$"
        text = chapters.CHAPTERS[slug].markdown
        assert bare(left_side) in bare(text), f"{symbol} in {slug}"


def bare(formula):
    """Return TeX without braces and spaces: \\mathbf{X} and \\mathbf X are the same."""
    return re.sub(r"[{}\s]", "", formula)
