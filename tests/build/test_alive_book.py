"""A book with a figure whose network runs: its files, strict sites, its deck."""

import json

import pytest

from tests.alive_cases import compare
from tests.build.small_book import build, executed, write, write_deck
from tests.build.test_policies import SCRIPTS, STRICT, served

SETUP = """import matplotlib.pyplot as plt
import numpy as np
import torch
from utils.alive import Drawing, Sentence, alive
from utils.interact import position"""
FIGURE = '''def ink(digit, words, k):
    if not digit.any():
        raise ValueError("Nothing is drawn.")
    return {"ink": torch.tensor(digit).sum(dim=0) * k * len(words)}


@alive(
    "probe",
    weights={"W": np.eye(3)},
    compute=ink,
    digit=Drawing(8, np.eye(8)),
    words=Sentence(["a", "b"], "a b", 4),
    k=(1, 3),
)
def living(digit, words, k=1):
    """The ink of a drawing."""
    fig, ax = plt.subplots(figsize=(5, 2))
    ax.plot(ink(digit, words, k)["ink"])
    return fig'''
PROGRAM = """alive.program("probe", {
  compute(network, { digit, words, k }) {
    const sums = alive.array([8]);
    digit.values.forEach((x, i) => { sums.values[i % 8] += x * k * words.length; });
    if (!sums.values.some(Boolean)) throw new alive.Refusal("Nothing is drawn.");
    return { ink: sums };
  },
  show(picture, { ink }) {
    picture.bars("ink", [1, 2, 3, 4, 5, 6, 7, 8], ink, { title: "Ink" });
    picture.row("rest").bars("first", [1], [ink.values[0]], { title: "First" });
    return "Drawn.";
  },
});
"""
PREDICT = """:::{admonition} Predict first
:class: tip
How much?
:::"""
SEEN = """:::{admonition} What you should have seen
:class: dropdown note
There is [three times as much](#living:k=3,words=a%20b).
:::"""
CHECK = """at = position(living, "k=3,words=a%20b")
assert ink(**at)["ink"].sum() == 48"""
CHAPTER = [
    "# Chapter 1 · Small\n\n*Where does it run?*",
    (SETUP, "setup"),
    PREDICT,
    (FIGURE, "widget"),
    SEEN,
    (CHECK, "check", "seen"),
]
PLAIN = ["# Chapter 2 · Plain", ("print('nothing')",)]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The folder of a small book's pages."""
    folder = tmp_path_factory.mktemp("book")
    write(folder, **{"01_small": CHAPTER, "02_plain": PLAIN})
    write_deck(folder, "01_small", "figure: living k=3 | ink")
    (folder / "press" / "alive" / "static" / "programs" / "probe.js").write_text(
        PROGRAM
    )
    assert executed(build(folder)) == {"01_small", "02_plain", "index"}
    return folder / "_build" / "html"


def living(page):
    figure = page.locator("figure.alive")
    figure.scroll_into_view_if_needed()
    figure.locator(".views").wait_for(timeout=10_000)
    return figure


def test_the_network_is_a_file_and_what_is_expected_is_not_published(pages):
    html = (pages / "book" / "01_small.html").read_text("utf-8")
    network = pages / "_static" / "networks" / "01_living.js"
    assert network.read_text("utf-8").startswith(
        'alive.arrived("01_living", {"tensors"'
    )
    assert 'data-network="../_static/networks/01_living.js"' in html
    assert 'class="network"' not in html and 'class="expected"' not in html
    assert not [*pages.rglob("*living.json")]
    expected = pages.parent / "alive" / "01_living.json"
    assert len(json.loads(expected.read_text("utf-8"))["cases"]) >= 12


def test_only_the_page_with_the_figure_names_the_scripts(pages):
    small, plain = (
        (pages / "book" / f"{name}.html").read_text("utf-8")
        for name in ("01_small", "02_plain")
    )
    for name in ("layers.js", "alive.js", "pad.css", "programs/probe.js"):
        assert name in small and name not in plain, name


@pytest.mark.parametrize("policy", [None, SCRIPTS, STRICT])
def test_it_lives_from_a_file_and_on_a_strict_site(browser, pages, policy):
    page, troubles = browser.new_page(), []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    if policy is None:
        page.goto((pages / "book" / "01_small.html").as_uri())
        assert_lives(page, pages)
    else:
        with served(pages, policy) as site:
            page.goto(f"{site}book/01_small.html")
            assert_lives(page, pages)
            if policy == STRICT:  # the page of the figure adds no complaint of its own
                style = "(f) => [...f.querySelectorAll('form [style]')].length >= 0"
                assert page.locator("figure.alive").evaluate(style)
    assert not troubles
    page.close()


def assert_lives(page, pages):
    """Assert that the figure computes, follows a link and says what is wrong."""
    figure = living(page)
    cases = json.loads((pages.parent / "alive" / "01_living.json").read_text())["cases"]
    assert compare(figure, cases) == []
    page.locator("a.position").evaluate("(link) => link.click()")
    assert figure.evaluate("(figure) => figure.texts()")["k"] == "3"
    figure.get_by_role("button", name="Clear").click()
    figure.locator(".note").get_by_text("Nothing is drawn.").wait_for(timeout=5000)


def test_a_deck_has_the_network_inside(browser, pages):
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto((pages / "slides" / "01_small.html").as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    for _ in range(12):
        if page.locator("figure.alive form:visible").count():
            break
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(300)
    figure = page.locator("figure.alive")
    figure.locator(".views").wait_for(timeout=10_000)
    assert figure.evaluate("(figure) => figure.texts()")["k"] == "3"
    assert figure.locator(".view-title").all_text_contents() == ["Ink"]
    for part in (".view-title", "form"):
        family = figure.locator(part).evaluate("(e) => getComputedStyle(e).fontFamily")
        assert family.startswith('"Source Sans 3"'), part
    slide = figure.evaluate("(f) => f.closest('section').scrollHeight")
    assert slide <= 720
    page.close()
