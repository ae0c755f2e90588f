"""Odd submissions of fifteen kinds where networks are trained: marks due, or a reason."""

import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest

from grader.assignment import notebook_path
from grader.nbgrader_steps import release
from tests.homework.assignments import (
    FOLDERS,
    ROOT,
    answered,
    answers,
    with_cell,
)
from tests.homework.classroom import (
    DAEMON,
    HOG,
    different_marks,
    different_pages,
    duplicated,
    full_marks,
    generous,
    grading,
    handed_in,
    impatient_grading,
    left_over,
    stripped,
    tampered,
)
from tests.homework.marking import TRICKS, tricked

# By assignment: a task that the odd students spoil, and the task that trains the longest,
# which they leave out.
TASKS = {
    "11_convolution": ("wheel", "trial"),
    "04_softmax_regression": ("bounded", "minutes-saved"),
    "06_activations": ("pretend", "wires"),
}
SECONDS = 30  # a cell, in place of what the notebook asks for
LOOP = "while True:\n    pass"
FORKS = """
import os
for _ in range(3):
    os.fork()  # each goes on as a second kernel, with the same sockets
"""
CLEARED = """
import gc, os, sys
os.environ.clear()
os.chdir("/")
sys.argv.clear()
gc.disable()
for name in [name for name in sys.modules if name.startswith("matplotlib")]:
    del sys.modules[name]
"""
REBOUND = """
import sys, types
import numpy, sklearn.datasets, torch
wheel_forward = wheel_backward = same = print
conv = input_gradient = kernel_gradient = lambda *_: 0
expect = agrees = expect_words = expect_plot = accepts = proves = near = print
AssertionError = Exception = ValueError = KeyboardInterrupt
numpy.testing.assert_allclose = numpy.array_equal = print
sklearn.datasets.load_digits = None
PICTURES = LABELS = belt = digits = None
sys.modules["numpy"] = np = types.SimpleNamespace()
sys.modules["torch"] = torch = F = types.SimpleNamespace()
"""
WIPES = """
import os, shutil
for name in os.listdir("."):
    shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)
open("digits.csv", "w").write("0,0")
open("sklearn.py", "w").write("load_digits = None")
open("numpy.py", "w").write("raise SystemExit")
os.abort()
"""
FLOOD = """
import sys
from IPython.display import HTML, display
for _ in range(40):
    sys.stderr.write("x" * 3_000_000)
    display(HTML("<b>" + "y" * 3_000_000))
with open("large.bin", "wb") as file:
    for _ in range(10**4):  # 10 GB
        file.write(bytes(10**6))
"""


def old_format(notebook):
    """Return the notebook as a program writes it that knows no cell ids and keeps no outputs."""
    notebook.nbformat_minor = 4
    for cell in notebook.cells:
        del cell["id"]
    return notebook


def nameless(notebook):
    """Strip nbgrader's names and the ids: only texts and tests tell which cell is which."""
    return old_format(stripped(notebook))


def odd_class(name, released):
    """Return by student what is handed in, marks due and a word, as in ``a_class``."""
    task, trained = TASKS[name]
    right, wrong = answers(name)
    untrained = {one: code for one, code in right.items() if one != trained}
    quick = lambda **other: answered(released, untrained | other)
    data = lambda notebook: nbformat.writes(notebook).encode()
    own_cell = lambda code, after="setup": data(with_cell(quick(), code, after))
    first = {one: entries[0] for one, entries in wrong.items() if one != trained}
    spoilt = answered(released, {one: entry[1] for one, entry in first.items()})
    due = {one: entry[2] for one, entry in first.items()} | {trained: 0}
    text, file_name = data(quick()), f"{name}.ipynb"
    late, died, rest = "did not stop within", "ended the Python", {trained: 0}
    students = {
        "01-right": ({file_name: data(answered(released, right))}, {}, ""),
        "02-crash": (own_cell("import os\nos.abort()", task), rest, died),
        "03-loop": (data(quick(**{task: LOOP})), rest | {task: 0}, late),
        "04-forks": (own_cell(FORKS + DAEMON), rest, ""),
        "05-cleared": (own_cell(CLEARED), rest, ""),
        "06-link": (Path("01-right") / file_name, None, "a link, not followed"),
        "08-cut": (text[: len(text) // 3], None, "not a notebook"),
        "09-stripped": (data(stripped(quick())), rest, ""),
        "09-old": (data(old_format(quick())), rest, ""),
        "09-nameless": (data(nameless(quick())), rest, "found by their places"),
        "10-twice": (data(duplicated(quick(), task, "1 / 0")), rest, ""),
        "11-ids": (data(tampered(quick(), task)), rest, ""),
        "12-generous": (data(generous(spoilt)), due, "restored"),
        "13-memory": (own_cell(HOG), rest, "out of memory"),
        "14-wiped": (own_cell(WIPES), rest, died),
        "14-data": (
            {file_name: text, "numpy.py": b"1 / 0", "digits.csv": b"0"},
            rest,
            "",
        ),
        "15-flood": (own_cell(FLOOD), rest, ""),
    }
    if name == "11_convolution":  # what is due here depends on its names and tests
        codes = {one: tricked(entry[1]) for one, entry in first.items()}
        tricks = data(with_cell(answered(released, codes), TRICKS))
        none = dict.fromkeys(full_marks(name), 0)  # NumPy is gone; two tests need none
        students |= {
            "07-tricks": (tricks, due | {"wheel": 1, "night-run": 0}, ""),
            "07-rebound": (own_cell(REBOUND, "night-run-marks-4"), rest, ""),
            "07-rebound-first": (
                own_cell(REBOUND),
                none | {"least-padding": 2, "night-run": 1},
                "",
            ),
        }
    return students


def shortened(name, folder):
    """Return a copy of the assignment that gives a cell ``SECONDS``."""
    shutil.copytree(ROOT / "homework", folder / "homework")
    source = folder / "homework" / "source" / name
    path = notebook_path(source)
    notebook = nbformat.read(path, 4)
    notebook.metadata.setdefault("grader", {})["timeout"] = SECONDS
    nbformat.write(notebook, path)
    return source


@pytest.fixture(scope="module", params=TASKS)
def graded(request, tmp_path_factory):
    """The assignment, the folder, what its students handed in, what the grader printed."""
    folder = tmp_path_factory.mktemp("odd")
    source = shortened(request.param, folder)
    released = nbformat.read(release(source, folder / "course"), 4)
    students = odd_class(request.param, released)
    (folder / "class").mkdir()
    for name, (content, _, _) in students.items():
        handed_in(folder / "class", name, content)
    command = impatient_grading(folder, folder / "class", source)
    process = subprocess.run(**command, timeout=3000)
    print(process.stdout)
    assert process.returncode == 0, process.stdout
    return request.param, folder, students, process.stdout


def test_everyone_gets_the_marks_due_or_a_reason(graded):
    name, folder, students, _ = graded
    wrong = different_marks(folder / "class", students, name)
    assert not wrong, wrong


def test_the_table_and_the_pages_say_so_too(graded):
    name, folder, students, output = graded
    assert not different_pages(folder / "class", students, output, name)


def test_nothing_is_left_running(graded):
    assert not left_over(graded[1])


FORGES = """
import os
assert os.path.exists("prose.txt")
with open("prose.txt", "w") as file:
    file.write("nothing, as the kernel ends here and begins again")
os.abort()
"""


def test_a_second_run_has_the_data_of_the_first(tmp_path):
    """What a cell has written over the data, or beside them, is gone when it is."""
    name = "14_rnn"
    released = nbformat.read(release(FOLDERS[name], tmp_path / "course"), 4)
    notebook = with_cell(answered(released, answers(name)[0]), FORGES)
    (tmp_path / "class").mkdir()
    data = nbformat.writes(notebook).encode()
    handed_in(tmp_path / "class", "ada", data)
    subprocess.run(**grading(tmp_path / "class", FOLDERS[name]), timeout=1200)
    due = {"ada": (data, {}, "ended the Python")}
    assert not (wrong := different_marks(tmp_path / "class", due, name)), wrong
