"""The tape of chapter 8 on random programs and constants, beside PyTorch's."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chapter_code import ChapterCode, autograd
from tests.chapters.programs import assert_torch_agrees, programs, seeds
from utils.checks import assert_close

chapter = ChapterCode("08_backprop")


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
    expected = A.T @ np.broadcast_to(np.arange(4.0) / 2, (2, 4))
    assert_close(x.grad, expected, name="dx")
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
