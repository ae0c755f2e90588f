"""What students get: the checker in every notebook, a zip of every assignment."""

import ast
import json
import subprocess
import sys
import zipfile

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from grader import assignment
from grader.release import release
from tests.homework.assignments import ASSIGNMENTS, FOLDERS, NOTEBOOKS, ROOT, teachers
from tests.homework.classroom import grading, marks

CHECKER = ROOT / "homework" / "expect.py"
SHARED = ROOT / "homework" / "project.py"  # by all projects
RUN = "%run ../../expect.py"


def definitions(text):
    """Return the functions that a program defines, by name, without its imports."""
    nodes = ast.parse(text).body
    return {n.name: ast.unparse(n) for n in nodes if isinstance(n, ast.FunctionDef)}


def named(source):
    """Return the code as students get it: data files by their names."""
    return assignment.DATA.sub(lambda match: f'"{match[1].split("/")[-1]}"', source)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_teachers_notebook_runs_the_checker_and_does_not_hold_it(path):
    code = [c.source for c in nbformat.read(path, 4).cells if c.cell_type == "code"]
    assert sum(RUN in source.splitlines() for source in code) == 1
    assert not any("def expect" in source for source in code)


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_the_checker_is_put_in_where_the_line_was(name):
    stored = nbformat.read(assignment.notebook_path(FOLDERS[name]), 4).cells
    for before, after in zip(stored, teachers(name).cells, strict=True):
        if RUN not in before.source:
            shared = assignment.RUNS.search(before.source)  # by several hidden tests
            assert shared or after.source == named(before.source)
            assert "%run" not in after.source
            continue
        for file in [CHECKER, SHARED] if name.endswith("_project") else [CHECKER]:
            inserted = definitions(file.read_text())
            assert inserted.items() <= definitions(after.source).items()
        assert "%run" not in after.source
        assert {"import numpy as np", "import torch"} < set(after.source.splitlines())
        above, *_, below = assignment.RUNS.split(named(before.source))
        assert after.source.startswith(above) and after.source.endswith(below)


def test_a_cell_may_run_two_programs(tmp_path):
    (tmp_path / "one.py").write_text('"""One."""\nimport os\n\n\na = os\n')
    (tmp_path / "two.py").write_text("import os\nimport re\n\n\nb = re, os\n")
    source = "import re\n\n%run one.py\n%run -i two.py\n\nc = 1"
    notebook = new_notebook(cells=[new_code_cell(source)])
    (result,) = assignment.with_programs(notebook, tmp_path).cells
    expected = "import re\nimport os\n\n\na = os\n\n\nb = re, os\n\nc = 1"
    assert result.source == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (RUN, "import numpy as np\nimport torch\n\n\nHERE"),
        (f"import torch\n\n{RUN}", "import torch\nimport numpy as np\n\n\nHERE"),
        (f"import numpy as np\n\n\n{RUN}\nx = 1", "import numpy as np\nimport torch"),
        (f"text = '{RUN}'", f"text = '{RUN}'"),
    ],
)
def test_imports_that_the_cell_has_are_not_repeated(cell, expected):
    notebook = new_notebook(cells=[new_code_cell(cell)])
    folder = FOLDERS[ASSIGNMENTS[0]]
    (result,) = assignment.self_contained(notebook, folder).cells
    assert result.source.startswith(expected.replace("HERE", "def expect("))
    assert cell.endswith("x = 1") == result.source.endswith("\nx = 1")


def cell(source, grade_id, *, grade=False, solution=False, points=None):
    """Return a code cell as nbgrader's sidebar *Create Assignment* marks it."""
    info = {"grade": grade, "grade_id": grade_id, "locked": not solution}
    info |= {"schema_version": 3, "solution": solution, "task": False}
    info |= {} if points is None else {"points": points}
    return new_code_cell(source, metadata={"nbgrader": info})


PROJECT = [
    cell(f'{RUN}\nyears = np.loadtxt("../../../data/years.csv")', "setup"),
    cell("### BEGIN SOLUTION\nx = 2\n### END SOLUTION", "double", solution=True),
    cell('expect(type(x) is int, True, "a number")', "double-try"),
    cell(
        "### BEGIN HIDDEN TESTS\n"
        'expect(x * len(years), 6, "x")\nassert np.ones(1) * x == torch.full((1,), 2.0).numpy()\n'
        "### END HIDDEN TESTS",
        "double-marks",
        grade=True,
        points=2,
    ),
]


def written(zips):
    """Return when each zip was made, by name."""
    return {path.stem: path.stat().st_mtime_ns for path in zips.glob("*.zip")}


def test_a_chapter_may_have_a_second_assignment(tmp_path):
    """A folder is enough to release and to grade it; the first goes on as before."""
    source, zips = tmp_path / "homework" / "source", tmp_path / "zips"
    first, second = "06_activations", "06_activations_project"
    for name in (first, second):
        (source / name).mkdir(parents=True)
    checker = tmp_path / "homework" / "expect.py"
    checker.write_text(CHECKER.read_text())
    data = tmp_path / "data" / "years.csv"
    data.parent.mkdir()
    data.write_text("1700\n1701\n1702\n")
    path = assignment.notebook_path(source / first)
    path.write_text(assignment.notebook_path(FOLDERS[first]).read_text())
    path = assignment.notebook_path(source / second)
    limits = {"grader": {"timeout": 3}}  # seconds a cell, in place of 30
    nbformat.write(new_notebook(cells=PROJECT, metadata=limits), path)

    requirements = ROOT / "requirements.txt"
    command = [sys.executable, "-m", "grader.release", source, zips, requirements]
    process = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    names_of_zips = written(zips)
    assert (
        sorted(names_of_zips) == [first, second] and b"2 assignments" in process.stdout
    )
    with zipfile.ZipFile(zips / f"{second}.zip") as archive:
        notebook, pins, years = (
            archive.read(f"{second}/{name}").decode()
            for name in (f"{second}.ipynb", "requirements.txt", "years.csv")
        )
    assert "def expect(" in notebook and "%run" not in notebook
    assert years == data.read_text() and r"loadtxt(\"years.csv\")" in notebook
    assert "SOLUTION" not in notebook and "HIDDEN" not in notebook
    assert {line.split("==")[0] for line in pins.splitlines()} > {"numpy", "torch"}

    students = tmp_path / "class"
    students.mkdir()
    for student, answer in [
        ("ada", "x = 1 + 1"),
        ("bo", "np.isclose = all\nx = 3"),
        ("cy", "import time\ntime.sleep(9)\nx = 2"),
    ]:
        answered = json.loads(notebook)
        answered["cells"][1]["source"] = answer
        (students / f"{student}.ipynb").write_text(json.dumps(answered))
    process = subprocess.run(**grading(students, source / second), timeout=120)
    assert process.returncode == 0, process.stdout
    rows = marks(students, second)
    assert {name: row["double"] for name, row in rows.items()} == {
        "ada": "2",
        "bo": "0",
        "cy": "0",
    }
    assert "within 3 s" in rows["cy"]["remark"]

    def release_both():
        for name in (first, second):
            release(source / name, zips, requirements)
        return written(zips)

    assert release_both() == names_of_zips
    for part in (path, data):
        part.touch()  # made again, and that one alone
        renewed = release_both()
        assert renewed[first] == names_of_zips[first]
        assert renewed[second] > names_of_zips[second]
        names_of_zips = renewed
    checker.touch()  # which both run
    last = release_both()
    assert all(last[name] > renewed[name] for name in (first, second))


def test_a_teachers_notebook_runs_where_it_lies():
    """As in JupyterLab, which starts Python in the folder of the notebook."""
    folder = FOLDERS[ASSIGNMENTS[0]]
    cells = nbformat.read(assignment.notebook_path(folder), 4).cells
    (setup,) = (c.source for c in cells if RUN in c.source)
    code = f"{setup}\nexpect(np.arange(2), [0, 1], 'two numbers')"
    command = [sys.executable, "-m", "IPython", "--no-banner", "-c", code]
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert "✓ two numbers" in process.stdout, process.stdout + process.stderr
