"""The versions that have to agree wherever and whenever a class is graded."""

import hashlib
import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path

PROGRAMS = sorted(Path(__file__).parent.glob("*.py"))  # the grader itself


@cache
def edition() -> dict[str, str]:
    """Return the versions of Python, nbgrader and the grader on this computer."""
    return {
        "Python": platform.python_version(),
        "nbgrader": version("nbgrader"),
        "grader/*.py": digest()[:12],
    }


def digest(*parts: bytes, files: Iterable[Path] = ()) -> str:
    """Return a hash of the grader, and of what else marks depend on."""
    total = hashlib.sha256()
    for part in parts:
        total.update(part)
    for path in [*files, *PROGRAMS]:
        total.update(path.read_bytes())
    return total.hexdigest()


def mismatch(expected: dict, actual: dict | Exception) -> str:
    """Say what was expected and what came: another edition, or an error instead."""
    if isinstance(actual, dict):
        names = [name for name in expected if actual.get(name) != expected[name]]
        versions = ", ".join(f"{name} {expected[name]}" for name in names)
        others = ", ".join(str(actual.get(name)) for name in names)
        return f"expected {versions}; got {others}"
    versions = ", ".join(f"{name} {value}" for name, value in expected.items())
    return f"expected {versions}; got {type(actual).__name__}: {actual}"
