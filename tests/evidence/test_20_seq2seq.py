"""The rates of chapter 20, searched, and its file repeated."""

import csv

import numpy as np
import pytest

from press import chapters
from tests.chapter_code import ChapterCode

chapter = ChapterCode("20_seq2seq")


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
    shares = [book["share"](net, book["val_fr"]) for net in nets]
    assert shares[1] > max(shares[0], shares[2]), shares


def test_the_networks_come_out_as_the_file_says(book):
    """And what the page asserts of the file holds for the repetition too.

    Weights moved by 2e-7 of themselves, as another machine may, had attention with seed 9
    translate 0.51 to 0.71 of the sentences of eleven words, where the file has 0.68.
    """
    chapter.define("6d9e4329", book, "log_p", "blame", "changed")
    chapter.run("6b9ece1a", book)
    with (chapters.BOOK / "data" / "run_20_networks.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * 3
    peaks, kinds = [], ("article", "stop", "pronoun", "other")
    right = [f"right of {n}" for n in (8, 9, 10, 11)]
    counts, repeated_rows, nets = ("wrong", "missed", "repaired", "spoiled"), [], {}
    for row in rows:
        name, seed = row["network"], int(row["seed"])
        attention = name != "fixed code"
        epochs = 3 if name == "three passes" else book["EPOCHS"][attention]
        net = book["fit"](attention, seed, epochs)
        nets[name, seed] = net
        repeated = dict(row)
        repeated_rows.append(repeated)
        near = [0.1, 0.15, 0.25, 0.25] if attention else [0.1] * 4
        for key, pairs, room in zip(right, book["sets"], near, strict=True):
            repeated[key] = book["share"](net, pairs)
            assert abs(repeated[key] - float(row[key])) < room, (row, key)
        values = book["blame"](net) + (book["changed"](net) if attention else ())
        for key, count in zip(counts, values, strict=False):
            repeated[key] = count  # their order is for what the page asserts, below
        wrong = int(row["wrong"])
        assert abs(repeated["wrong"] - wrong) <= 8 + 0.3 * wrong, (row, repeated)
        if name == "attention":
            habits, positions = book["looked_at"](net)
            peaks.append(positions)
            for kind in kinds:
                repeated[kind] = habits[kind].get("its word", 0)
                assert abs(repeated[kind] - float(row[kind])) < 0.3, (row, kind)
    real = book["pad"](book["prepare"](book["test_fr"], book["en"], book["fr"])[1])
    drawn = real > book["EOS"]  # a figure has no row of <eos>
    real = real != book["PAD"]
    key = "unlike the next seed"
    for repeated, one, other in zip(
        repeated_rows, peaks, np.roll(peaks, -1, axis=0), strict=False
    ):
        recorded, repeated[key] = float(repeated[key]), (one != other)[real].mean()
        assert abs(repeated[key] - recorded) < 0.15, repeated
        assert (one != other)[drawn].mean() > 0.25, repeated
    sentences_of_the_page_hold(book, repeated_rows, nets)


def sentences_of_the_page_hold(book, rows, nets):
    """Run the page's assertions on ``rows`` in place of those of the file."""
    scope = {**book, "RUNS": {}}
    for row in rows:
        scope["RUNS"].setdefault(row["network"], []).append(row)
    scope["nets"] = {True: [nets["attention", 9]], False: [nets["fixed code", 9]]}
    chapter.define("299873a8", scope, "stored")
    right = [f"right of {n}" for n in (8, 9, 10, 11)]
    kinds = (True, "attention"), (False, "fixed code")
    scope["shares"] = {a: scope["stored"](name, *right) for a, name in kinds}
    for cell in ("20-shares", "9992f1c6"):
        chapter.run(cell, scope)
    blamed = {name: scope["stored"](name, "wrong", "missed") for name in scope["RUNS"]}
    wrong, missed = np.sum([*blamed["attention"], *blamed["fixed code"]], axis=0)
    early_wrong, early_missed = blamed["three passes"].sum(axis=0)
    assert missed / wrong < early_missed / early_wrong < 1 / 3, blamed
    repaired, spoiled = scope["stored"]("three passes", "repaired", "spoiled").sum(0)
    by_trained = scope["stored"]("attention", "repaired", "spoiled").sum()
    assert repaired > spoiled, (repaired, spoiled)
    assert by_trained < (repaired + spoiled) / 2, (by_trained, repaired, spoiled)


@pytest.mark.parametrize("size", [(3, 3), (3, 12), (10, 6), (30, 6)])
def test_beams_on_random_models_come_out_as_the_file_says(size):
    with (chapters.BOOK / "data" / "run_20_beams.csv").open() as file:
        rows = [
            r
            for r in csv.DictReader(file)
            if (int(r["words"]), int(r["steps"])) == size
        ]
    found = chapter.namespace()["against_greedy"](
        *size, [int(r["width"]) for r in rows]
    )
    for key, values in zip(("better", "worse", "gain"), found, strict=True):
        stored = [float(r[key]) for r in rows]
        np.testing.assert_allclose(values, stored, atol=1e-4, err_msg=key)


@pytest.mark.parametrize("seed", [10, 11])
def test_what_the_page_shows_of_one_fixed_code_holds_for_the_others(book, seed):
    """Its own words after a mistake, and wide beams once it is less sure."""
    scope = dict(book)
    scope["nets"] = {False: [book["fit"](False, seed, book["EPOCHS"][False])]}
    chapter.define("20-repaired-run", scope, "flattened", "best_of")
    chapter.run("ba83f5ed", scope)
    chapter.run("20-control", scope)
    for cell in ("aea93ac5", "eb2e39b3", "20-wider-check", "c337f25a"):
        chapter.run(cell, scope)
