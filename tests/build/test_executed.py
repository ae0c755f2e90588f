"""What the last build recorded of each notebook: every cell has held."""

import pytest

from press.execution import cache, record
from tests.chapter_code import BOOK

NOTEBOOKS = sorted(BOOK.glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_nothing_failed_when_the_book_was_built(path):
    records = cache.records([path])
    assert None not in records.values(), (
        f"{path.stem} has changed since; run `make book`"
    )
    failures = [
        f"{f}\n{f.traceback}" for r in records.values() for f in record.failures(r)
    ]
    assert not failures, "\n".join(failures)
