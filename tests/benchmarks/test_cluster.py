"""The class that the benchmark of a cluster grades."""

from tests.benchmarks.cluster import ODD, draw
from tests.homework.assignments import teachers
from tests.homework.classroom import ASSIGNMENT, FULL


def test_five_hundred_are_drawn_right_wrong_and_odd():
    notebook = teachers(ASSIGNMENT)
    students = draw(notebook)
    assert len(students) == 500
    due = lambda drawn: {name: marks for name, (_, marks, _) in drawn.items()}
    assert due(draw(notebook, 30)) == due(draw(notebook, 30))
    assert due(draw(notebook, 30)) != due(draw(notebook, 30, seed=1))
    kinds = [name.partition(" ")[2] for name in students]
    assert sorted(kinds) == sorted([*ODD, *["drawn"] * 490])
    drawn = [marks for name, marks in due(students).items() if name.endswith("drawn")]
    assert 50 < drawn.count({}) < 200  # a quarter of them has all five right
    assert all(50 < sum(task in marks for marks in drawn) < 200 for task in FULL)
