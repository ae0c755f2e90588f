"""Which tests stay on one worker, and which of them begin."""

import subprocess
import sys

import pytest

from tests import conftest
from tests.chapter_code import ROOT


@pytest.mark.parametrize(
    ("nodeid", "group"),
    [
        ("tests/pages/test_figures.py::test_a[book/03_x]", "tests/pages 03_x"),
        ("tests/pages/test_layout.py::test_a[360-book/03_x]", "tests/pages 03_x"),
        ("tests/pages/test_tables.py::test_b[03_x]", "tests/pages/test_tables.py"),
        (
            "tests/pages/test_positions.py::test_c[#line:dashed=on]",
            "tests/pages/test_positions.py",
        ),
        ("tests/pages/test_text.py::test_d", "tests/pages/test_text.py"),
        ("tests/decks/test_decks.py::test_a[PageUp-03_x]", "tests/decks 03_x"),
        (
            "tests/chapters/test_03_x.py::test_a[a sign]",
            "tests/chapters/test_03_x.py",
        ),
    ],
)
def test_a_page_a_deck_and_any_other_file_is_a_group(nodeid, group):
    assert conftest.group(nodeid) == group


SAYS_WHERE = """import os, pathlib, time, pytest
@pytest.mark.parametrize("i", range(20))
def test_one(i):
    place, worker = pathlib.Path(__file__), os.environ["PYTEST_XDIST_WORKER"]
    with place.with_suffix(".log").open("a") as log:
        log.write(f"{worker} {time.time_ns()}\\n")
"""


def test_a_group_stays_on_one_worker_and_the_longest_begin(tmp_path):
    names = ["chapters/test_a", "chapters/test_b", "live/test_c", "homework/test_d"]
    for name in names:
        (tmp_path / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / f"{name}.py").write_text(SAYS_WHERE)
    subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider",
         f"--rootdir={tmp_path}", "-n", "2", tmp_path],
        cwd=ROOT, check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    begun = {}
    for name in names:
        lines = (tmp_path / "tests" / f"{name}.log").read_text().splitlines()
        workers, times = zip(*(line.split() for line in lines), strict=True)
        assert len(lines) == 20 and len(set(workers)) == 1
        begun[name] = min(times)
    first, second, *_ = sorted(begun, key=begun.get)
    assert {first, second} == {"homework/test_d", "live/test_c"}
