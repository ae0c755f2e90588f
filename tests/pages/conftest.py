"""The browser of the pages' tests, and a page opened in it."""

import pytest

from tests.browser import reading
from tests.pages.built import address
from tests.pages.scripts import TYPESET, WEAR

DESK = 1280


@pytest.fixture(scope="package")  # while it is open no other test may start one
def shared_reader():
    with reading() as reader:
        yield reader


@pytest.fixture
def visit(reader):
    """Opens a page of the book, which may be as another test has left it.

    But for width, theme and medium.
    """

    def open_page(name, *, width=DESK, theme="light", position="", **options):
        page = reader.open(address(name) + position, **options)
        page.set_viewport_size({"width": width, "height": 800})
        if options.get("java_script_enabled", True):
            page.evaluate(WEAR, theme)
            if not position:  # which a reader opens with most formulas still to come
                page.evaluate(TYPESET)
        return page

    return open_page
