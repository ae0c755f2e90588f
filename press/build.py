"""jupyter-book, called: what it is doing in a line, its chatter in a file."""

import os
import subprocess
import sys
from pathlib import Path

from press import chapters
from press.execution import cache
from press.execution.progress import Line

LOGS = chapters.BUILD / "logs"
# How it is to say what it says.
SAID = {"NO_COLOR": "1", "TERM": "dumb", "PYTHONUTF8": "1"}
JUPYTER_BOOK = Path(sys.executable).parent / "jupyter-book"


class Warned(cache.Failed):
    """The pages stand, but Sphinx has warned of something."""


def pages(where: list, options: list[str], log: str) -> None:
    """Run jupyter-book; of its chatter one line is shown, the rest is in ``log``.

    What failed in a notebook is no trouble here: its page says so.

    Raises
    ------
    cache.Failed
        No pages, as Sphinx has stopped; or Warned: they stand, but Sphinx warns.
    """
    LOGS.mkdir(parents=True, exist_ok=True)
    line, command = Line(), [JUPYTER_BOOK, "build", *where, *options]
    with (LOGS / log).open("w", encoding="utf-8") as file:
        process = subprocess.Popen(
            list(map(str, command)),
            cwd=chapters.ROOT,
            env=os.environ | SAID | {cache.TOLD: "1"},
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
        said = (LOGS / log).read_text("utf-8")
        wrong = [x for x in said.splitlines() if "WARNING" in x or "ERROR" in x]
        why = "\n".join(wrong) or said[-3000:]
        if "finished with problems" in said:  # Sphinx's words, when all is written
            raise Warned(f"{why}\nThe pages stand, with these warnings: {LOGS / log}")
        raise cache.Failed(f"{why}\nThe pages were not built: {LOGS / log}")
