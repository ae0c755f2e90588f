"""What several hidden tests of homework 4 share; `%run -i` in a test puts it there.

Names that it does not define are from ``assignment.py``, the setup cell or the student.
"""

import numpy as np
import torch

NAMES = "loss", "dW", "db"
BENDS = {"softmax", "log_softmax", "logsumexp", "exp", "cross_entropy"}


def drawn(seed, N, D, C):
    """W, b, X and labels, drawn at random."""
    rng = np.random.default_rng(seed)
    W, b, X = rng.normal(size=(D, C)), rng.normal(size=C), rng.normal(size=(N, D))
    return W, b, X, rng.integers(0, C, N)


def steep():
    """The same for logits up to 950, at which plain exponentials overflow."""
    rng = np.random.default_rng(8)
    X, labels = rng.uniform(-1, 1, size=(9, 2)), rng.integers(0, 3, 9)
    X[:3] = [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]]
    W = np.array([[450.0, -350.0, 0.0], [480.0, 400.0, -400.0]])
    return W, np.array([20.0, -10.0, 0.0]), X, labels


def log_chances(Z):
    Z = Z - Z.max(axis=1, keepdims=True)
    return Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))


def run(W, b, X, labels, q, factor=lambda power: power):
    """Mean loss, dW, db; the factor of each example's gradient may be changed."""
    logs, rows = log_chances(X @ W + b), np.arange(len(X))
    chosen = logs[rows, labels]
    losses = -np.expm1(q * chosen) / q if q else -chosen
    dZ = np.exp(logs) - np.eye(W.shape[1])[labels]
    dZ = dZ * factor(np.exp(q * chosen))[:, None] / len(X)
    return losses.mean(), X.T @ dZ, dZ.sum(axis=0)


def torched(W, b, X, labels, q):
    """Do the same by autograd, as tensors, which rounds differently."""
    W, b, X = (torch.tensor(a, dtype=torch.float64) for a in (W, b, X))
    leaves = W.requires_grad_(), b.requires_grad_()
    logs = torch.log_softmax(X @ W + b, dim=1)
    chosen = logs[torch.arange(len(X)), torch.as_tensor(labels)]
    loss = ((1 - torch.exp(q * chosen)) / q if q else -chosen).mean()
    return [loss.detach(), *torch.autograd.grad(loss, leaves)]


def altered(change):
    """A program whose answer is changed: change(loss, dW, db)."""
    return lambda *given: change(*run(*given))


def between(W, b, X, labels, q):
    """A line from cross-entropy to the bounded loss: right at both ends."""
    ends = [run(W, b, X, labels, end) for end in (0.0, 1.0)]
    return [(1 - q) * a + q * c for a, c in zip(*ends, strict=True)]


def unshifted(W, b, X, labels, q):
    """Compute it without the largest logit taken off: right for small logits."""
    with np.errstate(all="ignore"):
        E = np.exp(X @ W + b)
        P = E / E.sum(axis=1, keepdims=True)
        chosen = P[np.arange(len(X)), labels]
        losses = (1 - chosen**q) / q if q else -np.log(chosen)
        dZ = (P - np.eye(W.shape[1])[labels]) * (chosen**q)[:, None] / len(X)
        return losses.mean(), X.T @ dZ, dZ.sum(axis=0)


# Parts of a run: in order, and each with one fault of the run to mend.


def pairs(X, labels, size, rng):
    rows = rng.choice(len(X), size, replace=False)
    return X[rows], labels[rows]


def apart(X, labels, size, rng):
    return rng.permutation(X)[:size], rng.permutation(labels)[:size]


def own_column(W, b, X, labels):
    return run(W, b, X, labels, 0.0)[1:]


def all_columns(W, b, X, labels):
    dZ = np.exp(log_chances(X @ W + b))
    dZ[:, labels] -= 1
    return X.T @ dZ / len(X), dZ.mean(axis=0)


def renewing(W, b, steps, lr, draw, slope, judge):
    best, lowest = (W, b), judge(W, b)
    for _ in range(steps):
        dW, db = slope(W, b, *draw())
        W, b = W - lr * dW, b - lr * db
        if judge(W, b) < lowest:
            best, lowest = (W, b), judge(W, b)
    return best


def copying(W, b, steps, lr, draw, slope, judge):
    W, b = W.copy(), b.copy()
    best, lowest = (W.copy(), b.copy()), judge(W, b)
    for _ in range(steps):
        dW, db = slope(W, b, *draw())
        W -= lr * dW
        b -= lr * db
        found = judge(W, b)
        if found < lowest:
            best, lowest = (W.copy(), b.copy()), found
    return best


def in_place(W, b, steps, lr, draw, slope, judge):
    best, lowest = (W, b), judge(W, b)
    for _ in range(steps):
        dW, db = slope(W, b, *draw())
        W -= lr * dW
        b -= lr * db
        found = judge(W, b)
        if found < lowest:
            best, lowest = (W, b), found
    return best


def portion_right():
    labels = np.random.default_rng(5).permutation(60)
    X = np.stack([labels, 2 * labels], axis=1) + 0.5
    given = X.copy(), labels.copy()
    batches = []
    for seed in (6, 7):
        rng = np.random.default_rng(seed)
        rows, answers = (np.asarray(a) for a in portion(*given, 20, rng))
        assert rows.shape == (20, 2) and answers.shape == (20,), "portion: shapes"
        assert np.array_equal(rows[:, 0] - 0.5, answers), "portion: other labels"
        assert np.array_equal(rows[:, 1], 2 * rows[:, 0] - 0.5), "portion: rows mixed"
        assert len(set(answers.tolist())) == 20, "portion: an example twice"
        batches.append(set(answers.tolist()))
    assert batches[0] != batches[1], "portion: drawn at random"
    unchanged = np.array_equal(given[0], X) and np.array_equal(given[1], labels)
    assert unchanged, "portion: the given arrays are changed"


def slope_right():
    for seed, sizes in enumerate([(7, 3, 4), (12, 2, 3), (1, 3, 2)]):
        given = drawn(60 + seed, *sizes)
        found = slope(*(a.copy() for a in given))
        for name, a, wanted in zip(NAMES[1:], found, own_column(*given), strict=True):
            assert np.shape(a) == wanted.shape, f"slope: shape of {name}"
            assert np.allclose(np.asarray(a), wanted), f"slope: {name}"


def descend_right():
    """With a gradient of −1 everywhere, so that a step adds `lr` to every entry."""
    ones = lambda W, b, *batch: (0 * W - 1, 0 * b - 1)
    for steps, lr, low in ((6, 0.5, 1.0), (4, 1.0, 4.0), (5, 1.0, -2.0), (7, 2.0, 6.0)):
        batches = []

        def draw(batches=batches):
            batches.append(1)
            return np.zeros((2, 3)), np.zeros(2, dtype=int)

        judge = lambda W, b, low=low: abs(W[0, 0] - low) + abs(b[0] - low)
        W, b = descend(np.zeros((3, 4)), np.zeros(4), steps, lr, draw, ones, judge)
        wanted = max(low, 0.0)
        assert np.shape(W) == (3, 4) and np.shape(b) == (4,), "descend: shapes"
        assert np.allclose(np.asarray(W), wanted), (
            "descend: not the weights of the best"
        )
        assert np.allclose(np.asarray(b), wanted), "descend: not the biases of the best"
        assert len(batches) == steps, "descend: one batch for each step"


def faults():
    """What is left to mend."""
    left = []
    for check in (portion_right, slope_right, descend_right):
        try:
            check()
        except Exception as error:
            left.append(f"{type(error).__name__} {error}")
    return left


def accepted(portion, slope, descend):
    return accepts(sound, portion, at_most(30, slope), descend)


def accepts_right():
    for one in ((pairs, own_column, renewing), (pairs, own_column, copying)):
        assert accepted(*one), "sound: a run in order is refused"


def with_the_rest(function):
    """Answer the other tasks right while a function of the student's runs."""
    right = {"bounded": run, "twin": run, "portion": pairs}
    right |= {"slope": own_column, "descend": renewing}
    return standing_in(function, **right)


def misread(W, b, X, truth):
    return np.mean((X @ W + b).argmax(axis=1) != truth)


def cost(W, b, X, truth, limit):
    P = np.exp(log_chances(X @ W + b))
    return np.where(P.max(axis=1) < limit, 1, 10 * (P.argmax(axis=1) != truth)).mean()


def budget(train, size=100):
    """Steps of a run, and how unevenly it draws, where 1 is expected of `size` rows.

    A tiny learning rate leaves the gradients as they are at zero, and each example has
    one of 64 features: the weight of its label counts how often it was drawn.
    """
    group = np.arange(700) % 64
    X, labels, shares = np.eye(64)[group], group % 10, np.bincount(group) / 700
    counts = []
    for seed in range(4):
        W = np.array(train(0, seed, X.copy(), labels.copy(), lr=1e-8)[0], dtype=float)
        counts.append(W[np.arange(64), np.arange(64) % 10] / 0.9e-8)
    steps = np.sum(counts, axis=1).mean()
    if not steps > 0:
        return 0.0, np.inf
    return steps, np.sqrt(
        np.mean((counts - steps * shares) ** 2 / (steps * shares / size))
    )
