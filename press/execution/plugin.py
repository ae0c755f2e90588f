"""What pytest does besides nbval with the notebooks of the book.

Every figure is drawn once more after the whole run, since a reader runs cells in any order,
and a live slider draws with the names as they are when the notebook has ended. So the cells
that show a figure run again in the kernel that nbval has led through the notebook, from the
first to the last, and must show the same picture: neither a later cell nor an earlier one
that runs once more may spoil it. There the positions, too, that the prose names are held
against the grid of their figure.

A notebook that has passed is kept with what it shows (``--keep``), for the pages.
"""

import copy
import os
import re
import time
from pathlib import Path

import nbformat
import pytest
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from nbval.plugin import IPyNbCell

from press import chapters
from press.execution.progress import Progress
from press.lint import POSITION, drawing
from press.pages.links import cite_outputs

FIGURES = {"figure", "widget"}
DRAWS = re.compile(r"\b(matplotlib|interact)\b")  # other kernels start without drawing
PREPARE = """from press.figures import {bundle}
from utils.interact import show_with
show_with({bundle})
del {bundle}, show_with
%config InlineBackend.figure_formats = {formats}
import warnings  # a drawing without a grid has nothing to lay out, and is drawn twice
warnings.filterwarnings("ignore", "There are no gridspecs with layoutgrids")
del warnings
"""
FOR_PAGES = {"bundle": "static_bundle", "formats": ["png", "pdf"]}  # and for print
AGAIN = {"bundle": "default_bundle", "formats": ["png"]}
# What a call of matplotlib returns: no output of a cell that shows its picture.
HANDLE = re.compile(r"\[?<matplotlib\.|Text\(")
WRONG_NUMBERS = ("overflow encountered", "divide by zero", "invalid value")


def pytest_addoption(parser):
    parser.addoption("--keep", help="folder of a jupyter-cache for what has passed")


def pytest_configure(config):
    restrict_kernels()
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Progress(), "progress of notebooks")


def restrict_kernels() -> None:
    """Every Python started from here: no network, wrong numbers are errors, one core."""
    offline = Path(__file__).with_name("offline")
    paths = [offline, chapters.ROOT, os.environ.get("PYTHONPATH")]
    os.environ["PYTHONPATH"] = os.pathsep.join(str(path) for path in paths if path)
    os.environ["PYTHONWARNINGS"] = ",".join(
        f"error:{message}:RuntimeWarning" for message in WRONG_NUMBERS
    )
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ.pop("MPLBACKEND", None)  # a kernel chooses Jupyter's own


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Each notebook followed by its figures again; what takes longest first."""
    notebooks = list(dict.fromkeys(item.parent for item in items))
    for notebook in notebooks:
        notebook.cells = [item for item in items if item.parent is notebook]
    notebooks.sort(key=lambda notebook: weight(notebook.nb), reverse=True)
    items[:] = [i for n in notebooks for i in n.cells + drawn_again(n.cells)]


def run(kernel, code: str) -> None:
    """Execute code in a kernel of nbval's; RuntimeError with what it raised."""
    request, raised = kernel.execute_cell_input(code, allow_stdin=False), None
    kernel.await_reply(request, timeout=60)
    while True:
        message = kernel.get_message("iopub", timeout=60)
        if message["parent_header"].get("msg_id") != request:
            continue
        if message["msg_type"] == "error":
            raised = "\n".join(message["content"]["traceback"])
        if message["content"].get("execution_state") == "idle":
            break
    if raised:
        raise RuntimeError(raised)


def weight(notebook: nbformat.NotebookNode) -> float:
    """About how long a notebook takes: sliders, which draw many frames, and trainings."""
    tags = [tag for cell in notebook.cells for tag in cell.metadata.get("tags", [])]
    return sum({"widget": 1, "slow": 1, "run": 0.2}.get(tag, 0.05) for tag in tags)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    """The kernel, which starts with the first cell, shows figures as the pages do."""
    result = yield
    if isinstance(item, IPyNbCell) and not hasattr(item.parent, "started"):
        item.parent.started, item.parent.passed = time.monotonic(), True
        if any(DRAWS.search(cell.cell.source) for cell in item.parent.cells):
            run(item.parent.kernel, PREPARE.format(**FOR_PAGES))
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if isinstance(item, IPyNbCell) and report.failed:
        item.parent.passed = False
    return report


def pytest_runtest_teardown(item, nextitem):
    """After its last cell a notebook is kept, if all of it has passed."""
    notebook = item.parent
    if not isinstance(item, IPyNbCell) or getattr(nextitem, "parent", None) is notebook:
        return
    seconds = time.monotonic() - notebook.started
    item.user_properties.append(("finished", [seconds, notebook.passed]))
    if notebook.passed and item.config.option.keep:
        keep(notebook, item.config.option.keep, seconds)


def keep(notebook, folder: str, seconds: float) -> None:
    """Put a notebook with its outputs into the jupyter-cache in ``folder``."""
    result = copy.deepcopy(notebook.nb)
    cells = [cell for cell in result.cells if cell.cell_type == "code"]
    for cell, item in zip(cells, notebook.cells, strict=True):
        cell.outputs = [output for output in item.test_outputs if not is_handle(output)]
    # As a kernel introduces itself: the page takes its highlighting from it.
    result.metadata.language_info = {"name": "python", "pygments_lexer": "ipython3"}
    cite_outputs(result)
    record = CacheBundleIn(
        result, str(notebook.path), data={"execution_seconds": seconds}
    )
    get_cache(folder).cache_notebook_bundle(
        record, check_validity=False, overwrite=True
    )


def is_handle(output: nbformat.NotebookNode) -> bool:
    """Whether an output is only the name of an object of matplotlib."""
    data = output.get("data", {})
    return [*data] == ["text/plain"] and bool(HANDLE.match(data["text/plain"]))


def drawn_again(cells: list[IPyNbCell]) -> list[IPyNbCell]:
    """For each figure among a notebook's cells an item that runs it again."""
    return [DrawnAgain.of(cell) for cell in cells if FIGURES & tags(cell)]


def tags(item: IPyNbCell) -> set[str]:
    return set(item.cell.metadata.get("tags", []))


class DrawnAgain(IPyNbCell):
    """A figure's cell after the end of its notebook."""

    @classmethod
    def of(cls, first):
        cell = nbformat.from_dict(first.cell)
        cell.source = PREPARE.format(**AGAIN) + cell.source
        cell.source += positions(first)
        item = cls.from_parent(
            first.parent,
            name=f"{first.name} again",
            cell_num=first.cell_num,
            cell=cell,
            options=first.options | {"check": False},  # still a defaultdict
        )
        item.first = first
        return item

    def runtest(self):
        super().runtest()
        before, after = pictures(self.first), pictures(self)
        if not before:
            self.raise_cell_error("expected a picture (image/png), got none")
        if before != after:
            same = sum(a == b for a, b in zip(before, after, strict=False))
            self.raise_cell_error(
                f"expected the {len(before)} pictures of the first run, "
                f"got {len(after)}, of which {same} are the same"
            )


def positions(item: IPyNbCell) -> str:
    """Code that fails where the prose names a position which the figure does not have."""
    if "widget" not in tags(item):
        return ""
    figure, _ = drawing(item.cell)
    found = POSITION.findall(chapters.markdown(item.parent.nb))
    calls = [f"position({figure}, {text!r})" for name, text in found if name == figure]
    if not calls:
        return ""
    return "\n".join(["", "from utils.interact import position", *calls])


def pictures(item: IPyNbCell) -> list[str]:
    """The pictures that a cell has shown, as their bytes in base64."""
    data = [output.get("data", {}) for output in item.test_outputs or []]
    return [d["image/png"] for d in data if "image/png" in d]
