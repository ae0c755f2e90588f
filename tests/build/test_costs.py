"""The table of costs reads its records right and extrapolates from what a chapter adds."""

import subprocess
import sys
import time

from press import chapters
from tests import costs

TESTS = {  # class and name of a test, with a chapter for {}: CPU-seconds
    ("tests.pages.test_figures", "test_is_accessible[book/{}]"): 4,
    ("tests.pages.test_figures", "test_is_accessible[book/errata_{}]"): 128,
    ("tests.pages.test_figures", "test_is_accessible[book/index]"): 8,
    ("tests.live.test_jupyterlab", "test_run_all_then_drag[{}]"): 16,
    ("tests.chapters.test_{}", "test_fault[a sign]"): 32,
    ("tests.build.test_build", "test_sound"): 64,
}
CASE = """<testcase classname="{}" name="{}" time="99">
<properties><property name="cpu" value="{}" /></properties></testcase>"""


def test_a_report_is_read_by_kind_and_chapter(tmp_path):
    slug = next(iter(chapters.CHAPTERS))
    path = tmp_path / "tests.xml"
    cases = [
        CASE.format(*where, cpu).format(
            chapters.digits(slug) if "errata" in where[1] else slug
        )
        for where, cpu in TESTS.items()
    ]
    path.write_text(f"<testsuites>{''.join(cases)}</testsuites>")
    assert costs.tested(path) == {
        ("pages", slug): 132,
        ("pages", ""): 8,
        ("JupyterLab", ""): 16,
        ("own tests", slug): 32,
        ("rest", ""): 64,
    }


def test_what_is_spent_is_that_of_all_below_as_well():
    meter, burn = costs.Meter(), "import time\nwhile time.process_time() < {}: pass"
    meter.read()
    below = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}])"
    subprocess.run([sys.executable, "-c", below.format(1.0)])  # ended before it is seen
    assert 1 <= meter.read() < 3 and meter.read() < 0.5
    process = subprocess.Popen([sys.executable, "-c", below.format(2.0)])
    total = 0.0
    while process.poll() is None:  # seen at work, and ended: counted once
        total += meter.read()
        time.sleep(0.1)
    assert 2 <= total + meter.read() < 4


def test_a_chapter_more_costs_the_mean_of_those_there_are():
    seconds = {("build", "01_a"): 60, ("build", "02_b"): 180, ("nbval", "01_a"): 120}
    rows = costs.table(seconds | {("rest", ""): 600}, count=20, workers=2)
    assert rows[0] == ["", "01", "02", "mean", "once"]
    assert rows[1] == ["build", 60, 180, 120, 0]
    assert rows[-3] == ["all", 180, 180, 180, 600]
    assert [row[0] for row in rows[-2:]] == [
        "2 chapters on 2 cores: 8 min",
        "20 chapters on 2 cores: 35 min",
    ]
