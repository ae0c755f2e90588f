"""Decks as they are written: names, words, letters, ink and the clock."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup

from press.decks import written
from press.decks.files import deck_of, page_of
from tests.chapter_code import ROOT

every_deck = pytest.mark.parametrize("slug", written.slugs())

CELL = {"cell_type": "code", "metadata": {}}
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "id": "text", "source": "", "metadata": {}},
        {**CELL, "id": "code", "source": 'def twice(x):\n    """Doc."""\n    return x'},
        {**CELL, "id": "slider", "source": ""},
    ]
}
STEP = {"name": "step", "kind": "range", "texts": ["0", "1"], "keys": ["0", "1"]}
CONTROLS = {"controls": [{**STEP, "default_index": 0}]}
LIVING = {"controls": [{"name": "text", "start": "a"}]}
PAGE = f"""<article><section id="sec-1"><div class="math" id="equation-eq-1">
\\[\\begin{{aligned}} a&=b\\\\ &=c \\end{{aligned}}\\]</div>
<table><tr><td>cell</td></tr></table></section>
<div class="cell-id-code"><div class="cell_input"><pre>def twice(x):
    \"\"\"Doc.\"\"\"
    return x</pre></div><div class="cell_output">✓ printed</div></div>
<div class="cell-id-slider"><div class="cell_output">
<figure class="interact" data-name="walk"><img src="a.png">
<script type="application/json">{json.dumps(CONTROLS)}</script></figure>
<figure class="alive" data-name="living" data-program="continue">
<script type="application/json" class="inputs">{json.dumps(LIVING)}</script></figure></div></div>
</article>"""
NOTES = "\n\nNotes:\n(2 min) Said.\n"


def made(*slides):
    text = "\n".join(f"{slide}{NOTES}" for slide in ("# Title", *slides))
    return written.slides(BeautifulSoup(PAGE, "html.parser"), NOTEBOOK, text)


def only(body):
    return made(f"## A point.\n\n{body}")[1].html()


def test_a_slide_a_heading_with_notes_and_minutes():
    title, slide = made("## The sum is $1$.\n\nWords.")
    assert title.kind == "title" and title.title == "Title"
    assert r"\(1\)" in slide.title
    assert "<p>Words.</p>" in slide.html() and 'data-minutes="2">' in slide.html()


def test_a_deck_is_of_a_chapter_and_a_draft_has_no_minutes(monkeypatch, tmp_path):
    found = {path.stem for path in written.FOLDER.glob("[0-9]*.md")}
    assert {*written.slugs()} == found
    slug, text = written.slugs()[0], f"# Title{NOTES}"
    monkeypatch.setattr(written, "FOLDER", tmp_path)
    assert written.slugs() == [] and written.minutes(slug) is None
    path = written.path_of(slug)
    path.write_text(text)
    assert written.slugs() == [slug] and written.minutes(slug) == (2, 0)
    path.write_text(f"{written.DRAFT}\n{text}")
    assert written.slugs() == [slug] and written.minutes(slug) is None


def test_a_slide_may_go_when_time_is_short():
    marked = NOTES.replace("2 min", "1.5 min, may go")
    text = f"# Title{NOTES}\n## A point.\n\nWords.{marked}"
    deck = written.slides(BeautifulSoup(PAGE, "html.parser"), NOTEBOOK, text)
    assert 'data-minutes="1.5">' in deck[1].html() and "may go" in deck[1].html()


@pytest.mark.parametrize(("line", "text"), [
    ("equation: eq-1", "aligned"),
    ("steps: eq-1", r"\class{fragment}{=c"),
    ("code: twice", "    return x"),
    ("code: twice: return … return", "<pre>return x</pre>"),
    ("table: sec-1", "<td>cell</td>"),
    ("drawing: sec-1", 'src="a.png"'),
    ("printed: code", "✓ printed"),
    ("figure: walk step=1", '"default_index": 1'),
    ("figure: living text=b", '"start": "b"'),
    ("figure: living text=b | seen, next", 'data-views="seen,next"'),
    ("? yes | no", "<li>yes</li><li>no</li>"),
    ("```python\nreturn x\n```", '<div class="highlight"><pre>'),
    ("= 586 | numbers", "<b>586</b> numbers"),
    ("one\n. . .\ntwo", '<div class="fragment"><p>two</p>'),
    ("one\n|||\ntwo", '<div class="columns"><div><p>one</p>'),
])  # fmt: skip
def test_a_line_shows_what_it_names(line, text):
    html = only(line)
    assert text in html, html
    assert "Doc." not in html  # the speaker says what a docstring says


@pytest.mark.parametrize(("line", "message"), [
    ("equation: eq-2", "expected one of eq-1; got 'eq-2'"),
    ("code: thrice", "expected one of twice; got 'thrice'"),
    ("code: twice: lost … return", "a line that begins with 'lost'"),
    ("table: sec-9", "expected a table after one of"),
    ("printed: nothing", "expected a cell with output, got 'nothing'"),
    ("figure: run", "expected one of walk, living; got 'run'"),
    ("figure: walk step=7", "expected step in 0, 1, got '7'"),
    ("figure: walk pace=1", "expected a control of step, got 'pace'"),
    ("figure: walk step=1 | seen", "figure walk: expected no views, got 'seen'"),
    ("figure: living pace=1", "expected one of ['text'], got 'pace'"),
    ("figure: living | seen, net", "below, left, next, cost, map, cache; got 'net'"),
])  # fmt: skip
def test_a_name_that_is_not_there_is_an_error_that_says_what_is(line, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        only(line)
    assert "slide 2, '## A point.'" in str(error.value)


def test_code_on_a_slide_does_not_name_the_equation_beside_it():
    said = '<span class="c1"># (N,), eq-01-twice</span>'
    page = PAGE.replace("return x", f"return x  {said}")
    deck = f"# Title{NOTES}\n## Twice.\n\ncode: twice{NOTES}"
    slides = written.slides(BeautifulSoup(page, "html.parser"), NOTEBOOK, deck)
    assert "eq-01" not in slides[1].html() and "# (N,)</span>" in slides[1].html()


def test_a_symbol_and_its_name_in_the_code_have_one_colour():
    page = PAGE.replace("return x", '<span class="k">return</span> x')
    slide = "same: b = x\n\nequation: eq-1\n\n|||\n\ncode: twice"
    deck = f"# Title{NOTES}\n## Same.\n\n{{}}{NOTES}"
    built = lambda body: written.slides(
        BeautifulSoup(page, "html.parser"), NOTEBOOK, deck.format(body)
    )
    html = built(slide)[1].html()
    assert r"a&=\class{same-1}{b}" in html.replace("&amp;", "&")
    assert '<span class="same-1">x</span>' in html
    colon = '<span class="p">:</span>'  # only blanks between it and the name
    page = PAGE.replace("(x):", f"(x){colon}").replace("return x", "x = x")
    html = built(slide)[1].html()
    assert f'{colon}\n    <span class="same-1">x</span> = ' in html
    aside = r"same: a = x" + "\n\nSay a: $\\tanh a$\n\n|||\n\ncode: twice"
    html = built(aside)[1].html()
    assert "<p>Say a: <" in html and r"\(\tanh \class{same-1}{a}\)" in html
    with pytest.raises(ValueError, match=re.escape("got 'b = y'")):
        built(slide.replace("b = x", "b = y"))


@pytest.mark.parametrize("text", ["## No title" + NOTES, "# Title\n\nWithout notes."])
def test_a_deck_without_title_or_notes_is_an_error(text):
    with pytest.raises(ValueError, match="expected"):
        written.slides(BeautifulSoup(PAGE, "html.parser"), NOTEBOOK, text)


def test_minutes_are_asked_for():
    with pytest.raises(ValueError, match=r"expected notes that begin with '\(2 min\)'"):
        made("## A point.\n\nWords.\n\nNotes:\nSaid." + "\n## Next")


# Of each slide with all that appears on clicks: its words without heading, formulas and
# answers; its smallest letters; how far down its ink reaches; whether something is cut off.
SLIDES = r"""() => [...Array(Reveal.getTotalSlides()).keys()].map((i) => {
  Reveal.slide(i, 0, 99);
  const slide = Reveal.getCurrentSlide(), top = slide.getBoundingClientRect().top;
  const seen = (x) => x.offsetParent && !x.closest("aside");
  const size = (x) => parseFloat(getComputedStyle(x).fontSize);
  const letters = [...slide.querySelectorAll(".body :is(p, li, td)")].filter(
    (x) => seen(x) && !x.closest("figure, .highlight"));
  const code = [...slide.querySelectorAll(".highlight pre, .printed")].filter(seen);
  const ink = [...slide.querySelectorAll(
    ".body :is(p, li, td, pre, img, form, mjx-container, .views svg, .views canvas)")].filter(
    (x) => seen(x) && !x.closest(".view-table"));  // for screen readers alone
  const edges = ink.map((x) => x.getBoundingClientRect());
  const text = [...slide.querySelectorAll(".body > p, .body > ul, .fragment > p")].filter(
    (x) => seen(x) && !x.matches(".number"));
  const plain = text.map((x) => { const y = x.cloneNode(true);
    y.querySelectorAll("mjx-container").forEach((m) => m.remove()); return y.textContent; });
  return {
    title: slide.querySelector("h2").textContent,
    words: plain.join(" ").split(/\s+/).filter(Boolean).length,
    letters: Math.min(...letters.map(size), 99), code: Math.min(...code.map(size), 99),
    high: Math.max(...edges.map((e) => e.bottom)) - Math.min(...edges.map((e) => e.top)),
    low: Math.max(...edges.map((e) => e.bottom)) - top,
    cut: edges.some((e) => e.bottom - top > 721 || e.right > 1281)
      || [...slide.querySelectorAll("div.math svg")].some((x) =>
        x.getBoundingClientRect().bottom > x.closest(".math").getBoundingClientRect().bottom + 4),
    covered: Math.min(...edges.map((e) => e.top))
      < slide.querySelector("h2").getBoundingClientRect().bottom - 4,
    kind: slide.className, minutes: slide.querySelector("aside [data-minutes]").dataset.minutes,
  };
})"""


@pytest.fixture
def shown(reader, slug):
    size = {"width": 1280, "height": 720}
    page = reader.open(deck_of(slug).as_uri(), viewport=size)
    page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
    yield page
    page.evaluate("Reveal.slide(0, 0, -1)")


@pytest.fixture
def measured(shown):
    return shown.evaluate(SLIDES)


@every_deck
def test_a_deck_is_an_hour_that_the_last_row_can_read(measured, slug):
    minutes = sum(float(slide["minutes"]) for slide in measured)
    is_hour = 30 <= len(measured) <= 45 and 43 <= minutes <= 60
    assert is_hour or written.is_draft(slug), (len(measured), minutes)
    for slide in measured:
        assert slide["words"] <= 25, slide
        assert slide["letters"] >= 24 and slide["code"] >= 20, slide
        assert not slide["cut"] and not slide["covered"], slide
        assert slide["low"] > 360 or slide["kind"].startswith("title"), slide
        pictured = "figure" in slide["kind"].split()
        assert not pictured or slide["high"] > 300, slide  # a figure fills its slide


@every_deck
def test_a_deck_is_accessible_in_a_light_room_and_in_a_dark_one(shown):
    shown.evaluate("Reveal.slide(0)")
    for kind in ("figure", "predict", "code"):
        shown.evaluate(
            "(kind) => Reveal.slide(Reveal.getIndices("
            "document.querySelector(`section.${kind}`)).h, 0, 99)",
            kind,
        )
        shown.keyboard.press("d")
        assert shown.evaluate("document.documentElement.dataset.theme") == "dark"
        assert not violations(shown, kind)
        shown.keyboard.press("d")
        assert not violations(shown, kind)


# What in the code has less contrast to its ground than 4.5 to 1, as WCAG 2 defines it.
FAINT = """() => {
  const bright = (colour) => { const [r, g, b] = colour.match(/[\\d.]+/g).map((c) => c / 255)
    .map((c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b + .05; };
  return [...document.querySelectorAll(".highlight span")].filter((word) => {
    const ground = bright(getComputedStyle(word.closest(".highlight")).backgroundColor);
    const ratio = bright(getComputedStyle(word).color) / ground;
    return word.textContent.trim() && Math.max(ratio, 1 / ratio) < 4.5;
  }).map((word) => word.textContent);
}"""


@every_deck
def test_code_can_be_read_in_a_light_room_and_in_a_dark_one(shown):
    assert not shown.evaluate(FAINT)
    shown.keyboard.press("d")
    assert not shown.evaluate(FAINT)
    shown.keyboard.press("d")


def violations(page, kind):
    """Return what breaks a rule of axe on the slide that is shown."""
    report = Axe().run(page, context=f"section.present.{kind}").response
    return [
        (v["id"], x["html"][:200]) for v in report["violations"] for x in v["nodes"]
    ]


@every_deck
def test_a_deck_tells_its_point_and_asks(slug):
    deck = BeautifulSoup(deck_of(slug).read_text(encoding="utf-8"), "html.parser")
    titles = [h.get_text() for h in deck.select("section > h2")]
    assert len(set(titles)) == len(titles), "a point is made once"
    votes = len(deck.select("section.predict ol.poll"))
    assert votes >= 3 or written.is_draft(slug), votes
    notes = [aside.get_text() for aside in deck.select("aside.notes")]
    assert min(len(note.split()) for note in notes) >= 12
    assert page_of(slug).exists() and (ROOT / "slides" / "README.md").exists()
