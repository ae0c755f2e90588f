"""Numbers typed in: three significant digits are right, 2 % off is wrong."""

import re
from functools import cache
from math import sqrt

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from tests.homework.assignments import (
    ASSIGNMENTS,
    ROOT,
    SAMPLE,
    answered,
    answers,
    kinds,
    name_of,
    points,
    released,
    teachers,
)
from tests.homework.marking import beside_its_data, locked_cells, mark

every_assignment = pytest.mark.parametrize("name", ASSIGNMENTS)
RULE = (
    "Where a number is asked for, a formula such as `2 / 3` will do, and so will its "
    "value to three significant digits, `0.667`; whole numbers must be exact.\n"
)
BEGIN = "### BEGIN SOLUTION"
OPEN = {"design", "prediction", "experiment"}  # no number is the right one


@cache
def numeric(name):
    """Return the answers of the source that are numbers: by task, by name, as plain lists."""
    keys_by_task = {}
    for cell in teachers(name).cells:
        task, code = name_of(cell), cell.source
        if BEGIN not in code or "def " in code or kinds(name)[task] in OPEN:
            continue
        names = {"__name__": "__main__"}
        with beside_its_data(name):
            exec(locked_cells(name)[1]["setup"], names)
        before = set(names)
        exec(code.partition(BEGIN)[0], names)
        keys = [key for key in names if key not in before]
        exec(code, names)
        keys_by_task[task] = {key: plain(names[key]) for key in keys}
    return keys_by_task


def plain(value):
    """Return an answer as one types it: nested lists of Python's numbers, and words."""
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value if isinstance(value, str) else np.asarray(value).tolist()


def leaves(value, at=()):
    """Each number in nested lists, and where it stands."""
    if isinstance(value, list):
        for i, part in enumerate(value):
            yield from leaves(part, (*at, i))
    elif not isinstance(value, str):
        yield at, value


def put(value, at, number):
    """Return the nested lists with another number at this place."""
    if not at:
        return number
    parts = [put(p, at[1:], number) if i == at[0] else p for i, p in enumerate(value)]
    return parts


def rounded(number):
    """Round to three significant digits; a whole number stays."""
    return number if float(number).is_integer() else float(f"{number:.3g}")


def typed(values):
    """Return the code of an answer."""
    return "\n".join(f"{name} = {value!r}" for name, value in values.items())


def wrong_by_little(number):
    """Return numbers 2 % off; for a whole number the next ones, too; for 0 a little."""
    near = [1.02 * number, 0.98 * number] if number else [0.02, -0.02]
    whole = float(number).is_integer()
    return [*near, number + 1, number - 1] if whole else near


def alone(name, task):
    """Return the released notebook with nothing but the setup, this answer and its tests."""
    notebook = answered(released(name), {})
    keep = {"setup", task}
    notebook.cells = [
        cell
        for cell in notebook.cells
        if name_of(cell) in keep or (name_of(cell) or "").startswith(f"{task}-marks")
    ]
    return notebook


def test_numbers_are_found():
    assert {"saturation"} <= set(numeric(SAMPLE))


@every_assignment
def test_three_significant_digits_are_right(name):
    codes = {}
    for task, values in numeric(name).items():
        for key, value in values.items():
            for at, number in leaves(value):
                value = put(value, at, rounded(number))
            codes[task] = codes.get(task, "") + typed({key: value}) + "\n"
    marks, errors = mark(name, answered(released(name), answers(name)[0] | codes))
    assert not errors, "expected that visible checks accept them, too"
    assert marks == {task: points(name)[0][task] for task in marks}


@every_assignment
def test_two_per_cent_off_is_wrong(name):
    accepted = []
    for task, values in numeric(name).items():
        notebook, max_points = alone(name, task), points(name)[0][task]
        assert (
            mark(name, answered(notebook, {task: typed(values)}))[0][task] == max_points
        )
        for key, value in values.items():
            for at, number in leaves(value):
                for near in wrong_by_little(number):
                    code = typed(values | {key: put(value, at, near)})
                    marks, _ = mark(name, answered(notebook, {task: code}))
                    if marks[task] == max_points:
                        accepted.append(f"{task}, {key}: {near} for {number}")
    assert not accepted, "\n".join(accepted)


@every_assignment
def test_one_sentence_says_how_exact_a_number_has_to_be(name):
    """It stands where a number is compared in this way, and only there."""
    texts = [c.source for c in teachers(name).cells if c.cell_type == "markdown"]
    codes = [c.source for c in teachers(name).cells if c.cell_type == "code"]
    first_text, *others = texts
    compared = any(re.search(r"(?<!def )\bagrees\(", code) for code in codes)
    assert first_text.count(RULE) == compared
    for source in others:
        assert not re.search(r"\b(correct|significant|three|four) digits", source)


@pytest.mark.parametrize(
    ("answer", "exact", "right"),
    [
        (0.667, 2 / 3, True),
        (0.66, 2 / 3, False),
        (1.82e-12, 0.5**39, True),
        (1.8e-12, 0.5**39, False),
        (0.0, 0.5**39, False),
        (1.0, 1.005, True),
        (0.2, 1 / 4, False),
        (2410, 2412, False),
        (2412.0, 2412, True),
        (1e-17, 0.0, True),
        (1e-3, 0, False),
        ([0.333, 0.5], [1 / 3, 1 / 2], True),
        ([0.5, 0.333], [1 / 3, 1 / 2], False),
        (0.5, [0.5], False),
        ([0.5, 0.5], 0.5, False),
        (torch.tensor(1.41), sqrt(2), True),
        (float("nan"), 1.0, False),
        (None, 1.0, False),
    ],
)
def test_agrees(answer, exact, right):
    names = {}
    exec((ROOT / "homework" / "expect.py").read_text(), names)
    assert names["agrees"](answer, exact) is right


@pytest.mark.parametrize("value", [0.5, 0.0])
def test_a_plot_shows_a_value_or_not(value):
    names = {}
    exec((ROOT / "homework" / "expect.py").read_text(), names)
    fig, ax = plt.subplots()
    ax.set(xlabel="year", ylabel="spots")
    ax.plot([1, 2], [0.25, 3])
    with pytest.raises(AssertionError, match="is not drawn"):
        names["expect_plot"](fig, [value], "fig")
    ax.bar([3], [value])
    names["expect_plot"](fig, [value], "fig")
    with pytest.raises(AssertionError, match="points for 9 numbers"):
        names["expect_plot"](fig, [value] * 9, "fig")
    ax.set(ylabel="")
    with pytest.raises(AssertionError, match="name both axes"):
        names["expect_plot"](fig, [value], "fig")
    plt.close(fig)
