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


@every_page
def test_is_accessible(visit, reader, known, name):
    page = visit(name)
    reader.forget()  # it is changed below, so the next test loads it anew
    page.evaluate(SAMPLE)
    # MathJax writes the same in chapters and their errata, where it would take axe
    # most of its time.
    violations = [] if re.search(r"/(errata_)?\d\d", name) else breaches(page)
    page.evaluate(FORMULAS, "formula")
    violations = violations or breaches(page)
    for theme in known:
        violations += pale(page, theme, known[theme])
    assert not violations
