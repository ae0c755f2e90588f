"""A folder of submissions: grade what is new or changed, report on everything."""

import hashlib
import json
import os
import shutil
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import nbformat

from grader import assignment, edition, feedback_page, marks, terminal
from grader.atomic import write
from grader.files_and_zips import is_hidden, stem
from grader.jobs import MIN_TIME_LIMIT, Job, Runner, Step
from grader.limits import DEFAULT, Limits
from grader.processes import in_process, prepare, stop
from grader.remarks import first_few


def run(
    folder: Path, source: Path, out: Path, runner: Runner, limits: Limits = DEFAULT
) -> None:
    """Grade what is new or changed in a folder of submissions and report on all of it.

    The folder, with a file or a folder for each student, is only read; marks and feedback
    go to ``out``. SystemExit if the folder is empty, ``out`` cannot be made, by_hand.csv is
    wrong, or the assignment cannot be released.
    """
    start, notebook = monotonic(), assignment.read(source)
    sheet = marks.Sheet(notebook)
    students = files_by_student(folder)
    if not students:
        sys.exit(f"SUBMISSIONS: {folder} is empty")
    try:
        (out / "feedback").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        sys.exit(f"{out}: expected a folder for marks and feedback, got {error}")
    table = ByHand(out / "by_hand.csv", sheet, students)
    for name in ("by_hand.csv", "marks.csv"):
        marks.require_writable(out / name)
    prepare()
    state = _fingerprint(source, notebook, limits)
    runner.share(_release(source, out, state))
    notebook_seconds = notebook.metadata.get("grader", {}).get("total", limits.total)
    seconds = max(MIN_TIME_LIMIT, 3 * notebook_seconds)  # two whole runs, and slack
    grading = Grading(source.name, state, limits, seconds, out, sheet, runner)
    rows = grading.rows(students, table)
    marks.write_marks(out / "marks.csv", rows, sheet)
    unknown = marks.write_by_hand(table.path, rows, table.typed, sheet)
    print(terminal.table(rows, sheet))
    print(terminal.summary(rows, sheet, out, unknown, monotonic() - start))


def _release(source, out, state):
    """Release the assignment, unless it has been released in this state; return where."""
    released = out / "released"
    if _read_if_exists(released / "key") != state:
        shutil.rmtree(released, ignore_errors=True)
        released.mkdir()
        if error := in_process(Job(Step.RELEASE, released, (source, released))):
            sys.exit(f"{source.name} could not be released: {error}")
        write(released / "key", state)
    return released


class ByHand:
    """What a teacher has typed into by_hand.csv, which may change while the class is graded."""

    def __init__(self, path: Path, sheet: marks.Sheet, students: dict):
        self.path, self.sheet, self.students = path, sheet, students
        self.content = self._bytes()
        self.typed = marks.read_by_hand(path, sheet, students)

    def _bytes(self):
        try:
            return self.path.read_bytes()
        except OSError:
            return None

    def changed(self, rows: dict) -> list[str]:
        """Read the file again if it has changed; return the students whose marks it changes."""
        content = self._bytes()
        if content in (None, self.content):
            return []
        print(f"{self.path} was changed meanwhile: read again", file=sys.stderr)
        self.content, earlier = content, self.typed
        self.typed = marks.read_by_hand(self.path, self.sheet, self.students)
        return [
            name
            for name in self.students
            if any(
                earlier.get((name, task)) != self.typed.get((name, task))
                for task in rows[name]["by_hand"]
            )
        ]


def files_by_student(folder: Path) -> dict[str, list[Path]]:
    """Return the files of each student, ``{name: [path, …]}``, without the hidden ones.

    Links are listed but not followed, since they may lead to another student's files.
    """
    students = {}
    for entry in sorted(folder.iterdir()):
        if is_hidden(entry.name):
            continue
        name = os.fsencode(entry.name if entry.is_dir() else stem(entry.name))
        try:
            name = name.decode()
        except UnicodeDecodeError:  # from a zip of Chinese Windows, or another
            try:
                name = name.decode("gb2312")
            except UnicodeDecodeError:
                name = name.decode(errors="backslashreplace")  # one for each student
        name = unicodedata.normalize("NFC", name)
        is_single = entry.is_file() or entry.is_symlink()
        students.setdefault(name, []).extend(
            path
            for path in (
                [entry] if is_single else sorted(entry.rglob("*"), key=_by_depth)
            )
            if (path.is_file() or path.is_symlink())
            and not any(map(is_hidden, path.relative_to(folder).parts))
        )
    return students


def _by_depth(path):
    """Sort files in fewer folders first: they count."""
    return len(path.parts), path


@dataclass(frozen=True)
class Grading:
    """How the submissions to an assignment are graded."""

    name: str  # of the assignment
    state: str  # a hash of assignment, grader and limits, see ``_fingerprint``
    limits: Limits
    seconds: float  # the most that a submission may take
    out: Path  # for marks and feedback; in it ``released`` is a course folder
    sheet: marks.Sheet
    runner: Runner

    def rows(self, students: dict[str, list[Path]], table: ByHand) -> list[dict]:
        """Grade all students; return their rows, see ``Sheet.row``, in the same order."""
        pool, rows = ThreadPoolExecutor(self.runner.max_jobs), {}
        to_grade = list(students)
        grade = lambda name: self.grade(name, students[name], table.typed)
        try:
            while to_grade:
                tasks = {pool.submit(grade, name): name for name in to_grade}
                for done, task in enumerate(as_completed(tasks), start=1):
                    rows[tasks[task]] = task.result()
                    pace = self.runner.pace(len(tasks) - done)
                    terminal.progress(done, len(tasks), tasks[task], pace)
                to_grade = table.changed(rows)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop()
            raise
        return [rows[name] for name in students]

    def grade(self, student: str, paths: list[Path], typed: dict) -> dict:
        """Grade one student, unless nothing has changed; return the row of marks.

        ``typed`` is what was marked by hand, see ``marks.read_by_hand``. The feedback page
        is written.
        """
        folder = self.out / "graded" / student
        try:
            result = self._result(folder, paths)
        except OSError as error:
            result = {"marks": None, "remarks": [f"cannot be read: {error}"]}
        row = self.sheet.row(student, result, typed)
        try:
            self._write_page(self.out / "feedback" / f"{student}.html", row, folder)
        except OSError as error:
            _remark(row, f"the feedback page cannot be written: {error}")
        return row

    def _result(self, folder, paths):
        """Return the stored result of a submission, or have nbgrader_steps.grade make it."""
        key = _key(self.state, paths)
        result = _stored(folder, key)
        if result is None:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            released = self.out / "released"
            arguments = paths, self.name, released, folder, self.limits
            error = self.runner.run(Job(Step.GRADE, folder, arguments, self.seconds))
            if (folder / "result.json").exists():
                write(folder / "key", key)  # now the result is complete
            result = _stored(folder, key)
        if result is None:
            result = {"marks": None, "remarks": [f"grading failed: {error}"]}
        return result

    def _write_page(self, path, row, folder):
        """Write a feedback page if anything on it has changed or writing it has failed before."""
        stamp, html = feedback_page.stamp(row), ""
        done = path.exists() and stamp.encode() in path.read_bytes()[:100]
        if row["graded"] and not done:
            arguments = self.name, folder, row["by_hand"]
            if error := self.runner.run(Job(Step.FEEDBACK, folder, arguments)):
                stamp = "incomplete, to be written again"
                failure = (
                    "the feedback page lacks the notebook and is tried again next time"
                )
                _remark(row, f"{failure}: {error}")
            else:
                html = (folder / "feedback.html").read_text("utf-8")
        left_out = _read_json(folder / feedback_page.LEFT_OUT)
        if (done or html) and left_out:
            _remark(row, f"not shown on the feedback page: {first_few(left_out)}")
        if not done:
            page = feedback_page.page(self.name, row, self.sheet, html)
            write(path, f"<!-- {stamp} -->\n" + page)


def _remark(row, text):
    row["remark"] = "; ".join(filter(None, [row["remark"], text]))


def _fingerprint(source, notebook, limits):
    """Return a hash of the assignment, nbgrader, the grader and the limits."""
    texts = edition.edition()["nbgrader"], nbformat.writes(notebook), repr(limits)
    files = assignment.data_files(source)
    return edition.digest(*(text.encode() for text in texts), files=files)


def _key(state, paths):
    """Return a hash of a submission and of the state it is graded in."""
    digest = hashlib.sha256(state.encode())
    for path in paths:
        digest.update(os.fsencode(path.name))
        if path.is_symlink():
            digest.update(b"a link")
            continue
        with path.open("rb") as file:  # which may be larger than the memory
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _stored(folder, key):
    is_stored = _read_if_exists(folder / "key") == key
    return _read_json(folder / "result.json") if is_stored else None


def _read_json(path):
    """Return what a file holds; None if it cannot be read."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _read_if_exists(path):
    return path.read_text("utf-8") if path.exists() else None
