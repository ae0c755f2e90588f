"""What is pinned, locked and installed; deptry compares the pins with the imports."""

import os
import re
import subprocess
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.chapter_code import ROOT

REQUIREMENTS = (ROOT / "requirements.txt").read_text("utf-8")
# By name; the weekly run on the newest versions takes the numbers away.
PINS = dict(re.findall(r"^([a-z][\w-]*)(?:==(\S+)|<\d+)?$", REQUIREMENTS, re.M))
LOCK = (ROOT / "requirements.lock").read_text("utf-8")


def test_what_runs_here_is_what_is_pinned():
    pinned = {name: pin for name, pin in PINS.items() if pin}
    installed = {name: version(name).split("+")[0] for name in pinned}
    assert installed == pinned


def test_the_lock_holds_every_pin_with_its_hashes_and_no_pytorch():
    """PyTorch and the CUDA that comes with it are chosen where they are installed."""
    locked = re.findall(r"^([a-z][\w.-]*)==(\S+)(?: ;.*)? \\\n +--hash=", LOCK, re.M)
    assert len(locked) == len(re.findall("^[a-z]", LOCK, re.M)) > len(PINS)
    pinned = {(name, pin) for name, pin in PINS.items() if pin and name != "torch"}
    assert pinned <= set(locked), "call `make lock`"
    assert not re.search(r"^(torch|triton|nvidia|cuda)", LOCK, re.M)
    assert not re.search("://|^[-./]", LOCK, re.M)  # no server, no folder of a machine


def test_requirements_alone_give_all_of_utils():
    """Binder and VS Code install requirements.txt and nothing else."""
    assert re.search(r"^-e \.$", REQUIREMENTS, re.M)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    utils = ROOT / "utils"
    packages = {
        ".".join(p.parent.relative_to(ROOT).parts) for p in utils.rglob("__init__.py")
    }
    setuptools = project["tool"]["setuptools"]
    assert set(setuptools["packages"]) == packages
    packed = {*utils.rglob("*.py")}
    for package, patterns in setuptools["package-data"].items():
        for pattern in patterns:
            packed |= {*(ROOT / package.replace(".", "/")).glob(pattern)}
    files = {path for path in utils.rglob("*") if path.is_file()}
    assert {path for path in files - packed if path.suffix != ".pyc"} == set()
    needs = {
        re.match(r"[\w-]+", need)[0] for need in project["project"]["dependencies"]
    }
    assert needs <= set(PINS)


def test_binder_installs_the_same_on_the_small_pytorch():
    folder = ROOT / ".binder"
    lines = (folder / "requirements.txt").read_text("utf-8").splitlines()
    others = [line.split()[1] for line in lines if line.startswith("-r ")]
    read = [(folder / other).resolve() for other in others]
    book, hub = (Path(ROOT / part).resolve() for part in ("", "hub"))
    assert read == [book / "requirements.txt", hub / "requirements.txt"]
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
    for name in ("Makefile", "requirements.txt", "requirements.lock", "pyproject.toml"):
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
        process = subprocess.run(
            command, cwd=tmp_path, env=env, capture_output=True, text=True
        )
        assert process.returncode == 0, process.stderr
        return process.stdout, (tmp_path / "called").read_text().splitlines()

    return run


def test_the_size_of_the_download_is_said_before_it_begins(make):
    output, called = make()
    before = output[: output.index("venv .venv")]
    assert "3.0 GB" in before and "0.45 GB" in before
    small = re.search(
        r'make lab PIP_ARGS="(.*download\.pytorch\.org/whl/cpu)"', before
    )[1]
    locked, rest, lab = called[0], called[1], called[-1]
    assert locked.endswith("--require-hashes -r requirements.lock")
    assert rest.endswith("-r requirements.txt") and lab == "jupyter lab book"
    output, called = make()  # stands already
    assert "GB" not in output and called == ["jupyter lab book"]
    output, called = make("-B", f"PIP_ARGS={small}")
    assert "whl/cpu" in called[1] and "3.0 GB" not in output
    _, called = make("-B", "LOCK=")  # the newest versions
    assert called[0].endswith("-r requirements.txt")


def test_lab_is_set_up_for_readers(make):
    _, called = make()
    (disable,) = [line for line in called if line.startswith("jupyter labextension")]
    assert (
        disable.split()[2:] == (ROOT / ".binder" / "postBuild").read_text().split()[-3:]
    )
    assert disable.split()[2:4] == ["disable", "@jupyter/nbgrader"]
