"""Every assignment keeps the form that CONTRIBUTING.md states."""

import ast
import json
import re
import sys

import pytest

from press import chapters
from press import lint as rules
from tests.homework.assignments import NOTEBOOKS, info, name_of, points, teachers

every_assignment = pytest.mark.parametrize(
    "path", NOTEBOOKS, ids=lambda path: path.stem
)


@every_assignment
def test_homework_is_stored_clean(path):
    notebook = json.loads(path.read_text())
    assert path.stem == path.parent.name
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in notebook["cells"]:
        assert set(cell["metadata"]) <= {"nbgrader"}
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            assert all(
                len(line.rstrip()) <= rules.MAX_COLUMNS for line in cell["source"]
            )


@every_assignment
def test_homework_has_tasks_and_the_points_that_its_table_says(path):
    found, by_hand = points(path.stem)
    assert 4 <= len(found) <= 6 and 18 <= sum(found.values()) <= 22
    assert len(by_hand) <= 1
    first = teachers(path.stem).cells[0].source
    table = dict(re.findall(r"^\| `([\w-]+)` \|.*\| (\d+) \|$", first, re.M))
    assert {task: int(some) for task, some in table.items()} == found
    assert f"**{sum(found.values())}**" in first


@every_assignment
def test_homework_cells_are_what_their_names_say(path):
    tasks, _ = points(path.stem)
    for cell in teachers(path.stem).cells:
        if not name_of(cell):
            continue
        task, _, part = re.match(
            r"(.+?)(-(try|marks)(-\d)?)?$", name_of(cell)
        ).groups()[:3]
        kind = info(cell).grade, info(cell).solution, info(cell).locked
        if name_of(cell) == "setup":
            assert kind == (False, False, True)
            continue
        assert task in tasks, name_of(cell)
        if part == "try":
            assert kind == (False, False, True)
        elif part == "marks":
            assert kind == (True, False, True)
            assert "### BEGIN HIDDEN TESTS" in cell.source
        else:
            assert info(cell).solution and not info(cell).locked
            assert info(cell).grade == (cell.cell_type == "markdown")
            if cell.cell_type == "code":
                assert "### BEGIN SOLUTION" in cell.source


@every_assignment
def test_homework_needs_no_more_than_its_requirements(path):
    for cell in teachers(path.stem).cells:
        if cell.cell_type == "code":
            for node in ast.walk(ast.parse(cell.source)):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    names = [getattr(node, "module", None) or node.names[0].name]
                    tops = {name.split(".")[0] for name in names}
                    allowed = {"matplotlib", "numpy", "scipy", "torch"}
                    assert tops <= allowed | sys.stdlib_module_names


@every_assignment
def test_homework_prose_has_no_weasel_words(path):
    for cell in teachers(path.stem).cells:
        if cell.cell_type == "markdown":
            assert not rules.weasel_words(cell.source), cell.id


def test_every_chapter_has_homework_and_every_homework_a_chapter():
    of_chapters = {chapters.digits(path.stem) for path in NOTEBOOKS}
    assert of_chapters == {chapters.digits(slug) for slug in chapters.SLUGS}
