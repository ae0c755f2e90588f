"""A submission leaves packages, home and settings as it has found them, and gets its marks."""

import shutil
import site
import subprocess
import zipfile
from pathlib import Path

import nbformat
import pytest

from tests.homework.assignments import answered, released, with_cell
from tests.homework.classroom import (
    ASSIGNMENT,
    RIGHT,
    different_marks,
    handed_in,
    impatient_grading,
    marks,
)

PACKAGE = "left_behind"  # a wheel that needs neither network nor other packages
WRITES = """
from pathlib import Path
import os, tempfile
for name in (".keras/keras.json", ".matplotlib/matplotlibrc", ".cache/torch/hub.pt"):
    path = Path.home() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
Path("~/.netrc").expanduser().write_text("mine")
Path(tempfile.gettempdir(), "model.pt").write_text("mine")
open("/tmp/{0}", "w").write("mine")
"""


def wheel(folder):
    path = folder / f"{PACKAGE}-1.0-py3-none-any.whl"
    info = f"{PACKAGE}-1.0.dist-info"
    tag = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = {
        f"{PACKAGE}/__init__.py": "",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: 1.0\n",
        f"{info}/WHEEL": tag,
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as file:
        for name, text in files.items():
            file.writestr(name, text)
    return path


def listing(folder):
    """List the files there with their times; other tests may compile one meanwhile."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {p: p.stat().st_mtime_ns for p in files if p.parent.name != "__pycache__"}


@pytest.fixture
def packages():
    """The folder of the packages that everybody is graded with, put right afterwards."""
    folder = Path(site.getsitepackages()[0])
    yield folder
    for path in folder.glob(f"{PACKAGE}*"):
        shutil.rmtree(path)


def test_nothing_is_left(tmp_path, packages):
    """Each line is in many honest notebooks; the answers are right."""
    path = wheel(tmp_path).as_uri()  # of file:///tmp the submission has none of its own
    install = f"install -q --no-index --no-deps '{path}'"
    own = [
        "torch.set_grad_enabled(False)",
        WRITES.format(tmp_path.name),
        f"!pip {install}\n%pip {install}\n!python -m pip {install}",
        "exit",
    ]
    notebook = answered(released(ASSIGNMENT), RIGHT)
    for code in reversed(own):
        with_cell(notebook, code)
    due = {"ada": (nbformat.writes(notebook).encode(), {}, "nothing was installed")}
    (tmp_path / "class").mkdir()
    handed_in(tmp_path / "class", "ada", due["ada"][0])
    home = tmp_path / "home"
    home.mkdir()
    before = listing(packages)
    command = impatient_grading(tmp_path, tmp_path / "class", HOME=str(home))
    process = subprocess.run(**command, timeout=300)
    assert process.returncode == 0, process.stdout
    assert listing(packages) == before
    assert not Path("/tmp", tmp_path.name).exists()
    files = [path.name for path in home.rglob("*") if path.is_file()]
    assert all(name.startswith("fontlist-") for name in files), "but Matplotlib's list"
    assert not (wrong := different_marks(tmp_path / "class", due)), wrong
    remark = marks(tmp_path / "class")["ada"]["remark"]
    assert "exit ended" in remark and "PyTorch's gradient mode" in remark
