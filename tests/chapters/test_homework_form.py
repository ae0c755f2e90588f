"""Every assignment keeps the form that homework/README.md states."""

import ast
import json
import re
import sys

import pytest

from press import chapters
from press import lint as rules
from tests.homework.assignments import (
    NOTEBOOKS,
    info,
    name_of,
    points,
    released,
    teachers,
    text_of,
)

PARTS = re.compile(r"\((\d|½) points?\)")

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
    points_by_task, by_hand = points(path.stem)
    project = path.stem.endswith("_project")
    tasks, min_points, max_points, hands = (6, 36, 44, 4) if project else (4, 18, 22, 2)
    assert (
        tasks <= len(points_by_task) <= 8
        and min_points <= sum(points_by_task.values()) <= max_points
    )
    assert len(by_hand) <= hands
    if project:  # most of it is for a person to judge
        assert (
            0.5
            <= sum(points_by_task[task] for task in by_hand)
            / sum(points_by_task.values())
            <= 0.7
        )
    introduction = teachers(path.stem).cells[0].source
    table = dict(re.findall(r"^\| `([\w-]+)` \|.*\| (\d+) \|$", introduction, re.M))
    assert {task: int(worth) for task, worth in table.items()} == points_by_task
    assert f"**{sum(points_by_task.values())}**" in introduction


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
                    allowed = {"matplotlib", "numpy", "scipy", "sklearn", "torch"}
                    assert tops <= allowed | sys.stdlib_module_names


@every_assignment
def test_homework_prose_has_no_weasel_words(path):
    for cell in teachers(path.stem).cells:
        if cell.cell_type == "markdown":
            assert not rules.weasel_words(cell.source), cell.id


def checks(code):
    """Return the checks at the top of a cell that say more than that there is an answer."""
    pairs = []
    for node in ast.parse(code).body:
        call = getattr(node, "value", None)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "expect":
            actual, against = map(ast.unparse, call.args[:2])
            if actual != against and not re.fullmatch(r"np\.shape\(\w+\)", actual):
                pairs.append(ast.unparse(node))
        elif isinstance(node, ast.Assert):
            pairs.append(ast.unparse(node))
    return pairs


def repeated(cells):
    """Return checks that students see twice in the cells of one task, by the later cell."""
    seen, lines = set(), []
    for cell in cells:
        task = re.split("-try|-marks", name_of(cell) or "")[0]
        if cell.cell_type == "code" and task:
            own = {(task, check) for check in checks(cell.source)}
            lines += [(name_of(cell), check) for _, check in sorted(own & seen)]
            seen |= own
    return lines


@every_assignment
def test_homework_holds_no_residue_of_a_generator(path):
    for cell in teachers(path.stem).cells:
        if cell.cell_type == "code":
            assert not rules.fixed_conditions(cell.source), cell.id
            assert "# fmt: " not in cell.source, cell.id
    assert not repeated(released(path.stem).cells)


@every_assignment
def test_homework_says_how_the_points_are_split(path):
    worth = {}
    for cell in teachers(path.stem).cells:
        if info(cell).get("grade") and not info(cell).solution:
            worth.setdefault(name_of(cell).split("-marks")[0], []).append(cell)
    for task, cells in worth.items():
        if len(cells) > 1:
            text = text_of(path.stem, task).lower()
            assert re.search(r"\bpoints?\b", text), task


@every_assignment
def test_model_answers_say_what_each_part_is_worth(path):
    for cell in teachers(path.stem).cells:
        if info(cell).get("solution") and cell.cell_type == "markdown":
            model, text = (
                sum(0.5 if part == "½" else int(part) for part in PARTS.findall(source))
                for source in (cell.source, text_of(path.stem, name_of(cell)))
            )
            assert model in (0, info(cell).points), name_of(cell)
            assert info(cell).points in (model, text), name_of(cell)


def test_every_assignment_belongs_to_a_chapter():
    numbers = {chapters.digits(path.stem) for path in NOTEBOOKS}
    assert numbers <= {chapters.digits(slug) for slug in chapters.CHAPTERS}
