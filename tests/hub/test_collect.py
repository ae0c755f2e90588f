"""What the formgrader's *Collect* takes from the exchange, and what it leaves out."""

import getpass
import logging
import os

import pytest
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from grader.hub_collect import Collect
from tests.homework.classroom import ASSIGNMENT
from tests.hub.client import COURSE


@pytest.fixture
def collect(tmp_path):
    """Collects into ``submitted`` of this folder; what is left out is logged."""
    (tmp_path / "exchange" / COURSE / "inbound").mkdir(parents=True)
    config = Config()
    config.CourseDirectory.root = str(tmp_path)
    config.CourseDirectory.course_id = COURSE
    config.CourseDirectory.assignment_id = ASSIGNMENT
    structure = "{nbgrader_step}/{assignment_id}/{student_id}"
    config.CourseDirectory.directory_structure = structure
    config.ExchangeCollect.update = True
    config.ExchangeCollect.check_owner = False
    config.Exchange.root = str(tmp_path / "exchange")

    def run(**options):
        for name, value in options.items():
            config.ExchangeCollect[name] = value
        log = logging.getLogger("collect")
        Collect(
            coursedir=CourseDirectory(config=config), config=config, log=log
        ).start()
        folder = tmp_path / "submitted" / ASSIGNMENT
        return {p.parent.name: p.read_text() for p in folder.glob("*/*.ipynb")}

    return run


def submission(folder, student, hour, text="an answer"):
    """Return a folder of the exchange, as nbgrader names it."""
    timestamp = f"2026-10-01 {hour:02}:00:00.000000 UTC"
    inbound = folder / "exchange" / COURSE / "inbound"
    submitted = inbound / f"{student}+{ASSIGNMENT}+{timestamp}+secret"
    submitted.mkdir()
    (submitted / "timestamp.txt").write_text(timestamp)
    (submitted / f"{ASSIGNMENT}.ipynb").write_text(text)
    return submitted


def test_the_last_submission_counts(collect, tmp_path):
    for hour in (9, 11, 10):
        submission(tmp_path, "ada", hour, f"of {hour}")
    submission(tmp_path, "ben", 8)
    assert collect() == {"ada": "of 11", "ben": "an answer"}
    submission(tmp_path, "ada", 12, "of 12")
    assert collect() == {"ada": "of 12", "ben": "an answer"}


def test_no_link_is_followed(collect, tmp_path, caplog):
    (tmp_path / "solution.ipynb").write_text("the solution")
    submission(tmp_path, "ada", 9)
    later = submission(tmp_path, "ada", 10) / f"{ASSIGNMENT}.ipynb"
    later.unlink()
    later.symlink_to(tmp_path / "solution.ipynb")
    inbound = later.parent.parent
    name = f"ben+{ASSIGNMENT}+2026-10-01 09:00:00.000000 UTC+secret"
    (inbound / name).symlink_to(tmp_path)
    os.mkfifo(submission(tmp_path, "chen", 9) / "pipe")
    assert collect() == {"ada": "an answer"}
    assert caplog.text.count("Left out: ") == 3


def test_no_link_is_followed_that_was_a_file_a_moment_ago(
    collect, tmp_path, caplog, monkeypatch
):
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / f"{ASSIGNMENT}.ipynb").write_text("the solution")
    swapped = submission(tmp_path, "ada", 9) / f"{ASSIGNMENT}.ipynb"
    piped = submission(tmp_path, "chen", 9) / f"{ASSIGNMENT}.ipynb"
    (nested := submission(tmp_path, "dora", 9) / "more").mkdir()
    moved = submission(tmp_path, "emil", 9)
    submission(tmp_path, "ben", 9)
    refuse = Collect._refuse

    def refuse_then_swap(self, folder, student):
        refuse(self, folder, student)
        if student == "emil":  # the last of those that change
            swapped.unlink()
            swapped.symlink_to(tmp_path / "secrets" / swapped.name)
            piped.unlink()
            os.mkfifo(piped)
            nested.rmdir()
            nested.symlink_to(tmp_path / "secrets")
            moved.rename(moved.with_name("elsewhere"))
            moved.symlink_to(tmp_path / "secrets")

    monkeypatch.setattr(Collect, "_refuse", refuse_then_swap)
    assert collect() == {"ben": "an answer", "dora": "an answer"}
    assert caplog.text.count("Left out: ") == 2
    assert not list((tmp_path / "submitted").rglob("more"))


def test_a_large_one_stops_nobody(collect, tmp_path, caplog):
    submission(tmp_path, "ada", 9)
    with (submission(tmp_path, "ben", 9) / "large").open("wb") as file:
        file.truncate(200_000_000)
    assert collect() == {"ada": "an answer"}
    assert "expected at most 100000000 bytes, got 200" in caplog.text


def test_a_name_leads_nowhere_and_stops_nobody(collect, tmp_path, caplog):
    submission(tmp_path, "ada", 9)
    assert collect() == {"ada": "an answer"}
    submission(tmp_path, "..", 10)
    submission(tmp_path, "", 10)
    for name in (f"ben+{ASSIGNMENT}+yesterday+secret", f"ben+{ASSIGNMENT}+"):
        (tmp_path / "exchange" / COURSE / "inbound" / name).mkdir()
    assert collect() == {"ada": "an answer"}
    assert caplog.text.count("Left out: ") == 4


def test_nobody_submits_for_another_user_of_the_system(collect, tmp_path, caplog):
    me = getpass.getuser()
    submission(tmp_path, me, 9)
    submission(tmp_path, "ada", 9)
    assert set(collect(check_owner=True)) == {me}
    assert f"expected ada's own, got {me}'s" in caplog.text
