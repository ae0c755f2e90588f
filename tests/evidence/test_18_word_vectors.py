"""The rates of chapter 18, searched, its files repeated, and other settings of its asides."""

import csv
import itertools
from collections import Counter

import numpy as np
import pytest
import torch

from press import chapters
from tests.chapter_code import ChapterCode
from tests.chapters.inputs import with_relations
from utils import data
from utils.stories import stories

chapter = ChapterCode("18_word_vectors")


@pytest.fixture(scope="module")
def book():
    return with_relations(chapter.namespace())


@pytest.fixture(scope="module")
def tuning(book):
    """Words, counts and validation questions of a corpus that the page does not use."""
    words, index, ids = book["number"](stories(8000, rng=np.random.default_rng(10))[0])
    X = book["count"](ids, 5, len(words))
    return words, ids, X, book["questions"](index, 0)


@pytest.fixture(scope="module")
def corpora(book):
    """The three corpora of the page, and what its cells need of the first."""
    chapter.run("18-corpus", book)
    chapter.run("18-counts", book)
    chapter.define("18-first", book, "ROWS", "ROLES", "nearest_in")
    chapter.define("18-alone-train", book, "size")
    chapter.define("18-questions-check", book, "asked", "right")
    chapter.define("18-compare-train", book, "corpus", "learned")
    book["CORPORA"] = {seed: book["corpus"](seed) for seed in (1, 2, 3)}
    return book["CORPORA"]


def stored(name):
    with (chapters.BOOK / "data" / f"run_18_{name}.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_rivals_solve_on_three_corpora_what_the_file_says(book, corpora):
    shares_of = {}
    for seed, corpus in corpora.items():
        questions = book["questions"](corpus[1], 1)
        for key, W in book["learned"](seed, *corpus).items():
            shares_of.setdefault(key, []).append(book["right"](W, questions))
    rows = {(row["method"], int(row["d"])): row for row in stored("rivals")}
    assert {*shares_of} == {*rows}
    for key, shares in shares_of.items():
        recorded = [float(rows[key][f"corpus {seed}"]) for seed in corpora]
        np.testing.assert_allclose(shares, recorded, atol=0.03, err_msg=str(key))
    trained = [
        shares_of[name, 40] for name in ("skip-gram", "negative", "fastText", "CBOW")
    ]
    rival = {d: shares_of["PPMI + SVD", d] for d in (20, 40, 80, 160)}
    assert np.min(trained) > 0.93 > max(rival[40]) + 0.05, shares_of
    assert min(rival[160]) > 0.95, shares_of
    assert max(rival[20]) < min(
        shares_of["negative", 20] + shares_of["skip-gram", 20]
    ), shares_of


def test_drawn_noise_words_solve_on_three_corpora_what_the_file_says(book, corpora):
    chapter.define("18-drawn-run", book, "solved_with")
    shares = {}
    for row in stored("drawn"):
        K = int(row["K"])
        shares[K] = [book["solved_with"](K, seed) for seed in corpora]
        recorded = [float(row[f"corpus {seed}"]) for seed in corpora]
        np.testing.assert_allclose(shares[K], recorded, atol=0.05, err_msg=str(row))
    assert [*shares] == [1, 5, 20]
    assert min(shares[5] + shares[20]) > max(shares[1]), shares


def test_all_settings_of_the_figure_come_out_as_the_file_says(book, corpora):
    chapter.define("18-explore-train", book, "AT", "explored")
    rows, like = stored("settings"), {}
    settings = [tuple(int(row[key]) for key in ("window", "d", "K")) for row in rows]
    assert settings == [*itertools.product((1, 2, 5), (10, 40), (1, 20))]
    for setting, row in zip(settings, rows, strict=True):
        solved, like[setting] = book["explored"](*setting)
        recorded = [float(row[f"after {k}"]) for k in book["AT"]]
        np.testing.assert_allclose(solved, recorded, atol=0.05, err_msg=str(row))
        recorded = float(row["row"]), float(row["role"])
        np.testing.assert_allclose(like[setting], recorded, atol=0.05, err_msg=str(row))
    for K in (1, 20):
        (row_1, role_1), (row_5, role_5) = like[1, 40, K], like[5, 40, K]
        assert role_1 > role_5 + 0.1 and row_5 > row_1 + 0.1, like


METHODS = "skip-gram", "negative", "tree", "GloVe", "GloVe, zeros", "fastText", "CBOW"


def test_every_method_of_the_page_is_searched(book):
    assert set(METHODS) == {*book["RATES"]}


def validated(book, tuning, name, lr, d=40):
    """Return the share of validation questions that a method answers right at this rate."""
    words, ids, X, questions = tuning
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(book, "RATES", book["RATES"] | {name: lr})
        W = next(W for n, W in book["contenders"](X, ids, words, d, 1) if n == name)
    return (book["answers"](W.numpy(), questions) == questions[:, 3]).mean()


@pytest.mark.parametrize("name", METHODS)
def test_no_other_rate_is_better_on_validation_questions(book, tuning, name):
    page = book["RATES"][name]
    others = [f * page for f in ((0.5, 2.5) if name == "GloVe" else (0.4, 2.5))]
    best, *rest = (validated(book, tuning, name, lr) for lr in (page, *others))
    assert best > max(rest) - 0.03, (best, rest)


def test_training_longer_does_not_help_and_no_cap_saves_glove(book, tuning):
    words, _, X, questions = tuning
    right = lambda W: (book["answers"](W.numpy(), questions) == questions[:, 3]).mean()
    X_t, size = book["tensor"](X), len(words)
    short, long = (
        right(
            book["descend"](book["start"](1, 40, size, size), book["skipgram"](X_t), n)[
                0
            ]
        )
        for n in (150, 500)
    )
    assert abs(short - long) < 0.03, (short, long)
    for cap, lr, steps in ((1.0, 0.02, 300), (100.0, 0.02, 300), (10.0, 0.05, 1500)):
        tables = [*book["start"](1, 40, size, size), *torch.zeros(2, size, 1)]
        V, U, *_ = book["descend"](tables, book["glove"](X_t, cap), steps, lr)
        assert right(V + U) < 0.5, (cap, lr, steps)


def test_other_powers_smoothing_and_shifts_do_not_help_the_rival(book, tuning):
    """The aside of section "Which vectors came out?", after Levy et al. (2015)."""
    _, _, X, questions = tuning
    solved = {}
    for smooth, shift in ((1, 1), (0.75, 1), (1, 2), (0.75, 2)):
        context = X.sum(axis=0) ** smooth
        expected = np.outer(X.sum(axis=1), context / context.sum())
        P, sigma, _ = np.linalg.svd(np.log(np.maximum(X / expected / shift, 1)))
        for power in (0, 0.5, 1):
            answers = book["answers"](P[:, :40] * sigma[:40] ** power, questions)
            solved[smooth, shift, power] = (answers == questions[:, 3]).mean()
    assert max(solved.values()) < 0.85, solved
    assert solved[1, 1, 0.5] > max(solved.values()) - 0.03, solved


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_sub_sampling_costs_and_what_noise_words_change(book, seed):
    sentences = stories(8000, rng=np.random.default_rng(seed))[0]
    words, index, ids = book["number"](sentences)
    questions, size = book["questions"](index, 1), len(words)
    right = lambda W: (book["answers"](W.numpy(), questions) == questions[:, 3]).mean()

    def trained(slopes, **options):
        tables = book["start"](seed, 40, size, size)
        return book["descend"](tables, slopes, **options)[0]

    counts = lambda ids, m=5: book["tensor"](book["count"](ids, m, size))
    thin = lambda t, k=8: book["subsample"](ids, t, np.random.default_rng(k))
    whole, third = (
        right(trained(book["skipgram"](counts(sentences))))
        for sentences in (ids, thin(1e-3))
    )
    anew = sum(counts(thin(1e-3, k)) for k in range(10)) / 10
    assert (
        third < whole - 0.02 and right(trained(book["skipgram"](anew))) > whole - 0.02
    )

    def noisy(m, K):
        X, shots = counts(ids, m), []
        noise = (
            K * X.sum(dim=1, keepdim=True) * torch.tensor(book["noise_of"](X.numpy()))
        )
        keep = lambda V, U: shots.append(V.clone())
        last = trained(book["yes_no"](X, noise), steps=300, lr=0.15, watch=keep)
        return right(shots[80]), right(last)

    (early, late), (slow, end) = noisy(2, 1), noisy(2, 20)
    assert early > slow + 0.1 and abs(late - end) < 0.12, (early, late, slow, end)
    assert max(noisy(1, 1)[1], noisy(1, 20)[1]) < 0.35


def test_more_drawn_noise_words_help_a_pair_and_not_a_row(book):
    """At the best of four rates for each K; and one noise word, with five times the pairs."""
    solved = {}
    for seed in (1, 2, 3):
        words, index, ids = book["number"](
            stories(8000, rng=np.random.default_rng(seed))[0]
        )
        X, asked = (
            book["tensor"](book["count"](ids, 5, len(words))),
            book["questions"](index, 1),
        )

        def rate(K, lr, steps=300, X=X, asked=asked, seed=seed):
            chance = torch.Generator().manual_seed(seed)
            slopes = book["drawn_pairs"](X, K, chance)
            V, _ = book["descend"](book["start"](seed, 40, *X.shape), slopes, steps, lr)
            return (book["answers"](V.numpy(), asked) == asked[:, 3]).mean()

        for K in (1, 5, 20):
            rates = [rate(K, lr) for lr in (0.02, 0.05, 0.1, 0.2)]
            assert max(rates) > max(rates[0], rates[-1]), (K, rates)  # not at the edge
            solved.setdefault(K, []).append(max(rates))
        solved.setdefault("longer", []).append(rate(1, 0.05, 1500))
    assert max(solved[1]) + 0.2 < min(solved[5] + solved[20]), solved
    assert min(solved["longer"]) > max(solved[20]), solved


def test_no_method_makes_two_halves_of_the_prose_agree(book):
    """The aside of section "On the words of this book"."""
    lines = [book["text"].tokenise(s) for s in data.load_prose().split("\n") if s]
    counts = Counter(word for line in lines for word in line)
    at = {w: i for i, w in enumerate(sorted(w for w, n in counts.items() if n >= 10))}
    order = np.random.default_rng(1).permutation(len(lines))
    half = lambda part: [[at[w] for w in lines[s] if w in at] for s in part]
    Xs = [book["count"](half(order[k::2]), 5, len(at)) for k in (0, 1)]

    def negative(X, d):
        noise = 5 * X.sum(axis=1, keepdims=True) * book["noise_of"](X)
        tables = book["start"](1, d, len(X), len(X))
        slopes = book["yes_no"](book["tensor"](X), book["tensor"](noise))
        return book["descend"](tables, slopes, 100)[0].numpy()

    for make in (negative, lambda X, d: book["ppmi_vectors"](X + 1e-12, d)):
        for d in (10, 40):
            vectors = [make(X, d) for X in Xs]
            near = [np.argsort(-book["cosine"](V, V))[:, 1:6] for V in vectors]
            same = [len({*a} & {*b}) / 5 for a, b in zip(*near, strict=True)]
            assert 0.03 < np.mean(same) < 0.13, (d, np.mean(same))
