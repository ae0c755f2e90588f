"""What several hidden tests of homework 5 share; `%run` in a test puts it there.

Names that it does not define are the student's or the setup cell's.
"""

import numpy as np
import torch
from torch.overrides import TorchFunctionMode


def true_rivals(s, y, m):
    wrong = np.arange(len(s)) != y
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
    for _ in range(200):  # the level at which the shares add up to 1
        middle = (low + high) / 2
        enough = np.maximum(0, goal - middle)[found].sum() > 1
        low, high = (middle, high) if enough else (low, middle)
    return np.where(found, np.maximum(0, goal - high), 0.0)


def counting(share, calls):
    """The share, which notes each call."""

    def counted(*given):
        calls.append(1)
        return share(*given)

    return counted


def true_train(X, y, W, m, share):
    W, total, mistakes = W.copy(), np.zeros(W.shape), 0
    for x, label in zip(X, y, strict=True):
        s = x @ W
        if true_rivals(s, label, m).any():
            tau = np.asarray(share(s, label, m, x @ x))
            W = W + np.outer(x, np.eye(len(s))[label] - tau)
            mistakes += 1
        total = total + W
    return W, total / len(X), mistakes


def drawn(seed, N, V, M):
    """Pages, boxes and weights with which every kind of step occurs."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(N, V)), rng.integers(0, M, N), rng.normal(size=(V, M))


class NumPyAlone(TorchFunctionMode):
    """Whatever PyTorch is asked to do here is refused."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise AssertionError("NumPy alone was asked for, and PyTorch was called")


class Noted(TorchFunctionMode):
    """Notes what PyTorch is asked to do here."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.append(getattr(func, "__name__", ""))
        return func(*args, **(kwargs or {}))


def run(X, y, W, m):
    return true_train(X, y, W, m, true_equal)


def torched(X, y, W, m):
    """The same, as tensors."""
    last, mean, mistakes = run(X, y, W, m)
    return torch.tensor(last), torch.tensor(mean), mistakes


def altered(change):
    """A program whose answer is changed: change(last, mean, mistakes, X)."""
    return lambda X, y, W, m: change(*run(X, y, W, m), X)


def sharing(share):
    """A program with another share."""
    return lambda X, y, W, m: true_train(X, y, W, m, share)


def to_all(s, y, m, size):
    return (np.arange(len(s)) != y) / (len(s) - 1)


def at_mistakes_alone(X, y, W, m):
    """A program whose mean leaves out the pages without a mistake."""
    last, total, made = W, 0 * W, 0
    for x, label in zip(X, y, strict=True):
        last, _, wrong = true_train(x[None], [label], last, m, true_equal)
        total, made = total + wrong * last, made + wrong
    return last, total / max(made, 1), made


def accepts(ours, theirs):
    try:
        return bool(same(ours, theirs))
    except Exception:
        return False


def judged(wrong):
    """The right pairs must be accepted, each wrong program refused on both sides."""
    assert accepts(run, torched) and accepts(torched, run), "same: a right pair refused"
    for what, program in wrong.items():
        assert not accepts(program, torched), f"same accepted: {what}"
        assert not accepts(torched, program), f"same accepted: {what}"


def mixed(y, epochs, rng):
    return np.array([rng.permutation(len(y)) for _ in range(epochs)])


def mixed_too(y, epochs, rng):
    return rng.random((epochs, len(y))).argsort(axis=1)


def by_box(y, epochs, rng):
    return (rng.random((epochs, len(y))) + y).argsort(axis=1)


def fair(W, x, label):
    s = x @ W
    found = true_rivals(s, label, 0.0)
    if found.any():
        W += np.outer(x, np.eye(len(s))[label] - found / found.sum())


def harsh(W, x, label):
    s = x @ W
    found = true_rivals(s, label, 0.0)
    if found.any():
        W += np.outer(x, np.eye(len(s))[label] - found)


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


def step_right():
    for seed in range(6):
        X, y, W = drawn(seed, 8, 5, 4)
        wanted = W.copy()
        for x, label in zip(X, y, strict=True):
            fair(wanted, x, label)
            step(W, x.copy(), label)
            assert np.allclose(np.asarray(W), wanted), "step: the weights after it"


def average_right():
    X, y, W = drawn(7, 9, 5, 4)
    order, wanted = mixed(y, 3, np.random.default_rng(8)), W.copy()
    mean = mean_of_all(fair, X, y, wanted, order)
    found = np.asarray(average(fair, X, y, W, order))
    assert found.shape == mean.shape, "average: shape"
    assert np.allclose(found, mean), "average: not the mean of the weights"
    assert np.allclose(W, wanted), "average: W holds the last weights in the end"


def faults_left():
    """What is still wrong with the student's three functions."""
    left = []
    for check in (reading_right, step_right, average_right):
        try:
            check()
        except Exception as error:
            left.append(f"{type(error).__name__} {error}")
    return left


def at_most(calls, step):
    """The step, which may be called so often."""
    made = []

    def counted(W, x, label):
        made.append(1)
        assert len(made) <= calls, f"sound: more than {calls} calls of step"
        return step(W, x, label)

    return counted


def accepted(reading, step, average):
    try:
        return bool(sound(reading, at_most(100, step), average))
    except Exception:
        return False


def accepts_right():
    return accepted(mixed, fair, mean_of_all) and accepted(
        mixed_too, fair, mean_of_copies
    )
