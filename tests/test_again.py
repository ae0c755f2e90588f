"""A figure that a later cell spoils is found when it runs again after the notebook."""

import re
import subprocess
import sys

import nbformat

from tests.notebooks import ROOT

PLOT = "import matplotlib.pyplot as plt\nfig, ax = plt.subplots(figsize=(2, 1))\n"
CELLS = {
    "same": (PLOT + "ax.plot([0, 1], [0, 1]);", "figure"),
    "changed": (PLOT + "ax.plot([0, slope]);", "figure"),
    "broken": (PLOT + "ax.plot([0, names['a']]);", "figure"),
    "empty": ("pass", "figure"),
    "later": ("slope, names = 2, []", "run"),
}


def test_each_figure_must_show_the_same_picture_after_the_whole_notebook(tmp_path):
    cells = [nbformat.v4.new_code_cell("slope, names = 1, {'a': 1}")]
    for source, tag in CELLS.values():
        cells.append(nbformat.v4.new_code_cell(source, metadata={"tags": [tag]}))
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbformat.write(notebook, tmp_path / "pictures.ipynb")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider",
         "--nbval-lax", "--color=no", "-v", tmp_path / "pictures.ipynb"],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    found = re.findall(r"::Cell (\d) again (\w+)", done.stdout)
    assert found == [
        ("4", "FAILED"), ("3", "FAILED"), ("2", "FAILED"), ("1", "PASSED")
    ], done.stdout[-3000:]  # fmt: skip
    for sign in ("expected a picture", "of which 0 are the same", "TypeError"):
        assert sign in done.stdout
