"""The engines of chapter 8 on programs that the page does not use, and faults to be caught."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chapter_code import ChapterCode, Fault, assert_near, catches
from utils import data

chapter = ChapterCode("08_backprop")
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=25, deadline=None)


@few
@given(seeds, st.lists(st.integers(1, 6), min_size=2, max_size=5), st.integers(1, 7))
def test_the_recursion_is_torchs_for_any_depth(book, seed, sizes, N):
    rng = np.random.default_rng(seed)
    W, b = book["weights"](sizes, rng)
    curves = {l: rng.choice(["tanh", "logistic", "softplus", "ReLU"]) for l in W}
    X, Y = (
        rng.normal(size=(N, sizes[0])),
        np.eye(sizes[-1])[rng.integers(0, sizes[-1], N)],
    )
    Wt, bt = (
        {l: torch.tensor(v, requires_grad=True) for l, v in p.items()} for p in (W, b)
    )
    functions = {"tanh": torch.tanh, "logistic": torch.sigmoid, "ReLU": torch.relu}
    functions["softplus"] = torch.nn.functional.softplus
    for name in ("squared", "binary", "classes"):
        A = torch.tensor(X)
        for l in W:
            Z = A @ Wt[l] + bt[l]
            A = functions[curves[l]](Z)
        target = torch.tensor(Y)
        loss = {
            "squared": ((A - target) ** 2).sum() / 2 / N,
            "binary": torch.nn.functional.binary_cross_entropy_with_logits(
                Z, target, reduction="sum"
            )
            / N,
            "classes": torch.nn.functional.cross_entropy(Z, target),
        }[name] + 0.15 * sum((w**2).sum() for w in Wt.values())
        exact = torch.autograd.grad(
            loss, [*Wt.values(), *bt.values()], retain_graph=True
        )
        J, dW, db = book["objective"](X, Y, W, b, curves, book[name], 0.3)
        np.testing.assert_allclose(J, loss.item(), rtol=1e-9, atol=1e-12)
        assert_near([*(dW[l] for l in W), *(db[l] for l in W)], exact, rtol=1e-7)


@few
@given(seeds, st.integers(1, 9), st.integers(1, 9))
def test_checkpoints_change_memory_and_not_gradients(book, seed, L, k):
    rng = np.random.default_rng(seed)
    X, dA, chain = (rng.normal(size=s) for s in ((2, 4), (2, 4), (L, 4, 4)))
    dWs, held, computed = book["checkpointed"](X, chain, dA, k)
    Ws = [torch.tensor(W, requires_grad=True) for W in chain]
    A = torch.tensor(X)
    for W in Ws:
        A = torch.tanh(A @ W)
    exact = torch.autograd.grad(A, Ws, torch.tensor(dA))
    np.testing.assert_allclose(dWs, np.array(exact), rtol=1e-8, atol=1e-12)
    assert computed == 2 * L and max(held) <= -(-L // k) + k
    if L % k == 0:
        assert max(held) == L // k + k


@few
@given(seeds, st.sampled_from(["tanh", "logistic", "ReLU"]), st.integers(1, 5))
def test_bypass_blocks_are_torchs(book, seed, curve, L):
    rng = np.random.default_rng(seed)
    X, dA, Ws = (rng.normal(size=s) for s in ((3, 4), (3, 4), (L, 4, 4)))
    passed = book["deep_forward"](X, Ws, curve, 1.0, 0.4)
    signals, dWs = book["deep_backward"](dA, Ws, *passed, 1.0, 0.4)
    leaves = [torch.tensor(v, requires_grad=True) for v in (X, *Ws)]
    f = {"tanh": torch.tanh, "logistic": torch.sigmoid, "ReLU": torch.relu}[curve]
    A = leaves[0]
    for W in leaves[1:]:
        A = A + 0.4 * f(A @ W)
    exact = torch.autograd.grad(A, leaves, torch.tensor(dA))
    assert_near((signals[-1], *dWs[::-1]), exact, rtol=1e-8)


@few
@given(seeds, st.integers(1, 6), st.integers(1, 6))
def test_both_modes_find_the_same_jacobian(book, seed, D, C):
    by_column, by_row, forwards, reverses, _ = book["both_jacobians"](D, C, seed)
    np.testing.assert_allclose(by_column, by_row, rtol=1e-9, atol=1e-12)
    assert len(forwards) == D and len(reverses) == C
    assert len({*forwards, *reverses}) == 1  # each pass makes one product an edge


def test_a_scalar_maximum_lets_nan_through(book):
    for x in (np.nan, -np.inf, -1.5, 0.0, 2.0):
        ours = book["Value"](x).relu().data
        np.testing.assert_equal(ours, torch.relu(torch.tensor(x)).item())


@few
@given(seeds, st.integers(1, 40), st.integers(1, 40))
def test_training_keeps_weights_whatever_the_batch_and_the_accuracy(
    book, seed, N, batch
):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(N, 3)), np.eye(2)[rng.integers(0, 2, N)]
    start = book["weights"]([3, 2], rng)
    parts = X, X, Y, np.tile([-1.0, -1.0, 1.0], (N, 1))  # a class that is never found
    curves, options = (
        {1: "linear"},
        {"lr": 0.1, "batch": batch, "patience": 2, "most": 9},
    )
    history, W, b = book["train"](parts, *start, curves, rng, **options)
    assert history == [0.0] * 3 and W[1].shape == (3, 2) and b[1].shape == (2,)


FAULTS = [
    Fault("parent.grad += local", "parent.grad = local", "overwritten, not added"),
    Fault("in reversed(nodes):\n        for", "in nodes:\n        for", "forwards"),
    Fault("(other.data, self.data), ", "(self.data, other.data), ", "factors swapped"),
    Fault("Value(t, (self,), (1 - t**2,),", "Value(t, (self,), (1 - t,),", "slope of tanh"),
    Fault("A[l - 1].T @ dZ + lam", "A[l - 1].T @ dZ + 2 * lam", "twice the penalty"),
    Fault("(dZ @ W[l].T) * slope[l - 1]", "(dZ @ W[l].T)", "no slope"),
    Fault("dZ.sum(axis=0)", "dZ.mean(axis=0)", "mean for a sum"),
    Fault("(expit(Z) - Y) / len(Y)", "(expit(Z) - Y)", "no 1/N"),
    Fault("(A - Y) * slope / len(Y)", "(A - Y) / len(Y)", "no slope in the base case"),
    Fault("(softmax(Z, axis=1) - Y)", "(softmax(Z, axis=0) - Y)", "the wrong axis"),
    Fault("part = arriving[key] + part", "part = part", "uses not added"),
    Fault("d.sum(axis=tuple(range(d.ndim - len(shape))))", "d[(0,) * (d.ndim - len(shape))]",
          "one row for the sum"),
    Fault("fit(d * Y, X.shape)", "fit(d * X, X.shape)", "the wrong factor"),
    Fault("d * c * X ** (c - 1)", "d * c * X**c", "the wrong power"),
    Fault("fit(X.swapaxes(-1, -2) @ d, Y.shape)", "fit(X.swapaxes(-1, -2) @ abs(d), Y.shape)",
          "sign"),
    Fault("np.add.at(out, index, d)", "out[index] = d", "an index that comes twice"),
    Fault("lambda x, y: y * (1 - y)", "lambda x, y: y * (1 + y)", "slope of the logistic"),
    Fault("dot = other.data * self.dot +", "dot = other.data * self.dot -", "sign of a dual"),
    Fault("d[id(node)] += Counted(local)", "d[id(node)] = Counted(local)",
          "forward uses"),
    Fault("dZ = dA * (1 - part.pop() ** 2)", "dZ = dA * (1 - part.pop())", "slope in a segment"),
    Fault("dA = skip * dA + dZ @ W.T", "dA = dA + dZ @ W", "no transpose"),
    Fault("dA = skip * dA + dZ @ W.T", "dA = dZ @ W.T", "no bypass on the way back"),
    Fault("((1 + central) * eps)", "eps", "a step for two"),
    Fault('(1.0, -1.0), "−"', '(1.0, 1.0), "−"', "the sign of a difference"),
    Fault("**2 / 2, (self,), (self.data,)", "**2 / 2, (self,), (1.0,)", "slope of the half square"),
    Fault("if parent not in found:\n            visit", "if True:\n            visit", "twice"),
    Fault("product(x[:i] + x[i + 1 :])", "product(x[:i] + x[i:])", "a factor too many"),
    Fault("(float(self.data > 0),)", "(1.0,)", "a scalar maximum that never bends"),
    Fault("np.logaddexp(0, z), expit(z)),", "np.logaddexp(0, z), expit(z) ** 2),", "softplus"),
    Fault("node.grad + d\n", "0 * d + d\n", "a second walk overwrites the first"),
    Fault("return -self + other", "return self + (-1) * other", "a constant less a tensor"),
    Fault("else 1 / other)", "else other)", "divided by a constant"),
    Fault("d.swapaxes(i, j))])", "d.T)])", "all axes turned"),
    Fault("np.expand_dims(d, axis)", "np.expand_dims(d, -1)", "the last axis put back"),
    Fault("share = top / top.sum(axis=axis, keepdims=True)", "share = top", "ties"),
    Fault("fit(d @ Y.swapaxes(-1, -2), X.shape)", "d @ Y.swapaxes(-1, -2)", "not fitted"),
    Fault("Counted.made += 1", "Counted.made += 2", "products counted twice"),
    Fault("if epoch - best_epoch == patience:", "if False:", "never stops"),
]  # fmt: skip


test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """A step of training: three engines on one batch, and a wider network."""
    digits = data.load_digits()
    Y_all = np.eye(10)[digits.y]
    rng = np.random.default_rng(0)

    def small(kind, curve, X, Y, W, b):
        W, b = ({l: kind(v) for l, v in p.items()} for p in (W, b))
        loss = 0.5 * ((scope["network"](X, W, b, curve) - Y) ** 2).sum()
        loss.backward()

    def scalar(X, Y, W, b):
        values = np.vectorize(scope["Value"], otypes=[object])
        V = {l: values(W[l]) for l in W}
        hidden = values(X) @ V[1] + values(b[1])
        hidden = np.vectorize(scope["Value"].tanh, otypes=[object])(hidden)
        error = hidden @ V[2] + values(b[2]) + values(-Y)
        ((error * error).sum() * scope["Value"](0.5)).backward()

    leaf = lambda v: torch.tensor(v, requires_grad=True)
    X, Y, (W, b) = digits.X[:32], Y_all[:32], scope["weights"]([64, 16, 10], rng)
    Xt, Yt = torch.tensor(X), torch.tensor(Y)
    ours = lambda: small(scope["Tensor"], scope["tanh"], X, Y, W, b)
    yield "64-16-10, batch 32, scalar engine", lambda: scalar(X, Y, W, b), ours
    yield (
        "64-16-10, batch 32, tensors",
        ours,
        lambda: small(leaf, torch.tanh, Xt, Yt, W, b),
    )
    X2, Y2, (W2, b2) = (
        digits.X[:256],
        Y_all[:256],
        scope["weights"]([64, 256, 128, 10], rng),
    )
    X2t, Y2t = torch.tensor(X2), torch.tensor(Y2)
    yield (
        "64-256-128-10, batch 256, tensors",
        lambda: small(scope["Tensor"], scope["tanh"], X2, Y2, W2, b2),
        lambda: small(leaf, torch.tanh, X2t, Y2t, W2, b2),
    )
    Wt, bt = ({l: leaf(v) for l, v in p.items()} for p in (W2, b2))

    def by_torch():
        scores = scope["network"](X2t, Wt, bt, torch.tanh)
        loss = torch.nn.functional.cross_entropy(scores, Y2t)
        torch.autograd.grad(loss, [*Wt.values(), *bt.values()])

    yield (
        "64-256-128-10, batch 256, recursion",
        lambda: scope["objective"](X2, Y2, W2, b2, scope["TANH"]),
        by_torch,
    )


def both_sides(program, book, **inputs):
    """The same program in our tensors and in PyTorch's: value and gradients."""
    ours = {name: book["Tensor"](number) for name, number in inputs.items()}
    theirs = {
        name: torch.tensor(float(number), dtype=torch.float64, requires_grad=True)
        for name, number in inputs.items()
    }
    for leaves, relu in ((ours, book["relu"]), (theirs, torch.relu)):
        out = program(relu, **leaves)
        out.backward()
        yield out, {name: leaf.grad for name, leaf in leaves.items()}


def sanity(relu, x):
    z = 2 * x + 2 + x
    q = relu(z) + z * x
    h = relu(z * z)
    return h + q + q * x


def more_operations(relu, a, b):
    c, d = a + b, a * b + b**3
    c = c + (c + 1)
    c = c + (1 + c + (-a))
    d = d + (d * 2 + relu(b + a))
    d = d + (3 * d + relu(b - a))
    f = (c - d) ** 2
    return f / 2.0 + 10.0 / f


def test_the_programs_of_micrograds_tests(book):
    """The two programs with which Karpathy tests micrograd (test/test_engine.py)."""
    for program, inputs in (
        (sanity, {"x": -4.0}), (more_operations, {"a": -4.0, "b": 2.0}),
    ):  # fmt: skip
        (value, grads), (torch_value, torch_grads) = both_sides(program, book, **inputs)
        assert_near(value.data, torch_value.detach())
        for name, grad in grads.items():
            assert_near(grad, torch_grads[name])


def test_a_second_backward_of_the_scalar_engine_adds_the_same_again(book):
    Value = book["Value"]
    x, y = Value(1.5), Value(-0.7)
    out = (x * y + x).tanh() * y
    out.backward()
    grads_once = x.grad, y.grad
    out.backward()
    assert_near(x.grad, 2 * grads_once[0])
    assert_near(y.grad, 2 * grads_once[1])
