"""The grader's command with a stand-in for nbgrader, which writes down what happens.

``python -m tests.homework.without_nbgrader`` takes what ``python -m grader`` takes. All
processes that it starts import this module first, so that they use the stand-in, too. What
is handed in says what happens; each line of the diary is a grading that began or ended.
"""

import json
import os
import sys
import time
from pathlib import Path

import psutil

import grader
from grader import processes

DIARY = Path(os.environ["DIARY"])  # read at once: a grading process clears them


def release(source: Path, released: Path) -> None:
    """In place of ``grader.nbgrader_steps.release``."""
    (released / "release").mkdir()
    (released / "release" / "a.txt").write_text("assignment")


def grade(paths, name, released, folder, limits) -> None:
    """Give as many marks as the file has letters, or kill the worker."""
    before = DIARY.read_text()
    write_down(paths, "begun")
    assert (released / "release" / "a.txt").read_text() == "assignment"
    student = paths[0].stem
    if "always" in student or ("once" in student and student not in before):
        # A worker is the parent of the server that has forked this process.
        psutil.Process().parent().parent().kill()
        time.sleep(60)
    time.sleep(0.3)
    (folder / "gradebook.db").write_bytes(bytes(range(256)))
    result = {"marks": {"glu-marks-1": len(paths[0].read_text())}, "remarks": []}
    (folder / "result.json").write_text(json.dumps(result))
    write_down(paths, "ended")


def write_down(paths: list[Path], event: str) -> None:
    """Add a line to the diary."""
    with DIARY.open("a") as file:
        file.write(f"{paths[0].stem} {event}\n")


def feedback(name, folder, by_hand) -> None:
    """In place of ``grader.nbgrader_steps.feedback``."""
    assert (folder / "gradebook.db").read_bytes() == bytes(range(256))
    (folder / "feedback.html").write_text("<body>fed back</body>")


grader.nbgrader_steps = sys.modules["grader.nbgrader_steps"] = sys.modules[__name__]
# Among them is nbgrader.
processes.PROCESSES.set_forkserver_preload = lambda modules: None

if __name__ == "__main__":
    from grader.__main__ import main

    main()
