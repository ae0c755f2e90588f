"""The rates of chapter 20, searched, and its file repeated."""

import csv

import numpy as np
import pytest

from press import chapters
from tests.chapter_code import Chapter

chapter = Chapter("20_seq2seq")


@pytest.fixture(scope="module")
def book():
    scope = dict(chapter.namespace())
    chapter.run("6023298d", scope)  # the corpus
    chapter.run("d0da378c", scope)  # ``fit`` and ``share``
    return scope


@pytest.mark.parametrize("attention", [True, False], ids=["attention", "fixed code"])
def test_the_rate_of_the_page_is_the_best_of_three(book, attention):
    """On validation sentences, a factor of three apart, and so not at the edge."""
    rates = book["RATE"] / 3, book["RATE"], 3 * book["RATE"]
    nets = (book["fit"](attention, 9, book["EPOCHS"][attention], lr=lr) for lr in rates)
    found = [book["share"](net, book["val_fr"]) for net in nets]
    assert found[1] > max(found[0], found[2]), found


def test_the_networks_come_out_as_the_file_says(book):
    chapter.define("6d9e4329", book, "log_p", "blame", "changed")
    chapter.run("6b9ece1a", book)
    with (chapters.BOOK / "data" / "run_20_networks.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * 3
    peaks, kinds = [], ("article", "stop", "pronoun", "other")
    right = [f"right of {n}" for n in (8, 9, 10, 11)]
    counts = "wrong", "missed", "repaired", "spoiled"
    for row in rows:
        attention = row["network"] != "fixed code"
        epochs = 3 if row["network"] == "three passes" else book["EPOCHS"][attention]
        net = book["fit"](attention, int(row["seed"]), epochs)
        for key, pairs in zip(right, book["sets"], strict=True):
            assert abs(book["share"](net, pairs) - float(row[key])) < 0.15, (row, key)
        here = book["blame"](net) + (book["changed"](net) if attention else ())
        for key, count in zip(counts, here, strict=False):
            assert abs(count - int(row[key])) <= 5 + 0.3 * int(row[key]), (row, key)
        if row["network"] == "attention":
            habits, where = book["looked_at"](net)
            peaks.append(where)
            for kind in kinds:
                at_word = habits[kind].get("its word", 0)
                assert abs(at_word - float(row[kind])) < 0.15, (row, kind)
    real = book["pad"](book["prepare"](book["test_fr"], book["en"], book["fr"])[1])
    real = real != book["PAD"]
    for row, one, other in zip(rows, peaks, np.roll(peaks, -1, axis=0), strict=False):
        differ = (one != other)[real].mean()
        assert abs(differ - float(row["unlike the next"])) < 0.1, row


@pytest.mark.parametrize("seed", [10, 11])
def test_what_the_page_shows_of_one_fixed_code_holds_for_the_others(book, seed):
    """Its own words after a mistake, and wide beams once it is less sure."""
    scope = dict(book)
    scope["nets"] = {False: [book["fit"](False, seed, book["EPOCHS"][False])]}
    for cell in ("aea93ac5", "ba83f5ed", "20-control", "eb2e39b3", "c337f25a"):
        chapter.run(cell, scope)
