"""Chapter 3: its functions on inputs that the page does not use, and its checks put to the test."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.linear_model import Lasso, Ridge
from sklearn.preprocessing import PolynomialFeatures

from tests.chapter_code import ChapterCode, Fault, autograd, catches
from utils import data
from utils.checks import assert_close

chapter = ChapterCode("03_linear_regression")
few = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)
sizes = st.tuples(st.integers(1, 5), st.integers(2, 12))  # D, and rows beyond D + 1


def problem(book, seed, size):
    D, more = size
    rng = np.random.default_rng(seed)
    X = book["augment"](rng.normal(size=(D + 1 + more, D)))
    return X, rng.normal(size=len(X)), rng.normal(size=D + 1), rng


@few
@given(seeds, sizes)
def test_loss_gradient_and_solution_are_torchs(book, seed, size):
    X, y, w, _ = problem(book, seed, size)
    of_torch = lambda w: 0.5 * ((torch.tensor(X) @ w - torch.tensor(y)) ** 2).sum()
    loss, (exact,) = autograd(of_torch, w)
    assert_close(book["squared_loss"](w, X, y), loss, name="loss")
    ours = book["squared_loss_grad"](w, X, y)
    assert_close(ours, exact, name="gradient", atol=1e-10)
    solution = book["least_squares"](X, y)
    assert solution.shape == w.shape
    assert book["squared_loss"](solution, X, y) <= book["squared_loss"](w, X, y) + 1e-12
    residual = X @ solution - y
    scale = np.linalg.norm(X) * (
        np.linalg.norm(y) + np.linalg.norm(X) * np.linalg.norm(solution)
    )
    assert np.abs(X.T @ residual).max() < 1e-8 * scale


@few
@given(seeds, sizes, st.floats(0.3, 4))
def test_log_likelihood_is_torchs(book, seed, size, sigma):
    X, y, w, _ = problem(book, seed, size)
    mean, spread = torch.tensor(X @ w), torch.tensor(sigma, dtype=torch.float64)
    normal = torch.distributions.Normal(mean, spread)
    exact = normal.log_prob(torch.tensor(y)).sum()
    assert_close(book["log_likelihood"](w, X, y, sigma), exact, name="ln L", atol=1e-9)


@few
@given(seeds, sizes, st.floats(1e-2, 1e3), st.booleans())
def test_ridge_is_scikit_learns(book, seed, size, lam, ones):
    X, y, w, _ = problem(book, seed, size)
    ours = book["ridge"](X, y, lam, ones)
    if not ones:
        theirs = (
            Ridge(alpha=lam, fit_intercept=False, solver="cholesky").fit(X, y).coef_
        )
        gradient = book["ridge_grad"](ours, X, y, lam)
        assert_close(
            gradient, np.zeros_like(w), name="gradient at the minimum", atol=1e-6
        )
        assert (
            book["ridge_loss"](ours, X, y, lam)
            <= book["ridge_loss"](w, X, y, lam) + 1e-9
        )
    else:
        fit = Ridge(alpha=lam, solver="cholesky").fit(X[:, 1:], y)
        theirs = np.append(fit.intercept_, fit.coef_)
    assert_close(ours, theirs, name="ridge", rtol=1e-7, atol=1e-9)


@few
@given(seeds, st.integers(1, 6), st.integers(1, 30))
def test_gradient_descent_makes_torchs_steps(book, seed, D, steps):
    rng = np.random.default_rng(seed)
    X, y, w = rng.normal(size=(D + 3, D)), rng.normal(size=D + 3), rng.normal(size=D)
    lr = 0.9 / np.linalg.eigvalsh(X.T @ X)[-1]
    grad = lambda w: book["squared_loss_grad"](w, X, y)
    path = book["gradient_descent"](grad, w, lr, steps)
    assert path.shape == (steps + 1, D) and (path[0] == w).all()
    p = torch.nn.Parameter(torch.tensor(w))
    optimiser = torch.optim.SGD([p], lr=lr)
    for _ in range(steps):
        optimiser.zero_grad()
        (0.5 * ((torch.tensor(X) @ p - torch.tensor(y)) ** 2).sum()).backward()
        optimiser.step()
    assert_close(path[-1], p.detach().numpy(), name="path", atol=1e-10)
    autograd = book["torch_descent"](
        torch.tensor(X), torch.tensor(y), torch.tensor(w), lr, steps
    )
    assert_close(autograd, p.detach(), name="torch_descent", atol=1e-10)
    losses = [book["squared_loss"](w, X, y) for w in path]
    assert (np.diff(losses) <= 1e-12).all()


@few
@given(st.floats(-50, 50), st.floats(0, 20), st.floats(0.1, 10))
def test_soft_threshold_solves_the_coordinate_problem(book, rho, lam, a):
    w = book["soft_threshold"](rho, lam) / a
    q = lambda w: a / 2 * w**2 - rho * w + lam * abs(w)
    best = minimize_scalar(
        q, bounds=(-600, 600), method="bounded", options={"xatol": 1e-10}
    )
    assert q(w) <= best.fun + 1e-9
    assert (w == 0) == (abs(rho) <= lam)


@few
@given(seeds, st.integers(1, 6), st.floats(0.05, 0.95))
def test_lasso_is_scikit_learns(book, seed, D, share):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(6 * D, D)), rng.normal(size=6 * D)
    lam = share * np.abs(X.T @ y).max()
    ours = book["lasso"](X, y, lam, tol=1e-12)
    theirs = Lasso(
        alpha=lam / len(X), fit_intercept=False, tol=1e-13, max_iter=10**5
    ).fit(X, y)
    assert_close(ours, theirs.coef_, name="lasso", rtol=1e-6, atol=1e-7)
    assert not book["lasso"](X, y, 1.01 * lam / share).any()


@few
@given(seeds, st.integers(1, 4), st.integers(1, 4))
def test_polynomial_features_are_scikit_learns(book, seed, D, degree):
    X = np.random.default_rng(seed).normal(size=(5, D))
    assert_close(
        book["polynomial_features"](X, degree),
        PolynomialFeatures(degree).fit_transform(X),
        name="Φ",
    )


TORCH = {
    "normal": lambda th: torch.distributions.Normal(th, torch.ones_like(th)),
    "Bernoulli": lambda th: torch.distributions.Bernoulli(logits=th),
    "Poisson": lambda th: torch.distributions.Poisson(th.exp()),
}


@few
@given(seeds, st.sampled_from(sorted(TORCH)))
def test_glm_loss_differs_from_torchs_by_a_constant(book, seed, name):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(9, 4)), 0.4 * rng.normal(size=4)
    y = rng.integers(0, 2, size=9).astype(float)
    family, X_t, y_t = book["FAMILIES"][name], torch.tensor(X), torch.tensor(y)
    nll, (exact,) = autograd(lambda w: -TORCH[name](X_t @ w).log_prob(y_t).sum(), w)
    ours = book["glm_grad"](w, X, y, family)
    assert_close(ours, exact, name="gradient", atol=1e-10)
    at_zero = -TORCH[name](torch.zeros(9, dtype=torch.float64)).log_prob(y_t).sum()
    ours = book["glm_loss"](w, X, y, family) - book["glm_loss"](
        np.zeros(4), X, y, family
    )
    assert_close(ours, nll - at_zero.numpy(), name="difference", atol=1e-9)
    theta = torch.tensor(X @ w)
    assert_close(family.mean(X @ w), TORCH[name](theta).mean.numpy(), name="mean")
    assert_close(
        family.variance(X @ w), TORCH[name](theta).variance.numpy(), name="variance"
    )


@few
@given(seeds, st.sampled_from(sorted(TORCH)))
def test_glm_fit_ends_on_flat_ground(book, seed, name):
    rng = np.random.default_rng(seed)
    X, w = book["augment"](rng.normal(size=(200, 2))), 0.5 * rng.normal(size=3)
    y = TORCH[name](
        torch.tensor(X @ w)
    ).mean.numpy()  # the means: the fit must return w
    family = book["FAMILIES"][name]
    fitted, hessian = book["glm_fit"](X, y, family)
    assert_close(fitted, w, name="weights", rtol=1e-7, atol=1e-9)
    curvature = X.T @ np.diag(family.variance(X @ w)) @ X
    assert_close(hessian, curvature, name="Hessian", rtol=1e-6, atol=1e-8)


def test_a_digit_costs_205_steps_when_centred_and_3_when_standardised(book):
    marks, y = book["MARKS"][:6, :2], book["MARKS"][:6, 2]
    centred = marks - marks.mean(axis=0)
    for features, steps in ((centred, 205), (centred / centred.std(axis=0), 3)):
        X = book["augment"](features)
        h, V = np.linalg.eigh(X.T @ X)
        w = book["least_squares"](X, y)
        grad = lambda w, X=X: book["squared_loss_grad"](w, X, y)
        worst = w + V[:, 0] + V[:, -1]
        path = book["gradient_descent"](grad, worst, 2 / (h[0] + h[-1]), steps + 1)
        gap = np.linalg.norm(path - w, axis=1) / np.sqrt(2)
        assert gap[steps] > 0.1 > gap[steps + 1]


@few
@given(seeds, sizes)
def test_the_covariance_is_what_redrawn_noise_gives_in_every_direction(
    book, seed, size
):
    X, y, _, _rng = problem(book, seed, size)
    solve = np.linalg.pinv(X)
    residual = y - X @ (solve @ y)
    sigma2 = residual @ residual / (len(X) - X.shape[1])
    exact = sigma2 * solve @ solve.T  # the covariance of pinv(X) y
    assert_close(book["covariance"](X, y), exact, name="Cov", rtol=1e-6, atol=1e-9)


@few
@given(seeds, sizes)
def test_curvatures_are_those_of_torchs_hessian(book, seed, size):
    X, y, w, _rng = problem(book, seed, size)
    loss = lambda w: 0.5 * ((torch.tensor(X) @ w - torch.tensor(y)) ** 2).sum()
    hessian = torch.autograd.functional.hessian(loss, torch.tensor(w))
    exact = torch.linalg.eigvalsh(hessian)
    assert_close(
        book["curvatures"](X), exact.numpy(), name="curvatures", rtol=1e-7, atol=1e-9
    )


def test_solving_loses_the_digits_that_lstsq_keeps(book):
    powers = np.linspace(0, 1, 30)[:, None] ** np.arange(9)
    exact = powers.sum(axis=1)  # all weights are 1
    by_solve = book["least_squares"](powers, exact)
    by_lstsq = np.linalg.lstsq(powers, exact)[0]
    assert np.abs(by_solve - 1).max() > 1000 * np.abs(by_lstsq - 1).max()


@few
@given(seeds, st.integers(1, 4), st.integers(0, 4))
def test_lasso_leaves_a_constant_column_out(book, seed, D, at):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(6 * D, D)), rng.normal(size=6 * D)
    wider = data.standardise(np.insert(X, min(at, D), 7.0, axis=1))  # that column is 0
    lam = 0.3 * np.abs(wider.T @ y).max()
    ours = book["lasso"](wider, y, lam, tol=1e-12)
    theirs = Lasso(alpha=lam / len(X), fit_intercept=False, tol=1e-13, max_iter=10**5)
    assert_close(ours, theirs.fit(wider, y).coef_, name="lasso", rtol=1e-6, atol=1e-7)
    assert ours[min(at, D)] == 0


@few
@given(st.floats(-1e4, 1e4))
def test_the_coins_log_partition_does_not_overflow(book, theta):
    wide = torch.tensor(theta, dtype=torch.float64)
    exact = -torch.distributions.Bernoulli(logits=wide).log_prob(
        torch.zeros(()).double()
    )
    ours = book["FAMILIES"]["Bernoulli"].log_partition(np.float64(theta))
    assert_close(ours, exact, name="A", rtol=1e-12)


FAULTS = [
    Fault("return X.T @ (X @ w - y)  # eq-03-gradient", "return X.T @ (y - X @ w)",
          "sign of the gradient"),
    Fault("return X.T @ (X @ w - y)  # eq-03-gradient", "return 2 * X.T @ (X @ w - y)",
          "a factor 2 too much"),
    Fault("return 0.5 * residual @ residual", "return residual @ residual", "the ½ of the loss"),
    Fault("residual = X @ w - y  # (N,)", "residual = X @ w", "the target forgotten"),
    Fault("np.ones(len(features)), features]", "features, np.ones(len(features))]",
          "the ones at the end"),
    Fault("np.linalg.solve(X.T @ X, X.T @ y)  # eq-03-normal",
          "np.linalg.solve(X.T @ X, X.T @ y) * 1.01", "wrong constant"),
    Fault("constant - squared_loss(w, X, y) / sigma**2", "constant - squared_loss(w, X, y) / sigma",
          "σ not squared"),
    Fault("np.sqrt(2 * np.pi) * sigma", "np.sqrt(np.pi) * sigma", "a 2 lost in the constant"),
    Fault("0.5 * lam * (w @ w)", "lam * (w @ w)", "the ½ of the penalty"),
    Fault("squared_loss_grad(w, X, y) + lam * w", "squared_loss_grad(w, X, y) - lam * w",
          "sign of the penalty"),
    Fault("penalty[0, 0] = 0.0", "penalty[-1, -1] = 0.0", "the wrong weight goes free"),
    Fault("X.T @ X + penalty, X.T @ y", "X.T @ X + penalty**2, X.T @ y", "λ squared"),
    Fault("/ (N - columns)", "/ N", "σ² by N"),
    Fault("sigma2 * np.linalg.inv(X.T @ X)", "sigma2 * np.linalg.inv(X.T @ X) / 2",
          "half the covariance"),
    Fault("return np.linalg.eigvalsh(X.T @ X)", "return np.linalg.eigvalsh(X.T @ X / len(X))",
          "curvatures of the mean"),
    Fault("return np.linalg.eigvalsh(X.T @ X)", "return np.linalg.svd(X)[1][::-1]",
          "singular values for curvatures"),
    Fault("loss(layer(features), wanted).backward()",
          "(loss(layer(features), wanted) / 2).backward()",
          "half the mean of the squares"),
    Fault("layer.weight.copy_(torch.tensor(w[None, 1:]))",
          "layer.weight.copy_(torch.tensor(w[None, :-1]))",
          "the bias among the weights"),
    Fault("np.log(0.1) / np.log(worst)", "np.log(0.1) / np.log(worst) / 2", "half the steps"),
    Fault("np.abs(1 - lr * h).max()", "np.abs(1 - lr * h).min()", "the best direction"),
    Fault("X[:, 1:] - X[:, 1:].mean(axis=0)", "X[:, 1:]", "not centred"),
    Fault("w = w - lr * grad(w)", "w = w + lr * grad(w)", "uphill"),
    Fault("np.sign(rho) * np.maximum", "np.maximum", "soft threshold without its sign"),
    Fault("np.abs(rho) - lam, 0.0", "np.abs(rho) - lam / 2, 0.0", "half the threshold"),
    Fault(" + X_X[j, j] * w[j]", "", "own contribution not added back"),
    Fault("X_y[j] - X_X[j] @ w", "X_y[j]", "the other weights forgotten"),
    Fault("soft_threshold(rho, lam) / X_X[j, j]", "soft_threshold(rho, lam) / len(X)",
          "divided by N"),
    Fault("<= tol * np.abs(w).max()", "<= 1e9", "stops after one sweep"),
    Fault(".prod(axis=1)", ".sum(axis=1)", "sum instead of product"),
    Fault("range(1, degree + 1)", "range(1, degree)", "one degree too few"),
    Fault("family.log_partition(X @ w) - y * (X @ w)", "family.log_partition(X @ w) + y * (X @ w)",
          "sign in the likelihood"),
    Fault("return X.T @ (family.mean", "return 0.5 * X.T @ (family.mean", "a ½ in the gradient"),
    Fault("Bernoulli.mean(theta) * (1 - Bernoulli.mean(theta))", "Bernoulli.mean(theta) ** 2",
          "variance of the coin"),
    Fault("squared_loss(w, new, goal[~kept])", "squared_loss(w, rows, goal[kept])",
          "validated on the training rows"),
    Fault("data.standardise(X[kept], X[~kept])", "X[kept], X[~kept]", "a fold that has a say"),
    Fault("w -= lr * w.grad", "w -= 2 * lr * w.grad", "step twice as long"),
    Fault("        w.grad = None", "        pass", "gradients accumulate"),
]  # fmt: skip

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """Closed form and a hundred steps of descent on (2000, 50)."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 50)), rng.normal(size=2000)
    X_t, y_t = torch.tensor(X), torch.tensor(y)

    def ours():
        grad = lambda w: scope["squared_loss_grad"](w, X, y)
        return scope["gradient_descent"](grad, np.zeros(50), 1e-4, 100)

    def theirs():
        w = torch.zeros(50, dtype=torch.float64, requires_grad=True)
        steps = torch.optim.SGD([w], lr=1e-4)
        for _ in range(100):
            steps.zero_grad()
            (0.5 * ((X_t @ w - y_t) ** 2).sum()).backward()
            steps.step()

    yield (
        "least squares",
        lambda: scope["least_squares"](X, y),
        lambda: torch.linalg.lstsq(X_t, y_t[:, None]),
    )
    yield "descent, 100 steps", ours, theirs
