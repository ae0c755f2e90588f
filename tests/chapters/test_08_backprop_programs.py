"""The tape of chapter 8 on random programs and constants, beside PyTorch's."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chapter_code import ChapterCode, autograd
from utils.checks import assert_close

chapter = ChapterCode("08_backprop")
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
    """Whether a step may be taken with arrays of these shapes."""
    if name == "product":
        return all(len(s) >= 2 for s in shapes) and shapes[0][-1] == shapes[1][-1]
    if name in {"mean", "largest", "last axis", "sum", "turn", "pick"}:
        return len(shapes[0]) >= 1
    return True


def run(program, leaves, F, shape):
    """The last result of a program that steps from array to array."""
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
    mine, used = run(program, ours, {n: book[n] for n in names}, lambda v: v.data.shape)
    other, same = run(program, theirs, F, lambda v: tuple(v.shape))
    assert used == same
    mine.backward()
    other.backward()
    np.testing.assert_allclose(mine.data, other.detach(), rtol=1e-9, atol=1e-9)
    for v, w in zip(ours, theirs, strict=True):
        assert (v.grad is None) == (w.grad is None)
        if w.grad is not None:
            assert v.grad.shape == w.grad.shape
            np.testing.assert_allclose(v.grad, w.grad, rtol=1e-8, atol=1e-8)


@settings(max_examples=80, deadline=None)
@given(programs, seeds)
def test_random_programs_have_torchs_values_and_gradients(book, program, seed):
    """Evidence tries some hundreds of programs."""
    assert_torch_agrees(book, program, seed)


@settings(max_examples=25, deadline=None)
@given(seeds, st.integers(1, 5), st.integers(1, 6))
def test_gradients_add_up_over_calls_and_uses(book, seed, uses, calls):
    x = book["Tensor"](np.random.default_rng(seed).normal(size=3))
    for _ in range(calls):
        sum((x * x for _ in range(uses)), book["Tensor"](0.0)).sum().backward()
    assert_close(x.grad, 2 * calls * uses * x.data, name="dx", rtol=1e-9)


def test_plain_arrays_are_constants_on_either_side(book):
    rng = np.random.default_rng(0)
    A, x = rng.normal(size=(2, 3)), book["Tensor"](rng.normal(size=(3, 4)))
    out = (A @ x - 1.0) * np.arange(4.0) / 2
    out.sum().backward()
    wanted = A.T @ np.broadcast_to(np.arange(4.0) / 2, (2, 4))
    assert_close(x.grad, wanted, name="dx")
    with pytest.raises(ValueError, match="expected matrices"):
        A[0] @ x


def test_equal_maxima_share_the_gradient_as_in_torch(book):
    x = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
    ours, (_, (exact,)) = book["Tensor"](x), autograd(lambda x: torch.amax(x, 1), x)
    book["largest"](ours, 1).sum().backward()
    assert_close(ours.grad, exact, name="shared")


@pytest.mark.parametrize(
    "shapes", [((1, 3), (0, 3)), ((2, 1), (2, 0)), ((0, 1), (3,)), ((1,), (0, 4, 1))]
)
def test_an_empty_array_sends_back_zeros_of_the_right_shape(book, shapes):
    arrays = [np.ones(shape) for shape in shapes]
    for program in (lambda x, y: (x + y).sum(), lambda x, y: (x * y).sum()):
        leaves = [book["Tensor"](a) for a in arrays]
        program(*leaves).backward()
        _, exact = autograd(program, *arrays)
        for leaf, theirs in zip(leaves, exact, strict=True):
            assert leaf.grad.shape == theirs.shape and (leaf.grad == theirs).all()


@pytest.mark.parametrize("shape", [(2,), (1, 3), (0,), (2, 2)])
def test_from_an_array_the_walk_back_needs_a_gradient(book, shape):
    ours, theirs = book["Tensor"](np.ones(shape)), torch.ones(shape, requires_grad=True)
    with pytest.raises(ValueError, match=r"expected d \(.*\), got \(\)"):
        (ours * 2).backward()
    with pytest.raises(RuntimeError, match="only for scalar"):
        (theirs * 2).backward()
    for other in ((1, *shape), (5,)):
        with pytest.raises(ValueError, match="expected d"):
            (ours * 2).backward(np.ones(other))
        with pytest.raises(RuntimeError, match="Mismatch in shape"):
            (theirs * 2).backward(torch.ones(other))
    (ours * 2).backward(np.ones(shape))
    assert (ours.grad == 2 * np.ones(shape)).all()


def test_a_single_entry_of_any_shape_is_a_number(book):
    for shape in ((), (1,), (1, 1)):
        leaf = book["Tensor"](np.ones(shape))
        (leaf * 3).backward()
        assert leaf.grad.shape == shape and leaf.grad.sum() == 3
