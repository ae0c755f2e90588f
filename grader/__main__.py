"""Grade a folder of submissions: ``python -m grader SUBMISSIONS ASSIGNMENT``.

The submissions are only read. What is written lies beside their folder, by default in
``SUBMISSIONS-marks/NAME``: marks.csv, by_hand.csv, a feedback page for each student
and, in ``graded`` and ``assignment``, what is needed to go on where a run was stopped.
"""

import argparse
import os
import sys
from contextlib import closing
from pathlib import Path

from grader import assignment, batch
from grader.jobs import Runner
from grader.limits import DEFAULT, Limits
from grader.marks import Sheet
from grader.processes import Processes


def main(limits: Limits = DEFAULT) -> None:
    """Read the arguments of the command and grade, each submission within the limits."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # names may hold letters that it lacks
            stream.reconfigure(errors="replace")
    parser = argparse.ArgumentParser(prog="grader")
    parser.add_argument(
        "submissions", help="folder with a file or a folder for each student"
    )
    parser.add_argument("assignment", help="its folder NAME, which holds NAME.ipynb")
    parser.add_argument(
        "--out", help="folder for marks and feedback; default: SUBMISSIONS-marks/NAME"
    )
    parser.add_argument(
        "--course", help="nbgrader's course folder: grade what the hub has collected"
    )
    cores = os.cpu_count() or 1
    parser.add_argument(
        "--jobs", type=int, default=cores, help="submissions to grade at a time"
    )
    parser.add_argument(
        "--cluster", help="Dask scheduler, tcp://… or tls://…, or: local"
    )
    options = parser.parse_args()
    if options.jobs < 1:
        parser.error(f"--jobs: expected 1 or more, got {options.jobs}")
    source = assignment.find(options.assignment)
    if options.course:
        course = Path(options.course).expanduser().resolve()
        return in_course(course, source, options, limits)
    folder = Path(options.submissions).expanduser().resolve()
    if not options.submissions or not folder.is_dir():
        sys.exit(f"SUBMISSIONS: expected a folder, got {options.submissions!r}")
    out = folder.parent / f"{folder.name}-marks" / source.name
    if options.out:
        out = Path(options.out).expanduser().resolve()
    grade(folder, source, out, options, limits)


def in_course(
    course: Path, source: Path, options: argparse.Namespace, limits: Limits
) -> None:
    """Grade what nbgrader has collected from a hub, and enter the marks in its gradebook."""
    from grader import hub_gradebook  # here, as nbgrader takes two seconds to load

    folder, out = hub_gradebook.folders(course, source.name)
    if not folder.is_dir():
        sys.exit(f"COURSE: expected submissions in {folder}; collect them first")
    sheet = Sheet(assignment.read(source))
    hub_gradebook.from_formgrader(course, source.name, sheet)
    grade(folder, source, out, options, limits)
    hub_gradebook.to_formgrader(course, source.name, sheet)


def grade(
    folder: Path, source: Path, out: Path, options: argparse.Namespace, limits: Limits
) -> None:
    """Grade a folder; Ctrl-C ends with a sentence."""
    try:
        with closing(runner(options.jobs, options.cluster)) as chosen:
            batch.run(folder, source, out, chosen, limits)
    except KeyboardInterrupt:
        sys.exit("\nStopped. The same command goes on from here.")


def runner(jobs: int, address: str | None) -> Runner:
    """Choose who runs submissions: this computer or, by its address, a cluster."""
    if not address:
        return Processes(jobs)
    from grader.cluster import Cluster  # here, as nobody else needs Dask

    return Cluster(address, jobs)


if __name__ == "__main__":
    main()
