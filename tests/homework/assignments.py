"""The assignments of the book, and the sample: teachers' notebooks, points, answers."""

import copy
import importlib
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent
from types import ModuleType

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from grader import assignment, nbgrader_steps

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "homework" / "source"
BOOK = {path.name: path for path in assignment.assignments(SOURCE)}
ASSIGNMENTS = list(BOOK)
NOTEBOOKS = [assignment.notebook_path(folder) for folder in BOOK.values()]
# What the tests of the grader hand in; see sample/__init__.py.
SAMPLE = "90_sample"
FOLDERS = BOOK | {SAMPLE: Path(__file__).resolve().parent / "sample" / SAMPLE}


@cache
def teachers(name: str) -> NotebookNode:
    """Return the notebook with solutions and hidden tests, checker inserted; not to change."""
    return assignment.read(FOLDERS[name])


@cache
def _course() -> TemporaryDirectory:
    """Return one folder for all, since nbgrader takes seconds to begin a gradebook."""
    return TemporaryDirectory()


@cache
def released(name: str) -> NotebookNode:
    """Return what nbgrader makes of it for students; not to change."""
    path = nbgrader_steps.release(FOLDERS[name], Path(_course().name))
    return nbformat.read(path, 4)


def module_of_answers(name: str) -> ModuleType:
    """Return the file with the answers to an assignment."""
    file = "sample.answers" if name == SAMPLE else f"answers.{name}"
    return importlib.import_module(f"tests.homework.{file}")


@cache
def answers(name: str) -> tuple[dict, dict]:
    """Return ``RIGHT`` and ``WRONG`` of an assignment; wrong ones: (description, code, points)."""
    module = module_of_answers(name)
    wrong = {
        task: [
            (description, *(entry if isinstance(entry, tuple) else (entry, 0)))
            for description, entry in entries.items()
        ]
        for task, entries in module.WRONG.items()
    }
    return module.RIGHT, wrong


def slips(name: str) -> dict:
    """Return ``SLIPS`` of an assignment: what is wrong in the code to mend, by task."""
    return getattr(module_of_answers(name), "SLIPS", {})


def kinds(name: str) -> dict:
    """Return what kind of work a task is, by task, from the table in the first cell."""
    rows = re.findall(
        r"^\| `([\w-]+)` \| ([^|]+?) \|(?: \d+ \|)? \d+ \|$",
        teachers(name).cells[0].source,
        re.M,
    )
    return dict(rows)


def text_of(name: str, task: str) -> str:
    """Return what students read about a task, without its heading."""
    (text,) = [c.source for c in teachers(name).cells if f"## `{task}` ·" in c.source]
    return text.partition("\n")[2]


def info(cell: NotebookNode) -> dict:
    """Return what nbgrader notes of a cell."""
    return cell.metadata.get("nbgrader", {})


def name_of(cell: NotebookNode) -> str | None:
    """Return nbgrader's name of a cell."""
    return info(cell).get("grade_id")


def points(name: str) -> tuple[dict, set]:
    """Return points by task, and the tasks that are marked by hand."""
    points_by_task, by_hand = {}, set()
    for cell in teachers(name).cells:
        if info(cell).get("grade"):
            task = name_of(cell).split("-marks")[0]
            points_by_task[task] = points_by_task.get(task, 0) + info(cell).points
            if info(cell).solution:
                by_hand.add(task)
    return points_by_task, by_hand


def full_marks(name: str) -> dict[str, int]:
    """Return points by task, of those that no person marks."""
    points_by_task, by_hand = points(name)
    return {task: n for task, n in points_by_task.items() if task not in by_hand}


def answered(notebook: NotebookNode, codes: dict) -> NotebookNode:
    """Return a copy of the released notebook with these answers in it."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        if name_of(cell) in codes:
            cell.source = dedent(codes[name_of(cell)]).strip()
    return notebook


def with_cell(notebook: NotebookNode, code: str, after: str = "setup") -> NotebookNode:
    """Insert a cell of the student's own after that of this name; return the notebook."""
    index = [name_of(cell) for cell in notebook.cells].index(after) + 1
    notebook.cells.insert(index, new_code_cell(code))
    return notebook
