"""A book of a few cells, built as `make book` builds: what it takes to prove a build."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat

from tests.chapter_code import ROOT

SETUP = "import matplotlib.pyplot as plt\nfrom utils.interact import interact"
BREAKS_INSIDE = '''@interact(a=(0, 4))
def figure(a=0):
    """A picture that fails between the corners of its grid."""
    assert a != 3
    fig = plt.figure()
    fig.text(0.5, 0.5, a)
    return fig'''
SOUND = '''@interact(a=(0, 4), kind=["small one", "big one"])
def figure(a=0, kind="small one"):
    """A number and what it is."""
    fig = plt.figure(figsize=(4, 3))
    fig.text(0.2, 0.5, f"{a}, a {kind}")
    return fig'''


def check(lines):
    return "\n".join(["assert True"] * (lines - 1) + [f"print('✓ {lines} lines')"])


def write(folder, **notebooks):
    """A book of small notebooks; a cell is markdown, or ``(code, tag, …)``."""
    (folder / "book").mkdir(exist_ok=True)
    for name in ("_config.yml", "requirements.txt"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "press", folder / "press", dirs_exist_ok=True)
    if not (folder / "utils").exists():  # or a change in it would be undone
        shutil.copytree(ROOT / "utils", folder / "utils")
    (folder / "book" / "references.bib").write_text("")
    lines = ["format: jb-book", "root: book/index", "parts:"]
    for name, cells in {
        "index": ["# Book", ("print('welcome')",)],
        **notebooks,
    }.items():
        if name != "index":
            lines.append(f"- caption: Part of {name}")
            lines.append(f"  chapters: [{{file: book/{name}}}]")
        notebook = nbformat.v4.new_notebook(
            cells=[cell(each, i) for i, each in enumerate(cells)],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        )
        nbformat.write(notebook, folder / "book" / f"{name}.ipynb")
    about = {"weeks": [1, 1], "holds": "little", "discuss": "all of it"}
    meta = {
        "parts": {f"Part of {name}": "What is small." for name in notebooks},
        "chapters": {name: about for name in notebooks},
        "paths": [],
    }
    lines.append(f"meta: {json.dumps(meta)}")  # JSON is YAML
    (folder / "_toc.yml").write_text("\n".join(lines) + "\n", "utf-8")


def write_deck(folder, name, *lines):
    """A deck for a chapter of the book: a title, and a slide for each of these lines."""
    slides = ["# Title", *(f"## Slide {i}\n\n{line}" for i, line in enumerate(lines))]
    text = "\n".join(f"{slide}\n\nNotes:\n(1 min) So.\n" for slide in slides)
    (folder / "slides").mkdir(exist_ok=True)
    (folder / "slides" / f"{name}.md").write_text(text, "utf-8")


def cell(content, number):
    name = f"cell-{number}"
    if isinstance(content, str):
        return nbformat.v4.new_markdown_cell(content, id=name)
    code, *tags = content
    return nbformat.v4.new_code_cell(code, id=name, metadata={"tags": tags})


def build(folder):
    """Build with a bare jupyter-book; the finished process."""
    command = [Path(sys.executable).parent / "jupyter-book", "build", ".", "-W", "-n"]
    return _run([*command, "--keep-going"], folder)


def make(folder, *arguments, **environment):
    """Build as `make book` builds; the finished process."""
    return _run([sys.executable, "-m", "press", *arguments], folder, **environment)


def _run(command, folder, **environment):
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder), "WORKERS": "1"} | environment,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


def executed(done):
    """Return the notebooks that a build has executed: each has said so in a line."""
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return set(re.findall(r"✓ (\w+)  \d+ s", done.stderr))
