"""The whole class on a cluster of two workers, one of them killed, and Ctrl-C."""

import signal
import subprocess
import time

import nbformat
import pytest

from grader.nbgrader_steps import release
from tests.homework.assignments import FOLDERS
from tests.homework.classroom import (
    ASSIGNMENT,
    a_class,
    busy_worker,
    different_marks,
    different_pages,
    graded_again,
    handed_in,
    impatient_grading,
    left_over,
    stamps,
)


def start(command, finished, number):
    """Start the command; return it once this many are graded."""
    # A shell that runs the tests in the background has them ignore Ctrl-C.
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    run = subprocess.Popen(**command, preexec_fn=heed)
    for _ in range(3000):  # five minutes, on a busy machine
        if len(stamps(finished)) >= number or run.poll() is not None:
            break
        time.sleep(0.1)
    assert run.poll() is None, run.communicate()[0]
    return run


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    """The class, after a run that was stopped and one of which a worker was killed."""
    folder = tmp_path_factory.mktemp("cluster")
    released = nbformat.read(release(FOLDERS[ASSIGNMENT], folder / "course"), 4)
    students = a_class(released)
    (folder / "class").mkdir()
    for name, (content, _, _) in students.items():
        handed_in(folder / "class", name, content)
    command = impatient_grading(folder, folder / "class")
    command["args"] += ["--cluster", "local", "--jobs", "2"]
    finished = folder / "class-marks" / ASSIGNMENT / "graded"
    process = start(command, finished, 4)
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=60)[0]
    assert process.returncode == 1 and "The same command goes on from here" in output
    assert not left_over(folder)
    stamps_before = stamps(finished)
    second = start(command, finished, len(students) // 2)
    busy_worker(second).kill()
    output = second.communicate(timeout=600)[0]
    print(output)
    assert second.returncode == 0 and stamps_before.items() <= stamps(finished).items()
    return folder, students, output


def test_everyone_gets_the_marks_due_as_without_a_cluster(batch):
    folder, students, _ = batch
    assert not (wrong := different_marks(folder / "class", students)), wrong


def test_the_table_and_the_pages_say_so_too(batch):
    folder, students, output = batch
    assert not different_pages(folder / "class", students, output)


def test_nothing_is_left_running(batch):
    assert not left_over(batch[0])


def test_a_run_without_a_cluster_finds_all_graded(batch):
    assert graded_again(batch[0]) <= {"lea-kills"}
