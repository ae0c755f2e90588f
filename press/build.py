"""Run jupyter-book: its present step in one line of the terminal, its output in a file."""

import os
import subprocess
import sys
from pathlib import Path

from press import chapters
from press.execution import sphinx_events
from press.execution.progress import Line

LOGS = chapters.BUILD / "logs"
PLAIN_OUTPUT = {"NO_COLOR": "1", "TERM": "dumb", "PYTHONUTF8": "1"}
JUPYTER_BOOK = Path(sys.executable).parent / "jupyter-book"


class StepFailed(Exception):
    """A step of a command failed; the message says which, and where to read why."""


class Warned(StepFailed):
    """The pages are built, but Sphinx has warned of something."""


def build_pages(arguments: list, options: list[str], log: str) -> None:
    """Run jupyter-book; show its present step in one line, write its output to ``log``.

    A cell that failed raises nothing here: its page says so. Raises StepFailed where
    Sphinx has stopped, and there are no pages; Warned if there are, with warnings.
    """
    LOGS.mkdir(parents=True, exist_ok=True)
    line, command = Line(), [JUPYTER_BOOK, "build", *arguments, *options]
    with (LOGS / log).open("w", encoding="utf-8") as file:
        process = subprocess.Popen(
            list(map(str, command)),
            cwd=chapters.ROOT,
            env=os.environ | PLAIN_OUTPUT | {sphinx_events.CALLER_REPORTS: "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        for text in process.stdout:
            file.write(text)
            for step in ("reading sources", "writing output"):
                if text.startswith(step):
                    line.show(f"pages: {text.strip()[:70]}")
    line.end()
    if process.wait():
        output = (LOGS / log).read_text("utf-8")
        warnings = [x for x in output.splitlines() if "WARNING" in x or "ERROR" in x]
        reason = "\n".join(warnings) or output[-3000:]
        if "finished with problems" in output:  # Sphinx's words, when all is written
            raise Warned(
                f"{reason}\nThe pages stand, with these warnings: {LOGS / log}"
            )
        raise StepFailed(f"{reason}\nThe pages were not built: {LOGS / log}")
