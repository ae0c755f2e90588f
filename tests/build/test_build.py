"""A build that fails says where; a page shows what its notebook says, cached or not."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from pygments import highlight
from pygments.lexers import PythonLexer
from pygments.styles import get_style_by_name

from press import chapters
from press.decks import cut as decks
from press.decks import present
from press.execution import cache as execution
from press.pages import chapter_head as head
from press.pages import markdown as sources
from press.pages.code import LONG_CHECK, LeanFormatter
from tests.benchmarks.readiness import readiness
from tests.browser import chromium
from tests.chapter_code import ROOT

SETUP = "import matplotlib.pyplot as plt\nfrom utils.interact import interact"
DIVIDES = "fine = 1\nbroken = 1 / 0"
BREAKS_INSIDE = '''@interact(a=(0, 4))
def figure(a=0):
    """A picture that fails between the corners of its grid."""
    assert a != 3
    fig = plt.figure()
    fig.text(0.5, 0.5, a)
    return fig'''
SOUND = BREAKS_INSIDE.replace("a != 3", "a != 7")


INDEX = """---
kernelspec: {name: python3, display_name: Python 3}
jupytext: {text_representation: {extension: .md, format_name: myst}}
---

# Book

```{code-cell} ipython3
print("welcome")
```
"""


def check(lines):
    return "\n".join(["assert True"] * (lines - 1) + [f"print('✓ {lines} lines')"])


def write(folder, **notebooks):
    """A book of small notebooks; a cell is markdown, or ``(code, tag, …)``."""
    (folder / "book").mkdir(exist_ok=True)
    for name in ("_config.yml", "requirements.txt"):
        shutil.copy(ROOT / name, folder)
    for name in ("press", "utils"):
        shutil.copytree(ROOT / name, folder / name, dirs_exist_ok=True)
    (folder / "book" / "references.bib").write_text("")
    (folder / "book" / "index.md").write_text(INDEX)
    lines = ["format: jb-book", "root: book/index", "parts:"]
    for name, cells in notebooks.items():
        lines += [f"- caption: Part of {name}", f"  chapters: [{{file: book/{name}}}]"]
        notebook = nbformat.v4.new_notebook(
            cells=[cell(each, i) for i, each in enumerate(cells)],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        )
        nbformat.write(notebook, folder / "book" / f"{name}.ipynb")
    (folder / "_toc.yml").write_text("\n".join(lines) + "\n")


def cell(content, number):
    name = f"cell-{number}"
    if isinstance(content, str):
        return nbformat.v4.new_markdown_cell(content, id=name)
    code, *tags = content
    return nbformat.v4.new_code_cell(code, id=name, metadata={"tags": tags})


def build(folder):
    """Build as `make book` builds; the finished process."""
    command = [Path(sys.executable).parent / "jupyter-book", "build", ".", "-W", "-n"]
    paths = os.pathsep.join(map(str, (folder, ROOT)))
    return subprocess.run(
        [*command, "--keep-going"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": paths, "PYTHONWARNINGS": ""},
        capture_output=True,
        text=True,
        timeout=300,
    )


def executed(done):
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return set(re.findall(r"(\w+)\.\w+: executed in", done.stdout + done.stderr))


@pytest.mark.parametrize(
    ("code", "signs"),
    [
        (DIVIDES, ["ZeroDivisionError", "broken = 1 / 0"]),
        (BREAKS_INSIDE, ["AssertionError", "while drawing figure(a=3)"]),
    ],
)
def test_a_cell_that_raises_fails_the_build_and_is_named(tmp_path, code, signs):
    write(tmp_path, **{"01_broken": ["# Chapter 1 · Broken", (SETUP,), (code,)]})
    done = build(tmp_path)
    output = done.stdout + done.stderr
    assert done.returncode != 0
    for sign in ["01_broken.ipynb", *signs]:
        assert sign in output, output[-3000:]


LINK = "[at $a_{[1]} = 3$ *it* swings](#figure:a=3,kind=big%20one)"
CHAPTER = [
    "# Chapter 1 · Small\n\n*Does it build?*",
    (SETUP, "setup"),
    "## Look\n\nA question.",
    (SOUND, "widget"),
    f"```{{admonition}} What you should have seen\n:class: note, dropdown\n\n{LINK}.\n```",
    (check(LONG_CHECK), "check"),
    (check(LONG_CHECK + 1), "check", "seen"),
    "## Aside *\n\nA thing that **nobody** needs.",
    (check(2), "check"),
    "## Summary\n\n**This** remains.\n\n$$x = \\boldsymbol{y}$$ (eq-01-x)",
]


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A small book, built once, of a chapter and of a page with code that is none."""
    folder = tmp_path_factory.mktemp("book")
    write(folder, **{"01_small": CHAPTER, "words": ["# Words", ("print('said')",)]})
    done = build(folder)
    assert executed(done) == {"01_small", "words", "index"}
    assert "TCP" not in done.stdout + done.stderr
    return folder


@pytest.fixture
def page(book):
    html = (book / "_build" / "html" / "book" / "01_small.html").read_text()
    return BeautifulSoup(html, "html.parser")


def test_a_long_check_is_folded_and_its_lines_stay(page):
    short, long, _ = page.select("div.cell.tag_check")
    assert not short.select("details") and "assert True" in short.get_text()
    assert "assert True" in long.select_one("details").get_text()
    assert "Show the code of this check" in long.select_one("summary").get_text()
    (output,) = long.select(".cell_output")
    assert "✓ 7 lines" in output.get_text() and not output.find_parent("details")


def test_the_code_of_a_figure_stands_under_it_folded(page):
    (cell,) = page.select("div.cell.tag_widget")
    output, code = cell.find_all(recursive=False)
    assert len(output.select("figure.interact")) == 1
    assert code.name == "details" and "@interact" in code.get_text()
    assert "Show the code of this figure" in code.select_one("summary").get_text()


def test_words_that_move_a_slider_are_a_link_with_its_formula(page):
    (link,) = page.select("a.position")
    assert link["href"] == "#figure:a=3,kind=big%20one"
    assert link.select_one(".math").get_text() == r"\(a_{[1]} = 3\)"
    assert link.get_text().endswith("it swings") and link.select_one("em")


@pytest.mark.parametrize(
    "text",
    ["[a](#sec-03-ridge)", "[a](other.html#f:a=1)", "![a](#f:a=1)", "[x](#f: a=1)"],
)
def test_other_links_stay_as_they_are(text):
    assert sources.positions(text) == text


def test_a_starred_section_is_in_a_deck_only_if_asked_for(book, page):
    notebook = nbformat.read(book / "book" / "01_small.ipynb", 4)
    for everything, titles in ((False, {"Look", "Summary"}), (True, {"Aside *"})):
        deck = decks.slides(page, notebook, everything)
        shown = {slide.title for slide in deck}
        assert titles <= shown and ("Aside *" in shown) == everything
        assert any("✓" not in s.html() for s in deck)


def test_words_that_set_a_figure_are_plain_where_it_is_not_beside_them():
    _, (seen,) = present.spoken(CHAPTER[4])
    assert "at $a_{[1]} = 3$ *it* swings." in seen and "#figure" not in seen


def test_the_head_of_a_page_leads_to_what_there_is(book, monkeypatch):
    html = book / "_build" / "html"
    path = html / "book" / "01_small.html"
    monkeypatch.setattr(chapters, "BOOK", book / "book")
    monkeypatch.setattr(head, "BUILD", book / "_build")

    def links():
        head.write("01_small", html)
        text = path.read_text()
        assert text.count("chapter-head") == 1
        page = BeautifulSoup(text, "html.parser")
        title = page.select_one("article h1").find_next_sibling()
        assert "5 minutes for the core, 5 for all" in title.get_text()
        assert all((path.parent / a["href"]).exists() for a in title.select("a"))
        return [a.get_text() for a in title.select("a")]

    assert links() == []
    written = path.stat().st_mtime_ns
    for folder, name, expected in (
        ("slides", "01_small.html", ["Slides"]),
        ("homework", "01_small.zip", ["Homework", "Slides"]),
    ):
        (book / "_build" / folder).mkdir(exist_ok=True)
        (book / "_build" / folder / name).write_text("made")
        assert links() == links() == expected
    assert path.stat().st_mtime_ns == written  # or each deck would be cut again


def test_the_foot_of_a_page_names_its_neighbour_and_the_parts(page):
    foot = page.select_one(".prev-next-footer")
    assert foot.select_one(".part").get_text() == "Part of 01_small"
    after = foot.select_one(".right-next")
    assert after["href"] == "words.html"
    assert after.get_text(" ", strip=True) == "next · Part of words Words"


def test_reading_time_is_told_in_steps_of_five_minutes():
    minutes = [chapters.minutes(words) for words in (0, 900, 1000, 4500)]
    assert minutes == [5, 5, 10, 35]


def test_formulas_far_away_are_typeset_before_printing(book):
    path = book / "_build" / "html" / "book" / "01_small.html"
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 800, "height": 300})
        page.goto(path.as_uri())
        page.wait_for_function("window.MathJax?.startup?.promise")
        page.evaluate("MathJax.startup.promise")
        waiting = "document.querySelectorAll('mjx-lazy').length"
        assert page.evaluate(waiting) > 0
        # At once, without waiting: print does not wait either.
        left = page.evaluate(
            f"window.dispatchEvent(new Event('beforeprint')) && {waiting}"
        )
        assert left == 0 and page.locator(".math mjx-math").count() == 2


def test_on_a_phone_no_button_covers_the_text(book):
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 300})
        page.goto((book / "_build" / "html" / "book" / "01_small.html").as_uri())
        page.mouse.wheel(0, 900)
        page.wait_for_timeout(300)
        page.mouse.wheel(0, -100)  # the theme shows it on the way back
        page.wait_for_timeout(300)
        assert page.evaluate("scrollY") > 100
        assert not page.locator("#pst-back-to-top").is_visible()


def test_a_page_does_not_move_once_it_can_be_read(book):
    with chromium() as browser:
        path = book / "_build" / "html" / "book" / "01_small.html"
        seen = readiness(browser, path, "summary", settle=1)
    assert seen["ready"] > 0 and seen["shift"] < 0.01 and seen["moved"] < 1


def test_only_what_uses_a_change_runs_again(tmp_path):
    utils = tmp_path / "utils"
    utils.mkdir()
    for name in ("__init__", "ink", "paper"):
        (utils / f"{name}.py").write_text("")
    texts = {
        "01_ink": ["# Chapter 1 · Ink", ("from utils import ink",)],
        "02_paper": ["# Chapter 2 · Paper", ("import utils.paper",)],
    }
    write(tmp_path, **texts)
    assert executed(build(tmp_path)) == {"01_ink", "02_paper", "index"}
    (utils / "ink.py").write_text("colour = 1")
    texts["02_paper"][0] += "\n\nOne word of markdown."
    write(tmp_path, **texts)
    assert executed(build(tmp_path)) == {"01_ink"}
    page = (tmp_path / "_build" / "html" / "book" / "02_paper.html").read_text()
    assert "One word of markdown" in page
    done = build(tmp_path)
    assert executed(done) == set() and "no targets are out of date" in done.stdout


def test_a_notebook_uses_what_its_modules_import_and_name(tmp_path):
    for name, text in {
        "utils/__init__.py": "",
        "utils/deep/__init__.py": "from .live import show",
        "utils/deep/live.py": "import numpy\nSTYLE = 'live.css', 'utils.book'",
        "utils/book.mplstyle": "",
        "utils/deep/live.css": "",
        "utils/deep/other.css": "",
        "utils/far.py": "from utils.deep import show\nimport sklearn",
        "book/data/sources_03.csv": "",
        "book/data/terms_03.csv": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    code = "from utils import deep\nfor n in 'ab':\n    open(f'data/sources_{n}.csv')"
    files, packages = execution.uses(code, tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in files} == {
        "utils/__init__.py",
        "utils/deep/__init__.py",
        "utils/deep/live.py",
        "utils/deep/live.css",
        "utils/book.mplstyle",
        "book/data/sources_03.csv",
    }
    assert {"numpy", "ipykernel", "ipython"} <= packages
    assert not {"scikit-learn", "torch"} & packages
    _, packages = execution.uses("import utils.far", tmp_path)
    assert {"scikit-learn", "scipy", "joblib", "numpy"} <= packages  # and their needs


def test_every_file_of_utils_is_used_by_a_module():
    """Or a change in it would leave the pages as they were."""
    modules = [path for path in (ROOT / "utils").rglob("*.py")]
    names = [".".join(p.relative_to(ROOT).with_suffix("").parts) for p in modules]
    files, _ = execution.uses("\n".join(f"import {name}" for name in names), ROOT)
    there = {p for p in (ROOT / "utils").rglob("*") if p.is_file()}
    assert {p for p in there - files if "__pycache__" not in p.parts} == set()


def test_code_has_an_element_only_where_it_has_a_colour():
    LeanFormatter.styles = [
        get_style_by_name(f"github-{theme}-high-contrast")
        for theme in ("light", "dark")
    ]
    html = highlight("def f(x):\n    return x[0], 'a'", PythonLexer(), LeanFormatter())
    assert re.findall(r'<span class="(\w+)">(.*?)</span>', html) == [
        ("k", "def "),
        ("nf", "f"),
        ("k", "return "),
        ("mi", "0"),
        ("s1", "'a'"),
    ]
