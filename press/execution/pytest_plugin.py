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
from press.execution import record, wording
from press.execution.cells import Notebook, repetitions
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
    """Give every Python started from here no network and one core; wrong numbers are errors.

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
    """Collect our notebooks: nbval's files compare outputs and know no failure."""
    if file_path.suffix == ".ipynb":
        return Notebook.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Put its figures again after each notebook, and the slowest notebooks first."""
    notebooks = list(dict.fromkeys(item.parent for item in items))
    for notebook in notebooks:
        notebook.cells = [item for item in items if item.parent is notebook]
    notebooks.sort(key=lambda notebook: weight(notebook.nb), reverse=True)
    items[:] = [i for n in notebooks for i in n.cells + repetitions(n.cells)]


def weight(notebook: NotebookNode) -> float:
    """Estimate a notebook's relative time: sliders draw many frames, trainings are slow."""
    tags = [tag for cell in notebook.cells for tag in cell.metadata.get("tags", [])]
    return sum({"widget": 1, "slow": 1, "run": 0.2}.get(tag, 0.05) for tag in tags)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Leave out a cell behind the end of its notebook."""
    if item.parent.stop_reason:
        pytest.skip(item.parent.stop_reason)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Note what fails with its cell, and whether the rest can run."""
    report = yield
    if report.failed and call.when != "teardown":
        notebook = item.parent
        notebook.stop_reason = wording.stop_reason(item)
        failure = wording.describe_failure(item, call.excinfo.value)
        notebook.failures.append((getattr(item, "original", item), failure))
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """Keep a notebook after its last cell, even where its kernel does not end."""
    try:
        return (yield)
    finally:
        if getattr(nextitem, "parent", None) is not item.parent:
            finish(item)


def finish(item: IPyNbCell) -> None:
    """Keep the notebook of its last item, with what failed in it."""
    notebook = item.parent
    notebook.failures += [
        (cell, wording.unknown_outcome(cell)) for cell in unexecuted(notebook)
    ]
    seconds = time.monotonic() - notebook.started_at
    item.user_properties.append(("finished", [seconds, not notebook.failures]))
    if item.config.option.keep:
        keep(notebook, item.config.option.keep, seconds)


def keep(notebook: Notebook, folder: str, seconds: float) -> None:
    """Put a notebook with its outputs and failures into the jupyter-cache in ``folder``."""
    outputs_by_cell = [outputs(item) for item in notebook.cells]
    notebook_failures = [failure for _, failure in notebook.failures]
    record.put(
        notebook.nb,
        notebook.path,
        Path(folder),
        outputs_by_cell,
        notebook_failures,
        seconds,
    )


def outputs(item: IPyNbCell) -> list[NotebookNode]:
    """Return what a cell has shown, with a box for each failure."""
    boxes = [box(failure) for cell, failure in item.parent.failures if cell is item]
    if item.test_outputs is None and not boxes:
        return [remark(item.parent.stop_reason)]
    cell_outputs = [
        output
        for output in item.test_outputs or []
        if not is_handle(output) and not (boxes and output.output_type == "error")
    ]
    return cell_outputs + boxes


def is_handle(output: NotebookNode) -> bool:
    """Return whether an output is only the name of an object of matplotlib."""
    data = output.get("data", {})
    return [*data] == ["text/plain"] and bool(HANDLE.match(data["text/plain"]))


def unexecuted(notebook: Notebook) -> list[IPyNbCell]:
    """List the cells without an outcome: the process that executed them was ended."""
    return [
        cell
        for cell in notebook.cells
        if cell.test_outputs is None
        and not (notebook.stop_reason or notebook.has_failed(cell))
    ]
