"""The book for print, where ``make pdf`` has made it."""

import re

import pypdfium2
import pytest

from press.pages.chapter_head import BOOK
from press.paper.__main__ import LATEX, PDF

SCALE = 0.4  # pixels a point


@pytest.fixture(scope="session")
def path():
    pdf = PDF / BOOK
    if not pdf.exists():
        pytest.skip("expected the book for print, got none: make pdf")
    return pdf


@pytest.fixture(scope="session")
def document(path):
    with pypdfium2.PdfDocument(path) as opened:
        yield opened


@pytest.fixture(scope="session")
def texts(document):
    """The text of each page."""
    return [page.get_textpage().get_text_bounded() for page in document]


@pytest.fixture(scope="session")
def inks(document):
    """For each page which of its pixels are not white."""
    return [
        page.render(scale=SCALE, grayscale=True).to_numpy().squeeze() < 200
        for page in document
    ]


@pytest.fixture(scope="session")
def labels(path):
    """What LaTeX calls each place."""
    return set(re.findall(r"\\newlabel\{(.+?)\}\{", (LATEX / "book.aux").read_text()))
