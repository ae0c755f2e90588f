"""The browser of the decks' tests."""

import pytest

from tests.browser import reading


@pytest.fixture(scope="package")  # while it is open no other test may start one
def shared_reader():
    with reading() as reader:
        yield reader
