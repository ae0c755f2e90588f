"""jupyter-book, called: what it is doing in a line, its chatter in a file."""

import os
import subprocess
import sys
from pathlib import Path

from press import chapters
from press.execution import cache
from press.execution.progress import Line

BUILD = chapters.ROOT / "_build"
LOGS = BUILD / "logs"
JUPYTER_BOOK = Path(sys.executable).parent / "jupyter-book"


def pages(where: list, options: list[str], log: str) -> None:
    """Run jupyter-book; of its chatter one line is shown, the rest is in ``log``."""
    LOGS.mkdir(parents=True, exist_ok=True)
    line, command = Line(), [JUPYTER_BOOK, "build", *where, *options]
    with (LOGS / log).open("w") as file:
        process = subprocess.Popen(
            list(map(str, command)),
            cwd=chapters.ROOT,
            env=os.environ | {"NO_COLOR": "1", "TERM": "dumb"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for text in process.stdout:
            file.write(text)
            for step in ("reading sources", "writing output"):
                if text.startswith(step):
                    line.show(f"pages: {text.strip()[:70]}")
    line.end()
    if process.wait():
        said = (LOGS / log).read_text()
        wrong = [x for x in said.splitlines() if "WARNING" in x or "ERROR" in x]
        why = "\n".join(wrong) or said[-3000:]
        raise cache.Failed(f"{why}\nThe pages were not built: {LOGS / log}")
