"""The repository around the chapters: contents, workflows, heavy files, the import of utils."""

import ast
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml

from press.chapters import BOOK, ROOT


def test_table_of_contents_lists_every_notebook():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    listed = re.findall(r"book/\w+\*?", json.dumps(toc))
    pages = {f"book/{p.stem}" for p in BOOK.iterdir() if p.suffix in {".ipynb", ".md"}}
    assert sorted(p for entry in listed for p in fnmatch.filter(pages, entry)) == (
        sorted(pages)
    )
    assert all(fnmatch.filter(pages, entry) for entry in listed)


def test_what_is_published_are_the_pages_that_the_tests_have_passed():
    jobs = {}
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        jobs |= yaml.safe_load(path.read_text("utf-8"))["jobs"]
    publishing = [job for job in jobs.values() if "deploy-pages" in str(job["steps"])]
    assert publishing
    for job in publishing:
        assert not any("run" in s for s in job["steps"]), "built anew, and not tested"
        steps = str(jobs[job["needs"]]["steps"])
        assert 0 < steps.index(".ci/run") < steps.index("upload-pages-artifact")


def test_the_utils_that_is_imported_is_ours():
    import utils

    assert utils.__path__[0] == str(ROOT / "utils")


def test_importing_utils_changes_nothing():
    code = """
import random, warnings
import ipywidgets, matplotlib.pyplot as plt, numpy as np, sklearn.datasets, torch
state = lambda: (dict(plt.rcParams), np.random.get_state()[1].tolist(), random.getstate(),
                 torch.initial_seed(), list(warnings.filters), plt.get_fignums())
before = state()
import utils.checks, utils.data, utils.interact, utils.plots, utils.text
assert state() == before
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def files() -> set[str]:
    """List what belongs to the repository, by its path: what git holds.

    Where git cannot say, as in a zip from the web: all that .gitignore lets through.
    """
    if (ROOT / ".git").exists() and shutil.which("git"):
        command = ["git", "ls-files", "-z"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True)
        if listed.returncode == 0:
            return {*os.fsdecode(listed.stdout).split("\0")} - {""}
    ignored = [
        line.rstrip("/") for line in (ROOT / ".gitignore").read_text("utf-8").split()
    ]
    paths = set()
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [
            f for f in folders if not any(fnmatch.fnmatch(f, i) for i in ignored)
        ]
        paths |= {Path(folder, name).relative_to(ROOT).as_posix() for name in names}
    return paths


def test_no_file_of_the_repository_is_heavy():
    paths = files()
    assert {"Makefile", "_toc.yml", "book/index.ipynb"} <= paths
    assert not [f for f in paths if (ROOT / f).stat().st_size > 500_000]


# What starts another program, and reads its text.
PROCESSES = {"run", "Popen", "call", "check_call", "check_output"}


def by_locale(code: str) -> list[int]:
    """Return lines that read or write text as the system's language has it: not so on Windows."""
    calls = []
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Call):
            continue
        keywords = {word.arg for word in node.keywords}
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        values = [getattr(argument, "value", None) for argument in node.args]
        if name == "open" and isinstance(node.func, ast.Name):
            values = values[
                1:
            ]  # after the file, as after a path's own method, the mode
        opens = name == "open" and all(
            isinstance(mode, str) and {*mode} <= {*"rwxat+"} for mode in values
        )
        if "encoding" not in keywords and (
            opens
            or (name == "read_text" and not values)
            or (name == "write_text" and len(values) < 2)
            or (name in PROCESSES and keywords & {"text", "universal_newlines"})
        ):
            calls.append(node.lineno)
    return calls


@pytest.mark.parametrize("room", ["utils", "press", "grader", "hub", ".github"])
def test_text_is_utf8_whatever_the_system(room):
    programs = [path for path in files() if path.startswith(f"{room}/")]
    programs = [ROOT / path for path in programs if path.endswith(".py")]
    assert programs
    calls = {str(path): by_locale(path.read_text("utf-8")) for path in programs}
    assert {path: lines for path, lines in calls.items() if lines} == {}


@pytest.mark.parametrize("path", sorted(BOOK.glob("*.ipynb")), ids=lambda p: p.stem)
def test_a_notebook_reads_its_files_as_utf8(path):
    code = [c.source for c in nbformat.read(path, 4).cells if c.cell_type == "code"]
    assert [source for source in code if by_locale(source)] == []


def test_the_pictures_of_the_readme_are_there_and_light():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    pictures = re.findall(r'(?:src|srcset)="([^"]+)"', text)
    assert len(pictures) == 2  # one for each theme
    assert sum((ROOT / name).stat().st_size for name in pictures) < 400_000
