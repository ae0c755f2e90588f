"""The optimisers of chapter 10 on inputs the page does not use, and faults to be caught."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.chapter_code import ChapterCode, Fault, assert_near, catches

# The faults leave out what needs the file of the grid, or trains for long.
LONG = r"10-warm-stored|grid10fi|ratespan|grid10ok|sched10r|batchchk|batchch1|10-exp-breaks"
chapter = ChapterCode("10_optimization", without=LONG)
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


@given(angle=st.floats(0, 90), w=hnp.arrays(float, 2, elements=st.floats(-3, 3)))
def test_the_turned_bowl_is_the_bowl_seen_from_turned_axes(book, angle, w):
    Q = book["turn_by"](angle)
    turned, straight = book["turned_height"](Q @ w, angle), book["bowl"](*w)
    np.testing.assert_allclose(turned, straight, rtol=1e-9, atol=1e-9)
    H = book["turned_hessian"](angle)
    np.testing.assert_allclose(np.linalg.eigvalsh(H), [0.2, 4], rtol=1e-9)


@settings(max_examples=5, deadline=None)
@given(seed=seeds, lr=st.floats(0.01, 0.1), angle=st.floats(0, 45))
def test_many_iterates_at_once_walk_as_each_alone(book, seed, lr, angle):
    starts = np.random.default_rng(seed).uniform(-2, 2, (4, 3, 2))
    for name in book["RULES"]:
        together = book["turned_path"](name, angle, starts, lr=lr)
        alone = book["turned_path"](name, angle, starts[2, 1], lr=lr)
        # Near the minimum a rule that divides by the gradient's size enlarges the last bit.
        first = together[:20, 2, 1]
        np.testing.assert_allclose(first, alone[:20], rtol=1e-6, atol=1e-6)


@given(angle=st.floats(1, 44), p=st.floats(0.05, 20), q=st.floats(0.05, 20))
def test_no_two_numbers_divide_better(book, angle, p, q):
    H = book["turned_hessian"](angle)
    kappa = np.linalg.cond(H * np.outer([p, q], [p, q]))
    assert kappa >= book["best_condition"](angle) * (1 - 1e-9)


@given(seed=seeds, p=st.sampled_from([1.5, 2.0, 3.0, 8.0, np.inf]), D=st.integers(1, 5))
def test_no_step_of_length_one_is_steeper(book, seed, p, D):
    rng = np.random.default_rng(seed)
    g, others = rng.normal(size=D), rng.normal(size=(50, D))
    step = book["steepest_step"](g, p)
    np.testing.assert_allclose(np.linalg.norm(step, p), 1, rtol=1e-9)
    others = others / np.linalg.norm(others, p, axis=1, keepdims=True)
    assert (others @ g >= step @ g - 1e-9).all()


@settings(max_examples=25)
@given(seed=seeds, M=st.integers(1, 5), N=st.integers(1, 5))
def test_the_spectral_step_has_singular_values_of_one(book, seed, M, N):
    G = np.random.default_rng(seed).normal(size=(M, N))
    step = book["spectral_step"](G)
    sigma = np.linalg.svd(G, compute_uv=False)
    np.testing.assert_allclose(np.linalg.svd(step, compute_uv=False), 1, rtol=1e-9)
    np.testing.assert_allclose((G * step).sum(), -sigma.sum(), rtol=1e-9)


@given(seed=seeds, scale=st.floats(0.01, 100), max_norm=st.floats(0.1, 10))
def test_clipping_is_torchs(book, seed, scale, max_norm):
    rng = np.random.default_rng(seed)
    grads = {"W": scale * rng.normal(size=(3, 2)), "b": scale * rng.normal(size=4)}
    theirs = [torch.zeros(g.shape, dtype=torch.float64) for g in grads.values()]
    for parameter, g in zip(theirs, grads.values(), strict=True):
        parameter.grad = torch.tensor(g)
    torch.nn.utils.clip_grad_norm_(theirs, max_norm)
    for g, parameter in zip(
        book["clip"](grads, max_norm).values(), theirs, strict=True
    ):
        assert_near(g, parameter.grad, rtol=1e-9)


@given(seed=seeds, M=st.integers(2, 6), N=st.integers(2, 6))
def test_orthogonalising_keeps_the_singular_vectors(book, seed, M, N):
    U, s, Vt = np.linalg.svd(
        np.random.default_rng(seed).normal(size=(M, N)), full_matrices=False
    )
    near = U.T @ book["orthogonalise"](U * s @ Vt) @ Vt.T
    np.testing.assert_allclose(near, np.diag(np.diag(near)), atol=1e-8)
    tiny = s / np.linalg.norm(s) < 0.02
    assert ((np.diag(near) > 0.6) | tiny).all() and np.diag(near).max() < 1.25


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
    Fault("order = rng.permutation(N)", "order = np.arange(N)", "never shuffled"),
    Fault("g + decay * w", "g - decay * w", "sign of the penalty in Adam"),
    Fault("(1 - lr * decay) * w", "(1 - decay) * w", "no learning rate in AdamW"),
    Fault("(1 + np.cos(np.pi * (t", "(1 - np.cos(np.pi * (t", "the cosine upside down"),
    Fault("return (t + 1) / warm", "return t / warm", "a first step of zero"),
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
    Fault(
        "np.sin(angle), np.cos(angle)]]",
        "-np.sin(angle), np.cos(angle)]]",
        "a wrong turn",
    ),
    Fault("(1 + r) / (1 - r)", "(1 + r) ** 2 / (1 - r)", "a wrong condition number"),
    Fault("path[31:], degrees", "path[:31], degrees", "the early heights"),
    Fault("late.argmin()", "late.argmax()", "the worst settings taken"),
    Fault("lambda w: w @ H", "lambda w: w * H.diagonal()", "only the diagonal"),
    Fault("return -np.sign(g)  #", "return np.sign(g)  #", "sign ascent"),
    Fault("return -U @ Vt", "return -U @ Vt.T", "V instead of its transpose"),
    Fault("** (1 / (p - 1))", "** (1 / p)", "a wrong power"),
    Fault("(steps - t) / decay", "(steps - t) / steps", "no plateau"),
    Fault("sum(squares)) + 1e-6", "sum(squares)) + 1e-2", "a wrong norm"),
    Fault("factor * g for name", "factor**2 * g for name", "clipped twice"),
    Fault(
        "lr=lr, **hyper)\n    return np.array(losses)",
        "lr=lrs[0], **hyper)\n    return np.array(losses)",
        "a learning rate that does not climb",
    ),
    Fault("if g.ndim > 1 else 0.0", "if g.ndim > 0 else 0.0", "biases that decay"),
    Fault("rate = lr * warm_up(", "rate = lr + 0 * warm_up(", "no schedule"),
    Fault("(-4.7750 * A", "(-4.2 * A", "a wrong polynomial"),
    Fault("momentum * mean + (1 - momentum) * G", "mean", "Muon without the look"),
    Fault(
        "if p.ndim == 1]", "if p.ndim == 0]", "biases that are never trained in PyTorch"
    ),
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
