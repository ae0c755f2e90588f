"""Chapter 7: its networks on inputs that the page does not use, and its checks put to the test."""

import contextlib
import io
from itertools import pairwise, product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neural_network import MLPClassifier

from tests.chapter_code import ChapterCode, Fault, kind
from utils.checks import assert_close

chapter = ChapterCode("07_mlp")
few = settings(max_examples=20, deadline=None)
seeds = st.integers(0, 2**32 - 1)
widths = st.lists(st.integers(1, 6), min_size=2, max_size=6)


@few
@given(seeds, widths, st.integers(1, 5))
def test_forward_is_torchs(book, seed, widths, N):
    rng = np.random.default_rng(seed)
    Ws = [rng.normal(size=sizes) for sizes in pairwise(widths)]
    bs = [rng.normal(size=H) for H in widths[1:]]
    X = rng.normal(size=(N, widths[0]))
    A = book["forward"](X, Ws, bs, [np.tanh] * len(Ws))
    out = torch.tensor(X)
    for W, b in zip(Ws, bs, strict=True):
        out = torch.tanh(out @ torch.tensor(W) + torch.tensor(b))
    assert_close(A[-1], out, name="forward")
    assert [a.shape for a in A] == [(N, H) for H in widths]


TORCH_ACTIVATIONS = {
    "logistic": torch.sigmoid,
    "tanh": torch.tanh,
    "relu": torch.relu,
}
TORCH_LOSSES = {
    "two_classes": lambda Z, Y: torch.nn.functional.binary_cross_entropy_with_logits(
        Z, Y
    ),
    "many_classes": torch.nn.functional.cross_entropy,
    "regression": lambda Z, Y: ((Z - Y) ** 2).sum(dim=1).mean() / 2,
}


@few
@given(seeds, st.tuples(*[st.integers(1, 6)] * 4), st.sampled_from([*TORCH_ACTIVATIONS]),
       st.sampled_from([*TORCH_LOSSES]))  # fmt: skip
def test_gradients_are_autograds(book, seed, size, activation, task):
    N, D, H, C = size
    C = 1 if task == "two_classes" else C + 1
    rng = np.random.default_rng(seed)
    theta = [rng.normal(size=s) for s in ((D, H), H, (H, C), C)]
    X = rng.normal(size=(N, D))
    Y = {
        "two_classes": rng.integers(2, size=(N, 1)) * 1.0,
        "many_classes": np.eye(C)[rng.integers(C, size=N)],
        "regression": rng.normal(size=(N, C)),
    }[task]
    loss, grads = book["loss_and_gradients"](theta, X, Y, book[activation], book[task])
    tensors = [torch.tensor(p, requires_grad=True) for p in theta]
    A = TORCH_ACTIVATIONS[activation](torch.tensor(X) @ tensors[0] + tensors[1])
    theirs = TORCH_LOSSES[task](A @ tensors[2] + tensors[3], torch.tensor(Y))
    assert_close(loss, theirs, name="loss")
    for g, t in zip(grads, torch.autograd.grad(theirs, tensors), strict=True):
        assert_close(g, t, name="gradient")


@few
@given(seeds, st.integers(1, 4), st.integers(1, 5), st.floats(0.01, 2))
def test_three_libraries_take_our_steps(book, seed, D, H, lr):
    rng = np.random.default_rng(seed)
    theta = book["initialise"](D, H, rng)
    X, Y = rng.normal(size=(12, D)), np.arange(12.0)[:, None] % 2
    ours = book["descend"](theta, X, Y, lr, 4)[-1]
    for name in ("by_autograd", "by_torch_nn", "by_sklearn"):
        for p, q in zip(ours, book[name](theta, X, Y, lr, 4), strict=True):
            assert_close(p, q, name=name, rtol=1e-8, atol=1e-10)


@few
@given(seeds, st.integers(1, 7))
def test_a_random_boolean_function_is_computed(book, seed, n):
    X = book["all_inputs"](n)
    assert len({*map(tuple, X)}) == 2**n
    expected = np.random.default_rng(seed).choice([-1, 1], size=2**n)
    Ws, bs = book["boolean_network"](X[expected == 1])
    answers = book["forward"](X, Ws, bs, [np.sign] * 2)[-1][:, 0]
    assert (answers == expected).all()


@pytest.mark.parametrize("n", range(1, 11))
def test_counting_gives_parity(book, n):
    X = book["all_inputs"](n)
    Ws, bs = book["parity_by_counting"](n)
    answers = book["forward"](X, Ws, bs, [np.sign] * 2)[-1][:, 0]
    assert (answers == np.where((X > 0).sum(axis=1) % 2, 1, -1)).all()


@few
@given(seeds, st.integers(3, 9))
def test_a_polygon_is_the_and_of_its_sides(book, seed, m):
    rng = np.random.default_rng(seed)
    centre, radius = rng.normal(size=2), rng.uniform(0.1, 2)
    W, b = book["polygon"](m, centre, radius)
    assert_close(centre @ W + b, np.full(m, radius), name="distance of the sides")
    assert_close(np.linalg.norm(W, axis=0), np.ones(m), name="unit normals")


@few
@given(seeds, st.integers(1, 40))
def test_a_staircase_holds_each_centre_and_hats_each_border(book, seed, M):
    c, s = np.random.default_rng(seed).normal(size=2)
    f = lambda x: np.sin(c * x + s)
    centres = -1 + (2 * np.arange(M) + 1) / M
    assert_close(book["follow"](f, M, "step", centres), f(centres), name="centres")
    t = -1 + 2 * np.arange(M + 1) / M
    assert_close(book["follow"](f, M, "ReLU", t), f(t), name="borders", atol=1e-9)
    x = np.linspace(-1, 1, 997)
    assert np.abs(book["follow"](f, M, "step", x) - f(x)).max() <= abs(c) / M + 1e-9
    error = np.abs(book["follow"](f, M, "ReLU", x) - f(x)).max()
    assert error <= c**2 / 2 / M**2 + 1e-9
    for a in (0.3, 2.0):
        error = np.abs(book["follow"](f, M, "logistic", x, a) - f(x)).max()
        assert error <= abs(c) / M * (1 + 2 / np.expm1(a)) + 1e-9


@pytest.mark.parametrize("L", range(1, 9))
def test_the_deep_network_is_the_sawtooth(book, L):
    x = np.random.default_rng(L).uniform(size=200)
    saw = x
    for _ in range(L):
        saw = 1 - np.abs(2 * saw - 1)
    y = book["relu_net"](x, *book["sawtooth_network"](L))
    assert_close(y, saw, name="sawtooth", atol=1e-9)


@few
@given(seeds, st.integers(1, 8))
def test_pieces_are_counted(book, seed, n):
    x = np.linspace(0, 1, 4001)
    rng = np.random.default_rng(seed)
    knots = np.r_[0, np.sort(rng.choice(np.arange(1, 80), n, replace=False)) / 80, 1]
    slopes = np.cumsum(rng.uniform(0.5, 1, n + 1))  # all different
    y = np.interp(x, knots, np.cumsum(np.r_[0, slopes * np.diff(knots)]))
    assert book["pieces"](x, y) == n + 1


@pytest.mark.parametrize("n", [1, 2, 3])
def test_one_unit_computes_what_a_table_says(book, n):
    tables = book["threshold_functions"](n, 2)
    assert tables.shape == ({1: 4, 2: 14, 3: 104}[n], 2**n)
    assert len(tables) <= book["cover"](n)


@few
@given(seeds, st.lists(st.integers(3, 7), min_size=1, max_size=5))
def test_a_union_holds_what_one_of_its_polygons_holds(book, seed, sides):
    rng = np.random.default_rng(seed)
    parts = [book["polygon"](m, rng.normal(size=2), rng.uniform(0.2, 1)) for m in sides]
    X = rng.uniform(-3, 3, size=(300, 2))
    inside = [(X @ W + b > 0).all(axis=1) for W, b in parts]
    answers = book["forward"](X, *book["union"](parts), [np.sign] * 3)[-1][:, 0]
    assert (answers == np.where(np.any(inside, axis=0), 1, -1)).all()


NEED = ("need-check", "need-bound")
HEAD, GRADIENTS = ("crease-check",), ("gradients-check", "gradients-all")
BOOLEAN = ("boolean-run", "boolean-check")
FAULTS = [
    (Fault("gamma * np.minimum", "-gamma * np.minimum", "sign of the leak"), HEAD),
    (Fault("[-0.75, 1.0]", "[0.75, 1.0]", "a sign of the crease"), HEAD),
    (Fault("Z = A[-1] @ W + b", "Z = A[-1] @ W - b", "sign of the bias"),
     ("forward-check",)),
    (Fault("Z = A[-1] @ W + b", "Z = A[-1] @ W + b[0]", "one bias for all"),
     ("forward-check",)),
    (Fault("(A_2 - Y) / len(X)", "(A_2 - Y)", "missing 1/N"), GRADIENTS),
    (Fault("(A_2 - Y) / len(X)", "(Y - A_2) / len(X)", "sign of the error"), GRADIENTS),
    (Fault("(dZ_2 @ W_2.T) * derivative", "(dZ_2 @ W_2.T)", "no derivative"), GRADIENTS),
    (Fault("[dW_1, dZ_1.sum(axis=0)", "[dW_1, dZ_1.mean(axis=0)",
           "a mean over the batch"), GRADIENTS),
    (Fault("dW_2, dZ_2.sum(axis=0)", "dW_2, 0 * dZ_2.sum(axis=0)",
           "no gradient of the last bias"), GRADIENTS),
    (Fault("1 - value**2", "1 - value", "derivative of tanh"), GRADIENTS),
    (Fault("log_softmax(Z, axis=1)", "log_softmax(Z, axis=0)", "softmax over the wrong axis"),
     GRADIENTS),
    (Fault("np.sum((Z - Y) ** 2) / 2 / len(Z)", "np.mean((Z - Y) ** 2) / 2",
           "a mean over the outputs"), GRADIENTS),
    (Fault("p - lr * dp for", "p + lr * dp for", "ascent"),
     ("gradients-check", "train", "libraries-check")),
    (Fault("value.T.copy()", "value.T.copy() * 0.5", "half the weights loaded"),
     ("gradients-check", "train", "libraries-check")),
    (Fault("momentum=0,", "momentum=0.9,", "momentum left on"),
     ("gradients-check", "train", "libraries-check")),
    (Fault("np.full(k, 1 - n)", "np.full(k, 3 - n)", "a lower threshold"), BOOLEAN),
    (Fault("np.full(1, k - 1)", "np.full(1, 1 - k)", "AND for OR"), BOOLEAN),
    (Fault("[ones.T, np.ones((k, 1))]", "[-ones.T, np.ones((k, 1))]", "the opposite"),
     BOOLEAN),
    (Fault("(-1.0) ** (j + 1)", "(1.0) ** (j + 1)", "no turn of signs"),
     ("parity-check",)),
    (Fault("n + 1.0 - 2 * j", "n - 1.0 - 2 * j", "one bit too many"), ("parity-check",)),
    (Fault("return -normals, radius", "return normals, radius", "mirrored"),
     ("polygon-check",)),
    (Fault("np.repeat(np.eye(len(sides)), sides, axis=0)",
           "np.ones((sum(sides), len(sides)))", "each AND reads every side"),
     ("polygon-check",)),
    (Fault("np.array([len(sides) - 1.0])", "np.array([1.0 - len(sides)])",
           "AND of the polygons"), ("polygon-check",)),
    (Fault("b_2 = 1.0 - np.array(sides)", "b_2 = 3.0 - np.array(sides)",
           "one side may fail"), ("polygon-check",)),
    (Fault("{-sums.max() - 1, *(1 - sums)}", "{*(1 - sums)}", "a cut too few"), NEED),
    (Fault("2 * sum(comb", "sum(comb", "half of Cover's count"), NEED),
    (Fault("return n**2 * k + k**2", "return n**2 * k + (k - 1) ** 2", "too few outputs"),
     NEED),
    (Fault("return n**2 * k + k**2", "return n * k + k**2", "2ⁿ tables a unit"), NEED),
    (Fault("        k += 1", "        k += 2", "a width skipped"), NEED),
    (Fault("target(-1 + (2 * np.arange(M) + 1) / M)", "target(-1 + 2 * np.arange(M) / M)",
           "the left ends for the centres"), ("bumps-check", "rates")),
    (Fault("expit(a * M * z)", "expit(a * z)", "steps that do not sharpen"),
     ("bumps-check", "rates")),
    (Fault("np.diff(target(t)) * M / 2", "np.diff(target(t)) * M",
           "slopes twice as steep"), ("bumps-check",)),
    (Fault("[-4.0]", "[-2.0]", "a tent that does not fall"), ("sawtooth-check",)),
    (Fault("[fold @ into] * (r - 1)", "[fold @ into] * r", "a fold too many"),
     ("sawtooth-check",)),
    (Fault("return X + A @ W_2 + b_2", "return A @ W_2 + b_2", "no residual"),
     ("now-check",)),
    (Fault("X.mean(axis=-1, keepdims=True)", "X.mean(axis=0)", "means of the columns"),
     ("now-check",)),
    (Fault("tree.fit(X, y - Y_hat)", "tree.fit(X, y)", "the target again"),
     ("tables-boost-check",)),
    (Fault("* s[:, None] + b[:, None]", "* s[:, None]", "no bias of the members"),
     ("tables-tabm-check",)),
]  # fmt: skip
CELLS = {cell.id[3:]: cell for cell in chapter.cells}


@pytest.mark.parametrize(("fault", "ids"), FAULTS, ids=[str(f) for f, _ in FAULTS])
def test_checks_catch(fault, ids):
    """Only the definitions and the checks concerned run: the whole page would take long."""
    defined = [c for c in chapter.cells if kind(c) in {"setup", "define"}]
    if NEED != ids:
        defined.remove(CELLS["need"])  # counts for a while
    assert sum(c.source.count(fault.find) for c in defined) == 1
    fine = {"FINE": np.linspace(-1, 1, 4001), "SINE": lambda x: np.sin(np.pi * x)}
    scope = {"__name__": "faulty", **fine}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in defined:
            exec(cell.source.replace(fault.find, fault.put), scope)
        with pytest.raises((AssertionError, ValueError)):
            for name in ids:
                exec(CELLS[name].source, scope)


def benchmarks(scope):
    """A step of the network with 13 parameters, and one with 3,009."""
    for D, H in ((2, 3), (64, 45)):
        rng = np.random.default_rng(0)
        theta = scope["initialise"](D, H, rng)
        X, Y = rng.normal(size=(1024, D)), np.arange(1024.0)[:, None] % 2
        more = X, Y, 0.1, 1
        name = f"a step with {sum(p.size for p in theta):,} parameters"
        yield (
            name,
            lambda t=theta, m=more: scope["descend"](t, *m),
            lambda t=theta, m=more: scope["by_autograd"](t, *m),
        )


def test_scikit_learn_finds_nothing_with_one_unit(book):
    X, Y = book["clouds"](40, np.random.default_rng(5))
    for curve, seed in product(("logistic", "relu", "tanh"), range(3)):
        net = MLPClassifier((1,), activation=curve, solver="lbfgs", random_state=seed)
        assert net.fit(X, Y[:, 0]).score(X, Y[:, 0]) < 0.8


def test_test_digits_are_not_the_training_digits():
    """With labels by chance the network can learn its training digits and no others."""
    scope = dict(chapter.namespace())
    chapter.define("07-digits-run", scope, "digits")
    chapter.run("07-features", scope)
    scope["digits"].y[:] = np.random.default_rng(9).integers(
        2, size=len(scope["digits"].y)
    )
    validation, test = scope["odd_or_even"](256, True, 0.01, 0)
    assert max(abs(validation - 0.5), abs(test - 0.5)) < 0.13


FOUR = np.array([[0.0, 0.0], [0.1, 1.0], [1.0, 0.0], [1.2, 1.1]])  # no three on a line


def test_cover_counts_three_and_four_points_in_the_plane():
    """The 8 of 8 and 14 of 16 of the page, by cutting with many random lines."""
    rng = np.random.default_rng(10)
    W, b = rng.normal(size=(2, 20_000)), 2 * rng.normal(size=20_000)
    for X, expected in ((np.eye(3)[:, :2], 8), (FOUR, 14)):
        assert len(np.unique(X @ W + b > 0, axis=1).T) == expected


def test_cubes_for_an_error_of_a_tenth():
    """10, 225 and more than 10¹⁵ cubes: √D/M is at most 1/10, and with one cell less not."""
    M = {D: next(m for m in range(1, 99) if 100 * D <= m * m) for D in (1, 2, 10)}
    assert (M[1], M[2] ** 2) == (10, 225) and M[10] ** 10 > 10**15
