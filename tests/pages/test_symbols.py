"""What a symbol means, on hover and on focus, from the chapter's own table."""

import pytest

from press import chapters

FORMULA = "#equation-eq-17-self mjx-container"
# How many formulas a chapter displays, and how many of them have a symbol of the table.
EXPLAINED = """() => {
  const help = document.getElementById("symbol-help");
  const formulas = [...document.querySelectorAll(".bd-article mjx-container[display]")];
  const explained = formulas.filter((formula) => {
    formula.focus({ focusVisible: true });
    const shown = !help.hidden && help.textContent.trim();
    formula.blur();
    return shown && help.hidden;
  });
  return [explained.length, formulas.length];
}"""


@pytest.fixture
def page(visit):
    return visit("book/17_transformer")


def help_of(page):
    return page.locator("#symbol-help:visible")


def test_a_symbol_under_the_pointer_is_explained(page):
    formula = page.locator(FORMULA).first
    formula.scroll_into_view_if_needed()
    formula.locator("mjx-msub").first.hover()
    assert help_of(page).inner_text().strip() == "projections"  # W_q, and not W
    page.mouse.move(2, 2)
    assert not help_of(page).count()


def test_the_keyboard_gets_all_symbols_of_a_formula(page):
    formula = page.locator(FORMULA).first
    formula.evaluate("formula => formula.focus({ focusVisible: true })")
    lines = [line.strip() for line in help_of(page).inner_text().splitlines()]
    assert {"queries", "keys", "values", "projections"} <= set(lines)
    assert lines.count("projections") == 1  # of three matrices
    described = formula.get_attribute("aria-describedby")
    assert described == help_of(page).get_attribute("id")
    page.keyboard.press("Escape")
    assert not help_of(page).count()


@pytest.mark.parametrize("slug", chapters.CHAPTERS)
def test_most_displayed_formulas_of_a_chapter_are_explained(visit, slug):
    explained, formulas = visit(f"book/{slug}").evaluate(EXPLAINED)
    assert formulas and explained > formulas / 2


def test_a_page_without_a_table_of_symbols_has_no_help(visit):
    assert not visit("book/teaching").locator("#symbol-help").count()


def test_the_notation_is_folded_and_its_address_opens_it(visit):
    page = visit("book/17_transformer")
    fold = page.locator("details.notation")
    assert not fold.evaluate("fold => fold.open")
    page.evaluate("location.hash = 'notation'")
    fold.locator("table").wait_for(state="visible")
    assert fold.locator("mjx-container").first.bounding_box()["height"] > 5
