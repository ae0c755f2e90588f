"""Marks as nbgrader gives them, but in this process; and tricks that must win none."""

import builtins
import contextlib
import dis
import io
import shutil
import signal
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

import matplotlib.pyplot as plt
import numpy
import torch
from nbformat import NotebookNode

from grader.assignment import data_files
from grader.isolation import TestNamespace, copied_builtins
from tests.homework.assignments import FOLDERS, full_marks, info, name_of, teachers

# A student who knows Python wins nothing with it, wherever the trick is played.
TRICKS = """
import builtins
yes = lambda *_, **__: True
zero = lambda *_, **__: 0
expect = print
agrees = yes
abs = max = len = zero
all = any = isinstance = yes
float = int = tuple = lambda x: x
def rebind():
    np.allclose = np.isclose = np.array_equal = np.all = yes
    np.abs = np.shape = builtins.abs = builtins.max = zero
    np.testing.assert_allclose = torch.testing.assert_close = yes
    torch.allclose = torch.equal = builtins.all = builtins.any = yes
class Flattering(np.ndarray):
    __array_function__ = __array_ufunc__ = __eq__ = yes
    def __sub__(self, other):
        return self * 0
class Pleasing(builtins.float):
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = yes
    __sub__ = __rsub__ = zero
    __truediv__ = lambda self, other: Pleasing(1)
    __abs__ = zero
    __hash__ = builtins.float.__hash__
def please(answer):
    if builtins.isinstance(answer, (builtins.tuple, builtins.list)):
        return type(answer)(map(please, answer))
    if builtins.isinstance(answer, (builtins.float, builtins.int)):
        return Pleasing(answer)
    if builtins.isinstance(answer, np.ndarray) and answer.ndim:
        return answer.view(Flattering)
    if not callable(answer):
        return answer
    def tricky(*args, **settings):
        rebind()
        return please(answer(*args, **settings))
    return tricky
rebind()
"""


def tricked(code: str) -> str:
    """Return a wrong answer in which every name that it binds is made pleasing."""
    steps = dis.get_instructions(compile(dedent(code), "answer", "exec"))
    bound = {step.argval for step in steps if step.opname == "STORE_NAME"}
    lines = [f"{name} = please({name})" for name in sorted(bound)]
    return "\n".join([dedent(code), *lines])


@cache
def locked_cells(name):
    """Return the tests' namespace, code of setup and tests, and points of a test, by name."""
    cells = [cell for cell in teachers(name).cells if cell.cell_type == "code"]
    worth = {name_of(c): info(c).points for c in cells if info(c).get("grade")}
    locked = {name_of(c): c.source for c in cells if name_of(c) in {"setup", *worth}}
    tests = [locked[test] for test in worth]
    return TestNamespace(locked["setup"], tests), locked, worth


def mark(
    assignment: str, notebook: NotebookNode, apart: bool = True, seconds: float = 90
) -> tuple[dict, dict]:
    """Return points by task and errors by cell, as nbgrader finds them, but in this process.

    The cells run from the top, the locked ones as the source has them. A test gives all
    of its points or none. Visible checks run too, and give no points. A cell may take
    ``seconds``. With ``apart=False`` the tests see the names as the student left them.
    Whatever the notebook does to Python, NumPy and PyTorch is undone.
    """
    modules = [builtins, numpy, numpy.testing, torch, torch.testing]
    before = [(vars(module), dict(vars(module))) for module in modules]
    try:
        with beside_its_data(assignment):
            return _mark(assignment, notebook, apart, seconds)
    finally:
        for names, contents in before:
            names.update(contents)


@contextlib.contextmanager
def beside_its_data(assignment):
    """Enter a folder with the files that students get with the notebook."""
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        for path in data_files(FOLDERS[assignment]):
            shutil.copy(path, Path(folder))
        yield


def _mark(assignment, notebook, apart, seconds):
    plt.switch_backend("agg")
    namespace, locked, worth = locked_cells(assignment)
    marks, errors = dict.fromkeys(full_marks(assignment), 0), {}
    names = {"__name__": "__main__", "__builtins__": copied_builtins()}
    for cell in notebook.cells:
        name = name_of(cell)
        if cell.cell_type != "code":
            continue
        code, scope = locked.get(name, cell.source), names
        if name in worth and apart:
            scope = namespace.names_for_test(names)
        try:
            execute(code, scope, name, seconds, names["__builtins__"])
        except (Exception, SystemExit) as error:
            errors[name] = error
        else:
            if name in worth:
                marks[name.split("-marks")[0]] += worth[name]
    return marks, errors


def execute(code, scope, name, seconds, student_builtins):
    """Run a cell quietly, and stop it after a while; ``builtins`` is the student's."""

    def stop(*_):
        raise TimeoutError(f"{name}: expected an end within {seconds} s")

    signal.signal(signal.SIGALRM, stop)
    original, sys.modules["builtins"] = sys.modules["builtins"], student_builtins
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, str(name), "exec"), scope)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.modules["builtins"] = original
        plt.close("all")
