"""A figure whose network runs on a page: its inputs, what it says, what it refuses."""

import json
import re

import matplotlib.pyplot as plt
import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.alive_cases import compare
from tests.alive_figure import page as page_of
from tests.alive_figure import probe_html


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(page_of(probe_html()), "utf-8")
    return file


@pytest.fixture
def visit(browser, file):
    pages = []

    def open_page(address="", **options):
        page = browser.new_page(offline=True, **options)
        page.troubles = []
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.on("request", lambda r: page.troubles.append(r.url))
        page.goto(file.as_uri() + address)
        page.troubles.remove(file.as_uri() + address.partition("#")[0])
        page.locator(".views:visible").wait_for()
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        assert not page.troubles
        page.close()


def said(page, text):
    """Wait until the figure has said a text."""
    page.locator(".said").get_by_text(text).wait_for(state="attached", timeout=5000)


def test_outputs_are_those_of_pytorch(visit):
    page = visit()
    html = page.locator("script.expected").text_content()
    cases = json.loads(html)["cases"]
    assert len(cases) >= 15 and any("<unk>" not in str(case) for case in cases)
    assert compare(page.locator("figure.alive"), cases) == []


def test_a_comparison_notices_what_differs(visit):
    page = visit()
    cases = json.loads(page.locator("script.expected").text_content())["cases"][:1]
    cases[0]["inputs"] = cases[0]["inputs"] | {"k": "4"}
    (wrong,) = compare(page.locator("figure.alive"), cases)
    assert "line differs by" in wrong
    cases[0]["inputs"] |= {"line": "ab"}
    (wrong,) = compare(page.locator("figure.alive"), cases)
    assert "got Error: Not that one." in wrong


@pytest.mark.parametrize(
    ("label", "text", "sentence"),
    [
        ("words", "the dog", "Not in the vocabulary and read as <unk>: “dog”."),
        ("words", "", "Expected 1 to 4 words, got 0."),
        ("words", "the " * 5, "Expected 1 to 4 words, got 5."),
        ("line", "a!", "Expected the characters “abc ”, got “!”."),
        ("line", "ab", "Not that one."),
        ("terms", "mat -", "Expected a word after a sign, got the end."),
        (
            "terms",
            "hat",
            "“hat” is not among the 4 words; spelled most alike are “cat”",
        ),
        ("f", "2 +", "Expected a number, x, a function or (, got the end."),
        ("f", "alert(1)", "Expected x, e, pi or one of "),
    ],
)
def test_bad_input_gets_a_sentence(visit, label, text, sentence):
    page = visit()
    page.get_by_label(label, exact=True).fill(text)
    said(page, sentence)
    assert sentence in page.locator(".note").text_content()
    assert page.locator(".note").is_visible()
    page.get_by_label(label, exact=True).fill(
        {"words": "mat", "terms": "mat-cat", "f": "x"}.get(label, "a")
    )
    page.wait_for_function("!document.querySelector('.note').textContent")
    assert not page.locator("figure.refused").count()


def test_the_picture_stays_where_it_is_while_one_types(visit):
    page = visit()
    box = page.get_by_label("words", exact=True)
    top = "document.querySelector('.views').getBoundingClientRect().top"
    box.fill("")  # the sentence stands above the picture, where a phone shows it
    box.press_sequentially("m")
    assert page.get_by_role("button", name="mat").is_visible()
    before = page.evaluate(top)
    assert page.locator(".note").bounding_box()["y"] < before
    box.fill("the mat")
    page.wait_for_function("!document.querySelector('.note').textContent")
    assert not page.get_by_role("button", name="mat").count()
    assert page.evaluate(top) == before


def test_a_link_above_brings_the_picture_along(visit):
    page = visit(viewport={"width": 1280, "height": 1600})
    page.evaluate("document.querySelector('figure').style.marginTop = '2000px'")
    page.get_by_role("link", name="there").click()
    views = page.locator(".views").bounding_box()
    assert 0 < views["y"] < views["y"] + views["height"] <= 1600


def test_what_is_wrong_is_seen_between_the_inputs_and_the_picture(visit):
    page = visit(viewport={"width": 390, "height": 844})
    edges = """() => ["form", ".note", ".views"].flatMap((part) => {
      const { top, bottom } = document.querySelector(`figure ${part}`).getBoundingClientRect();
      return [Math.round(top), Math.round(bottom)];
    })"""
    box = page.get_by_label("words", exact=True)
    for text, sentence in {
        "": "Expected 1 to 4 words, got 0.",
        "the dog": "Not in the vocabulary and read as <unk>: “dog”.",
    }.items():
        box.fill(text)
        page.locator(".note").get_by_text(sentence, exact=True).wait_for(timeout=5000)
        found = page.evaluate(edges)
        assert found == sorted(found)
    said(page, f"{sentence} 2 words.")  # heard too, what is there to be seen


def test_a_long_word_does_not_widen_the_page(visit):
    page = visit(viewport={"width": 390, "height": 844})
    page.get_by_label("words", exact=True).fill("x" * 200)
    said(page, "x" * 200)
    note = page.locator(".note").evaluate(
        "(note) => [note.scrollWidth, note.clientWidth]"
    )
    assert note[0] <= note[1]


def test_what_is_shown_is_said_after_a_pause(visit):
    page = visit()
    page.wait_for_timeout(1000)
    page.get_by_label("words", exact=True).fill("the cat sat")
    assert page.locator(".said").text_content() == ""  # nor what it shows at first
    said(page, "3 words.")
    assert page.locator(".said").get_attribute("role") == "status"


def test_a_drawing_by_mouse_and_by_keyboard(visit):
    page = visit()
    pad = page.get_by_role("application", name="digit")
    image = "document.querySelector('figure').compute"
    page.get_by_role("button", name="Clear").click()
    box = pad.bounding_box()
    size = box["width"] / 8
    page.mouse.move(box["x"] + 2 * size, box["y"] + 2 * size)
    page.mouse.down()
    page.mouse.move(box["x"] + 6 * size, box["y"] + 2 * size, steps=5)
    page.mouse.up()
    ink = """(() => {
      const pen = document.querySelector(".pad-canvas").getContext("2d");
      return [...pen.getImageData(0, 0, 8, 8).data].filter((x, i) => i % 4 === 3);
    })()"""
    drawn = page.evaluate(ink)
    assert drawn[8 + 3] == 255 and drawn[6 * 8 + 3] == 0
    page.get_by_role("button", name="Undo").click()
    assert max(page.evaluate(ink)) == 0
    pad.focus()
    for key in ["ArrowUp", "ArrowUp", " ", "ArrowRight", "ArrowRight", " "]:
        page.keyboard.press(key)
    drawn = page.evaluate(ink)
    assert drawn[8 + 5] > 200 and drawn[8 + 1] == 0
    page.keyboard.press("Delete")
    assert max(page.evaluate(ink)) == 0
    page.get_by_role("button", name="Undo").click()
    assert page.evaluate(ink) == drawn
    page.evaluate("location.hash = '#probe:digit=empty'")
    page.wait_for_function(f"Math.max(...{ink}) === 0")
    page.get_by_role("button", name="Undo").click()  # also what a link has replaced
    assert page.evaluate(ink) == drawn
    page.get_by_role("button", name="As at first").click()
    assert page.evaluate(ink)[0] == 255
    assert page.evaluate(f"typeof {image}") == "function"


def test_a_word_is_offered_and_taken(visit):
    page = visit()
    box = page.get_by_label("words", exact=True)
    box.fill("the ")
    box.press_sequentially("m")
    page.get_by_role("button", name="mat").click()
    assert box.input_value() == "the mat"
    page.get_by_label("Examples: words").select_option("the mat sat")
    assert box.input_value() == "the mat sat"


def test_arrow_keys_go_through_the_examples(visit):
    page = visit()
    box, examples = (
        page.get_by_label(label, exact=True) for label in ("words", "Examples: words")
    )
    examples.focus()
    for sentence in ("the mat sat", "the cat sat"):
        page.keyboard.press("ArrowDown")
        assert box.input_value() == sentence
    said(page, "3 words.")
    page.keyboard.press("Tab")
    assert examples.input_value() == "choose one …"


def test_an_action_changes_an_input(visit):
    page = visit()
    page.get_by_role("button", name="Another letter").click()
    assert page.get_by_label("line", exact=True).input_value() == "a bc"


def test_positions_lead_there_and_what_is_none_leads_nowhere(visit):
    page = visit("#probe:words=sat,twice=on,digit=1:1-6:6")
    assert page.get_by_label("words", exact=True).input_value() == "sat"
    assert page.get_by_label("twice").is_checked()
    page.get_by_text("there").click()
    values = [page.get_by_label(n, exact=True).input_value() for n in ("words", "line")]
    assert values == ["the cat", "abc"]
    assert page.get_by_role("slider", name="k").get_attribute("aria-valuetext") == "3"
    for wrong in ("k=9", "speed=1", "line=!", "f=x%20x", "digit=one"):
        page.evaluate(f"location.hash = '#probe:{wrong}'")
        page.wait_for_timeout(50)
        assert page.get_by_label("line", exact=True).input_value() == "abc"


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_overflows(visit, width):
    page = visit(viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(visit, theme):
    page = visit()
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    page.wait_for_timeout(100)
    report = Axe().run(page, options={"resultTypes": ["violations"]}).response
    assert [(v["id"], v["nodes"][0]["html"]) for v in report["violations"]] == []


def test_without_scripts_it_is_the_picture_of_its_default(browser, file):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("figure.alive img").is_visible()
    assert page.locator("form:visible").count() == 0
    context.close()


def test_in_print_it_is_the_picture_of_its_default(visit):
    page = visit()
    page.emulate_media(media="print")
    assert page.locator("figure.alive .picture").is_visible()
    assert not page.locator(".views").is_visible()


def test_nothing_of_the_figure_evaluates_code():
    html = probe_html()
    assert not re.search(r"\son\w+=|style=|javascript:", html.split("<script")[0])


def test_leaves_no_figure_open():
    plt.close("all")
    probe_html()
    assert plt.get_fignums() == []
