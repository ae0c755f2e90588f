"""The optimisers of chapter 10 on inputs the page does not use, and faults to be caught."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.chapter_code import ChapterCode, Fault, assert_near, catches

chapter = ChapterCode("10_optimization")
seeds = st.integers(0, 2**32 - 1)
rates = st.floats(1e-3, 0.3)
kept = st.floats(0.0, 0.99)


def torch_path(H, w0, steps, name, **settings):
    w = torch.tensor(w0, requires_grad=True)
    optimiser = getattr(torch.optim, name)([w], **settings)
    path = [w.detach().clone().numpy()]
    for _ in range(steps):
        optimiser.zero_grad()
        (w @ torch.tensor(H) @ w / 2 + torch.cos(w).sum()).backward()
        optimiser.step()
        path.append(w.detach().clone().numpy())
    return np.stack(path)


@pytest.mark.parametrize(
    ("rule", "theirs", "translate"),
    [
        ("gd", "SGD", lambda m: ({}, {})),
        ("heavy_ball", "SGD", lambda m: ({"momentum": m}, {"momentum": m})),
        (
            "nesterov",
            "SGD",
            lambda m: ({"momentum": m}, {"momentum": m, "nesterov": True}),
        ),
        ("adagrad", "Adagrad", lambda m: ({"eps": 1e-7}, {"eps": 1e-7})),
        ("rmsprop", "RMSprop", lambda m: ({"gamma": m}, {"alpha": m})),
        ("adadelta", "Adadelta", lambda m: ({"gamma": m}, {"rho": m})),
        ("adam", "Adam", lambda m: ({"beta1": m, "beta2": 0.98}, {"betas": (m, 0.98)})),
    ],
)
@settings(max_examples=20, deadline=None)
@given(seed=seeds, D=st.integers(1, 6), lr=rates, m=st.floats(0.01, 0.95))
def test_every_rule_walks_as_torch_does(book, rule, theirs, translate, seed, D, lr, m):
    rng = np.random.default_rng(seed)
    A, w0 = rng.normal(size=(D, D)), rng.normal(size=D) * 2
    H = A @ A.T / D
    ours, other = translate(m)
    grad = lambda w: H @ w - np.sin(w)
    path = book["descend"](grad, w0, book[rule], 12, lr=lr, **ours)
    expected = torch_path(H, w0, 12, theirs, lr=lr, **other)
    assert_near(path, expected, rtol=1e-7, atol=1e-9)


@given(seed=seeds, D=st.integers(1, 5), lr=rates)
def test_descent_on_a_quadratic_follows_its_eigenvalues(book, seed, D, lr):
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.normal(size=(D, D)))
    lam, w0 = rng.uniform(0.1, 5, D), rng.normal(size=D)
    path = book["descend"](lambda w: Q @ (lam * (Q.T @ w)), w0, book["gd"], 9, lr=lr)
    np.testing.assert_allclose(
        path[9], Q @ ((1 - lr * lam) ** 9 * (Q.T @ w0)), atol=1e-10
    )


@given(lam=st.floats(0.01, 50), lr=st.floats(1e-3, 2), momentum=kept)
def test_momentum_factor_is_the_spectral_radius(book, lam, lr, momentum):
    M = np.array([[1 + momentum - lr * lam, -momentum], [1, 0]])
    expected = np.abs(np.linalg.eigvals(M)).max()
    got = book["momentum_factor"](lam, lr, momentum)
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-7)


@given(low=st.floats(0.01, 1), kappa=st.floats(1.5, 500), lr=st.floats(1e-3, 4), m=kept)
def test_no_momentum_beats_the_best_one(book, low, kappa, lr, m):
    factor = book["momentum_factor"]
    worst = max(factor(low, lr / low, m), factor(low * kappa, lr / low, m))
    assert worst >= (np.sqrt(kappa) - 1) / (np.sqrt(kappa) + 1) - 1e-9


@given(
    x=hnp.arrays(float, st.integers(1, 40), elements=st.floats(-100, 100)),
    gamma=st.floats(0, 0.99),
    correct=st.booleans(),
)
def test_moving_average_is_its_weighted_sum(book, x, gamma, correct):
    averages = book["ewma"](x, gamma, correct)
    weights = gamma ** np.arange(len(x))[::-1]
    expected = weights @ x * (1 / weights.sum() if correct else 1 - gamma)
    np.testing.assert_allclose(averages[-1], expected, rtol=1e-7, atol=1e-7)
    if correct:
        assert x.min() - 1e-6 <= averages.min() and averages.max() <= x.max() + 1e-6


@given(N=st.integers(1, 60), batch_size=st.integers(1, 70), seed=seeds)
def test_an_epoch_visits_every_example_once(book, N, batch_size, seed):
    batches = book["minibatches"](N, batch_size, np.random.default_rng(seed))
    assert sorted(np.concatenate(batches)) == list(range(N))
    assert (
        all(len(b) == batch_size for b in batches[:-1])
        and 1 <= len(batches[-1]) <= batch_size
    )


@given(seed=seeds, N=st.integers(1, 9), D=st.integers(1, 6))
def test_example_gradients_are_those_of_autograd(book, seed, N, D):
    rng = np.random.default_rng(seed)
    X, y, w = rng.normal(size=(N, D)), rng.normal(size=N), rng.normal(size=D)
    one = lambda w, x, y: (x @ w - y) ** 2 / 2
    wanted = [
        torch.func.grad(one)(*map(torch.tensor, (w, x_i, y_i)))
        for x_i, y_i in zip(X, y, strict=True)
    ]
    got = book["example_gradients"](w, X, y)
    assert_near(got, torch.stack(wanted), atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(seed=seeds, N=st.integers(1, 7), sizes=st.tuples(*[st.integers(2, 6)] * 3))
def test_network_gradients_are_those_of_autograd(book, seed, N, sizes):
    rng = np.random.default_rng(seed)
    params = {
        k: v + rng.normal(size=v.shape)
        for k, v in book["init_network"](rng, *sizes).items()
    }
    X, y = rng.normal(size=(N, sizes[0])), rng.integers(0, sizes[2], N)
    L, grads = book["loss_and_gradients"](params, X, y)
    t = {k: torch.tensor(v, requires_grad=True) for k, v in params.items()}
    Z = torch.tanh(torch.tensor(X) @ t["W1"] + t["b1"]) @ t["W2"] + t["b2"]
    loss = torch.nn.functional.cross_entropy(Z, torch.tensor(y))
    loss.backward()
    np.testing.assert_allclose(L, loss.item(), rtol=1e-10)
    wanted = [t[k].grad for k in params]
    assert_near([grads[k] for k in params], wanted, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize(
    "ground", ["narrow bowl", "curved valley", "saddle", "many minima", "turned bowl"]
)
@given(w=hnp.arrays(float, 2, elements=st.floats(-3, 3)))
def test_the_slopes_of_the_landscapes_are_those_of_their_heights(book, ground, w):
    height, grad, *_ = book["GROUNDS"][ground]
    h = 1e-5
    for i, e in enumerate(np.eye(2) * h):
        slope = (height(*(w + e)) - height(*(w - e))) / (2 * h)
        np.testing.assert_allclose(grad(w)[i], slope, rtol=1e-5, atol=1e-5)


@settings(max_examples=5, deadline=None)
@given(seed=seeds, lr=st.floats(0.01, 0.1))
def test_many_walkers_at_once_walk_as_each_alone(book, seed, lr):
    starts = np.random.default_rng(seed).uniform(-2, 2, (4, 3, 2))
    for ground, name in product(book["GROUNDS"], book["RULES"]):
        together = book["race"](ground, name, starts, lr=lr)
        alone = book["race"](ground, name, starts[2, 1], lr=lr)
        np.testing.assert_allclose(together[:, 2, 1], alone, rtol=1e-6, atol=1e-6)


@given(seed=seeds, lr=st.floats(0.01, 1), s=st.floats(0.1, 3))
def test_noisy_walks_follow_their_recursion(book, seed, lr, s):
    noise = np.random.default_rng(seed).normal(0, s, (4, 3, 2))
    e = np.full((3, 2), 1.5)
    for xi in noise:
        e = e - lr * (e + xi)
    errors = book["noisy_walks"](noise, 1.5, np.full(4, lr))
    assert errors.shape == (5, 3)
    np.testing.assert_allclose(errors[-1], (e**2).sum(1), rtol=1e-9)


@given(lam=st.floats(0.01, 50), lr=st.floats(1e-3, 2), momentum=kept)
def test_nesterov_factor_is_the_spectral_radius(book, lam, lr, momentum):
    left = 1 - lr * lam
    A = np.array([[left * (1 + momentum), -left * momentum], [1, 0]])
    expected = np.abs(np.linalg.eigvals(A)).max()
    got = book["nesterov_factor"](lam, lr, momentum)
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    ("step", "theirs"), [("adam_with_penalty", "Adam"), ("adamw", "AdamW")]
)
@settings(max_examples=15, deadline=None)
@given(seed=seeds, lr=st.floats(1e-4, 0.1), decay=st.floats(0, 1))
def test_weight_decay_with_adam_is_torchs(book, step, theirs, seed, lr, decay):
    rng, memory = np.random.default_rng(seed), {}
    w = rng.normal(size=4)
    w_t = torch.tensor(w, requires_grad=True)
    optimiser = getattr(torch.optim, theirs)([w_t], lr=lr, weight_decay=decay)
    for _ in range(7):
        g = rng.normal(size=4)
        w = book[step](w, g, memory, lr=lr, decay=decay)
        w_t.grad = torch.tensor(g)
        optimiser.step()
    assert_near(w, w_t, atol=1e-11)


def test_warm_up_rises_and_falls(book):
    factors = [book["warm_up"](t, 50, 10) for t in range(51)]
    assert np.argmax(factors) in (9, 10) and factors[9] == factors[10] == 1
    assert (np.diff(factors[:10]) > 0).all() and (np.diff(factors[10:]) < 0).all()
    assert abs(factors[50]) < 1e-12


@given(steps=st.integers(1, 6), warm=st.integers(0, 6))
def test_a_warm_up_to_the_end_has_no_cosine(book, steps, warm):
    factors = [book["warm_up"](t, steps, min(warm, steps)) for t in range(steps + 1)]
    assert np.isfinite(factors).all() and max(factors) <= 1
    if warm >= steps:
        assert factors == [(t + 1) / steps for t in range(steps)] + [1.0]


FAULTS = [
    Fault("g + decay * w", "g - decay * w", "sign of the penalty in Adam"),
    Fault("(1 - lr * decay) * w", "(1 - decay) * w", "no learning rate in AdamW"),
    Fault("(1 + np.cos(np.pi * (t", "(1 - np.cos(np.pi * (t", "the cosine upside down"),
    Fault("(t + 1) / warm", "t / warm", "a first step of zero"),
    Fault("return BOWL * w", "return -BOWL * w", "sign of the gradient"),
    Fault("return -lr * g  # eq-10-gd", "return lr * g", "ascent instead of descent"),
    Fault(
        "(X @ w - y)[:, None] * X",
        "2 * (X @ w - y)[:, None] * X",
        "factor 2 in the slopes",
    ),
    Fault(
        "order[i : i + batch_size]",
        "order[i : i + batch_size - 1]",
        "an example lost a batch",
    ),
    Fault(
        "e = (1 - lr * pull) * e - lr * xi",
        "e = (1 - lr * pull) * e - xi",
        "noise without its rate",
    ),
    Fault(
        "average = gamma * average + (1 - gamma) * x_t",
        "average = gamma * average + x_t",
        "average without 1 − γ",
    ),
    Fault(
        "average / (1 - gamma**t) if",
        "average / (1 - gamma ** (t + 1)) if",
        "correction off by one step",
    ),
    Fault(
        'momentum * memory.get("v", 0.0) + lr * g  # eq-10-momentum',
        'momentum * memory.get("v", 0.0) + (1 - momentum) * lr * g',
        "momentum as a plain average",
    ),
    Fault("trace**2 - 4 * product", "trace**2 - product", "wrong constant in the root"),
    Fault("left * (1 + momentum)", "left * (2 + momentum)", "wrong trace for Nesterov"),
    Fault(
        "rate = lr * schedule(len(losses) / steps)",
        "rate = lr",
        "a schedule without effect",
    ),
    Fault(
        "return -(lr * g + momentum *",
        "return -(momentum *",
        "Nesterov without its gradient",
    ),
    Fault(
        "np.sqrt(s + eps) if inside", "np.sqrt(s) + eps if inside", "ε outside the root"
    ),
    Fault(
        'memory.get("s", 0.0) + g * g',
        'memory.get("s", 0.0) + 2 * g * g',
        "AdaGrad with a factor 2",
    ),
    Fault(
        "(1 - gamma) * g * g\n    return -lr * g / root",
        "g * g\n    return -lr * g / root",
        "RMSProp without 1 − γ",
    ),
    Fault(
        "np.sqrt((d + eps) / (s + eps))",
        "np.sqrt((d + eps) / s)",
        "AdaDelta without an ε",
    ),
    Fault("s / (1 - beta2**t)", "s / (1 - beta1**t)", "β₁ in the place of β₂"),
    Fault("4 * bend], axis", "2 * bend], axis", "half a slope of the valley"),
    Fault("dZ = dZ / len(y)", "dZ = dZ / 1", "missing 1/N"),
    Fault(
        'dZ @ params["W2"].T * (1 - A**2)',
        'dZ @ params["W2"].T * (1 - A)',
        "tanh's derivative",
    ),
    Fault(
        '"b1": dZ1.sum(0)', '"b1": dZ1.mean(0)', "mean instead of sum over the batch"
    ),
    Fault("A.T @ dZ\n", "A.T @ -dZ\n", "the last layer climbs"),
    Fault(
        "rule(g, memory[k], lr=rate", "rule(g, memory[k], lr=lr", "the schedule unused"
    ),
    Fault("- 1.9 * w1 * w2", "- 1.8 * w1 * w2", "a turned bowl that is too wide"),
    Fault(
        'starts["narrow bowl"] @ TURN.T', 'starts["narrow bowl"]', "starts not turned"
    ),
    Fault("np.clip(w, -8, 8)", "np.clip(w, -2, 2)", "a fence too near"),
    Fault("path[31:], -1, 0", "path[:31], -1, 0", "the early heights"),
    Fault("(axis=1).argmin()\n", "(axis=1).argmax()\n", "the worst rate taken"),
    Fault("one[0].max())", "-one[0].max())", "the worst memory taken"),
]

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """A step on a hundred thousand parameters."""
    g = np.random.default_rng(0).normal(size=100_000)
    for name, (rule, hyper, theirs, more) in scope["RULES"].items():
        w = torch.zeros(100_000, dtype=torch.float64)
        w.grad = torch.tensor(g)
        step = getattr(torch.optim, theirs)([w], **hyper, **more).step
        yield name, lambda f=rule, h=hyper, m={}: f(g, m, **h), step
