"""Every assignment, graded by nbgrader: right answers keep their marks, wrong ones do not."""

import subprocess

import nbformat
import pytest

from homework.course import release
from tests.homework import (
    ASSIGNMENTS,
    answered,
    answers,
    grading,
    marks,
    points,
    source,
)

every_assignment = pytest.mark.parametrize("slug", ASSIGNMENTS)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Grades, once an assignment: source, release, right answers, and wrong answers k."""
    done = {}

    def grade(slug):
        if slug not in done:
            done[slug] = _grade(slug, tmp_path_factory.mktemp(slug))
        return done[slug]

    return grade


def _grade(slug, folder):
    right, wrong = answers(slug)
    released = nbformat.read(release(slug, folder / "course"), 4)
    batch = {"source": source(slug), "released": released}
    batch["right"] = answered(released, right)
    for k in range(max(map(len, wrong.values()))):
        codes = {task: found[k][1] for task, found in wrong.items() if k < len(found)}
        batch[f"wrong{k}"] = answered(released, right | codes)
    submissions = folder / "submissions"
    submissions.mkdir()
    for name, notebook in batch.items():
        nbformat.write(notebook, submissions / f"{name}.ipynb")
    done = subprocess.run(**grading(submissions, slug), timeout=600)
    assert done.returncode == 0, done.stdout
    return marks(submissions, slug)


@every_assignment
def test_answers_are_given_for_every_task(slug):
    of, by_hand = points(slug)
    right, wrong = answers(slug)
    assert set(right) == set(wrong) == set(of) - by_hand
    for task, found in wrong.items():
        assert len(found) >= 3, f"{task}: expected three typical wrong answers"
        assert all(0 <= some < of[task] for _, _, some in found), task


@every_assignment
@pytest.mark.parametrize("student", ["source", "right"])
def test_right_answers_get_full_marks(graded, slug, student):
    of, by_hand = points(slug)
    row = graded(slug)[student]
    assert {task: row[task] for task in of} == {
        task: "" if task in by_hand and student == "source" else f"{full:g}"
        for task, full in of.items()
        if task not in by_hand or student == "source"
    } | {task: "0" for task in by_hand if student == "right"}, row["remark"]


@every_assignment
def test_the_untouched_release_gets_none(graded, slug):
    of, _ = points(slug)
    row = graded(slug)["released"]
    assert {row[task] for task in of} == {"0"} and row["sum"] == "0", row


@every_assignment
def test_wrong_answers_lose_their_marks_and_no_others(graded, slug):
    of, by_hand = points(slug)
    _, wrong = answers(slug)
    different = []
    for k in range(max(map(len, wrong.values()))):
        row = graded(slug)[f"wrong{k}"]
        for task in set(of) - by_hand:
            what, _, due = (
                wrong[task][k]
                if k < len(wrong[task])
                else ("a right answer beside wrong ones", None, of[task])
            )
            if float(row[task]) != due:
                different.append(f"{task}, {what}: expected {due}, got {row[task]}")
    assert not different, "\n".join(different)
