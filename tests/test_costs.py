"""The table of costs reads its records right and extrapolates from what a chapter adds."""

import subprocess
import sys
import time

import chapters
from tests import costs

REPORT = """<testsuites><testsuite>
<testcase classname="book.{0}.ipynb" name="Cell 0" time="99">
  <properties><property name="cpu" value="1.5" /></properties>
</testcase>
<testcase classname="book.{0}.ipynb" name="Cell 0 again" time="99">
  <properties><property name="cpu" value="0.5" /></properties>
</testcase>
<testcase classname="book.notation.ipynb" name="Cell 0" time="99">
  <properties><property name="cpu" value="2" /></properties>
</testcase>
<testcase classname="tests.test_pages" name="test_is_accessible[book/{0}]" time="99">
  <properties><property name="cpu" value="4" /></properties>
</testcase>
<testcase classname="tests.test_pages" name="test_is_accessible[book/index]" time="99">
  <properties><property name="cpu" value="8" /></properties>
</testcase>
<testcase classname="tests.test_live" name="test_run_all_then_drag[{0}]" time="99">
  <properties><property name="cpu" value="16" /></properties>
</testcase>
<testcase classname="tests.test_{0}" name="test_fault[a sign]" time="99">
  <properties><property name="cpu" value="32" /></properties>
</testcase>
<testcase classname="tests.test_build" name="test_sound" time="99">
  <properties><property name="cpu" value="64" /></properties>
</testcase>
</testsuite></testsuites>"""


def test_a_report_is_read_by_kind_and_chapter(tmp_path):
    slug = chapters.SLUGS[0]
    path = tmp_path / "tests.xml"
    path.write_text(REPORT.format(slug))
    assert costs.tested(path) == {
        ("nbval", slug): 2,
        ("nbval", ""): 2,
        ("pages", slug): 4,
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
