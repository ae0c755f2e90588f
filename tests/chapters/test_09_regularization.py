"""The functions of chapter 9 on inputs the page does not use, and its checks put to the test."""

import numpy as np
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from tests.chapter_code import ChapterCode, Fault, assert_near, autograd, catches

chapter = ChapterCode("09_regularization")
few = settings(deadline=None, max_examples=15)
seeds, sizes = st.integers(0, 2**32 - 1), st.integers(1, 6)
rates = st.floats(0.01, 0.9)


TORCH = {"none": lambda Z: Z, "tanh": torch.tanh, "ReLU": torch.relu}


@few
@given(
    seed=seeds, N=sizes, D=sizes, H=sizes, K=sizes, curve=st.sampled_from(list(TORCH))
)
def test_network_with_dropout_equals_torch(book, seed, N, D, H, K, curve):
    rng = np.random.default_rng(seed)
    Ws = [rng.normal(size=s) for s in ((D, H), (H, H + 1), (H + 1, K))]
    bs = [rng.normal(size=n) for n in (H, H + 1, K)]
    X, upstream = rng.normal(size=(N, D)), rng.normal(size=(N, K))
    masks = [book["dropout_mask"]((N, n), 0.4, rng) for n in (H, H + 1)]
    As, slopes, Z = book["forward"](Ws, bs, X, curve, masks)
    dWs, dbs = book["backward"](upstream, Ws, As, slopes)

    def of_torch(*leaves):
        A = torch.tensor(X)
        for W, b, mask in zip(leaves[:2], leaves[3:5], masks, strict=True):
            A = TORCH[curve](A @ W + b) * torch.tensor(mask)
        return A @ leaves[2] + leaves[5]

    desired, gradients = autograd(of_torch, *Ws, *bs, upstream=upstream)
    assert_near(Z, desired, rtol=1e-10)
    assert_near([*dWs, *dbs], gradients)


@few
@given(seed=seeds, lr=st.floats(0.001, 0.5), lam=st.floats(0, 1))
def test_a_decayed_step_equals_sgd(book, seed, lr, lam):
    rng = np.random.default_rng(seed)
    W, dW, b, db = (rng.normal(size=s) for s in ((3, 5), (3, 5), 5, 5))
    ours = book["decayed_step"]([W], [b], [dW], [db], lr, lam)
    weights, biases = (torch.tensor(a, requires_grad=True) for a in (W, b))
    weights.grad, biases.grad = torch.tensor(dW), torch.tensor(db)
    groups = [{"params": [weights], "weight_decay": lam}, {"params": [biases]}]
    torch.optim.SGD(groups, lr=lr).step()
    assert_near(ours[0][0], weights, rtol=1e-12, atol=1e-13)
    assert_near(ours[1][0], biases, rtol=1e-12, atol=1e-13)


@few
@given(s=st.floats(1e-6, 1e3), lam=st.floats(1e-6, 1e2))
def test_the_early_stop_keeps_more_but_not_much(book, s, lam):
    t, lr = 10**6, 1e-6 / lam  # λ = 1/(ηt)
    stop = book["kept_by_stop"](min(s * lam, 1e5), lr, t)
    decay = book["kept_by_decay"](min(s * lam, 1e5), lam)
    assert -1e-5 < stop - decay < 0.2037


@few
@given(w=st.floats(-5, 5), amount=st.floats(0, 5))
def test_soft_threshold_is_torchs(book, w, amount):
    theirs = F.softshrink(torch.tensor([w], dtype=torch.float64), amount)
    ours = book["soft"](np.array([w]), amount)
    assert_near(ours, theirs, rtol=1e-7, atol=1e-15)


@few
@given(seed=seeds, p=rates)
def test_dropout_draws_two_values(book, seed, p):
    drawn = book["dropout_mask"](2000, p, np.random.default_rng(seed))
    assert np.isin(drawn, [0, 1 / (1 - p)]).all()
    assert abs((drawn == 0).mean() - p) < 5 * np.sqrt(p * (1 - p) / 2000)


@few
@given(seed=seeds, p=rates)
def test_dropped_squares_is_a_minimum(book, seed, p):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(9, 3)), rng.normal(size=9)
    w = torch.tensor(book["dropped_squares"](X, y, p), requires_grad=True)
    X_t = torch.tensor(X)
    penalty = p / (1 - p) / 2 * ((X_t * w) ** 2).mean(dim=0).sum()
    loss = ((X_t @ w - torch.tensor(y)) ** 2).mean() / 2 + penalty
    (slope,) = torch.autograd.grad(loss, w)
    assert slope.abs().max() < 1e-9


@few
@given(losses=st.lists(st.floats(0, 9), min_size=1, max_size=30), patience=sizes)
def test_patience(book, losses, patience):
    best, end = book["stop_at"](losses, patience)
    assert losses[best] == min(losses[: end + 1]) and best <= end
    assert end - best <= patience and (end == len(losses) - 1 or end - best == patience)


@few
@given(seed=seeds)
def test_shifted_moves_each_image_by_at_most_one(book, seed):
    rng = np.random.default_rng(seed)
    X = rng.random((5, 64))
    moved = book["shifted"](X, rng).reshape(5, 8, 8)
    padded = np.pad(X.reshape(5, 8, 8), ((0, 0), (1, 1), (1, 1)))
    for image, big in zip(moved, padded, strict=True):
        views = [big[a : a + 8, b : b + 8] for a in range(3) for b in range(3)]
        assert any(np.array_equal(image, view) for view in views)


def test_train_looks_at_all_sets_and_repeats(book):
    sets = [(X[:9], y[:9]) for X, y in book["noisy_digits"](0)]
    for methods in ({"decay": 0.01}, {"smooth": 0.3, "drop": 0.5, "noise": 0.2}):
        table = book["train"](sets, 3, steps=20, **methods)
        assert table.shape == (21, 3, 2)
        assert np.array_equal(table, book["train"](sets, 3, steps=20, **methods))


def test_a_fifth_of_the_labels_is_mistyped_but_none_of_the_test(book):
    wrong = []
    for seed in range(5):
        noisy, right = (book["noisy_digits"](seed, share) for share in (0.2, 0.0))
        for (X, y), (X_right, y_right) in zip(noisy[:2], right[:2], strict=True):
            assert np.array_equal(X, X_right)
            wrong.append(y != y_right)
        assert np.array_equal(noisy[2][1], right[2][1])
    assert abs(np.mean(wrong) - 0.2) < 4 * np.sqrt(0.2 * 0.8 / np.size(wrong))


def test_equal_weights_stay_equal(book):
    """Zero or any other constant is no start: a layer keeps one unit in effect."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 7)), np.eye(3)[rng.integers(0, 3, 40)]
    Ws, bs = [np.full(s, 0.1) for s in ((7, 6), (6, 3))], [np.zeros(6), np.zeros(3)]
    for _ in range(20):
        As, slopes, Z = book["forward"](Ws, bs, X)
        dWs, dbs = book["backward"]((softmax(Z, axis=1) - Y) / 40, Ws, As, slopes)
        Ws, bs = book["decayed_step"](Ws, bs, dWs, dbs, 0.5, 0.0)
    assert np.ptp(Ws[0], axis=1).max() < 1e-12 < 1e-3 < np.ptp(Ws[0][:, 0])


def test_shifts_down_and_across_are_drawn_apart(book):
    dots = np.eye(64)[[28] * 200]  # row 3, column 4
    places = book["shifted"](dots, np.random.default_rng(0)).argmax(axis=1)
    assert set(places) == {8 * a + b for a in (2, 3, 4) for b in (3, 4, 5)}


@few
@given(seed=seeds)
def test_two_softmaxes(book, seed):
    rng = np.random.default_rng(seed)
    Z, y = rng.normal(size=(4, 6)), rng.integers(0, 6, 4)
    twice = lambda Z: F.cross_entropy(torch.softmax(Z, dim=1), torch.tensor(y))
    _, (dZ,) = autograd(twice, Z)
    assert_near(book["head_slope"](Z, np.eye(6)[y], 2), dZ, rtol=1e-7, atol=1e-12)


@few
@given(seed=seeds, p=st.sampled_from([0.0, 1.0]), shape=st.tuples(sizes, sizes))
def test_dropout_of_none_and_of_all_is_torchs(book, seed, p, shape):
    drawn = book["dropout_mask"](shape, p, np.random.default_rng(seed))
    assert_near(drawn, F.dropout(torch.ones(shape).double(), p))


FAULTS = [
    Fault(
        "rho * X + (1 - rho) * X[partner]", "rho * X + rho * X[partner]", "not a mean"
    ),
    Fault("rho * Y + (1 - rho) * Y[partner]", "Y", "targets are not mixed"),
    Fault("beta * a + (1 - beta) * w", "(1 - beta) * a + beta * w", "forgets too fast"),
    Fault("return A, 1 - A**2", "return A, 1 + A**2", "sign in tanh'"),
    Fault("slope * masks[l]", "slope", "the mask forgotten on the way back"),
    Fault("As[l].T @ dZ", "np.abs(As[l]).T @ dZ", "activations without their sign"),
    Fault("dZ.sum(axis=0)", "dZ.mean(axis=0)", "mean for sum in db"),
    Fault(
        "dZ @ Ws[l].T * slopes[l - 1]",
        "dZ @ Ws[l].T * slopes[0].mean()",
        "slopes of the wrong layer",
    ),
    Fault("(1 - lr * lam) * Ws", "(1 - lam) * Ws", "no rate in the decay"),
    Fault("(1 - lr * lam) * Ws", "(1 + lr * lam) * Ws", "sign of the decay"),
    Fault("[bs[l] - lr", "[(1 - lr * lam) * bs[l] - lr", "the bias decays"),
    Fault("h / (h + lam)", "h / (h + 2 * lam)", "a factor in the share kept"),
    Fault("X.T @ (p - y) / len(y)", "X.T @ (p - y)", "missing 1/N"),
    Fault("* p * (1 - p)) @ X", "* p * p) @ X", "the wrong Hessian"),
    Fault("1 - (1 - lr * h) ** t", "1 - (1 - lr * h) ** (t + 1)", "one step too many"),
    Fault("loss < losses[best]", "loss > losses[best]", "the worst look"),
    Fault("np.abs(w) - amount, 0", "np.abs(w) - amount / 2, 0", "half the threshold"),
    Fault("kept / (1 - p)", "kept / 1.0", "no division by 1 − p"),
    Fault("rng.random(shape) >= p", "rng.random(shape) < p", "kept for dropped"),
    Fault(
        "p / (1 - p) * (X**2).mean(axis=0)", "p * (X**2).mean(axis=0)", "p for p/(1−p)"
    ),
    Fault("(X**2).mean(axis=0)", "(X**2).sum(axis=0)", "the sum of squares"),
    Fault(
        "gain * rng.normal(size=(a, b)) / np.sqrt(fan",
        "gain**2 * rng.normal(size=(a, b)) / np.sqrt(fan",
        "g²",
    ),
    Fault(
        "dZs[0] @ Ws[l].T * slopes[l - 1]",
        "dZs[0] @ Ws[l].T",
        "no slope on the way back",
    ),
    Fault('"out": b', '"out": a', "fan-in for fan-out"),
    Fault("(a + b) / 2", "a + b", "no mean of the fans"),
    Fault("(P - Y) / len(Y)", "P - Y", "missing 1/N in the head"),
    Fault("(dP - (dP * P)", "(dP + (dP * P)", "sign in the second softmax"),
    Fault("lam / 2 * sum", "lam * sum", "no half in the penalty"),
    Fault("torch.tensor(W.T)", "torch.tensor(-W.T)", "sign of the copied weights"),
]

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """Dropout."""
    rng = np.random.default_rng(0)
    H = rng.normal(size=(512, 512))
    H_t, mask = torch.tensor(H), scope["dropout_mask"]
    yield "dropout", lambda: H * mask(H.shape, 0.5, rng), lambda: F.dropout(H_t, 0.5)
