"""What is handed in: read whatever its state, mended where that can be, else named."""

import ast
import json

import nbformat
import pytest

from grader.batch import collect
from grader.course import release
from grader.submissions import NotGraded, load, read
from tests.homework.assignments import FOLDERS, ROOT, answered, name_of, with_cell
from tests.homework.classroom import (
    ASSIGNMENT,
    FULL,
    RIGHT,
    duplicated,
    stripped,
    tampered,
)
from tests.homework.marking import mark


def test_what_can_be_mended_is_the_same_as_before(tmp_path):
    """Damage by programs and by students: the notebook to be graded has every answer."""
    released = nbformat.read(release(FOLDERS[ASSIGNMENT], tmp_path / "course"), 4)
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
        notebook, remarks = load([path], ASSIGNMENT, released)
        cells = {name_of(c): c.source for c in notebook.cells if name_of(c)}
        assert list(cells) == list(wanted), what
        assert all(cells[task] == wanted[task] for task in RIGHT), what
        assert bool(remarks) == bool(words) and words in "; ".join(remarks), what
        assert mark(ASSIGNMENT, notebook)[0] == FULL, what


def test_links_are_named_and_not_followed(tmp_path):
    """They may lead to the work of another, or out of the folder."""
    other, submissions = tmp_path / "other", tmp_path / "class"
    for folder in (other, submissions / "cy"):
        folder.mkdir(parents=True)
    (other / f"{ASSIGNMENT}.ipynb").write_text("{}")
    (submissions / "bo").symlink_to(other)
    (submissions / "ada.ipynb").symlink_to(other / f"{ASSIGNMENT}.ipynb")
    (submissions / "cy" / "mine.ipynb").symlink_to(other / f"{ASSIGNMENT}.ipynb")
    students = collect(submissions)
    assert sorted(students) == ["ada", "bo", "cy"]
    for paths in students.values():
        assert len(paths) == 1
        with pytest.raises(NotGraded, match=r"\(a link, not followed\)"):
            load(paths, ASSIGNMENT, None)


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
    path = tmp_path / f"{ASSIGNMENT}.ipynb"
    path.write_text(json.dumps(content))
    with pytest.raises(NotGraded) as reason:
        read(path)
    assert words in str(reason.value)


def test_input_is_not_checked_by_assert():
    """`python -O` leaves asserts out."""
    files = [*(ROOT / "grader").glob("*.py"), ROOT / "homework" / "expect.py"]
    assert len(files) > 9
    for path in files:
        nodes = ast.walk(ast.parse(path.read_text()))
        assert not any(isinstance(node, ast.Assert) for node in nodes), path
