"""The rates of chapter 20, searched."""

import pytest

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
