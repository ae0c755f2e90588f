"""What jupyter-cache keeps of a notebook that was executed: outputs, seconds, failures."""

import contextlib
import copy
import shutil
import signal
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from jupyter_cache.cache.db import NbCacheRecord
from nbformat import NotebookNode

from press.execution.failure_box import Failure
from press.links import cite_outputs


def put(
    notebook: NotebookNode,
    path: Path,
    folder: Path,
    outputs: list[list[NotebookNode]],
    failures: list[Failure],
    seconds: float = 0.0,
) -> None:
    """Put a notebook with these outputs of its code cells into a jupyter-cache."""
    result = copy.deepcopy(notebook)
    cells = [cell for cell in result.cells if cell.cell_type == "code"]
    for cell, cell_outputs in zip(cells, outputs, strict=True):
        cell.outputs = cell_outputs
    # As a kernel introduces itself: the page takes its highlighting from it.
    result.metadata.language_info = {"name": "python", "pygments_lexer": "ipython3"}
    cite_outputs(result)
    rows = [asdict(failure) for failure in failures]
    data = {"execution_seconds": seconds, "failures": rows}
    cache = get_cache(folder)
    # It would delete what another process has put there meanwhile.
    cache.truncate_caches = lambda: None
    with _uninterrupted():
        shutil.rmtree(_notebook(cache, result).parent, ignore_errors=True)
        cache.cache_notebook_bundle(
            CacheBundleIn(result, str(path), data=data),
            check_validity=False,
            overwrite=True,
        )


def find(notebook: NotebookNode, cache: JupyterCacheAbstract) -> NbCacheRecord | None:
    """Find the record of a notebook as it is; None if it has not been executed."""
    with contextlib.suppress(KeyError):
        entry = cache.match_cache_notebook(notebook)
        # Without its file it was being written when all was stopped.
        return entry if _notebook(cache, notebook).exists() else None
    return None


def failures(entry: NbCacheRecord) -> list[Failure]:
    """List what failed when a notebook was executed."""
    return [Failure(**row) for row in entry.data.get("failures", [])]


def _notebook(cache, notebook):
    """Return where jupyter-cache has a notebook."""
    _, key = cache.create_hashed_notebook(notebook)
    return Path(cache.path, "executed", key, "base.ipynb")


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let no Ctrl-C leave half a record."""
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
