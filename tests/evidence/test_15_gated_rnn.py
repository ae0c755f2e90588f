"""The search of chapter 15, repeated, and gates on the characters of this book, trained."""

import csv

import numpy as np
import pytest

from press import chapters
from tests.chapter_code import Chapter
from tests.chapters.test_15_gated_rnn import characters, perplexity

chapter = Chapter("15_gated_rnn")
with (chapters.BOOK / "data" / "run_15_lag.csv").open() as file:
    ROWS = [
        (row["network"], int(row["length"]), float(row["rate"]), int(row["seed"]),
         float(row["steps"] or np.inf))
        for row in csv.DictReader(file)
    ]  # fmt: skip
LIMIT = 3000


@pytest.fixture(scope="module")
def book():
    scope = chapter.namespace()
    chapter.define("15-lag-run", scope, "contender")
    return scope


@pytest.mark.parametrize("name, length", sorted({row[:2] for row in ROWS}))
def test_the_search_comes_out_as_the_file_says(book, name, length):
    """Medians of three starts; near the limit one may be on either side of it."""
    for rate in sorted({row[2] for row in ROWS if row[:2] == (name, length)}):
        there, here = [], []
        for *case, seed, steps in ROWS:
            if case == [name, length, rate]:
                net = book["contender"](name, seed, length)
                losses = book["train"](net, seed, length, rate, LIMIT)
                there.append(steps)
                here.append(book["learned_after"](losses))
        found, wanted = np.median(here), np.median(there)
        if np.isinf(wanted) or np.isinf(found):
            assert min(found, wanted) > LIMIT / 2, (rate, here, there)
        else:
            assert 0.5 < found / wanted < 2, (rate, here, there)


def test_gates_help_on_the_characters_of_this_book():
    """The numbers of section "Which one to use when"; each at the best of its rates."""
    texts = characters()
    for kind, H, rates, told in (
        ("RNN", 96, (0.01, 0.02, 0.03), 4.9),
        ("GRU", 53, (0.01, 0.03, 0.1), 4.2),
        ("LSTM", 45, (0.03, 0.1, 0.3), 4.1),
    ):
        found = [perplexity(kind, H, lr, 0, texts) for lr in rates]
        assert min(found) == found[1] and abs(found[1][1] - told) < 0.2, (kind, found)
