"""What nbgrader does for us: release an assignment, grade a submission, write feedback.

Each submission is graded in a process and a course folder of its own, with a gradebook
of its own, so that nothing a student's code does reaches the marks of another. These
functions run in a fresh process in an empty folder, see ``grade.py``.
"""

import json
import os
import shutil
import sys
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config.loader import PyFileConfigLoader

from grader.limits import NOT_RUN
from grader.report import write
from grader.submissions import NotGraded, grade_id, load, some

HERE = Path(__file__).resolve().parent
STUDENT = "student"  # to nbgrader each is the only one; no name has to suit its rules


def nbgrader(folder):
    """nbgrader with our settings on a course folder."""
    tools = str(Path(sys.executable).parent)  # it calls alembic, by this bare name
    os.environ["PATH"] = os.pathsep.join([tools, os.environ.get("PATH", "")])
    config = PyFileConfigLoader("nbgrader_config.py", path=str(HERE)).load_config()
    config.CourseDirectory.root = str(folder)
    return NbGraderAPI(config=config)


def release(slug, folder):
    """Write the students' version of an assignment and a gradebook that knows it.

    Returns
    -------
    Path
        The notebook, without solutions and hidden tests.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _require(nbgrader(folder).generate_assignment(slug, force=True, create=True))
    return Path(folder, "release", slug, f"{slug}.ipynb")


def grade(paths, slug, template, place):
    """Grade one submission in the current folder; keep in ``place`` what is needed later.

    Parameters
    ----------
    paths : list of Path
        The files of one student.
    slug : str
        The assignment.
    template : Path
        The course folder that ``release`` has written.
    place : Path
        Where result.json, the graded notebook and its gradebook go.
    """
    folder = Path.cwd()
    master = nbformat.read(template / "release" / slug / f"{slug}.ipynb", 4)
    try:
        notebook, remarks = load(paths, slug, master)
    except NotGraded as reason:
        return _save(place, {"marks": None, "remarks": [str(reason)]})
    submitted = folder / "submitted" / STUDENT / slug
    submitted.mkdir(parents=True)
    nbformat.write(notebook, submitted / f"{slug}.ipynb")
    shutil.copy(template / "gradebook.db", folder)
    _require(nbgrader(folder).autograde(slug, STUDENT))

    shutil.copy(folder / "gradebook.db", place)
    shutil.copy(folder / "autograded" / STUDENT / slug / f"{slug}.ipynb", place)
    graded = nbformat.read(place / f"{slug}.ipynb", 4)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        (sheet,) = book.find_submission(slug, STUDENT).notebooks
        marks = {grade.name: grade.auto_score for grade in sheet.grades}
    by_hand = {name for name, points in marks.items() if points is None}
    answers = {grade_id(c): c.source for c in graded.cells if grade_id(c) in by_hand}
    remarks += incidents(graded)
    _save(place, {"marks": marks, "answers": answers, "remarks": remarks})


def incidents(notebook):
    """What happened to cells, where it was more than a wrong answer."""
    found = {}
    for number, cell in enumerate(notebook.cells, start=1):
        for output in cell.get("outputs", []):
            text = f"{output.get('ename')} {output.get('evalue')}"
            if output.get("ename") in (NOT_RUN, "CellTimeoutError"):
                what = output.evalue
            elif "MemoryError" in text or "can't allocate memory" in text:
                what = "out of memory"
            else:
                continue
            found.setdefault(what, []).append(grade_id(cell) or f"cell {number}")
    return [f"{what}: {some(dict.fromkeys(names))}" for what, names in found.items()]


def feedback(slug, place, by_hand):
    """Write nbgrader's page on a graded submission, ``place / "feedback.html"``.

    Parameters
    ----------
    by_hand : dict of str to (float, str)
        Points and comment for what was marked by hand, by grade id.
    """
    folder = Path.cwd()
    shutil.copy(place / "gradebook.db", folder)
    notebooks = folder / "autograded" / STUDENT / slug
    notebooks.mkdir(parents=True)
    shutil.copy(place / f"{slug}.ipynb", notebooks)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        for name, (points, comment) in by_hand.items():
            book.find_grade(name, slug, slug, STUDENT).manual_score = points
            book.find_comment(name, slug, slug, STUDENT).manual_comment = comment
        book.db.commit()
    _require(nbgrader(folder).generate_feedback(slug, STUDENT, force=True))
    page = folder / "feedback" / STUDENT / slug / f"{slug}.html"
    shutil.copy(page, place / "feedback.html")


def _require(done):
    if not done["success"]:
        raise RuntimeError(f"{done.get('log', '')}\n{done['error']}")


def _save(place, result):
    write(place / "result.json", json.dumps(result, ensure_ascii=False, indent=1))
