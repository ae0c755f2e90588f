"""What several hidden tests of homework 3 share; `%run` in a test puts it there.

Names that it does not define are the student's or the setup cell's.
"""

import numpy as np
import torch
from torch import nn
from torch.overrides import TorchFunctionMode


def drawn(seed, N, D):
    """Dials, raw columns with means and scales of their own, targets."""
    rng = np.random.default_rng(seed)
    X = rng.normal(rng.normal(size=D), rng.uniform(0.5, 2, D), size=(N, D))
    return rng.normal(size=D), X, 4 + rng.normal(size=N)


def fitted(theta, X, y):
    """What one fit to all leaves: G, centred columns, weights, residuals."""
    X = X - X.mean(axis=0)
    G = np.linalg.inv(X.T @ X + np.diag(np.exp(theta)))
    w = G @ X.T @ y
    return G, X, w, y.mean() + X @ w - y


def refits(theta, X, y):
    """Left-out errors (N,) and the weights without each (N, D), by N refits."""
    errors, weights = [], []
    for i in range(len(X)):
        kept = np.arange(len(X)) != i
        middle = X[kept].mean(axis=0)
        Z = X[kept] - middle
        w = np.linalg.solve(Z.T @ Z + np.diag(np.exp(theta)), Z.T @ y[kept])
        errors.append(y[kept].mean() + (X[i] - middle) @ w - y[i])
        weights.append(w)
    return np.array(errors), np.array(weights)


def truth(
    theta, X, y, *, centred=True, bias=True, counted=True, fixed=False, stay=False
):
    """S and its gradient; or what comes out if one thing is done wrongly."""
    lam, N = np.exp(theta), len(X)
    X = X - centred * X.mean(axis=0)
    B = X @ np.linalg.inv(X.T @ X + np.diag(lam))
    w = B.T @ y
    h = (1 - stay) * (counted / N + (B * X).sum(axis=1))
    e = (bias * y.mean() + X @ w - y) / (1 - h)
    moved = w + (1 - fixed) * (1 - stay) * e[:, None] * B
    slopes = -lam * (B * moved * (e / (1 - h))[:, None]).mean(axis=0)
    return (e**2).mean() / 2, slopes


def torched(theta, X, y):
    """The same by refits, as tensors."""
    theta = torch.tensor(theta, requires_grad=True)
    X, y = torch.tensor(X), torch.tensor(y)
    errors = []
    for i in range(len(X)):
        rows, goal = (torch.cat([a[:i], a[i + 1 :]]) for a in (X, y))
        Z = rows - rows.mean(dim=0)
        w = torch.linalg.solve(Z.T @ Z + torch.diag(theta.exp()), Z.T @ goal)
        errors.append(goal.mean() + (X[i] - rows.mean(dim=0)) @ w - y[i])
    S = (torch.stack(errors) ** 2).mean() / 2
    return S.detach(), torch.autograd.grad(S, theta)[0]


class NumPyAlone(TorchFunctionMode):
    """Whatever PyTorch is asked to do here is refused."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise AssertionError("NumPy alone was asked for, and PyTorch was called")


class Noted(TorchFunctionMode):
    """Notes what PyTorch is asked to do here."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.add(getattr(func, "__name__", ""))
        return func(*args, **(kwargs or {}))

    def much(self):
        return len(self.names) >= 4


def altered(change):
    """A function whose answer is changed: change(S, gradient, theta, X, y)."""
    return lambda theta, X, y: change(*truth(theta, X, y), theta, X, y)


def fed(change):
    """A function that misreads its inputs: change(theta, X, y) in their place."""
    return lambda theta, X, y: truth(*change(theta, X, y))


def agreed(ours, theirs):
    try:
        return bool(agree(ours, theirs))
    except Exception:
        return False


def judged(wrong):
    """The right pairs must be accepted, each wrong function refused on both sides."""
    assert agreed(truth, torched) and agreed(torched, truth), (
        "agree: a right pair refused"
    )
    for what, function in wrong.items():
        assert not agreed(function, torched), f"agree accepted: {what}"
        assert not agreed(torched, function), f"agree accepted: {what}"


def slanted(theta, X, y):
    """Another score: a bowl whose slopes differ."""
    pull = 0.1 * (theta - np.arange(len(theta)))
    return 1 + 5 * (pull**2).sum(), pull


def turned_down(one, X, y, dials):
    theta = np.full(X.shape[1], np.log(len(X)))
    for _ in range(100):
        S, slopes = one(theta.copy(), X, y)
        slopes = np.asarray(slopes) / float(S)
        theta = theta - 2 * (slopes if dials > 1 else slopes.sum())
    return theta


def tried(n, dials, seed, one, tuner):
    """What the dials promise, and what new patients get."""
    X, y, X_new, y_new = ward(n, seed)
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    X, X_new = (X - mean) / deviation, (X_new - mean) / deviation
    theta = tuner(one, X, y, dials)
    w = np.linalg.solve(X.T @ X + np.diag(np.exp(theta)), X.T @ y)
    promised = np.sqrt(2 * float(one(theta.copy(), X, y)[0]))
    return promised, np.sqrt(np.mean((y.mean() + X_new @ w - y_new) ** 2))


def scaled(one=False):
    """A prepare; or with one deviation for all columns."""

    def prepare(known, new):
        mean, spread = known.mean(axis=0), known.std(axis=None if one else 0)
        return (known - mean) / spread, (new - mean) / spread

    return prepare


def epoch(apart=False):
    """A batches, which yields; or with targets that are shuffled apart."""

    def batches(X, y, size, rng):
        order = rng.permutation(len(X))
        other = rng.permutation(len(X)) if apart else order
        for a in range(0, len(X), size):
            some, goal = X[order[a : a + size]], y[other[a : a + size]]
            yield torch.tensor(some), torch.tensor(goal)

    return batches


def penalised(wide=False, bias=False):
    """A loss; or with differences of all pairs, or with a penalty for the bias too."""

    def loss(layer, X, y, decay):
        wanted = y if wide else y[:, None]
        squares = layer.weight.square().sum()
        if bias:
            squares = squares + layer.bias.square().sum()
        return 0.5 * ((layer(X) - wanted).square().mean() + decay * squares)

    return loss


def prepare_right():
    rng = np.random.default_rng(3)
    known, new = rng.normal(size=(40, 3)), rng.normal(1, 2, size=(5, 3))
    known, new = known * [1, 20, 300] + [3, 0, -70], new * [1, 20, 300]
    found = prepare(known.copy(), new.copy())
    for ours, wanted in zip(found, scaled()(known, new), strict=True):
        ours = np.asarray(ours)
        assert ours.shape == wanted.shape and np.allclose(ours, wanted), "prepare"


def batches_right():
    numbers = np.random.default_rng(4).permutation(23).astype(float)
    orders = []
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        pairs = list(batches(np.outer(numbers, [1, 2]), 5 * numbers, 6, rng))
        assert [len(y) for _, y in pairs] == [6, 6, 6, 5], "batches: sizes"
        assert all(str(a.dtype) == "torch.float64" for pair in pairs for a in pair)
        X = np.concatenate([np.asarray(X) for X, _ in pairs])
        y = np.concatenate([np.asarray(y) for _, y in pairs])
        assert X.shape == (23, 2) and y.shape == (23,), "batches: shapes"
        assert np.allclose(X * [5, 2.5], y[:, None]), "batches: partners"
        assert np.array_equal(np.sort(y), 5.0 * np.arange(23)), "batches: each once"
        orders.append(y.tolist())
    assert orders[0] != orders[1], "batches: the order is drawn"


def loss_right():
    for seed in (0, 1):
        torch.manual_seed(seed)
        layer = nn.Linear(3, 1, dtype=torch.float64)
        X, y = torch.randn(6, 3).double(), torch.randn(6).double()
        for decay in (0.0, 0.7):
            found = loss(layer, X, y, decay).item()
            wanted = penalised()(layer, X, y, decay).item()
            assert abs(found - wanted) < 1e-9, "loss"


def at_most(calls, loss):
    """The loss, which may be called so often."""
    made = []

    def counted(*given, **named):
        made.append(1)
        assert len(made) <= calls, f"sound: more than {calls} calls of loss"
        return loss(*given, **named)

    return counted


def accepted(prepare, batches, loss):
    try:
        return bool(sound(prepare, batches, at_most(20, loss)))
    except Exception:
        return False


def accepts_right():
    """A program in order, which is not the student's."""
    return accepted(scaled(), epoch(), penalised())
