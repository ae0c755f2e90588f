"""Which tests stay on one worker, and which of them begin."""

import subprocess
import sys

import pytest

import conftest
from tests.chapter_code import ROOT


@pytest.mark.parametrize(
    ("nodeid", "group"),
    [
        ("book/03_x.ipynb::Cell 3", "book/03_x.ipynb"),
        ("book/03_x.ipynb::Cell 3 again", "book/03_x.ipynb"),
        ("tests/test_pages.py::test_a[book/03_x]", "tests/test_pages.py 03_x"),
        ("tests/test_pages.py::test_a[360-book/03_x]", "tests/test_pages.py 03_x"),
        ("tests/test_pages.py::test_b[03_x]", "tests/test_pages.py 03_x"),
        ("tests/test_pages.py::test_c[#line:dashed=on]", "tests/test_pages.py"),
        ("tests/test_pages.py::test_d", "tests/test_pages.py"),
        ("tests/test_slides.py::test_a[PageUp-03_x]", "tests/test_slides.py 03_x"),
        ("tests/test_03_x.py::test_a[a sign]", "tests/test_03_x.py"),
    ],
)
def test_a_notebook_a_page_a_deck_and_any_other_file_is_a_group(nodeid, group):
    assert conftest.group(nodeid) == group


SAYS_WHERE = """import os, pathlib, pytest
@pytest.mark.parametrize("i", range(20))
def test_one(i):
    with pathlib.Path(__file__).with_name("log").open("a") as log:
        log.write(f"{pathlib.Path(__file__).stem} {os.environ['PYTEST_XDIST_WORKER']}\\n")
"""


def test_a_group_stays_on_one_worker_and_the_longest_begin(tmp_path):
    names = ["test_a", "test_b", "test_build", "test_live"]
    for name in names:
        (tmp_path / f"{name}.py").write_text(SAYS_WHERE)
    subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider",
         "-n", "2", tmp_path],
        cwd=ROOT, check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    log = (tmp_path / "log").read_text().splitlines()
    assert len(log) == 80
    assert sorted(line.split()[0] for line in set(log)) == names  # a worker each
    assert {line.split()[0] for line in log[:2]} <= {"test_build", "test_live"}
