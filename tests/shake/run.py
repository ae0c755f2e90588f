"""One notebook under one shift, in a process of its own: ``python -m tests.shake.run``.

Statement by statement: what raises is told, and the next goes on, so that one failure does not
hide the others. Interactive figures are declared and not drawn.
"""

import contextlib
import io
import json
import os
import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import nbformat
from IPython.core.inputtransformer2 import TransformerManager

from tests.shake import shifted
from utils.interact import show_with


def run(path: Path, shift: int) -> list[dict]:
    """What fell: for each line of a cell the last that was got there.

    Each is a dict of the cell's place among all cells (from 0), its id, its tags, the line
    (from 1), what was got, and ``raised`` if the statement did not come to its end.
    """
    show_with(lambda function, controls: {})
    falls, here = {}, {}

    def fell(line, got):
        falls[here["cell"], line] = here | {"line": line, "got": got}

    names = {"__name__": "__main__"} | shifted.names(shift, fell)
    for index, cell in enumerate(nbformat.read(path, 4).cells):
        if cell.cell_type != "code":
            continue
        here = {"cell": index, "id": cell.id, "tags": cell.metadata.get("tags", [])}
        code = TransformerManager().transform_cell(cell.source)
        for statement in shifted.shaken(code, f"<cell {index}>"):
            try:
                exec(statement, names)
            except Exception as error:
                line = _line(error, f"<cell {index}>")
                fell(line, shifted.told(error))
                falls[index, line]["raised"] = True  # what follows it lacks something
        plt.close("all")
    return list(falls.values())


def _line(error, name):
    """The line of the cell from which the error came."""
    line, trace = 1, error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


if __name__ == "__main__":
    path, shift = Path(sys.argv[1]).resolve(), int(sys.argv[2])
    os.chdir(path.parent)
    with contextlib.redirect_stdout(io.StringIO()):
        found = run(path, shift)
    print(json.dumps(found))
