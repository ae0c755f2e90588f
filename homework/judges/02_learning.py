"""What several hidden tests of homework 2 share; `%run -i` in a test puts it there.

Names that it does not define are from ``assignment.py``, the setup cell or the student.
"""

import warnings

import numpy as np
import torch
from scipy.special import expit


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


def by_numpy(penalty_slope=1.0, exchanged=False, penalise_b=False, summed=False):
    """Return the loss in NumPy; with a fault, if asked for."""

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


truth = by_numpy()


def altered(change):
    """A program whose answer is changed: change(loss, dw, db)."""
    return lambda *given: change(*truth(*given))


def differentiated(given):
    """Whether the gradients are those of the student's own loss, which uses all inputs."""
    loss = lambda *given: float(dear(*given)[0])
    w, b, X, y, v, lam = given
    before = loss(*given)
    for other in (
        (w, b + 0.3, X, y, v, lam),
        (w, b, X + 0.3, y, v, lam),
        (w, b, X, -y, v, lam),
        (w, b, X, y, v + 0.3, lam),
        (w, b, X, y, v, lam + 0.3),
    ):
        if abs(loss(*other) - before) < 1e-3:
            return False
    _, dw, db = dear(*copied(given))
    slope = lambda u, c: (
        loss(w + u, b + c, X, y, v, lam) - loss(w - u, b - c, X, y, v, lam)
    )
    numeric = [slope(1e-5 * e, 0.0) / 2e-5 for e in np.eye(len(w))]
    numeric.append(slope(0 * w, 1e-5) / 2e-5)
    return np.allclose([*dw, db], numeric, rtol=1e-5, atol=1e-7)


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


def by_pytorch(w, b, X, y, v, lam):
    """Return the correct answer as tensors; it rounds differently."""
    w, b, X, y = (torch.tensor(one, dtype=torch.float64) for one in (w, b, X, y))
    w.requires_grad_()
    b.requires_grad_()
    weight = torch.tensor(v, dtype=torch.float64)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(
        X @ w + b, (y + 1) / 2, pos_weight=weight
    )
    loss = loss + lam / 2 * (w**2).sum()
    return (loss.detach(), *torch.autograd.grad(loss, [w, b]))


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


def fitting(alias):
    """The training with early stopping; with the alias the weights go on moving."""

    def fit(X, y, X_val, y_val, epochs, lr):
        w, b, least = np.zeros(X.shape[1]), 0.0, np.inf
        best = (w if alias else w.copy()), b
        for _ in range(epochs):
            r = X @ w + b - y
            w -= lr * 2 * X.T @ r / len(r)
            b -= lr * 2 * r.mean()
            loss = np.mean((X_val @ w + b - y_val) ** 2)
            if loss < least:
                best, least = ((w if alias else w.copy()), b), loss
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


def fit_right():
    for seed, turn, epochs in ((31, -1, 6), (32, 1, 25), (33, 0, 12)):
        rng = np.random.default_rng(seed)
        X, X_val = rng.normal(size=(26, 4)), rng.normal(size=(9, 4))
        y, y_val = np.sign(X[:, 0]), turn * np.sign(X_val[:, 0])
        if turn == 0:
            y_val = np.sign(X_val[:, 1])
        answers = []
        for one in (fit, kept_copy):
            found = list(one(X.copy(), y, X_val, y_val, epochs, 0.05))
            answers.append([np.asarray(part, dtype=float) for part in found])
        for ours, wanted in zip(*answers, strict=True):
            assert ours.shape == wanted.shape and np.allclose(ours, wanted), "fit"


def accepted(*program):
    return accepts(sound, *program)


def by_column(X, X_new):
    """The standardisation, as a student may write it."""
    both = np.concatenate([X, X_new]).astype(float)
    for column, known in zip(both.T, np.array(X, dtype=float).T, strict=True):
        column -= known.mean()
        column /= known.std()
    return both[: len(X)], both[len(X) :]


def listed(X, y, X_val, y_val, epochs, lr):
    """The training, as a student may write it."""
    w, b, seen = np.zeros(X.shape[1]), 0.0, []
    for _ in range(epochs):
        gap = X @ w + b - y
        w, b = w - 2 * lr * gap @ X / len(y), b - 2 * lr * np.mean(gap)
        seen.append((w, b, np.mean((X_val @ w + b - y_val) ** 2)))
    return min(seen, key=lambda one: one[2]) if seen else (w, b, np.inf)


def correct_accepted():
    assert accepted(by_training, kept_copy), "sound: a correct one is refused"
    assert accepted(by_column, listed), "sound: a correct one is refused"


def points_of(fig):
    """All points in a figure: x, y and a colour."""
    found = []
    for ax in fig.axes:
        for line in ax.lines:
            xs, ys = np.ravel(line.get_xdata(orig=False)), np.ravel(line.get_ydata())
            color = line.get_color(), line.get_markerfacecolor()
            found += [(x, y, str(color)) for x, y in zip(xs, ys, strict=True)]
        for marks in ax.collections:
            offsets = np.asarray(marks.get_offsets(), dtype=float)
            colors = marks.get_facecolor()
            colors = colors if len(colors) else marks.get_edgecolor()
            colors = np.resize(colors, (len(offsets), 4))
            for (x, y), color in zip(offsets, colors, strict=True):
                found.append((x, y, str(color)))
        for bar in ax.patches:
            if hasattr(bar, "get_height"):
                x = bar.get_x() + bar.get_width() / 2
                found.append((x, bar.get_height(), str(bar.get_facecolor())))
    return [(float(x), float(y), color) for x, y, color in found]


def placed(fig, numbers, costs):
    """Colours of these costs, drawn above (nearly) their number or in equal steps."""
    drawn = points_of(fig)
    for places, reach in ((numbers, 3), (range(len(numbers)), 0.5)):
        colors, complete = set(), True
        for at, row in zip(places, costs, strict=True):
            for cost in np.ravel(row):
                here = [
                    color
                    for x, y, color in drawn
                    if abs(x - at) <= reach and np.isclose(y, cost, rtol=5e-3)
                ]
                colors |= set(here)
                complete = complete and bool(here)
        if complete:
            return colors
    raise AssertionError("fig: a cost does not stand at its number kept")
