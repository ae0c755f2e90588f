"""What requirements.txt installs is what the book uses: no less, and no more."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest

from tests.chapter_code import ROOT

REQUIREMENTS = (ROOT / "requirements.txt").read_text("utf-8")
# By name; the weekly run on the newest versions takes the numbers away.
PINS = dict(re.findall(r"^([a-z][\w-]*)(?:==(\S+)|<\d+)?$", REQUIREMENTS, re.M))
FOLDERS = ("book", "grader", "homework", "press", "tests", "utils")
DISTRIBUTIONS = packages_distributions()
# Used, but by no import and not in _config.yml: commands, plugins of them, and files.
BY_NAME = {
    "font-source-sans-pro": "its fonts, in utils.plots",
    "ipykernel": "runs the notebooks",
    "jupyter-book": "command of `make book`",
    "jupyterlab": "command of `make lab`",
    "jupyterlab-myst": "shows the notebooks' directives in JupyterLab",
    "nbstripout": "command of `make format`",
    "nbval": "plugin of pytest, --nbval-lax",
    "pytest-xdist": "plugin of pytest, -n",
    "ruff": "command of `make lint`",
    "sphinx-revealjs": "its reveal.js, in press.decks.cut",
    "voila": "command of `make present`",
}


def sources():
    """The code of the repository: a path and a text for each file and notebook."""
    paths = [*ROOT.glob("*.py")]
    paths += [p for folder in FOLDERS for p in (ROOT / folder).rglob("*")]
    for path in sorted(paths):
        if path.suffix == ".py":
            yield path, path.read_text("utf-8")
        elif path.suffix == ".ipynb" and ".ipynb_checkpoints" not in path.parts:
            for cell in json.loads(path.read_text("utf-8"))["cells"]:
                if cell["cell_type"] == "code":
                    yield path, "".join(cell["source"])


def imported(text):
    """Names of the packages that a piece of code imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.split(".")[0]


@cache
def used():
    """``{package: a file that imports it}``, without Python's own and the book's."""
    own = {path.stem for path in ROOT.glob("*.py")} | {*FOLDERS}
    return {
        name: path.relative_to(ROOT)
        for path, text in sources()
        for name in imported(text)
        if name not in own | sys.stdlib_module_names
    }


def pins_of(package):
    """The distributions that give an importable package, spelt as they are pinned."""
    found = DISTRIBUTIONS.get(package, [])
    return {re.sub(r"[-_.]+", "-", name).lower() for name in found}


def test_every_import_is_pinned():
    assert len(used()) > 20
    for package, path in used().items():
        assert pins_of(package) & set(PINS), f"{path} imports {package}: pin it"


def test_every_pin_is_used():
    """By an import, in ``_config.yml``, or as ``BY_NAME`` says."""
    config = (ROOT / "_config.yml").read_text("utf-8")
    listed = re.findall(r"^ *- ([\w-]+)$", config, re.M)
    reached = {pin for package in used() for pin in pins_of(package)}
    reached |= {name.replace("_", "-") for name in listed}
    assert set(PINS) <= reached | set(BY_NAME) and set(BY_NAME) <= set(PINS)


def test_what_runs_here_is_what_is_pinned():
    pinned = {name: pin for name, pin in PINS.items() if pin}
    here = {name: version(name).split("+")[0] for name in pinned}
    assert here == pinned


def test_requirements_alone_give_all_of_utils():
    """Binder and VS Code install requirements.txt and nothing else."""
    assert re.search(r"^-e \.$", REQUIREMENTS, re.M)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    utils = ROOT / "utils"
    packages = {
        ".".join(p.parent.relative_to(ROOT).parts) for p in utils.rglob("__init__.py")
    }
    assert set(project["tool"]["setuptools"]["packages"]) == packages
    needs = {
        re.match(r"[\w-]+", need)[0] for need in project["project"]["dependencies"]
    }
    assert needs <= set(PINS)


def test_binder_installs_the_same_on_the_small_pytorch():
    folder = ROOT / ".binder"
    lines = (folder / "requirements.txt").read_text("utf-8").splitlines()
    (other,) = [line.split()[1] for line in lines if line.startswith("-r ")]
    assert (folder / other).resolve() == Path(ROOT / "requirements.txt").resolve()
    assert any(
        line.startswith("--extra-index-url") and "/cpu" in line for line in lines
    )
    python = re.fullmatch(
        r"python-(\d+)\.(\d+)\n", (folder / "runtime.txt").read_text()
    )
    assert tuple(map(int, python.groups())) >= (3, 11)


# A Python whose environments hold programs that say how they were called, and do nothing.
PRETENDS = """#!/bin/sh
[ "$1" = -c ] && exit 0
mkdir -p .venv/bin
for name in python jupyter; do
  printf '#!/bin/sh\\necho "$(basename $0) $*" >> called\\n' > .venv/bin/$name
  chmod +x .venv/bin/$name
done
"""


@pytest.fixture
def make(tmp_path):
    """`make lab` on a fresh machine, in pretence: what it says, and what it calls."""
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    for name, text in [("python3", PRETENDS), ("uname", "#!/bin/sh\necho Linux\n")]:
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    env = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    env = {
        k: v for k, v in env.items() if k not in {"PIP_EXTRA_INDEX_URL", "MAKEFLAGS"}
    }

    def run(*arguments):
        (tmp_path / "called").write_text("")
        command = ["make", "lab", *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, (tmp_path / "called").read_text().splitlines()

    return run


def test_the_size_of_the_download_is_said_before_it_begins(make):
    said, called = make()
    before = said[: said.index("venv .venv")]
    assert "3.0 GB" in before and "0.45 GB" in before
    small = re.search(
        r'make lab PIP_ARGS="(.*download\.pytorch\.org/whl/cpu)"', before
    )[1]
    install, lab = called[0], called[-1]
    assert install.endswith("-r requirements.txt") and lab == "jupyter lab book"
    said, called = make()  # stands already
    assert "GB" not in said and called == ["jupyter lab book"]
    said, called = make("-B", f"PIP_ARGS={small}")
    assert "whl/cpu" in called[0] and "3.0 GB" not in said


def test_lab_is_set_up_for_readers(make):
    _, called = make()
    (disable,) = [line for line in called if line.startswith("jupyter labextension")]
    assert (
        disable.split()[2:] == (ROOT / ".binder" / "postBuild").read_text().split()[-3:]
    )
    assert disable.split()[2:4] == ["disable", "@jupyter/nbgrader"]
