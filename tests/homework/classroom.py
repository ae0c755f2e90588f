"""A class, some of whom hand in what no grader likes, and the command that grades it."""

import contextlib
import csv
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import psutil

from tests.homework.assignments import (
    FOLDERS,
    ROOT,
    SAMPLE,
    answered,
    answers,
    full_marks,
    info,
    name_of,
    with_cell,
)
from tests.homework.impatient import LIMITS
from tests.homework.marking import TRICKS, tricked

ASSIGNMENT = SAMPLE
FULL = {"saturation": 3, "glu": 3, "glu-backward": 4, "mend": 4, "active-share": 3}
RIGHT, WRONG = answers(ASSIGNMENT)
EXITS = "def glu(Z):\n    import os\n    os._exit(1)"
SLEEPS = """
import time
while True:
    try:
        time.sleep(9)
    except BaseException:
        pass
"""
PLOTS = "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 2])"
HOG = "huge = np.ones((10**5, 10**5))  # 80 GB"

# A process that nothing connects with the grading: its parent is gone, it has a session
# and an environment of its own; an argument shows the test where it came from.
DAEMON = """
import os, subprocess, sys
sleep = [sys.executable, "-c", "import time; time.sleep(600)", os.getcwd()]
start = f"import subprocess; subprocess.Popen({sleep}, env={{}}, start_new_session=True)"
subprocess.run([sys.executable, "-c", start], env={}, check=True)
"""


def without(notebook, *names):
    notebook.cells = [cell for cell in notebook.cells if name_of(cell) not in names]
    return notebook


def duplicated(notebook, task="glu", other=WRONG["glu"][0][1]):
    """Copy the answer cell as Jupyter does it, with the metadata: the last one counts."""
    index = [name_of(cell) for cell in notebook.cells].index(task)
    copy = nbformat.from_dict(dict(notebook.cells[index]))
    copy["id"] = "a-copy"
    notebook.cells[index].source = other
    notebook.cells.insert(index + 1, copy)
    return notebook


def tampered(notebook, task="glu"):
    for cell in notebook.cells:
        if name_of(cell) and name_of(cell).startswith(task):
            info(cell).grade_id = f"my-{name_of(cell)}"
    return notebook


def generous(notebook):
    """Give tests that find wrong answers right, and a hundred points each."""
    for cell in notebook.cells:
        if info(cell).get("grade"):
            info(cell).points = 100
        if name_of(cell) and "-marks" in name_of(cell):
            cell.source = "assert True"
    return notebook


def stripped(notebook):
    for cell in notebook.cells:
        cell.metadata = {}
    return notebook


def a_class(released):
    """Return by student what is handed in, the marks due by task, a word of the remark.

    What is handed in: bytes of ``name.ipynb`` or, by file name, those in a folder.
    Marks are the full ones but for those given; None where there are none at all.
    """
    right = lambda **other: answered(released, RIGHT | other)
    data = lambda notebook: nbformat.writes(notebook).encode()
    own_cell = lambda code: data(with_cell(right(), code))
    spoilt = {task: entries[0][1] for task, entries in WRONG.items()}
    none = dict.fromkeys(FULL, 0)
    marks_of_wrong = {task: WRONG[task][0][2] for task in FULL}
    tricks = answered(released, {task: tricked(code) for task, code in spoilt.items()})
    text, png = data(right()).decode(), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    file_name, other = f"{ASSIGNMENT}.ipynb", ROOT / "book" / "notation.ipynb"
    two = {"a.ipynb": data(right()), "b.ipynb": data(right(glu=EXITS))}
    lacks = without(right(), "setup", "glu", "mend-marks-1", "mend-marks-3")
    died, late = "ended the Python", f"did not stop within {LIMITS.timeout} s"
    return {
        "ada": (data(right()), {}, ""),
        "张三": ({"final (2).ipynb": data(right())}, {}, ""),
        "=1+1 [x]": (
            {file_name: text.encode("utf-16"), "draft.ipynb": data(released)},
            {},
            f"encoding UTF-16, expected UTF-8; 2 notebooks, graded was {file_name}",
        ),
        "carl": (data(released), none, ""),
        "emil-syntax": (data(right(glu="def glu(Z:")), {"glu": 0}, ""),
        "finn-exits": (data(right(glu=EXITS)), {"glu": 0}, died),
        "gina-crash": (own_cell("import os\nos.abort()"), {}, died),
        "hugo-loop": (data(right(glu="while True:\n    pass")), {"glu": 0}, late),
        "ines-deaf-loop": (own_cell(SLEEPS), {}, f"{late}: cell 3"),
        "jan-memory": (own_cell(HOG), {}, "out of memory"),
        "petra-plots": (own_cell(PLOTS), {}, ""),
        "kim-prints": (own_cell("while True:\n    print('x' * 999)"), {}, late),
        "lea-kills": (
            own_cell(f"{DAEMON}\nos.kill(os.getppid(), 9)"),
            None,
            "signal 9",
        ),
        "dirk-daemon": (own_cell(DAEMON), {}, ""),
        "tina-tricks": (
            data(with_cell(tricks, TRICKS)),
            marks_of_wrong | {"glu-backward": 0},  # her own code trips over them
            "",
        ),
        "max-png": (png, None, "not a notebook"),
        "nora-empty": (b"", None, "the file is empty"),
        "otto-json": (json.dumps({"a": [1, 2]}).encode(), None, "with cells, got a"),
        "paul-half": (text[: len(text) // 2].encode(), None, "not a notebook"),
        "quin-pdf": ({"homework.pdf": b"%PDF-1.7"}, None, "found homework.pdf"),
        "rosa-nothing": ({}, None, "empty folder"),
        "lutz-link": (
            Path("ada.ipynb"),
            None,
            "lutz-link.ipynb (a link, not followed)",
        ),
        "lola-link": (Path("nowhere"), None, "a link, not followed"),
        "sara-other": (other.read_bytes(), None, "another notebook"),
        "xena-two": (two, None, "found a.ipynb, b.ipynb"),
        "yann-lacks": (
            data(lacks),
            {"glu": 0},
            "no answer cell: glu; put back: setup, mend-marks-1, mend-marks-3",
        ),
        "zack-generous": (
            data(generous(answered(released, spoilt))),
            marks_of_wrong,
            "original restored: saturation-marks-1",
        ),
    }


def handed_in(folder, name, content):
    """Write what a student hands in, into the folder of the class."""
    if isinstance(content, bytes):
        (folder / f"{name}.ipynb").write_bytes(content)
    elif isinstance(content, Path):
        (folder / f"{name}.ipynb").symlink_to(content)
    else:
        (folder / name).mkdir()
        for file, data in content.items():
            (folder / name / file).write_bytes(data)


def grading(
    submissions: Path | str,
    source: Path = FOLDERS[ASSIGNMENT],
    module: str = "grader",
    **env,
) -> dict:
    """Return the command of ``make grade``, or of another module, for Popen or run."""
    return {
        "args": [sys.executable, "-m", module, str(submissions), str(source)],
        "cwd": ROOT,
        "env": os.environ | env,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "text": True,
    }


def impatient_grading(
    folder: Path, submissions: Path | str, source: Path = FOLDERS[ASSIGNMENT], **env
) -> dict:
    """Return the same command within ``LIMITS``; its processes have their homes in ``folder``."""
    homes = folder / "tmp"  # see left_over
    homes.mkdir(exist_ok=True)
    module = "tests.homework.impatient"
    return grading(submissions, source, module, TMPDIR=str(homes), **env)


def marks(submissions: Path, assignment: str = ASSIGNMENT) -> dict[str, dict]:
    """Return marks.csv, by student: a dict of strings, and numbers where there are some."""
    path = submissions.with_name(f"{submissions.name}-marks") / assignment / "marks.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def graded_again(folder: Path) -> set[str]:
    """Grade once more, without a cluster; return whom. The marks must stay the same."""
    out = folder / "class-marks" / ASSIGNMENT
    before, table = stamps(out / "graded"), (out / "marks.csv").read_bytes()
    subprocess.run(**impatient_grading(folder, folder / "class"), check=True)
    after = stamps(out / "graded")
    assert (out / "marks.csv").read_bytes() == table
    return {p.parent.name for p in before | after if before.get(p) != after.get(p)}


def different_marks(
    submissions: Path, students: dict, assignment: str = ASSIGNMENT
) -> str:
    """List who got other marks than are due, or a remark without the word; see ``a_class``."""
    rows, wrong, tasks = marks(submissions, assignment), [], full_marks(assignment)
    assert {name.removeprefix("'") for name in rows} == set(students)
    for name, (_, due, word) in students.items():
        row = rows.get(name) or rows[f"'{name}"]
        full = {"": None} if due is None else tasks | due
        expected = {t: "" if due is None else f"{full[t]:g}" for t in tasks}
        total = "" if due is None else f"{sum(full.values()):g}"
        actual = {task: row[task] for task in tasks}
        if (actual, row["sum"]) != (expected, total) or word not in row["remark"]:
            wrong.append(f"{name}: expected {expected} {total} {word}, got {row}")
    return "\n".join(wrong)


def different_pages(
    submissions: Path, students: dict, output: str, assignment: str = ASSIGNMENT
) -> list[str]:
    """List whose page or line in the terminal lacks what is due; see ``a_class``."""
    pages = submissions.with_name(f"{submissions.name}-marks") / assignment / "feedback"
    wrong = []
    for name, (_, due, word) in students.items():
        text = (pages / f"{name}.html").read_text()
        is_shown = name in output and name in text and word.split("'")[0] in text
        if not is_shown or ("not graded" in text) != (due is None):
            wrong.append(name)
    return wrong


def stamps(folder: Path) -> dict[Path, int]:
    """Return when each student's submission was graded."""
    return {path: path.stat().st_mtime_ns for path in folder.glob("*/key")}


def left_over(folder: Path) -> list[psutil.Process]:
    """List the processes that a grading of this folder has left behind."""
    processes = []
    for process in psutil.process_iter():
        try:
            texts = [process.environ().get("HOME", ""), *process.cmdline()]
            if any(text.startswith(str(folder / "tmp")) for text in texts):
                processes.append(process)
        except psutil.Error:
            continue
    return processes


def busy_worker(run):
    """Find a Dask worker that grades: its server of multiprocessing's has a process."""
    for _ in range(600):
        for process in psutil.Process(run.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                server = "multiprocessing.forkserver" in " ".join(process.cmdline())
                # What the server has forked has its command line, and no server above.
                if server and process.children() and process.ppid() != run.pid:
                    if "forkserver" not in " ".join(process.parent().cmdline()):
                        return process.parent()
        time.sleep(0.1)
    raise AssertionError("expected a worker that grades, found none in a minute")
