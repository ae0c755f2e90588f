"""What the tests of the homework share: sources, answers, submissions, marks."""

import contextlib
import copy
import csv
import importlib
import io
import os
import signal
import subprocess
import sys
from functools import cache
from textwrap import dedent

import matplotlib
import nbformat
from nbformat.v4 import new_code_cell

from chapters import ROOT
from homework.trust import Trusted

SOURCES = sorted((ROOT / "homework" / "source").glob("*/*.ipynb"))
ASSIGNMENTS = [path.stem for path in SOURCES]
MOST_SECONDS = 20  # a cell


@cache
def answers(slug):
    """``RIGHT`` and ``WRONG`` of an assignment; a wrong answer as (what, code, points)."""
    module = importlib.import_module(f"tests.answers.{slug}")
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


@cache
def trusted(slug):
    """The setup and the test cells of an assignment, by name; what the tests trust."""
    cells = {name_of(c): c.source for c in source(slug).cells if c.cell_type == "code"}
    tests = {name: code for name, code in cells.items() if "-marks" in str(name)}
    return Trusted(cells["setup"], list(tests.values())), cells["setup"], tests


def mark(slug, notebook, apart=True):
    """Points by task and errors by cell, as nbgrader finds them, but in this process.

    The cells run from the top, the locked ones as the source has them. A test gives all
    of its points or none. Visible checks run too, and give no points. With ``apart=False``
    the tests see the names as the student left them.
    """
    matplotlib.use("agg")
    trust, setup, tests = trusted(slug)
    of, by_hand = points(slug)
    found, errors = dict.fromkeys(set(of) - by_hand, 0), {}
    names = {"__name__": "__main__"}
    for cell in notebook.cells:
        name = name_of(cell)
        if cell.cell_type != "code":
            continue
        code, scope = {"setup": setup, **tests}.get(name, cell.source), names
        if name in tests and apart:
            scope = trust.namespace(names)
        try:
            execute(code, scope, name)
        except (Exception, SystemExit) as error:
            errors[name] = error
        else:
            if name in tests:
                found[name.split("-marks")[0]] += info(cell).points
    return found, errors


def execute(code, scope, name):
    """Run a cell quietly, for ``MOST_SECONDS``."""

    def stop(*_):
        raise TimeoutError(f"{name}: expected an end within {MOST_SECONDS} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(MOST_SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, str(name), "exec"), scope)
    finally:
        signal.alarm(0)


def grading(submissions, slug, cwd=ROOT, **env):
    """The command of ``make grade``, as arguments of Popen or run."""
    command = [sys.executable, "-m", "homework.grade", "--jobs=2", submissions, slug]
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
