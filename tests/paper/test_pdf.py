"""The book for print: whole, within its margins, each page full, each figure there."""

import re

import numpy as np
import pytest
from pypdf import PdfReader

from press import chapters
from press.paper import cut, engine, figures
from press.paper.__main__ import LATEX, PDF
from tests.paper.conftest import SCALE
from utils.interact.positions import linked

MM = 72 / 25.4
INNER, TOP, BOTTOM = 22 * MM, 10 * MM, 10 * MM  # of book.tex, with head and page number
FIRST, HIGH = 24 * MM, 253 * MM  # where the text begins, and how high it is
# Caption of a figure, and what follows: a sentence that has no formula where it begins.
FOLLOWED = re.compile(
    r"^\\bookfigure.*\n.*\n\{(.*)\n(?:.*\n)*?\}\\bookfigureend\n(?:(?!\\bookfigure).*\n)*?"
    r"\\sphinxAtStartPar\n([^\n\\$(]{30,})",
    re.M,
)
BACK = ["Solutions", "Notation", "Glossary", "Index", "References"]


def test_every_page_is_a4(document):
    assert {tuple(round(x / MM) for x in page.get_size()) for page in document} == {
        (210, 297)
    }


def test_bookmarks_lead_to_parts_chapters_and_the_back(document):
    titles = [mark.get_title() for mark in document.get_toc(max_depth=3)]
    expected = [f"{c.number} {c.title}" for c in chapters.CHAPTERS.values()]
    expected += [part.name for part in chapters.PARTS] + BACK
    missing = [w for w in expected if not any(title.endswith(w) for title in titles)]
    assert not missing, (missing, titles[:40])


def test_latex_found_nothing_wrong(path):
    assert engine.faults_of((LATEX / "book.log").read_text(errors="replace")) == []


def test_no_reference_leads_nowhere(texts):
    references = [
        (i + 1, m[0])
        for i, t in enumerate(texts)
        for m in re.finditer(r".{20}\?\?.{0,20}", t)
    ]
    assert not references, references[:10]


@pytest.mark.parametrize("slug", chapters.CHAPTERS)
def test_every_interactive_figure_is_there_with_its_positions(slug, path, labels):
    tex = (LATEX / "book.tex").read_text()
    for figure in chapters.CHAPTERS[slug].figures:
        label = figures.label(slug, figure.name)
        assert label in labels
        after = tex.partition(rf"{{{label}}}" + "\n{")[2]
        small = after[: after.index(r"\bookfigureend")].count(r"\position{")
        text = chapters.CHAPTERS[slug].markdown
        positions = {at for name, at in linked(text) if name == figure.name}
        if figure.is_alive:  # which paper shows at its default alone
            positions = set()
        assert max(len(positions) - 1, 0) <= small <= len(positions), (
            label,
            small,
            positions,
        )


def test_nothing_stands_outside_of_the_type_area(inks):
    beyond = []
    for i, ink in enumerate(inks):
        rows = np.flatnonzero(ink.any(1)) / SCALE
        columns = np.flatnonzero(ink.any(0)) / SCALE
        left, right = columns[0], ink.shape[1] / SCALE - columns[-1]
        top, bottom = rows[0], ink.shape[0] / SCALE - rows[-1]
        if min(left, right) < INNER - 6 or top < TOP - 6 or bottom < BOTTOM - 6:
            beyond.append((i + 1, [round(x) for x in (left, right, top, bottom)]))
    assert not beyond, (len(beyond), beyond[:10])


def test_fonts_are_embedded(path):
    reader, bare = PdfReader(path), set()
    for page in reader.pages:
        for font in page["/Resources"].get("/Font", {}).values():
            font = font.get_object()
            inner = font.get("/DescendantFonts", [font])[0].get_object()
            file = inner.get("/FontDescriptor", {})
            if inner.get("/Subtype") != "/Type3" and not any(
                k.startswith("/FontFile") for k in file
            ):
                bare.add(font.get("/BaseFont"))
    assert not bare


def test_pages_are_full_but_for_the_last_of_a_chapter(path, inks):
    starts = cut.starts(PdfReader(path))
    ends = {start - 1 for start in starts} | {*starts, len(inks) - 1}
    empty = []
    for i, ink in enumerate(inks):
        lowest = np.flatnonzero(ink.any(1))[-1] / SCALE
        if i > 1 and i not in ends and lowest < FIRST + 2 / 3 * HIGH:
            empty.append((i + 1, round((lowest - FIRST) / HIGH, 2)))
    assert not empty, empty[:20]


def test_a_figure_stands_before_the_sentence_that_follows_it(texts):
    tex, late, count = (LATEX / "book.tex").read_text(), [], 0
    pages = [_letters(text) for text in texts]
    for caption, after in FOLLOWED.findall(tex):
        caption, after = _letters(caption)[:40], _letters(after)[:30]
        figure_page = next((i for i, page in enumerate(pages) if caption in page), None)
        near = (
            []
            if figure_page is None
            else range(max(figure_page - 3, 0), figure_page + 4)
        )
        sentence_ends = [(i, pages[i].rfind(after)) for i in near if after in pages[i]]
        count += bool(sentence_ends)
        if sentence_ends and max(sentence_ends) < (
            figure_page,
            pages[figure_page].find(caption),
        ):
            late.append((figure_page + 1, caption))
    assert count > 60 and not late, (count, late)


def _letters(text):
    """Return what of a text no hyphen, ligature or space changes."""
    return re.sub(r"[^A-Za-z0-9]", "", text)


@pytest.mark.parametrize("slug", chapters.CHAPTERS)
def test_each_chapter_is_a_pdf_of_its_own(slug, path):
    reader = PdfReader(PDF / f"{slug}.pdf")
    text = reader.pages[0].extract_text()
    chapter = chapters.CHAPTERS[slug]
    assert chapter.title.split()[0] in text
    own, sections, solutions, *_ = reader.outline
    assert own.title == f"{chapter.number} {chapter.title}"
    assert reader.get_destination_page_number(own) == 0 and len(sections) > 5
    assert solutions.title == f"Solutions to Chapter {chapter.number}"
    assert reader.get_destination_page_number(solutions) > 0
