"""The rates of chapter 15, searched, and gates on the characters of this book, trained."""

from functools import partial

import pytest

from tests.chapter_code import Chapter
from tests.chapters.test_15_gated_rnn import characters, perplexity

chapter = Chapter("15_gated_rnn")


@pytest.fixture(scope="module")
def book():
    scope = chapter.namespace()
    chapter.define("15-lag-run", scope, "RATES", "contender")
    return scope


def searched(book, make, T, rates, starts=(0, 1), steps=400):
    """The rate with the smallest mean error over starts that the page does not use."""
    errors = {}
    for lr in rates:
        errors[lr] = 0
        for seed in starts:
            net = make(seed)
            book["train"](net, seed, T, lr, steps)
            errors[lr] += book["left_over"](net, seed, T) / len(starts)
    return min(errors, key=errors.get), errors


GRIDS = {
    ("LSTM", 10): (0.01, 0.03, 0.1), ("GRU", 10): (0.03, 0.1, 0.3),
    ("LSTM", 20): (0.01, 0.03, 0.1), ("GRU", 20): (0.03, 0.1, 0.3),
    ("LSTM", 40): (0.003, 0.01, 0.03), ("GRU", 40): (0.03, 0.1, 0.3),
    ("orthogonal", 10): (0.001, 0.003, 0.01), ("plain", 10): (0.003, 0.01, 0.03),
    ("orthogonal", 20): (0.0003, 0.003, 0.03),
}  # fmt: skip


@pytest.mark.parametrize("name, T", GRIDS)
def test_the_rates_of_the_comparison_are_no_edge_of_the_grid(book, name, T):
    """Chosen on other starts and sequences than those of the page; a tie is allowed."""
    rates = GRIDS[name, T]
    best, errors = searched(
        book, partial(book["contender"], name), T, rates, (0, 1) if T < 40 else (0,)
    )
    assert book["RATES"][name][T] == rates[1], rates
    assert best == rates[1] or errors[rates[1]] < 0.05, errors


@pytest.mark.parametrize("name, T", [("plain", 20), ("plain", 40), ("orthogonal", 40)])
def test_where_the_plain_network_fails_it_does_so_at_every_rate(book, name, T):
    rates = (0.001, 0.003, 0.01, 0.03) if T < 40 else (0.003, 0.01)
    _, errors = searched(book, partial(book["contender"], name), T, rates)
    assert min(errors.values()) > 0.5, errors


def test_without_a_forget_bias_no_rate_helps_at_twenty(book):
    shut = lambda seed: book["start"]("LSTM", seed)
    _, errors = searched(book, shut, 20, (0.003, 0.01, 0.03, 0.1))
    assert min(errors.values()) > 0.5, errors


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
