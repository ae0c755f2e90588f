"""Every assignment: right answers keep their marks, wrong ones and tricks do not.

The marks are computed in this process, by ``tests.homework.mark``; that they are
nbgrader's is for ``test_homework_batch.py`` to show.
"""

import nbformat
import numpy
import pytest

from grader.course import release
from tests.homework.marking import (
    ASSIGNMENTS,
    TRICKS,
    answered,
    answers,
    mark,
    name_of,
    points,
    source,
    tricked,
    with_cell,
)

every_assignment = pytest.mark.parametrize("slug", ASSIGNMENTS)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """What nbgrader makes of each assignment for students."""
    folder = tmp_path_factory.mktemp("course")
    return {slug: nbformat.read(release(slug, folder), 4) for slug in ASSIGNMENTS}


def full(slug):
    of, by_hand = points(slug)
    return {task: most for task, most in of.items() if task not in by_hand}


def wrong_answers(slug):
    """Codes of the k-th wrong answers, right ones where there are fewer, and marks due."""
    right, wrong = answers(slug)
    for k in range(max(map(len, wrong.values()))):
        some = {task: found[k] for task, found in wrong.items() if k < len(found)}
        yield (
            {task: what for task, (what, _, _) in some.items()},
            right | {task: code for task, (_, code, _) in some.items()},
            full(slug) | {task: due for task, (_, _, due) in some.items()},
        )


@every_assignment
def test_answers_are_given_for_every_task(slug):
    right, wrong = answers(slug)
    assert set(right) == set(wrong) == set(full(slug))
    for task, found in wrong.items():
        assert len(found) >= 3, f"{task}: expected three typical wrong answers"
        assert all(0 <= some < full(slug)[task] for _, _, some in found), task


@every_assignment
def test_right_answers_get_full_marks(released, slug):
    right = answered(released[slug], answers(slug)[0])
    for notebook in (source(slug), right):
        found, errors = mark(slug, notebook)
        assert not errors and found == full(slug)


@every_assignment
def test_the_untouched_release_gets_none(released, slug):
    found, _ = mark(slug, released[slug])
    assert not any(found.values()), found
    proofs = [c for c in released[slug].cells if name_of(c) in points(slug)[1]]
    for cell in proofs:  # unchanged it gets 0, see test_homework_batch.py
        assert cell.source == "*Write your answer here.*"


@every_assignment
def test_wrong_answers_lose_their_marks_and_no_others(released, slug):
    different = []
    for what, codes, due in wrong_answers(slug):
        found, _ = mark(slug, answered(released[slug], codes))
        different += [
            f"{task}, {what.get(task, 'right beside wrong ones')}: "
            f"expected {due[task]}, got {found[task]}"
            for task in due
            if found[task] != due[task]
        ]
    assert not different, "\n".join(different)


@every_assignment
def test_tricks_win_nothing(released, slug):
    """They would, if the tests saw the names as the student left them."""
    won = 0
    for what, codes, due in wrong_answers(slug):
        codes = {task: tricked(code) for task, code in codes.items()}
        notebook = with_cell(answered(released[slug], codes), TRICKS)
        found = mark(slug, notebook, apart=True, seconds=0.5)[0]
        assert all(found[task] <= due[task] for task in due), (what, found, due)
        naive = mark(slug, notebook, apart=False, seconds=0.5)[0]
        won += sum(max(0, naive[task] - due[task]) for task in due)
    assert won > 0
    assert abs(-1) == max(0, 1) == numpy.abs(-1)  # for the tests that follow
