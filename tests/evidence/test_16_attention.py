"""The rates of chapter 16, searched, its file repeated, and its readers trained for longer."""

import csv

import pytest

from press import chapters
from tests.chapter_code import Chapter

chapter = Chapter("16_attention")
RIVALS = {"four heads": {}, "one head": {"h": 1}, "fixed code": {"fixed": True}}


@pytest.fixture(scope="module")
def book():
    scope = dict(chapter.namespace())
    chapter.run("b1f20432", scope)  # the corpus, ``trained`` and ``without_slip``
    return scope


def right(book, pairs, epochs=8, lr=0.02, seed=1, **kind):
    """Share of whole sentences without a slip, of one seed."""
    net = book["trained"](epochs, lr, seed, **kind)
    return book["without_slip"](net, book[pairs]).mean(), net


def test_the_readers_slip_as_the_file_says(book):
    for cell, *names in (
        ("bd798818", "BINS", "GROUPS"),
        ("16-slips", "KINDS", "asked", "slips_by_kind"),
        ("16-number", "is_article", "wanted", "plural", "slips_in_number"),
        ("16-readers-repeated", "measured"),
    ):
        chapter.define(cell, book, *names)
    with (chapters.BOOK / "data" / "run_16_readers.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * 3
    for row in rows:
        kind, seed = RIVALS[row["reader"]], int(row["seed"])
        net = book["trained"](8, 0.02, seed, **kind)
        here = book["measured"](net)
        if row["in number"]:
            here["in number"] = book["slips_in_number"](net)
        for key, value in here.items():
            of = len(book["SENTENCE"]) if key in ("all", *book["KINDS"]) else 1
            near = 0.1 if key in ("whole", "in number") else 0.03 * of
            assert abs(value - float(row[key])) < near, (row, key, value)


@pytest.mark.parametrize("seed", [2, 3])
def test_hidden_words_are_missed_by_the_other_readers_too(book, seed):
    """The page hides words from the reader of seed 1."""
    scope = dict(book)
    scope["NETS"] = {"four heads": [book["trained"](8, 0.02, seed)]}
    for cell in ("7d41c0ae", "16-hidden", "16-hidden-check"):
        chapter.run(cell, scope)


@pytest.mark.parametrize("name", RIVALS)
def test_the_rate_of_the_page_is_the_best_of_three(book, name):
    """On validation sentences, a factor of four apart, and so not at the edge."""
    found = [
        right(book, "valid", lr=lr, **RIVALS[name])[0] for lr in (0.005, 0.02, 0.08)
    ]
    assert found[1] == max(found) > max(found[0], found[2]), found


def test_longer_training_helps_one_head_at_a_smaller_rate(book):
    """At the page's rate it stays where it is; at 0.005 it comes near four heads.

    Not from each start: from seed 11 it had 0.63 after the 60 epochs.
    """
    (short, _), (long, _) = (right(book, "held", n, h=1) for n in (8, 24))
    assert long < short + 0.05 < 0.65, (short, long)
    slow = [right(book, "held", 60, lr=0.005, seed=seed, h=1)[0] for seed in (1, 2, 3)]
    assert sorted(slow)[1] > 0.95, slow


def test_longer_training_helps_the_fixed_code(book):
    """Its slips then hardly grow with the length of the sentence."""
    (longer, _), (longest, net) = (right(book, "held", n, fixed=True) for n in (24, 60))
    assert 0.6 < longer < 0.85 < longest, (longer, longest)
    correct, is_word = book["words_right"](net, *book["padded"](book["held"]))
    words, slips = book["lengths"], []
    for group in (words <= 5, words >= 10):  # the shortest, the longest
        slips.append(1 - correct[group][is_word[group]].mean())
    assert slips[1] - slips[0] < 0.04, slips
