"""What pytest does besides nbval with the notebooks of the book.

Every figure is drawn once more after the whole run, since a reader runs cells in any order,
and a live slider draws with the names as they are when the notebook has ended. So the cells
that show a figure run again in the kernel that nbval has led through the notebook, from the
first to the last, and must show the same picture: neither a later cell nor an earlier one
that runs once more may spoil it. There the positions, too, that the prose names are held
against the grid of their figure.

A notebook is kept with what it shows (``--keep``), for the pages. A cell that has failed
shows a box that says so, and the others go on; after one that exceeded its time, or in which
the kernel died, no other is run.
"""

import os
import re
import time
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbval.plugin import IPyNbCell

from press import chapters
from press.execution import failures, record
from press.execution.cells import Notebook, drawn_again
from press.execution.failure_box import box, remark
from press.execution.progress import Progress

# What a call of matplotlib returns: no output of a cell that shows its picture.
HANDLE = re.compile(r"\[?<matplotlib\.|Text\(")
WRONG_NUMBERS = ("overflow encountered", "divide by zero", "invalid value")


def pytest_addoption(parser):
    parser.addoption("--keep", help="folder of a jupyter-cache for what was executed")


def pytest_configure(config):
    restrict_kernels()
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Progress(), "progress of notebooks")


def restrict_kernels() -> None:
    """Every Python started from here: no network, wrong numbers are errors, one core.

    And text in UTF-8, whatever the system's language.
    """
    offline = Path(__file__).with_name("offline")
    paths = [offline, chapters.ROOT, os.environ.get("PYTHONPATH")]
    os.environ["PYTHONPATH"] = os.pathsep.join(str(path) for path in paths if path)
    os.environ["PYTHONWARNINGS"] = ",".join(
        f"error:{message}:RuntimeWarning" for message in WRONG_NUMBERS
    )
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["PYTHONUTF8"] = "1"
    os.environ.pop("MPLBACKEND", None)  # a kernel chooses Jupyter's own


def pytest_collect_file(file_path, parent):
    """Not nbval's own files: those compare outputs and know no failure."""
    if file_path.suffix == ".ipynb":
        return Notebook.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Each notebook followed by its figures again; what takes longest first."""
    notebooks = list(dict.fromkeys(item.parent for item in items))
    for notebook in notebooks:
        notebook.cells = [item for item in items if item.parent is notebook]
    notebooks.sort(key=lambda notebook: weight(notebook.nb), reverse=True)
    items[:] = [i for n in notebooks for i in n.cells + drawn_again(n.cells)]


def weight(notebook: NotebookNode) -> float:
    """About how long a notebook takes: sliders, which draw many frames, and trainings."""
    tags = [tag for cell in notebook.cells for tag in cell.metadata.get("tags", [])]
    return sum({"widget": 1, "slow": 1, "run": 0.2}.get(tag, 0.05) for tag in tags)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Leave out a cell behind the end of its notebook."""
    if item.parent.stopped:
        pytest.skip(item.parent.stopped)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Note what fails with its cell, and whether the rest can run."""
    report = yield
    if report.failed and call.when != "teardown":
        notebook = item.parent
        notebook.stopped = failures.stopped(item)
        told = failures.failure(item, call.excinfo.value)
        notebook.failures.append((getattr(item, "first", item), told))
    return report


def pytest_runtest_teardown(item, nextitem):
    """After its last cell a notebook is kept, with what failed in it."""
    notebook = item.parent
    if getattr(nextitem, "parent", None) is notebook:
        return
    notebook.failures += [(cell, failures.lost(cell)) for cell in left_out(notebook)]
    seconds = time.monotonic() - notebook.started
    item.user_properties.append(("finished", [seconds, not notebook.failures]))
    if item.config.option.keep:
        keep(notebook, item.config.option.keep, seconds)


def keep(notebook: Notebook, folder: str, seconds: float) -> None:
    """Put a notebook with its outputs and failures into the jupyter-cache in ``folder``."""
    shown = [outputs(item) for item in notebook.cells]
    told = [failure for _, failure in notebook.failures]
    record.put(notebook.nb, notebook.path, Path(folder), shown, told, seconds)


def outputs(item: IPyNbCell) -> list[NotebookNode]:
    """Return what a cell has shown, with a box for each failure."""
    told = [box(failure) for cell, failure in item.parent.failures if cell is item]
    if item.test_outputs is None and not told:
        return [remark(item.parent.stopped)]
    shown = [
        output
        for output in item.test_outputs or []
        if not is_handle(output) and not (told and output.output_type == "error")
    ]
    return shown + told


def is_handle(output: NotebookNode) -> bool:
    """Whether an output is only the name of an object of matplotlib."""
    data = output.get("data", {})
    return [*data] == ["text/plain"] and bool(HANDLE.match(data["text/plain"]))


def left_out(notebook: Notebook) -> list[IPyNbCell]:
    """Cells that nothing is known of: another process executed them, and was ended."""
    return [
        cell
        for cell in notebook.cells
        if cell.test_outputs is None
        and not (notebook.stopped or notebook.has_failed(cell))
    ]
