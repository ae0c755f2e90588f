"""The cache of executed notebooks: which are up to date, and what failed in them."""

import hashlib
import platform
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import JupyterCacheAbstract
from jupyter_cache.cache.db import NbCacheRecord
from nbformat import NotebookNode

from press.chapters import ROOT
from press.execution import record
from press.execution.failure_box import Failure

# What a notebook may use besides itself; jupyter-cache compares the notebook's own code.
INPUTS = (
    "utils/**/*",
    "press/figures/*",
    "press/alive/*",
    "book/references.bib",
    "book/data/run_*",
    "requirements.*",
)


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
    notebooks = {path: with_code(path) for path in paths}
    return {path: record.find(nb, executions) for path, nb in notebooks.items() if nb}


def is_waiting(cached: NbCacheRecord | None, retry_failed: bool) -> bool:
    """Return whether a notebook is to be executed: it has changed, or failed last time.

    A failure may have been due to a busy machine.
    """
    return cached is None or (retry_failed and bool(record.failures(cached)))


def failed_cells(paths: Iterable[Path], root: Path = ROOT) -> list[tuple[str, Failure]]:
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


def with_code(path: Path) -> NotebookNode | None:
    """Read a page of the book if it is a notebook with something to execute."""
    if path.suffix != ".ipynb":
        return None
    notebook = nbformat.read(path, 4)
    return notebook if any(c.cell_type == "code" for c in notebook.cells) else None


def stamp(cached: NbCacheRecord | None) -> str | None:
    """Return when a cached execution was made, which tells executions apart."""
    return cached and cached.created.isoformat()
