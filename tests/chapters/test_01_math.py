"""Chapter 1: its functions on inputs that the page does not use, and its checks put to the test."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logsumexp
from scipy.special import softmax as scipy_softmax
from torch.autograd.functional import jacobian
from torch.utils.flop_counter import FlopCounterMode

from tests.chapter_code import ChapterCode, Fault, autograd, catches
from utils.checks import assert_close

chapter = ChapterCode("01_math")
few = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 6)
powers = st.sampled_from([1, 1.3, 2, 3.7, np.inf])


def draw(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


@few
@given(seeds, sizes, powers)
def test_the_norm_is_numpys_and_keeps_its_promises(book, seed, n, p):
    a, b = draw(seed, n, n)
    norm = book["p_norm"]
    assert_close(norm(a, p), np.linalg.norm(a, p), name="norm")
    assert norm(a + b, p) <= norm(a, p) + norm(b, p) + 1e-12
    assert_close(norm(-2.5 * a, p), 2.5 * norm(a, p), name="multiple")


def test_below_one_there_is_no_triangle_inequality(book):
    one, other = np.eye(2)
    for p in (0.3, 0.5, 0.9):
        assert book["p_norm"](one + other, p) > 2


@few
@given(seeds, sizes, sizes, sizes)
def test_products_are_numpys(book, seed, m, r, n):
    A, B = draw(seed, (m, r), (r, n))
    for product in (book["matmul_loops"], book["matmul"]):
        assert_close(product(A, B), A @ B, name=product.__name__, atol=1e-12)


@few
@given(seeds)
def test_the_jacobian_of_the_fold_is_autograds(book, seed):
    (x,) = draw(seed, 2)
    exact = jacobian(book["fold_torch"], torch.tensor(x))
    assert_close(book["fold_jacobian"](x), exact, name="J")
    J = book["difference_jacobian"](book["fold"], x)
    assert_close(J, exact, name="J by differences", rtol=1e-7, atol=1e-9)


@few
@given(seeds, sizes, sizes)
def test_difference_jacobian_of_any_shape_is_autograds(book, seed, m, n):
    A, x = draw(seed, (m, n), n)
    J = book["difference_jacobian"](lambda x: np.sin(A @ x), x)
    exact = jacobian(lambda x: torch.sin(torch.tensor(A) @ x), torch.tensor(x))
    assert J.shape == (m, n)
    assert_close(J, exact, name="J", rtol=1e-6, atol=1e-8)


@few
@given(seeds)
def test_descent_makes_torchs_steps(book, seed):
    x, target = draw(seed, 2, 2)
    points, losses = book["descend"](x, target, 0.01, 5)
    p = torch.nn.Parameter(torch.tensor(x))
    optimiser = torch.optim.SGD([p], lr=0.01)
    for k in range(5):
        optimiser.zero_grad()
        loss = 0.5 * ((book["fold_torch"](p) - torch.tensor(target)) ** 2).sum()
        assert_close(losses[k], loss, name="loss")
        loss.backward()
        optimiser.step()
    assert_close(points[-1], p.detach().numpy(), name="x")


@few
@given(seeds, sizes, sizes, sizes)
def test_layer_gradients_are_autograds(book, seed, N, D, C):
    X, W, b, dZ = draw(seed, (N, D), (D, C), C, (N, C))
    _, exact = autograd(lambda X, W, b: X @ W + b, X, W, b, upstream=dZ)
    ours = book["layer_gradients"](X, W, dZ)
    for name, value in zip("XWb", exact, strict=True):
        assert_close(ours[name], value, name=name, atol=1e-12)


@few
@given(seeds, sizes, sizes)
def test_product_and_trace_rules_are_autograds(book, seed, m, n):
    A, B, x, X, a, dy = draw(seed, (m, n), (m, n), n, (m, n), n, m)
    t = torch.tensor
    exact = jacobian(lambda x: torch.sin(t(A) @ x) @ (t(B) @ x), t(x))
    J, y = np.cos(A @ x)[:, None] * A, np.sin(A @ x)
    assert_close(book["product_back"](J, y, B, B @ x), exact, name="∇yᵀz", atol=1e-11)
    parts = jacobian(lambda X: X @ t(a), t(X)).numpy()
    assert_close(book["trace_back"](dy, parts), np.outer(dy, a), name="dX", atol=1e-12)


@few
@given(seeds, sizes)
def test_logistic_is_scipys_with_autograds_slope(book, seed, n):
    x, dy = draw(seed, n, n)
    y = book["logistic"](x)
    assert_close(y, expit(x), name="logistic")
    _, (exact,) = autograd(torch.sigmoid, x, upstream=dy)
    assert_close(book["logistic_back"](dy, y), exact, name="dx")


@few
@given(seeds, sizes, sizes, st.floats(0, 3000))
def test_softmax_and_log_sum_exp_are_scipys_at_any_scale(book, seed, N, C, scale):
    (z,) = draw(seed, (N, C))
    z = scale * z
    assert_close(book["softmax"](z), scipy_softmax(z, axis=-1), name="softmax")
    assert_close(book["lse"](z), logsumexp(z, axis=-1), name="LSE")


@few
@given(seeds, sizes, sizes)
def test_softmax_back_is_autograds(book, seed, N, C):
    z, dq = draw(seed, (N, C), (N, C))
    _, (exact,) = autograd(lambda z: torch.softmax(z, -1), z, upstream=dq)
    ours = book["softmax_back"](dq, book["softmax"](z))
    assert_close(ours, exact, name="dz", atol=1e-12)


@few
@given(seeds, st.integers(2, 9), sizes)
def test_the_layers_loss_and_gradients_are_autograds(book, seed, N, D):
    X, W, b = draw(seed, (N, D), (D, 3), 3)
    labels = np.random.default_rng(seed).integers(0, 3, size=N)
    loss, dW, db = book["loss_and_gradients"](W, b, X, np.eye(3)[labels])
    ce, labels_t = torch.nn.functional.cross_entropy, torch.tensor(labels)
    exact, (by_W, by_b) = autograd(
        lambda W, b: ce(torch.tensor(X) @ W + b, labels_t), W, b
    )
    assert_close(loss, exact, name="loss")
    assert_close(dW, by_W, name="dW", atol=1e-12)
    assert_close(db, by_b, name="db", atol=1e-12)


@few
@given(seeds, sizes, sizes)
def test_singular_values_are_numpys(book, seed, n, more):
    (A,) = draw(seed, (n + more, n))
    U, s, V = book["svd_by_eigenvectors"](A)
    assert_close(s[::-1].copy(), np.linalg.svd(A)[1], name="s", rtol=1e-6)
    assert_close(U @ np.diag(s) @ V.T, A, name="A", atol=1e-9)


@few
@given(seeds, st.integers(2, 5))
def test_power_iteration_finds_the_top(book, seed, n):
    Q = np.linalg.qr(draw(seed, (n, n))[0])[0]
    A = Q @ np.diag(0.8 ** np.arange(n) * 3) @ Q.T
    top = book["power_iteration"](A, Q.sum(axis=1), 150)
    assert_close(book["rayleigh"](A, top), 3.0, name="λ", rtol=1e-8)


def test_the_u_stays_within_its_bound_for_another_function(book):
    """sin at 1: f = sin, f''' = −cos; the formula of eq-01-error with both sizes."""
    rho, f, third = book["RHO"][np.float64], np.sin(1.0), np.cos(1.0)
    for eps in 10.0 ** np.arange(-13, -1.9, 0.5):
        error = abs(book["central"](np.sin, 1.0, eps) - np.cos(1.0))
        assert error < 3 * (eps**2 / 6 * third + rho * f / eps)


def test_a_gradient_by_differences_costs_two_evaluations_an_entry(book):
    calls = []
    book["difference_jacobian"](
        lambda x: calls.append(1) or book["lse"](x), np.zeros(100)
    )
    assert len(calls) == 2 * 100


def test_autograd_costs_two_to_four_evaluations():
    """In multiplications of matrices, which do not depend on the machine."""
    for n in (10, 100):
        x, W = (torch.randn(s, n, requires_grad=True) for s in (1, n))
        with FlopCounterMode(display=False) as once:
            loss = torch.tanh(torch.tanh(x @ W) @ W).sum()
        with FlopCounterMode(display=False) as back:
            loss.backward()
        assert 2 <= 1 + back.get_total_flops() / once.get_total_flops() <= 4


@few
@given(seeds, sizes, st.integers(1, 60), st.sampled_from(["int8", "uint8", "int64"]))
def test_powers_of_integers_do_not_overflow(book, seed, n, p, kind):
    low = max(np.iinfo(kind).min, -128)  # whose absolute value int8 does not have
    x = np.append(np.random.default_rng(seed).integers(3, 99, n), low).astype(kind)
    assert_close(book["p_norm"](x, p), np.linalg.norm(x * 1.0, p), name="norm")


@few
@given(sizes, sizes, sizes, sizes)
def test_a_product_that_does_not_exist_is_refused(book, m, r, s, n):
    A, B = np.ones((m, r)), np.ones((s, n))
    if r == s:
        assert (book["matmul_loops"](A, B) == r).all()
    else:
        with pytest.raises(ValueError, match=f"expected B with {r} rows, got {s}"):
            book["matmul_loops"](A, B)


@few
@given(seeds, sizes, sizes, st.lists(st.sampled_from([-np.inf, np.inf]), max_size=9))
def test_log_sum_exp_is_torchs_where_scores_are_infinite(book, seed, N, C, infinite):
    (z,) = draw(seed, (N, C))
    z.flat[: len(infinite)] = infinite[: z.size]
    exact = torch.logsumexp(torch.tensor(z), -1)
    with np.errstate(divide="ignore"):  # the logarithm of 0
        np.testing.assert_allclose(book["lse"](z), exact, rtol=1e-12)
        hidden = book["lse"](np.full(z.shape, -np.inf, dtype=np.float32))
    assert (hidden == -np.inf).all() and hidden.dtype == np.float32


# Anything near the largest score prevents an overflow, until scores lie far apart.
SHIFTS = {
    "z.mean(axis=-1, keepdims=True)": "the mean for the largest",
    "np.median(z, axis=-1, keepdims=True)": "the median for the largest",
    "z[..., :1]": "the first score for the largest",
    "z.max(keepdims=True)": "the largest of the batch",
}

FAULTS = [
    Fault("return sizes.max()", "return sizes.sum()", "the norm of the largest entry"),
    Fault("** (1 / p)  # eq-01-norm", "  # eq-01-norm", "the root of the norm"),
    Fault("A[i, k] * B[k, j]", "A[i, k] * B[k, -1 - j]", "columns in reverse"),
    Fault('"ik,kj->ij"', '"ik,kj->ji"', "a transposed product"),
    Fault("[[2 * x[0], 1.0], [x[1], x[0]]]", "[[2 * x[0], x[1]], [1.0, x[0]]]", "the layout of J"),
    Fault("[[2 * x[0], 1.0]", "[[x[0], 1.0]", "a factor 2 in J"),
    Fault("/ (2 * eps))", "/ eps)", "the 2 of the central difference"),
    Fault("np.stack(columns, axis=-1)", "np.stack(columns)", "the other layout by differences"),
    Fault("fold_jacobian(x).T @ dy", "fold_jacobian(x) @ dy", "J for Jᵀ"),
    Fault("x = x - lr * fold", "x = x - lr / 2 * fold", "half a step"),
    Fault('"X": dZ @ W.T', '"X": -dZ @ W.T', "sign of dX"),
    Fault("X.T @ dZ", "X.T @ dZ / len(X)", "a 1/N too many"),
    Fault("dZ.sum(axis=0)", "dZ.mean(axis=0)", "mean for sum in db"),
    Fault("y * (1 - y) * dy", "y * (1 + y) * dy", "sign in the logistic slope"),
    Fault("J.T @ z + K.T @ y", "J.T @ y + K.T @ z", "product rule crossed"),
    Fault("J.T @ z + K.T @ y", "J.T @ z", "half of the product rule"),
    Fault('"k,kij->ij"', '"i,kij->kj"', "trace over the wrong index"),
    Fault("(f(hi) - f(lo)) / (hi - lo)", "(f(hi) - f(lo)) / (2.1 * eps)", "a wrong step"),
    Fault("eps**2 / 6 + rho / eps", "eps**2 / 60 + rho / eps", "Taylor's 6"),
    Fault("6 + rho / eps", "6 + 100 * rho / eps", "rounding overstated"),
    Fault("6 + rho / eps", "6 + 1.5 * rho / eps", "rounding half as large again"),
    Fault("eps**2 / 6 + rho", "eps**2 / 5.7 + rho", "the curve by a twentieth"),
    Fault("(3 * rho)", "(2.9 * rho)", "the 3 of the best step"),
    Fault("best, best**2 / 2", "best, best**2", "the error at the best step"),
    Fault("np.log(np.exp(z - top)", "np.log(np.exp(z)", "no shift in LSE"),
    Fault("return top[..., 0] + np.log", "return np.log", "the shift not undone"),
    *(
        Fault(f"{before}z.max(axis=-1, keepdims=True)", before + shift, f"{name} in {where}")
        for before, where in (("top = ", "LSE"), ("z - ", "softmax"))
        for shift, name in SHIFTS.items()
    ),
    Fault("powers / powers.sum", "powers / powers.max", "largest for sum"),
    Fault("powers.sum(axis=-1", "powers.sum(axis=0", "softmax along the wrong axis"),
    Fault("q * (dq - (q * dq)", "q * (dq + (q * dq)", "sign in the softmax Jacobian"),
    Fault("- targets) / len(X)", "- targets)", "the missing 1/N"),
    Fault("* Z).sum(axis=1)).mean()", "* Z).sum(axis=1)).sum()", "a sum for a mean"),
    Fault("(probabilities(Z) - targets)", "(targets - probabilities(Z))", "sign of dZ"),
    Fault("W - lr * dW, b - lr * db", "W - lr * dW, b", "the bias never learns"),
    Fault("(x @ A @ x) / (x @ x)", "x @ A @ x", "Rayleigh without its length"),
    Fault("s = np.sqrt(squares)", "s = squares", "eigenvalues for singular values"),
    Fault("loss = (torch.logsumexp(Z, 1)", "loss = 2 * (torch.logsumexp(Z, 1)", "loss doubled"),
]  # fmt: skip

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """Stable softmax and log-sum-exp on (2000, 100); the page's layer, 100 steps."""
    rng = np.random.default_rng(0)
    Z, X = rng.normal(size=(2000, 100)), rng.normal(size=(442, 10))
    Z_t, X_t = torch.tensor(Z), torch.tensor(X)
    yield "softmax", lambda: scope["softmax"](Z), lambda: torch.softmax(Z_t, -1)
    yield "log-sum-exp", lambda: scope["lse"](Z), lambda: torch.logsumexp(Z_t, -1)
    A = rng.normal(size=(200, 200))
    A_t = torch.tensor(A)
    yield "matrix product", lambda: scope["matmul"](A, A), lambda: A_t @ A_t
    labels = rng.integers(0, 3, size=442)
    targets, labels_t = np.eye(3)[labels], torch.tensor(labels)

    def theirs():
        layer = torch.nn.Linear(10, 3, dtype=torch.float64)
        optimiser = torch.optim.SGD(layer.parameters(), lr=0.1)
        for _ in range(100):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(layer(X_t), labels_t).backward()
            optimiser.step()

    yield "one layer, 100 steps", lambda: scope["train"](X, targets, 0.1, 100), theirs
