"""What a person marks: points and comments in a spreadsheet."""

import subprocess

import nbformat
import pytest

from grader.course import release
from grader.report import BY_HAND, Sheet, read_by_hand
from tests.homework.assignments import FOLDERS, answered, teachers
from tests.homework.classroom import ASSIGNMENT, grading, marks


def test_points_typed_by_hand_are_added_and_kept(tmp_path):
    released = nbformat.read(release(FOLDERS[ASSIGNMENT], tmp_path / "course"), 4)
    submissions, out = tmp_path / "class", tmp_path / "class-marks" / ASSIGNMENT
    submissions.mkdir()

    def hand_in(proof):
        notebook = answered(released, {"homogeneous": proof})
        nbformat.write(notebook, submissions / "ada.ipynb")

    def grade():
        done = subprocess.run(**grading(submissions), timeout=120)
        return done, marks(submissions)["ada"]

    def type_points(old, new):
        path = out / "by_hand.csv"
        text = path.read_text("utf-8-sig")
        assert old in text
        text = text.replace(old, new).replace("∀", "?").replace(",", ";")
        path.write_text(text.replace("2.5", "2,5"), "gb2312")  # as a spreadsheet might

    hand_in("- Each layer passes\nthe factor on, ∀α.")
    done, row = grade()
    assert "1 answers to mark by hand" in done.stdout and row["homogeneous"] == ""
    assert "not yet marked" in (out / "feedback" / "ada.html").read_text()
    type_points("homogeneous,,3,,", "homogeneous,2.5,3,缺归纳,")
    _, row = grade()
    assert (row["homogeneous"], row["sum"]) == ("2.5", "2.5")
    page = (out / "feedback" / "ada.html").read_text()
    assert "缺归纳" in page and "Score: 2.5 / 3.0" in page
    hand_in("Another proof.")  # the points were for the first
    _, row = grade()
    assert row["homogeneous"] == "" and "had 2.5" in (out / "by_hand.csv").read_text()
    type_points("homogeneous,,3", "homogeneous,4,3")
    done, _ = grade()
    assert (
        done.returncode == 1 and "expected points from 0 to 3, got '4'" in done.stdout
    )


@pytest.mark.parametrize("points", ["4", "-1", "nan", "two"])
def test_points_that_cannot_be_are_refused(tmp_path, points):
    path = tmp_path / "by_hand.csv"
    path.write_text(f"{','.join(BY_HAND)}\nada,homogeneous,{points},3,,a,v1\n")
    with pytest.raises(SystemExit, match=f"row 2: .* from 0 to 3, got '{points}'"):
        read_by_hand(path, Sheet(teachers(ASSIGNMENT)))
