"""Chapters as code: their cells by tag, their functions, and their checks put to the test."""

import contextlib
import functools
import io
import re
from dataclasses import dataclass

import matplotlib
import nbformat
import numpy as np
import pytest
import torch

from press import chapters

ROOT, BOOK = chapters.ROOT, chapters.BOOK
NOTEBOOKS = sorted(BOOK.glob("*.ipynb"))
CHAPTERS = chapters.SLUGS

# Exactly one of these says what a code cell is; the rest only change how it looks or runs.
KINDS = {"setup", "define", "run", "check", "figure", "widget", "solution"}
EXTRAS = {"hide-input", "hide-cell", "remove-input", "slow", "keep-colours", "seen"}


@dataclass(frozen=True)
class Fault:
    """A slip that a programmer might make: ``find`` becomes ``put`` in a define cell."""

    find: str
    put: str
    what: str

    def __str__(self):
        return self.what


def tags(cell):
    return set(cell.metadata.get("tags", []))


def kind(cell):
    (found,) = tags(cell) & KINDS
    return found


class Chapter:
    """The code of one notebook, run in this process without figures, widgets, slow cells.

    ``without`` matches the ids of further code cells that the fault tests leave out, such
    as long trainings that no check of a function reads.
    """

    def __init__(self, slug, without=r"(?!)"):
        self.slug, self.without = slug, re.compile(without)
        self.notebook = nbformat.read(chapters.path(slug), 4)
        self.cells = [c for c in self.notebook.cells if c.cell_type == "code"]

    @functools.cache  # noqa: B019  one chapter object a test module
    def namespace(self):
        """What the setup and define cells define, by name."""
        scope = {"__name__": self.slug}
        for i, cell in enumerate(self.cells):
            if kind(cell) in {"setup", "define"}:
                self._execute(i, cell.source, scope)
        return scope

    def assert_caught(self, fault):
        """Assert that the chapter's own checks fail once ``fault`` is in its code."""
        homes = [
            i
            for i, cell in self._sequence()
            if kind(cell) == "define" and cell.source.count(fault.find)
        ]
        found = sum(self.cells[i].source.count(fault.find) for i in homes)
        assert found == 1, (
            f"{fault.find!r}: expected once in the define cells, found {found}"
        )
        healthy = [c for i, c in self._sequence() if i < homes[0]]
        scope = {"__name__": self.slug}
        for i, cell in enumerate(healthy):
            if kind(cell) != "check":  # what stands before the fault cannot notice it
                self._execute(i, cell.source, scope)
        for i, cell in self._sequence():
            if i < homes[0]:
                continue
            source = (
                cell.source.replace(fault.find, fault.put)
                if i == homes[0]
                else cell.source
            )
            try:
                self._execute(i, source, scope)
            except NameError:  # of a figure's function, since figures are left out
                assert "seen" in tags(cell)
            except (AssertionError, ValueError):
                assert kind(cell) in {"check", "run"}, (
                    f"{fault}: failed outside of the checks"
                )
                return
        raise AssertionError(
            f"no check of {self.slug} notices: {fault} ({fault.put!r})"
        )

    def _sequence(self):
        kinds = {"setup", "define", "run", "check"}
        return [
            (i, c)
            for i, c in enumerate(self.cells)
            if kind(c) in kinds
            and "slow" not in tags(c)
            and not self.without.match(c.id)
        ]

    def _execute(self, index, source, scope):
        matplotlib.use("agg")
        code = compile(source, f"{self.slug}, code cell {index}", "exec")
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, scope)


def catches(chapter, faults):
    """The test, one for each fault, that the checks of ``chapter`` notice it.

    A test file calls it ``test_checks_catch``: the faults' names are the ids.
    """

    @pytest.mark.parametrize("fault", faults, ids=str)
    def test(fault):
        chapter.assert_caught(fault)

    return test


def assert_near(actual, desired, **how):
    """Assert that both are equal up to rounding, and of one shape and one dtype.

    Arrays, numbers or tensors, or lists and tuples of them, however deep. ``how`` has
    tolerances for ``np.testing.assert_allclose``: rtol=1e-9 and atol=1e-10 by default.
    AssertionError says where they differ, ValueError that one list is longer.
    """
    if isinstance(desired, list | tuple):
        for pair in zip(actual, desired, strict=True):
            assert_near(*pair, **how)
    else:
        pair = (a.detach() if torch.is_tensor(a) else a for a in (actual, desired))
        how = {"rtol": 1e-9, "atol": 1e-10} | how
        np.testing.assert_allclose(*pair, strict=True, **how)


def autograd(f, *arrays, upstream=None):
    """The value of ``f`` at ``arrays`` and its gradients, by PyTorch: array, list of arrays.

    ``f`` takes a tensor for each array. The gradients, of the shapes of ``arrays``, are
    those of the sum over what it returns, weighted with ``upstream`` of its shape if that
    is given. RuntimeError if the shapes differ, or if an array is not used.
    """
    leaves = [torch.tensor(np.asarray(a), requires_grad=True) for a in arrays]
    value = f(*leaves)
    weights = torch.ones_like(value) if upstream is None else torch.tensor(upstream)
    gradients = torch.autograd.grad(value, leaves, weights)
    return value.detach().numpy(), [g.numpy() for g in gradients]
