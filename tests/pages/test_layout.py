"""Where things stand on a page: at a desk, on a phone, in print."""

import pytest

from tests.pages.built import every_chapter, every_page
from tests.pages.conftest import DESK
from tests.pages.printed import unstated
from tests.pages.scripts import COVERED, CUT

NARROW, SMALL_PHONE, PHONE = 320, 360, 390
LEGIBLE = 11  # pixels of a font


@every_page
@pytest.mark.parametrize("width", [SMALL_PHONE, DESK])
def test_nothing_overflows(visit, name, width):
    page = visit(name, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@every_chapter
def test_no_control_covers_another_at_a_desk(visit, name):
    assert not visit(name, width=DESK).locator("article").first.evaluate(COVERED)


@every_chapter
def test_on_a_phone_no_picture_is_cut_and_no_control_covers_another(visit, name):
    assert not visit(name, width=PHONE).evaluate(CUT)
    assert not visit(name, width=NARROW).locator("article").first.evaluate(COVERED)


@every_chapter
def test_on_a_phone_letters_are_legible_or_the_figure_says_how_to_enlarge_them(
    visit, name
):
    figures = visit(name, width=PHONE).evaluate(
        """() => [...document.querySelectorAll("figure.interact")].map((figure) => {
          const lettering = Number(figure.dataset.lettering);
          const enlarged = parseFloat(figure.style.getPropertyValue("--legible"));
          return {
            name: figure.dataset.name,
            pixels: figure.querySelector(".picture").clientWidth * lettering,
            hint: !figure.querySelector(".hint").hidden,
            enlarged: enlarged * lettering,
          };
        })"""
    )
    assert figures
    for figure in figures:
        assert figure["hint"] == (figure["pixels"] < LEGIBLE), figure
        assert LEGIBLE <= figure["enlarged"] < 3 * LEGIBLE, figure


@every_chapter
def test_a_figure_does_not_move_the_page(visit, name):
    """The place and height of each figure, and of the page, at both ends of its ranges."""
    moved = visit(name).evaluate(
        """() => [...document.querySelectorAll("figure.interact")].filter((figure) => {
          const ranges = [...figure.querySelectorAll("input[type=range]")];
          const at = (end) => {
            for (const range of ranges) {
              range.value = range[end];
              range.dispatchEvent(new Event("input"));
            }
            return [figure.offsetTop, figure.offsetHeight,
                    document.documentElement.scrollHeight].join();
          };
          return at("min") !== at("max");
        }).map((figure) => figure.dataset.name)"""
    )
    assert not moved


@every_chapter
def test_in_print_a_figure_states_its_position(visit, name):
    assert not unstated(visit(name))


def test_opens_in_the_theme_that_the_reader_has_chosen(visit, reader):
    page = visit("book/index")
    for theme in ("dark", "light"):
        # Before the page's own scripts: what an old page stores may reach a new one late.
        page.add_init_script(f"localStorage.mode = localStorage.theme = '{theme}'")
        page.reload()
        assert page.evaluate("document.documentElement.dataset.theme") == theme
    reader.close()  # with the scripts that it was given
