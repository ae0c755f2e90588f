"""A cell that failed: what was expected and what came, as nbval and the kernel tell it.

``pytest_plugin`` keeps it with the notebook, and ``cache`` lists it at the end.
"""

import contextlib
import json

from nbformat import NotebookNode
from nbval.plugin import IPyNbCell

from press.execution.cells import FOR_COMPARISON, PREPARE, FigureDiffers, RepeatedFigure
from press.execution.failure_box import Failure
from press.execution.kernel import Kernel

# In one line, which leaves no name behind.
INSPECT = (
    "__import__('press.execution.inspection').execution.inspection.print_last_error()"
)
INSPECTION_SECONDS = 20  # seconds that the values of a failed check may take
AFTERWARDS = ", once more after the whole notebook"


def stop_reason(item: IPyNbCell) -> str:
    """Return why nothing can run after a cell that has failed; empty if the rest can."""
    notebook, cell = item.parent, f"cell {item.cell_num + 1}"
    if not notebook.ready:
        return "the kernel did not start"
    if notebook.kernel.died or not (notebook.timed_out or notebook.kernel.is_alive()):
        return f"the kernel died in {cell}"
    return f"{cell} exceeded its time" if notebook.timed_out else ""


def describe_failure(item: IPyNbCell, error: BaseException) -> Failure:
    """Tell what went otherwise than expected when a cell ran, or a figure ran again."""
    raised = next(
        (o for o in item.test_outputs or [] if o.output_type == "error"), None
    )
    location = _location(item, raised) if raised else {}
    if isinstance(error, FigureDiffers):
        expected, got = error.args
    elif item.parent.stop_reason:
        expected, got = _unfinished(item, error, location)
    elif raised:
        expected = _expected(item, location)
        got = list(location.get("values", []))
        if message := location.get("message", raised.evalue):
            got.append(f"{raised.ename}: {message}")
        got = "\n".join(got or [raised.ename])
    else:
        expected, got = "the cell to run", _description(error)
    return Failure(
        item.cell_num + 1,
        item.cell.get("id", ""),
        expected,
        got,
        location.get("line"),
        location.get("statement", ""),
        "\n".join(raised.traceback) if raised else "",
    )


def unknown_outcome(item: IPyNbCell) -> Failure:
    """Tell that nothing is known of a cell, as the process that executed it was ended."""
    expected, got = "the cell to be executed", "the process that did so was ended"
    return Failure(item.cell_num + 1, item.cell.get("id", ""), expected, got)


def _expected(item, location):
    suffix = AFTERWARDS if isinstance(item, RepeatedFigure) else ""
    if suffix and location.get("is_beyond_cell"):
        return "the figure to have the position that the text names"
    subject = f"line {location['line']}" if location.get("line") else "the cell"
    return f"{subject} to {'hold' if location.get('is_assertion') else 'run'}{suffix}"


def _unfinished(item, error, location):
    """Return what was expected and what came where nothing more can run."""
    notebook, end = item.parent, "the cell to come to its end"
    if not notebook.ready:
        return "a kernel to run the notebook in", _description(error)
    if notebook.kernel.died or not notebook.timed_out:
        return end, "the kernel died"
    subject = f"line {location['line']}" if location.get("line") else "it"
    limit = f"{item.config.option.nbval_cell_timeout:g} seconds"
    advice = "make book CELL_SECONDS=… allows more"
    return f"{end} within {limit} ({advice})", f"{subject} was still running then"


def _description(error):
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def _location(item: IPyNbCell, raised: NotebookNode) -> dict:
    """Ask the kernel what it knows of an error, its line as in the notebook."""
    report = _inspection(item.parent.kernel, raised.ename)
    if isinstance(item, RepeatedFigure) and report.get("line"):
        line = report["line"] - PREPARE.format(**FOR_COMPARISON).count("\n")
        line_count = len(item.original.cell.source.split("\n"))
        report |= {
            "line": line if 0 < line <= line_count else None,
            "is_beyond_cell": line > line_count,
        }
    return report


def _inspection(kernel: Kernel, name: str) -> dict:
    """Ask ``press.execution.inspection`` about the last error, if that has this name."""
    # Without its values the error is reported all the same.
    with contextlib.suppress(Exception):
        report = json.loads(kernel.run(INSPECT, INSPECTION_SECONDS))
        return report if report["name"] == name else {}
    with contextlib.suppress(Exception):
        kernel.interrupt()
    return {}
