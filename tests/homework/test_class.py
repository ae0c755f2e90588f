"""A few of a class, graded as a teacher does; the whole of it: tests/evidence."""

import os
import subprocess
import sys
import threading

import nbformat
import pytest

from grader import processes
from grader.__main__ import main
from grader.jobs import Job, Step
from tests.homework.assignments import ASSIGNMENTS, SOURCE, released
from tests.homework.classroom import (
    ASSIGNMENT,
    FULL,
    a_class,
    different_marks,
    different_pages,
    graded_again,
    grading,
    handed_in,
    impatient_grading,
    left_over,
    marks,
)
from tests.homework.marking import mark

# Whose kernels run: right answers, an exit, no end, a process left behind, two cheats.
GRADED = [
    "ada",
    "finn-exits",
    "hugo-loop",
    "dirk-daemon",
    "tina-tricks",
    "zack-generous",
    "petra-plots",
]


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The folder, what its students handed in and what the grader has printed."""
    folder = tmp_path_factory.mktemp("few")
    students = {
        name: entry
        for name, entry in a_class(released(ASSIGNMENT)).items()
        if name in GRADED or (entry[1] is None and name != "lea-kills")
    }
    (folder / "class").mkdir()
    for name, (content, _, _) in students.items():
        handed_in(folder / "class", name, content)
    command = impatient_grading(folder, folder / "class")
    process = subprocess.run(**command, timeout=300)
    assert process.returncode == 0, process.stdout
    return folder, students, process.stdout


def test_everyone_gets_the_marks_due_or_a_reason(graded):
    folder, students, _ = graded
    assert not (wrong := different_marks(folder / "class", students)), wrong


def test_the_table_and_the_pages_say_so_too(graded):
    folder, students, output = graded
    assert not different_pages(folder / "class", students, output)


def test_a_page_shows_the_figures_of_a_submission(graded):
    page = graded[0] / "class-marks" / ASSIGNMENT / "feedback" / "petra-plots.html"
    assert "data:image/png;base64" in page.read_text(encoding="utf-8")


def test_nothing_is_left_running(graded):
    assert not left_over(graded[0])


def test_one_more_run_changes_nothing(graded):
    assert not graded_again(graded[0])


def test_marks_are_those_of_the_tests_in_one_process(graded):
    """So that ``test_answers.py`` may do without nbgrader."""
    folder, _, _ = graded
    for name in ("ada", "tina-tricks", "zack-generous"):
        notebook = nbformat.read(folder / "class" / f"{name}.ipynb", 4)
        row = marks(folder / "class")[name]
        actual, _ = mark(ASSIGNMENT, notebook)
        assert {task: float(row[task]) for task in FULL} == actual, name


def test_nothing_starts_once_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "_stopped", threading.Event())
    processes.stop()
    with pytest.raises(processes.Stopped):
        processes.in_process(Job(Step.GRADE, tmp_path))
    assert not list(tmp_path.iterdir()), "expected no log, since nothing has run"


@pytest.mark.parametrize(
    ("folder", "assignment", "words"),
    [
        ("nowhere", ASSIGNMENTS[0], "expected a folder, got"),
        ("", ASSIGNMENTS[0], "expected a folder, got ''"),
        ("empty", ASSIGNMENTS[0], "empty is empty"),
        ("empty", "99_none", f"expected one of {', '.join(ASSIGNMENTS)}; got"),
        ("empty", "", f"expected one of {', '.join(ASSIGNMENTS)}; got"),
    ],
)
def test_arguments_that_are_wrong_are_named(
    tmp_path, monkeypatch, folder, assignment, words
):
    (tmp_path / "empty").mkdir()
    submissions = str(tmp_path / folder) if folder else ""
    source = f"{SOURCE}/{assignment}"  # as the Makefile has it
    monkeypatch.setattr(sys, "argv", ["grader", submissions, source])
    with pytest.raises(SystemExit, match=words) as reason:
        main()
    assert "\n" not in str(reason.value)
    assert not os.listdir(tmp_path / "empty") and os.listdir(tmp_path) == ["empty"]


def test_the_command_says_what_is_wrong_and_fails(tmp_path):
    process = subprocess.run(**grading(tmp_path / "nowhere"))
    assert process.returncode == 1 and len(process.stdout.splitlines()) == 1
    assert process.stdout.startswith("SUBMISSIONS: expected a folder, got")
