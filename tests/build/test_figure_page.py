"""A page of two figures in a browser: positions, addresses, play, print, a phone."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from press.figures.bundle import static_bundle
from tests.chapter_code import ROOT
from tests.figures import ALIVE, line, shown_with
from utils.interact import interact

PAGE = """<!DOCTYPE html><html lang="en" data-theme="light"><head><title>Page</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>{}</style>{}
<style>body {{ margin: 0 }} .bd-article {{ padding: 16px }} .output {{ overflow-x: auto }}</style>
</head><body class="bd-content"><article class="bd-article">
<div class="cell_output"><div class="output text_html">{}</div></div>
<div style="height: 200vh"></div>
<p><a class="position" href="#wave:step=4,line=%C2%BD%2C%20dashed">half of it</a>
<a class="position" href="#wave:step=9">off the grid</a></p>
<div class="cell_output"><div class="output text_html">{}</div></div>
</article></body></html>"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """A page of two figures, the first of them with each kind of control."""

    def wave(step=0, line="solid", grid=False):
        """A wave."""
        fig, ax = plt.subplots(figsize=(6.5, 3), layout="constrained")
        ax.plot(np.sin(np.arange(50) / 5 + step), "-" if line == "solid" else "--")
        ax.grid(grid)
        return fig

    def other(slope=1):
        """A straight line."""
        return line(slope)

    with shown_with(static_bundle) as bundles:
        shapes = ["solid", "½, dashed"]
        interact(step=(0, 5), line=shapes, grid=False, play="step")(wave)
        interact(slope=[1, 2])(other)
    css = (ROOT / "press" / "pages" / "static" / "book.css").read_text()
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(
        PAGE.format(css, ALIVE, *(bundle["text/html"] for bundle in bundles))
    )
    return file


@pytest.fixture
def visit(browser, page_file):
    contexts = []

    def open_page(address="", **options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.goto(page_file.as_uri() + address)
        return page

    yield open_page
    for context in contexts:
        context.close()


def states(page):
    return page.locator("figure.interact .state").all_text_contents()


START = "step = 0, line = solid, grid = off"


HALF = "step = 4, line = ½, dashed, grid = off"
# The first live region's politeness when it is set: it is taken away after a second.
NOTE_LIVE = """() => new MutationObserver(([seen]) => {
  window.live ??= seen.target.getAttribute("aria-live");
}).observe(document.querySelector(".state"), { attributeFilter: ["aria-live"] })"""


def test_a_position_moves_its_figure_and_no_other(visit):
    page = visit(viewport={"width": 1280, "height": 800})
    assert states(page) == [START, "slope = 1"]
    image = page.locator("img").nth(1)
    before = image.get_attribute("src")
    page.locator("input[type=checkbox]").check()
    page.locator("a.position").first.focus()
    assert page.evaluate("scrollY") > 300
    page.evaluate(NOTE_LIVE)
    page.keyboard.press("Enter")
    assert states(page) == [HALF, "slope = 1"]  # what it does not name is as at first
    assert image.get_attribute("alt") == f"A wave. {HALF}."
    assert image.get_attribute("src") != before
    assert page.evaluate("window.live") == "polite"
    assert page.url.endswith("#wave:step=4,line=%C2%BD%2C%20dashed")
    top = page.evaluate(
        "document.querySelector('.picture').getBoundingClientRect().top"
    )
    assert 0 <= top < 700
    page.locator("a.position").nth(1).click()  # off the grid: nothing moves
    assert states(page) == [HALF, "slope = 1"]


def test_controls_are_native_and_labelled(visit):
    form = visit().get_by_role("form", name="Controls of wave")
    assert (
        form.get_by_role("slider", name="step").get_attribute("aria-valuetext") == "0"
    )
    assert form.get_by_role("combobox", name="line").input_value() == "solid"
    assert not form.get_by_role("checkbox", name="grid").is_checked()


def test_an_address_with_a_position_opens_it_so(visit):
    page = visit("#wave:step=2,grid=on")
    assert states(page)[0] == "step = 2, line = solid, grid = on"
    page.evaluate("location.hash = '#wave:step=3'")
    page.wait_for_function("document.querySelector('input').value === '3'")
    assert states(page)[0] == "step = 3, line = solid, grid = off"
    for odd in ["#wave:step=99", "#wave:line=%E0%A4%A", "#wave:x=1", "#wave", "#é:%"]:
        page.evaluate("(hash) => { location.hash = hash; }", odd)
        page.wait_for_timeout(50)
        assert states(page)[0] == "step = 3, line = solid, grid = off", odd
    page.evaluate("location.hash = '#wave:'")
    page.wait_for_function("document.querySelector('input').value === '0'")
    assert visit("#wave:line=%E0%A4%A").locator("form:visible").count() == 2


def test_time_plays_through_and_stops_at_a_touch(visit):
    page = visit()
    play = page.get_by_role("button", name="Play step")
    play.click()
    assert play.get_attribute("aria-pressed") == "true"
    page.wait_for_function("document.querySelector('input').value === '5'")
    page.wait_for_function("document.querySelector('.play').ariaPressed === 'false'")
    replay = "(b) => { b.click(); return b.closest('figure').querySelector('.state').textContent }"
    assert play.evaluate(replay) == START  # from the end: again from the start
    page.locator("input[type=checkbox]").click()
    assert play.get_attribute("aria-pressed") == "false"
    assert visit(reduced_motion="reduce").locator(".play:visible").count() == 0


def test_without_javascript_and_in_print_the_values_stand_in_words(visit):
    page = visit(java_script_enabled=False)
    assert page.locator("form:visible").count() == 0
    assert page.locator(".state").first.inner_text() == START
    assert page.locator(".state").first.bounding_box()["height"] > 10
    page = visit("#wave:step=2")
    assert page.locator(".state").first.bounding_box()["height"] <= 1
    page.emulate_media(media="print")
    assert page.locator("form:visible").count() == 0
    assert page.locator(".state").first.bounding_box()["height"] > 10
    assert states(page)[0].startswith("step = 2")


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def test_a_phone_shows_the_edges_of_a_picture(visit):
    page = visit(**PHONE)
    box = page.locator(".picture").first.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    hit = """(e) => { const { left, right, top } = e.getBoundingClientRect();
      return [left + 1, right - 1].map(
        (x) => e.contains(document.elementFromPoint(x, top + 9))); }"""
    assert page.locator(".picture").first.evaluate(hit) == [True, True]  # none clips it


def test_at_a_desk_no_hint_is_needed(visit):
    assert not visit().locator(".hint:visible").count()


def test_a_tap_opens_the_figure_over_the_screen(visit):
    page = visit(**PHONE)
    height = page.evaluate("document.documentElement.scrollHeight")
    assert page.locator(".hint:visible").first.text_content().startswith("Tap")
    page.locator(".picture").first.tap()
    dialog = page.get_by_role("dialog")
    lettering = float(page.locator("figure").first.get_attribute("data-lettering"))
    assert dialog.locator("img").last.bounding_box()["width"] * lettering >= 11
    assert dialog.bounding_box() == {"x": 0, "y": 0, "width": 390, "height": 844}
    assert page.evaluate("document.documentElement.scrollHeight") == height
    slider = dialog.get_by_role("slider")
    assert 0 < slider.bounding_box()["y"] < 844 - 20
    slider.press("End")
    assert states(page)[0].startswith("step = 5")
    dialog.get_by_role("button", name="Close").tap()
    assert dialog.count() == 0
    page.get_by_role("button", name="Larger picture").first.tap()
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    page.locator("figure > .picture + .hint + form + .state").nth(1).wait_for(
        state="attached"
    )
    assert states(page)[0].startswith("step = 5")
