"""``make elsewhere``: does every check hold with the arithmetic of other processors?

``python -m tests.robustness.elsewhere [NN_slug …] [--only NAME …]``, or with paths of notebooks.
A chapter brings its errata and its homework with its model answers.

A training of some hundred steps carries the last bit of a sum into the second digit of its
result, so a number that a check asserts is exact, stored, or survives other last bits.
"""

import argparse
import platform
import sys
from pathlib import Path

from press import chapters
from press.execution.pytest_plugin import restrict_kernels
from tests.robustness import runs

DRAWS = 3  # of other last bits
# What makes OpenBLAS, PyTorch, oneDNN and MKL compute as on an older processor.
OLD = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "MKL_CBWR": "COMPATIBLE",
}
AVX2 = {
    "OPENBLAS_CORETYPE": "Haswell",
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_CBWR": "AVX2",
}


def main() -> None:
    """Run notebooks with other arithmetic; the exit status is 1 if a check fell."""
    parser = argparse.ArgumentParser(prog="elsewhere", description=__doc__)
    parser.add_argument("notebooks", nargs="*", metavar="NN_slug")
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        help="try these alone, such as 'AVX2 alone'",
    )
    parser.add_argument(
        "--environment",
        metavar="NAME",
        help="run nothing: print the environment variables of this one, for `env`",
    )
    options = parser.parse_args()
    variants = arithmetics()
    for name in [*(options.only or []), options.environment or "two threads"]:
        if name not in variants:
            names = ", ".join(repr(variant) for variant in variants)
            parser.error(f"expected one of {names}, got {name!r}")
    if options.environment:
        return print(*(f"{k}={v}" for k, v in variants[options.environment][1].items()))
    paths = [p for name in options.notebooks for p in related(name)] or everything()
    restrict_kernels()
    variants = {name: variants[name] for name in options.only or variants}
    if failures := runs.compare(paths, variants, report):
        checks = "1 check" if failures == 1 else f"{failures} checks"
        sys.exit(
            f"{checks} fell: assert what holds on every computer, or store the run."
        )


def arithmetics() -> dict[str, tuple[list[str], dict[str, str]]]:
    """Return by name a run's options and environment; processors only where they apply."""
    variants = {}
    if platform.machine() in ("x86_64", "AMD64"):
        variants["old processor"] = (
            [],
            OLD | _numpy_without("X86_V3", "X86_V4", "AVX512"),
        )
        variants["AVX2 alone"] = [], AVX2 | _numpy_without("X86_V4", "AVX512")
    variants["two threads"] = [], {"OMP_NUM_THREADS": "2"}
    for draw in range(1, DRAWS + 1):
        variants[f"last bits {draw}"] = [f"--last-bits={draw}"], {}
    return variants


def _numpy_without(*features):
    """Return the setting that turns off what NumPy would use of this processor, by prefix."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    disabled = [
        f for f in __cpu_dispatch__ if __cpu_features__[f] and f.startswith(features)
    ]
    return {"NPY_DISABLE_CPU_FEATURES": ",".join(disabled)} if disabled else {}


def related(name: str) -> list[Path]:
    """Return the notebook of a path, or of a slug the chapter's, its errata and its homework."""
    if name not in chapters.CHAPTERS:
        return [runs.notebook(name)]
    digits = chapters.digits(name)
    return [
        chapters.CHAPTERS[name].path,
        *sorted(chapters.BOOK.glob(f"errata_{digits}.ipynb")),
        *sorted(chapters.ROOT.glob(f"homework/source/{digits}_*/*.ipynb")),
    ]


def everything() -> list[Path]:
    """Return every notebook of the book, chapters first."""
    paths = [path for slug in chapters.CHAPTERS for path in related(slug)]
    return paths + sorted(set(chapters.BOOK.glob("*.ipynb")) - set(paths))


def report(path: Path, falls_by_variant: dict[str, list[dict]]) -> int:
    """Print what fell in a notebook, and where; how many checks did."""
    places = runs.by_line(falls_by_variant)
    prefix = "homework " if "homework" in path.parts else ""
    print(
        f"{prefix}{path.stem}: {len(falls_by_variant)} arithmetics, {runs.checks(path)} checks: "
        f"{len(places)} fell",
        flush=True,
    )
    for fall, outcomes in places:
        print(f"  {runs.place(fall)}", flush=True)
        for variant, value in outcomes.items():
            print(f"    {variant}: {value}", flush=True)
    return len(places)


if __name__ == "__main__":
    main()
