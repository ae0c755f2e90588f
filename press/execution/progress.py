"""One line that moves: notebooks done of all, which run, time so far and time left.

Where nobody looks (no terminal) each notebook gets a line of its own when it is done.
"""

import sys
import time
from pathlib import Path


class Progress:
    """A plugin of pytest, in the process that hands out the notebooks."""

    def __init__(self, stream=None):
        self.stream = stream or sys.__stderr__
        self.begun = time.monotonic()
        self.total, self.done, self.running = None, 0, []

    def pytest_collection_modifyitems(self, items):
        """Without xdist the notebooks are counted here."""
        self.total = len({item.parent for item in items})

    def pytest_xdist_node_collection_finished(self, ids):
        """With xdist the workers say what they have collected."""
        self.total = len({name.partition("::")[0] for name in ids})

    def pytest_runtest_logreport(self, report):
        """A notebook begins with its first cell, and says when it has finished."""
        name = Path(report.nodeid.partition("::")[0]).stem
        if name not in self.running and report.when == "setup":
            self.running.append(name)
            self.show()
        finished = dict(report.user_properties).get("finished")
        if finished and report.when == "teardown":
            seconds, passed = finished
            self.running.remove(name)
            self.done += 1
            said = f"{'✓' if passed else '✗'} {name}  {seconds:.0f} s"
            self.show(f"{said}  ({self.done} of {self.total})")

    def show(self, line: str = "") -> None:
        """Write ``line``, or where it can be overwritten how things stand."""
        if self.stream.isatty():
            end = "\n" if self.done == self.total else ""
            print(
                f"\r\033[K{self.state()[:100]}", end=end, file=self.stream, flush=True
            )
        elif line:
            print(line, file=self.stream, flush=True)

    def state(self) -> str:
        """ "7 of 43 notebooks · 2:13, about 9 min left · 12_cnn, 15_gated_rnn"."""
        spent = time.monotonic() - self.begun
        clock = f"{spent // 60:.0f}:{spent % 60:02.0f}"
        if self.done:
            left = spent * (self.total - self.done) / self.done
            clock += f", about {max(1, round(left / 60))} min left"
        return f"{self.done} of {self.total} notebooks · {clock} · {', '.join(self.running)}"
