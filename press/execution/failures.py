"""A cell that failed: what was expected and what came, as nbval and the kernel tell it."""

import contextlib
import json

from nbformat import NotebookNode
from nbval.plugin import IPyNbCell

from press.execution.cells import AGAIN, PREPARE, DrawnAgain, Unlike
from press.execution.failure_box import Failure
from press.execution.kernel import Kernel

# In one line, which leaves no name behind.
INSPECT = "__import__('press.execution.inspection').execution.inspection.tell()"
ASKING = 20  # seconds that the values of a failed check may take
AFTERWARDS = ", once more after the whole notebook"


def stopped(item: IPyNbCell) -> str:
    """Why nothing can run after a cell that has failed; empty if the rest can."""
    notebook, cell = item.parent, f"cell {item.cell_num + 1}"
    if not notebook.ready:
        return "the kernel did not start"
    if notebook.kernel.died or not (notebook.timed_out or notebook.kernel.is_alive()):
        return f"the kernel died in {cell}"
    return f"{cell} exceeded its time" if notebook.timed_out else ""


def failure(item: IPyNbCell, error: BaseException) -> Failure:
    """Tell what went otherwise than expected when a cell ran, or a figure ran again."""
    raised = next(
        (o for o in item.test_outputs or [] if o.output_type == "error"), None
    )
    where = _where(item, raised) if raised else {}
    if isinstance(error, Unlike):
        expected, got = error.args
    elif item.parent.stopped:
        expected, got = _to_the_end(item, error, where)
    elif raised:
        expected = _expected(item, where)
        says, values = where.get("says", raised.evalue), where.get("values", [])
        error = [f"{raised.ename}: {says}"] if says else [raised.ename] * (not values)
        got = "\n".join([*values, *error])
    else:
        expected, got = "the cell to run", _said(error)
    return Failure(
        item.cell_num + 1,
        item.cell.get("id", ""),
        expected,
        got,
        where.get("line"),
        where.get("statement", ""),
        "\n".join(raised.traceback) if raised else "",
    )


def lost(item: IPyNbCell) -> Failure:
    """Tell that nothing is known of a cell, as the process that executed it was ended."""
    expected, got = "the cell to be executed", "the process that did so was ended"
    return Failure(item.cell_num + 1, item.cell.get("id", ""), expected, got)


def _expected(item, where):
    again = AFTERWARDS if isinstance(item, DrawnAgain) else ""
    if again and where.get("beyond"):
        return "the figure to have the position that the text names"
    what = f"line {where['line']}" if where.get("line") else "the cell"
    return f"{what} to {'hold' if where.get('holds') else 'run'}{again}"


def _to_the_end(item, error, where):
    """Tell what was expected and what came where nothing can run any more."""
    notebook, end = item.parent, "the cell to come to its end"
    if not notebook.ready:
        return "a kernel to run the notebook in", _said(error)
    if notebook.kernel.died or not notebook.timed_out:
        return end, "the kernel died"
    what = f"line {where['line']}" if where.get("line") else "it"
    limit = f"{item.config.option.nbval_cell_timeout:g} seconds"
    more = "make book CELL_SECONDS=… allows more"
    return f"{end} within {limit} ({more})", f"{what} was still running then"


def _said(error):
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def _where(item: IPyNbCell, raised: NotebookNode) -> dict:
    """Ask the kernel what it knows of an error, its line as in the notebook."""
    found = _asked(item.parent.kernel, raised.ename)
    if isinstance(item, DrawnAgain) and found.get("line"):
        line = found["line"] - PREPARE.format(**AGAIN).count("\n")
        last = len(item.first.cell.source.split("\n"))
        found |= {"line": line if 0 < line <= last else None, "beyond": line > last}
    return found


def _asked(kernel: Kernel, name: str) -> dict:
    """Ask ``press.execution.inspection`` about the last error, if that has this name."""
    with contextlib.suppress(Exception):  # whatever is wrong here, the error is told
        found = json.loads(kernel.run(INSPECT, ASKING))
        return found if found["name"] == name else {}
    with contextlib.suppress(Exception):
        kernel.interrupt()
    return {}
