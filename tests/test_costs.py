"""The table of costs reads its records right and extrapolates from what a chapter adds."""

import chapters
from tests import costs

REPORT = """<testsuites><testsuite>
<testcase classname="book.{0}.ipynb" name="Cell 0" time="1.5" />
<testcase classname="book.{0}.ipynb" name="Cell 0 again" time="0.5" />
<testcase classname="book.notation.ipynb" name="Cell 0" time="2" />
<testcase classname="tests.test_pages" name="test_is_accessible[book/{0}]" time="4" />
<testcase classname="tests.test_pages" name="test_is_accessible[book/index]" time="8" />
<testcase classname="tests.test_live" name="test_run_all_then_drag[{0}]" time="16" />
<testcase classname="tests.test_{0}" name="test_fault[a sign]" time="32" />
<testcase classname="tests.test_build" name="test_sound" time="64" />
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
