"""Marks from `make grade COURSE=…` into nbgrader's gradebook and back, without a hub."""

import csv
import json
import subprocess

import nbformat
import pytest

from grader import assignment, hub_gradebook
from grader.marks import Sheet, read_by_hand, write_by_hand
from grader.nbgrader_steps import release
from tests.homework.assignments import FOLDERS
from tests.homework.classroom import ASSIGNMENT, FULL, grading

# SQLAlchemy says so of nbgrader's own lines; what it names is added later.
pytestmark = pytest.mark.filterwarnings("ignore:Object of type")
SHEET = Sheet(assignment.read(FOLDERS[ASSIGNMENT]))
TIMES = ("2026-10-01 10:00:00.5 UTC", "2026-10-02 10:00:00.5 UTC")


def hands_in(course, student, timestamp, proof=None):
    """A submission as nbgrader has collected it, and what the grader says of it."""
    folders = hub_gradebook.folders(course, ASSIGNMENT)
    folder, out = folders[0] / student, folders[1]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "my answers.ipynb").write_text("{}")
    if timestamp:
        (folder / "timestamp.txt").write_text(timestamp)
        (folder / "submission_secret.txt").write_text("secret")
    (out / "feedback").mkdir(parents=True, exist_ok=True)
    (out / "feedback" / f"{student}.html").write_text(f"the page of {student}")
    graded = out / "graded" / student
    graded.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(), graded / f"{ASSIGNMENT}.ipynb")
    with hub_gradebook.gradebook(course, ASSIGNMENT) as book:
        cells = book.find_notebook(ASSIGNMENT, ASSIGNMENT).grade_cells
        marks = {c.name: c.max_score for c in cells}
    result = {"marks": marks | {"homogeneous": None if proof else 0}, "remarks": []}
    if proof:
        result["answers"] = {"homogeneous": proof}
    (graded / "result.json").write_text(json.dumps(result))
    table = out / "by_hand.csv"
    before = read_by_hand(table, SHEET)
    write_by_hand(table, [SHEET.row(student, result, before)], before, SHEET)


@pytest.fixture
def course(tmp_path):
    """A course whose assignment is released."""
    release(FOLDERS[ASSIGNMENT], tmp_path / "course")
    return tmp_path / "course"


def submission(course, student):
    """Return the student's score, and the grade and the comment of the proof."""
    with hub_gradebook.gradebook(course, ASSIGNMENT) as book:
        record = book.find_submission(ASSIGNMENT, student)
        grade = book.find_grade("homogeneous", ASSIGNMENT, ASSIGNMENT, student)
        return record.score, grade.needs_manual_grade, grade.manual_score


def typed(course):
    path = hub_gradebook.folders(course, ASSIGNMENT)[1] / "by_hand.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        return {
            row["student"]: (row["points"], row["comment"])
            for row in csv.DictReader(file)
        }


def test_marks_go_there_and_what_is_typed_comes_back(course):
    hands_in(course, "ada", TIMES[0], proof="Since.")
    hub_gradebook.to_formgrader(course, ASSIGNMENT, SHEET)
    full = sum(FULL.values())
    assert submission(course, "ada") == (full, True, None)
    pages = course / "feedback" / ASSIGNMENT / "ada"
    assert (pages / "my answers.html").read_text() == "the page of ada"
    assert (pages / "submission_secret.txt").read_text() == "secret"
    with hub_gradebook.gradebook(course, ASSIGNMENT) as book:
        names = ("homogeneous", ASSIGNMENT, ASSIGNMENT, "ada")
        book.find_grade(*names).manual_score = 2.5
        book.find_comment(*names).manual_comment = "Say why."
        book.db.commit()
    hub_gradebook.from_formgrader(course, ASSIGNMENT, SHEET)
    assert typed(course) == {"ada": ("2.5", "Say why.")}
    hub_gradebook.to_formgrader(course, ASSIGNMENT, SHEET)
    assert submission(course, "ada") == (full + 2.5, False, 2.5)


def test_points_for_an_earlier_answer_do_not_stay(course):
    hands_in(course, "ada", TIMES[0], proof="Since.")
    hub_gradebook.to_formgrader(course, ASSIGNMENT, SHEET)
    with hub_gradebook.gradebook(course, ASSIGNMENT) as book:
        names = ("homogeneous", ASSIGNMENT, ASSIGNMENT, "ada")
        book.find_grade(*names).manual_score = 2.5
        book.db.commit()
    hub_gradebook.from_formgrader(course, ASSIGNMENT, SHEET)
    hands_in(course, "ada", TIMES[1], proof="Because.")
    hub_gradebook.to_formgrader(course, ASSIGNMENT, SHEET)
    assert submission(course, "ada") == (sum(FULL.values()), True, None)
    assert typed(course)["ada"] == ("", "(an earlier answer had 2.5)")


def test_half_a_submission_does_not_stop_the_feedback_of_others(course, capsys):
    """nbgrader's own release of feedback would end at it."""
    hands_in(course, "ada", TIMES[0])
    hands_in(course, "ben", None)
    hub_gradebook.to_formgrader(course, ASSIGNMENT, SHEET)
    assert "ben: no receipt" in capsys.readouterr().out
    assert [p.name for p in (course / "feedback" / ASSIGNMENT).iterdir()] == ["ada"]
    assert submission(course, "ben")[0] == sum(FULL.values())


def test_what_is_missing_is_named(tmp_path):
    for folder, words in (
        ("", "expected submissions in"),
        (f"submitted/{ASSIGNMENT}", f"does not know {ASSIGNMENT}; generate it"),
    ):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        call = grading("")
        call["args"] += ["--course", str(tmp_path)]
        process = subprocess.run(**call)
        assert process.returncode == 1 and words in process.stdout
        assert process.stdout.startswith("COURSE: ") and process.stdout.count("\n") == 1


def test_a_receipt_that_says_no_time_ends_nothing(course):
    hands_in(course, "ada", "soon", "why")
    hub_gradebook.to_formgrader(course, ASSIGNMENT, SHEET)
    with hub_gradebook.gradebook(course, ASSIGNMENT) as book:
        record = book.find_submission(ASSIGNMENT, "ada")
        assert record.timestamp is None and record.score > 0
