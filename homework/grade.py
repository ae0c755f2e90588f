"""Grade a folder of submissions: ``make grade SUBMISSIONS=folder ASSIGNMENT=NN_slug``.

The submissions are only read. Beside their folder another one is written,
``folder-marks/NN_slug``, with marks.csv, by_hand.csv, a feedback page for each student
and, in ``graded`` and ``assignment``, what is needed to go on where a run was stopped.
"""

import argparse
import contextlib
import ctypes
import hashlib
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import unicodedata
import uuid
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import monotonic

import psutil

from homework import report

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "source"
MOST_SECONDS = 900  # for a submission; limits.py should have ended it long before
KEPT = ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "LD_LIBRARY_PATH", "SYSTEMROOT")
# A process started from a server that has nbgrader loaded already saves two seconds.
PROCESSES = multiprocessing.get_context(
    "spawn" if sys.platform == "win32" else "forkserver"
)


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
    known = sorted(path.stem for path in SOURCE.glob("*/*.ipynb"))
    if slug not in known:
        sys.exit(f"ASSIGNMENT: expected one of {', '.join(known)}, got {slug!r}")
    if not options.submissions or not folder.is_dir():
        sys.exit(f"SUBMISSIONS: expected a folder, got {options.submissions!r}")
    try:
        run(folder, slug, options.jobs)
    except KeyboardInterrupt:
        sys.exit("\nStopped. The same command goes on from here.")


def run(folder, slug, jobs=1):
    """Grade what is new or changed in ``folder`` and report on everything in it."""
    start, out = monotonic(), folder.parent / f"{folder.name}-marks" / slug
    sheet = report.Sheet(
        json.loads((SOURCE / slug / f"{slug}.ipynb").read_text("utf-8"))
    )
    typed = report.read_by_hand(out / "by_hand.csv", sheet)
    students = collect(folder)
    if not students:
        sys.exit(f"SUBMISSIONS: {folder} is empty")
    (out / "feedback").mkdir(parents=True, exist_ok=True)
    adopt()
    PROCESSES.set_forkserver_preload(["nbgrader.apps", "nbgrader.converters"])
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
        for process in multiprocessing.active_children():
            process.kill()
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
    names = ("course", "limits", "submissions", "trust")
    grader = [HERE / f"{name}.py" for name in names]
    digest = hashlib.sha256(version("nbgrader").encode())
    for path in [SOURCE / slug / f"{slug}.ipynb", HERE / "nbgrader_config.py", *grader]:
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


def in_process(task, place, *arguments):
    """Do ``course.task(*arguments)`` in a process of its own; what went wrong, or None.

    It runs in an empty folder that is removed later, with an environment that holds none
    of the teacher's tokens; what it prints goes to ``place / "log.txt"``. When it ends,
    or after ``MOST_SECONDS``, whatever it has started ends too.
    """
    log, token = place / "log.txt", uuid.uuid4().hex
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        work = PROCESSES.Process(target=_work, args=(task, arguments, home, token, log))
        work.start()
        work.join(MOST_SECONDS)
        code = work.exitcode
        _end(work, token)
    if code == 0:
        return None
    if code is None:
        return f"it took more than {MOST_SECONDS} s"
    if code < 0:
        return f"signal {-code} ended it; read the notebook before you run it again"
    return log.read_text("utf-8", errors="replace").strip().split("\n")[-1]


def adopt():
    """On Linux: have every process below this one that loses its parent become our child.

    So neither a session of its own nor another environment takes it out of the family.
    """
    if sys.platform == "linux":
        PR_SET_CHILD_SUBREAPER = 36
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end(work, token):
    """End a process, whatever it has started, and whatever that has left behind.

    On Linux all of these are our children now, and known by their session: our own
    helpers stay in ours, which nothing can enter from outside. Elsewhere the token in
    the environment says whose a process is.
    """
    work.kill()
    work.join()
    for _ in range(20):  # the children of those that end here are the next to be ours
        orphans = [p for p in psutil.process_iter() if _is_orphan(p, token)]
        for process in orphans:
            with contextlib.suppress(psutil.Error):
                process.kill()
        if not orphans:
            return
        psutil.wait_procs(orphans, timeout=1)


def _is_orphan(process, token):
    try:
        if sys.platform == "linux":
            ours = os.getsid(process.pid) == os.getsid(0)
            return process.ppid() == os.getpid() and not ours
        return process.environ().get("HOMEWORK_RUN") == token
    except (psutil.Error, OSError):
        return False


def _work(task, arguments, home, token, log):
    """In the new process: set it up and go."""
    if hasattr(os, "setsid"):
        os.setsid()  # Ctrl-C is for the parent, which then ends this process
    adopt()  # as long as this process lives, what is started here stays below it
    with open(log, "a", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)  # the kernels write here too
        os.dup2(file.fileno(), 2)
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    os.environ.clear()
    os.environ.update(kept, HOME=home, TMPDIR=home, HOMEWORK_RUN=token)
    os.environ.update(MPLBACKEND="agg", OMP_NUM_THREADS="1")
    os.chdir(home)
    from homework import course  # here, as the parent has no need of nbgrader

    getattr(course, task)(*arguments)


if __name__ == "__main__":
    main()
