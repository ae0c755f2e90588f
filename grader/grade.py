"""Grade a folder of submissions: ``make grade SUBMISSIONS=folder ASSIGNMENT=NN_slug``.

The submissions are only read. Beside their folder another one is written,
``folder-marks/NN_slug``, with marks.csv, by_hand.csv, a feedback page for each student
and, in ``graded`` and ``assignment``, what is needed to go on where a run was stopped.
"""

import argparse
import hashlib
import json
import os
import shutil
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import monotonic

from grader import report
from grader.processes import in_process, prepare, stop
from grader.release import ASSIGNMENTS

HERE = Path(__file__).resolve().parent


def main():
    """Read the arguments and grade."""
    parser = argparse.ArgumentParser(prog="grade")
    parser.add_argument(
        "submissions", help="folder with a file or a folder per student"
    )
    parser.add_argument("assignment", help="NN_slug, a folder in homework/source")
    parser.add_argument("--jobs", type=int, default=1, help="submissions at a time")
    options = parser.parse_args()
    folder, slug = Path(options.submissions).expanduser().resolve(), options.assignment
    if slug not in ASSIGNMENTS:
        sys.exit(f"ASSIGNMENT: expected one of {', '.join(ASSIGNMENTS)}, got {slug!r}")
    if not options.submissions or not folder.is_dir():
        sys.exit(f"SUBMISSIONS: expected a folder, got {options.submissions!r}")
    try:
        run(folder, slug, options.jobs)
    except KeyboardInterrupt:
        sys.exit("\nStopped. The same command goes on from here.")


def run(folder, slug, jobs=1):
    """Grade what is new or changed in ``folder`` and report on everything in it."""
    start, out = monotonic(), folder.parent / f"{folder.name}-marks" / slug
    sheet = report.Sheet(json.loads(ASSIGNMENTS[slug].read_text("utf-8")))
    typed = report.read_by_hand(out / "by_hand.csv", sheet)
    students = collect(folder)
    if not students:
        sys.exit(f"SUBMISSIONS: {folder} is empty")
    (out / "feedback").mkdir(parents=True, exist_ok=True)
    prepare()
    template, edition = out / "assignment", _key(slug, [])
    if _text(template / "key") != edition:
        shutil.rmtree(template, ignore_errors=True)
        template.mkdir()
        if error := in_process("release", template, slug, template):
            sys.exit(f"{slug} could not be released: {error}")
        report.write(template / "key", edition)
    one = partial(grade_one, slug, template, out, sheet, typed)
    pool, rows = ThreadPoolExecutor(jobs), []
    try:
        for row in pool.map(lambda name: one(name, students[name]), students):
            rows.append(row)
            report.progress(len(rows), len(students), row["student"])
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        stop()
        raise
    pool.shutdown()
    unknown = report.write_by_hand(out / "by_hand.csv", rows, typed, sheet)
    report.write_marks(out / "marks.csv", rows, sheet)
    print(report.table(rows, sheet))
    print(report.summary(rows, sheet, out, unknown, monotonic() - start))


def collect(folder):
    """The files of each student, ``{name: [path, …]}``, without the hidden ones.

    Of links only the name is known: what they lead to may be another student's.
    """
    students = {}
    for entry in sorted(folder.iterdir()):
        if _hidden(entry.name):
            continue
        name = os.fsencode(entry.name if entry.is_dir() else entry.stem)
        name = unicodedata.normalize("NFC", name.decode(errors="replace"))
        alone = entry.is_file() or entry.is_symlink()
        students.setdefault(name, []).extend(
            path
            for path in ([entry] if alone else sorted(entry.rglob("*")))
            if (path.is_file() or path.is_symlink())
            and not any(map(_hidden, path.relative_to(folder).parts))
        )
    return students


def _hidden(name):
    return name.startswith((".", "__MACOSX")) or name in ("Thumbs.db", "desktop.ini")


def grade_one(slug, template, out, sheet, typed, student, paths):
    """Marks of one student, from an earlier run where nothing has changed since."""
    place = out / "graded" / student
    try:
        key = _key(slug, paths)
        result = _stored(place, key)
        if result is None:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            error = in_process("grade", place, paths, slug, template, place)
            if (place / "result.json").exists():
                report.write(place / "key", key)  # now the result is complete
            result = _stored(place, key)
            if result is None:
                result = {"marks": None, "remarks": [f"grading failed: {error}"]}
    except OSError as error:
        result = {"marks": None, "remarks": [f"cannot be read: {error}"]}
    row = sheet.row(student, result, typed)
    page, stamp = out / "feedback" / f"{student}.html", report.stamp(row)
    if not page.exists() or stamp not in page.read_text("utf-8")[:100]:
        html = ""
        if row["graded"]:
            if in_process("feedback", place, slug, place, row["by_hand"]):
                stamp = "incomplete, to be written again"
            else:
                html = (place / "feedback.html").read_text("utf-8")
        report.write(page, f"<!-- {stamp} -->\n" + report.page(slug, row, sheet, html))
    return row


def _key(slug, paths):
    """A name for the state of assignment, grader and submission."""
    names = ("course", "limits", "nbgrader_config", "submissions", "trust")
    digest = hashlib.sha256(version("nbgrader").encode())
    for path in [ASSIGNMENTS[slug], *(HERE / f"{name}.py" for name in names)]:
        digest.update(path.read_bytes())
    for path in paths:
        digest.update(os.fsencode(path.name))
        digest.update(b"a link" if path.is_symlink() else path.read_bytes())
    return digest.hexdigest()


def _stored(place, key):
    if _text(place / "key") != key:
        return None
    try:
        return json.loads((place / "result.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _text(path):
    return path.read_text("utf-8") if path.exists() else None


if __name__ == "__main__":
    main()
