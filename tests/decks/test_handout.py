"""Handouts: each slide is on paper, two a page, with its figure where the deck has it."""

import io

import pytest
from pypdf import PdfReader

from press.decks import handout
from press.decks.files import deck_of

SIZE = {"width": 1280, "height": 720}


@pytest.mark.parametrize("slug", ["01_math", "12_cnn"])  # formulas; a network
def test_a_handout_has_each_slide_and_lines_below(reader, slug):
    page = reader.open(deck_of(slug).as_uri(), viewport=SIZE)
    page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
    titles = page.eval_on_selector_all(
        "section > h2:not(:has(mjx-container))",
        "(all) => all.map((x) => x.textContent)",
    )
    file = io.BytesIO()
    handout.write(deck_of(slug), file, reader.browser)
    pages = PdfReader(file).pages
    assert len(pages) == (page.evaluate("Reveal.getTotalSlides()") + 1) // 2
    assert {(round(p.mediabox.width), round(p.mediabox.height)) for p in pages} == {
        (595, 842)
    }
    plain = lambda text: "".join(text.split())
    printed = plain("".join(p.extract_text() for p in pages))
    assert [title for title in titles if plain(title) not in printed] == []
