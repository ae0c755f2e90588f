"""One line that moves: notebooks done of all, which run, time so far and time left.

Where nobody looks (no terminal) each notebook gets a line of its own when it is done.
"""

import shutil
import sys
import time
from pathlib import Path


class Line:
    """A line of a terminal that is written anew; nothing where nobody looks."""

    def __init__(self):
        self.stream = sys.__stderr__
        self.written = False

    def show(self, text: str) -> None:
        """Put ``text`` in place of what stands there."""
        if self.stream.isatty():
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\033[K{text[:width]}", end="", file=self.stream, flush=True)
            self.written = True

    def end(self) -> None:
        """Leave what stands there, and go to the next line."""
        if self.written:
            print(file=self.stream, flush=True)
            self.written = False


class Progress:
    """A plugin of pytest, in the process that hands out the notebooks."""

    def __init__(self):
        self.line = Line()
        self.started_at = time.monotonic()
        self.total, self.done, self.running = None, 0, []

    def pytest_collection_modifyitems(self, items):
        """Count the notebooks, without xdist."""
        self.total = len({item.parent for item in items})

    def pytest_xdist_node_collection_finished(self, ids):
        """Count the notebooks that the workers of xdist have collected."""
        self.total = len({name.partition("::")[0] for name in ids})

    def pytest_runtest_logreport(self, report):
        """Begin a notebook with its first cell, and say when it has finished."""
        name = Path(report.nodeid.partition("::")[0]).stem
        if name not in self.running and report.when == "setup":
            self.running.append(name)
            self.update()
        finished = dict(report.user_properties).get("finished")
        if finished and report.when == "teardown":
            seconds, passed = finished
            self.running.remove(name)
            self.done += 1
            result = f"{'✓' if passed else '✗'} {name}  {seconds:.0f} s"
            self.update(f"{result}  ({self.done} of {self.total})")

    def update(self, line: str = "") -> None:
        """Show the state on the moving line, or print ``line`` without a terminal."""
        self.line.show(self.state())
        if self.done == self.total:
            self.line.end()
        if line and not self.line.stream.isatty():
            print(line, file=self.line.stream, flush=True)

    def state(self) -> str:
        """Return "7 of 43 notebooks · 2:13, about 9 min left · 12_cnn, 15_gated_rnn"."""
        seconds = time.monotonic() - self.started_at
        clock = f"{seconds // 60:.0f}:{seconds % 60:02.0f}"
        if self.done:
            seconds_left = seconds * (self.total - self.done) / self.done
            clock += f", about {max(1, round(seconds_left / 60))} min left"
        return f"{self.done} of {self.total} notebooks · {clock} · {', '.join(self.running)}"
