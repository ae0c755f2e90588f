"""Execute the notebooks that wait, by pytest in a process of its own; keep the results."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from press.chapters import BUILD, ROOT
from press.execution import cache, record
from press.execution.failure_box import Failure, box

LOG = BUILD / "logs" / "notebooks.txt"
# Seconds that a cell may take: many times what the slowest takes on two cores. make book
# CELL_SECONDS=1800 allows more.
CELL_SECONDS = 600


def execute(
    paths: Iterable[Path], root: Path = ROOT, retry_failed: bool = True
) -> None:
    """Execute the notebooks that wait, one on each core; what fails is kept with them."""
    before = {
        p: r
        for p, r in cache.records(paths, root).items()
        if cache.is_waiting(r, retry_failed)
    }
    if not before:
        return
    log = root / LOG.relative_to(ROOT)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as file:
        # The progress goes to stderr, the rest to the log.
        subprocess.run(_pytest_command([*before], root), cwd=root, stdout=file)
    for path, cached in cache.records(before, root).items():
        if cache.stamp(cached) == cache.stamp(before[path]):
            _give_up(path, root, log)


def _pytest_command(paths, root):
    """Return the command that executes notebooks."""
    workers = min(len(paths), int(os.environ.get("WORKERS") or os.cpu_count()))
    command = [sys.executable, "-m", "pytest", "-p", "press.execution.pytest_plugin"]
    command += ["--noconftest", "-p", "no:cacheprovider", "-c", os.devnull]
    command += [f"--rootdir={root}", f"--keep={cache.folder(root)}"]
    seconds = os.environ.get("CELL_SECONDS") or CELL_SECONDS
    command += [f"--nbval-cell-timeout={seconds}", "--color=no", "--tb=short"]
    if workers > 1:
        command += [f"-n{workers}", "--dist=loadfile", "--no-loadscope-reorder"]
    return [*command, *map(str, paths)]


def _give_up(path, root, log):
    """Record that a notebook gave no result, with a box at its first cell that says so."""
    notebook = cache.with_code(path)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    log_end = log.read_text("utf-8", "replace")[-1000:]
    got = f"nothing; the last lines of {log.name} are:\n{log_end}"
    failure = Failure(1, code[0].get("id", ""), "the notebook to be executed", got)
    outputs = [[box(failure)], *([] for _ in code[1:])]
    record.put(notebook, path, cache.folder(root), outputs, [failure])
