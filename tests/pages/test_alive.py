"""Figures whose network runs on the page: what PyTorch computes, and nothing of the network."""

import json

import pytest

from tests.alive_cases import compare
from tests.pages.accessibility import breaches
from tests.pages.built import CHAPTERS, HTML, address, source
from utils.interact.positions import values_of

ALIVE = [name for name in CHAPTERS if 'class="alive"' in source(name)]
every_alive_page = pytest.mark.parametrize("name", ALIVE)

# What the figure shows as a number: its marks, and what its canvases have painted.
LOOK = """(figure) => {
  let hash = 2166136261;
  const mix = (value) => { hash = Math.imul(hash ^ value, 16777619); };
  for (const canvas of figure.querySelectorAll(".views canvas"))
    if (canvas.width) for (const value of new Uint32Array(canvas.getContext("2d")
        .getImageData(0, 0, canvas.width, canvas.height).data.buffer)) mix(value);
  for (const letter of figure.querySelector(".views").outerHTML) mix(letter.charCodeAt(0));
  return hash;
}"""
PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def living(page):
    """The figures of a page, each with its network, which came as it was scrolled to."""
    figures = page.locator("figure.alive").all()
    for figure in figures:
        figure.scroll_into_view_if_needed()
        figure.locator(".views").wait_for(timeout=20_000)
    return figures


def cases(name, figure):
    """What PyTorch has computed for a figure of a page."""
    number = name.removeprefix("book/").split("_")[0]
    file = HTML.parent / "alive" / f"{number}_{figure.get_attribute('data-name')}.json"
    return json.loads(file.read_text("utf-8"))["cases"]


def examples(figure):
    """By input, the sentences for which a name stands in an address."""
    inputs = figure.locator("script.inputs").evaluate(
        "(e) => JSON.parse(e.textContent)"
    )
    return {
        control["name"]: dict(
            zip(control.get("names", []), control.get("examples", []), strict=False)
        )
        for control in inputs["controls"]
    }


def move(page, figure, texts):
    """Lead a figure to the texts of its inputs by its address."""
    name = figure.get_attribute("data-name")
    page.evaluate(
        """([name, texts]) => {
          const pairs = Object.entries(texts).map((pair) => pair.map(encodeURIComponent).join("="));
          location.hash = "";
          location.hash = `#${name}:${pairs}`;
        }""",
        [name, texts],
    )
    page.wait_for_timeout(50)
    page.evaluate(PAINTED)


def test_there_are_figures_whose_network_runs():
    assert ALIVE


@every_alive_page
def test_outputs_are_those_of_pytorch(visit, name):
    for figure in living(visit(name)):
        assert len(cases(name, figure)) >= 12
        assert compare(figure, cases(name, figure)) == []


@every_alive_page
def test_each_input_changes_what_is_shown(visit, name):
    page = visit(name)
    for figure in living(page):
        start, *others = cases(name, figure)
        move(page, figure, start["inputs"])
        before = figure.evaluate(LOOK)
        changed = set()
        for case in others:
            moved = {
                k for k, text in case["inputs"].items() if text != start["inputs"][k]
            }
            if len(moved) == 1 and "refused" not in case:
                move(page, figure, case["inputs"])
                changed |= moved if figure.evaluate(LOOK) != before else set()
        assert changed == set(start["inputs"]), figure.get_attribute("data-name")


@every_alive_page
def test_links_lead_to_their_positions(visit, name):
    page = visit(name)
    for figure in living(page):
        start, sentences = cases(name, figure)[0]["inputs"], examples(figure)
        links = page.locator(
            f"a.position[href^='#{figure.get_attribute('data-name')}:']"
        )
        assert links.count()
        for link in links.all():
            named = values_of(link.get_attribute("href").partition(":")[2])
            link.evaluate("(link) => link.click()")
            wanted = {
                key: sentences[key].get(text, text)
                for key, text in (start | named).items()
            }
            assert figure.evaluate("(figure) => figure.texts()") == wanted


@every_alive_page
def test_nothing_is_asked_for_but_the_scripts_of_the_networks(
    reader, browser_page, name
):
    page, asked = browser_page
    page.goto(address(name))
    page.wait_for_load_state("load")
    page.wait_for_timeout(500)
    addresses = page.evaluate(
        """() => [...document.querySelectorAll("figure.alive")].map((figure) =>
          new URL(figure.dataset.network, location).href)"""
    )
    asked.clear()
    for figure in living(page):
        move(page, figure, cases(name, figure)[1]["inputs"])
    own = {url for url in asked if not url.startswith("data:")}
    of_the_page = ("/favicon.svg", ".woff", ".woff2")
    own -= {url for url in own if url.endswith(of_the_page)}
    assert own <= set(addresses)
    assert len(addresses) == len(set(addresses))


@pytest.fixture
def browser_page(reader):
    """A new window, and a list of what it asks for."""
    context = reader.browser.new_context(offline=True)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    yield page, asked
    context.close()


@every_alive_page
def test_the_keyboard_reaches_each_input(visit, name):
    page = visit(name)
    for figure in living(page):
        inputs = figure.locator("form :is(input, select, [role=application])").all()
        assert inputs
        inputs[0].focus()
        for each in inputs:
            for _ in range(20):
                if each.evaluate("(e) => e === document.activeElement"):
                    break
                page.keyboard.press("Tab")
            else:
                raise AssertionError(
                    f"not reached: {each.evaluate('(e) => e.outerHTML')}"
                )


@every_alive_page
@pytest.mark.parametrize("width", [320, 1280])
def test_alive_nothing_overflows(visit, name, width):
    page = visit(name, width=width)
    living(page)
    page.evaluate(PAINTED)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@every_alive_page
def test_alive_it_is_accessible(visit, reader, name):
    page = visit(name)
    reader.forget()
    living(page)
    page.evaluate(
        """() => document.querySelector("article").replaceChildren(
          document.querySelector("h1"), ...document.querySelectorAll("figure.alive"))"""
    )
    assert breaches(page) == []


@every_alive_page
def test_in_print_it_is_the_picture_of_its_default(visit, name):
    page = visit(name)
    for figure in living(page):
        page.emulate_media(media="print")
        assert figure.locator(".picture").is_visible()
        assert not figure.locator(".views").is_visible()
        page.emulate_media(media="screen")


@every_alive_page
def test_a_page_is_light_without_its_networks(name):
    assert 'class="network"' not in source(name)
    assert 'class="expected"' not in source(name)


@pytest.mark.parametrize("name", [c for c in CHAPTERS if c not in ALIVE])
def test_other_pages_name_no_script_of_it(name):
    assert "alive.js" not in source(name) and "layers.js" not in source(name)
