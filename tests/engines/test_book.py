"""One page of each kind in Firefox and in WebKit, the engine of Safari."""

import re

import numpy as np
import pypdfium2
import pytest
from playwright.sync_api import Error
from scipy.ndimage import label

from press.decks.files import deck_of
from tests.pages.built import address
from tests.pages.positions import astray, farthest
from tests.pages.scripts import COVERED, CUT, MOVES, PICTURE, TYPESET

CHAPTER = "08_backprop"  # with each kind of control, and lines of 88 columns
DESK, PHONE = 1280, 360
# From a phone's width to a desk's the sidebar slides in.
RESTS = """(width) => innerWidth === width &&
  !document.getAnimations().some((each) => each.playState === "running")"""


@pytest.fixture
def visit(reader):
    """Opens a page of the book, which may be as another test has left it."""

    def open_page(name, width=DESK):
        page = reader.open(address(f"book/{name}"))
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function(RESTS, arg=width)
        page.evaluate(TYPESET)
        return page

    return open_page


def test_every_control_changes_its_picture(visit):
    figures = visit(CHAPTER).locator("figure.interact").all()
    assert len(figures) >= 4
    for figure in figures:
        for seen in figure.evaluate(MOVES):
            location = f"{figure.get_attribute('data-name')}: {seen}"
            assert seen["descriptions"] == seen["count"], location
            assert seen["pictures"] > seen["count"] / 2, location


def test_links_and_addresses_set_their_figures(visit):
    page = visit(CHAPTER)
    assert not astray(page, farthest(page), links=True)


def test_a_slider_is_moved_by_keyboard_also_over_the_whole_screen(visit):
    page = visit(CHAPTER)
    figure = page.locator("figure.interact", has=page.locator(".play")).first
    slider = figure.locator("input[type=range]").first
    slider.evaluate("(x) => { x.value = 0; x.dispatchEvent(new Event('input')); }")
    slider.focus()
    before = figure.evaluate(PICTURE)
    page.keyboard.press("ArrowRight")
    assert slider.input_value() == "1" and figure.evaluate(PICTURE) != before
    figure.locator(".size").click()
    box = page.locator("dialog[open]").bounding_box()
    assert box["x"] == box["y"] == 0 and box["height"] == 800
    assert DESK - 20 <= box["width"] <= DESK  # less a scroll bar
    page.keyboard.press("Escape")
    page.wait_for_function("!document.querySelector('dialog[open]')")
    figure.locator(".play").click()
    page.wait_for_function("(x) => x.value === x.max", arg=slider.element_handle())
    page.wait_for_function("!document.querySelector('.play[aria-pressed=true]')")


def test_every_formula_is_rendered(visit):
    page = visit(CHAPTER)
    written = page.locator(".math").count()
    assert written > 30 and page.locator(".math mjx-container").count() >= written
    assert page.locator("mjx-merror, math [mathcolor=red]").count() == 0
    # A formula that has a place has letters in it.
    sizes = page.locator(".math mjx-container").evaluate_all(
        "(all) => all.filter((x) => x.checkVisibility()).map((x) => x.offsetHeight)"
    )
    assert len(sizes) > 30 and min(sizes) > 5


@pytest.mark.parametrize("name", [CHAPTER, "index", "errata_08", "glossary"])
def test_nothing_overflows_and_nothing_is_cut(visit, name):
    for width in (DESK, PHONE):
        page = visit(name, width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert not page.evaluate(CUT)
        assert not page.locator("article").first.evaluate(COVERED)


def test_the_map_lights_what_a_chapter_rests_on(visit):
    page = visit("index")
    page.locator(".map select").select_option("17")
    assert page.locator(".map li.on").count() > 2
    assert "Chapter 17 rests on" in page.locator(".map output").text_content()


def test_a_table_is_searched(visit):
    page = visit("glossary")
    page.locator(".finder input").fill("岭回归")
    output = page.locator(".finder output").text_content()
    assert re.match(r"[1-9] of \d+ ", output), output


def test_the_theme_is_changed(visit):
    page, ground = visit("index"), "getComputedStyle(document.body).backgroundColor"
    colours = {}
    for _ in range(3):  # as the system, light, dark
        page.locator(".theme-switch-button").first.click()
        colours[page.evaluate("document.documentElement.dataset.theme")] = (
            page.evaluate(ground)
        )
    assert colours.keys() == {"light", "dark"} and colours["light"] != colours["dark"]


def test_a_deck_shows_its_slides_and_moves_its_sliders(reader):
    size = {"width": 1280, "height": 720}
    page = reader.open(deck_of(CHAPTER).as_uri(), viewport=size)
    page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("Reveal.getState().indexh === 1")
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0
    figure = page.locator(
        "figure.interact", has=page.locator("input[type=range]")
    ).first
    figure.evaluate("(f) => Reveal.slide(Reveal.getIndices(f.closest('section')).h)")
    assert figure.is_visible() and not figure.evaluate(COVERED)
    slider, before = figure.locator("input[type=range]").first, figure.evaluate(PICTURE)
    slider.focus()
    key = "ArrowRight" if slider.input_value() == "0" else "ArrowLeft"
    for _ in range(3):
        page.keyboard.press(key)
    assert figure.evaluate(PICTURE) != before


# Underlays the last character of each line of code with more than 80; their number.
MARKED = """() => {
  const ends = [];
  for (const box of document.querySelectorAll(".cell_input pre")) {
    if (!box.checkVisibility()) continue;
    const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    for (let column = 0, last, node; (node = texts.nextNode()); )
      for (let i = 0; i < node.data.length; i++) {
        if (node.data[i] === "\\n" && column > 80) ends.push(last);
        if (node.data[i] === "\\n") column = 0;
        else [column, last] = [column + 1, [node, i]];
      }
  }
  for (const [node, i] of ends.reverse()) {
    const [range, mark] = [new Range(), document.createElement("span")];
    mark.style = "color: #f0f; background: #f0f; print-color-adjust: exact";
    range.setStart(node, i);
    range.setEnd(node, i + 1);
    range.surroundContents(mark);
  }
  return ends.length;
}"""


def test_print_has_the_ends_of_long_lines(visit, reader, tmp_path):
    page = visit(CHAPTER)
    marked = page.evaluate(MARKED)
    reader.forget()  # it has marks now
    assert marked > 5
    try:
        # Playwright 1.65 tells Firefox inches, which it takes for centimetres.
        margin = dict.fromkeys(("top", "right", "bottom", "left"), "1.27in")
        size = {"width": "21in", "height": "29.7in", "margin": margin}
        printed = page.pdf(print_background=True, **size)
    except Error as error:
        pytest.skip(f"expected a browser that prints for tests, got {error}")
    with pypdfium2.PdfDocument(printed) as document:
        assert [round(x) for x in document[0].get_size()] == [596, 842]  # points
        sheets = [sheet.render(scale=2).to_numpy()[..., :3] for sheet in document]
    count = sum(label(np.all(sheet == (255, 0, 255), axis=2))[1] for sheet in sheets)
    assert count == marked
