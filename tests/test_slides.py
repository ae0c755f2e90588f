"""The decks as a lecturer opens them, and the chapter live on a projector."""

import os
import re
import subprocess
import urllib.request

import pytest

from slides import build, present
from tests.browser import chromium
from tests.notebooks import CHAPTERS, ROOT, Chapter
from tests.test_pages import PICTURE

DECKS = ROOT / "_build" / "slides"
every_chapter = pytest.mark.parametrize("slug", CHAPTERS)


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture
def deck(browser, slug):
    """A deck in a browser without a network; a complaint of its console fails the test."""
    path, troubles = DECKS / f"{slug}.html", []
    assert path.exists(), f"expected {path.relative_to(ROOT)}; run `make slides` first"
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    context.route(re.compile("^(?!file:|data:|blob:)"), lambda route: route.abort())
    page = context.new_page()
    page.on("request", lambda r: re.match("https?:", r.url) and troubles.append(r.url))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda m: m.type == "error" and troubles.append(m.text))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
    yield page
    context.close()
    assert not troubles


@every_chapter
def test_is_a_lecture_in_one_file_without_overflow(deck):
    count = deck.evaluate("Reveal.getTotalSlides()")
    assert 30 <= count <= 60
    assert deck.locator("section.predict").count() >= 3
    assert deck.locator("aside.notes").count() >= 15
    assert deck.locator("mjx-merror, [data-mjx-error]").count() == 0
    for _ in range(count):
        slide = deck.evaluate(
            """() => {
              const slide = Reveal.getCurrentSlide();
              const wide = [...slide.querySelectorAll("pre, mjx-container, table, img, p, li")]
                .filter((x) => x.getBoundingClientRect().right > 1281 && x.offsetParent);
              return { words: slide.innerText.trim(), high: slide.scrollHeight, wide: wide.length,
                       small: [...slide.querySelectorAll("p, li, pre")].some(
                         (x) => x.offsetParent && parseFloat(getComputedStyle(x).fontSize) < 15) };
            }"""
        )
        assert slide["words"], "a slide without words"
        assert slide["high"] <= 721 and not slide["wide"] and not slide["small"], slide
        deck.evaluate("Reveal.slide(Reveal.getState().indexh + 1, 0, 99)")


@every_chapter
def test_pages_forward_by_keyboard_and_every_slider_moves(deck):
    deck.keyboard.press("ArrowRight")
    assert deck.evaluate("Reveal.getState().indexh") == 1
    figures = deck.locator("figure.interact")
    assert figures.count() >= 4
    for i in range(figures.count()):
        figure = figures.nth(i)
        figure.evaluate(
            "(f) => Reveal.slide(Reveal.getIndices(f.closest('section')).h)"
        )
        assert figure.is_visible()
        before = figure.evaluate(PICTURE)
        slider = figure.locator("input[type=range], select").first
        if slider.evaluate("(x) => x.matches('select')"):
            slider.select_option(
                index=slider.evaluate("(x) => x.selectedIndex ? 0 : 1")
            )
        else:
            slider.focus()
            low = slider.input_value() == slider.get_attribute("min")
            deck.keyboard.press("End" if low else "Home")
        deck.wait_for_timeout(50)
        assert figure.evaluate(PICTURE) != before, figure.get_attribute("data-name")


@pytest.mark.parametrize("slug", CHAPTERS[:1])
def test_prints_a_page_a_slide(deck):
    count = deck.evaluate("Reveal.getTotalSlides()")
    deck.goto(f"{deck.url.split('#')[0]}?print-pdf")
    deck.wait_for_selector("html.print-pdf[data-ready=yes]", timeout=60_000)
    deck.wait_for_function(
        "(n) => document.querySelectorAll('.pdf-page').length === n", arg=count
    )
    sides = deck.locator(".pdf-page > section").evaluate_all(
        "(all) => all.map((x) => parseFloat(getComputedStyle(x).paddingLeft))"
    )
    assert set(sides) == {48}
    pages = deck.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pages)) == count


@every_chapter
def test_every_cell_says_what_it_is_in_a_lecture(slug):
    types = [
        c.metadata.get("slideshow", {}).get("slide_type", "-")
        for c in Chapter(slug).notebook.cells
    ]
    assert set(types) <= {"slide", "subslide", "fragment", "notes", "skip", "-"}
    assert types[0] == "slide" and types.count("slide") >= 6


@every_chapter
def test_the_page_leads_to_the_deck(slug):
    page = (ROOT / "_build" / "html" / "book" / f"{slug}.html").read_text()
    assert f'href="../slides/{slug}.html"' in page
    beside = ROOT / "_build" / "html" / "slides" / f"{slug}.html"
    assert beside.read_bytes() == (DECKS / f"{slug}.html").read_bytes()


def test_an_unknown_chapter_is_named():
    for module in (build, present):
        with pytest.raises(SystemExit, match=r"03_linear_regression.*99_magic"):
            module.main(["99_magic"])


def test_the_stage_shows_sliders_without_code(browser):
    path = present.stage("06_activations")
    server = subprocess.Popen(
        present.command(path, "--no-browser", "--port=8867"),
        env=os.environ | {"BOOK_MODE": "live"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        for _ in range(120):
            try:
                urllib.request.urlopen("http://localhost:8867/voila/static/", timeout=1)
            except urllib.error.HTTPError:
                break
            except OSError:
                page.wait_for_timeout(250)
        page.goto("http://localhost:8867/", timeout=120_000)
        page.locator(".widget-vbox").nth(6).wait_for(timeout=120_000)
        assert page.locator(".jp-InputArea-editor").count() == 0
        assert "import numpy" not in page.locator("body").inner_text()
        figure = page.locator(".widget-vbox").first
        picture, handle = figure.locator("img"), figure.locator(".noUi-handle").first
        before = picture.get_attribute("src")
        handle.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function(
            "([image, before]) => image.src !== before",
            arg=[picture.element_handle(), before],
        )
    finally:
        server.terminate()
        server.wait(30)
