"""Numbers that differ in their last bits, as those of another processor do.

Another processor sums in another order, so a product of matrices comes out otherwise in its
last bits, and a training of some hundred steps carries that far. Here what random generators
return, what optimisers start from and each product ``a @ b`` of a notebook moves to one of the
two numbers beside it, by at most a relative 2.2e-16 in float64 and 1.2e-7 in float32. Which of
the two depends on the number alone, so equal numbers stay equal and a run can be repeated.
A number with few digits, such as a sum of small integers or a half, is exact on every
processor and stays as it is.
"""

import functools
import inspect

import numpy as np
import torch
from torch._C._functorch import is_functorch_wrapped_tensor

# dtype: integers of its width, how many last bits are zero in what is exact
WIDTHS = {
    np.dtype(np.float64): (np.uint64, 12),
    np.dtype(np.float32): (np.uint32, 5),
}
TENSORS = {torch.float64, torch.float32}
MIX = 0x9E3779B97F4A7C15  # odd: its products spread over the high bits
PICKS = {"choice", "permutation", "permuted", "shuffle", "spawn"}  # what they are given
DRAWN_BY_TORCH = ("rand", "randn", "normal", "rand_like", "randn_like")
FILLED_BY_TORCH = ("normal_", "uniform_", "exponential_", "log_normal_", "cauchy_")


def disturb(values: np.ndarray, draw: int) -> None:
    """Move floating-point values, in place, to one of the two numbers beside each.

    Zeros, infinities, nan and numbers with few digits stay. Other dtypes than float64 and
    float32 stay as they are.
    """
    if values.dtype not in WIDTHS or not values.size:
        return
    integers, exact = WIDTHS[values.dtype]
    bits = values.view(integers)
    width = 8 * bits.itemsize
    with np.errstate(over="ignore"):  # integers wrap, which is the point
        mixed = (bits ^ integers(draw)) * integers(MIX % (1 << width))
    up = (mixed >> integers(width - 1)).astype(bool)
    inexact = (bits & integers((1 << exact) - 1)) != 0
    # The bits of a finite number, read as an integer, count upwards away from zero.
    np.add(bits, integers(1), out=bits, where=inexact & up & np.isfinite(values))
    np.subtract(bits, integers(1), out=bits, where=inexact & ~up)


def disturbed(result: object, draw: int) -> object:
    """A result with its numbers moved: a fresh array or tensor in place, a number as a copy."""
    if torch.is_tensor(result):
        has_numbers = not (result.is_meta or is_functorch_wrapped_tensor(result))
        if result.dtype in TENSORS and has_numbers:
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


def product(draw: int):
    """``a @ b`` with its last bits moved, and its gradient as ever."""
    return lambda a, b: disturbed(a @ b, draw)


def generators(draw: int) -> type:
    """A ``numpy.random.Generator`` whose real numbers have their last bits moved."""

    def moving(method):
        @functools.wraps(method)
        def drawn(self, *sizes, **named):
            return disturbed(method(self, *sizes, **named), draw)

        return drawn

    methods = {
        name: moving(method)
        for name, method in vars(np.random.Generator).items()
        if inspect.isroutine(method) and not name.startswith("_") and name not in PICKS
    }
    return type("Generator", (np.random.Generator,), methods)


def install(draw: int) -> None:
    """From now on, in this process, what NumPy and PyTorch draw has its last bits moved."""
    Generator, default_rng = generators(draw), np.random.default_rng

    def default(seed=None):
        made = default_rng(seed)
        return made if made is seed else Generator(made.bit_generator)

    np.random.Generator, np.random.default_rng = Generator, default

    def after(function):
        @functools.wraps(function)
        def drawn(*sizes, **named):
            return disturbed(function(*sizes, **named), draw)

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
