"""A reader in each browser besides Chromium; where there is none its tests are skipped."""

from contextlib import ExitStack

import pytest

from tests.browser import Reader
from tests.engines.launch import ENGINES, Missing, started


# While it is open none other may start.
@pytest.fixture(scope="package", params=ENGINES)
def shared_reader(request):
    with ExitStack() as stack:
        try:
            browser = stack.enter_context(started(request.param))
        except Missing as missing:
            pytest.skip(str(missing))
        reader = Reader(browser)
        yield reader
        reader.close()
