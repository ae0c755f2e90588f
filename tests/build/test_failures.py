"""A book always comes out: what fails stands in a box on its page, and the rest is there."""

import linecache
import os
import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from press.execution import cache, inspection, sphinx_events
from press.execution.execute import execute
from tests.build.small_book import BREAKS_INSIDE, SETUP, make, write, write_deck

BEFORE_AND_AFTER = "x = 0.25\nprint('before')\nassert abs(x - 0.5) < 0.1, 'too far'"
CALLS = "def inverse(n):\n    return 1 / n\n\nfor n in (1, 0):\n    inverse(n)"
AGAIN = '''@interact(a=(0, 2))
def sound(a=0):
    """A number."""
    fig = plt.figure(figsize=(4, 3))
    fig.text(0.5, 0.5, a)
    return fig'''
SPOILT = (
    "slope = globals().get('slope', 0) + 1\nplt.plot([0, 1]); plt.title(str(slope));"
)
# Until there is a file "go": then the same cells pass.
WAITS = "import pathlib, time\nprint('waits', flush=True)\n"
WAITS += "while not pathlib.Path('go').exists():\n    time.sleep(0.5)"
DIES = "import os, pathlib, time\nprint('words', flush=True)\ntime.sleep(0.2)\n"
DIES += "if not pathlib.Path('go').exists():\n    os._exit(3)"
LATER = ("print('later')", "run")


def chapters_that(fail: bool) -> dict:
    """Return the same chapters, of which the first fails or is sound."""
    wrong = [
        "# Chapter 1 · Wrong\n\n*Does it hold?*",
        (SETUP, "setup"),
        (BEFORE_AND_AFTER if fail else "print('before')", "check"),
        (BREAKS_INSIDE.replace("!= 3", "!= 3" if fail else "!= 9"), "widget"),
        "(q-01-hidden)=\n:::{admonition} Why?\n:class: dropdown question\nSo.\n:::",
        (CALLS.replace("0)", "0)" if fail else "2)"), "solution", "hide-cell"),
        (AGAIN, "widget"),
        f"It moves [there](#sound:a={9 if fail else 2}).",
        (SPOILT if fail else "plt.plot([0, 1]);", "figure"),
        LATER,
    ]
    return {
        "01_wrong": wrong,
        "02_slow": ["# Chapter 2 · Slow", (WAITS,), LATER],
        "03_dead": ["# Chapter 3 · Dead", (DIES,), LATER],
        "04_sound": ["# Chapter 4 · Sound", ("print('sound')",)],
    }


@pytest.fixture(scope="module")
def failed(tmp_path_factory):
    """A book in which much fails, built: its folder, and what the build said."""
    folder = tmp_path_factory.mktemp("book")
    write(folder, **chapters_that(fail=True))
    write_deck(folder, "01_wrong", "figure: figure", "printed: cell-2")
    return folder, make(folder, CELL_SECONDS="10", WORKERS="2")


def page(folder, name):
    html = (folder / "_build" / "html" / "book" / f"{name}.html").read_text("utf-8")
    return BeautifulSoup(html, "html.parser")


def boxes(page):
    """Return by cell the text of its box, line by line."""
    return {
        box["id"].removeprefix("failed-"): box.get_text("\n", strip=True).split("\n")
        for box in page.select(".failed-here[id]")
    }


def test_what_failed_is_listed_and_the_book_stands(failed):
    folder, process = failed
    assert process.returncode == 1
    for line in (
        r"01_wrong  cell 2 \(cell-2\), line 3: abs\(x - 0.5\) is 0.25; AssertionError: too",
        r"01_wrong  cell 3 \(cell-3\), line 4: a is 3; AssertionError: while drawing",
        r"01_wrong  cell 4 \(cell-5\), line 2: ZeroDivisionError: division by zero",
        r"01_wrong  cell 5 \(cell-6\): ValueError: sound: expected a in 0, 1, 2, got '9'",
        r"01_wrong  cell 6 \(cell-8\): 1 of 1 pictures, of which 0 are the same",
        r"02_slow   cell 1 \(cell-1\), line 4: line 4 was still running then",
        r"03_dead   cell 1 \(cell-1\): the kernel died",
    ):
        assert re.search(line, process.stderr), (line, process.stderr)
    assert "7 cells failed" in process.stderr and "04_sound  cell" not in process.stderr
    assert (folder / "_build/html/index.html").as_uri() in process.stdout


def test_a_page_shows_what_was_expected_and_what_came_and_goes_on(failed):
    wrong = page(failed[0], "01_wrong")
    box_texts = boxes(wrong)
    assert [*box_texts] == ["cell-2", "cell-3", "cell-5", "cell-6", "cell-8"]
    assert box_texts["cell-2"][:7] == [
        "This cell failed on the computer that built this page.",
        *("Expected", "line 3 to hold", "assert abs(x - 0.5) < 0.1, 'too far'"),
        *("Got", "abs(x - 0.5) is 0.25", "AssertionError: too far"),
    ]
    folded = wrong.select_one("#failed-cell-2 details").get_text()
    assert "Traceback" in folded and "\x1b" not in folded
    assert {"line 2 to run", "return 1 / n"} < set(box_texts["cell-5"])
    assert "the figure to have the position that the text names" in box_texts["cell-6"]
    assert not any(box.find_parent("details") for box in wrong.select(".failed-here"))
    text = wrong.find("article").get_text()
    assert "before" in text and "later" in text and "5 cells failed" in text
    assert wrong.select_one("figure.interact[data-name=sound]")
    assert "Traceback" not in wrong.select_one("#failed-cell-8").get_text()


@pytest.mark.parametrize(
    ("name", "printed", "reason"),
    [
        ("02_slow", "waits", "line 4 was still running then"),
        ("03_dead", "words", "the kernel died"),
    ],
)
def test_what_was_done_before_the_end_is_shown(failed, name, printed, reason):
    html = page(failed[0], name)
    assert printed in html.find("article").get_text()
    assert reason in boxes(html)["cell-1"]
    assert "cell 1" in html.select_one("p.not-run-here").get_text()
    assert not [
        pre for pre in html.select(".output pre") if pre.get_text() == "later\n"
    ]


def test_a_deck_says_what_a_cell_that_failed_has_left_out(failed):
    folder, _ = failed
    deck = (folder / "_build/html/slides/01_wrong.html").read_text("utf-8")
    for name in ("Figure figure", "Printed cell-2"):
        assert f"{name}: not there, as a cell failed on the computer" in deck
    assert "too far" not in deck  # what failed is on the page


def test_a_bare_build_reads_failed_pages_again_and_ends_with_status_1(
    failed, monkeypatch
):
    folder, _ = failed
    monkeypatch.delenv(sphinx_events.CALLER_REPORTS, raising=False)
    cache.digest.cache_clear()
    paths = {
        f"book/{n}": folder / "book" / f"{n}.ipynb" for n in ("02_slow", "04_sound")
    }
    env = SimpleNamespace(found_docs=set(paths), doc2path=paths.get, book_read={})
    app = SimpleNamespace(env=env, srcdir=folder, statuscode=0)
    sphinx_events._report_failures(app, None)
    assert app.statuscode == 1
    assert sphinx_events._outdated_pages(app, env, *[set()] * 3) == [*paths]
    records = cache.records(paths.values(), folder)
    env.book_read = {
        page: records[path].created.isoformat() for page, path in paths.items()
    }
    assert sphinx_events._outdated_pages(app, env, *[set()] * 3) == ["book/02_slow"]
    monkeypatch.setenv(sphinx_events.CALLER_REPORTS, "1")
    assert sphinx_events._outdated_pages(app, env, *[set()] * 3) == []


def test_a_notebook_of_which_nothing_comes_has_its_page(tmp_path, monkeypatch):
    write(tmp_path, **{"01_lost": ["# Lost", ("1", "run"), ("2", "run")]})
    path = tmp_path / "book" / "01_lost.ipynb"
    stops = [sys.executable, "-c", "print('no pytest here')"]
    monkeypatch.setattr(
        "press.execution.execute._pytest_command", lambda paths, root: stops
    )
    execute([path], tmp_path)
    ((_, failure),) = cache.failed_cells([path], tmp_path)
    assert "no pytest here" in failure.got and failure.cell == 1


def test_the_next_build_executes_what_failed_and_a_mended_page_has_no_box(failed):
    folder, _ = failed
    write(folder, **chapters_that(fail=False))
    (folder / "book" / "go").touch()
    process = make(folder, WORKERS="2")
    assert process.returncode == 0, process.stderr
    ran = set(re.findall(r"✓ (\w+)  \d+ s", process.stderr))
    assert ran == {"01_wrong", "02_slow", "03_dead"}
    for name in ran:
        assert not page(folder, name).select(".failed-here, .not-run-here")
    deck = (folder / "_build/html/slides/01_wrong.html").read_text("utf-8")
    assert 'data-name="figure"' in deck and '<pre class="printed">before<' in deck
    assert "failed-here" not in deck.split("</style>")[-1]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_after_ctrl_c_the_same_command_goes_on(tmp_path, workers):
    write(
        tmp_path,
        **{"01_first": ["# One", ("1 + 1", "slow")], "02_next": ["# Two", (WAITS,)]},
    )
    paths = [tmp_path / "book" / f"{name}.ipynb" for name in ("01_first", "02_next")]
    process = subprocess.Popen(
        [sys.executable, "-m", "press"], cwd=tmp_path, start_new_session=True,
        env=os.environ | {"PYTHONPATH": str(tmp_path), "WORKERS": workers},
        stderr=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    while cache.records(paths[:1], tmp_path)[paths[0]] is None:
        assert process.poll() is None
        time.sleep(0.2)
    time.sleep(1)  # the next has begun
    os.killpg(process.pid, signal.SIGINT)
    _, output = process.communicate(timeout=300)
    assert process.returncode == 130 and "The same command goes on from here" in output
    time.sleep(1)
    records = cache.records(paths, tmp_path)
    assert records[paths[0]] is not None and records[paths[1]] is None
    (tmp_path / "book" / "go").touch()
    execute(paths, tmp_path)
    first, second = cache.records(paths, tmp_path).values()
    assert second is not None and not cache.failed_cells(paths, tmp_path)
    assert first.created == records[paths[0]].created


def inspected(code):
    """Return what the kernel would say of a cell that fails."""
    names = {}
    linecache.cache["<cell>"] = (len(code), None, code.splitlines(True), "<cell>")
    try:
        exec(compile(code, "<cell>", "exec"), names)
    except Exception as error:
        return inspection.inspect(error, names)
    raise ValueError(f"expected a cell that fails, got {code!r}")


@pytest.mark.parametrize(
    ("code", "line", "values"),
    [
        ("a = 2.0\nb = [3]\nassert a < 1 and len(b) > 1", 3, ["a is 2", "len(b) is 1"]),
        ("import numpy as np\nassert np.float32(0.5) > 1", 2, ["np.float32(0.5) is 0.5"]),
        ("def f(k):\n    assert not any(k > x for x in [1])\nf(2)", 2,
         ["not any((k > x for x in [1])) is False"]),
        ("n = iter([0, 1])\nassert next(n) == 1", 2, []),  # computed again, it holds
        ("n = iter([0])\nassert next(n) == 1", 2, []),
    ],
)  # fmt: skip
def test_values_of_a_check_are_those_that_failed(code, line, values):
    report = inspected(code)
    assert (
        report["line"] == line and report["is_assertion"] and report["values"] == values
    )
    assert report["statement"] == code.split("\n")[line - 1].strip()


def test_a_statement_is_shown_whole_and_of_a_loop_its_head():
    report = inspected("x = [\n    1,\n    1 / 0,\n]")
    assert report["line"] == 3 and report["statement"] == "x = [\n    1,\n    1 / 0,\n]"
    report = inspected("for k in 1 / 0:\n    pass")
    assert report["statement"] == "for k in 1 / 0:" and not report["is_assertion"]
    report = inspected("x = 1\ny = = 2")
    assert (report["name"], report["line"]) == ("SyntaxError", 2)
    assert report["statement"] == "y = = 2"
