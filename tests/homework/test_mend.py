"""Code to mend: it runs and is wrong, in as many places as the text says, if it does."""

import re

import pytest

from tests.homework.assignments import (
    ASSIGNMENTS,
    answered,
    kinds,
    name_of,
    points,
    released,
    slips,
    text_of,
)
from tests.homework.marking import mark

TO_MEND = [
    (name, task)
    for name in ASSIGNMENTS
    for task, kind in kinds(name).items()
    if kind in ("debug", "debug a training run")  # where finding them is the work
]
every_task = pytest.mark.parametrize(("name", "task"), TO_MEND)
STUB = re.compile(r"^raise NotImplementedError\(.*\)$", re.M)
NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
COUNTED = re.compile(rf"\b({'|'.join(NUMBERS)}) (?:slips|places|faults|complaints)\b")


def given(name, task):
    """Return the code that students get to mend, without the line that they take out."""
    (code,) = [c.source for c in released(name).cells if name_of(c) == task]
    assert STUB.search(code), "expected the line `raise …` in the released cell"
    return STUB.sub("", code)


def mended(code, slips_mended):
    """Return the code with these slips put right; each must be there to be mended."""
    for slip in slips_mended:
        for wrong, right in slip.items():
            assert wrong in code, f"{wrong!r} is not in the code"
            code = code.replace(wrong, right)
    return code


def marked(name, task, code):
    """Return points for the task with this code, and errors; no other task is run."""
    notebook = answered(released(name), {task: code})
    part = re.compile(rf"(setup|{task}(-try|-marks.*)?)$")
    notebook.cells = [c for c in notebook.cells if part.match(name_of(c) or "setup")]
    marks, errors = mark(name, notebook)
    return marks[task], errors


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # as in a student's notebook
@every_task
def test_the_code_to_mend_runs_and_is_wrong(name, task):
    marks, errors = marked(name, task, given(name, task))
    assert marks < points(name)[0][task] / 2, "expected to lose most of its marks"
    assert task not in errors, f"expected code that runs: {errors.get(task)!r}"
    (seen,) = [error for cell, error in errors.items() if cell == f"{task}-try"]
    assert isinstance(seen, AssertionError), f"expected wrong numbers, got {seen!r}"


@every_task
def test_all_slips_mended_are_full_marks(name, task):
    marks, errors = marked(name, task, mended(given(name, task), slips(name)[task]))
    assert marks == points(name)[0][task] and not errors


@every_task
def test_each_slip_alone_loses_marks(name, task):
    every = slips(name)[task]
    for remaining in every:
        code = mended(
            given(name, task), [slip for slip in every if slip is not remaining]
        )
        assert marked(name, task, code)[0] < points(name)[0][task], remaining


@every_task
def test_the_text_counts_the_slips(name, task):
    text = text_of(name, task)
    (heading,) = [
        c.source.partition("\n")[0]
        for c in released(name).cells
        if f"## `{task}` ·" in c.source
    ]
    counts = COUNTED.findall(f"{heading} {text}".lower())
    assert counts or kinds(name)[task] == "debug a training run"
    assert {NUMBERS[number] for number in counts} <= {len(slips(name)[task])}
