"""A `seen` check that does not notice what is drawn, or where, is named."""

import subprocess
import sys

import matplotlib.pyplot as plt
import nbformat
import pytest

from press.execution.figure_mutations import unnoticed
from tests.chapter_code import ROOT
from tests.figures import shown_with

SETUP = """
import matplotlib.pyplot as plt
import numpy as np
from utils.interact import interact, position

xs = np.array([1.0, 2.0, 4.0, 8.0])


def height(xs, a, ink="blue", log=False):
    value = xs[abs(int(a))] * (3 if ink == "dark red" else 1)
    return np.log(value) if log else value


def highest(a):
    return height(xs, a, "dark red")
"""
WIDGET = '''@interact(a=(-3, 3), ink=["blue", "dark red"], log=False)
def curve(a=0, ink="blue", log=False):
    """A curve."""
    fig, ax = plt.subplots()
    ax.set_title(f"{height(xs, a, ink, log):.3f}")
    return fig'''
NOTE = """```{{admonition}} What you should have seen
:class: dropdown note
It is [high](#curve:{}).
```"""


def notebook(check, position="a=3,ink=dark%20red"):
    return nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(SETUP, metadata={"tags": ["setup"]}),
            nbformat.v4.new_code_cell(WIDGET, metadata={"tags": ["widget"]}),
            nbformat.v4.new_markdown_cell(NOTE.format(position)),
            nbformat.v4.new_code_cell(check, metadata={"tags": ["check", "seen"]}),
        ]
    )


def lacks(check, *position):
    """Return what the check of a small notebook does not notice."""
    names, small = {}, notebook(check, *position)
    with shown_with(lambda function, controls: {}):
        for cell in small.cells[:2]:
            exec(cell.source, names)
        errors = unnoticed(small, names)
    assert not plt.get_fignums()
    return errors


@pytest.mark.parametrize(
    "check",
    [
        'assert height(xs, 3, "dark red") == 24',
        "assert highest(3) == 24",
        "for a in (1, 2, 3):\n    assert height(xs, a) == 2**a  # a law",
        "for a, y in ((1, 2), (3, 8)):\n    assert height(xs, a) == y",
        'shown = curve(3, "dark red")\nassert shown.axes[0].get_title() == "24.000"',
        'at = position(curve, "a=3,ink=dark red")\nassert height(xs, **at) == 24',
        'text = curve(**position(curve, "a=3,ink=dark%20red")).axes[0].get_title()\n'
        'plt.close("all")\nassert text == "24.000"',
    ],
)
def test_what_notices_all_passes(check):
    assert lacks(check) == []


@pytest.mark.parametrize(
    ("check", "position"),
    [
        ("assert height(xs, -2) == xs[2]", "a=-2"),
        ("assert height(xs, 2, log=True) < 2", "log=on"),
    ],
)
def test_signs_and_switches_are_moved_too(check, position):
    assert lacks(check, position) == []


@pytest.mark.parametrize(
    "check",
    [
        'assert curve(3, "dark red")',
        'print(height(xs, 3, "dark red"))\nassert len(xs) == 4',
        'assert position(curve, "a=3,ink=dark red") is not None',
        'shown = height(xs, 3, "dark red")\nassert np.isfinite(shown)',
    ],
)
def test_what_notices_nothing_is_named(check):
    (lack,) = lacks(check)
    assert lack == "curve: expected a check that sees what it draws, got none"


def test_a_check_of_another_position_is_named():
    (error,) = lacks('assert height(xs, 2, "blue") == 4')
    assert error == "curve: expected a check at a=3,ink=dark%20red, got none"


def test_a_figure_whose_cells_were_not_run_is_left_out():
    assert lacks("assert trained.min() > 3") == []


def test_numbers_in_whatever_holds_them_are_moved():
    check = "assert max(height(xs, a) for a in (3, 2)) == 8 and xs.shape == (4,)"
    assert lacks(check) == []


@pytest.mark.parametrize(("compared", "status"), [("== 24", 0), ("is not None", 1)])
def test_a_build_tries_the_checks_after_the_notebook(tmp_path, compared, status):
    check = f'assert height(xs, 3, "dark red") {compared}'
    nbformat.write(notebook(check), tmp_path / "small.ipynb")
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "press.execution.pytest_plugin", "--noconftest",
         "-p", "no:cacheprovider", "--color=no", tmp_path / "small.ipynb"],
        cwd=ROOT, capture_output=True, encoding="utf-8", timeout=120,
    )  # fmt: skip
    assert process.returncode == status, process.stdout
