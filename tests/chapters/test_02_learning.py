"""Chapter 2: its functions on inputs that the page does not use, and its checks put to the test."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest
from sklearn import metrics
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn

from tests.chapter_code import ChapterCode, Fault, autograd, catches
from utils.checks import assert_close

chapter = ChapterCode("02_learning")
few = settings(max_examples=30, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def sides(rng, n):
    """Return labels ±1 of n ≥ 2 examples, both of which occur."""
    return rng.permutation(np.append([-1.0, 1.0], rng.choice([-1.0, 1.0], n - 2)))


@few
@given(seeds, st.integers(2, 40), st.integers(1, 5), st.integers(1, 30))
def test_neighbours_are_scikit_learns(book, seed, n, D, M):
    rng = np.random.default_rng(seed)
    X, y, X_new = rng.normal(size=(n, D)), sides(rng, n), rng.normal(size=(M, D))
    k = int(rng.integers(1, n + 1))
    theirs = KNeighborsClassifier(k, algorithm="brute").fit(X, y).predict_proba(X_new)
    ours = book["neighbour_score"](X, y, X_new, k)
    assert_close(ours, 2 * theirs[:, 1] - 1, name="score", atol=1e-9)


@few
@given(seeds, st.integers(2, 30), st.integers(1, 8))
def test_the_best_threshold_is_the_best_of_all(book, seed, n, values):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, values, n).astype(float), rng.choice([-1.0, 1.0], n)
    t, fewest = book["best_threshold"](x, y)
    tried = np.append(np.arange(-1, values) + 0.5, [-2, values])
    assert fewest == min(book["empirical_risk"](u, x, y) for u in tried)
    assert_close(book["empirical_risk"](t, x, y), fewest, name="its own")


@few
@given(seeds, st.sampled_from(["squared", "logistic", "hinge"]), st.integers(1, 20))
def test_losses_and_descent_are_torchs(book, seed, loss, steps):
    rng = np.random.default_rng(seed)
    X, y, w = rng.normal(size=(7, 3)), rng.choice([-1.0, 1.0], 7), rng.normal(size=3)
    m = y * (X @ w)
    value, slope = book["LOSS"][loss], book["SLOPE"][loss]
    of_torch = {
        "squared": lambda m: (1 - m) ** 2,
        "logistic": lambda m: nn.functional.softplus(-m),
        "hinge": lambda m: torch.relu(1 - m),
    }[loss]
    theirs, (exact,) = autograd(of_torch, m)
    assert_close(value(m), theirs, name=loss)
    assert_close(slope(m), exact, name="slope")
    ours = book["descend"](X, y, w, loss, 0.05, steps)
    assert ours.shape == (steps + 1, 3) and (ours[0] == w).all()
    for other in ("torch_descend", "layer_descend"):
        theirs = book[other](X, y, w, loss, 0.05, steps)
        assert_close(ours[-1], theirs, name=other, atol=1e-9)


@few
@given(seeds, st.integers(2, 6))
def test_cross_entropy_is_torchs(book, seed, C):
    rng = np.random.default_rng(seed)
    z, c, soft = (
        rng.normal(size=(5, C)),
        rng.integers(0, C, 5),
        rng.dirichlet([1.0] * C, 5),
    )
    f, z = torch.tensor(z).softmax(1).numpy(), torch.tensor(z)
    nll = nn.functional.cross_entropy(z, torch.tensor(c))
    assert_close(book["negative_log_likelihood"](c, f), nll, name="nll")
    theirs = nn.functional.cross_entropy(z, torch.tensor(soft))
    assert_close(book["cross_entropy"](soft, f), theirs, name="soft")


@few
@given(seeds, st.integers(2, 6), st.integers(5, 60))
def test_measures_are_scikit_learns(book, seed, C, n):
    rng = np.random.default_rng(seed)
    y, predicted = rng.integers(0, C, n), rng.integers(0, C, n)
    T = book["confusion"](y, predicted, C)
    labels = list(range(C))
    assert (T == metrics.confusion_matrix(y, predicted, labels=labels)).all()
    options = {"labels": labels, "zero_division": 0}
    theirs = metrics.precision_recall_fscore_support(y, predicted, **options)[:3]
    assert_close(np.array(book["per_class"](T)), np.array(theirs), name="per class")
    assert_close(
        np.array(book["micro"](T, labels)),
        np.full(3, np.mean(y == predicted)),
        name="all",
    )
    subset = labels[1:]
    if T[:, 1:].sum() and T[1:].sum():
        options = {"labels": subset, "average": "micro", "zero_division": 0}
        theirs = metrics.precision_recall_fscore_support(y, predicted, **options)[:3]
        assert_close(np.array(book["micro"](T, subset)), np.array(theirs), name="some")


@few
@given(seeds, st.integers(2, 40), st.integers(1, 12))
def test_roc_and_its_area_are_scikit_learns(book, seed, n, values):
    rng = np.random.default_rng(seed)
    y, score = sides(rng, n), rng.integers(0, values, n) / 4
    theirs = metrics.roc_curve(y, score, drop_intermediate=False)
    assert_close(np.array(book["roc"](score, y)), np.array(theirs[:2]), name="curve")
    assert_close(book["auc"](score, y), metrics.roc_auc_score(y, score), name="area")
    t = np.array([0.3, 1.1])
    predicted = np.where(score > t[:, None], 1.0, -1.0)
    paid = (7 * (predicted < y) + (predicted > y)).mean(axis=1)
    assert_close(book["costs"](score, y, t, 7), paid, name="costs")


@few
@given(seeds, st.integers(6, 40), st.integers(2, 6))
def test_cross_validation_is_scikit_learns(book, seed, n, folds):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(3, 2, size=(n, 3)), np.tile([-1.0, 1.0], n)[:n]
    model = KNeighborsClassifier(1, algorithm="brute")
    pipe = make_pipeline(StandardScaler(), model)
    theirs = cross_val_predict(pipe, X, y, cv=KFold(folds))
    ours = book["cross_validated"](book["neighbours"](1), X, y, folds)
    assert (ours == theirs).all()


def test_the_linear_score_is_that_of_least_squares(book):
    rng = np.random.default_rng(0)
    X, y, new = rng.normal(size=(20, 3)), sides(rng, 20), rng.normal(size=(4, 3))
    b = np.column_stack([np.ones(20), X])
    theirs = np.column_stack([np.ones(4), new]) @ np.linalg.solve(b.T @ b, b.T @ y)
    assert_close(book["linear"](X, y, new), theirs, name="linear", rtol=1e-8)


@few
@given(st.integers(1, 300), st.floats(0, 1))
def test_wilsons_interval_is_scipys(book, M, share):
    hits = round(share * M)
    theirs = binomtest(hits, M).proportion_ci(0.95, method="wilson")
    ours = np.array(book["wilson"](hits, M))
    assert_close(ours, np.array([theirs.low, theirs.high]), name="Wilson", atol=1e-9)


@few
@given(seeds, st.floats(0.2, 3), st.floats(0.3, 2), st.integers(2, 30))
def test_no_other_penalty_is_better_than_the_best(book, seed, sigma, tau, n):
    best = book["best_penalty"](sigma, tau, n)
    error = lambda lam: book["shrunk_error"](lam, sigma, tau, n)
    assert all(error(best) <= error(best * f) for f in (0.5, 0.9, 1.1, 2))
    y = np.random.default_rng(seed).normal(size=(4, n))
    grid = book["shrunk_mean"](y, best)
    slope = 2 * (grid - y.mean(axis=1)) + 2 * best * grid
    assert_close(slope, np.zeros(4), name="slope at the minimum", atol=1e-9)


def test_bias_and_variance_of_fits_that_we_know(book):
    rng = np.random.default_rng(1)
    fits = book["TRUTH"][:, None] + 0.7 + 0.3 * rng.normal(size=(81, 20_000))
    assert_close(book["bias_and_variance"](fits), [0.49, 0.09], name="known", atol=1e-3)


def test_no_leak_passes_a_test_row_on_to_the_control(book):
    test, own, rest, _ = book["cut"](50, 3)
    assert not set(test) & set(own) and not set(rest) & {*test, *own}
    assert len({*test, *own, *rest}) == 569 and len(test) == 10


@few
@given(st.integers(2, 300), st.floats(0.02, 0.98))
def test_wilsons_interval_contains_what_the_normal_law_allows(book, M, a):
    hits = np.arange(M + 1)
    z = np.abs(hits / M - a) / np.sqrt(a * (1 - a) / M)
    clear = np.abs(z - book["Z95"]) > 1e-6
    ours = book["contains"](book["wilson"], hits, M, a)
    assert (ours == (z < book["Z95"]))[clear].all()


@pytest.mark.parametrize("M", [20, 50, 114, 500])
@pytest.mark.parametrize("a", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_forty_typical_test_sets_stand_for_all(book, M, a):
    forty = binom.ppf((np.arange(40) + 0.5) / 40, M, a)
    share = book["contains"](book["wald"], forty, M, a).mean()
    assert abs(share - book["coverage"](book["wald"], M, a)) < 1 / 40


@few
@given(seeds, st.integers(1, 60))
def test_a_duel_is_the_test_of_a_fair_coin(book, seed, n):
    a, b = np.random.default_rng(seed).random((2, n)) < 0.4
    first, second, p = book["duel"](a, b)
    assert (first, second) == (np.sum(a > b), np.sum(b > a))
    if first + second:
        assert_close(p, binomtest(int(first), int(first + second)).pvalue, name="p")


def test_no_pull_on_the_margin_exceeds_one(book):
    m = np.linspace(-99, 99, 991)
    for name in ("logistic", "hinge"):
        slope = book["SLOPE"][name](m)
        assert (np.abs(slope) <= 1).all() and slope[0] < -0.999


@few
@given(seeds, st.integers(1, 20), st.integers(1, 4), st.integers(0, 40))
def test_neighbours_stay_the_same_far_from_zero(book, seed, n, D, power):
    rng = np.random.default_rng(seed)
    X, X_new = (rng.integers(-99, 99, (rows, D)) / 8 for rows in (n, 5))  # exact
    far = float(2**power)
    near, moved = (
        book["squared_gaps"](X, X_new),
        book["squared_gaps"](X + far, X_new + far),
    )
    assert (near == ((X_new[:, None] - X) ** 2).sum(axis=2)).all()
    assert (near == moved).all()
    pixels = rng.integers(0, 256, (n, D)).astype(np.uint8)
    assert (
        book["squared_gaps"](pixels, pixels)
        == book["squared_gaps"](1.0 * pixels, pixels)
    ).all()


@few
@given(st.integers(0, 5), st.integers(-3, 9))
def test_there_are_between_one_and_all_neighbours(book, n, k):
    X, y = np.arange(2.0 * n).reshape(n, 2), np.ones(n)
    if 1 <= k <= n:
        assert (book["neighbour_score"](X, y, X + 1, k) == 1).all()
    else:
        with pytest.raises(ValueError, match=f"expected k from 1 to {n} .*got {k}"):
            book["neighbour_score"](X, y, X + 1, k)


@few
@given(seeds, st.integers(2, 5))
def test_cross_entropy_of_certain_predictions_is_finite_if_they_are_right(
    book, seed, C
):
    rng = np.random.default_rng(seed)
    c = rng.integers(0, C, 6)
    votes = 0.5 * np.eye(C)[c] + 0.5 * np.eye(C)[rng.integers(0, C, 6)]  # of neighbours
    nll = book["negative_log_likelihood"](c, votes)
    assert_close(book["cross_entropy"](np.eye(C)[c], votes), nll, name="= nll")
    assert book["cross_entropy"](np.eye(C), np.eye(C)[::-1]) == np.inf


@pytest.mark.parametrize("kind", ["int8", "uint8", "int64"])
def test_only_known_classes_are_counted(book, kind):
    y = np.arange(100, dtype=kind)
    assert (book["confusion"](y, y, 100) == np.eye(100)).all()
    assert not book["confusion"](y[:0], y[:0], 3).any()
    for true, decided in ((1, 3), (3, 1)):
        with pytest.raises(ValueError, match="invalid entry"):
            book["confusion"](np.array([true]), np.array([decided]), 3)
    with pytest.raises(ValueError, match="invalid entry"):  # the labels of this chapter
        book["confusion"](np.array([-1, 1]), np.array([1, 1]), 2)


@few
@given(seeds, st.integers(2, 5), st.integers(0, 9))
def test_measures_of_weighted_and_of_no_examples_are_scikit_learns(book, seed, C, n):
    rng = np.random.default_rng(seed)
    y, predicted = rng.integers(0, C, (2, n))
    weight, T = rng.random(n) / 9, np.zeros((C, C))
    np.add.at(T, (y, predicted), weight)
    options = {"labels": range(C), "zero_division": 0, "sample_weight": weight}
    for average, ours in (
        (None, book["per_class"](T)),
        ("micro", book["micro"](T, range(C))),
    ):
        if n == 0:
            assert not np.any(ours)
        else:
            theirs = metrics.precision_recall_fscore_support(
                y, predicted, average=average, **options
            )
            assert_close(np.array(ours), np.array(theirs[:3]), name=f"{average}")
    if n:
        predicted[:] = 0  # no other class is ever decided
        ours = book["micro"](book["confusion"](y, predicted, C), range(1, C))
        options = {"labels": range(1, C), "zero_division": 0, "average": "micro"}
        theirs = metrics.precision_recall_fscore_support(y, predicted, **options)
        assert_close(np.array(ours), np.array(theirs[:3]), name="none decided")


def test_the_precision_of_no_alarm_is_zero(book):
    score, y = np.array([0.3, 0.9, -0.2, 0.1]), np.array([1.0, 1.0, -1.0, -1.0])
    for t, precision in ((0.2, 1.0), (2.0, 0.0)):
        assert book["per_thousand"](score, y, t, 0.5)[1] == precision


@few
@given(seeds, st.integers(1, 20), st.integers(1, 20), st.sampled_from([0.0, 0.3]))
def test_least_squares_is_the_shortest_or_the_penalised(book, seed, N, P, lam):
    rng = np.random.default_rng(seed)
    F, Y = rng.normal(size=(N, P)), rng.normal(size=(N, 2))
    rows = np.vstack([F, np.sqrt(N * lam) * np.eye(P)])
    theirs = np.linalg.lstsq(rows, np.vstack([Y, np.zeros((P, 2))]))[0]
    ours = book["least_squares"](F, Y, lam)
    assert_close(ours, theirs, name="least squares", atol=1e-6, rtol=1e-6)


@few
@given(seeds, st.integers(2, 30), st.sampled_from(["uint8", "bool", "float64"]))
def test_the_area_orders_scores_of_any_kind(book, seed, n, kind):
    rng = np.random.default_rng(seed)
    y, score = sides(rng, n), rng.integers(0, 4, n).astype(kind)
    exact = metrics.roc_auc_score(y, score)
    assert_close(book["auc"](score, y), exact, name=kind)
    odds = np.array([-np.inf, 0.0, 1.0, np.inf])[score.astype(int)]  # the same order
    assert_close(book["auc"](odds, y), exact, name="infinite scores")


FAULTS = [
    Fault("2 * binom.cdf(min(alone)", "binom.cdf(min(alone)", "one side of a coin"),
    Fault("(wrong & ~other).sum(),", "wrong.sum(),", "what both get wrong"),
    Fault("return cdist(X_new, X", "return -cdist(X_new, X", "farthest"),
    Fault("np.argpartition(gaps, k - 1, axis=1)", "np.argpartition(gaps, k - 1, axis=0)", "axis"),
    Fault("return y[nearest].mean(axis=1)", "return y[nearest].sum(axis=1)", "a missing 1/k"),
    Fault("np.where(score > t, 1.0, -1.0)", "np.where(score < t, 1.0, -1.0)", "the wrong side"),
    Fault("np.mean(decide(x, t) != y)", "np.mean(decide(x, t) == y)", "0–1 loss upside down"),
    Fault("np.mean(decide(x, t) != y)", "np.sum(decide(x, t) != y)", "a missing 1/N"),
    Fault("np.append(0, np.cumsum(y > 0))", "np.append(0, np.cumsum(y < 0))", "alarms for misses"),
    Fault("x[1:] > x[:-1], [True]", "x[1:] >= x[:-1], [True]", "a cut between equals"),
    Fault("(1 - m) ** 2,", "(1 + m) ** 2,", "sign of the margin"),
    Fault("lambda m: -2 * (1 - m)", "lambda m: 2 * (1 - m)", "sign of a slope"),
    Fault("-1 / (1 + np.exp(m))", "-1 / (1 + np.exp(-m))", "logistic slope turned round"),
    Fault("np.maximum(0, 1 - m)", "np.maximum(0, -m)", "a hinge at 0"),
    Fault("f[np.arange(len(f)), classes]", "f[np.arange(len(f)), -classes]", "another class"),
    Fault("-xlogy(y, f).sum(1).mean()", "-xlogy(y, f).mean()", "also divided by C"),
    Fault("centre = fits.mean(axis=1)", "centre = fits.mean(axis=0)[: len(fits)]",
          "axis of the mean"),
    Fault("((TRUTH[:, None] - centre) ** 2).mean()", "(TRUTH[:, None] - centre).mean() ** 2",
          "square of the mean"),
    Fault("np.sqrt(n * lam)", "np.sqrt(lam)", "the penalty of a sum"),
    Fault("y.mean(axis=-1) / (1 + lam)", "y.mean(axis=-1) * (1 - lam)", "shrunk too much"),
    Fault("sigma**2 / (n * tau**2)", "sigma / (n * tau)", "deviations for variances"),
    Fault("sigma**2 / (n * tau**2)", "1.07 * sigma**2 / (n * tau**2)", "a factor of 1.07"),
    Fault("lam**2 * tau**2 + sigma**2 / n", "lam**2 * tau**2 + sigma**2", "noise not averaged"),
    Fault("w = w - lr * X.T", "w = w + lr * X.T", "uphill"),
    Fault("(slope(y * (X @ w)) * y) / len(y)", "slope(y * (X @ w)) / len(y)",
          "the label forgotten"),
    Fault("w = (w - lr * slope)", "w = (w - 2 * lr * slope)", "step twice as long"),
    Fault("index((true, decided)", "index((decided, true)", "the table transposed"),
    Fault("T.sum(axis=0), T.sum(axis=1)\n    #", "T.sum(axis=1), T.sum(axis=0)\n    #",
          "precision and recall changed"),
    Fault("ratio(2 * right, decided + true)\n\n\ndef micro",
          "ratio(right, decided + true)\n\n\ndef micro", "half of F1"),
    Fault("].sum()\n    return ratio(right, decided),", "].sum()\n    return ratio(right, true),",
          "micro recall twice"),
    Fault("learner(X[kept], y[kept], X[held])", "learner(X, y, X[held])", "the fold has a say"),
    Fault("ill > fit) + 0.5 * (ill == fit)", "ill > fit)", "ties forgotten"),
    Fault("(score[y < 0] >= t).mean() for t in thresholds]\n",
          "(score[y > 0] >= t).mean() for t in thresholds]\n", "recall twice"),
    Fault("levels).sum(axis=0)\n    alarms", "levels).mean(axis=0)\n    alarms",
          "shares for counts"),
    Fault("s**2 + len(Z) * lam", "s**2 + lam", "the penalty of a sum, wide models"),
    Fault("shrunk = s / (s**2", "shrunk = s**2 / (s**2", "a singular value too many"),
    Fault("values[0] - 1, *between, values[-1] + 1", "*between, values[-1] + 1", "no lowest cut"),
    Fault("z2 / (4 * M**2)", "z2 / (2 * M**2)", "a factor in Wilson's root"),
    Fault("s * half) / (1 + z2 / M)", "s * half) / (1 + z2)", "M lost in Wilson's interval"),
    Fault("half = Z95 * np.sqrt(a * (1 - a) / M)\n", "half = Z95 * a * (1 - a) / M\n",
          "variance for deviation"),
]  # fmt: skip

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """Neighbours of 1000 among 2000, and a thousand steps of descent on (400, 30)."""
    rng = np.random.default_rng(0)
    X, y, new = (
        rng.normal(size=(2000, 10)),
        sides(rng, 2000),
        rng.normal(size=(1000, 10)),
    )
    model = KNeighborsClassifier(15, algorithm="brute").fit(X, y)
    rows, w = rng.normal(size=(400, 30)), np.zeros(30)
    truth = [0, 1] * 5000, [0, 1, 1, 0] * 2500
    both = np.array(truth[0]), np.array(truth[1])

    yield (
        "nearest neighbours",
        lambda: scope["neighbour_score"](X, y, new, 15),
        lambda: model.predict_proba(new),
    )
    yield (
        "descent, 300 steps",
        lambda: scope["descend"](rows, y[:400], w, "logistic", 0.1, 300),
        lambda: scope["layer_descend"](rows, y[:400], w, "logistic", 0.1, 300),
    )
    yield (
        "precision, recall, F1",
        lambda: scope["per_class"](scope["confusion"](*both, 2)),
        lambda: metrics.precision_recall_fscore_support(*both),
    )
    yield (
        "area under ROC",
        lambda: scope["auc"](X[:, 0], y),
        lambda: metrics.roc_auc_score(y, X[:, 0]),
    )
