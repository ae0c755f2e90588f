"""Chapter 4: its functions on inputs that the page does not use, and its checks put to the test."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import multivariate_normal
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from tests.chapter_code import ChapterCode, Fault, autograd, catches
from utils import data
from utils.checks import assert_close

chapter = ChapterCode("04_softmax_regression")
few = settings(max_examples=12, deadline=None)
seeds = st.integers(0, 2**32 - 1)
sizes = st.tuples(st.integers(1, 4), st.integers(2, 5), st.integers(1, 9))  # D, C, N
bce = torch.nn.functional.binary_cross_entropy_with_logits
ce = torch.nn.functional.cross_entropy


def problem(book, seed, size):
    D, C, N = size
    rng = np.random.default_rng(seed)
    X = book["augment"](rng.normal(size=(N, D)))
    return X, rng.integers(0, C, size=N), 3 * rng.normal(size=(D + 1, C)), rng


@few
@given(st.lists(st.floats(-800, 800), min_size=1, max_size=6))
def test_logistic_is_scipys(book, z):
    assert_close(
        book["logistic"](np.array(z)), expit(np.array(z)), name="σ", atol=1e-300
    )


@few
@given(seeds, sizes, st.sampled_from([1.0, 300.0]))
def test_two_classes_are_torchs(book, seed, size, scale):
    X, labels, W, _ = problem(book, seed, size)
    w, y = scale * W[:, 0], 1.0 * (labels == 0)
    of_torch = lambda w: bce(torch.tensor(X) @ w, torch.tensor(y))
    loss, (exact,) = autograd(of_torch, w)
    assert_close(book["logistic_loss"](w, X, y), loss, name="loss", rtol=1e-9)
    grad = book["logistic_grad"](w, X, y)
    assert_close(grad, exact, name="gradient", atol=1e-10)
    hessian = torch.autograd.functional.hessian(of_torch, torch.tensor(w))
    ours = book["logistic_hessian"](w, X)
    assert_close(ours, hessian, name="Hessian", atol=1e-10)
    assert np.linalg.eigvalsh(ours)[0] > -1e-12


@few
@given(seeds, sizes, st.sampled_from([1.0, 300.0]))
def test_softmax_regression_is_torchs(book, seed, size, scale):
    X, labels, W, _ = problem(book, seed, size)
    W, Y = scale * W, book["one_hot"](labels, size[1])
    of_torch = lambda W: ce(torch.tensor(X) @ W, torch.tensor(labels))
    loss, (exact,) = autograd(of_torch, W)
    assert Y.shape == (size[2], size[1]) and (Y.argmax(axis=1) == labels).all()
    assert_close(book["cross_entropy"](W, X, Y), loss, name="loss", rtol=1e-9)
    ours = book["cross_entropy_grad"](W, X, Y)
    assert_close(ours, exact, name="gradient", atol=1e-9)
    P = book["softmax"](X @ W)
    assert_close(P, torch.softmax(torch.tensor(X @ W), 1).numpy(), name="P", atol=1e-9)


@few
@given(seeds, sizes)
def test_jacobian_and_hessian_are_autograds(book, seed, size):
    X, labels, W, rng = problem(book, seed, size)
    z, labels_t = torch.tensor(rng.normal(size=size[1])), torch.tensor(labels)
    J = torch.autograd.functional.jacobian(lambda z: torch.softmax(z, 0), z)
    p = book["softmax"](z.numpy())
    assert_close(book["softmax_jacobian"](p), J, name="J", atol=1e-12)
    of_torch = lambda W: ce(torch.tensor(X) @ W, labels_t)
    H = torch.autograd.functional.hessian(of_torch, torch.tensor(W))
    ours = book["cross_entropy_hessian"](W, X)
    assert_close(ours, H.reshape(W.size, W.size), name="H", atol=1e-10)


@few
@given(seeds, st.floats(0, 0.9))
def test_smoothed_labels_are_torchs(book, seed, eps):
    X, labels, W, _ = problem(book, seed, (2, 4, 7))
    soft = book["smooth_labels"](book["one_hot"](labels, 4), eps)
    Z, labels_t = torch.tensor(X @ W), torch.tensor(labels)
    theirs = ce(Z, labels_t, label_smoothing=eps)
    assert_close(book["cross_entropy"](W, X, soft), theirs, name="loss")


@few
@given(seeds, st.floats(1e-3, 1.0), st.floats(0, 3))
def test_newton_arrives_from_far_and_near_where_scikit_learn_does(
    book, seed, lam, away
):
    rng = np.random.default_rng(seed)
    X, y = book["augment"](rng.normal(size=(20, 2))), rng.integers(0, 2, size=20)
    y[:2] = 0, 1  # a bias that goes free needs both
    loss, grad, hessian = book["two_class"](X, 1.0 * y, lam)
    path = book["newton"](loss, grad, hessian, away * rng.normal(size=3), steps=100)
    assert np.abs(grad(path[-1])).max() <= 1e-9
    assert (np.diff([loss(w) for w in path]) <= 1e-12).all()
    sk = LogisticRegression(C=1 / (20 * lam), tol=1e-10).fit(X[:, 1:], y)
    theirs = np.append(sk.intercept_, sk.coef_[0])
    assert_close(path[-1], theirs, name="= scikit-learn", rtol=1e-3, atol=1e-4)


def test_damping_halves_until_the_loss_has_fallen_by_a_share_of_the_slope(book):
    falls = lambda w: w[0] if w[0] > -0.3 else 5e-5 * w[0]  # by too little beyond
    flat = lambda w: np.ones(1), lambda w: np.eye(1)
    path = book["newton"](falls, *flat, np.zeros(1), steps=1)
    assert_close(path[:, 0], [0, -0.25], name="halved twice")


@few
@given(seeds, sizes, st.floats(0.05, 0.95))
def test_the_logit_of_gaussian_classes_is_bayes_rule(book, seed, size, share):
    rng, D = np.random.default_rng(seed), size[0]
    means, root = rng.normal(size=(2, D)), rng.normal(size=(D, D))
    covariance = root @ root.T + np.eye(D)
    points = rng.normal(size=(6, D))
    densities = [multivariate_normal(mean, covariance).logpdf(points) for mean in means]
    odds = densities[0] - densities[1] + np.log(share / (1 - share))
    w = book["gaussian_logit"](*means, covariance, share)
    assert_close(
        book["augment"](points) @ w, odds, name="log odds", rtol=1e-7, atol=1e-8
    )


@few
@given(seeds, st.floats(1e-3, 1.0))
def test_fit_softmax_is_scikit_learns(book, seed, lam):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(24, 3)), rng.integers(0, 4, size=24)
    labels[:4] = range(4)
    W = book["fit_softmax"](book["augment"](X), book["one_hot"](labels, 4), lam)
    sk = LogisticRegression(C=1 / (24 * lam), tol=1e-10, max_iter=5000).fit(X, labels)
    assert_close(W[1:], sk.coef_.T, name="= scikit-learn", rtol=1e-3, atol=1e-4)


def test_torch_descent_leaves_its_weights_as_they_were(book):
    W, X = torch.zeros(2, 3).double(), torch.ones(4, 2).double()
    moved = book["torch_descent"](X, torch.tensor([0, 1, 1, 2]), W, 0.3, 2)
    assert not W.any() and moved.any() and not W.requires_grad


@few
@given(seeds, st.integers(3, 5))
def test_votes_and_one_vs_rest(book, seed, C):
    rng = np.random.default_rng(seed)
    centres = 3 * rng.normal(size=(C, 2))
    X, labels = data.blobs(8, centres=centres, std=1.0, rng=rng)
    rows = book["augment"](X)
    pairs = book["one_vs_one"](rows, labels, C)
    assert sorted(pairs) == [(a, b) for a in range(C) for b in range(a + 1, C)]
    votes = book["votes_of_pairs"](pairs, rows, C)
    assert (votes.sum(axis=1) == C * (C - 1) // 2).all() and votes.max() <= C - 1
    W = book["one_vs_rest"](rows, labels, C)
    sk = LogisticRegression(C=1 / (0.01 * len(X)), tol=1e-10)
    theirs = OneVsRestClassifier(sk).fit(X, labels).decision_function(X)
    assert_close(rows @ W, theirs, name="scores", rtol=1e-2, atol=1e-2)


@few
@given(seeds, st.integers(1, 3), st.integers(1, 7))
def test_train_makes_torchs_steps(book, seed, epochs, batch):
    X, labels, W, _ = problem(book, seed, (3, 4, 12))
    Y = book["one_hot"](labels, 4)
    args = {"lr": 0.5, "epochs": epochs, "batch": batch}
    path = book["train"](X, Y, **args, rng=np.random.default_rng(seed))
    assert path.shape == (epochs + 1, 4, 4) and not path[0].any()
    p, order = torch.nn.Parameter(torch.zeros(4, 4).double()), None
    optimiser, shuffle = torch.optim.SGD([p], lr=0.5), np.random.default_rng(seed)
    for _ in range(epochs):
        order = shuffle.permutation(12)
        for start in range(0, 12, batch):
            rows = order[start : start + batch]
            optimiser.zero_grad()
            ce(torch.tensor(X[rows]) @ p, torch.tensor(labels[rows])).backward()
            optimiser.step()
    assert_close(path[-1], p.detach().numpy(), name="path", atol=1e-10)
    slope = lambda W: book["cross_entropy_grad"](W, X, Y)
    steps = book["gradient_descent"](slope, W, 0.3, 4)
    W_t, labels_t = torch.tensor(W), torch.tensor(labels)
    theirs = book["torch_descent"](torch.tensor(X), labels_t, W_t, 0.3, 4)
    assert_close(steps[-1], theirs.numpy(), name="torch_descent", atol=1e-10)


def test_ten_splits_of_the_digits_are_read_above_95_percent(book):
    digits = data.load_digits()
    X, Y = book["augment"](digits.X), book["one_hot"](digits.y, 10)
    shares = []
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(1797)
        test, rows, rng = order[:360], order[360:], np.random.default_rng(seed)
        path = book["train"](X[rows], Y[rows], lr=3.0, epochs=30, batch=32, rng=rng)
        W = path[16:].mean(axis=0)
        shares.append(np.mean((X[test] @ W).argmax(axis=1) == digits.y[test]))
    assert min(shares) > 0.95 and np.mean(shares) > 0.96


FAULTS = [
    Fault("np.ones(len(features)), features]", "features, np.ones(len(features))]",
          "the ones at the end"),
    Fault("np.where(z >= 0, 1.0, small)", "np.where(z >= 0, small, 1.0)",
          "σ of the wrong sign"),
    Fault("np.maximum(z, 0) + np.log1p", "np.maximum(z, 0) - np.log1p",
          "sign in the softplus"),
    Fault("np.mean(softplus - y * z)", "np.mean(softplus + y * z)",
          "sign of the label's term"),
    Fault("np.mean(softplus - y * z)", "np.sum(softplus - y * z)",
          "a missing 1/N in the loss"),
    Fault("X.T @ (logistic(X @ w) - y) / len(y)", "X.T @ (y - logistic(X @ w)) / len(y)",
          "sign of the gradient"),
    Fault("X.T @ (logistic(X @ w) - y) / len(y)", "X.T @ (logistic(X @ w) - y)",
          "a missing 1/N in the gradient"),
    Fault("w = w - lr * grad(w)", "w = w + lr * grad(w)", "uphill"),
    Fault("(p * (1 - p))[:, None] * X) / len(X)", "p[:, None] * X) / len(X)",
          "1 − p forgotten in the Hessian"),
    Fault("(p * (1 - p))[:, None] * X) / len(X)", "(p * (1 - p))[:, None] * X)",
          "a missing 1/N in the Hessian"),
    Fault("d = -np.linalg.solve(H, g)", "d = -H @ g",
          "the Hessian multiplied instead of solved"),
    Fault("w = w + size * d", "w = w + d", "the damping not used"),
    Fault("+ np.diag(pays)\n", "\n",
          "the penalty's curvature forgotten"),
    Fault("X, y) + pays * w\n", "X, y)\n", "the penalty's gradient forgotten"),
    Fault("pays[0] = 0.0  # the bias goes free", "pass", "the bias pays too"),
    Fault("np.eye(C)[labels].T", "1 - np.eye(C)[labels].T", "rest against one"),
    Fault("1.0 * (labels[rows] == a)", "1.0 * (labels[rows] == b)",
          "the pair exchanged"),
    Fault("votes[:, b] += X @ w <= 0", "votes[:, b] += X @ w > 0",
          "both get the same vote"),
    Fault("E = np.exp(Z - Z.max(axis=-1, keepdims=True))", "E = np.exp(Z)",
          "overflow of softmax"),
    Fault("return E / E.sum(axis=-1, keepdims=True)",
          "return E / E.sum(axis=0, keepdims=True)", "softmax over the wrong axis"),
    Fault("m[:, 0] + np.log(np.exp(Z - m)", "np.log(np.exp(Z - m)",
          "the maximum not given back"),
    Fault("np.mean(log_sum - (Y * Z).sum(axis=1))",
          "np.mean(log_sum) - (Y * Z).sum(axis=1).sum()", "half of the mean forgotten"),
    Fault("np.diag(p) - np.outer(p, p)", "np.diag(p) + np.outer(p, p)",
          "sign in the Jacobian"),
    Fault("np.diag(p) - np.outer(p, p)", "np.diag(p * (1 - p))",
          "the Jacobian without its other entries"),
    Fault("X.T @ (softmax(X @ W) - Y) / len(X)", "X.T @ (softmax(X @ W) - Y)",
          "a missing 1/N for C classes"),
    Fault("X.T @ (softmax(X @ W) - Y) / len(X)", "X.T @ (Y - softmax(X @ W)) / len(X)",
          "y − p for p − y"),
    Fault("((a == b) - P[:, b])", "((a == b) + P[:, b])", "sign in the large Hessian"),
    Fault("range(batch, len(X), batch)", "range(batch, len(X) - batch, batch)",
          "two minibatches in one"),
    Fault("W - lr * cross_entropy_grad(W, X[rows], Y[rows])",
          "W - lr * cross_entropy_grad(W, X[rows], Y[rows]) / batch",
          "divided by the batch twice"),
    Fault("W - lr * cross_entropy_grad(W, X[rows], Y[rows])",
          "W - lr * cross_entropy_grad(W, X[rows], Y[rows]) * len(rows) / len(X)",
          "1/N for 1/|B|"),
    Fault("np.outer(pays == 0, pays == 0)", "np.diag(1.0 * (pays == 0))",
          "a lift that changes the step"),
    Fault("(pays * w) @ w / 2", "(pays * w) @ w", "the ½ of the penalty"),
    Fault("np.repeat([0.0, lam]", "np.repeat([lam, lam]", "the biases pay"),
    Fault("Z.gather(1, labels[:, None])[:, 0]", "Z.max(dim=1).values",
          "the largest logit for the correct one"),
    Fault("W.grad = None", "pass", "gradients that add up"),
    Fault("inverse @ (mean_1 - mean_0)", "(mean_1 - mean_0)",
          "the covariance forgotten"),
    Fault("bias += np.log(share / (1 - share))", "bias += np.log(share)",
          "the prior's probability for its odds"),
    Fault("(mean_0 @ inverse @ mean_0 - mean_1 @ inverse @ mean_1) / 2",
          "(mean_1 @ inverse @ mean_1 - mean_0 @ inverse @ mean_0) / 2",
          "sign of the Gaussian bias"),
    Fault("(pays * W**2).sum() / 2", "(pays * W**2).sum()",
          "the ½ of the penalty under L-BFGS"),
    Fault("np.full(shape, lam)\n    pays[0] = 0.0\n", "np.full(shape, lam)\n",
          "the biases pay under L-BFGS"),
    Fault("(1 - eps) * Y + eps / Y.shape[1]", "(1 - eps) * Y + eps",
          "smoothed labels that add up to more than 1"),
]  # fmt: skip

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """A step on the digits, Newton's method, and the gradient by PyTorch's side."""
    digits = data.load_digits()
    X, Y = scope["augment"](digits.X), scope["one_hot"](digits.y, 10)
    X_t, labels_t = torch.tensor(X), torch.tensor(digits.y)

    def ours():
        slope = lambda W: scope["cross_entropy_grad"](W, X, Y)
        return scope["gradient_descent"](slope, np.zeros((65, 10)), 0.3, 100)

    def theirs():
        W = torch.zeros(65, 10, dtype=torch.float64, requires_grad=True)
        steps = torch.optim.SGD([W], lr=0.3)
        for _ in range(100):
            steps.zero_grad()
            ce(X_t @ W, labels_t).backward()
            steps.step()

    yield "softmax regression, 100 steps", ours, theirs

    rng = np.random.default_rng(0)
    rows = scope["augment"](rng.normal(size=(2000, 20)))
    y = 1.0 * (rng.random(2000) < expit(rows @ rng.normal(size=21)))
    sk = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-8)
    yield (
        "logistic regression by Newton",
        lambda: scope["newton"](*scope["two_class"](rows, y), np.zeros(21)),
        lambda: sk.fit(rows[:, 1:], y),
    )
