"""Chapters as code: their cells by tag, their functions, and their checks put to the test."""

import ast
import contextlib
import functools
import io
import multiprocessing
import re
import sys
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import matplotlib
import nbformat
import numpy as np
import pytest
import torch

from press import chapters
from press.lint.cells import kind, tags

ROOT, BOOK = chapters.ROOT, chapters.BOOK
NOTEBOOKS = sorted(BOOK.glob("*.ipynb"))
CHAPTERS = list(chapters.CHAPTERS)

# PyTorch's gradients fail in a forked process once an accelerator has got its threads,
# and macOS's own libraries are not made for forking.
CAN_FORK = sys.platform == "linux" and not torch.accelerator.is_available()
PATIENCE = 600  # seconds for what a fault leaves to run


@dataclass(frozen=True)
class Fault:
    """A slip that a programmer might make: ``find`` becomes ``put`` in a define cell."""

    find: str
    put: str
    consequence: str

    def __str__(self):
        return self.consequence


class ChapterCode:
    """The code of one notebook, run in this process without figures, widgets, slow cells.

    ``without`` matches the ids of further code cells that the fault tests leave out, such
    as long trainings that no check of a function reads. Making one only reads the file.
    """

    def __init__(self, slug: str, without: str = r"(?!)"):
        self.slug, self.without = slug, re.compile(without)
        self.notebook = nbformat.read(BOOK / f"{slug}.ipynb", 4)
        self.cells = [c for c in self.notebook.cells if c.cell_type == "code"]
        self._healthy, self._done = {}, 0  # a scope, and how many cells have run in it

    @functools.cache  # noqa: B019  one chapter object a test module
    def namespace(self) -> dict[str, Any]:
        """Return what the setup and define cells define, by name."""
        scope = {"__name__": self.slug}
        for i, cell in enumerate(self.cells):
            if kind(cell) in {"setup", "define"}:
                self._execute(i, cell.source, scope)
        return scope

    def run(self, cell_id: str, scope: dict[str, Any]) -> None:
        """Execute the cell of this id, whole, in ``scope``; KeyError if there is none."""
        i = self._index(cell_id)
        self._execute(i, self.cells[i].source, scope)

    def define(self, cell_id: str, scope: dict[str, Any], *names: str) -> None:
        """Execute those statements of a cell that define ``names``, in ``scope``.

        So a function or a constant of a run cell is had without its trainings. KeyError
        if the cell does not define one of the names.
        """
        i = self._index(cell_id)
        nodes = [
            statement
            for statement in ast.parse(self.cells[i].source).body
            if defined_by(statement) & {*names}
        ]
        if missing := {*names}.difference(*map(defined_by, nodes)):
            raise KeyError(f"{cell_id} does not define {', '.join(sorted(missing))}")
        self._execute(i, ast.Module(nodes, type_ignores=[]), scope)

    def home(self, fault: Fault) -> int:
        """Return the index of the define cell that holds ``fault.find``.

        AssertionError unless the define cells hold it exactly once.
        """
        definitions = {
            i: cell.source.count(fault.find)
            for i, cell in self._sequence()
            if kind(cell) == "define" and fault.find in cell.source
        }
        assert sum(definitions.values()) == 1, (
            f"{fault.find!r}: expected once in the define cells,"
            f" found {sum(definitions.values())}"
        )
        return next(iter(definitions))

    def assert_caught(self, fault: Fault) -> None:
        """Assert that the chapter's own checks fail once ``fault`` is in its code.

        The healthy cells before the fault's home are executed once for all faults that
        come in the order of their homes; what follows runs in a forked process, so that
        no fault meets what another one left. AssertionError, with the traceback of what
        happened there, if no check notices or if something else than a check fails.
        """
        home = self.home(fault)
        if not CAN_FORK or home < self._done:
            self._healthy, self._done = {}, 0
        self._run_healthy_until(home)
        if not CAN_FORK:
            return self._assert_rest_catches(fault, home)
        trouble = in_fork(lambda: self._assert_rest_catches(fault, home))
        assert not trouble, f"{fault}\n{trouble}"

    def _run_healthy_until(self, home):
        """Run in the healthy scope what precedes ``home``, save the checks."""
        self._healthy.setdefault("__name__", self.slug)
        for i, cell in self._sequence():
            # A check that stands before the fault cannot notice it.
            if self._done <= i < home and kind(cell) != "check":
                self._execute(i, cell.source, self._healthy)
                self._done = i + 1
        self._done = home

    def _assert_rest_catches(self, fault, home):
        for i, cell in self._sequence():
            if i < home:
                continue
            slip = (fault.find, fault.put) if i == home else ("", "")
            try:
                self._execute(i, cell.source.replace(*slip), self._healthy)
            except NameError:  # of a figure's function, since figures are left out
                assert "seen" in tags(cell), f"{fault}: NameError in {cell.id}"
            except (AssertionError, ValueError):
                assert kind(cell) in {"check", "run"}, (
                    f"{fault}: failed outside of the checks"
                )
                return
        raise AssertionError(
            f"no check of {self.slug} notices: {fault} ({fault.put!r})"
        )

    def _index(self, cell_id):
        for i, cell in enumerate(self.cells):
            if cell.id == cell_id:
                return i
        raise KeyError(f"{self.slug} has no code cell {cell_id!r}")

    def _sequence(self):
        """Return index and cell of what the fault tests run, in order."""
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


def defined_by(statement: ast.stmt) -> set[str]:
    """Return names that a statement at the top of a cell assigns, defines or imports."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Assign):
        parts = [part for target in statement.targets for part in ast.walk(target)]
        return {part.id for part in parts if isinstance(part, ast.Name)}
    return set()


def in_fork(function: Callable[[], None]) -> str:
    """Call ``function`` in a forked copy of this process: '' or what it raised.

    The text is the traceback; it also says if the copy died or ran over ``PATIENCE``.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def report():
        torch.set_num_threads(1)  # the threads of OpenMP do not survive a fork
        try:
            function()
            sender.send("")
        except BaseException:
            sender.send(traceback.format_exc())

    process = context.Process(target=report, daemon=True)
    process.start()
    sender.close()
    try:
        if not receiver.poll(PATIENCE):
            return f"still running after {PATIENCE} s"
        return receiver.recv()
    except EOFError:
        process.join()
        return f"the process ended with code {process.exitcode} and no report"
    finally:
        process.kill()
        process.join()
        receiver.close()


def catches(chapter: ChapterCode, faults: Iterable[Fault]) -> Callable[[Fault], None]:
    """Make the test, one for each fault, that the checks of ``chapter`` notice it.

    A test file calls it ``test_checks_catch``: the faults' names are the ids. They come
    in the order of their homes, so that what is healthy runs once.
    """

    def position(fault):  # a fault without a home fails in its own test
        sources = [c.source if "define" in tags(c) else "" for c in chapter.cells]
        return min((i for i, s in enumerate(sources) if fault.find in s), default=0)

    @pytest.mark.parametrize("fault", sorted(faults, key=position), ids=str)
    def test(fault):
        chapter.assert_caught(fault)

    return test


def assert_near(actual: Any, desired: Any, **tolerances: float) -> None:
    """Assert that both are equal up to rounding, and of one shape and one dtype.

    Arrays, numbers or tensors, or lists and tuples of them, however deep. ``how`` has
    tolerances for ``np.testing.assert_allclose``: rtol=1e-9 and atol=1e-10 by default.
    AssertionError says where they differ, ValueError that one list is longer.
    """
    if isinstance(desired, list | tuple):
        for pair in zip(actual, desired, strict=True):
            assert_near(*pair, **tolerances)
    else:
        pair = (a.detach() if torch.is_tensor(a) else a for a in (actual, desired))
        tolerances = {"rtol": 1e-9, "atol": 1e-10} | tolerances
        np.testing.assert_allclose(*pair, strict=True, **tolerances)


def autograd(
    f: Callable[..., torch.Tensor],
    *arrays: np.ndarray | torch.Tensor,
    upstream: np.ndarray | None = None,
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the value of ``f`` at ``arrays`` and its gradients, by PyTorch: array, list of arrays.

    ``f`` takes a tensor for each array. The gradients, of the shapes of ``arrays``, are
    those of the sum over what it returns, weighted with ``upstream`` of its shape if that
    is given. RuntimeError if the shapes differ, or if an array is not used.
    """
    leaves = [torch.tensor(np.asarray(a), requires_grad=True) for a in arrays]
    value = f(*leaves)
    weights = torch.ones_like(value) if upstream is None else torch.tensor(upstream)
    gradients = torch.autograd.grad(value, leaves, weights)
    return value.detach().numpy(), [g.numpy() for g in gradients]
