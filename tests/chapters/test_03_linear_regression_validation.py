"""Chapter 3: which λ its cross-validation picks, and what that buys on other patients."""

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from tests.chapter_code import ChapterCode
from utils import data

chapter = ChapterCode("03_linear_regression")


def test_cross_validation_picks_the_lambda_with_the_least_held_out_error(book):
    rng = np.random.default_rng(0)
    X, y = (
        rng.normal(size=(30, 20)),
        rng.normal(size=30),
    )  # nothing to learn: large λ is best
    lams = np.array([0.0, 1.0, 1e4])
    assert book["cross_validate"](book["ridge"], lams, X, y) == 1e4
    assert (
        book["cross_validate"](book["ridge"], lams, X, X @ rng.normal(size=20)) == 0.0
    )


def test_cross_validation_lets_the_held_out_fold_have_no_say(book):
    lams, fold = np.logspace(-3, 4, 15), np.arange(15) % 5
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(3, 2, size=(15, 6)), rng.normal(5, 1, size=15)
        y += 0.3 * X[:, 0]
        missed = np.zeros((len(lams), 15))
        for k in range(5):
            scaler = StandardScaler().fit(X[fold != k])
            rows, new = scaler.transform(X[fold != k]), scaler.transform(X[fold == k])
            for i, lam in enumerate(lams):
                fit = Ridge(alpha=lam, solver="cholesky").fit(rows, y[fold != k])
                missed[i, fold == k] = fit.predict(new) - y[fold == k]
        ours = book["cross_validate"](book["ridge"], lams, X, y)
        assert ours == lams[(missed**2).sum(axis=1).argmin()]


def test_with_332_patients_ridge_buys_nothing_on_test_sets_that_are_disjoint(book):
    patients = data.load_diabetes()
    gains, rmse = [], lambda residual: np.sqrt(np.mean(residual**2))
    for seed in range(100, 105):
        order = np.random.default_rng(seed).permutation(442)
        for test in np.array_split(order, 4):
            train = np.setdiff1d(order, test, assume_unique=True)
            X, X_new = data.standardise(patients.X[train], patients.X[test])
            mean = patients.y[train].mean()
            y, y_new = patients.y[train] - mean, patients.y[test] - mean
            lam = book["cross_validate"](book["ridge"], np.logspace(-2, 5, 15), X, y)
            fits = book["least_squares"](X, y), book["ridge"](X, y, lam)
            plain, shrunk = (rmse(X_new @ w - y_new) for w in fits)
            gains.append(plain - shrunk)
    assert abs(np.reshape(gains, (5, 4)).mean(axis=1)).max() < 0.3
