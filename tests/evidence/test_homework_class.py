"""A whole class, some of whom hand in what no grader likes: nobody's marks suffer."""

import signal
import subprocess
import time

import nbformat
import pytest

from grader.nbgrader_steps import release
from tests.homework.assignments import FOLDERS
from tests.homework.classroom import (
    ASSIGNMENT,
    FULL,
    a_class,
    different_marks,
    different_pages,
    graded_again,
    handed_in,
    impatient_grading,
    left_over,
    marks,
    stamps,
)
from tests.homework.marking import mark


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    """The class, graded by a run that was stopped, and a second one that went on."""
    folder = tmp_path_factory.mktemp("batch")
    released = nbformat.read(release(FOLDERS[ASSIGNMENT], folder / "course"), 4)
    students = a_class(released)
    submissions = folder / "class"
    submissions.mkdir()
    for name, (content, _, _) in students.items():
        handed_in(submissions, name, content)
    command = impatient_grading(folder, submissions)
    # A shell that runs the tests in the background has them ignore Ctrl-C.
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen(**command, preexec_fn=heed)
    finished = folder / "class-marks" / ASSIGNMENT / "graded"
    for _ in range(3000):  # five minutes, on a busy machine
        if len(list(finished.glob("*/key"))) >= 4 or process.poll() is not None:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=60)[0]
    assert process.returncode == 1 and "The same command goes on from here" in output
    assert not left_over(folder)
    stamps_before = stamps(finished)
    start = time.monotonic()
    second = subprocess.run(**command, timeout=600)
    print(second.stdout, f"{time.monotonic() - start:.0f} s")
    assert second.returncode == 0, second.stdout
    assert 4 <= len(stamps_before) < len(students)
    assert stamps_before.items() <= stamps(finished).items(), (
        "graded again what had been graded"
    )
    return folder, students, second.stdout


def test_everyone_gets_the_marks_due_or_a_reason(batch):
    folder, students, _ = batch
    assert not (wrong := different_marks(folder / "class", students)), wrong
    carl = marks(folder / "class")["carl"]
    assert carl["homogeneous"] == "0", "a proof left untouched needs no marker"


def test_the_table_and_the_pages_say_so_too(batch):
    folder, students, output = batch
    assert not different_pages(folder / "class", students, output)


def test_nothing_is_left_running(batch):
    assert not left_over(batch[0])


def test_one_more_run_changes_nothing(batch):
    assert graded_again(batch[0]) <= {"lea-kills"}


def test_marks_are_those_of_the_tests_in_one_process(batch):
    """So that ``test_answers.py`` may do without nbgrader."""
    folder, _, _ = batch
    for name in ("ada", "carl", "emil-syntax", "tina-tricks", "zack-generous"):
        notebook = nbformat.read(folder / "class" / f"{name}.ipynb", 4)
        row = marks(folder / "class")[name]
        actual, _ = mark(ASSIGNMENT, notebook)
        assert {task: float(row[task]) for task in FULL} == actual, name
