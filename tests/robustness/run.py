"""One notebook with something moved, in a process of its own.

``python -m tests.robustness.run NOTEBOOK [--seeds SHIFT] [--last-bits DRAW]`` prints what fell.
Statement by statement: what raises is told, and the next goes on, so that one failure does not
hide the others. Interactive figures are declared and not drawn.
"""

import argparse
import contextlib
import io
import json
import operator
import os
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import nbformat
from IPython.core.inputtransformer2 import TransformerManager

from grader.assignment import with_programs
from tests.robustness import last_bits, statements
from utils.interact import show_with


def run(path: Path, shift: int = 0, draw: int | None = None) -> list[dict]:
    """Return what fell: for each line of a cell the last value that was got.

    ``shift`` is added to every seed; with ``draw`` the last bits of numbers are moved, for
    the whole process. Each fall is a dict of the cell's place among all cells (from 0), its
    id, its tags, the line (from 1), what was got, and ``raised`` if the statement did not
    come to its end.
    """
    show_with(lambda function, controls: {})
    product = operator.matmul
    if draw is not None:
        last_bits.install(draw)
        product = last_bits.product(draw)
    falls, place = {}, {}

    def fell(line, outcome):
        falls[place["cell"], line] = place | {"line": line, "got": outcome}

    names = {"__name__": "__main__"} | statements.names(fell, shift, product)
    notebook = with_programs(nbformat.read(path, 4), path.parent)
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        place = {"cell": index, "id": cell.id, "tags": cell.metadata.get("tags", [])}
        code = TransformerManager().transform_cell(cell.source)
        for statement in statements.watched(code, f"<cell {index}>"):
            try:
                exec(statement, names)
            except Exception as error:
                line = _line(error, f"<cell {index}>")
                fell(line, statements.told(error))
                falls[index, line]["raised"] = True  # what follows it lacks something
        plt.close("all")
    return list(falls.values())


def _line(error, name):
    """Return the line of the cell from which the error came."""
    line, trace = 1, error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="run", description=__doc__)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--seeds", type=int, default=0, metavar="SHIFT")
    parser.add_argument("--last-bits", type=int, default=None, metavar="DRAW")
    options = parser.parse_args()
    path = options.notebook.resolve()
    os.chdir(path.parent)
    with contextlib.redirect_stdout(io.StringIO()):
        found = run(path, options.seeds, options.last_bits)
    print(json.dumps(found))
