"""Random programs of chapter 8's tape, beside PyTorch's."""

import numpy as np
import torch
from hypothesis import strategies as st

seeds = st.integers(0, 2**32 - 1)

# Each step of a random program: its name, how many arrays it takes, and what it does with
# functions F, ours or PyTorch's. Results are kept between −1 and 1 or near it by tanh.
STEPS = {
    "add": (2, lambda F, x, y: x + y),
    "sub": (2, lambda F, x, y: 0.5 - x - y),
    "mul": (2, lambda F, x, y: x * y),
    "div": (2, lambda F, x, y: x / (1.5 + y * y)),
    "square": (1, lambda F, x: x**2),
    "neg": (1, lambda F, x: -x + 2 * x),
    "product": (2, lambda F, x, y: F["tanh"](x @ y.swapaxes(-1, -2))),
    "tanh": (1, lambda F, x: F["tanh"](x)),
    "exp": (1, lambda F, x: F["exp"](F["tanh"](x))),
    "log": (1, lambda F, x: F["log"](x * x + 1)),
    "relu": (1, lambda F, x: F["relu"](x)),
    "sigmoid": (1, lambda F, x: F["sigmoid"](x)),
    "sum": (1, lambda F, x: F["tanh"](x.sum(-1, True))),
    "sum of all": (1, lambda F, x: F["tanh"](x.sum() * 0.1)),
    "mean": (1, lambda F, x: x.mean(0)),
    "largest": (1, lambda F, x: F["largest"](x, -1, True)),
    "last axis": (1, lambda F, x: x.sum(-1)),
    "turn": (1, lambda F, x: x.swapaxes(0, -1)),
    "flat": (1, lambda F, x: x.reshape(-1)),
    "pick": (1, lambda F, x: x[[0, -1, 0]]),
}
LEAVES = ((3, 4), (4,), (3, 1), (1, 4), (2, 3, 4), ())
programs = st.lists(
    st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 99), st.integers(0, 99)),
    min_size=3,
    max_size=14,
)


def fits(name, shapes):
    """Return whether a step may be taken with arrays of these shapes."""
    if name == "product":
        return all(len(s) >= 2 for s in shapes) and shapes[0][-1] == shapes[1][-1]
    if name in {"mean", "largest", "last axis", "sum", "turn", "pick"}:
        return len(shapes[0]) >= 1
    return True


def run(program, leaves, F, shape):
    """Return the last result of a program that steps from array to array."""
    pool, used = list(leaves), 0
    for name, i, j in program:
        count, do = STEPS[name]
        inputs = [pool[-1 - i % len(pool)], pool[-1 - j % len(pool)]][:count]
        if not fits(name, [shape(v) for v in inputs]):
            continue
        try:
            np.broadcast_shapes(
                *(shape(v)[: -2 if name == "product" else None] for v in inputs)
            )
        except ValueError:
            continue
        pool.append(do(F, *inputs))
        used += 1
    return sum((v.sum() for v in pool[-3:]), pool[0].sum() * pool[4].mean()), used


def assert_torch_agrees(book, program, seed):
    """Assert that a program has PyTorch's value and gradients, from drawn leaves."""
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=s) for s in LEAVES]
    names = ("tanh", "exp", "log", "relu", "sigmoid", "largest")
    ours = [book["Tensor"](v) for v in arrays]
    theirs = [torch.tensor(v, requires_grad=True) for v in arrays]
    F = {n: getattr(torch, n) for n in names[:5]} | {"largest": torch.amax}
    by_tensors, used = run(
        program, ours, {n: book[n] for n in names}, lambda v: v.data.shape
    )
    other, same = run(program, theirs, F, lambda v: tuple(v.shape))
    assert used == same
    by_tensors.backward()
    other.backward()
    np.testing.assert_allclose(by_tensors.data, other.detach(), rtol=1e-9, atol=1e-9)
    for v, w in zip(ours, theirs, strict=True):
        assert (v.grad is None) == (w.grad is None)
        if w.grad is not None:
            assert v.grad.shape == w.grad.shape
            np.testing.assert_allclose(v.grad, w.grad, rtol=1e-8, atol=1e-8)
