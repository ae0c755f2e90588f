"""Notebooks run beside each other, each with something moved, and what fell in each."""

import ast
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat

from press import chapters
from tests.robustness.statements import checks_in

MINUTES = 30  # that a notebook may take


def notebook(name: str) -> Path:
    """Return a chapter's notebook by its slug, or one by its path; SystemExit if none is."""
    path = Path(name) if name.endswith(".ipynb") else chapters.BOOK / f"{name}.ipynb"
    if not path.exists():
        names = ", ".join(chapters.CHAPTERS)
        sys.exit(f"Expected CHAPTER= one of {names}; got {name!r}")
    return path


def compare(
    paths: Iterable[Path],
    variants: dict[str, tuple[list[str], dict[str, str]]],
    report: Callable[[Path, dict[str, list[dict]]], int],
) -> int:
    """Run notebooks under every variant, as many at a time as there are cores.

    A variant is the options of ``tests.robustness.run`` and what it sets in the environment,
    by name. ``report(path, what fell by variant)`` hears of each notebook, in order; the
    result is the sum of what it returns.
    """
    workers = int(os.environ.get("WORKERS") or os.cpu_count())
    with ThreadPoolExecutor(workers) as pool:
        waiting = {
            path: {
                name: pool.submit(fallen, path, *variant)
                for name, variant in variants.items()
            }
            for path in paths
        }
        return sum(
            report(path, {name: run.result() for name, run in runs.items()})
            for path, runs in waiting.items()
        )


def fallen(
    path: Path, options: Iterable[str] = (), environment: dict[str, str] | None = None
) -> list[dict]:
    """Return what fell in a notebook; one entry with the reason where it did not end."""
    command = [sys.executable, "-m", "tests.robustness.run", str(path), *options]
    try:
        process = subprocess.run(
            command,
            env=os.environ | (environment or {}),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60 * MINUTES,
        )
    except subprocess.TimeoutExpired:
        return [_stopped(f"not at its end after {MINUTES} minutes")]
    if process.returncode:
        reason = (process.stderr.strip().splitlines() or ["no word"])[-1]
        return [_stopped(f"exit status {process.returncode}: {reason}")]
    try:
        return json.loads(process.stdout.splitlines()[-1])
    except (IndexError, json.JSONDecodeError):  # it has ended itself, with status 0
        return [_stopped("ended with no word of what fell")]


def by_line(runs: dict[str, list[dict]]) -> list[tuple[dict, dict[str, str]]]:
    """Return the falls in the order of the notebook, each with the values by variant."""
    places = defaultdict(dict)
    for variant, falls in runs.items():
        for fall in falls:
            places[fall["cell"] or 0, fall["line"]][variant] = fall
    return [
        (next(iter(falls.values())), {v: fall["got"] for v, fall in falls.items()})
        for _, falls in sorted(places.items())
    ]


def place(fall: dict) -> str:
    """Return where something fell, and of what kind its cell is."""
    tags = fall["tags"]
    kind = "CLAIM" if "claim" in tags else (tags or ["all"])[0]
    if fall["cell"] is None:
        return f"all  {kind}"
    return f"cell {fall['cell']} ({fall['id']}) line {fall['line']}  {kind}"


def code_cells(path: Path) -> list[tuple[int, nbformat.NotebookNode]]:
    """Return the code cells of a notebook, with their places among all cells."""
    cells = enumerate(nbformat.read(path, 4).cells)
    return [(i, cell) for i, cell in cells if cell.cell_type == "code"]


def checks(path: Path) -> int:
    """Return how many checks a notebook has."""
    return sum(checks_in(_python(cell.source)) for _, cell in code_cells(path))


def _python(source):
    """Return the code of a cell without IPython's own commands; empty where it is no Python."""
    lines = source.split("\n")
    code = "\n".join("" if line.startswith(("%", "!")) else line for line in lines)
    try:
        ast.parse(code)
    except SyntaxError:
        return ""
    return code


def _stopped(reason):
    return {"cell": None, "id": "", "tags": [], "line": 0, "got": reason}
