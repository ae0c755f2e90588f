"""A `seen` check that does not notice what is drawn, or where, is named."""

import subprocess
import sys

import nbformat
import pytest

from tests.chapter_code import ROOT

SETUP = """
import matplotlib.pyplot as plt
import numpy as np
from utils.interact import interact, position

xs = np.array([1.0, 2.0, 4.0, 8.0])


def height(xs, a, ink="blue", log=False):
    value = xs[abs(int(a))] * (3 if ink == "dark red" else 1)
    return np.log(value) if log else value
"""
WIDGET = '''@interact(a=(-3, 3), ink=["blue", "dark red"], log=False)
def curve(a=0, ink="blue", log=False):
    """A curve."""
    fig, ax = plt.subplots()
    ax.set_title(f"{height(xs, a, ink, log):.3f}")
    return fig'''
NOTE = """```{admonition} What you should have seen
:class: dropdown note
It is [high](#curve:a=3,ink=dark%20red).
```"""


@pytest.mark.parametrize(("compared", "status"), [("== 24", 0), ("is not None", 1)])
def test_a_build_tries_the_checks_after_the_notebook(tmp_path, compared, status):
    check = f'assert height(xs, 3, "dark red") {compared}'
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(SETUP, metadata={"tags": ["setup"]}),
            nbformat.v4.new_code_cell(WIDGET, metadata={"tags": ["widget"]}),
            nbformat.v4.new_markdown_cell(NOTE),
            nbformat.v4.new_code_cell(check, metadata={"tags": ["check", "seen"]}),
        ]
    )
    nbformat.write(notebook, tmp_path / "small.ipynb")
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "press.execution.pytest_plugin", "--noconftest",
         "-p", "no:cacheprovider", "--color=no", tmp_path / "small.ipynb"],
        cwd=ROOT, capture_output=True, encoding="utf-8", timeout=120,
    )  # fmt: skip
    assert process.returncode == status, process.stdout
