"""Which pages the built book has, and where."""

import re
from functools import lru_cache

import pytest
from bs4 import BeautifulSoup

from tests.chapter_code import BOOK, ROOT

HTML = ROOT / "_build" / "html"
PAGES = sorted(  # the table of contents has them all; see test_repository.py
    f"book/{p.stem}" for p in BOOK.iterdir() if p.suffix in {".ipynb", ".md"}
)
CHAPTERS = [page for page in PAGES if re.match(r"book/\d\d_", page)]

every_page = pytest.mark.parametrize("name", PAGES)
every_chapter = pytest.mark.parametrize("name", CHAPTERS)


def address(name: str) -> str:
    """Return the ``file:`` address of a page such as ``book/01_math``."""
    path = HTML / f"{name}.html"
    assert path.exists(), f"expected {path.relative_to(ROOT)}; run `make book` first"
    return path.as_uri()


def source(name: str) -> str:
    """Return the HTML of a page."""
    return (HTML / f"{name}.html").read_text("utf-8")


@lru_cache(maxsize=1)  # the tests of a page run one after the other
def parsed(name: str) -> BeautifulSoup:
    """Return the parsed HTML of a page."""
    return BeautifulSoup(source(name), "html.parser")
