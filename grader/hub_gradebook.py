"""Marks of a course on a hub, from and to nbgrader's gradebook: ``python -m grader --course``.

batch.py grades ``submitted/NAME`` of the course folder into ``marks/NAME``. Before that,
what was typed in the formgrader goes into by_hand.csv. Afterwards all marks go into the
gradebook, and graded notebooks and feedback pages into the folders from which the formgrader
and ``nbgrader release_feedback`` take them.
"""

import json
import shutil
import sys
import warnings
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.utils import parse_utc

from grader.marks import Sheet, read_by_hand, write_by_hand

# SQLAlchemy 2.1 says so of nbgrader's own lines, many times; what it names is added later.
warnings.filterwarnings("ignore", message="Object of type .* not in session")
RECEIPT = ("timestamp.txt", "submission_secret.txt")  # by them a student finds the page


def folders(course: Path, name: str) -> tuple[Path, Path]:
    """Return the folders of an assignment's submissions and of its marks."""
    return course / "submitted" / name, course / "marks" / name


def gradebook(course: Path, name: str) -> Gradebook:
    """Open the course's gradebook; exit where it does not know the assignment."""
    path = course / "gradebook.db"
    if path.is_file():
        book = Gradebook(f"sqlite:///{path}")
        try:
            book.find_notebook(name, name)
            return book
        except MissingEntry:
            book.close()
    sys.exit(
        f"COURSE: {path} does not know {name}; generate it in the formgrader first"
    )


def from_formgrader(course: Path, name: str, sheet: Sheet) -> None:
    """Copy what was typed in the formgrader into by_hand.csv.

    It was typed for the answers of the last run, whose versions by_hand.csv has.
    """
    table = folders(course, name)[1] / "by_hand.csv"
    typed = read_by_hand(table, sheet)
    with gradebook(course, name) as book:
        for student, task in typed:
            try:
                points = book.find_grade(task, name, name, student).manual_score
                comment = book.find_comment(task, name, name, student).manual_comment
            except MissingEntry:
                continue
            entry = typed[student, task]
            typed[student, task] = entry._replace(points=points, comment=comment or "")
    if typed:
        write_by_hand(table, [], typed, sheet)


def to_formgrader(course: Path, name: str, sheet: Sheet) -> None:
    """Enter marks in the gradebook, and copy notebooks and pages to nbgrader's folders."""
    submissions, out = folders(course, name)
    typed, late = read_by_hand(out / "by_hand.csv", sheet), {}
    with gradebook(course, name) as book:
        for folder in sorted(path for path in submissions.iterdir() if path.is_dir()):
            student = folder.name
            try:
                seconds = _enter(book, name, folder, out, typed)
            except MissingEntry as error:
                sys.exit(f"COURSE: {name} has changed, generate it again: {error}")
            if seconds > 0:
                late[student] = f"{student} by {seconds / 60:.0f} min"
            graded = _empty(course / "autograded" / name / student)
            notebook = out / "graded" / student / f"{name}.ipynb"
            if notebook.exists():
                shutil.copy(notebook, graded)
                _copy(folder, graded, RECEIPT[:1])
            pages = course / "feedback" / name / student
            shutil.rmtree(pages, ignore_errors=True)
            if not all((folder / receipt).is_file() for receipt in RECEIPT):
                print(f"{student}: no receipt, so nobody could fetch a page for it")
                continue
            pages.mkdir(parents=True)
            for path in folder.glob("*.ipynb"):  # the panel asks for a page to each
                page = out / "feedback" / f"{student}.html"
                if page.exists():  # not where it could not be written
                    shutil.copy(page, pages / f"{path.stem}.html")
            _copy(folder, pages, RECEIPT)
    if late:
        print("Late:", ", ".join(late.values()))


def _enter(book, name, folder, out, typed):
    """Enter the marks of one student; return how many seconds the submission was late."""
    student = folder.name
    received = _received(folder / RECEIPT[0])
    book.update_or_create_student(student)
    try:
        earlier = book.find_submission(name, student).timestamp
        if received and earlier != parse_utc(received):
            book.remove_submission(name, student)  # with points for an earlier answer
    except MissingEntry:
        pass
    submission = book.update_or_create_submission(name, student, timestamp=received)
    result = out / "graded" / student / "result.json"
    marks = json.loads(result.read_text("utf-8"))["marks"] if result.exists() else None
    (sheet,) = submission.notebooks
    sheet.flagged = marks is None  # somebody has to look at it, though not here
    if marks is None:
        marks = {grade.name: 0 for grade in sheet.grades}
    for task, points in marks.items():
        grade = book.find_grade(task, name, name, student)
        grade.auto_score, needs_marking = points, points is None
        if (student, task) in typed:
            entry = typed[student, task]
            comment = book.find_comment(task, name, name, student)
            comment.manual_comment = entry.comment or None
            grade.manual_score, needs_marking = entry.points, entry.points is None
        grade.needs_manual_grade = needs_marking
    book.db.commit()
    return submission.total_seconds_late


def _received(receipt):
    """Return when a submission came, as nbgrader has written it; None if that is no time."""
    if receipt.is_symlink() or not receipt.is_file():
        return None
    received = receipt.read_text("utf-8", errors="replace").strip()
    try:
        parse_utc(received)
    except (ValueError, OverflowError):
        return None
    return received


def _empty(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _copy(source, target, names):
    for name in names:
        if (source / name).is_file() and not (source / name).is_symlink():
            shutil.copy(source / name, target)
