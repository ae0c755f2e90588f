"""Each page keeps the rules of axe, in the light theme and in the dark one.

Last of the files by name: these tests leave a page changed, and the next loads it anew.
"""

import re

import pytest

from tests.pages.accessibility import FORMULAS, SAMPLE, breaches, pale
from tests.pages.built import every_page


@pytest.fixture(scope="package")
def known():
    """The looks that pages have shown so far, by theme."""
    return {"light": set(), "dark": set()}


@pytest.fixture
def alter(reader, visit):
    """Opens a page that the test may change: the next one loads it anew."""
    yield visit
    reader.forget()


def typeset(page):
    """Have MathJax write all formulas now, not when they come into view."""
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.wait_for_function("!document.querySelector('mjx-lazy')")


@every_page
def test_is_accessible(alter, known, name):
    page = alter(name)
    page.evaluate(SAMPLE)
    # MathJax writes the same in chapters and their errata, where it would take axe
    # most of its time.
    violations = [] if re.search(r"/(errata_)?\d\d", name) else breaches(page)
    page.evaluate(FORMULAS, "formula")
    violations = violations or breaches(page)
    for theme in known:
        violations += pale(page, theme, known[theme])
    assert not violations


def test_a_pale_formula_is_found(alter):
    page = alter("book/notation")
    typeset(page)  # or MathJax may write the formula anew, without the colour
    page.evaluate("document.querySelector('mjx-container').style.color = '#ccc'")
    page.evaluate(FORMULAS, "pale")
    violations = pale(page, "light", set())
    assert len(violations) == 1 and "pale" in violations[0][1]


def test_what_only_the_dark_theme_makes_pale_is_found_later(alter):
    known = {"light": set(), "dark": set()}
    page = alter("book/errata_10")
    typeset(page)  # what MathJax still waits for may lie in what SAMPLE removes
    page.evaluate(SAMPLE)
    assert not [
        *pale(page, "light", known["light"]),
        *pale(page, "dark", known["dark"]),
    ]
    page.add_style_tag(
        content="[data-theme=dark] .highlight span { color: #444 !important; }"
    )
    assert not pale(page, "light", known["light"])
    assert pale(page, "dark", known["dark"])


def test_what_is_wrong_in_one_row_of_a_long_table_is_found(alter):
    page = alter("book/glossary")
    page.evaluate(
        """() => {
          const [cell] = document.querySelectorAll("article tbody")[0].rows[131].cells;
          cell.replaceChildren(document.createElement("img"));
        }"""
    )
    page.evaluate(SAMPLE)
    assert page.locator("article tbody tr").count() < 100
    assert {rule for rule, _ in breaches(page)} == {"image-alt"}
