"""What has been executed and what waits; who asks for it is a build or a command."""

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
from sphinx.errors import ExtensionError

from press.chapters import ROOT

BUILD = ROOT / "_build"
LOG = BUILD / "logs" / "notebooks.txt"
# What a notebook may use besides itself; jupyter-cache compares its code.
USED = (
    "utils/**/*",
    "press/figures/*",
    "book/references.bib",
    "book/data/run_*",
    "requirements.*",
)


class Failed(Exception):
    """Notebooks did not run; says which, and where to read why."""


@cache
def digest(root: Path = ROOT) -> str:
    """One name for all that a notebook may use: helpers, data, pinned versions."""
    found = hashlib.sha256(platform.python_version().encode())
    for path in sorted({path for pattern in USED for path in root.glob(pattern)}):
        if path.is_file() and path.suffix != ".pyc":
            found.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    return found.hexdigest()[:12]


def folder(root: Path = ROOT) -> Path:
    """Where jupyter-cache keeps what has been executed with today's helpers and data."""
    return root / "_build" / ".jupyter_cache" / digest(root)


def executed(root: Path = ROOT) -> JupyterCacheAbstract:
    """The cache of executed notebooks."""
    return get_cache(folder(root))


def has_code(path: Path) -> bool:
    """Whether a page of the book is a notebook with something to execute."""
    if path.suffix != ".ipynb":
        return False
    return any(c.cell_type == "code" for c in nbformat.read(path, 4).cells)


def waiting(paths: Iterable[Path], root: Path = ROOT) -> list[Path]:
    """Of these notebooks those that have not been executed as they are."""
    kept, found = executed(root), []
    for path in filter(has_code, paths):
        try:
            kept.match_cache_notebook(nbformat.read(path, 4))
        except KeyError:
            found.append(path)
    return found


def execute(paths: Iterable[Path], root: Path = ROOT) -> None:
    """Execute the notebooks that wait, one on each core.

    Raises
    ------
    Failed
        A cell raised, a warning meant a wrong number, or a figure drawn again was another.
    """
    paths = waiting(paths, root)
    if not paths:
        return
    log = root / LOG.relative_to(ROOT)
    log.parent.mkdir(parents=True, exist_ok=True)
    workers = min(len(paths), int(os.environ.get("WORKERS") or os.cpu_count()))
    command = [sys.executable, "-m", "pytest", "-p", "press.execution.plugin"]
    command += [
        "--nbval-lax",
        "--noconftest",
        f"--keep={folder(root)}",
        "-c",
        os.devnull,
    ]
    command += [
        f"--rootdir={root}",
        "-p",
        "no:cacheprovider",
        "--color=no",
        "--tb=short",
    ]
    if workers > 1:
        command += [f"-n{workers}", "--dist=loadfile", "--no-loadscope-reorder"]
    with log.open("w") as file:
        # The progress goes to stderr, the rest to the log.
        done = subprocess.run([*command, *map(str, paths)], cwd=root, stdout=file)
    if done.returncode:
        raise Failed(f"{failures(log)}\nThe whole story: {log}")


def failures(log: Path) -> str:
    """Of the log of pytest what failed and why: its section of failures, to the end."""
    text = log.read_text(errors="replace")
    start = max(text.find("= FAILURES ="), text.find("= ERRORS ="), 0)
    return text[start:][-20_000:]


def setup(app):
    app.connect("env-get-outdated", _read_again)
    app.connect("env-before-read-docs", _execute)


def _read_again(app, env, added, changed, removed):
    """All notebooks, if what they may use has changed: the pages stay, but not what they show."""
    before, env.book_digest = (
        getattr(env, "book_digest", None),
        digest(Path(app.srcdir)),
    )
    if before == env.book_digest:
        return []
    return [p for p in sorted(env.found_docs) if has_code(Path(env.doc2path(p)))]


def _execute(app, env, pages):
    root = Path(app.srcdir)
    try:
        execute((Path(env.doc2path(page)) for page in pages), root)
    except Failed as error:
        raise ExtensionError(str(error)) from None
    env.mystnb_config.execution_cache_path = str(folder(root))
