"""The repository around the chapters: contents, workflows, heavy files, the import of utils."""

import fnmatch
import json
import re
import subprocess
import sys

import yaml

from press.chapters import BOOK, ROOT


def test_table_of_contents_lists_every_notebook():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    listed = re.findall(r"book/\w+\*?", json.dumps(toc))
    pages = {f"book/{p.stem}" for p in BOOK.iterdir() if p.suffix in {".ipynb", ".md"}}
    assert sorted(p for entry in listed for p in fnmatch.filter(pages, entry)) == (
        sorted(pages)
    )
    assert all(fnmatch.filter(pages, entry) for entry in listed)


def test_what_is_published_are_the_pages_that_the_tests_have_passed():
    jobs = {}
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        jobs |= yaml.safe_load(path.read_text())["jobs"]
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


def test_no_file_in_git_is_heavy():
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    heavy = [
        f for f in files.stdout.split("\n") if f and (ROOT / f).stat().st_size > 500_000
    ]
    assert not heavy


def test_the_pictures_of_the_readme_are_there_and_light():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r'(?:src|srcset)="([^"]+)"', text)
    assert len(named) == 2  # one for each theme
    assert sum((ROOT / name).stat().st_size for name in named) < 400_000
