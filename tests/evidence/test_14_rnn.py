"""What chapter 14 tells of longer or other training, trained, and its three files repeated."""

import csv

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from press import chapters
from tests.chapter_code import ChapterCode

chapter = ChapterCode("14_rnn")


def stored(name):
    with (chapters.BOOK / "data" / f"run_14_{name}.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_sign_is_kept_as_often_as_the_file_says(book):
    chapter.define(
        "14-latch-run", book, "X_sign", "learned", "STARTS", "steps_to_learn"
    )
    solved = {}
    for row in stored("latch"):
        case = row["start"], float(row["rate"])
        steps = book["steps_to_learn"](*case, int(row["seed"]))
        solved.setdefault(case, []).append((steps < 999, int(row["steps"]) < 999))
    assert len(solved) == 8
    for case, pairs in solved.items():
        repeated, recorded = np.sum(pairs, axis=0)
        assert len(pairs) == 5 and abs(repeated - recorded) <= 1, (case, pairs)


def test_the_characters_are_read_as_the_file_says(book):
    chapter.run("14-char-run", book)
    for row in stored("characters"):
        net, perplexities = book["read"](int(row["seed"]), 0.01)
        repeated = [*perplexities, book["perplexity"](net, book["ids"]["test"])]
        recorded = [float(row[key]) for key in ("pass 1", "pass 2", "pass 3", "test")]
        assert np.abs(np.subtract(repeated, recorded)).max() < 0.15, (
            repeated,
            recorded,
        )


def smooth(losses):
    """Return means over twenty losses."""
    return np.convolve(losses, np.ones(20) / 20, "valid")


def test_parity_is_learned_three_steps_back_as_the_file_says(book):
    rows = stored("truncated")
    assert [(row["K"], row["seed"]) for row in rows] == [("3", k) for k in "012"]
    for row in rows:
        _, losses = book["learn_parity"](int(row["seed"]), K=int(row["K"]))
        recorded = [float(loss) for loss in row["losses"].split()]
        assert len(recorded) == len(losses) and smooth(losses).min() < 0.05, row["seed"]
        steps = [np.argmax(smooth(run) < 0.05) for run in (losses, recorded)]
        assert 0.7 < steps[0] / steps[1] < 1.4, (row["seed"], steps)


def test_thirty_passes_over_the_characters_come_near_counting(book):
    """What 14-char-said tells of longer training."""
    chapter.run("14-char-run", book)
    net, perplexities = book["read"](0, 0.01, passes=30, T=32)
    test_perplexity = book["perplexity"](net, book["ids"]["test"])
    assert (
        3.8 < test_perplexity < 4.08
        and perplexities[-1] < perplexities[11] < perplexities[2]
    )
    assert 3.63 < test_perplexity < 4.09  # counted with orders 5 and 4


def test_a_small_radius_is_slow_and_not_unable(book):
    """What 14-latch-said tells of 1,000 steps."""
    X_sign, y_sign = book["latch"](300, np.random.default_rng(13))
    at_end = lambda O, y: F.binary_cross_entropy_with_logits(O[-1, :, 0], y)
    right = lambda net: ((net(X_sign)[0][-1, :, 0] > 0) == (y_sign > 0)).float().mean()
    learned = lambda net: right(net) > 0.98
    successes = []
    for orthogonal, seed in ((o, s) for o in (False, True) for s in range(5)):
        net = book["Net"](1, 16, 1, seed, orthogonal)
        if orthogonal:
            net.rnn.weight_hh_l0.data *= 0.58
        net = book["fit"](net, book["latch"], at_end, 1000, 0.01, seed, learned)
        successes.append(learned(net))
    assert sum(successes) >= 6, successes


@pytest.fixture(scope="module")
def by_pieces(book):
    """Validation perplexities of two starts, by how the text is cut, as ``read`` does."""
    chapter.run("14-char-run", book)
    ids, V, perplexities = book["ids"], len(book["KEPT"]), {}
    for way in ("carried", "in order, from zero", "random"):
        for seed in (0, 1):
            net, rng = book["Net"](V, 96, V, seed), np.random.default_rng(seed)
            adam = torch.optim.Adam(net.parameters(), lr=0.01)
            steps = 3 * ((len(ids["train"]) - 1) // 32 // 16)
            slower = torch.optim.lr_scheduler.LambdaLR(
                adam, lambda k, n=steps: max(0, 1 - k / n)
            )
            for _ in range(3):
                if way == "random":
                    pieces = book["random_pieces"](ids["train"], 32, 16, rng)
                else:
                    pieces = book["consecutive"](ids["train"], 32, 16)
                h = None
                for X, Y in pieces:
                    O, h = net(F.one_hot(X, V).float(), h)
                    h = h.detach() if way == "carried" else None
                    adam.zero_grad()
                    F.cross_entropy(O.flatten(0, 1), Y.flatten()).backward()
                    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                    adam.step()
                    slower.step()
            perplexity = book["perplexity"](net, ids["valid"])
            perplexities.setdefault(way, []).append(perplexity)
    return {way: np.mean(values) for way, values in perplexities.items()}


def test_the_carried_state_helps_and_the_order_alone_does_not(by_pieces):
    """What 14-batching tells of the two ways to cut a text."""
    gain = 1 - by_pieces["carried"] / by_pieces["random"]
    assert 0.01 < gain < 0.06, by_pieces
    order = by_pieces["in order, from zero"] / by_pieces["random"]
    assert abs(order - 1) < 0.015, by_pieces


def test_the_rate_of_the_characters_is_the_best_of_three(book):
    """What 14-char-said tells of the rate, on the validation sentences."""
    chapter.run("14-char-run", book)
    perplexities = {lr: book["read"](0, lr)[1][-1] for lr in (0.003, 0.01, 0.03)}
    assert min(perplexities, key=perplexities.get) == 0.01, perplexities


def learned_at_end(book, K, seed, T=6, steps=3000):
    """Return whether parity of T bits is learned if only the last answer has a loss."""
    rng = np.random.default_rng(seed)
    P = book["start"](1, 8, 1, rng)
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
    """What 14-one-step-said tells of a loss at the last bit."""
    short, whole = (
        [learned_at_end(book, K, seed) for seed in range(6)] for K in (1, 6)
    )
    assert sum(short) < 3 < sum(whole), (short, whole)
