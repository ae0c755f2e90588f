"""The tool that puts faults into chapters, on a small chapter of its own."""

import ast
import os
import time
from pathlib import Path

import nbformat
import pytest

from tests import chapter_code
from tests.chapter_code import ChapterCode, Fault, catches, in_fork

TESTS = Path(__file__).parents[1]
CELLS = [
    ("setup", "import os\nRUNS = []"),
    ("define", "def double(x):\n    return x + x"),
    ("run", "RUNS.append('healthy')\nfour = double(2)"),
    ("check", "assert double(3) == 6"),
    ("define", "def triple(x):\n    return 3 * x\n\n\nSPARE = 7"),
    ("run", "nine = triple(double(2) - 1)\nSTEPS, rates = 1000, {'a': 0.1}"),
    ("figure", "def drawn():\n    return nine"),
    ("check seen", "assert drawn() == 9"),
    ("check", "assert nine == 9 and len(RUNS) == 1"),
    ("check slow", "assert SPARE == 7"),
]
IN_DOUBLE = Fault("x + x", "x * x * x", "a cube")
IN_TRIPLE = Fault("3 * x", "4 * x", "four for three")


@pytest.fixture
def chapter(tmp_path, monkeypatch):
    cells = [
        nbformat.v4.new_code_cell(
            source, id=f"cell-{i}", metadata={"tags": tags.split()}
        )
        for i, (tags, source) in enumerate(CELLS)
    ]
    path = tmp_path / "00_small.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    monkeypatch.setattr(chapter_code, "BOOK", tmp_path)
    return ChapterCode("00_small")


@pytest.fixture(params=[True, False], ids=["forked", "plain"])
def either(request, monkeypatch, chapter):
    """The small chapter, its faults in forked processes or in this one."""
    if not request.param:
        monkeypatch.setattr(chapter_code, "CAN_FORK", False)
    return chapter


def test_a_fault_is_caught_from_either_place_in_any_order(either):
    for fault in (IN_DOUBLE, IN_TRIPLE, IN_DOUBLE, IN_TRIPLE):
        either.assert_caught(fault)


@pytest.mark.parametrize(
    ("find", "put", "reason"),
    [
        ("SPARE = 7", "SPARE = 8", "no check of 00_small notices"),
        ("return 3 * x", "return x * 3", "no check of 00_small notices"),
        ("SPARE = 7", "assert False", "failed outside of the checks"),
        ("return 3 * x", "return 3 * y", "NameError in cell-5"),
        ("return 3 * x", "return 1 // 0", "ZeroDivisionError|division"),
        ("x", "y", "expected once in the define cells, found 5"),
        ("four = ", "four = 1 + ", "expected once in the define cells, found 0"),
    ],
)
def test_what_is_not_a_caught_fault_fails(either, find, put, reason):
    with pytest.raises((AssertionError, ZeroDivisionError), match=reason):
        either.assert_caught(Fault(find, put, "a slip"))
    either.assert_caught(IN_TRIPLE)  # and spoils nothing for the next one


def test_the_healthy_cells_run_once_for_all_faults(chapter, tmp_path):
    record = tmp_path / "record"
    chapter.cells[2].source += f"\nopen({str(record)!r}, 'a').write('x')"
    test = catches(
        chapter, [IN_TRIPLE, IN_DOUBLE, Fault("3 *", "2 *", "two for three")]
    )
    (mark,) = test.pytestmark
    faults = mark.args[1]
    assert faults[0] == IN_DOUBLE  # in the order of their homes
    for fault in faults:
        test(fault)
    # The first fault stands before this cell, so that its own process runs it as well.
    assert record.read_text() == ("xx" if chapter_code.CAN_FORK else "xxx")


@pytest.mark.skipif(not chapter_code.CAN_FORK, reason="faults do not fork here")
def test_a_fork_that_dies_or_hangs_is_reported(monkeypatch):
    assert in_fork(lambda: None) == ""
    assert "ended with code 3" in in_fork(lambda: os._exit(3))
    monkeypatch.setattr(chapter_code, "PATIENCE", 0.2)
    assert "still running" in in_fork(lambda: time.sleep(60))


def test_a_run_cell_gives_its_constants_without_its_work(chapter):
    scope = {}
    chapter.define("cell-5", scope, "STEPS")
    assert scope["STEPS"] == 1000 and "nine" not in scope
    chapter.define("cell-4", scope, "triple")
    assert scope["triple"](2) == 6 and "SPARE" not in scope
    with pytest.raises(KeyError, match="cell-4 does not define four"):
        chapter.define("cell-4", scope, "triple", "four")
    with pytest.raises(KeyError, match="no code cell 'cell-99'"):
        chapter.run("cell-99", scope)
    scope = chapter.namespace()
    chapter.run("cell-2", scope)
    assert scope["four"] == 4 and "nine" not in scope


@pytest.mark.parametrize(
    "path",
    [
        p
        for room in ("chapters", "evidence")
        for p in TESTS.glob(f"{room}/test_[0-9]*.py")
    ],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_no_chapter_runs_while_its_tests_are_collected(path):
    """Names of a chapter are asked for in tests and fixtures, never while importing."""
    at_import = []
    for statement in ast.parse(path.read_text("utf-8")).body:
        if isinstance(statement, ast.FunctionDef):  # its decorators are evaluated
            at_import += statement.decorator_list
        else:
            at_import.append(statement)
    called = {
        node.func.attr
        for part in at_import
        for node in ast.walk(part)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    assert not called & {"namespace", "run", "define", "assert_caught"}
