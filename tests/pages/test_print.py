"""What a page says is on its print, too: paper does not scroll."""

from tests.pages.built import every_chapter
from tests.pages.conftest import DESK

A4 = 698  # CSS pixels of a line, between margins of half an inch

# What on the page scrolls sideways or down, with what it holds too much.
SCROLLS = """() => [...document.querySelectorAll(".bd-article :is(pre, div, mjx-container)")]
  .filter((box) => box.checkVisibility() && getComputedStyle(box).overflow !== "visible")
  .map((box) => [box, box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight])
  .filter(([box, across, down]) => across > 2 || (box.matches("pre") && down > 2))
  .map(([box, across, down]) => `${across}, ${down} pixels cut: ${box.textContent.slice(0, 50)}`)"""
# The lines of code that are broken into two.
BROKEN = """() => [...document.querySelectorAll(".bd-article .cell_input pre")]
  .filter((box) => box.checkVisibility())
  .filter((box) => {
    const { lineHeight, paddingTop, paddingBottom } = getComputedStyle(box);
    const lines = box.textContent.trimEnd().split("\\n").length;
    const room = box.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom);
    return room > (lines + 0.5) * parseFloat(lineHeight);
  })
  .map((box) => box.textContent.slice(0, 60))"""


def printed(page, script):
    """Return what a script finds in a page as it is printed on A4."""
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.set_viewport_size({"width": A4, "height": 1000})
    page.emulate_media(media="print")
    texts = page.evaluate(script)
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.set_viewport_size({"width": DESK, "height": 800})
    return texts


@every_chapter
def test_in_print_nothing_is_cut_and_no_line_of_code_broken(visit, name):
    page = visit(name)
    assert page.locator(".cell_input pre").count() > 10
    assert not printed(page, SCROLLS)
    assert not printed(page, BROKEN)


def test_in_print_a_line_that_is_longer_than_paper_goes_on_in_the_next(visit, reader):
    page = visit("book/errata")
    page.locator("article").evaluate(
        """(article) => {
          const box = document.createElement("div");
          box.className = "failed-here cell_output";
          box.innerHTML = "<details open><pre></pre></details>";
          box.querySelector("pre").textContent = ("x".repeat(300) + "\\n").repeat(60);
          article.append(box);
        }"""
    )
    assert not printed(page, SCROLLS)
    reader.forget()


def test_a_page_with_the_dark_theme_is_printed_on_white(visit):
    ground = "getComputedStyle(document.body).backgroundColor"
    light = visit("book/index").evaluate(ground)
    page = visit("book/index", theme="dark")
    dark = page.evaluate(ground)
    assert printed(page, ground) == light != dark
    assert page.evaluate(ground) == dark
