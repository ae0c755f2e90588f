"""Substitutes for pip, conda and the like, which install nothing.

``!pip install numpy==1.26.4``, with which many notebooks from Colab begin, would change the
packages that all others are graded with. So it only prints what was asked for.

Other Pythons run this file too, also older ones: it imports nothing of this repository.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

COMMANDS = ["pip", "pip3", f"pip3.{sys.version_info[1]}", "pipx", "easy_install"]
COMMANDS += ["uv", "poetry", "conda", "mamba", "micromamba", "npm", "npx", "yarn"]
COMMANDS += ["apt", "apt-get", "dnf", "yum", "brew", "sudo"]
MODULES = ["pip", "ensurepip", "uv", "conda"]  # python -m pip
# What pip's own scripts call, and some notebooks.
MODULES += [f"pip/_internal{name}" for name in ("", "/main", "/cli", "/cli/main")]
# In the environment: a file with a line for each call.
CALLS_FILE = "HOMEWORK_INSTALLERS"


def write_substitutes(folder: Path) -> dict[str, str]:
    """Write commands and modules into a new folder that replace all installers.

    Returns what the environment has to hold.
    """
    commands, modules = folder / "commands", folder / "modules"
    command = [sys.executable, __file__]
    commands.mkdir(parents=True)
    for name in COMMANDS:
        path = commands / name
        text = f'#!/bin/sh\nexec {shlex.join([*command, name])} "$@"\n'
        if sys.platform == "win32":
            path = path.with_suffix(".bat")
            text = f'@"{sys.executable}" "{__file__}" {name} %*\n'
        path.write_text(text, "utf-8")
        path.chmod(0o755)
    code = f"from runpy import run_path\nmain = run_path({__file__!r})['main']\n"
    code += "__version__ = '0'\n"
    for name in MODULES:
        package = modules / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(code, "utf-8")
        (package / "__main__.py").write_text(f"{code}main()\n", "utf-8")
    return {
        "PATH": _joined(commands, Path(sys.executable).parent, os.environ.get("PATH")),
        "PYTHONPATH": _joined(modules, os.environ.get("PYTHONPATH")),
        # For a pip that is reached nevertheless.
        "PIP_TARGET": str(folder / "installed"),
        CALLS_FILE: str(folder / "asked"),
    }


def _joined(*paths):
    return os.pathsep.join(str(path) for path in paths if path)


def main(arguments: list | None = None) -> int:
    """Record the call of an installer, and print that nothing is installed.

    It is not an error, so that the rest of the cell runs.
    """
    program = Path(sys.argv[0])
    name = program.parent.name if program.name == "__main__.py" else program.name
    if arguments is not None:  # pip.main(["install", …]), called from a cell
        name = "pip"
    call = " ".join([name, *map(str, sys.argv[1:] if arguments is None else arguments)])
    print(f"Nothing is installed while homework is marked: {call}")
    if path := os.environ.get(CALLS_FILE):
        with open(path, "a", encoding="utf-8") as file:
            file.write(" ".join(call.split())[:200] + "\n")
    return 0


def recorded_calls() -> list[str]:
    """Return the calls recorded since the last time, each once."""
    path = Path(os.environ.get(CALLS_FILE, "nowhere"))
    try:
        calls = path.read_text("utf-8", errors="replace").splitlines()
        path.unlink()
    except OSError:  # none, or the student's code has been there
        return []
    return list(dict.fromkeys(calls))


if __name__ == "__main__":
    sys.argv = sys.argv[1:]
    main()
