"""What whoever waits for the book is told."""

import io
from types import SimpleNamespace

import pytest

from press.execution.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def report(notebook, when, **properties):
    name = f"book/{notebook}.ipynb::Cell 0"
    return SimpleNamespace(
        nodeid=name, when=when, user_properties=list(properties.items())
    )


def run(stream):
    """Two notebooks at a time, three in all; the second fails."""
    progress = Progress(stream)
    names = ("01_ink", "02_paper", "03_pen")
    progress.pytest_xdist_node_collection_finished(
        [f"book/{name}.ipynb::Cell {i}" for name in names for i in range(4)]
    )
    for name in names[:2]:
        progress.pytest_runtest_logreport(report(name, "setup"))
    running = progress.state()
    progress.pytest_runtest_logreport(
        report("02_paper", "teardown", finished=[12.4, False])
    )
    progress.pytest_runtest_logreport(report("03_pen", "setup"))
    left = progress.state()
    for name in ("01_ink", "03_pen"):
        progress.pytest_runtest_logreport(report(name, "teardown", finished=[3, True]))
    return running, left


def test_a_terminal_has_one_line_that_moves():
    stream = Terminal()
    running, left = run(stream)
    assert running == "0 of 3 notebooks · 0:00 · 01_ink, 02_paper"
    assert left == "1 of 3 notebooks · 0:00, about 1 min left · 01_ink, 03_pen"
    written = stream.getvalue()
    assert written.count("\n") == 1 and written.endswith("\n")
    assert written.count("\r\033[K") == 6


def test_without_a_terminal_each_notebook_has_a_line():
    stream = io.StringIO()
    run(stream)
    assert stream.getvalue().splitlines() == [
        "✗ 02_paper  12 s  (1 of 3)",
        "✓ 01_ink  3 s  (2 of 3)",
        "✓ 03_pen  3 s  (3 of 3)",
    ]


@pytest.mark.parametrize("when", ["setup", "call"])
def test_a_cell_that_ends_no_notebook_is_not_counted(when):
    progress = Progress(io.StringIO())
    progress.total = 1
    progress.pytest_runtest_logreport(report("01_ink", when))
    assert progress.done == 0
