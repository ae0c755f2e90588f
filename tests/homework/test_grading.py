"""A class, some of whom hand in what no grader likes: nobody's marks suffer."""

import ast
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import nbformat
import psutil
import pytest

from grader import processes
from grader.course import release
from grader.grade import collect
from grader.report import BY_HAND, Sheet, read_by_hand
from grader.submissions import NotGraded, load, read
from press.chapters import ROOT
from tests.homework.marking import (
    TRICKS,
    answered,
    answers,
    grading,
    info,
    mark,
    marks,
    name_of,
    source,
    tricked,
    with_cell,
)

SLUG = "06_activations"
FULL = {"saturation": 3, "glu": 3, "glu-backward": 4, "mend": 4, "active-share": 3}
SECONDS = 3  # a cell, in place of the 30 of nbgrader_config.py
RIGHT, WRONG = answers(SLUG)
EXITS = "def glu(Z):\n    import os\n    os._exit(1)"
SLEEPS = """
import time
while True:
    try:
        time.sleep(9)
    except BaseException:
        pass
"""
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


def duplicated(notebook):
    """The answer cell copied, as Jupyter does it: with the metadata; the last counts."""
    place = [name_of(cell) for cell in notebook.cells].index("glu")
    copy = nbformat.from_dict(dict(notebook.cells[place]))
    copy["id"] = "a-copy"
    notebook.cells[place].source = WRONG["glu"][0][1]
    notebook.cells.insert(place + 1, copy)
    return notebook


def tampered(notebook):
    for cell in notebook.cells:
        if name_of(cell) and name_of(cell).startswith("glu"):
            info(cell).grade_id = f"my-{name_of(cell)}"
    return notebook


def generous(notebook):
    """Wrong answers, tests that find them right, and a hundred points each."""
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
    """For each student what is handed in, the marks due by task, a word of the remark.

    What is handed in: bytes of ``name.ipynb`` or, by file name, those in a folder.
    Marks are the full ones but for those given; None where there are none at all.
    """
    right = lambda **other: answered(released, RIGHT | other)
    data = lambda notebook: nbformat.writes(notebook).encode()
    own_cell = lambda code: data(with_cell(right(), code))
    spoilt = {task: found[0][1] for task, found in WRONG.items()}
    none = dict.fromkeys(FULL, 0)
    some = {task: WRONG[task][0][2] for task in FULL}
    tricks = answered(released, {task: tricked(code) for task, code in spoilt.items()})
    text, png = data(right()).decode(), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    named, other = f"{SLUG}.ipynb", ROOT / "book" / "notation.ipynb"
    two = {"a.ipynb": data(right()), "b.ipynb": data(released)}
    lacks = without(right(), "setup", "glu", "mend-marks-1", "mend-marks-3")
    died, late = "ended the Python", f"did not stop within {SECONDS} s"
    return {
        "ada": (data(right()), {}, ""),
        "张三": ({"final (2).ipynb": data(right())}, {}, ""),
        "=1+1 [x]": (
            {named: text.encode("utf-16"), "draft.ipynb": data(released)},
            {},
            f"encoding UTF-16, expected UTF-8; 2 notebooks, graded was {named}",
        ),
        "carl": (data(released), none, ""),
        "emil-syntax": (data(right(glu="def glu(Z:")), {"glu": 0}, ""),
        "finn-exits": (data(right(glu=EXITS)), {"glu": 0}, died),
        "gina-crash": (own_cell("import os\nos.abort()"), {}, died),
        "hugo-loop": (data(right(glu="while True:\n    pass")), {"glu": 0}, late),
        "ines-deaf-loop": (own_cell(SLEEPS), {}, f"{late}: cell 3"),
        "jan-memory": (own_cell(HOG), {}, "out of memory"),
        "kim-prints": (own_cell("while True:\n    print('x' * 999)"), {}, late),
        "lea-kills": (
            own_cell(f"{DAEMON}\nos.kill(os.getppid(), 9)"),
            None,
            "signal 9",
        ),
        "dirk-daemon": (own_cell(DAEMON), {}, ""),
        "tina-tricks": (
            data(with_cell(tricks, TRICKS)),
            some | {"glu-backward": 0},  # her own code trips over them
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
            some,
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


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    """The class, graded by a run that was stopped, and a second one that went on."""
    folder = tmp_path_factory.mktemp("batch")
    shutil.copytree(ROOT / "homework", folder / "homework")
    shutil.copy(ROOT / "chapters.py", folder)
    (folder / "book").symlink_to(ROOT / "book")
    config = folder / "homework" / "nbgrader_config.py"
    patient = config.read_text()
    strict = patient.replace("timeout = 30", f"timeout = {SECONDS}")
    strict = strict.replace("memory = 4", "memory = 1")
    assert len(strict) == len(patient) - 1
    config.write_text(strict)
    released = nbformat.read(release(SLUG, folder / "course"), 4)
    students = a_class(released)
    submissions = folder / "class"
    submissions.mkdir()
    for name, (content, _, _) in students.items():
        handed_in(submissions, name, content)
    (folder / "tmp").mkdir()  # the homes of the processes, see left_over
    command = grading(submissions, SLUG, cwd=folder, TMPDIR=str(folder / "tmp"))
    # A shell that runs the tests in the background has them ignore Ctrl-C.
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    first = subprocess.Popen(**command, preexec_fn=heed)
    finished = folder / "class-marks" / SLUG / "graded"
    for _ in range(600):
        if len(list(finished.glob("*/key"))) >= 4 or first.poll() is not None:
            break
        time.sleep(0.1)
    first.send_signal(signal.SIGINT)
    output = first.communicate(timeout=60)[0]
    assert first.returncode == 1 and "The same command goes on from here" in output
    assert not left_over(folder)
    kept = stamps(finished)
    start = time.monotonic()
    second = subprocess.run(**command, timeout=600)
    print(second.stdout, f"{time.monotonic() - start:.0f} s")
    assert second.returncode == 0, second.stdout
    assert 4 <= len(kept) < len(students)
    assert kept.items() <= stamps(finished).items(), "graded again what had been graded"
    return folder, students, second.stdout


def stamps(folder):
    return {path: path.stat().st_mtime_ns for path in folder.glob("*/key")}


def left_over(folder):
    """Processes that a grading of this folder has left behind."""
    found = []
    for process in psutil.process_iter():
        try:
            told = [process.environ().get("HOME", ""), *process.cmdline()]
            if any(text.startswith(str(folder / "tmp")) for text in told):
                found.append(process)
        except psutil.Error:
            continue
    return found


def test_everyone_gets_the_marks_due_or_a_reason(batch):
    folder, students, _ = batch
    rows, wrong = marks(folder / "class", SLUG), []
    assert {name.removeprefix("'") for name in rows} == set(students)
    for name, (_, due, word) in students.items():
        row = rows.get(name) or rows[f"'{name}"]
        full = {"": None} if due is None else FULL | due
        expected = {t: "" if due is None else f"{full[t]:g}" for t in FULL}
        total = "" if due is None else f"{sum(full.values()):g}"
        found = {task: row[task] for task in FULL}
        if (found, row["sum"]) != (expected, total) or word not in row["remark"]:
            wrong.append(f"{name}: expected {expected} {total} {word}, got {row}")
    assert not wrong, "\n".join(wrong)
    assert rows["carl"]["homogeneous"] == "0", "a proof left untouched needs no marker"


def test_the_table_and_the_pages_say_so_too(batch):
    folder, students, output = batch
    for name, (_, due, word) in students.items():
        page = folder / "class-marks" / SLUG / "feedback" / f"{name}.html"
        text = page.read_text()
        assert name in output and name in text and word.split("'")[0] in text
        assert ("not graded" in text) == (due is None)


def test_nothing_is_left_running(batch):
    assert not left_over(batch[0])


def test_nothing_starts_once_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "_stopped", threading.Event())
    processes.stop()
    with pytest.raises(processes.Stopped):
        processes.in_process("grade", tmp_path)
    assert not list(tmp_path.iterdir()), "expected no log, since nothing has run"


def test_one_more_run_changes_nothing(batch):
    folder, _, _ = batch
    out = folder / "class-marks" / SLUG
    results, before = stamps(out / "graded"), (out / "marks.csv").read_bytes()
    subprocess.run(**grading(folder / "class", SLUG, cwd=folder), check=True)
    after = stamps(out / "graded")
    again = {p.parent.name for p in after if after[p] != results.get(p)}
    assert again <= {"lea-kills"} and (out / "marks.csv").read_bytes() == before


def test_points_typed_by_hand_are_added_and_kept(tmp_path):
    released = nbformat.read(release(SLUG, tmp_path / "course"), 4)
    submissions, out = tmp_path / "class", tmp_path / "class-marks" / SLUG
    submissions.mkdir()

    def hand_in(proof):
        notebook = answered(released, {"homogeneous": proof})
        nbformat.write(notebook, submissions / "ada.ipynb")

    def grade():
        done = subprocess.run(**grading(submissions, SLUG), timeout=120)
        return done, marks(submissions, SLUG)["ada"]

    def type_points(old, new):
        path = out / "by_hand.csv"
        text = path.read_text("utf-8-sig")
        assert old in text
        text = text.replace(old, new).replace("∀", "?").replace(",", ";")
        path.write_text(text.replace("2.5", "2,5"), "gb2312")  # as a spreadsheet might

    hand_in("- Each layer passes\nthe factor on, ∀α.")
    done, row = grade()
    assert "1 answers to mark by hand" in done.stdout and row["homogeneous"] == ""
    assert "not yet marked" in (out / "feedback" / "ada.html").read_text()
    type_points("homogeneous,,3,,", "homogeneous,2.5,3,缺归纳,")
    _, row = grade()
    assert (row["homogeneous"], row["sum"]) == ("2.5", "2.5")
    page = (out / "feedback" / "ada.html").read_text()
    assert "缺归纳" in page and "Score: 2.5 / 3.0" in page
    hand_in("Another proof.")  # the points were for the first
    _, row = grade()
    assert row["homogeneous"] == "" and "had 2.5" in (out / "by_hand.csv").read_text()
    type_points("homogeneous,,3", "homogeneous,4,3")
    done, _ = grade()
    assert (
        done.returncode == 1 and "expected points from 0 to 3, got '4'" in done.stdout
    )


def test_what_can_be_mended_is_the_same_as_before(tmp_path):
    """Damage by programs and by students: the notebook to be graded has every answer."""
    released = nbformat.read(release(SLUG, tmp_path / "course"), 4)
    right = lambda: answered(released, RIGHT)
    accent = nbformat.writes(with_cell(right(), "cafe = 1  # au CAFE")).encode()
    damaged = {
        "duplicated": (nbformat.writes(duplicated(right())).encode(), ""),
        "renamed": (nbformat.writes(tampered(right())).encode(), ""),
        "stripped": (nbformat.writes(stripped(right())).encode(), ""),
        "utf-16": (nbformat.writes(right()).encode("utf-16-le"), "UTF-16-LE"),
        "latin-1": (accent.replace(b"CAFE", b"caf\xe9"), "Latin-1"),
    }
    wanted = {name_of(cell): cell.source for cell in right().cells if name_of(cell)}
    for what, (data, words) in damaged.items():
        path = tmp_path / f"{what}.ipynb"
        path.write_bytes(data)
        notebook, remarks = load([path], SLUG, released)
        cells = {name_of(c): c.source for c in notebook.cells if name_of(c)}
        assert list(cells) == list(wanted), what
        assert all(cells[task] == wanted[task] for task in RIGHT), what
        assert bool(remarks) == bool(words) and words in "; ".join(remarks), what
        assert mark(SLUG, notebook)[0] == FULL, what


def test_marks_are_those_of_the_tests_in_one_process(batch):
    """So that ``test_homework_answers.py`` may do without nbgrader."""
    folder, _, _ = batch
    for name in ("ada", "carl", "emil-syntax", "tina-tricks", "zack-generous"):
        notebook = nbformat.read(folder / "class" / f"{name}.ipynb", 4)
        row = marks(folder / "class", SLUG)[name]
        found, _ = mark(SLUG, notebook)
        assert {task: float(row[task]) for task in FULL} == found, name


def test_links_are_named_and_not_followed(tmp_path):
    """They may lead to the work of another, or out of the folder."""
    other, submissions = tmp_path / "other", tmp_path / "class"
    for folder in (other, submissions / "cy"):
        folder.mkdir(parents=True)
    (other / f"{SLUG}.ipynb").write_text("{}")
    (submissions / "bo").symlink_to(other)
    (submissions / "ada.ipynb").symlink_to(other / f"{SLUG}.ipynb")
    (submissions / "cy" / "mine.ipynb").symlink_to(other / f"{SLUG}.ipynb")
    students = collect(submissions)
    assert sorted(students) == ["ada", "bo", "cy"]
    for paths in students.values():
        assert len(paths) == 1
        with pytest.raises(NotGraded, match=r"\(a link, not followed\)"):
            load(paths, SLUG, None)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([1], "expected JSON with cells, got list"),
        ({}, "expected JSON with cells, got {}"),
        ({"a": 1, "b": 2}, "expected JSON with cells, got a, b"),
        ({"cells": 3}, "not a notebook that Jupyter reads: "),
    ],
)
def test_what_is_no_notebook_is_said(tmp_path, content, words):
    path = tmp_path / f"{SLUG}.ipynb"
    path.write_text(json.dumps(content))
    with pytest.raises(NotGraded) as reason:
        read(path)
    assert words in str(reason.value)


@pytest.mark.parametrize("points", ["4", "-1", "nan", "two"])
def test_points_that_cannot_be_are_refused(tmp_path, points):
    path = tmp_path / "by_hand.csv"
    path.write_text(f"{','.join(BY_HAND)}\nada,homogeneous,{points},3,,a,v1\n")
    with pytest.raises(SystemExit, match=f"row 2: .* from 0 to 3, got '{points}'"):
        read_by_hand(path, Sheet(source(SLUG)))


def test_input_is_not_checked_by_assert():
    """`python -O` leaves asserts out."""
    for path in (ROOT / "homework").glob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text()))
        assert not any(isinstance(node, ast.Assert) for node in nodes), path


@pytest.mark.parametrize(
    ("folder", "slug", "words"),
    [("nowhere", SLUG, "expected a folder"), (".", "99_none", f"{SLUG}, ")],
)
def test_arguments_that_are_wrong_are_named(tmp_path, folder, slug, words):
    done = subprocess.run(**grading(tmp_path / folder, slug))
    assert done.returncode == 1 and words in done.stdout
    assert not os.listdir(tmp_path)
