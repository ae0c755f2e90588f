"""What the hidden tests of several assignments share; `%run -i` in a test puts it there.

In an assignment a program stands twice, in NumPy and in PyTorch, and the student writes the
function that compares the two: ``compare(ours, theirs)`` says whether they agree.
"""

from contextlib import contextmanager

import numpy as np
import torch
from matplotlib.lines import AxLine
from torch.overrides import TorchFunctionMode


def plain(one):
    """Return an array of a number, an array or a tensor, which may have a graph."""
    return one.detach().cpu().numpy() if torch.is_tensor(one) else np.asarray(one)


class NumPyAlone(TorchFunctionMode):
    """Refuses whatever PyTorch is asked to do here."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise AssertionError("NumPy alone was asked for, and PyTorch was called")


class TwiceTheGradient(TorchFunctionMode):
    """Makes each gradient that PyTorch finds here twice too large.

    A program whose gradients do not change here does not take them from autograd.
    """

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name, kwargs = getattr(func, "__name__", ""), kwargs or {}
        if name == "backward":
            first, *others = args
            if isinstance(first, torch.Tensor):
                return func(2 * first, *others, **kwargs)
            return func([2 * part for part in first], *others, **kwargs)
        found = func(*args, **kwargs)
        if name == "grad" and isinstance(found, tuple):
            found = tuple(None if part is None else 2 * part for part in found)
        return found


class Asked(TorchFunctionMode):
    """Notes the names of what PyTorch is asked to do here."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.add(getattr(func, "__name__", ""))
        return func(*args, **(kwargs or {}))


@contextmanager
def standing_in(function, **others):
    """Let a student's function find other things under these names, for a while."""
    names, missing = getattr(function, "__globals__", {}), object()
    kept = {name: names.get(name, missing) for name in others}
    names.update(others)
    try:
        yield
    finally:
        for name, one in kept.items():
            if one is missing:
                names.pop(name, None)
            else:
                names[name] = one


def uncalled(*given, **named):
    """Stand in for a training loop where its two functions are to be looked at alone."""
    raise AssertionError("the functions are to be looked at, without the training loop")


def at_most(calls, function):
    """Return the function, which may be called so often."""
    made = []

    def counted(*given, **named):
        made.append(1)
        name = getattr(function, "__name__", "it")
        assert len(made) <= calls, f"{name}: more than {calls} calls"
        return function(*given, **named)

    return counted


def failures(*checks):
    """Return what the checks say that fail."""
    said = []
    for check in checks:
        try:
            check()
        except Exception as error:
            said.append(f"{type(error).__name__} {error}")
    return said


def accepts(compare, *programs):
    """Return whether the student's comparison or check finds these programs in order."""
    try:
        return bool(compare(*programs))
    except Exception:
        return False


def judged(compare, ours, theirs, wrong):
    """Check that the comparison accepts the right pair and refuses every wrong program.

    The right programs have to round differently, or a comparison without any tolerance
    would pass. ``wrong`` maps what is wrong to a program; each is tried on both sides.
    """
    name = getattr(compare, "__name__", "the comparison")
    for pair in (ours, theirs), (theirs, ours):
        assert accepts(compare, *pair), f"{name}: a right pair refused"
    for what, program in wrong.items():
        assert not accepts(compare, program, theirs), f"{name} accepted: {what}"
        assert not accepts(compare, theirs, program), f"{name} accepted: {what}"


def points(fig):
    """Return what a figure shows as points (P, 2): of lines, marks and bars.

    A line without ends, `ax.axline`, has none.
    """
    found = [np.empty((0, 2))]
    for ax in fig.axes:
        lines = [line for line in ax.lines if not isinstance(line, AxLine)]
        found += [line.get_xydata() for line in lines]
        found += [np.asarray(marks.get_offsets()) for marks in ax.collections]
        bars = [bar for bar in ax.patches if hasattr(bar, "get_height")]
        found += [
            [[bar.get_x() + bar.get_width() / 2, bar.get_height()]] for bar in bars
        ]
    return np.concatenate([np.asarray(some, dtype=float) for some in found])
