"""A build that fails says where; a cached page forgets nothing that it was made with."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from tests.notebooks import ROOT
from utils import sphinx_ext

TOC = "format: jb-book\nroot: book/index\nchapters:\n- file: book/01_broken\n"
SETUP = "import matplotlib.pyplot as plt\nfrom utils.interact import interact"
DIVIDES = "fine = 1\nbroken = 1 / 0"
BREAKS_INSIDE = '''@interact(a=(0, 4))
def figure(a=0):
    """A picture that fails between the corners of its grid."""
    assert a != 3
    return plt.figure()'''


def build(folder, *cells):
    """A book of one notebook, built as `make book` builds; the finished process."""
    (folder / "book").mkdir()
    for name in ("_config.yml", "requirements.txt"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "book" / "_static", folder / "book" / "_static")
    (folder / "_toc.yml").write_text(TOC)
    (folder / "book" / "references.bib").write_text("")
    (folder / "book" / "index.md").write_text("# Book\n")
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell("# Chapter"),
            *map(nbformat.v4.new_code_cell, cells),
        ],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(notebook, folder / "book" / "01_broken.ipynb")
    command = [Path(sys.executable).parent / "jupyter-book", "build", ".", "-W", "-n"]
    return subprocess.run(
        [*command, "--keep-going"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": "", "PYTHONWARNINGS": ""},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize(
    ("cell", "signs"),
    [
        (DIVIDES, ["ZeroDivisionError", "broken = 1 / 0"]),
        (BREAKS_INSIDE, ["AssertionError", "while drawing figure(a=3)"]),
    ],
)
def test_a_cell_that_raises_fails_the_build_and_is_named(tmp_path, cell, signs):
    done = build(tmp_path, SETUP, cell)
    output = done.stdout + done.stderr
    assert done.returncode != 0
    for sign in ["01_broken.ipynb", *signs]:
        assert sign in output, output[-3000:]


def test_a_sound_book_builds_with_a_living_figure(tmp_path):
    done = build(tmp_path, SETUP, BREAKS_INSIDE.replace("a != 3", "a != 7"))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    page = (tmp_path / "_build" / "html" / "book" / "01_broken.html").read_text()
    assert page.count('class="interact"') == 1


def test_a_change_in_utils_opens_a_new_cache(tmp_path, monkeypatch):
    (tmp_path / "requirements.txt").write_text("numpy\n")
    (tmp_path / "interact.py").write_text("a = 1\n")
    monkeypatch.setattr(sphinx_ext, "__file__", str(tmp_path / "sphinx_ext.py"))
    paths = set()
    for text in ("a = 1\n", "a = 2\n", "a = 1\n"):
        (tmp_path / "interact.py").write_text(text)
        config = SimpleNamespace()
        sphinx_ext._key_cache_on_utils(SimpleNamespace(srcdir=tmp_path), config)
        paths.add(config.nb_execution_cache_path)
    assert len(paths) == 2
