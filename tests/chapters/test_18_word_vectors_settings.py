"""Rates, steps and other settings of chapter 18, on a corpus smaller than that of the page."""

import numpy as np
import pytest
import torch

from tests.chapter_code import ChapterCode
from tests.chapters.inputs import with_relations
from utils.stories import stories

chapter = ChapterCode("18_word_vectors")


@pytest.fixture(scope="module")
def book():
    return with_relations(chapter.namespace())


@pytest.fixture(scope="module")
def small(book):
    """Counts, sentences and both halves of the questions of 3,000 sentences."""
    words, index, ids = book["number"](stories(3000, rng=np.random.default_rng(10))[0])
    counts = book["count"](ids, 5, len(words))
    halves = [book["half_of"](book["RELATIONS"], half) for half in (0, 1)]
    return counts, ids, *(book["questions"](half, index) for half in halves)


def share_right(book, vectors, questions):
    return (book["answers"](np.asarray(vectors), questions) == questions[:, 3]).mean()


def test_rate_steps_and_cap_on_a_small_corpus(book, small):
    """Evidence searches the rates of all seven methods, and trains longer."""
    X, _, questions, _ = small
    X_t, size = book["tensor"](X), len(X)

    def skip_gram(steps, lr):
        tables = book["initialise"](1, 40, size, size)
        V, _ = book["descend"](book["skipgram_gradients"], tables, [X_t], steps, lr)
        return share_right(book, V, questions)

    page = book["RATES"]["skip-gram"]
    low, best, high, longer = (
        skip_gram(steps, factor * page)
        for steps, factor in ((60, 0.4), (60, 1), (60, 2.5), (150, 1))
    )
    assert best > low + 0.1 and best > high - 0.03 and abs(best - longer) < 0.05
    tables = [*book["initialise"](1, 40, size, size), *torch.zeros(2, size, 1)]
    data = [X_t, 1.0]
    V, U, *_ = book["descend"](book["glove_gradients"], tables, data, 100, 0.02)
    assert share_right(book, V + U, questions) < 0.5 * best


def test_smoothing_and_powers_do_not_help_the_rival_on_a_small_corpus(book, small):
    """Evidence tries all combinations on 8,000 sentences."""
    X, _, questions, _ = small
    solved = {}
    for smooth, power in ((1, 0.5), (0.75, 0.5), (1, 0), (1, 1)):
        context = X.sum(axis=0) ** smooth
        expected = np.outer(X.sum(axis=1), context / context.sum())
        P, sigma, _ = np.linalg.svd(np.log(np.maximum(X / expected, 1)))
        solved[smooth, power] = share_right(
            book, P[:, :40] * sigma[:40] ** power, questions
        )
    assert solved[1, 0.5] > max(solved.values()) - 0.04 and max(solved.values()) < 0.8


def test_noise_words_come_late_and_their_power_does_not_matter(book, small):
    """Evidence does so on three corpora of 8,000 sentences."""
    _, ids, _, questions = small
    size = len(small[0])

    def noisy(m, K, power=0.75):
        """Share right after 38 of 150 steps, and at the end."""
        X, shots = book["count"](ids, m, size), []
        data = [book["tensor"](X), book["expected_noise"](X, K, power)]
        keep = lambda V, U: shots.append(V.clone())
        tables = book["initialise"](1, 40, size, size)
        gradients = book["yes_no_gradients"]
        last, _ = book["descend"](gradients, tables, data, lr=0.15, watch=keep)
        return tuple(share_right(book, W, questions) for W in (shots[37], last))

    (early, late), (slow, end) = noisy(2, 1), noisy(2, 20)
    assert early > slow + 0.1 and abs(late - end) < 0.2, (early, late, slow, end)
    assert noisy(1, 1)[1] < 0.35
    powers = [noisy(5, 5, power)[1] for power in (0, 0.75, 1)]
    assert max(powers) - min(powers) < 0.1, powers
