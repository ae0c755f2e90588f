"""Grade a folder of submissions: ``python -m grader SUBMISSIONS ASSIGNMENT``.

The submissions are only read. What is written lies beside their folder, by default in
``SUBMISSIONS-marks/NAME``: marks.csv, by_hand.csv, a feedback page for each student
and, in ``graded`` and ``assignment``, what is needed to go on where a run was stopped.
"""

import argparse
import os
import sys
from pathlib import Path

from grader import assignment, batch


def main() -> None:
    """Read the arguments and grade."""
    parser = argparse.ArgumentParser(prog="grader")
    parser.add_argument(
        "submissions", help="folder with a file or a folder per student"
    )
    parser.add_argument("assignment", help="folder NAME with the notebook NAME.ipynb")
    parser.add_argument("--out", help="folder for marks and feedback")
    cores = os.cpu_count() or 1
    parser.add_argument("--jobs", type=int, default=cores, help="submissions at a time")
    parser.add_argument("--cluster", help="tcp://scheduler:8786, tls://… or local")
    options = parser.parse_args()
    source = assignment.find(options.assignment)
    folder = Path(options.submissions).expanduser().resolve()
    if not options.submissions or not folder.is_dir():
        sys.exit(f"SUBMISSIONS: expected a folder, got {options.submissions!r}")
    out = folder.parent / f"{folder.name}-marks" / source.name
    if options.out:
        out = Path(options.out).expanduser().resolve()
    try:
        batch.run(folder, source, out, options.jobs, options.cluster)
    except KeyboardInterrupt:
        sys.exit("\nStopped. The same command goes on from here.")


if __name__ == "__main__":
    main()
