"""The decks as a lecturer opens them, and the chapter live on a projector."""

import re
import socket
import subprocess
import urllib.request
from urllib.parse import urlsplit

import pytest

from press.decks import __main__ as command
from press.decks import present, written
from press.decks.files import deck_of, page_of
from tests.chapter_code import CHAPTERS, ROOT
from tests.pages.scripts import COVERED, PICTURE

DECKS = written.slugs()
every_deck = pytest.mark.parametrize("slug", DECKS)


@pytest.fixture
def show(reader):
    """Opens a deck, as another test has left it."""

    def open_deck(slug, query="", ready="html[data-ready=yes]"):
        path = deck_of(slug)
        assert path.exists(), (
            f"expected {path.relative_to(ROOT)}; run `make book` first"
        )
        size = {"width": 1280, "height": 720}
        page = reader.open(path.as_uri() + query, viewport=size)
        page.wait_for_selector(ready, timeout=60_000)
        return page

    return open_deck


@pytest.fixture
def deck(show, slug):
    """A deck at its first slide."""
    page = show(slug)
    page.evaluate("Reveal.slide(0, 0, -1)")
    return page


# Each slide in turn: its words, its height in pixels, and whether anything on it is wider
# than the screen or set in letters that are too small.
SLIDES = """() => {
  const slides = [];
  for (let i = 0; i < Reveal.getTotalSlides(); i++) {
    const slide = Reveal.getCurrentSlide();
    const wide = [...slide.querySelectorAll("pre, mjx-container, table, img, p, li")]
      .filter((x) => x.getBoundingClientRect().right > 1281 && x.offsetParent);
    slides.push({
      words: slide.innerText.trim(), high: slide.scrollHeight, wide: wide.length,
      small: [...slide.querySelectorAll("p, li, pre")].some(
        (x) => x.offsetParent && parseFloat(getComputedStyle(x).fontSize) < 15) });
    Reveal.slide(Reveal.getState().indexh + 1, 0, 99);
  }
  return slides;
}"""


@every_deck
def test_is_a_lecture_in_one_file_without_overflow(deck):
    count = deck.evaluate("Reveal.getTotalSlides()")
    assert deck.locator("section.predict").count()
    assert deck.locator("aside.notes").count()
    assert deck.locator("mjx-merror, [data-mjx-error]").count() == 0
    slides = deck.evaluate(SLIDES)
    assert len(slides) == count
    for slide in slides:
        assert slide["words"], "a slide without words"
        assert slide["high"] <= 721 and not slide["wide"] and not slide["small"], slide


@every_deck
def test_pages_forward_by_keyboard_and_every_slider_moves(deck):
    deck.keyboard.press("ArrowRight")
    assert deck.evaluate("Reveal.getState().indexh") == 1
    figures = deck.locator("figure.interact")
    assert figures.count()
    for i in range(figures.count()):
        figure = figures.nth(i)
        figure.evaluate(
            "(f) => Reveal.slide(Reveal.getIndices(f.closest('section')).h)"
        )
        assert figure.is_visible() and not figure.evaluate(COVERED)
        before = figure.evaluate(PICTURE)
        slider = figure.locator("input[type=range], select").first
        if slider.evaluate("(x) => x.matches('select')"):
            slider.select_option(
                index=slider.evaluate("(x) => x.selectedIndex ? 0 : 1")
            )
        else:
            slider.focus()
            low = slider.input_value() == slider.get_attribute("min")
            for _ in range(3):
                deck.keyboard.press("ArrowRight" if low else "ArrowLeft")
        deck.wait_for_timeout(50)
        assert figure.evaluate(PICTURE) != before, figure.get_attribute("data-name")


# What a clicker and a lecturer press on slide {0}, and what is true afterwards.
KEYS = {
    "PageDown": "Reveal.getState().indexh > {0}",
    "PageUp": "Reveal.getState().indexh < {0}",
    "Space": "Reveal.getState().indexh > {0}",
    "b": "Reveal.isPaused()",
    "Escape": "Reveal.isOverview()",
    "f": "document.fullscreenElement !== null",
}


@pytest.mark.parametrize("slug", DECKS[:1])
@pytest.mark.parametrize("key", KEYS)
def test_after_a_click_on_a_slider_a_key_still_reaches_the_deck(deck, key):
    slider, value = hold_a_slider(deck)
    answer = KEYS[key].format(deck.evaluate("Reveal.getState().indexh"))
    assert not deck.evaluate(answer)
    deck.keyboard.press(key)
    deck.wait_for_function(answer, timeout=5_000)
    assert slider.input_value() == value
    if key in ("b", "Escape"):
        deck.keyboard.press(key)
    deck.evaluate("document.fullscreenElement && document.exitFullscreen()")


@pytest.mark.parametrize("slug", DECKS[:1])
def test_after_a_click_on_a_slider_s_opens_the_notes(deck):
    hold_a_slider(deck)
    with deck.expect_popup() as notes:
        deck.keyboard.press("s")
    notes.value.close()


@pytest.mark.parametrize("slug", DECKS[:1])
def test_after_a_click_on_a_slider_arrows_move_it(deck):
    slider, value = hold_a_slider(deck)
    slide = deck.evaluate("Reveal.getState().indexh")
    deck.keyboard.press("ArrowLeft")
    assert int(slider.input_value()) == int(value) - 1
    assert deck.evaluate("Reveal.getState().indexh") == slide


@pytest.mark.parametrize("slug", DECKS[:1])
def test_a_space_presses_the_button_that_has_the_focus(deck):
    hold_a_slider(deck)
    slide = deck.evaluate("Reveal.getState().indexh")
    size = deck.locator("section.present figure.interact button.size").first
    for visible in (1, 0):  # the larger picture opens, then closes
        size.focus()
        deck.keyboard.press(" ")
        assert deck.locator("dialog[open]").count() == visible
        assert deck.evaluate("Reveal.getState().indexh") == slide


def hold_a_slider(deck):
    """Click the end of the first slider of the deck; the slider and its value then."""
    figure = deck.locator("figure.interact:has(input[type=range])").first
    figure.evaluate("(f) => Reveal.slide(Reveal.getIndices(f.closest('section')).h)")
    slider = figure.locator("input[type=range]").first
    box = slider.bounding_box()
    slider.click(position={"x": box["width"] - 8, "y": box["height"] / 2})
    return slider, slider.input_value()


@pytest.mark.parametrize("slug", DECKS[:1])
def test_prints_a_page_a_slide(deck, show, slug):
    count = deck.evaluate("Reveal.getTotalSlides()")
    deck = show(slug, "?print-pdf", "html.print-pdf[data-ready=yes]")
    deck.wait_for_function(
        "(n) => document.querySelectorAll('.pdf-page').length === n", arg=count
    )
    sides = deck.locator(".pdf-page > section").evaluate_all(
        "(all) => all.map((x) => parseFloat(getComputedStyle(x).paddingLeft))"
    )
    assert set(sides) == {48}
    pages = deck.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pages)) == count


@every_deck
def test_the_page_leads_to_the_deck(slug):
    assert f'href="../slides/{slug}.html"' in page_of(slug).read_text()
    assert deck_of(slug).exists()
    assert deck_of(slug) == (page_of(slug).parent / f"../slides/{slug}.html").resolve()


def test_an_unknown_chapter_is_named():
    for module in (command, present):
        with pytest.raises(SystemExit, match=r"03_linear_regression.*99_magic"):
            module.main(["99_magic"])


def test_the_stage_shows_sliders_without_code(reader):
    path = present.stage(CHAPTERS[0])  # the chapter that runs fastest
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/"
    server = subprocess.Popen(
        present.command(path, "--no-browser", f"--port={urlsplit(address).port}"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        size = {"width": 1280, "height": 900}
        page = reader.browser.new_page(viewport=size)
        for _ in range(120):
            try:
                urllib.request.urlopen(f"{address}voila/static/", timeout=1)
            except urllib.error.HTTPError:
                break
            except OSError:
                page.wait_for_timeout(250)
        page.goto(address, timeout=120_000)
        page.locator(".widget-vbox").nth(3).wait_for(timeout=120_000)
        assert page.locator(".jp-InputArea-editor").count() == 0
        assert "import numpy" not in page.locator("body").inner_text()
        figure = page.locator(".widget-vbox").first
        picture, handle = figure.locator("img"), figure.locator(".noUi-handle").first
        before = picture.get_attribute("src")
        handle.focus()
        page.keyboard.press("ArrowLeft")  # it begins at its right end
        page.wait_for_function(
            "([image, before]) => image.src !== before",
            arg=[picture.element_handle(), before],
        )
    finally:
        server.terminate()
        server.wait(30)
