"""``make shake``: does what a chapter says hold with other seeds?

``python -m tests.robustness.shake [NN_slug …] [--shifts 5]``, or with paths of notebooks.
A cell tagged ``claim`` has to hold each time; what other checks report of one run may fall,
and is listed.
"""

import argparse
import os
import sys
from collections import Counter
from pathlib import Path

from press import chapters
from press.execution.pytest_plugin import restrict_kernels
from tests.robustness import runs

STRIDE = 10_007  # from one shift to the next: further than any list of seeds is long
# Cells on which later ones rest.
PREREQUISITE_TAGS = {"setup", "define", "run"}


def main() -> None:
    """Run notebooks with other seeds; the exit status is 1 if a claim fell."""
    parser = argparse.ArgumentParser(prog="shake", description=__doc__)
    parser.add_argument("notebooks", nargs="*", metavar="NN_slug")
    parser.add_argument(
        "--shifts", type=int, default=5, help="how many other sets of seeds to try"
    )
    options = parser.parse_args()
    if options.shifts < 1:
        parser.error(f"expected at least one shift, got {options.shifts}")
    paths = [runs.notebook(name) for name in options.notebooks or chapters.CHAPTERS]
    restrict_kernels()
    # An overflow under another seed is no wrong number.
    del os.environ["PYTHONWARNINGS"]
    shifts = [STRIDE * (k + 1) for k in range(options.shifts)]
    variants = {str(shift): ([f"--seeds={shift}"], {}) for shift in shifts}
    if failures := runs.compare(paths, variants, report):
        claims = "1 claim" if failures == 1 else f"{failures} claims"
        sys.exit(f"{claims} fell: weaken the sentence, make it a report, or cut it.")


def report(path: Path, falls_by_variant: dict[str, list[dict]]) -> int:
    """Print what fell in a notebook and how often; how many of its claims did."""
    claims = {
        i for i, c in runs.code_cells(path) if "claim" in c.metadata.get("tags", [])
    }
    fallen = set().union(
        *(_fallen(claims, falls) for falls in falls_by_variant.values())
    )
    places = runs.by_line(falls_by_variant)
    print(
        f"{path.stem}: {len(falls_by_variant)} shift{'s' * (len(falls_by_variant) > 1)}, "
        f"{runs.checks(path)} checks: {len(places)} fell, "
        f"{len(fallen)} of {len(claims)} claims",
        flush=True,
    )
    for fall, outcomes in places:
        messages = "; ".join(Counter(outcomes.values()))
        location = (
            f"{runs.place(fall)}  under {len(outcomes)} of {len(falls_by_variant)}"
        )
        print(f"  {location}: {messages}", flush=True)
    return len(fallen)


def _fallen(claims, falls):
    """Return the claims that fell in a run: also those behind an error, which lack its results."""
    broken = [
        fall["cell"] or 0
        for fall in falls
        if fall["cell"] is None
        or (fall.get("raised") and PREREQUISITE_TAGS & set(fall["tags"]))
    ]
    behind = {cell for cell in claims if broken and cell > min(broken)}
    return behind | claims & {fall["cell"] for fall in falls}


if __name__ == "__main__":
    main()
