"""What several hidden tests of homework 3 share; `%run -i` in a test puts it there.

Names that it does not define are from ``assignment.py``, the setup cell or the student.
"""

import sys

import numpy as np
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode


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
    for i in range(X.shape[0]):
        kept = np.arange(X.shape[0]) != i
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
    """Do the same by refits, as tensors."""
    theta, X, y = (torch.tensor(a, dtype=torch.float64) for a in (theta, X, y))
    theta.requires_grad_()
    errors = []
    for i in range(len(X)):
        rows, goal = (torch.cat([a[:i], a[i + 1 :]]) for a in (X, y))
        Z = rows - rows.mean(dim=0)
        w = torch.linalg.solve(Z.T @ Z + torch.diag(theta.exp()), Z.T @ goal)
        errors.append(goal.mean() + (X[i] - rows.mean(dim=0)) @ w - y[i])
    S = (torch.stack(errors) ** 2).mean() / 2
    return S.detach(), torch.autograd.grad(S, theta)[0]


class NoFit:
    """What fits again is refused here: NumPy's solvers, and all of PyTorch."""

    def __enter__(self):
        self.names = vars(sys.modules["numpy.linalg"])  # the student's, not a copy
        self.before = {name: self.names[name] for name in ("inv", "pinv", "solve")}
        self.before["lstsq"] = self.names["lstsq"]
        self.names.update(dict.fromkeys(self.before, self.refuse))
        self.torch = NumPyAlone()
        self.torch.__enter__()

    def __exit__(self, *raised):
        self.names.update(self.before)
        self.torch.__exit__(*raised)

    @staticmethod
    def refuse(*_, **__):
        raise AssertionError("left-out: fitted again, without the theorem")


class Refits(TorchDispatchMode):
    """Counts the matrices that PyTorch inverts, factorises or solves with."""

    solvers = ("solve_ex", "inv_ex", "pinv", "lstsq", "cholesky_ex", "lu_factor")
    solvers += ("qr", "svd", "eigh")

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if any(solver in func.__name__ for solver in self.solvers):
            self.count += args[0].shape[:-2].numel()
        return func(*args, **(kwargs or {}))


def errors_known(G, X, r):
    return r / (1 - 1 / X.shape[0] - ((X @ G) * X).sum(axis=1))


def weights_known(i, w, G, X, r):
    return w + errors_known(G, X, r)[i] * (G @ X[i])


def with_the_rest(function):
    """Answer the functions of `left-out` right while a function of the student's runs."""
    right = {"errors": errors_known}
    if getattr(function, "__name__", "") != "weights":
        right["weights"] = weights_known
    return standing_in(function, **right)


def slopes_right(found, S, wanted_S, wanted, N):
    """Whether the gradient is right; a common factor, as without ½, costs S alone."""
    factor = float(S) / wanted_S
    factors = [1.0, factor] if 0.4 < factor < 2.1 * N else [1.0]
    limit = 1e-11 * np.abs(wanted).max()  # right: 2e-14; quotients: 5e-10 at least
    return any(np.abs(found - f * wanted).max() <= f * limit for f in factors)


def altered(change):
    """A function whose answer is changed: change(S, gradient, theta, X, y)."""
    return lambda theta, X, y: change(*truth(theta, X, y), theta, X, y)


def fed(change):
    """A function that misreads its inputs: change(theta, X, y) in their place."""
    return lambda theta, X, y: truth(*change(theta, X, y))


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


def in_order(fig, drawn):
    """Whether two borders part the numbers of 20, 40 and 160 patients from left to right."""
    pairs = points(fig)
    x = np.sort(np.unique(pairs[:, 0]))
    borders = (x[1:] + x[:-1]) / 2

    def where(number):
        return pairs[np.isclose(pairs[:, 1], number, rtol=5e-3), 0]

    first, middle, last = (drawn[n] for n in sorted(drawn))
    left = max(where(number).min() for number in first)
    right = min(where(number).max() for number in last)
    return any(
        all(((low < x) & (x < high)).any() for x in map(where, middle))
        for low in borders[borders > left]
        for high in borders[borders < right]
    )


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


def accepted(batches, loss):
    return accepts(sound, batches, at_most(20, loss))


def accepts_right():
    """A program in order, which is not the student's."""
    return accepted(epoch(), penalised())
