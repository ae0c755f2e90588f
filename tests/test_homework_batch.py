"""A class of thirty, some of whom hand in what no grader likes: nobody's marks suffer."""

import json
import os
import shutil
import signal
import subprocess
import time

import nbformat
import psutil
import pytest

from homework.course import release
from tests.homework import (
    answered,
    answers,
    grading,
    info,
    marks,
    name_of,
    with_cell,
)
from tests.notebooks import ROOT

SLUG = "06_activations"
FULL = {"saturation": 3, "glu": 3, "glu-backward": 4, "mend": 4, "active-share": 3}
SECONDS = 6  # a cell, in place of the 30 of nbgrader_config.py
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
HOG = "kept = []\nwhile True:\n    kept.append(np.ones(10**7))"


def cells_of(notebook, *names):
    return [cell for cell in notebook.cells if name_of(cell) in names]


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


def class_of_thirty(released):
    """For each student what is handed in, the marks due by task, a word of the remark.

    What is handed in: bytes of ``name.ipynb`` or, by file name, those in a folder.
    Marks are the full ones but for those given; None where there are none at all.
    """
    right = lambda **other: answered(released, RIGHT | other)
    data = lambda notebook: nbformat.writes(notebook).encode()
    wrong = lambda task: WRONG[task][0][1]
    spoilt = {task: wrong(task) for task in RIGHT}
    none = dict.fromkeys(FULL, 0)
    some = {task: WRONG[task][0][2] for task in FULL}
    text, png = data(right()).decode(), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    accent = data(with_cell(right(), "cafe = 1  # au CAFE")).replace(
        b"CAFE", b"caf\xe9"
    )
    named, other = f"{SLUG}.ipynb", ROOT / "book" / "notation.ipynb"
    return {
        "ada": (data(right()), {}, ""),
        "bo": ({named: data(right())}, {}, ""),
        "张三": (data(right()), {}, ""),
        "=1+1 [x]": ({named: data(right())}, {}, ""),
        "carl": (data(released), none, ""),
        "dora": (data(answered(released, spoilt)), some, ""),
        "emil-syntax": (data(right(glu="def glu(Z:")), {"glu": 0}, ""),
        "finn-exits": (data(right(glu=EXITS)), {"glu": 0}, "ended the Python"),
        "gina-crash": (
            data(with_cell(right(), "import os\nos.abort()")),
            {},
            "ended the Python",
        ),
        "hugo-loop": (
            data(right(glu="while True:\n    pass")),
            {"glu": 0},
            "did not stop",
        ),
        "ines-deaf-loop": (
            data(with_cell(right(), SLEEPS)),
            {},
            f"did not stop within {SECONDS} s: cell 3",
        ),
        "jan-memory": (data(with_cell(right(), HOG)), {}, "out of memory"),
        "kim-prints": (
            data(with_cell(right(), "while True:\n    print('x' * 999)")),
            {},
            "did not stop",
        ),
        "lea-kills": (
            data(with_cell(right(), "import os\nos.kill(os.getppid(), 9)")),
            None,
            "signal 9",
        ),
        "max-png": (png, None, "not a notebook"),
        "nora-empty": (b"", None, "the file is empty"),
        "otto-json": (json.dumps({"a": [1, 2]}).encode(), None, "with cells, got a"),
        "paul-half": (text[: len(text) // 2].encode(), None, "not a notebook"),
        "quin-pdf": ({"homework.pdf": b"%PDF-1.7"}, None, "found homework.pdf"),
        "rosa-nothing": ({}, None, "empty folder"),
        "sara-other": (other.read_bytes(), None, "another notebook"),
        "tom-renamed": ({"final (2).ipynb": data(right())}, {}, ""),
        "uma-utf16": (text.encode("utf-16"), {}, "UTF-16"),
        "vera-latin1": (accent, {}, "Latin-1"),
        "will-two": (
            {named: data(right()), "draft.ipynb": data(released)},
            {},
            f"graded was {named}",
        ),
        "xena-two": (
            {"a.ipynb": data(right()), "b.ipynb": data(released)},
            None,
            "found a.ipynb, b.ipynb",
        ),
        "yann-lacks": (
            data(without(right(), "setup", "glu", "mend-marks-1", "mend-marks-3")),
            {"glu": 0},
            "no answer cell: glu; put back: setup, mend-marks-1, mend-marks-3",
        ),
        "zoe-duplicate": (data(duplicated(right())), {}, ""),
        "zora-tampers": (data(tampered(right())), {}, ""),
        "zack-generous": (
            data(generous(answered(released, spoilt))),
            some,
            "original restored: saturation-marks-1",
        ),
        "zita-stripped": (data(stripped(right())), {}, ""),
    }


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    """The class, graded by a run that was stopped, and a second one that went on."""
    folder = tmp_path_factory.mktemp("batch")
    shutil.copytree(ROOT / "homework", folder / "homework")
    config = folder / "homework" / "nbgrader_config.py"
    patient = config.read_text()
    strict = patient.replace("timeout = 30", f"timeout = {SECONDS}")
    strict = strict.replace("memory = 4", "memory = 1")
    assert len(strict) == len(patient) - 1
    config.write_text(strict)
    released = nbformat.read(release(SLUG, folder / "course"), 4)
    students = class_of_thirty(released)
    submissions = folder / "class"
    submissions.mkdir()
    for name, (content, _, _) in students.items():
        if isinstance(content, bytes):
            (submissions / f"{name}.ipynb").write_bytes(content)
            continue
        (submissions / name).mkdir()
        for file, data in content.items():
            (submissions / name / file).write_bytes(data)

    (folder / "tmp").mkdir()  # the homes of the processes, see left_over
    command = grading(submissions, SLUG, cwd=folder, TMPDIR=str(folder / "tmp"))
    first = subprocess.Popen(**command)
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
            if process.environ().get("HOME", "").startswith(str(folder)):
                found.append(process)
        except psutil.Error:
            continue
    return found


def test_everyone_gets_the_marks_due_or_a_reason(batch):
    folder, students, _ = batch
    rows, wrong = marks(folder / "class", SLUG), []
    assert len(students) >= 30
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


def test_the_table_and_the_pages_say_so_too(batch):
    folder, students, output = batch
    for name, (_, due, word) in students.items():
        page = folder / "class-marks" / SLUG / "feedback" / f"{name}.html"
        text = page.read_text()
        assert name in output and name in text and word.split("'")[0] in text
        assert ("not graded" in text) == (due is None)


def test_nothing_is_left_running(batch):
    assert not left_over(batch[0])


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


@pytest.mark.parametrize(
    ("folder", "slug", "words"),
    [("nowhere", SLUG, "expected a folder"), (".", "99_none", f"{SLUG}, ")],
)
def test_arguments_that_are_wrong_are_named(tmp_path, folder, slug, words):
    done = subprocess.run(**grading(tmp_path / folder, slug))
    assert done.returncode == 1 and words in done.stdout
    assert not os.listdir(tmp_path)
