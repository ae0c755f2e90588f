"""What several hidden tests of homework 5 share; `%run -i` in a test puts it there.

Names that it does not define are from ``assignment.py``, the setup cell or the student.
"""

from collections import Counter
from itertools import pairwise

import numpy as np
import torch


def true_rivals(s, y, m):
    wrong = np.arange(s.size) != y
    return wrong & (s >= s[y] - m)


def true_equal(s, y, m, size):
    found = true_rivals(s, y, m)
    return found / found.sum()


def true_loudest(s, y, m, size):
    tau = np.zeros(len(s))
    tau[np.where(np.arange(len(s)) == y, -np.inf, s).argmax()] = 1.0
    return tau


def true_shortest(s, y, m, size):
    found = true_rivals(s, y, m)
    goal = s / size
    low, high = goal[found].min() - 1, goal[found].max()
    for _ in range(60):  # the level at which the shares add up to 1
        middle = (low + high) / 2
        enough = np.maximum(0, goal - middle)[found].sum() > 1
        low, high = (middle, high) if enough else (low, middle)
    return np.where(found, np.maximum(0, goal - high), 0.0)


def counting(share, sizes):
    """The share, which notes the squared length of the page at each call."""

    def counted(s, y, m, size):
        sizes.append(round(float(size), 9))
        return share(s, y, m, size)

    return counted


def true_train(X, y, W, m, share, rate=1):
    W, total, mistakes = W.copy(), np.zeros(W.shape), 0
    for x, label in zip(X, y, strict=True):
        s = x @ W
        if true_rivals(s, label, m).any():
            tau = np.asarray(share(s, label, m, x @ x))
            W = W + rate * np.outer(x, np.eye(len(s))[label] - tau)
            mistakes += 1
        total = total + W
    return W, total / len(X), mistakes


def drawn(seed, N, V, M):
    """Pages, boxes and weights with which every kind of step occurs."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(N, V)), rng.integers(0, M, N), rng.normal(size=(V, M))


def twin_cases():
    """Pages, boxes, weights and margins; the first case begins with a tie."""
    X, y = np.array([[1.0, 2.0], [2.0, -1.0], [1.0, 1.0]]), np.array([1, 2, 1])
    yield X, y, np.zeros((2, 3)), 0.0
    for seed, (N, V, M) in enumerate([(15, 4, 4), (10, 5, 3)]):
        for m in (0.0, 0.6):
            yield *drawn(50 + seed, N, V, M), m


def run(X, y, W, m):
    return true_train(X, y, W, m, true_equal)


def torched(X, y, W, m):
    """Do the same, as tensors; adds up the steps at the end, which rounds differently."""
    now, steps = W, np.zeros((len(X), W.shape[1]))
    for x, label, step in zip(X, y, steps, strict=True):
        s = x @ now
        if true_rivals(s, label, m).any():
            step[:] = np.eye(len(s))[label] - true_equal(s, label, m, x @ x)
            now = now + np.outer(x, step)
    held = np.arange(len(X), 0, -1)[:, None] / len(X)  # by this part of the states
    last, mean = (W + X[::-1].T @ some[::-1] for some in (steps, held * steps))
    return torch.tensor(last), torch.tensor(mean), int(steps.any(axis=1).sum())


def altered(change):
    """A program whose answer is changed: change(last, mean, mistakes, X)."""
    return lambda X, y, W, m: change(*run(X, y, W, m), X)


def mixed(y, epochs, rng):
    return np.array([rng.permutation(len(y)) for _ in range(epochs)])


def mixed_too(y, epochs, rng):
    return rng.random((epochs, len(y))).argsort(axis=1)


def by_box(y, epochs, rng):
    return (rng.random((epochs, len(y))) + y).argsort(axis=1)


def true_step(W, x, label):
    W[:] = true_train(x[None], [label], W, 0.0, true_equal)[0]


def mean_of_all(step, X, y, W, order):
    total, order = np.zeros(W.shape), np.ravel(order)
    for i in order:
        step(W, X[i], y[i])
        total += W
    return total / len(order)


def mean_of_copies(step, X, y, W, order):
    states = []
    for i in np.ravel(order):
        step(W, X[i], y[i])
        states.append(W.copy())
    return np.mean(states, axis=0)


def last_alone(step, X, y, W, order):
    for i in np.ravel(order):
        step(W, X[i], y[i])
    return W.copy()


def reading_right():
    y = np.random.default_rng(1).permutation(np.arange(200) % 10)
    found = [np.asarray(reading(y, 3, np.random.default_rng(s))) for s in (2, 3)]
    for order in found:
        assert order.shape == (3, 200), "reading: a row of numbers for each epoch"
        assert (np.sort(order) == np.arange(200)).all(), "reading: each page once"
        assert (order[0] != order[1]).any(), "reading: a new order for each epoch"
        together = np.mean(y[order[:, 1:]] == y[order[:, :-1]])
        assert together < 0.4, "reading: pages of a box follow each other"
        steady = np.abs(np.corrcoef(order[0], np.arange(200))[0, 1])
        assert steady < 0.5, "reading: the order is not random"
    assert (found[0] != found[1]).any(), "reading: the order must come from rng"


def average_right():
    X, y, W = drawn(7, 9, 5, 4)
    order, wanted = mixed(y, 3, np.random.default_rng(8)), W.copy()
    mean = mean_of_all(true_step, X, y, wanted, order)
    found = np.asarray(average(true_step, X, y, W, order))
    assert found.shape == mean.shape, "average: shape"
    assert np.allclose(found, mean), "average: not the mean of the weights"
    assert np.allclose(W, wanted), "average: W holds the last weights in the end"


def accepted(reading, average):
    return accepts(sound, reading, average)


def accepts_right():
    return accepted(mixed, mean_of_all) and accepted(mixed_too, mean_of_copies)


def one_word_each():
    """Known pages with one word each, none in common; unknown ones of two words.

    An unknown page goes to the box of that known page whose word has gained more, and
    the mean weights of a word are larger the earlier its page was read: the error of the
    mean depends on the number of epochs, and the last weights make none.
    """
    known, words = (np.eye(600)[:433], np.arange(433) % 10), np.arange(400)
    pages = known[0][words] + 0.9 * known[0][words + 1]
    return known, (pages, known[1][words])


def one_word_for_all():
    """Known pages of unlike length with the same word, so that nearly all are mistakes."""
    X = np.zeros((433, 600))
    X[:, 0] = np.linspace(1, 2, 433)
    return X, np.arange(433) % 10


def new_orders(sizes):
    """Whether three epochs were read, each in a new random order."""
    sizes = [round(size, 6) for size in sizes]
    neighbours = Counter(pairwise(sizes))
    again = sum(count - 1 for count in neighbours.values())
    return len(sizes) > 800 and max(Counter(sizes).values()) == 3 and again < 40


def shares_for_shortest():
    """The student's share; `equal` may be in its place if it does not work."""
    try:
        works = all(
            np.allclose(shortest(s.copy(), 2, 9.0, 4.0), true_shortest(s, 2, 9.0, 4.0))
            for s in np.random.default_rng(0).normal(size=(20, 6))
        )
    except Exception:
        works = False
    mine = [lambda *given: shortest(*given)]
    return mine if works else [*mine, equal]


def same_again(share, seed, pair):
    """Whether the student's experiment gives this pair of numbers again."""
    try:
        again = [float(part) for part in sort_out(share, seed, KNOWN, UNKNOWN)]
    except Exception:
        return False
    return np.allclose(again, pair, rtol=2e-3, atol=2e-3)
