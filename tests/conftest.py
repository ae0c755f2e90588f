"""What the tests of a file share: a chapter's functions, a browser."""

import pytest

from tests.browser import Reader, chromium


@pytest.fixture(scope="module")
def book(request):
    """The names that the define cells of the file's ``chapter`` define: a dictionary."""
    return request.module.chapter.namespace()


@pytest.fixture(scope="module")
def browser_of_the_file():
    with chromium() as browser:
        reader = Reader(browser)
        yield reader
        reader.close()


@pytest.fixture
def reader(browser_of_the_file):
    """A reader of pages; what they ask of a network or complain of fails the test."""
    yield browser_of_the_file
    troubles, browser_of_the_file.troubles[:] = browser_of_the_file.troubles[:], []
    assert not troubles
