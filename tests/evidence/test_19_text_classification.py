"""The rates of chapter 19, searched, and what it tells of few labels and of vectors."""

import itertools

import numpy as np
import pytest
import torch

from tests.chapter_code import Chapter

chapter = Chapter("19_text_classification")


@pytest.mark.parametrize("name", ["deep bag", "textCNN", "BiLSTM attend"])
def test_the_rate_of_the_page_is_inside_the_grid(book, name):
    """On the validation reviews a quarter of the rate is worse, four times no better."""
    chosen, losses = book["RATES"][name], []
    for lr in (chosen / 4, chosen, 4 * chosen):
        found = []
        for seed in (2, 3):
            how = {"lr": lr, "seed": seed, "steps": 300}
            found.append(
                book["trained"](name, *book["sample"](seed, 1600), **how)[0].best
            )
        losses.append(np.mean(found))
    assert losses[1] < losses[0] and losses[1] < losses[2] + 0.02, losses


def test_the_mean_state_is_one_of_those_that_mix(book):
    how = {"lr": book["RATES"]["BiLSTM mean"], "seed": 1, "steps": 300}
    net = book["trained"]("BiLSTM mean", *book["sample"](1, 1600), **how)
    z = book["logits"](*net, book["TEST"])
    assert abs(book["accuracy"](z) - 0.94) < 0.03
    assert book["accuracy"](z, "contrast") > 0.9


@pytest.mark.parametrize("name", ["deep bag", "textCNN", "BiLSTM attend"])
def test_with_200_labels_the_best_weights_come_early(book, name):
    training, validation = book["sample"](2, 1600)
    net, numbers = book["trained"](
        name, training[:200], validation, lr=0.01, seed=2, steps=300
    )
    assert net.best_step < 100
    z = book["logits"](net, numbers, book["TEST"])
    assert book["accuracy"](z) < 0.66


@pytest.fixture(scope="module")
def unlabelled(book):
    drawn = book["reviews"](16_000, rng=np.random.default_rng(77), without=book["TEST"])
    texts = [r.text for r in drawn]
    return texts, book["number_words"](texts, 1000)


def test_the_rate_of_the_vectors(book, unlabelled):
    """A third and three times the rate have no validation loss much lower."""
    training, validation = book["sample"](2, 1600)
    vectors = book["word_vectors"](*unlabelled)
    parts = [book["tensors"](p, unlabelled[1]) for p in (training[:200], validation)]
    for how in ("random", "mixed up", "frozen", "trained", "both"):
        losses, given = [], vectors
        if how == "mixed up":
            order = np.random.default_rng(0).permutation(len(vectors) - 4) + 4
            given = torch.cat([vectors[:4], vectors[torch.tensor(order)]])
        for lr in (0.003, 0.01, 0.03):
            net = book["with_vectors"]("textCNN", given, how, 2)
            with book["seeded"](2):
                losses.append(book["fit"](net, *parts, lr=lr, seed=2, steps=60).best)
        assert losses[1] < min(losses) + 0.03, (how, losses)


def test_the_nearest_adjective_shares_the_verdict(book, unlabelled):
    (texts, numbers), verdict = unlabelled, {}
    for r in book["reviews"](8000, rng=np.random.default_rng(77)):
        for a, b in itertools.pairwise(r.text.split()):
            if r.kind == "plain" and a in ("quite", "very"):
                verdict[b] = r.label
    y, shares = np.array([*verdict.values()]), {}
    for window in (3, 20):
        E = book["word_vectors"](texts, numbers, window=window)
        A = E[[numbers[w] for w in verdict]].numpy()
        near = (A @ A.T - 100 * np.eye(len(A))).argmax(axis=1)
        shares[window] = (y[near] == y).mean()
    assert len(y) == 40 and shares[3] < 0.75 and shares[20] > 0.85, shares
