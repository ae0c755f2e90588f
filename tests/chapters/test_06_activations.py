"""The functions of chapter 6 on inputs the page does not use, and its checks put to the test."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import special

from tests.chapter_code import ChapterCode, Fault, assert_near, autograd, catches
from utils.alive.formula import parse

chapter = ChapterCode("06_activations")
numbers = arrays(
    np.float64,
    array_shapes(max_dims=3, max_side=5),
    elements=st.floats(-1e3, 1e3, width=64),
)
sizes = st.integers(1, 6)


THEIRS = {
    "logistic": torch.sigmoid,
    "tanh": torch.tanh,
    "relu": torch.relu,
    "leaky_relu": F.leaky_relu,
    "elu": F.elu,
    "softplus": lambda z: F.softplus(z, threshold=40),
    "swish": F.silu,
    "gelu": F.gelu,
}


@pytest.mark.parametrize("name", THEIRS)
@settings(deadline=None)
@given(z=numbers)
def test_value_and_slope_equal_torch(book, name, z):
    value, (slope,) = autograd(THEIRS[name], z)
    assert_near(book[name](z), (value, slope), rtol=1e-10, atol=1e-12)


@settings(deadline=None)
@given(z=numbers, gamma=st.floats(-2, 2), beta=st.floats(-3, 3))
def test_the_curves_own_parameters(book, z, gamma, beta):
    for name, theta, curve in (
        ("prelu", gamma, lambda z, g: torch.where(z > 0, z, g * z)),
        ("swish_learned", beta, lambda z, b: z * torch.sigmoid(b * z)),
    ):
        value, slopes = autograd(curve, z, np.full_like(z, theta))
        assert_near(book[name](z, theta), (value, *slopes))


@settings(deadline=None)
@given(z=numbers)
def test_identities_and_bounds(book, z):
    s, slope = book["logistic"](z)
    np.testing.assert_allclose(s, special.expit(z), rtol=1e-13, atol=1e-300)
    assert ((slope >= 0) & (slope <= 0.25)).all()
    assert (np.abs(book["tanh"](z)[0]) <= 1).all()
    assert (np.abs(book["swish"](z)[1] - 0.5) <= 0.6).all()
    gap = book["softplus"](z)[0] - book["relu"](z)[0]
    assert ((gap >= 0) & (gap <= np.log(2) + 1e-15)).all()


@settings(deadline=None)
@given(N=sizes, D=sizes, K=sizes, H=sizes, seed=st.integers(0, 2**32 - 1))
def test_maxout_equals_torch(book, N, D, K, H, seed):
    rng = np.random.default_rng(seed)
    X, W, b = (rng.normal(size=shape) for shape in ((N, D), (K, D, H), (K, H)))
    dA = rng.normal(size=(N, H))
    theirs = lambda X, W, b: (torch.einsum("nd,kdh->nkh", X, W) + b).amax(dim=1)
    desired, gradients = autograd(theirs, X, W, b, upstream=dA)
    A, winner = book["maxout"](X, W, b)
    assert_near(A, desired, rtol=1e-12, atol=1e-12)
    ours = book["maxout_backward"](dA, X, W, winner)
    assert_near([ours[key] for key in "XWb"], gradients, rtol=1e-10, atol=1e-12)


@settings(deadline=None)
@given(N=sizes, D=sizes, H=sizes, seed=st.integers(0, 2**32 - 1))
def test_network_equals_torch(book, N, D, H, seed):
    rng = np.random.default_rng(seed)
    P = book["init"](D, H, rng)
    P = {k: p + rng.normal(size=p.shape) for k, p in P.items()}
    X, y = rng.normal(size=(N, D)), rng.integers(0, 2, size=N) * 1.0
    loss, grads = book["loss_and_grads"](P, X, y, book["gelu"])
    net = book["torch_network"](P, torch.nn.GELU())
    theirs = F.binary_cross_entropy_with_logits(net(torch.tensor(X)), torch.tensor(y))
    theirs.backward()
    # PyTorch subtracts numbers near 1: a tiny loss keeps no more than its 16th digit
    np.testing.assert_allclose(loss, theirs.item(), rtol=1e-10, atol=1e-12)
    ours = grads["W"].T, grads["b"], grads["v"][None], grads["c"]
    assert_near(ours, [p.grad for p in net.parameters()], rtol=1e-8, atol=1e-12)


@settings(deadline=None)
@given(seed=st.integers(0, 2**32 - 1), t=st.floats(0, 1))
def test_maxout_is_convex_and_contains_relu_and_the_absolute_value(book, seed, t):
    rng = np.random.default_rng(seed)
    W, b, (x, y) = (
        rng.normal(size=(4, 5, 3)),
        rng.normal(size=(4, 3)),
        rng.normal(size=(2, 6, 5)),
    )
    f = lambda X: book["maxout"](X, W, b)[0]
    assert (f(t * x + (1 - t) * y) <= t * f(x) + (1 - t) * f(y) + 1e-12).all()
    z = rng.normal(size=(9, 1))
    for low, desired in ((0.0, np.maximum(z, 0)), (-1.0, np.abs(z))):
        pieces = np.array([low, 1.0]).reshape(2, 1, 1)
        A = book["maxout"](z, pieces, np.zeros((2, 1)))[0]
        np.testing.assert_array_equal(A, desired)


def test_weights_and_slopes_are_less_related_in_a_wide_layer(book):
    """What is passed on in a layer, over χ: step (a) of eq-06-chi is an approximation."""
    passed = {}
    for D in (16, 96):
        correlations = [
            book["through_layers"](book["logistic"], 11, seed=k, D=D) for k in range(6)
        ]
        passed[D] = np.mean(
            [
                np.log(sizes[-1] / np.prod(book["chi"](11, slopes))) / 30
                for sizes, _, slopes in correlations
            ]
        )
    assert passed[16] < np.log(0.96) and abs(passed[96]) < 0.02


def test_an_epoch_takes_each_batch_once(book):
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(7, 4)), rng.integers(0, 2, size=7) * 1.0
    start = {
        k: p + 0.1 * rng.normal(size=p.shape)
        for k, p in book["init"](4, 3, rng).items()
    }
    trained, _ = book["train"](
        start,
        X,
        y,
        book["tanh"],
        book["Descent"](0.3),
        epochs=1,
        batch=3,
        rng=np.random.default_rng(8),
    )
    order, P = np.random.default_rng(8).permutation(7), start
    for rows in (order[:3], order[3:6]):  # the seventh waits for the next epoch
        _, grads = book["loss_and_grads"](P, X[rows], y[rows], book["tanh"])
        P = {k: P[k] - 0.3 * grads[k] for k in P}
    for key in P:
        np.testing.assert_allclose(trained[key], P[key], rtol=1e-12)


def test_weights_start_with_the_variance_that_the_chapter_says(book):
    P = book["init"](64, 900, np.random.default_rng(1))
    spread = 4 / np.sqrt(2)  # four standard errors of a standard deviation, by √n
    assert abs(P["W"].std() / np.sqrt(2 / 64) - 1) < spread / np.sqrt(P["W"].size)
    assert abs(P["v"].std() / np.sqrt(1 / 900) - 1) < spread / np.sqrt(P["v"].size)
    deep = book["deep_init"](4.0, 64, 90, 6, np.random.default_rng(2))
    weights = [deep[f"W{l}"] for l in range(1, 7)]
    assert [W.shape for W in weights] == [(64, 90)] + 5 * [(90, 90)]
    assert deep["v"].shape == (90,) and abs(deep["v"].std() * np.sqrt(90) - 1) < 0.3
    for W in weights:
        scale = W.std() * np.sqrt(len(W)) / 4
        assert abs(scale - 1) < spread / np.sqrt(W.size)


def test_training_lowers_the_loss(book):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 4))
    y = (X[:, 0] * X[:, 1] > 0) * 1.0
    P = book["init"](4, 16, rng)
    trained, losses = book["train"](
        P, X, y, book["relu"], book["Descent"](0.5), epochs=100, batch=30, rng=rng
    )
    out = book["scores"](trained, X, book["relu"])[0]
    assert losses[-1] < 0.3 < losses[0] and book["accuracy"](out, y) > 0.9


@settings(max_examples=15, deadline=None)
@given(N=sizes, more=st.integers(0, 9), seed=st.integers(0, 2**32 - 1))
def test_a_batch_larger_than_the_data_is_all_of_them(book, N, more, seed):
    rng = np.random.default_rng(seed)
    P, X, y = (
        book["init"](3, 4, rng),
        rng.normal(size=(N, 3)),
        rng.integers(0, 2, N) * 1.0,
    )
    options = {"epochs": 2, "batch": N + more, "rng": rng}
    trained, losses = book["train"](
        P, X, y, book["tanh"], book["Descent"](0.3), **options
    )
    for loss in losses:
        value, grads = book["loss_and_grads"](P, X, y, book["tanh"])
        P = {k: P[k] - 0.3 * grads[k] for k in P}
        assert_near(loss, value)
    assert len(losses) == 2
    assert_near([trained[k] for k in P], [P[k] for k in P])


@pytest.mark.parametrize(
    ("text", "name"),
    [("x*sigmoid(x)", "swish"), ("tanh(x)", "tanh"), ("max(x, 0.01*x)", "leaky_relu"),
     ("x*(1+erf(x/sqrt(2)))/2", "gelu"), ("log(1+exp(x))", "softplus")],
)  # fmt: skip
def test_a_typed_function_is_the_chapters(book, text, name):
    outputs = book["own_outputs"](parse(text), -1.5, 1.0)
    z = np.append(book["Z_OWN"], -1.5)
    for values, ours in zip((0, 1), book[name](z), strict=True):
        typed = outputs[("value", "slope")[values]].numpy(force=True)
        away = np.abs(z[:-1]) > 0  # at a corner code may choose
        assert_near(typed[away], ours[:-1][away], rtol=1e-10, atol=1e-12)
        assert_near(outputs["here"][values], ours[-1], rtol=1e-10)


def test_layers_of_a_typed_function_are_those_of_eq_06_delta(book):
    layers = {k: v.double() for k, v in book["THIRTY"].items()}
    forward, back = book["signals"](parse("x"), 1.1, **layers)
    Z, dA = layers["X"].detach().numpy(), layers["dA"].numpy()
    rms = lambda values: np.sqrt(np.mean(values**2))
    product = 1.1**30 * np.linalg.multi_dot(layers["W"].numpy())
    assert_near(forward[-1], rms(Z @ product), rtol=1e-9)
    assert_near(back[-1], rms(dA @ product.T) / rms(dA), rtol=1e-9)


def test_what_no_layer_can_use_gets_a_sentence(book):
    outputs = lambda text, s=1.0: book["own_outputs"](parse(text), 1.0, s)
    with pytest.raises(ValueError, match=r"log.x. is nan or infinite at x = −5"):
        outputs("log(x)")
    with pytest.raises(ValueError, match=r"no derivative of sqrt.0.x. at any x"):
        outputs("sqrt(0*x)")
    constant = outputs("3")
    assert constant["gradient"][1:].eq(-300).all() and constant["signal"][-1] > 0
    squares = outputs("x^2")
    assert squares["reached"][0] < 30 and squares["reached"][1] == 0
    assert squares["signal"].isfinite().all() and not squares["gradient"].any()
    assert outputs("x/(1+exp(-x))", 2.0)["reached"][1] < 31  # nan, as in PyTorch


FAULTS = [
    Fault(
        "A[-1] @ (s * weights)", "A[-1] @ weights", "scale left out of thirty layers"
    ),
    Fault("grad(A[-1], A, dA)[::-1]", "grad(A[-1], A, dA)", "gradients from below"),
    Fault("dG = dH * U * slope", "dG = dH * U", "SiLU's slope left out"),
    Fault("dU = dH * gate", "dU = dH * slope", "the gate's slope for the gate"),
    Fault("dG @ W_g.T + dU @ W_u.T", "dG @ W_g.T", "one way back of two"),
    Fault("np.zeros_like(z)", "np.ones_like(z)", "slope of the step"),
    Fault(
        "np.maximum(z, 0), (z > 0)",
        "np.maximum(z, 0), (z < 0)",
        "ReLU's slope on the wrong side",
    ),
    Fault("value * (1 - value)", "value * (1 + value)", "sign in the logistic slope"),
    Fault(
        "np.where(z >= 0, 1, e)",
        "np.where(z <= 0, 1, e)",
        "branches of the stable logistic",
    ),
    Fault("2 * logistic(2 * z)[0] - 1", "2 * logistic(z)[0] - 1", "factor inside tanh"),
    Fault("1 - t**2", "1 - t", "missing square in tanh'"),
    Fault(
        "np.where(z > 0, 1, gamma)",
        "np.where(z <= 0, 1, gamma)",
        "leak on the wrong side",
    ),
    Fault("low + alpha)", "low)", "missing term in ELU'"),
    Fault(
        "np.log1p(np.exp(-np.abs(z)))",
        "np.log1p(np.exp(-np.abs(2 * z)))",
        "factor in softplus",
    ),
    Fault(
        "return value, logistic(z)[0]",
        "return value, logistic(z)[1]",
        "slope of softplus",
    ),
    Fault("gate + beta * z * dgate", "gate + z * dgate", "missing β in swish'"),
    Fault("gate + z * density", "gate + density", "missing z in GELU'"),
    Fault("np.sqrt(2 * np.pi)", "np.sqrt(np.pi)", "constant of the normal density"),
    Fault("(dA * slope) @ W.T", "dA @ W.T", "missing slope on the way back"),
    Fault(
        "-softplus(-z)[0], logistic(-z)", "-softplus(z)[0], logistic(-z)", "log-sigmoid"
    ),
    Fault("logistic(-z)[0]  # eq", "logistic(z)[0]  # eq", "log-sigmoid's derivative"),
    Fault(
        "dA * slopes[l - 1]  # eq-06-backward",
        "dA * 1.0",
        "missing slope in the deep network",
    ),
    Fault("(1 - self.beta1) * g\n", "self.beta1 * g\n", "weights of Adam's mean"),
    Fault(
        "(1 - self.beta2) * g**2",
        "(1 - self.beta2) * np.abs(g)",
        "Adam without the square",
    ),
    Fault(
        "square = self.square[k] / (1 - self.beta2**self.t)",
        "square = self.square[k]",
        "Adam without its bias correction",
    ),
    Fault("s * np.sqrt(np.mean(slopes", "s * (np.mean(slopes", "missing root in χ"),
    Fault("return s * np.sqrt(", "return np.sqrt(", "missing scale in χ"),
    Fault("[1.0, v2, 1.0]", "[1.0, v2, v2]", "weights of the three units"),
    Fault(
        "(logistic(out)[0] - y) / len(y)",
        "logistic(out)[0] - y",
        "missing 1/N",
    ),
    Fault("[0] - y * out), (", "[0] + y * out), (", "sign in the loss"),
    Fault(
        '{"v": A.T @ do, "c": do.sum(keepdims=True)}',
        '{"v": A.T @ do, "c": do.mean(keepdims=True)}',
        "mean for sum in the deep output's bias",
    ),
    Fault(
        'grads[f"b{l}"] = dZ.sum(axis=0)',
        'grads[f"b{l}"] = dZ.mean(axis=0)',
        "mean for sum in the deep biases",
    ),
    Fault(
        'np.outer(do, P["v"])  # (N, H)',
        'np.outer(do, P["v"] ** 2)  # (N, H)',
        "gradient of the hidden layer",
    ),
    Fault('{"W": X.T @ dZ,', '{"W": X.T @ dA,', "activation left out on the way back"),
    Fault('"b": dZ.sum(axis=0)}', '"b": dZ.mean(axis=0)}', "mean for sum in db"),
    Fault("(dA * by_theta).sum(axis=0)", "(dA * by_theta).mean(axis=0)", "mean in dθ"),
    Fault(
        "P[k] - self.lr * grads[k] for",
        "P[k] - self.lr * np.sign(grads[k]) for",
        "only signs in the step",
    ),
    Fault(
        "np.minimum(z, 0)  # eq-06-own",
        "np.maximum(z, 0)  # eq-06-own",
        "∂PReLU/∂γ on the right",
    ),
    Fault(
        "z**2 * logistic(beta * z)[1]",
        "z * logistic(beta * z)[1]",
        "missing z in ∂swish/∂β",
    ),
    Fault(
        "Z.max(axis=1), Z.argmax",
        "Z.max(axis=1), Z.argmin",
        "the loser gets the gradient",
    ),
    Fault(
        "won * dA[:, None, :]",
        "(1 - won) * dA[:, None, :]",
        "losers share the gradient",
    ),
    Fault(
        'torch.tensor(P["W"].T)',
        '-torch.tensor(P["W"].T)',
        "sign of the copied weights",
    ),
]

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """Value and slope, against value and backward pass, on (512, 512)."""
    Z = np.random.default_rng(0).normal(size=(512, 512))
    Z_t = torch.tensor(Z, requires_grad=True)
    ones = torch.ones_like(Z_t)
    for name, theirs in scope["TORCH"].items():
        ours = scope["ACTIVATIONS"][name]
        yield (
            name,
            lambda f=ours: f(Z),
            lambda f=theirs: torch.autograd.grad(f(Z_t), Z_t, ones),
        )
