"""A figure that a later cell spoils is found when it runs again after the notebook."""

import re
import subprocess
import sys

import nbformat

from press.execution.pytest_plugin import is_handle
from tests.chapter_code import ROOT

FIGURE = '''from utils.interact import interact
@interact(a=(0, 2))
def {0}(a=0):
    """A number."""
    fig = plt.figure(figsize=(4, 3))
    fig.text(0.5, 0.5, a)
    return fig'''
TEXT = "See [there](#sound:a=1) and [there](#sound:a=2) and [beyond](#wrong:a=3)."
PLOT = "import matplotlib.pyplot as plt\nfig, ax = plt.subplots(figsize=(2, 1))\n"
CELLS = {
    "same": (PLOT + "ax.plot([0, 1], [0, 1]);", "figure"),
    "changed": (PLOT + "ax.plot([0, slope]);", "figure"),
    "broken": (PLOT + "ax.plot([0, names['a']]);", "figure"),
    "empty": ("pass", "figure"),
    "on the grid": (FIGURE.format("sound"), "widget"),
    "off the grid": (FIGURE.format("wrong"), "widget"),
    "spoils the last": (PLOT + "ax.plot([0, 1]); names = 1", "figure"),
    "between": ("names = [1]", "run"),
    "last": (PLOT + "ax.plot([0, len(names)]);", "figure"),
    "later": ("slope = 2", "run"),
}


def test_each_figure_runs_again_and_has_the_positions_that_the_text_names(tmp_path):
    cells = [nbformat.v4.new_code_cell("slope, names = 1, {'a': 1}")]
    cells.append(nbformat.v4.new_markdown_cell(TEXT))
    for source, tag in CELLS.values():
        cells.append(nbformat.v4.new_code_cell(source, metadata={"tags": [tag]}))
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbformat.write(notebook, tmp_path / "pictures.ipynb")
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "press.execution.pytest_plugin", "--noconftest",
         "-p", "no:cacheprovider", "--color=no", "-v", tmp_path / "pictures.ipynb"],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    outcomes = re.findall(r"::Cell (\d) again (\w+)", process.stdout)
    expected = [(i, "PASSED" if i in "157" else "FAILED") for i in "12345679"]
    assert outcomes == expected, process.stdout[-3000:]
    for sign in (
        "expected a picture",
        "of which 0 are the same",
        "TypeError",
        "wrong, 'a=3'",
    ):
        assert sign in process.stdout


def test_the_name_of_a_plotted_object_is_no_output():
    output = lambda **data: nbformat.from_dict({"data": data})
    plain = "text/plain"
    assert is_handle(output(**{plain: "<matplotlib.legend.Legend at 0x7f>"}))
    assert is_handle(output(**{plain: "Text(0.5, 0, 'first entry')"}))
    assert not is_handle(output(**{plain: "Textbook"}))
    assert not is_handle(output(**{plain: "<matplotlib.x>", "image/png": "…"}))
