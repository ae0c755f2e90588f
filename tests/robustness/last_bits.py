"""Numbers that differ in their last bits, as those of another processor do.

Another processor sums in another order. Measured on products of normal matrices, 10 to 785
terms a sum, between kernels for AVX-512, AVX2 and SSE: half to nine tenths of the entries
differ, by 1 to 5 rounding units (2.2e-16 in float64, 1.2e-7 in float32) of the root of the sum
of the squared terms, so an entry that nearly cancels may lose many digits. NumPy's exp, log and
tanh differ by at most 2 units. A training of some hundred steps carries that far.

Here each product ``a @ b`` of a notebook moves by two such units, up or down, and what random
generators return and what optimisers start from by one. Which way depends on the number alone,
so equal numbers stay equal and a run can be repeated. A number with few digits, such as a sum
of small integers or a half, is exact on every processor and stays as it is.
"""

import functools
import inspect
from collections.abc import Callable

import numpy as np
import torch
from torch._C._functorch import is_functorch_wrapped_tensor

# dtype: integers of its width, how many last bits are zero in what is exact
WIDTHS = {np.dtype(np.float64): (np.uint64, 12), np.dtype(np.float32): (np.uint32, 5)}
TENSORS = {torch.float64, torch.float32}
MIX = 0x9E3779B97F4A7C15  # odd: its products spread over the high bits
UNITS = 2  # by which a product moves
PICKS = {"choice", "permutation", "permuted", "shuffle", "spawn"}  # what they are given
DRAWN_BY_TORCH = ("rand", "randn", "normal", "rand_like", "randn_like")
FILLED_BY_TORCH = ("normal_", "uniform_", "exponential_", "log_normal_", "cauchy_")


def signs(values: np.ndarray, draw: int) -> np.ndarray:
    """Return which way each of the values moves: +1 or −1, and 0 for what stays.

    Zeros, infinities, nan and numbers with few digits stay, and whatever is neither float64
    nor float32.
    """
    if values.dtype not in WIDTHS:
        return np.zeros(values.shape, np.int8)
    integers, exact = WIDTHS[values.dtype]
    bits = values.view(integers)
    width = 8 * bits.itemsize
    with np.errstate(over="ignore"):  # integers wrap, which is the point
        mixed = (bits ^ integers(draw)) * integers(MIX % (1 << width))
    up = (mixed >> integers(width - 1)).astype(np.int8)
    stays = (bits & integers((1 << exact) - 1) == 0) | ~np.isfinite(values)
    return np.where(stays, 0, 2 * up - 1)


def disturb(values: np.ndarray, draw: int) -> None:
    """Move floating-point values, in place, to one of the two numbers beside each."""
    if values.dtype in WIDTHS:
        bits = values.view(WIDTHS[values.dtype][0])
        # The bits of a number, read as an integer, count upwards away from zero.
        bits += signs(values, draw).astype(bits.dtype)


def disturbed(result: object, draw: int) -> object:
    """Return a result with its numbers moved: a fresh array in place, a number as a copy."""
    if torch.is_tensor(result):
        if _has_numbers(result):
            values = result.data  # neither autograd nor its count of versions sees it
            moved = values.numpy(force=True).copy()
            disturb(moved, draw)
            values.copy_(torch.from_numpy(moved))
        return result
    if isinstance(result, np.ndarray):
        if result.flags.writeable:
            disturb(result, draw)
        return result
    if isinstance(result, float | np.floating):
        moved = np.array([result])
        disturb(moved, draw)
        return type(result)(moved[0])
    return result


def product(draw: int) -> Callable:
    """Return ``a @ b`` with its last bits moved, and its gradient as ever."""

    def multiply(a, b):
        result = a @ b
        if torch.is_tensor(result) and _has_numbers(result):
            # In NumPy: a counter of PyTorch's products must not see this one.
            squares = (np.square(factor.numpy(force=True)) for factor in (a, b))
            with np.errstate(over="ignore", under="ignore"):
                size = np.sqrt(np.matmul(*squares))
            moves = _moves(result.numpy(force=True), size, draw)
            result.data += torch.from_numpy(moves)  # autograd does not see it
        elif _are_floats(a, b):
            with np.errstate(over="ignore", under="ignore"):
                # In the type of the result: the square of a small integer type overflows.
                squares = (np.square(factor, dtype=result.dtype) for factor in (a, b))
                size = np.sqrt(np.matmul(*squares))
            return result + _moves(np.asarray(result), size, draw)
        return result

    return multiply


def _moves(values, size, draw):
    """Return by how much values move whose terms have squares that sum to ``size`` squared."""
    if values.dtype not in WIDTHS:
        return np.zeros_like(values)
    unit = np.where(np.isfinite(size), size, 0) * np.finfo(values.dtype).eps
    # An array also where it has no axes, as of a product of two vectors.
    return np.asarray(UNITS * signs(values, draw) * unit, values.dtype)


def _are_floats(*factors):
    arrays = all(isinstance(factor, np.ndarray) for factor in factors)
    return arrays and np.result_type(*factors).kind == "f"


def _has_numbers(tensor):
    plain = not (tensor.is_meta or is_functorch_wrapped_tensor(tensor))
    return plain and tensor.dtype in TENSORS


def generators(draw: int) -> type:
    """Return a ``numpy.random.Generator`` whose real numbers have their last bits moved."""

    def moving(method):
        @functools.wraps(method)
        def drawn(self, *sizes, **options):
            return disturbed(method(self, *sizes, **options), draw)

        return drawn

    methods = {
        name: moving(method)
        for name, method in vars(np.random.Generator).items()
        if inspect.isroutine(method) and not name.startswith("_") and name not in PICKS
    }
    return type("Generator", (np.random.Generator,), methods)


def install(draw: int) -> None:
    """Move the last bits of what NumPy and PyTorch draw, from now on in this process."""
    Generator, default_rng = generators(draw), np.random.default_rng

    def default(seed=None):
        generator = default_rng(seed)
        return generator if generator is seed else Generator(generator.bit_generator)

    np.random.Generator, np.random.default_rng = Generator, default

    def after(function):
        @functools.wraps(function)
        def drawn(*sizes, **options):
            return disturbed(function(*sizes, **options), draw)

        return drawn

    for name in DRAWN_BY_TORCH:
        setattr(torch, name, after(getattr(torch, name)))
    for name in FILLED_BY_TORCH:
        setattr(torch.Tensor, name, after(getattr(torch.Tensor, name)))
    start = torch.optim.Optimizer.__init__

    def begin(self, params, defaults):
        start(self, params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                disturbed(parameter.data, draw)

    torch.optim.Optimizer.__init__ = begin
