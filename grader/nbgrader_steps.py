"""The steps that nbgrader does: release an assignment, grade a submission, write feedback.

Each submission is graded in a separate process, with a separate course folder and
gradebook, so that nothing a student's code does can reach the marks of another. These
functions run in a fresh process in an empty folder, see ``processes.py``.
"""

import json
import re
import shutil
import textwrap
from dataclasses import asdict
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from nbformat.v4 import new_notebook, new_output
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config.loader import PyFileConfigLoader

from grader.atomic import write
from grader.execute import NOT_RUN, REMARK
from grader.feedback_page import LEFT_OUT
from grader.files_and_zips import NotGraded
from grader.limits import DEFAULT, Limits
from grader.remarks import first_few
from grader.repair import load
from grader.unnamed_cells import grade_id

HERE = Path(__file__).resolve().parent
MISSING = {  # errors about something missing, and the pattern of its name
    "ModuleNotFoundError": r"named '([^']+)'",
    "FileNotFoundError": r"'[^']+'|.+(?= not found)",
}
NOT_SHOWN = {"text": "The outputs of this cell cannot be shown."}
STUDENT = "student"  # for nbgrader each is the only one, so any name will do


def nbgrader(folder: Path, limits: Limits = DEFAULT) -> NbGraderAPI:
    """Return nbgrader with our settings and these limits on a course folder."""
    config = PyFileConfigLoader("nbgrader_config.py", path=str(HERE)).load_config()
    config.CourseDirectory.root = str(folder)
    config.LimitedExecute.update(asdict(limits))
    return NbGraderAPI(config=config)


def release(source: Path, folder: Path) -> Path:
    """Write the students' version of an assignment and a gradebook that knows it.

    ``source`` is absolute; ``folder``, a course folder, may hold other assignments. Returns
    the path of the notebook, without solutions and hidden tests.
    """
    folder.mkdir(parents=True, exist_ok=True)
    course, name = nbgrader(folder), source.name
    course.coursedir.source_directory = str(source.parent)
    _require(course.generate_assignment(name, force=True, create=True))
    return Path(folder, "release", name, f"{name}.ipynb")


def grade(
    paths: list[Path], name: str, released: Path, out: Path, limits: Limits = DEFAULT
) -> None:
    """Grade one student's files in the current folder; keep in ``out`` what is needed later.

    That is result.json, the graded notebook and its gradebook. ``released`` is the course
    folder that ``release`` has written.
    """
    folder = Path.cwd()
    master = nbformat.read(released / "release" / name / f"{name}.ipynb", 4)
    try:
        notebook, remarks = load(paths, name, master)
    except NotGraded as reason:
        return _save(out, {"marks": None, "remarks": [str(reason)]})
    submitted = folder / "submitted" / STUDENT / name
    submitted.mkdir(parents=True)
    for path in (released / "release" / name).iterdir():  # the data among them
        shutil.copy(path, submitted)
    nbformat.write(notebook, submitted / f"{name}.ipynb")
    shutil.copy(released / "gradebook.db", folder)
    _require(nbgrader(folder, limits).autograde(name, STUDENT))

    shutil.copy(folder / "gradebook.db", out)
    shutil.copy(folder / "autograded" / STUDENT / name / f"{name}.ipynb", out)
    graded = nbformat.read(out / f"{name}.ipynb", 4)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        (sheet,) = book.find_submission(name, STUDENT).notebooks
        marks = {grade.name: grade.auto_score for grade in sheet.grades}
    by_hand = {task for task, points in marks.items() if points is None}
    answers = {grade_id(c): c.source for c in graded.cells if grade_id(c) in by_hand}
    remarks += incidents(graded)
    _save(out, {"marks": marks, "answers": answers, "remarks": remarks})


def incidents(notebook: NotebookNode) -> list[str]:
    """Return remarks on what happened in cells, apart from wrong answers."""
    cells_by_event = {}
    for number, cell in enumerate(notebook.cells, start=1):
        for output in cell.get("outputs", []):
            text = f"{output.get('ename')} {output.get('evalue')}"
            if sentence := output.get("metadata", {}).get(REMARK):
                event = sentence
            elif output.get("ename") in (NOT_RUN, "CellTimeoutError"):
                event = output.evalue
            elif "MemoryError" in text or "can't allocate memory" in text:
                event = "out of memory"
            elif output.get("ename") in MISSING:
                event = _missing(output.ename, str(output.get("evalue")))
            else:
                continue
            cells_by_event.setdefault(event, []).append(
                grade_id(cell) or f"cell {number}"
            )
    return [
        f"{event}: {first_few(dict.fromkeys(names))}"
        for event, names in cells_by_event.items()
    ]


def _missing(ename, evalue):
    """Say which module or file a cell has not found."""
    message = " ".join(evalue.split())
    match = re.search(MISSING[ename], message)
    if ename == "FileNotFoundError":
        return (
            f"{(match or [message])[0]} is not there when the notebook runs (of what was"
            " handed in only .py files that it imports are)"
        )
    return (
        "expected a module of requirements.txt or a .py file beside the notebook,"
        f" there is no {match[1] if match else message}"
    )


def feedback(name: str, graded: Path, by_hand: dict) -> None:
    """Write nbgrader's page on a graded submission, ``graded / "feedback.html"``.

    The names of cells that could not be shown go into ``graded / LEFT_OUT``. ``by_hand``
    has points and comment for what was marked by hand, by grade id.
    """
    folder = Path.cwd()
    shutil.copy(graded / "gradebook.db", folder)
    notebooks = folder / "autograded" / STUDENT / name
    notebooks.mkdir(parents=True)
    shutil.copy(graded / f"{name}.ipynb", notebooks)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        for task, (points, comment) in by_hand.items():
            book.find_grade(task, name, name, STUDENT).manual_score = points
            book.find_comment(task, name, name, STUDENT).manual_comment = comment
        book.db.commit()
    left_out = []
    outcome = nbgrader(folder).generate_feedback(name, STUDENT, force=True)
    if not outcome["success"]:
        path = notebooks / f"{name}.ipynb"
        notebook = nbformat.read(path, 4)
        left_out = leave_out_what_fails(notebook)
        if not left_out:
            raise RuntimeError(_reason(outcome))
        nbformat.write(notebook, path)
        _require(nbgrader(folder).generate_feedback(name, STUDENT, force=True))
    write(graded / LEFT_OUT, json.dumps(left_out))
    page = folder / "feedback" / STUDENT / name / f"{name}.html"
    shutil.copy(page, graded / "feedback.html")


def leave_out_what_fails(notebook: NotebookNode) -> list[str]:
    """Replace the cells that cannot be shown on a page, and return their names.

    Changes ``notebook``: a text is shown as it was typed; outputs are left out.
    """
    config = PyFileConfigLoader("nbgrader_config.py", path=str(HERE)).load_config()
    exporter, names = HTMLExporter(config=config), []
    for number, cell in enumerate(notebook.cells, start=1):
        try:
            exporter.from_notebook_node(new_notebook(cells=[cell]))
            continue
        except Exception:  # whatever a text or an output makes the exporter raise
            names.append(grade_id(cell) or f"cell {number}")
        if cell.cell_type == "code":
            cell.outputs = [new_output("stream", **NOT_SHOWN)]
        else:
            cell.attachments = {}
            text = textwrap.indent(cell.source, "    ")
            cell.source = f"This text is shown as it was typed.\n\n{text}"
    return names


def _require(outcome):
    if not outcome["success"]:
        raise RuntimeError(_reason(outcome))


def _reason(outcome):
    """Return in one line why nbgrader has failed; print its whole log."""
    log = f"{outcome.get('log') or ''}\n{outcome.get('error') or ''}"
    print(log)
    errors = re.findall(r"^ {4}([\w.]+(?:Error|Exception|Notebook)\b.*)$", log, re.M)
    return (errors or log.strip().split("\n"))[-1][:300]


def _save(out, result):
    write(out / "result.json", json.dumps(result, ensure_ascii=False, indent=1))
