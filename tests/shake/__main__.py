"""``python -m tests.shake [NN_slug …] [--shifts 5]``, or with paths of notebooks."""

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat

from press import chapters
from press.execution.plugin import restrict_kernels
from tests.shake.shifted import checks_in

STRIDE = 10_007  # from one shift to the next: further than any list of seeds is long
MINUTES = 30  # that a notebook may take
MAKES = {"setup", "define", "run"}  # cells on which later ones rest


def main() -> None:
    """Shake notebooks; the exit status is 1 if a claim fell."""
    parser = argparse.ArgumentParser(prog="shake", description=__doc__)
    parser.add_argument("notebooks", nargs="*", metavar="NN_slug")
    parser.add_argument("--shifts", type=int, default=5)
    options = parser.parse_args()
    if options.shifts < 1:
        parser.error(f"expected at least one shift, got {options.shifts}")
    paths = [_path(name) for name in options.notebooks or chapters.SLUGS]
    restrict_kernels()
    del os.environ[
        "PYTHONWARNINGS"
    ]  # an overflow under another seed is no wrong number
    workers = int(os.environ.get("WORKERS") or os.cpu_count())
    with ThreadPoolExecutor(workers) as pool:
        shifts = [STRIDE * (k + 1) for k in range(options.shifts)]
        waiting = {p: [pool.submit(shake, p, s) for s in shifts] for p in paths}
        fallen = [
            report(path, [future.result() for future in futures])
            for path, futures in waiting.items()
        ]
    if lost := sum(fallen):
        claims = "1 claim" if lost == 1 else f"{lost} claims"
        sys.exit(f"{claims} fell: weaken the sentence, make it a report, or cut it.")


def shake(path: Path, shift: int) -> list[dict]:
    """What fell in a notebook under a shift; RuntimeError if it did not come to its end."""
    command = [sys.executable, "-m", "tests.shake.run", str(path), str(shift)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60 * MINUTES
        )
    except subprocess.TimeoutExpired:
        return [_stopped(f"not at its end after {MINUTES} minutes")]
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no word"])[-1]
        return [_stopped(f"exit status {done.returncode}: {why}")]
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (IndexError, json.JSONDecodeError):  # it has ended itself, with status 0
        return [_stopped("ended with no word of what fell")]


def report(path: Path, runs: list[list[dict]]) -> int:
    """Print what fell in a notebook and how often; how many of its claims did."""
    cells = list(enumerate(nbformat.read(path, 4).cells))
    code = [(i, cell) for i, cell in cells if cell.cell_type == "code"]
    claims = {i for i, cell in code if "claim" in cell.metadata.get("tags", [])}
    places = defaultdict(list)
    for falls in runs:
        for fall in falls:
            places[fall["cell"], fall["line"]].append(fall)
    fallen = set().union(*(_fallen(claims, falls) for falls in runs))
    checks = sum(checks_in(_python(cell.source)) for _, cell in code)
    print(
        f"{path.stem}: {len(runs)} shift{'s' * (len(runs) > 1)}, {checks} checks: "
        f"{len(places)} fell, "
        f"{len(fallen)} of {len(claims)} claims",
        flush=True,
    )
    for (cell, line), falls in sorted(
        places.items(), key=lambda p: (p[0][0] or 0, p[0][1])
    ):
        tags = falls[0]["tags"]
        kind = "CLAIM" if "claim" in tags else (tags or ["all"])[0]
        got = "; ".join(dict.fromkeys(fall["got"] for fall in falls))
        where = "all" if cell is None else f"cell {cell} ({falls[0]['id']}) line {line}"
        print(
            f"  {where}  {kind}  under {len(falls)} of {len(runs)}: {got}", flush=True
        )
    return len(fallen)


def _fallen(claims, falls):
    """The claims that fell in a run: also those behind an error, which lack its results."""
    broken = [
        fall["cell"] or 0
        for fall in falls
        if fall["cell"] is None or (fall.get("raised") and MAKES & set(fall["tags"]))
    ]
    behind = {cell for cell in claims if broken and cell > min(broken)}
    return behind | claims & {fall["cell"] for fall in falls}


def _path(name):
    """A chapter's notebook by its slug, or a notebook by its path."""
    path = Path(name) if name.endswith(".ipynb") else chapters.path(name)
    if not path.exists():
        known = ", ".join(chapters.SLUGS)
        sys.exit(f"Expected CHAPTER= one of {known}; got {name!r}")
    return path


def _stopped(why):
    return {"cell": None, "id": "", "tags": [], "line": 0, "got": why}


def _python(source):
    """The code of a cell without IPython's own commands."""
    return "\n".join(
        "" if line.startswith(("%", "!")) else line for line in source.split("\n")
    )


if __name__ == "__main__":
    main()
