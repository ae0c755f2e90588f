"""What the tests of the homework share: sources, answers, submissions, a graded folder."""

import copy
import csv
import importlib
import os
import subprocess
import sys
from functools import cache
from textwrap import dedent

import nbformat

from tests.notebooks import ROOT

SOURCES = sorted((ROOT / "homework" / "source").glob("*/*.ipynb"))
ASSIGNMENTS = [path.stem for path in SOURCES]


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
