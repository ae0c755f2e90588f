"""Rates, steps and other settings of chapter 18, on a corpus smaller than that of the page."""

from collections import Counter

import numpy as np
import pytest
import torch

from tests.chapter_code import ChapterCode
from tests.chapters.inputs import with_relations
from utils import data
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
    return counts, ids, *(book["questions"](index, half) for half in (0, 1))


def share_right(book, vectors, questions):
    return (book["answers"](np.asarray(vectors), questions) == questions[:, 3]).mean()


def test_rate_steps_and_cap_on_a_small_corpus(book, small):
    """Evidence searches the rates of all seven methods, and trains longer."""
    X, _, questions, _ = small
    X_t, size = book["tensor"](X), len(X)

    def skip_gram(steps, lr):
        tables = book["start"](1, 40, size, size)
        slopes = book["skipgram"](X_t)
        return share_right(
            book, book["descend"](tables, slopes, steps, lr)[0], questions
        )

    page = book["RATES"]["skip-gram"]
    low, best, high, longer = (
        skip_gram(steps, factor * page)
        for steps, factor in ((60, 0.4), (60, 1), (60, 2.5), (150, 1))
    )
    assert best > low + 0.1 and best > high - 0.03 and abs(best - longer) < 0.05
    tables = [*book["start"](1, 40, size, size), *torch.zeros(2, size, 1)]
    V, U, *_ = book["descend"](tables, book["glove"](X_t, 1.0), 100, 0.02)
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


def test_sub_sampling_costs_answers_and_noise_words_come_late(book, small):
    """Evidence does so on three corpora of 8,000 sentences."""
    _, ids, _, questions = small
    size = len(small[0])

    def counts(sentences, m=5):
        return book["tensor"](book["count"](sentences, m, size))

    def trained(slopes, **options):
        return book["descend"](book["start"](1, 40, size, size), slopes, **options)[0]

    thinned = [
        book["subsample"](ids, t, np.random.default_rng(8)) for t in (1e-3, 3e-4)
    ]
    whole, third, less = (
        share_right(
            book, trained(book["skipgram"](counts(sentences)), steps=60), questions
        )
        for sentences in (ids, *thinned)
    )
    assert whole > third + 0.05 and third > less + 0.1, (whole, third, less)

    def noisy(m, K):
        """Share right after 38 of 150 steps, and at the end."""
        X, shots = counts(ids, m), []
        noise = torch.tensor(K * book["noise_of"](X.numpy())) * X.sum(
            dim=1, keepdim=True
        )
        keep = lambda V, U: shots.append(V.clone())
        last = trained(book["yes_no"](X, noise), lr=0.15, watch=keep)
        return share_right(book, shots[37], questions), share_right(
            book, last, questions
        )

    (early, late), (slow, end) = noisy(2, 1), noisy(2, 20)
    assert early > slow + 0.1 and abs(late - end) < 0.2, (early, late, slow, end)
    assert noisy(1, 1)[1] < 0.35


def test_two_halves_of_the_prose_do_not_agree_on_frequent_words(book):
    """Evidence asks so of rarer words, of longer vectors and of negative sampling."""
    lines = [book["text"].tokenise(s) for s in data.load_prose().split("\n") if s]
    seen = Counter(word for line in lines for word in line)
    at = {w: i for i, w in enumerate(sorted(w for w, n in seen.items() if n >= 30))}
    order = np.random.default_rng(1).permutation(len(lines))
    half = lambda part: [[at[w] for w in lines[s] if w in at] for s in part]
    near = []
    for k in (0, 1):
        X = book["count"](half(order[k::2]), 5, len(at))
        V = book["ppmi_vectors"](X + 1e-12, 10)
        near.append(np.argsort(-book["cosine"](V, V))[:, 1:6])
    same = [len({*a} & {*b}) / 5 for a, b in zip(*near, strict=True)]
    assert 0.03 < np.mean(same) < 0.2, np.mean(same)
