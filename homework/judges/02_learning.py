"""What several hidden tests of homework 2 share; `%run` in a test puts it there.

Names that it does not define are the student's or the setup cell's.
"""

import warnings

import numpy as np
import torch
from scipy.special import expit
from torch.overrides import TorchFunctionMode


def drawn(seed, N, D):
    """Inputs of the loss: w, b, X, y, v, lam."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.permutation(N) < N // 3, 1.0, -1.0)
    return rng.normal(size=D), 0.8, rng.normal(size=(N, D)), y, 2.3, 0.4


def far(seed):
    """Inputs with scores of about a thousand on either side, for either class."""
    _, b, X, _, v, lam = drawn(seed, 12, 2)
    X[:, 0] = np.resize([1.0, -1.0, 1.0], 12)
    return np.array([1000.0, 1.0]), b, X, np.repeat([1.0, -1.0], 6), v, lam


def copied(given):
    return tuple(one.copy() if isinstance(one, np.ndarray) else one for one in given)


def plain(penalty_slope=1.0, exchanged=False, penalise_b=False, summed=False):
    """The loss in NumPy; with a fault, if asked for."""

    def program(w, b, X, y, v, lam):
        m = y * (X @ w + b)
        u = np.where((y > 0) != exchanged, v, 1.0)
        share = 1.0 if summed else 1 / len(y)
        g = -u * y * expit(-m) * share
        loss = np.sum(u * np.logaddexp(0, -m)) * share + lam / 2 * np.sum(w * w)
        loss = loss + penalise_b * lam / 2 * b * b
        dw = X.T @ g + penalty_slope * lam * w
        return np.asarray(loss), dw, np.asarray(g.sum() + penalise_b * lam * b)

    return program


truth = plain()


def altered(change):
    """A program whose answer is changed: change(loss, dw, db)."""
    return lambda *given: change(*truth(*given))


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

    def computed(self):
        bent = "softplus", "sigmoid", "exp", "log1p", "soft_margin", "cross_entropy"
        return any(part in name for part in bent for name in self.names)


def quietly(program, given, warned="error"):
    """The program's answer; PyTorch, a changed input and warnings are errors."""
    handed = copied(given)
    with warnings.catch_warnings(), NumPyAlone():
        warnings.simplefilter(warned)
        answer = tuple(program(*handed))
    for before, after in zip(given, handed, strict=True):
        assert np.array_equal(before, after), "dear: an input was changed"
    assert len(answer) == 3, "dear: three things are asked for"
    return answer


def agree(ours, theirs):
    try:
        return bool(same(ours, theirs))
    except Exception:
        return False


def torched(*given):
    """The correct answer, as tensors."""
    return tuple(torch.tensor(np.asarray(one)) for one in truth(*given))


def judged(wrong):
    """The correct pairs must be accepted, each wrong program refused on both sides."""
    assert agree(truth, torched) and agree(torched, truth), "same: refuses a right pair"
    for what, program in wrong.items():
        assert not agree(program, torched), f"same accepted: {what}"
        assert not agree(torched, program), f"same accepted: {what}"


def tried(kept, known, unknown):
    """What `trial` should return, with the correct loss."""
    (X, y), (X_new, y_new) = known, unknown
    n = len(y) - kept
    mean, deviation = X[:n].mean(axis=0), X[:n].std(axis=0)
    Z, Z_new = (X - mean) / deviation, (X_new - mean) / deviation
    w, b = np.zeros(X.shape[1]), 0.0
    for _ in range(60):
        _, dw, db = truth(w, b, Z[:n], y[:n], 20 / 9, 0.1)
        w, b = w - 0.2 * dw, b - 0.2 * db
    f, f_new = Z[n:] @ w + b, Z_new @ w + b
    cost = lambda f, y, t: 2 * np.mean(f[y > 0] <= t) + 0.9 * np.mean(f[y < 0] > t)
    t = 0.0
    if kept:
        t = min([0.0, *f], key=lambda t: (round(cost(f, y[n:], t), 9), abs(t)))
    return cost(f_new, y_new, t), cost(f_new, y_new, 0.0)


def by_training(X, X_new):
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    return (X - mean) / deviation, (X_new - mean) / deviation


def by_themselves(X, X_new):
    old = (X - X.mean(axis=0)) / X.std(axis=0)
    return old, (X_new - X_new.mean(axis=0)) / X_new.std(axis=0)


def in_step(X, y, size, rng):
    left, parts = rng.random(len(y)).argsort(), []
    while len(left):
        parts.append((X[left[:size]], y[left[:size]]))
        left = left[size:]
    return parts


def apart(X, y, size, rng):
    X, y = rng.permutation(X), rng.permutation(y)
    return [(X[i : i + size], y[i : i + size]) for i in range(0, len(y), size)]


def fitting(alias):
    """The training with early stopping; with the alias the weights go on moving."""

    def fit(X, y, X_val, y_val, batches, epochs, lr, rng):
        w, b, best, least = np.zeros(X.shape[1]), 0.0, None, np.inf
        for _ in range(epochs):
            for X_part, y_part in batches(X, y, 10, rng):
                r = X_part @ w + b - y_part
                w -= lr * 2 * X_part.T @ r / len(r)
                b -= lr * 2 * r.mean()
            loss = np.mean((X_val @ w + b - y_val) ** 2)
            if loss < least:
                best, least = (w if alias else w.copy(), b), loss
        return *best, least

    return fit


kept_copy, kept_alias = fitting(False), fitting(True)


def scaled_right():
    rng = np.random.default_rng(21)
    X, X_new = 3 * rng.normal(size=(14, 4)) + 1, rng.normal(size=(5, 4)) + 2
    for new in (X_new, X_new[:1], X):
        given = X.copy(), new.copy()
        found = [np.asarray(one) for one in scaled(*given)]
        for one, before in zip(given, (X, new), strict=True):
            assert np.array_equal(one, before), "scaled: inputs changed"
        for one, wanted in zip(found, by_training(X, new), strict=True):
            assert one.shape == wanted.shape, "scaled: shape"
            assert np.allclose(one, wanted), "scaled: values"


def batches_right():
    X = np.arange(46.0).reshape(23, 2)
    orders = []
    for seed in (1, 2):
        given = X.copy(), X[:, 0] / 2
        parts = list(batches(*given, 5, np.random.default_rng(seed)))
        pairs = [tuple(map(np.asarray, part)) for part in parts]
        assert (given[0] == X).all() and (given[1] == X[:, 0] / 2).all(), (
            "batches: inputs changed"
        )
        assert [len(a) for a, _ in pairs] == [5, 5, 5, 5, 3], "batches: sizes"
        for a, b in pairs:
            assert np.array_equal(a[:, 0] / 2, b), "batches: labels out of step"
        order = np.concatenate([a for a, _ in pairs])
        assert np.array_equal(order[order[:, 0].argsort()], X), "batches: all, once"
        orders.append(order)
    assert not np.array_equal(*orders), "batches: the order is drawn at random"


def fit_right():
    for seed, turn, epochs in ((31, -1, 6), (32, 1, 25), (33, 0, 12)):
        rng = np.random.default_rng(seed)
        X, X_val = rng.normal(size=(26, 4)), rng.normal(size=(9, 4))
        y, y_val = np.sign(X[:, 0]), turn * np.sign(X_val[:, 0])
        if turn == 0:
            y_val = np.sign(X_val[:, 1])
        answers = []
        for one in (fit, kept_copy):
            rng = np.random.default_rng(seed)
            found = list(one(X.copy(), y, X_val, y_val, in_step, epochs, 0.05, rng))
            answers.append([np.asarray(part, dtype=float) for part in found])
        for ours, wanted in zip(*answers, strict=True):
            assert ours.shape == wanted.shape and np.allclose(ours, wanted), "fit"


def faults_left():
    left = []
    for check in (scaled_right, batches_right, fit_right):
        try:
            check()
        except Exception as error:
            left.append(f"{type(error).__name__} {error}")
    return left


def accepted(*program):
    try:
        return bool(sound(*program))
    except Exception:
        return False


def by_index(X, y, size, rng):
    """Batches in order of another draw, as a student may write them."""
    order = list(range(len(y)))
    rng.shuffle(order)
    return [
        (X[order[i : i + size]], y[order[i : i + size]])
        for i in range(0, len(order), size)
    ]


def correct_accepted():
    assert accepted(by_training, in_step, kept_copy), "sound: a correct one is refused"
    assert accepted(by_training, by_index, kept_copy), "sound: a correct one is refused"
