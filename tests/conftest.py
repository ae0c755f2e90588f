"""What the tests of a file share: a chapter's functions, a browser."""

import pytest


@pytest.fixture(scope="module")
def book(request):
    """The names that the define cells of the file's ``chapter`` define: a dictionary."""
    return request.module.chapter.namespace()


@pytest.fixture
def reader(shared_reader):
    """A reader of pages; what they ask of a network or complain of fails the test."""
    yield shared_reader
    troubles, shared_reader.troubles[:] = shared_reader.troubles[:], []
    assert not troubles
