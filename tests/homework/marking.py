"""What the tests of the homework share: sources, answers, submissions, marks."""

import builtins
import contextlib
import copy
import csv
import dis
import importlib
import io
import os
import signal
import subprocess
import sys
from functools import cache
from textwrap import dedent

import matplotlib.pyplot as plt
import nbformat
import numpy
import torch
from nbformat.v4 import new_code_cell

from grader.isolation import Trusted, second_builtins
from press.chapters import ROOT

SOURCES = sorted((ROOT / "homework" / "source").glob("*/*.ipynb"))
ASSIGNMENTS = [path.stem for path in SOURCES]


@cache
def answers(slug):
    """``RIGHT`` and ``WRONG`` of an assignment; a wrong answer as (what, code, points)."""
    module = importlib.import_module(f"tests.homework.answers.{slug}")
    wrong = {
        task: [
            (what, *(entry if isinstance(entry, tuple) else (entry, 0)))
            for what, entry in entries.items()
        ]
        for task, entries in module.WRONG.items()
    }
    return module.RIGHT, wrong


@cache
def source(slug):
    return nbformat.read(ROOT / "homework" / "source" / slug / f"{slug}.ipynb", 4)


def info(cell):
    return cell.metadata.get("nbgrader", {})


def name_of(cell):
    return info(cell).get("grade_id")


def points(slug):
    """Points by task, and the tasks that are marked by hand."""
    found, by_hand = {}, set()
    for cell in source(slug).cells:
        if info(cell).get("grade"):
            task = name_of(cell).split("-marks")[0]
            found[task] = found.get(task, 0) + info(cell).points
            if info(cell).solution:
                by_hand.add(task)
    return found, by_hand


def answered(released, codes):
    """A copy of the released notebook with these answers in it."""
    notebook = copy.deepcopy(released)
    for cell in notebook.cells:
        if name_of(cell) in codes:
            cell.source = dedent(codes[name_of(cell)]).strip()
    return notebook


def with_cell(notebook, code, after="setup"):
    place = [name_of(cell) for cell in notebook.cells].index(after) + 1
    notebook.cells.insert(place, new_code_cell(code))
    return notebook


# A student who knows Python wins nothing with it, wherever the trick is played.
TRICKS = """
import builtins
yes = lambda *_, **__: True
zero = lambda *_, **__: 0
expect = print
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


def tricked(code):
    """A wrong answer that says so nicely: every name that it binds is made pleasing."""
    steps = dis.get_instructions(compile(dedent(code), "answer", "exec"))
    bound = {step.argval for step in steps if step.opname == "STORE_NAME"}
    lines = [f"{name} = please({name})" for name in sorted(bound)]
    return "\n".join([dedent(code), *lines])


@cache
def trusted(slug):
    """What the tests trust; code of the setup and the tests, points of a test, by name."""
    cells = [cell for cell in source(slug).cells if cell.cell_type == "code"]
    worth = {name_of(c): info(c).points for c in cells if info(c).get("grade")}
    locked = {name_of(c): c.source for c in cells if name_of(c) in {"setup", *worth}}
    return Trusted(locked["setup"], [locked[name] for name in worth]), locked, worth


def mark(slug, notebook, apart=True, seconds=20):
    """Points by task and errors by cell, as nbgrader finds them, but in this process.

    The cells run from the top, the locked ones as the source has them. A test gives all
    of its points or none. Visible checks run too, and give no points. A cell may take
    ``seconds``. With ``apart=False`` the tests see the names as the student left them.
    Whatever the notebook does to Python, NumPy and PyTorch is undone.
    """
    modules = [builtins, numpy, numpy.testing, torch, torch.testing]
    before = [(vars(module), dict(vars(module))) for module in modules]
    try:
        return _mark(slug, notebook, apart, seconds)
    finally:
        for names, kept in before:
            names.update(kept)


def _mark(slug, notebook, apart, seconds):
    plt.switch_backend("agg")
    trust, locked, worth = trusted(slug)
    of, by_hand = points(slug)
    found, errors = dict.fromkeys(set(of) - by_hand, 0), {}
    names = {"__name__": "__main__", "__builtins__": second_builtins()}
    for cell in notebook.cells:
        name = name_of(cell)
        if cell.cell_type != "code":
            continue
        code, scope = locked.get(name, cell.source), names
        if name in worth and apart:
            scope = trust.namespace(names)
        try:
            execute(code, scope, name, seconds, names["__builtins__"])
        except (Exception, SystemExit) as error:
            errors[name] = error
        else:
            if name in worth:
                found[name.split("-marks")[0]] += worth[name]
    return found, errors


def execute(code, scope, name, seconds, second):
    """Run a cell quietly, and stop it after a while; ``builtins`` is the student's."""

    def stop(*_):
        raise TimeoutError(f"{name}: expected an end within {seconds} s")

    signal.signal(signal.SIGALRM, stop)
    first, sys.modules["builtins"] = sys.modules["builtins"], second
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, str(name), "exec"), scope)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.modules["builtins"] = first
        plt.close("all")


def grading(submissions, slug, cwd=ROOT, **env):
    """The command of ``make grade``, as arguments of Popen or run."""
    command = [sys.executable, "-m", "grader.grade", "--jobs=2", submissions, slug]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return {
        "args": list(map(str, command)),
        "cwd": cwd,
        "env": os.environ | env,
        **pipes,
    }


def marks(submissions, slug):
    """marks.csv, by student: a dict of strings, and numbers where there are some."""
    path = submissions.with_name(f"{submissions.name}-marks") / slug / "marks.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}
