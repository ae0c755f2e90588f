"""A folder of submissions: grade what is new or changed, report on everything."""

import hashlib
import json
import os
import shutil
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import monotonic

import nbformat

from grader import assignment, report
from grader.handed_in import is_hidden, stem
from grader.processes import MOST_SECONDS, in_process, prepare, stop
from grader.submissions import first_few

PROGRAMS = sorted(Path(__file__).parent.glob("*.py"))  # the grader itself


def run(
    folder: Path, source: Path, out: Path, jobs: int, address: str | None = None
) -> None:
    """Grade what is new or changed in a folder of submissions and report on all of it.

    Parameters
    ----------
    folder : Path
        The submissions, a file or a folder for each student; they are only read.
    source : Path
        The folder of the assignment.
    out : Path
        The folder that marks and feedback go to, made if need be.
    jobs : int
        How many submissions are graded at a time.
    address : str, optional
        Of a Dask cluster that grades them, see cluster.py.

    Raises
    ------
    SystemExit
        If the folder is empty, ``out`` cannot be made, by_hand.csv is wrong, the
        assignment cannot be released, or the cluster does not answer or has a worker that
        is not as this computer is.
    """
    start, master = monotonic(), assignment.read(source)
    sheet = report.Sheet(master)
    students = collect(folder)
    if not students:
        sys.exit(f"SUBMISSIONS: {folder} is empty")
    try:
        (out / "feedback").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        sys.exit(f"{out}: expected a folder for marks and feedback, got {error}")
    table = out / "by_hand.csv"
    seen, typed = _content(table), report.read_by_hand(table, sheet, students)
    for name in ("by_hand.csv", "marks.csv"):
        report.require_writable(out / name)
    prepare()
    template, edition = out / "assignment", _edition(source, master)
    if _text(template / "key") != edition:
        shutil.rmtree(template, ignore_errors=True)
        template.mkdir()
        if error := in_process("release", template, source, template):
            sys.exit(f"{source.name} could not be released: {error}")
        report.write(template / "key", edition)
    own = master.metadata.get("grader", {}).get("total", 0)  # see limits.py
    seconds = max(MOST_SECONDS, 3 * own)  # it may run twice, and a bit longer
    do, pace, close = in_process, lambda left: "", lambda: None
    if address:
        from grader.cluster import Cluster  # here, as nobody else needs Dask

        do = Cluster(address, jobs, template)
        jobs, pace, close = do.most, do.pace, do.close
    one = partial(grade_one, source.name, edition, seconds, out, sheet)
    pool, rows, due = ThreadPoolExecutor(jobs), {}, list(students)
    try:
        while due:
            tasks = {
                pool.submit(one, typed, do, name, students[name]): name for name in due
            }
            total = len(tasks)
            for done, task in enumerate(as_completed(tasks), start=1):
                rows[tasks[task]] = task.result()
                report.progress(done, total, tasks[task], pace(total - done))
            due, now = [], _content(table)
            if now not in (None, seen):  # a teacher has typed on, perhaps for an hour
                print(f"{table} was changed meanwhile: read again", file=sys.stderr)
                earlier, seen = typed, now
                typed = report.read_by_hand(table, sheet, students)
                due = [name for name in students if _differ(rows[name], earlier, typed)]
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        stop()
        raise
    finally:
        close()
    rows = [rows[name] for name in students]
    report.write_marks(out / "marks.csv", rows, sheet)
    unknown = report.write_by_hand(table, rows, typed, sheet)
    print(report.table(rows, sheet))
    print(report.summary(rows, sheet, out, unknown, monotonic() - start))


def _content(table):
    """The bytes of a table that somebody may write meanwhile; None where it is not there."""
    try:
        return table.read_bytes()
    except OSError:
        return None


def _differ(row, earlier, typed):
    """Whether other points or comments are typed for what a row of marks has by hand."""
    keys = [(row["student"], task) for task in row["by_hand"]]
    return any(earlier.get(key) != typed.get(key) for key in keys)


def collect(folder: Path) -> dict[str, list[Path]]:
    """The files of each student, ``{name: [path, …]}``, without the hidden ones.

    Of links only the name is known: what they lead to may be another student's.
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
        alone = entry.is_file() or entry.is_symlink()
        students.setdefault(name, []).extend(
            path
            for path in ([entry] if alone else sorted(entry.rglob("*"), key=_by_depth))
            if (path.is_file() or path.is_symlink())
            and not any(map(is_hidden, path.relative_to(folder).parts))
        )
    return students


def _by_depth(path):
    """What files are sorted by: those in fewer folders come first, and count."""
    return len(path.parts), path


def grade_one(name, edition, seconds, out, sheet, typed, do, student, paths):
    """Marks of one student, from an earlier run where nothing has changed since.

    ``name`` and ``edition`` are the assignment's, see ``_edition``, and ``seconds`` the
    most that it may take; ``sheet``, ``typed`` and the row of marks that is returned are
    those of report.py. ``do`` is ``in_process``, or has a worker of a cluster do it.
    """
    place = out / "graded" / student
    try:
        key = _key(edition, paths)
        result = _stored(place, key)
        if result is None:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            arguments = paths, name, out / "assignment", place
            error = do("grade", place, *arguments, seconds=seconds)
            if (place / "result.json").exists():
                report.write(place / "key", key)  # now the result is complete
            result = _stored(place, key)
            if result is None:
                result = {"marks": None, "remarks": [f"grading failed: {error}"]}
    except OSError as error:
        result = {"marks": None, "remarks": [f"cannot be read: {error}"]}
    row = sheet.row(student, result, typed)
    try:
        _write_page(out / "feedback" / f"{student}.html", name, row, sheet, place, do)
    except OSError as error:
        _remark(row, f"the feedback page cannot be written: {error}")
    return row


def _write_page(path, name, row, sheet, place, do):
    """Write a feedback page where anything on it has changed or it has failed before."""
    stamp, html = report.stamp(row), ""
    done = path.exists() and stamp.encode() in path.read_bytes()[:100]
    if row["graded"] and not done:
        if error := do("feedback", place, name, place, row["by_hand"]):
            stamp = "incomplete, to be written again"
            what = "the feedback page lacks the notebook and is tried again next time"
            _remark(row, f"{what}: {error}")
        else:
            html = (place / "feedback.html").read_text("utf-8")
    if (done or html) and (cells := _left_out(place)):
        _remark(row, f"not shown on the feedback page: {first_few(cells)}")
    if not done:
        report.write(path, f"<!-- {stamp} -->\n" + report.page(name, row, sheet, html))


def _remark(row, text):
    row["remark"] = "; ".join(filter(None, [row["remark"], text]))


def _left_out(place):
    try:
        return json.loads((place / report.LEFT_OUT).read_text("utf-8"))
    except (OSError, ValueError):
        return []


def _edition(source, master):
    """A name for the state of the assignment, of nbgrader and of the grader."""
    digest = hashlib.sha256(version("nbgrader").encode())
    digest.update(nbformat.writes(master).encode())
    for path in [*assignment.data_files(source), *PROGRAMS]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _key(edition, paths):
    """A name for the state of a submission and of what it is graded by."""
    digest = hashlib.sha256(edition.encode())
    for path in paths:
        digest.update(os.fsencode(path.name))
        if path.is_symlink():
            digest.update(b"a link")
            continue
        with path.open("rb") as file:  # which may be larger than the memory
            digest.update(hashlib.file_digest(file, "sha256").digest())
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
