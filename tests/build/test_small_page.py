"""What the page of a chapter has that its notebook has not: folds, links, head and foot."""

import re
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from bs4 import BeautifulSoup
from pygments import highlight
from pygments.lexers import PythonLexer
from pygments.styles import get_style_by_name
from sphinx.errors import ExtensionError

from press import chapters
from press.decks import present
from press.pages import markdown
from press.pages.chapter_head import hub_link
from press.pages.code import MAX_OPEN_LINES, LeanFormatter
from tests.benchmarks.readiness import readiness
from tests.build.small_book import (
    SETUP,
    SOUND,
    build,
    check,
    executed,
    write,
    write_deck,
)

LINK = "[at $a_{[1]} = 3$ *it* swings](#figure:a=3,kind=big%20one)"
DRAWN = """from utils.diagrams import Diagram
d = Diagram("A step")
d.row(d.circle, ["h", "x < 1"])
d.arrow("h", "x < 1")
d.draw()"""
SEEN = """(text,) = figure(a=3, kind="big one").texts
assert text.get_text() == "3, a big one"
print("✓ a number and what it is")"""
PLOTTED = "plt.plot([1, 2]);"
REPOSITORY = "https://git.example.org/a-b/book"
HUB = {  # in _config.yml, and in this book's
    'book_hub: ""': 'book_hub: "https://hub.example.org/nn/"',
    'book_repository: ""': f'book_repository: "{REPOSITORY}"',
    "book_branch: main": "book_branch: autumn",
}
CHAPTER = [
    "# Chapter 1 · Small\n\n*Does it build?*",
    (SETUP, "setup"),
    "## Look\n\nA question.",
    (SOUND, "widget"),
    f"```{{admonition}} What you should have seen\n:class: note, dropdown\n\n{LINK}.\n```",
    (check(MAX_OPEN_LINES["check"]), "check"),
    (check(MAX_OPEN_LINES["check"] + 1), "check"),
    (SEEN, "check", "seen"),
    (check(MAX_OPEN_LINES["run"]), "run"),
    (check(MAX_OPEN_LINES["run"] + 1), "run"),
    "## Aside *\n\nA thing that **nobody** needs.",
    (check(2), "check"),
    (DRAWN, "figure"),
    (PLOTTED, "figure"),
    "## Summary\n\n**This** remains.\n\n$$x = \\boldsymbol{y}$$ (eq-01-x)",
    "(sec-01-questions)=\n## Questions readers ask",
    "(q-01-small)=\n:::{admonition} Why is it small?\n:class: dropdown question\nSo.\n:::",
    ("assert 1 + 1 == 2", "solution", "hide-cell"),
]


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A small book, built once, of a chapter and of a page with code that is none.

    Where it is hardest: the folder has a blank and Chinese letters, the system no language.
    """
    folder = tmp_path_factory.mktemp("book") / "神经 网络"
    folder.mkdir()
    write(folder, **{"01_small": CHAPTER, "words": ["# Words", ("print('said')",)]})
    config = (folder / "_config.yml").read_text("utf-8")
    for old, new in HUB.items():
        assert config.count(old) == 1
        config = config.replace(old, new)
    (folder / "_config.yml").write_text(config, "utf-8")
    with pytest.MonkeyPatch.context() as system:
        system.setenv("LC_ALL", "C")
        system.delenv("PYTHONUTF8", raising=False)
        process = build(folder)
    assert executed(process) == {"01_small", "words", "index"}
    assert "TCP" not in process.stdout + process.stderr
    return folder


@pytest.fixture
def path(book):
    return book / "_build" / "html" / "book" / "01_small.html"


@pytest.fixture
def page(path):
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


def test_the_head_leads_to_the_hub_as_nbgitpuller_has_it(page):
    (link,) = [a for a in page.select(".chapter-head a") if "hub" in a.get_text()]
    address = urlsplit(link["href"])
    assert address.netloc == "hub.example.org"
    assert address.path == "/nn/hub/user-redirect/git-pull"
    assert parse_qs(address.query) == {
        "repo": [REPOSITORY],
        "branch": ["autumn"],
        "urlpath": ["lab/tree/book/book/01_small.ipynb"],
    }


def test_without_a_hub_there_is_no_link_and_without_a_repository_an_error():
    config = SimpleNamespace(book_hub="", book_repository="", book_branch="main")
    assert hub_link(config, "01_small") is None
    config.book_hub = "https://hub.example.org"
    with pytest.raises(ExtensionError, match="book_repository as well"):
        hub_link(config, "01_small")


def test_a_long_check_is_folded_and_its_lines_stay(page):
    short, long, _, _ = page.select("div.cell.tag_check")
    assert not short.select("details") and "assert True" in short.get_text()
    assert "assert True" in long.select_one("details").get_text()
    assert "Show the code of this check" in long.select_one("summary").get_text()
    (output,) = long.select(".cell_output")
    assert "✓ 7 lines" in output.get_text() and not output.find_parent("details")


def test_a_check_of_what_a_figure_shows_is_folded_however_short(page):
    (seen,) = page.select("div.cell.tag_seen")
    assert "assert text.get_text()" in seen.select_one("details").get_text()
    assert "✓ a number and what it is" in seen.select_one(".cell_output").get_text()


def test_a_long_experiment_is_folded_and_what_it_prints_stays(page):
    short, long = page.select("div.cell.tag_run")
    assert not short.select("details") and "assert True" in short.get_text()
    assert "assert True" in long.select_one("details").get_text()
    assert "Show the code of this experiment" in long.select_one("summary").get_text()
    (output,) = long.select(".cell_output")
    assert "✓ 13 lines" in output.get_text() and not output.find_parent("details")


def test_a_drawing_says_what_it_shows(page):
    drawing, plotted = page.select("div.cell.tag_figure")
    (image,) = drawing.select("img")
    assert image["alt"] == "A step: h leads to x < 1."
    assert "Figure size" not in plotted.select_one("img")["alt"]


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
    assert markdown.positions(text) == text


def test_words_that_set_a_figure_are_plain_where_it_is_not_beside_them():
    _, (seen,) = present.spoken(CHAPTER[4])
    assert "at $a_{[1]} = 3$ *it* swings." in seen and "#figure" not in seen


def head_of(path):
    """Return the line under the title of the small chapter, and the texts of its links."""
    page = BeautifulSoup(path.read_text(), "html.parser")
    head = page.select_one("article h1").find_next_sibling()
    links = [link["href"] for link in head.select("a")]
    assert all((path.parent / link).exists() for link in links if "://" not in link)
    return head.get_text(), [link.get_text() for link in head.select("a")]


def test_the_head_of_a_page_leads_to_what_there_is(book, path):
    text, links = head_of(path)
    assert "5 minutes for the core, 5 for all" in text
    assert links == ["On the hub"]
    deck = book / "_build" / "html" / "slides" / "01_small.html"
    assert not deck.exists()
    write_deck(book, "01_small", "equation: eq-01-x")
    folder = book / "_build" / "homework"
    folder.mkdir()
    for name in ("01_small", "01_small_exam_a", "01_small_project", "02_other"):
        (folder / f"{name}.zip").write_text("made")
    assert executed(build(book)) == set()
    _, links = head_of(path)
    names = ["Homework", "Homework: exam a", "Project"]
    assert links == [*names, "Slides", "On the hub"] and deck.exists()
    (book / "slides" / "01_small.md").unlink()
    assert executed(build(book)) == set()
    _, links = head_of(path)
    assert links == [*names, "On the hub"] and not deck.exists()


def test_the_foot_of_a_page_names_its_neighbour_and_the_parts(page):
    foot = page.select_one(".prev-next-footer")
    assert foot.select_one(".part").get_text() == "Part of 01_small"
    after = foot.select_one(".right-next")
    assert after["href"] == "words.html"
    assert after.get_text(" ", strip=True) == "next · Part of words Words"


def test_reading_time_is_told_in_steps_of_five_minutes():
    minutes = [chapters.minutes(words) for words in (0, 900, 1000, 4500)]
    assert minutes == [5, 5, 10, 35]


def test_formulas_far_away_are_typeset_before_printing(browser, path):
    page = browser.new_page(viewport={"width": 800, "height": 300})
    page.goto(path.as_uri())
    page.wait_for_function("window.MathJax?.startup?.promise")
    page.evaluate("MathJax.startup.promise")
    waiting = "document.querySelectorAll('mjx-lazy').length"
    assert page.evaluate(waiting) > 0
    # At once, without waiting: print does not wait either.
    unset = page.evaluate(
        f"window.dispatchEvent(new Event('beforeprint')) && {waiting}"
    )
    assert unset == 0 and page.locator(".math mjx-math").count() == 2


def test_on_a_phone_no_button_covers_the_text(browser, path):
    page = browser.new_page(viewport={"width": 390, "height": 300})
    page.goto(path.as_uri())
    page.mouse.wheel(0, 900)
    page.wait_for_timeout(300)
    page.mouse.wheel(0, -100)  # the theme shows it on the way back
    page.wait_for_timeout(300)
    assert page.evaluate("scrollY") > 100
    assert not page.locator("#pst-back-to-top").is_visible()


def test_the_code_of_an_answer_stands_in_its_fold(page):
    (code,) = page.select("div.cell.tag_solution")
    assert code.find_parent(class_="question") and code.find_parent(id="q-01-small")
    assert "assert 1 + 1" in code.select_one("details").get_text()


def test_the_address_of_a_question_opens_its_answer(browser, path):
    page = browser.new_page()
    page.goto(path.as_uri())
    answer = page.locator(".question p", has_text="So.")
    assert not answer.is_visible()
    page.goto(f"{path.as_uri()}#q-01-small")
    answer.wait_for(state="visible")
    page.goto("about:blank")
    page.goto(f"{path.as_uri()}#q-01-small")
    answer.wait_for(state="visible")


def test_a_page_does_not_move_once_it_can_be_read(browser, path):
    seen = readiness(browser, path, "summary", settle=1)
    assert seen["ready"] > 0 and seen["shift"] < 0.01 and seen["moved"] < 1


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
