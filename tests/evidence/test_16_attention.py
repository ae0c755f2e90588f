"""The rates of chapter 16, searched, its file repeated, and its readers trained for longer."""

import csv
import itertools

import numpy as np
import pytest
import torch

from press import chapters
from tests.chapter_code import ChapterCode

chapter = ChapterCode("16_attention")
RIVALS = {"four heads": {}, "one head": {"h": 1}, "fixed code": {"fixed": True}}


@pytest.fixture(scope="module")
def book():
    scope = dict(chapter.namespace())
    chapter.run("16-corpus", scope)
    chapter.define("b1f20432", scope, "trained", "without_slip")
    chapter.define("9413747f", scope, "BINS")
    chapter.run("16-aligned", scope)
    return scope


def right(book, pairs, epochs=8, lr=0.02, seed=1, **kind):
    """Return the share of whole sentences without an error, of one seed."""
    net = book["trained"](epochs, lr, seed, **kind)
    return book["without_slip"](net, book[pairs]).mean(), net


def test_the_readers_slip_as_the_file_says(book):
    """And what the page asserts of the file holds for the repetition too."""
    for cell, *names in (
        ("16-lengths", "lengths", "GROUPS", "slips_by_length"),
        ("16-slips", "KINDS", "asked", "slips_by_kind"),
        ("16-number", "is_article", "wanted", "plural", "slips_in_number"),
        ("16-readers-repeated", "measured", "room"),
    ):
        chapter.define(cell, book, *names)
    with (chapters.BOOK / "data" / "run_16_readers.csv").open() as file:
        rows = list(csv.DictReader(file))
    keys = [(row["reader"], row["seed"]) for row in rows]
    assert keys == list(itertools.product(RIVALS, "123"))
    scope = {**book, "RIVALS": RIVALS, "STORED": {name: [] for name in RIVALS}}
    scope["NETS"], scope["SLIPS"] = {}, {}
    for (name, seed), row in zip(keys, rows, strict=True):
        net = book["trained"](8, 0.02, int(seed), **RIVALS[name])
        repeated = book["measured"](net)
        if row["in number"]:
            repeated["in number"] = book["slips_in_number"](net)
        for key, value in repeated.items():
            near = book["room"](key, row)
            assert abs(value - float(row[key])) < near, (row, key, value)
        scope["STORED"][name].append(repeated)
        if name != "fixed code":
            scope["NETS"].setdefault(name, [net])
    for name, repeated in scope["STORED"].items():
        slips = [[row[f"{a}–{b}"] for a, b in book["BINS"]] for row in repeated]
        scope["SLIPS"][name] = np.array(slips)
    for cell in ("16-whole", "16-length-check", "16-slips-check", "16-number-check"):
        chapter.run(cell, scope)


@pytest.mark.parametrize("seed", [2, 3])
def test_hidden_words_are_missed_by_the_other_readers_too(book, seed):
    """The page hides words from the reader of seed 1, and says that these two agree."""
    scope = {**book, "NETS": {"four heads": [book["trained"](8, 0.02, seed)]}}
    for cell in ("7d41c0ae", "16-hidden-functions", "16-hidden"):
        chapter.run(cell, scope)
    chapter.define("16-hidden-check", scope, "B", "feminine", "guess", "error")
    kept = scope["KEPT"]
    for words, number in scope["LOOKED"]:
        assert 0.1 < scope["LOOKED"][words, number] < 0.5
        assert kept[words, number, "article"] > 0.9
        assert kept[words, number, "adjective"] < 0.1
    assert kept["petit, grand", "singular", "noun"] > 0.75
    assert kept["petit, grand", "plural", "noun"] < scope["guess"] + 2 * scope["error"]
    assert min(kept["jeune", n, "noun"] for n in ("singular", "plural")) > 0.9


@pytest.mark.parametrize("name", RIVALS)
def test_the_rate_of_the_page_is_the_best_of_three(book, name):
    """On validation sentences, a factor of four apart, and so not at the edge."""
    losses = [
        right(book, "valid", lr=lr, **RIVALS[name])[0] for lr in (0.005, 0.02, 0.08)
    ]
    assert losses[1] == max(losses) > max(losses[0], losses[2]), losses


def test_longer_training_helps_one_head_at_a_smaller_rate(book):
    """At the page's rate it stays where it is; at 0.005 it comes near four heads.

    Not from each start: from seed 11 it had 0.63 after the 60 epochs.
    """
    at_the_rate = [right(book, "held", 24, seed=seed, h=1)[0] for seed in (1, 2, 3)]
    assert max(at_the_rate) < 0.5, at_the_rate
    slow = [right(book, "held", 60, lr=0.005, seed=seed, h=1)[0] for seed in (1, 2, 3)]
    assert sorted(slow)[1] > 0.95, slow


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_longer_training_helps_the_fixed_code(book, seed):
    """Its slips then hardly grow with the length of the sentence."""
    share, net = right(book, "held", 60, seed=seed, fixed=True)
    assert share > 0.8
    correct, is_word = book["words_right"](net, *book["padded"](book["held"]))
    chapter.define("16-lengths", book, "lengths")
    words, slips = book["lengths"], []
    for group in (words <= 5, words >= 10):  # the shortest, the longest
        slips.append(1 - correct[group][is_word[group]].mean())
    assert slips[1] - slips[0] < 0.06, slips


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_pointer_network_can_remember_without_the_mask(seed):
    """The page trains with the mask; this control never has it, for 1,500 steps."""
    scope = chapter.namespace()
    net = scope["PointerNet"](24, torch.Generator().manual_seed(seed))
    scope["train_pointer"](net, 1500, 0.014, np.random.default_rng(seed), mask=False)
    for N in (3, 5, 8):
        x, C = scope["number_sets"](500, N, np.random.default_rng(N), True)
        chosen, _ = scope["point"](net, x, mask=False)
        assert (chosen == C).all(dim=1).float().mean() > 0.6, N
