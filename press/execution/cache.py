"""The cache of executed notebooks, for builds and commands: results, failures, what to run."""

import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import JupyterCacheAbstract
from jupyter_cache.cache.db import NbCacheRecord
from nbformat import NotebookNode
from sphinx.util import logging

from press.chapters import BUILD, ROOT
from press.execution import record
from press.execution.failure_box import Failure, box

LOG = BUILD / "logs" / "notebooks.txt"
# What a notebook may use besides itself; jupyter-cache compares the notebook's own code.
INPUTS = (
    "utils/**/*",
    "press/figures/*",
    "book/references.bib",
    "book/data/run_*",
    "requirements.*",
)
# Seconds that a cell may take: many times what the slowest takes on two cores. make book
# CELL_SECONDS=1800 allows more.
CELL_SECONDS = 600
# Set for a build whose caller has executed the notebooks and reports failures itself.
CALLER_REPORTS = "BOOK_CALLER_REPORTS"


class StepFailed(Exception):
    """A step of a command failed; the message says which, and where to read why."""


@cache
def digest(root: Path = ROOT) -> str:
    """Hash all that a notebook may use: helpers, data, pinned versions."""
    hashed = hashlib.sha256(platform.python_version().encode())
    for path in sorted({path for pattern in INPUTS for path in root.glob(pattern)}):
        if path.is_file() and path.suffix != ".pyc":
            hashed.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    return hashed.hexdigest()[:12]


def folder(root: Path = ROOT) -> Path:
    """Return the folder of the cache for the present helpers and data."""
    return root / "_build" / ".jupyter_cache" / digest(root)


def open_cache(root: Path = ROOT) -> JupyterCacheAbstract:
    """Open the cache of executed notebooks."""
    return get_cache(folder(root))


def records(
    paths: Iterable[Path], root: Path = ROOT
) -> dict[Path, NbCacheRecord | None]:
    """Return the cached execution of each notebook; None if it has changed since."""
    executions = open_cache(root)
    notebooks = {path: _with_code(path) for path in paths}
    return {path: record.find(nb, executions) for path, nb in notebooks.items() if nb}


def _is_waiting(cached, retry_failed):
    """Return whether a notebook is to be executed: it has changed, or failed last time.

    A failure may have been due to a busy machine.
    """
    return cached is None or (retry_failed and bool(record.failures(cached)))


def failures(paths: Iterable[Path], root: Path = ROOT) -> list[tuple[str, Failure]]:
    """List what failed when these notebooks were executed, with the notebook's name."""
    return [
        (path.stem, failure)
        for path, cached in records(paths, root).items()
        for failure in (record.failures(cached) if cached else [])
    ]


def failure_report(failed: list[tuple[str, Failure]]) -> str:
    """Return the list of failures as text: notebook, cell, what failed."""
    width = max(len(name) for name, _ in failed)
    lines = [f"  {name:{width}}  {failure}" for name, failure in failed]
    cells = "1 cell" if len(failed) == 1 else f"{len(failed)} cells"
    heading = (
        f"{cells} failed on this computer; the pages show what was expected and came:"
    )
    return "\n".join([heading, *lines])


def execute(
    paths: Iterable[Path], root: Path = ROOT, retry_failed: bool = True
) -> None:
    """Execute the notebooks that wait, one on each core; what fails is kept with them."""
    before = {
        p: r for p, r in records(paths, root).items() if _is_waiting(r, retry_failed)
    }
    if not before:
        return
    log = root / LOG.relative_to(ROOT)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as file:
        # The progress goes to stderr, the rest to the log.
        subprocess.run(_pytest_command([*before], root), cwd=root, stdout=file)
    for path, cached in records(before, root).items():
        if _stamp(cached) == _stamp(before[path]):
            _give_up(path, root, log)


def _pytest_command(paths, root):
    """Return the command that executes notebooks."""
    workers = min(len(paths), int(os.environ.get("WORKERS") or os.cpu_count()))
    command = [sys.executable, "-m", "pytest", "-p", "press.execution.pytest_plugin"]
    command += ["--noconftest", "-p", "no:cacheprovider", "-c", os.devnull]
    command += [f"--rootdir={root}", f"--keep={folder(root)}"]
    seconds = os.environ.get("CELL_SECONDS") or CELL_SECONDS
    command += [f"--nbval-cell-timeout={seconds}", "--color=no", "--tb=short"]
    if workers > 1:
        command += [f"-n{workers}", "--dist=loadfile", "--no-loadscope-reorder"]
    return [*command, *map(str, paths)]


def _give_up(path, root, log):
    """Record that a notebook gave no result, with a box at its first cell that says so."""
    notebook = _with_code(path)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    log_end = log.read_text("utf-8", "replace")[-1000:]
    got = f"nothing; the last lines of {log.name} are:\n{log_end}"
    failure = Failure(1, code[0].get("id", ""), "the notebook to be executed", got)
    outputs = [[box(failure)], *([] for _ in code[1:])]
    record.put(notebook, path, folder(root), outputs, [failure])


def _with_code(path: Path) -> NotebookNode | None:
    """Read a page of the book if it is a notebook with something to execute."""
    if path.suffix != ".ipynb":
        return None
    notebook = nbformat.read(path, 4)
    return notebook if any(c.cell_type == "code" for c in notebook.cells) else None


def _stamp(cached):
    """Return when a cached execution was made, which tells executions apart."""
    return cached and cached.created.isoformat()


def setup(app):
    app.connect("env-get-outdated", _outdated_pages)
    app.connect("env-before-read-docs", _execute)
    app.connect("build-finished", _report_failures, priority=900)


def _outdated_pages(app, env, added, changed, removed):
    """List the pages whose notebook was executed after they were read, or will be now."""
    before = getattr(env, "book_read", {})
    retry_failed = CALLER_REPORTS not in os.environ
    pages = {Path(env.doc2path(page)): page for page in sorted(env.found_docs)}
    return [
        pages[path]
        for path, cached in records(pages, Path(app.srcdir)).items()
        if _is_waiting(cached, retry_failed)
        or _stamp(cached) != before.get(pages[path])
    ]


def _execute(app, env, pages):
    root = Path(app.srcdir)
    paths = {Path(env.doc2path(page)): page for page in pages}
    execute(paths, root, retry_failed=CALLER_REPORTS not in os.environ)
    read = {paths[p]: _stamp(cached) for p, cached in records(paths, root).items()}
    env.book_read = getattr(env, "book_read", {}) | read
    env.mystnb_config.execution_cache_path = str(folder(root))


def _report_failures(app, exception):
    """List the failures after a build that has boxes on its pages; the status is 1.

    It raises nothing, because Sphinx would then discard the pages that it has read.
    """
    if exception is not None or CALLER_REPORTS in os.environ:
        return
    pages = (Path(app.env.doc2path(page)) for page in sorted(app.env.found_docs))
    if failed := failures(pages, Path(app.srcdir)):
        logging.getLogger(__name__).info(failure_report(failed), color="red")
        app.statuscode = 1
