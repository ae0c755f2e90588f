"""Every assignment: right answers keep their marks, wrong ones and tricks do not.

The marks are computed in this process, by ``tests.homework.marking``; that they are
nbgrader's is for ``test_class.py`` to show.
"""

import numpy
import pytest

from tests.homework.assignments import (
    ASSIGNMENTS,
    answered,
    answers,
    full_marks,
    name_of,
    points,
    released,
    teachers,
    with_cell,
)
from tests.homework.marking import TRICKS, mark, tricked

every_assignment = pytest.mark.parametrize("name", ASSIGNMENTS)


def wrong_answers(name):
    """Codes of the k-th wrong answers, right ones where there are fewer, and marks due."""
    right, wrong = answers(name)
    for k in range(max(map(len, wrong.values()))):
        chosen = {
            task: entries[k] for task, entries in wrong.items() if k < len(entries)
        }
        yield (
            {task: description for task, (description, _, _) in chosen.items()},
            right | {task: code for task, (_, code, _) in chosen.items()},
            full_marks(name) | {task: due for task, (_, _, due) in chosen.items()},
        )


@every_assignment
def test_answers_are_given_for_every_task(name):
    right, wrong = answers(name)
    assert set(right) == set(wrong) == set(full_marks(name))
    for task, entries in wrong.items():
        assert len(entries) >= 3, f"{task}: expected three typical wrong answers"
        assert all(0 <= marks < full_marks(name)[task] for _, _, marks in entries), task


@every_assignment
def test_students_get_the_checker_and_need_no_other_file(name):
    code = "\n".join(c.source for c in released(name).cells if c.cell_type == "code")
    assert code.count("def expect(") == 1 and "%run" not in code


@every_assignment
def test_right_answers_get_full_marks(name):
    right = answered(released(name), answers(name)[0])
    for notebook in (teachers(name), right):
        marks, errors = mark(name, notebook)
        assert not errors and marks == full_marks(name)


@every_assignment
def test_the_untouched_release_gets_none(name):
    marks, _ = mark(name, released(name))
    assert not any(marks.values()), marks
    proofs = [c for c in released(name).cells if name_of(c) in points(name)[1]]
    for cell in proofs:  # unchanged it gets 0, see test_class.py
        assert cell.source == "*Write your answer here.*"


@every_assignment
def test_wrong_answers_lose_their_marks_and_no_others(name):
    different = []
    for description, codes, due in wrong_answers(name):
        marks, _ = mark(name, answered(released(name), codes))
        different += [
            f"{task}, {description.get(task, 'right beside wrong ones')}: "
            f"expected {due[task]}, got {marks[task]}"
            for task in due
            if marks[task] != due[task]
        ]
    assert not different, "\n".join(different)


@every_assignment
def test_tricks_win_nothing(name):
    """They would, if the tests saw the names as the student left them."""
    won = 0
    for description, codes, due in wrong_answers(name):
        codes = {task: tricked(code) for task, code in codes.items()}
        notebook = with_cell(answered(released(name), codes), TRICKS)
        marks = mark(name, notebook, apart=True, seconds=0.5)[0]
        assert all(marks[task] <= due[task] for task in due), (description, marks, due)
        if not won:
            naive = mark(name, notebook, apart=False, seconds=0.5)[0]
            won += sum(max(0, naive[task] - due[task]) for task in due)
    assert won > 0
    assert abs(-1) == max(0, 1) == numpy.abs(-1)  # for the tests that follow
