"""Chapter 5: its functions on inputs that the page does not use, and its checks put to the test."""

from itertools import pairwise, product

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.linear_model import Perceptron, SGDClassifier

from tests.chapter_code import ChapterCode, Fault, catches
from utils import data
from utils.checks import assert_close

chapter = ChapterCode("05_perceptron")
few = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)
sizes = st.tuples(st.integers(1, 5), st.integers(3, 25))  # D, N


def problem(book, seed, size, noise=0.5):
    D, N = size
    rng = np.random.default_rng(seed)
    X = book["augment"](rng.normal(size=(N, D)))
    score = X @ rng.normal(size=D + 1) + noise * rng.normal(size=N)
    return X, np.where(score > 0, 1, -1), rng


@few
@given(seeds, sizes, st.integers(1, 9))
def test_the_rule_is_scikit_learns(book, seed, size, epochs):
    X, y, _ = problem(book, seed, size)
    run = book["perceptron"](X, y, epochs)
    assume(len(set(y)) == 2)
    with np.errstate(all="ignore"):
        fit = Perceptron(shuffle=False, tol=None, max_iter=epochs).fit(X[:, 1:], y)
    theirs = np.append(fit.intercept_, fit.coef_)
    assert_close(run.path[-1], theirs, name="weights", rtol=1e-9, atol=1e-9)
    assert len(run.path) == len(run.steps) + 1 and sum(run.epochs) == len(run.steps)


@few
@given(seeds, sizes, st.integers(1, 6), st.integers(1, 70))
def test_in_blocks_it_is_the_same_as_one_by_one(book, seed, size, epochs, block):
    X, y, _ = problem(book, seed, size)
    run = book["perceptron"](X, y, epochs)
    w, counts = book["perceptron_fast"](X, y, epochs, block)
    assert counts == run.epochs
    assert_close(w, run.path[-1], name="weights")


@few
@given(seeds, sizes, st.integers(1, 6))
def test_the_average_is_scikit_learns(book, seed, size, epochs):
    X, y, _ = problem(book, seed, size)
    assume(len(set(y)) == 2)
    run = book["perceptron"](X, y, epochs)
    options = {"learning_rate": "constant", "eta0": 1, "penalty": None}
    options |= {"shuffle": False, "tol": None, "max_iter": epochs, "average": True}
    fit = SGDClassifier("perceptron", fit_intercept=False, **options).fit(X, y)
    by_survival = book["averaged"](run, epochs * len(X))
    assert_close(by_survival, fit.coef_[0], name="average", rtol=1e-8, atol=1e-9)
    w, lazily = book["lazy_average"](X, y, epochs)
    assert_close(w, run.path[-1], name="last weights")
    assert_close(lazily, fit.coef_[0], name="lazily", rtol=1e-8, atol=1e-9)


@few
@given(seeds, sizes, st.integers(1, 60))
def test_the_pocket_is_the_first_of_the_best_weights_so_far(book, seed, size, n):
    X, y, _ = problem(book, seed, size)
    run = book["perceptron"](X, y, 4)
    so_far = book["first_steps"](run, n)
    w = np.zeros(X.shape[1])
    best, least = w, (book["predict"](w, X) != y).sum()
    for t in range(min(n, len(run.epochs) * len(X))):
        i = t % len(X)
        if y[i] * (w @ X[i]) <= 0:
            w = w + y[i] * X[i]
            mistakes = (book["predict"](w, X) != y).sum()
            if mistakes < least:
                best, least = w, mistakes
    assert_close(so_far.path[-1], w, name="last after n steps")
    assert_close(book["pocket"](so_far, X, y), best, name="pocket")


@few
@given(seeds, sizes)
def test_votes_are_counted_one_by_one(book, seed, size):
    X, y, rng = problem(book, seed, size)
    new = book["augment"](rng.normal(size=(6, size[0])))
    w, votes = np.zeros(size[0] + 1), np.zeros(6)
    for _ in range(3):
        for x, label in zip(X, y, strict=True):
            if label * (w @ x) <= 0:
                w = w + label * x
            votes += np.where(new @ w > 0, 1, -1)
    run = book["perceptron"](X, np.array(y), 3)
    assume(len(run.epochs) == 3)
    ours = book["voted"](run, 3 * len(X), new)
    # Weights of zero vote −1 here and, as w₀, in the chapter, for no step at all.
    assert (ours == np.where(votes > 0, 1, -1)).all()


@few
@given(seeds, sizes)
def test_a_margin_is_there_exactly_if_a_linear_programme_finds_one(book, seed, size):
    X, y, _ = problem(book, seed, size)
    Z = X * y[:, None]
    w_star, gamma = book["widest_margin"](Z)
    programme = linprog(
        np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=(None, None)
    )
    assert (programme.status == 0) == (gamma > 1e-9)
    if gamma > 1e-9:
        assert_close((Z @ w_star).min(), gamma, name="γ", rtol=1e-6)
        run = book["perceptron"](X, y, 50_000 // len(X))
        assert len(run.steps) <= book["mistake_bound"](X, y) * (1 + 1e-6)


@pytest.mark.parametrize("gamma", [1e-2, 1e-4, 1e-6, 1e-8, 0.0])
def test_a_narrow_margin_is_found(book, gamma):
    rng = np.random.default_rng(0)
    normal, *others = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    rest = rng.normal(size=(15, 5)) @ np.array(others)
    Z = np.vstack([rest, -rest]) + gamma * normal  # the shortest mixture is γ · normal
    w_star, margin = book["widest_margin"](Z)
    assert_close(margin, gamma, name="γ", rtol=1e-6, atol=1e-14)
    if gamma >= 1e-4:  # below, the direction of so short a mixture drowns in rounding
        assert_close(w_star, normal, name="w*", atol=1e-9)
        assert_close((Z @ w_star).min(), gamma, name="both ends", rtol=1e-5)


@few
@given(seeds, sizes, st.integers(1, 4))
def test_many_classes_make_torchs_steps(book, seed, size, epochs):
    D, N = size
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(N, D)), rng.integers(0, 3, size=N)
    W = torch.zeros(D, 3, dtype=torch.float64, requires_grad=True)
    total = torch.zeros(D, 3, dtype=torch.float64)
    X_t, steps = torch.tensor(X), 0
    for _ in range(epochs):
        for x, label in zip(X_t, labels, strict=True):
            scores = x @ W
            (scores.max(dim=0).values - scores[label]).backward()
            with torch.no_grad():
                W -= W.grad
            W.grad = None
            total += W.detach()
            steps += 1
    last, mean, counts = book["multiclass"](X, labels, 3, epochs)
    assume(counts[-1] > 0)  # ours stops, the loop above does not
    assert_close(last, W.detach().numpy(), name="last", atol=1e-9)
    assert_close(mean, (total / steps).numpy(), name="mean", atol=1e-9)


@few
@given(seeds, st.integers(1, 5), st.integers(2, 4))
def test_viterbi_finds_the_best_of_all(book, seed, L, M):
    rng = np.random.default_rng(seed)
    S, A = rng.normal(size=(L, M)), rng.normal(size=(M, M))
    score = lambda y: S[range(L), y].sum() + A[list(y[:-1]), list(y[1:])].sum()
    best = max(product(range(M), repeat=L), key=score)
    assert tuple(book["viterbi"](S, A)) == best


@few
@given(seeds)
def test_structured_weights_are_the_mean_over_all_steps(book, seed):
    rng = np.random.default_rng(seed)
    rows, answers = rng.normal(size=(7, 3, 4)), rng.integers(0, 3, size=(7, 3))
    W, A, sums = np.zeros((4, 3)), np.zeros((3, 3)), [0, 0]
    for _ in range(2):
        for x, y in zip(rows, answers, strict=True):
            score = lambda z, x=x: (
                (x @ W)[range(3), z].sum() + A[list(z[:-1]), list(z[1:])].sum()
            )
            read = max(product(range(3), repeat=3), key=score)
            for index in range(3):
                W[:, y[index]] += x[index]
                W[:, read[index]] -= x[index]
            for i, j in pairwise(y):
                A[i, j] += 1
            for i, j in pairwise(read):
                A[i, j] -= 1
            sums = [sums[0] + W, sums[1] + A]
    ours = book["structured"](rows, answers, 3, 2)
    for weights, total in zip(ours, sums, strict=True):
        assert_close(weights, total / 14, name="mean", atol=1e-9)


@few
@given(seeds, sizes)
def test_the_kernel_counts_the_mistakes_of_each_example(book, seed, size):
    X, y, _ = problem(book, seed, size)
    alpha = book["kernel_perceptron"](X @ X.T, y, 4)
    run = book["perceptron"](X, y, 4)
    counts = np.bincount(run.steps % len(X), minlength=len(X))
    assert_close(alpha, 1.0 * counts, name="α")


def test_strict_never_moves_and_relu_neither(book):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 3)), rng.choice([-1, 1], size=20)
    assert not book["perceptron"](X, y, 9, wrong=lambda score: score < 0).path.any()
    X, y = torch.tensor(X), torch.tensor(y)
    assert not book["torch_perceptron"](X, y, 3, torch.relu).any()
    assert book["torch_perceptron"](X, y, 3, book["clamp"]).any()


@few
@given(seeds, st.integers(1, 5), st.integers(1, 8), st.sampled_from([0.01, 1.0, 100.0]))
def test_without_a_line_there_is_no_margin_and_no_bound(book, seed, D, N, scale):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(N, D))
    Z = scale * np.vstack([Z, -rng.dirichlet(np.ones(N)) @ Z])  # their mixture is 0
    w, gamma = book["widest_margin"](Z)
    assert gamma == 0 and not w.any()
    assert book["mistake_bound"](Z, np.ones(N + 1)) == np.inf
    X, name = book["BITS"], book["LOGIC"]
    assert (
        book["mistake_bound"](X, name["XOR"])
        == np.inf
        > book["mistake_bound"](X, name["OR"])
    )


FAULTS = [
    Fault("w = w + y[i] * X[i]", "w = w - y[i] * X[i]", "sign of the update"),
    Fault("w = w + y[i] * X[i]", "w = w + X[i]", "the label forgotten"),
    Fault("lambda score: score <= 0", "lambda score: score < 0", "the strict test"),
    Fault("wrong(y[i] * (w @ X[i]))", "wrong(w @ X[i])", "the label not in the test"),
    Fault(
        "np.where(X @ w > 0, 1, -1)",
        "np.where(X @ w >= 0, 1, -1)",
        "+1 on the boundary",
    ),
    Fault(
        "np.ones(len(features)), features]", "0 * features[:, 0], features]", "no bias"
    ),
    Fault("p = Z.T @ (beta / beta.sum())", "p = Z.T @ beta", "a mixture that is none"),
    Fault("np.linalg.norm(p)\n", "p @ p\n", "the square of the margin"),
    Fault(
        "(X**2).sum(axis=1).max() / gamma**2",
        "(X**2).sum(axis=1).min() / gamma**2",
        "the shortest example in the bound",
    ),
    Fault(
        "(X**2).sum(axis=1).max() / gamma**2",
        "(X**2).sum(axis=1).max() / gamma",
        "γ not squared in the bound",
    ),
    Fault("i += j + 1", "i += block", "the rest of the block skipped"),
    Fault("w = w + Z[i + j]", "w = w + Z[j]", "the wrong example of the block"),
    Fault("hinge(-label * (w @ x))", "hinge(label * (w @ x))", "sign of the loss"),
    Fault("np.diff([0, *run.steps, n])", "np.diff([0, *run.steps, n]) - 1", "c from 0"),
    Fault(
        "survival(run, n) @ run.path / n",
        "run.path.mean(axis=0)",
        "an average without survival",
    ),
    Fault("signs @ survival(run, n)", "signs.sum(axis=1)", "votes without survival"),
    Fault("np.where(X @ run.path.T > 0, 1, -1)", "X @ run.path.T", "no inner sign"),
    Fault("u = u + t * label * x", "u = u + (t + 1) * label * x", "counted from 1"),
    Fault("w - u / t", "w - u / len(X)", "divided by one epoch"),
    Fault("np.searchsorted(run.steps, n)", "np.searchsorted(run.steps, n) - 1", "n"),
    Fault("wrong.sum(axis=0).argmin()", "wrong.sum(axis=0).argmax()", "the worst"),
    Fault('flatten(order="F")', 'flatten(order="C")', "row by row"),
    Fault("(x @ W).argmax()", "(x @ W).argmin()", "the lowest score"),
    Fault(
        "W[:, predicted] -= x",
        "W[:, predicted] -= 0 * x",
        "the wrong class not lowered",
    ),
    Fault(
        "U[:, predicted] -= t * x", "U[:, predicted] += t * x", "a sign in the lazy sum"
    ),
    Fault("ways = best[:, None] + A", "ways = best[:, None] + A.T", "A transposed"),
    Fault("ways.max(axis=0) + scores", "ways.max(axis=1) + scores", "the wrong axis"),
    Fault("for came_from in reversed(back)", "for came_from in back", "not backwards"),
    Fault("Y[:-1].T @ Y[1:]", "Y[1:].T @ Y[:-1]", "transitions turned round"),
    Fault("U, V = U + t * changes[0]", "U, V = U + changes[0]", "the step forgotten"),
    Fault("A + changes[1]", "A - changes[1]", "sign of the transitions"),
    Fault("A - V / t", "A", "transitions not averaged"),
    Fault("V + t * changes[1]", "V + changes[1]", "their step forgotten"),
    Fault("alpha[i] += 1", "alpha[i] += y[i]", "the label counted twice"),
]

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """The perceptron and its average on 569 tumours, ten classes one by one."""
    tumours, digits = data.load_breast_cancer(), data.load_digits()
    X, y = scope["augment"](data.standardise(tumours.X)), 2 * tumours.y - 1
    options = {"shuffle": False, "tol": None, "max_iter": 10}
    averaging = {
        "learning_rate": "constant",
        "eta0": 1,
        "penalty": None,
        "average": True,
    }
    rows, labels = scope["augment"](digits.X[:500]), digits.y[:500]
    rows_t = torch.tensor(rows)

    def by_torch():
        W = torch.zeros(65, 10, dtype=torch.float64)
        for x, label in zip(rows_t, labels, strict=True):
            answer = (x @ W).argmax()
            if answer != label:
                W[:, label] += x
                W[:, answer] -= x

    yield (
        "perceptron, 10 epochs of 569",
        lambda: scope["perceptron_fast"](X, y, 10),
        lambda: Perceptron(**options).fit(X[:, 1:], y),
    )
    yield (
        "averaged perceptron, the same",
        lambda: scope["lazy_average"](X, y, 10),
        lambda: SGDClassifier("perceptron", **options, **averaging).fit(X[:, 1:], y),
    )
    yield (
        "ten classes, 500 digits",
        lambda: scope["multiclass"](rows, labels, 10, 1),
        by_torch,
    )
