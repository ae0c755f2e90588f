"""The browser of a file's tests."""

import pytest

from tests.browser import chromium


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser
