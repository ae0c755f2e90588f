"""What chapter 14 tells of longer or other training, trained, and its three files repeated."""

import csv

import numpy as np
import pytest
import torch

from press import chapters
from tests.chapter_code import ChapterCode

chapter = ChapterCode("14_rnn")


def stored(name):
    with (chapters.BOOK / "data" / f"run_14_{name}.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_sign_is_kept_as_often_as_the_file_says(book):
    chapter.define(
        "14-latch-run", book, "X_sign", "learned", "INITIAL", "steps_to_learn"
    )
    solved = {}
    for row in stored("latch"):
        case = row["initialisation"], float(row["rate"])
        steps = [book["steps_to_learn"](*case, int(row["seed"])), int(row["steps"])]
        for limit in (200, 1000):
            found = [n <= limit for n in steps]
            solved.setdefault((*case, limit), []).append(found)
    assert len(solved) == 2 * 8 * 2
    for case, pairs in solved.items():
        repeated, recorded = np.sum(pairs, axis=0)
        assert len(pairs) == 5 and abs(repeated - recorded) <= 1, (case, pairs)


def validated(book, perplexities):
    """Return a function for ``read`` that notes the validation perplexity of an epoch."""
    ids = book["ids"]["valid"]
    return lambda epoch, P: perplexities.append(book["perplexity"](P, ids))


def test_the_characters_are_read_as_the_file_says(book):
    chapter.run("14-char-run", book)
    for row in stored("characters"):
        repeated = []
        P, _ = book["read"](int(row["seed"]), after=validated(book, repeated))
        repeated.append(book["perplexity"](P, book["ids"]["test"]))
        recorded = [
            float(row[key]) for key in ("epoch 1", "epoch 2", "epoch 3", "test")
        ]
        assert np.abs(np.subtract(repeated, recorded)).max() < 0.25, (
            repeated,
            recorded,
        )


def test_thirty_epochs_over_the_characters_come_near_counting(book):
    """What 14-char-said and run_14_writing.csv tell of longer training."""
    chapter.run("14-char-run", book)
    repeated, recorded = (
        [],
        [float(r["valid"]) for r in stored("writing") if r["valid"]],
    )
    P, _ = book["read"](0, epochs=30, T=32, after=validated(book, repeated))
    test_perplexity = book["perplexity"](P, book["ids"]["test"])
    assert 3.63 < test_perplexity < 4.09  # counted with orders 5 and 4
    (stored_test,) = (float(r["test"]) for r in stored("writing") if r["test"])
    assert abs(test_perplexity - stored_test) < 0.2
    assert (
        len(recorded) == 31 and np.abs(np.subtract(repeated, recorded[1:])).max() < 0.2
    )
    texts = [row["text"] for row in stored("writing") if row["text"]]
    assert len(texts) == 10 and all(text.startswith("the gradient ") for text in texts)


@pytest.fixture(scope="module")
def by_pieces(book):
    """Validation perplexities of two starts, by how the text is cut, as ``read`` does."""
    chapter.run("14-char-run", book)
    ids, V, perplexities = book["ids"], len(book["KEPT"]), {}
    for way in ("carried", "in order, from zero", "random"):
        for seed in (0, 1):
            rng = np.random.default_rng(seed)
            P = book["initialise"](V, 96, V, rng)
            adam, done, steps = (
                book["Adam"](P),
                0,
                3 * ((len(ids["train"]) - 1) // 32 // 16),
            )
            for _ in range(3):
                if way == "random":
                    pieces = book["random_pieces"](ids["train"], 32, 16, rng)
                else:
                    pieces = book["consecutive"](ids["train"], 32, 16)
                zeros = h = np.zeros((32, 96))
                for X, Y in pieces:
                    _, dP, h = book["read_piece"](P, X, Y, h)
                    h = h if way == "carried" else zeros
                    adam.step(dP, 0.01 * (1 - done / steps))
                    done += 1
            perplexity = book["perplexity"](P, ids["valid"])
            perplexities.setdefault(way, []).append(perplexity)
    return {way: np.mean(values) for way, values in perplexities.items()}


def test_the_carried_state_helps_and_the_order_alone_does_not(by_pieces):
    """What 14-exp-text tells of the two ways to cut a text."""
    gain = 1 - by_pieces["carried"] / by_pieces["random"]
    assert 0.01 < gain < 0.06, by_pieces
    order = by_pieces["in order, from zero"] / by_pieces["random"]
    assert abs(order - 1) < 0.015, by_pieces


def test_the_learning_rate_of_the_characters_is_the_best_of_three(book):
    """What 14-exp-text tells of the learning rate, on the validation sentences."""
    chapter.run("14-char-run", book)
    perplexities = {}
    for lr in (0.003, 0.01, 0.03):
        told = []
        book["read"](0, lr, after=validated(book, told))
        perplexities[lr] = told[-1]
    assert min(perplexities, key=perplexities.get) == 0.01, perplexities


def learned_at_end(book, K, seed, T=6, steps=3000):
    """Return whether parity of T bits is learned if only the last answer has a loss."""
    rng = np.random.default_rng(seed)
    P = book["initialise"](1, 8, 1, rng)
    leaves = [torch.from_numpy(p) for p in P]
    adam = torch.optim.Adam(leaves, lr=0.01)

    def answers(X):
        W_x, W_h, b, W_o, b_o = P
        states = book["rnn_forward"](X, np.zeros((X.shape[1], 8)), W_x, W_h, b)
        return states, states[1:] @ W_o + b_o

    for _ in range(steps):
        X, y = book["parity_batch"](T, 64, rng)
        states, O = answers(X)
        dO = (1 / (1 + np.exp(-O)) - y) / 64
        dO[:-1] = 0
        dP = book["double_sum"](dO @ P[3].T, X, states, P[0], P[1], K)
        dP = *dP, np.einsum("tnh,tnc->hc", states[1:], dO), dO.sum(axis=(0, 1))
        for leaf, d in zip(leaves, dP, strict=True):
            leaf.grad = torch.from_numpy(d)
        adam.step()
    X, y = book["parity_batch"](T, 500, np.random.default_rng(99))
    return ((answers(X)[1][-1] > 0) == y[-1]).mean() > 0.98


def test_one_step_back_is_not_enough_if_only_the_end_is_asked_for(book):
    """What 14-exp-end tells of a loss at the last bit."""
    short, whole = (
        [learned_at_end(book, K, seed) for seed in range(6)] for K in (1, 6)
    )
    assert sum(short) < 3 < sum(whole), (short, whole)
