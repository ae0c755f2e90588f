"""The built book as a reader opens it: from a file, in a browser, without a network."""

import html
import re
import subprocess
import sys
import zipfile
from urllib.parse import unquote

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup

from press import lint as rules
from tests.browser import COVERED
from tests.chapter_code import BOOK, ROOT
from tests.homework.marking import ASSIGNMENTS

HTML = ROOT / "_build" / "html"
PAGES = sorted(  # the table of contents has them all; see test_structure.py
    f"book/{p.stem}" for p in BOOK.iterdir() if p.suffix in {".ipynb", ".md"}
)
CHAPTERS = [page for page in PAGES if re.match(r"book/\d\d_", page)]
MAX_PAGE_BYTES = 4_000_000
DESK, PHONE = 1280, 390

# The picture as it is seen, the frame over its base, as a number that tells pictures apart.
PICTURE = """async (figure) => {
  const images = [...figure.querySelectorAll("img")];
  await Promise.all(images.map((image) => image.decode()));
  const [width, height] = [images[0].naturalWidth >> 1, images[0].naturalHeight >> 1];
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  for (const image of images) context.drawImage(image, 0, 0, width, height);
  let hash = 2166136261;
  for (const pixel of new Uint32Array(context.getImageData(0, 0, width, height).data.buffer))
    hash = Math.imul(hash ^ pixel, 16777619);
  return hash;
}"""
DESCRIPTION = "(figure) => [...figure.querySelectorAll('img')].at(-1).alt"
# Another theme, once the colours have arrived: a button fades into them. Not for ever: on a
# busy machine a browser that nobody looks at may leave a fade where it is.
WEAR = """async (theme) => {
  document.documentElement.dataset.theme = theme;
  const changes = document.getAnimations().filter((change) => change instanceof CSSTransition);
  const late = new Promise((done) => setTimeout(done, 3000));
  await Promise.race([late, Promise.allSettled(changes.map((change) => change.finished))]);
}"""
# Formulas that the page leaves until they come near the screen, too.
TYPESET = """async () => {
  await window.MathJax?.startup?.promise;
  await window.MathJax?.startup?.document?.lazyTypesetAll?.();
}"""

# Each formula as a word in its colour: its glyphs are pseudo-elements, which axe passes
# over, and what axe would look at instead is thousands of elements of hidden MathML.
FORMULAS = """(text) => {
  for (const formula of document.querySelectorAll("mjx-container")) {
    formula.whole ??= [...formula.childNodes];
    const word = document.createElement("span");
    word.textContent = text;
    word.style.lineHeight = 1;  // a formula's own is 0
    formula.replaceChildren(...(text ? [word] : formula.whole));
  }
}"""


@pytest.fixture
def visit(reader):
    """Opens a page of the book, which may be as another test has left it.

    But for width, theme and medium.
    """

    def open_page(name, *, width=DESK, theme="light", position="", **options):
        page = reader.open(address(name) + position, **options)
        page.set_viewport_size({"width": width, "height": 800})
        if options.get("java_script_enabled", True):
            page.evaluate(WEAR, theme)
            if not position:  # which a reader opens with most formulas still to come
                page.evaluate(TYPESET)
        return page

    return open_page


def address(name):
    path = HTML / f"{name}.html"
    assert path.exists(), f"expected {path.relative_to(ROOT)}; run `make book` first"
    return path.as_uri()


every_page = pytest.mark.parametrize("name", PAGES)
every_chapter = pytest.mark.parametrize("name", CHAPTERS)


@every_page
def test_weighs_little(name):
    page = HTML / f"{name}.html"
    images = re.findall(r'src="([^":]+\.(?:png|svg|webp|jpe?g))"', page.read_text())
    weight = page.stat().st_size + sum(
        (page.parent / image).stat().st_size for image in set(images)
    )
    assert weight < MAX_PAGE_BYTES, f"{name}: {weight / 1e6:.2f} MB"


@every_chapter
def test_every_equation_is_rendered(visit, name):
    page = visit(name)
    assert page.locator("mjx-merror").count() == 0
    unknown = page.locator("math [mathcolor=red]")  # commands MathJax does not know
    assert not unknown.all_text_contents()
    written = page.locator(".math").count()
    assert written > 30 and page.locator(".math mjx-container").count() >= written
    # What a screen reader reads.
    assert page.locator(".math mjx-assistive-mml > math").count() >= written
    prose = page.locator("article").inner_text()
    assert "\\(" not in prose and "$$" not in prose and "{eq}`" not in prose


@every_chapter
def test_checks_show_no_pictures(name):
    """A `seen` check that calls its figure's function has to close what it drew."""
    page = BeautifulSoup((HTML / f"{name}.html").read_text(), "html.parser")
    checks = page.select("div.cell.tag_check")
    assert len(checks) > 10 and not [cell for cell in checks if cell.select("img")]


@every_chapter
def test_what_is_printed_fits_the_column(name):
    text = (HTML / f"{name}.html").read_text()
    output = r'<div class="output (?:stream|text_plain)[^>]*>.*?<pre>(.*?)</pre>'
    printed = "\n".join(re.findall(output, text, re.DOTALL))
    lines = html.unescape(re.sub("<[^>]+>", "", printed)).splitlines()
    assert len(lines) > 20, "the pattern finds what is printed"
    assert not [line for line in lines if len(line) > rules.MAX_COLUMNS]
    assert "np.float64(" not in printed and "np.int64(" not in printed


@every_page
def test_is_accessible(visit, name):
    page = visit(name)
    # MathJax writes the same in chapters and their errata, where it would take axe
    # most of its time.
    whole = [] if re.search(r"/(errata_)?\d\d", name) else violations(page)
    page.evaluate(FORMULAS, "formula")
    found = violations(page)
    # Another theme changes the colours and nothing else.
    dark = violations(visit(name, theme="dark"), runOnly=["color-contrast"])
    page.evaluate(FORMULAS, None)
    assert not whole + found + dark


def test_a_pale_formula_is_found(visit):
    page = visit("book/notation")
    page.evaluate("document.querySelector('mjx-container').style.color = '#ccc'")
    page.evaluate(FORMULAS, "pale")
    found = violations(page, runOnly=["color-contrast"])
    page.evaluate(FORMULAS, None)
    page.evaluate("document.querySelector('mjx-container').style.color = ''")
    assert len(found) == 1 and "pale" in found[0][1]


def violations(page, **options):
    options |= {"resultTypes": ["violations"], "preload": False}
    report = Axe().run(page, options=options).response
    return [(v["id"], v["nodes"][0]["html"][:200]) for v in report["violations"]]


@every_page
@pytest.mark.parametrize("width", [360, DESK])
def test_nothing_overflows(visit, name, width):
    page = visit(name, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@every_chapter
def test_no_picture_is_cut_on_a_phone(visit, name):
    page = visit(name, width=PHONE)
    assert not cut(page)


def cut(page):
    """Pictures that reach beyond the screen or beyond a box that clips what it holds."""
    return page.evaluate(
        """() => [...document.querySelectorAll("figure.interact img, .cell_output img")]
          .filter((image) => image.offsetParent)
          .filter((image) => {
            const { left, right } = image.getBoundingClientRect();
            const outside = (from, to) => left < from - 0.5 || right > to + 0.5;
            if (outside(0, document.documentElement.clientWidth)) return true;
            for (let box = image.parentElement; box; box = box.parentElement) {
              const from = box.getBoundingClientRect().left + box.clientLeft;
              if (getComputedStyle(box).overflowX !== "visible" &&
                  outside(from, from + box.clientWidth)) return true;
            }
          })
          .map((image) => image.alt)"""
    )


@every_chapter
@pytest.mark.parametrize("width", [320, DESK])
def test_no_control_covers_another(visit, name, width):
    page = visit(name, width=width)
    assert not page.locator("article").first.evaluate(COVERED)


@every_chapter
def test_every_control_changes_its_picture(visit, name):
    page = visit(name)
    figures = page.locator("figure.interact").element_handles()
    assert len(figures) >= 4
    for figure in figures:
        for j, control in enumerate(figure.query_selector_all("input, select")):
            seen, alts = [figure.evaluate(PICTURE)], {figure.evaluate(DESCRIPTION)}
            for move in moves(page, control):
                move()
                seen.append(figure.evaluate(PICTURE))
                alts.add(figure.evaluate(DESCRIPTION))
            where = f"{figure.get_attribute('data-name')}, control {j}"
            positions = len(seen) - 1
            assert len(alts) >= positions, f"{where}: the description does not follow"
            assert len(set(seen)) > positions / 2, (
                f"{where}: {len(set(seen))} of {positions} differ"
            )


def moves(page, control):
    """Each of a control's positions in turn, set as a keyboard or a finger sets it."""
    if control.evaluate("e => e.tagName") == "SELECT":
        count = control.evaluate("e => e.options.length")
        return [lambda k=k: control.select_option(index=k) for k in range(count)]
    if control.get_attribute("type") == "checkbox":
        return [control.click, control.click]
    control.focus()  # once: the keyboard's own way is ten times faster than a handle's
    steps = [lambda: page.keyboard.press("ArrowRight")]
    steps *= int(control.get_attribute("max"))
    return [lambda: page.keyboard.press("Home"), *steps]


@every_chapter
def test_a_figure_does_not_move_the_page(visit, name):
    page = visit(name)
    place = "e => [e.offsetTop, e.offsetHeight, document.documentElement.scrollHeight]"
    for figure in page.locator("figure.interact").all():
        controls = figure.locator("input[type=range]").all()
        for control in controls:
            control.press("Home")
        before = figure.evaluate(place)
        for control in controls:
            control.press("End")
        assert figure.evaluate(place) == before


@every_chapter
def test_in_print_a_figure_states_its_position(visit, name):
    assert not unstated(visit(name))


def unstated(page):
    """What a printed figure does not say of its controls: their labels, their values."""
    page.emulate_media(media="print")
    missing = page.evaluate(
        """() => [...document.querySelectorAll("figure.interact")].flatMap((figure) => {
          const { controls } = JSON.parse(figure.querySelector("script").textContent);
          const inputs = [...figure.querySelectorAll("input, select")];
          const value = (x) => x.type === "checkbox" ? +x.checked : x.selectedIndex ?? +x.value;
          return controls
            .flatMap(({ label, texts }, i) => [label, texts[value(inputs[i])]])
            .filter((text) => !figure.innerText.includes(text))
            .map((text) => `${figure.dataset.name}: ${text}`);
        })"""
    )
    page.emulate_media(media="screen")
    return missing


@every_chapter
def test_every_position_in_the_text_sets_its_figure(visit, name):
    follow_positions(visit(name))


UNFOLD = """(link) => {
  link.closest("details")?.setAttribute("open", "");
  link.closest(".toggle-hidden")?.classList.remove("toggle-hidden");
}"""


def follow_positions(page):
    """Click each link to a position, and see that its figure and the address follow."""
    pictures = {}  # what each figure shows: to look costs more than the click
    for link in page.locator("a.position").all():
        target = link.get_attribute("href")
        name, figure = target.partition(":")[0], figure_of(page, target)
        before = state(figure)
        picture = pictures.get(name) or figure.evaluate(PICTURE)
        link.evaluate(UNFOLD)
        link.click()
        assert_at(page, figure, target)
        moved = state(figure)["at"] != before["at"]
        pictures[name] = figure.evaluate(PICTURE)
        assert (pictures[name] != picture) == moved, target
        assert unquote(page.evaluate("location.hash")) == unquote(target)


# What the controls of a figure show, as an address names it: {"lr": "0.21", …}
STATE = """(figure) => {
  const { controls } = JSON.parse(figure.querySelector("script").textContent);
  const inputs = [...figure.querySelectorAll("input, select")];
  const index = (x) => x.type === "checkbox" ? +x.checked : x.selectedIndex ?? +x.value;
  const read = (which) => Object.fromEntries(
    controls.map(({ name, keys }, i) => [name, decodeURIComponent(keys[which(i)])]));
  return { at: read((i) => index(inputs[i])), start: read((i) => controls[i].start) };
}"""


def state(figure):
    return figure.evaluate(STATE)


def figure_of(page, target):
    """The one figure that the address ``#name:control=value,…`` is about."""
    (figure,) = page.query_selector_all(
        f"figure.interact[data-name='{target[1:].partition(':')[0]}']"
    )
    return figure


def assert_at(page, figure, target):
    """Assert that the figure stands at an address; what it does not name, at its default."""
    named = dict(pair.split("=") for pair in target.partition(":")[2].split(","))
    wanted = state(figure)["start"] | {key: unquote(x) for key, x in named.items()}
    page.wait_for_function(
        f"([figure, wanted]) => Object.entries(({STATE})(figure).at)"
        ".every(([name, value]) => wanted[name] === value || +wanted[name] === +value)",
        arg=[figure, wanted],
        timeout=5_000,
    )


@every_chapter
def test_an_address_opens_its_figure_at_a_position(visit, name):
    page = visit(name)
    figures = page.query_selector_all("figure.interact")
    targets = [f"#{f.get_attribute('data-name')}:{far(f)}" for f in figures]
    page = visit(name, position=targets[-1])  # opened so, …
    assert_shown(page, targets[-1])
    for target in targets[:-1]:  # … or led there by the address bar
        page.evaluate("(target) => { location.hash = target; }", target)
        assert_shown(page, target)


def far(figure):
    """The position of a figure where each control is at its last value."""
    controls = figure.evaluate(
        "(f) => JSON.parse(f.querySelector('script').textContent).controls"
    )
    return ",".join(f"{c['name']}={c['keys'][-1]}" for c in controls)


def assert_shown(page, target):
    figure = figure_of(page, target)
    assert_at(page, figure, target)
    page.wait_for_function(
        """(figure) => {
          const { top, bottom } = figure.querySelector("img").getBoundingClientRect();
          return top < innerHeight && bottom > 0;
        }""",
        arg=figure,
        timeout=5_000,
    )


@every_chapter
def test_without_javascript_the_defaults_are_there_and_no_dead_controls(visit, name):
    page = visit(name, java_script_enabled=False)
    for image in page.locator("figure.interact img").all():
        assert image.evaluate("e => e.naturalWidth") > 600
        assert image.get_attribute("alt")
    for control in page.locator("figure.interact :is(input, select, button)").all():
        assert not control.is_visible()


def test_opens_in_the_theme_that_the_reader_has_chosen(visit):
    page = visit("book/index")
    for theme in ("dark", "light"):
        # Before the page's own scripts: what an old page stores may reach a new one late.
        page.add_init_script(f"localStorage.mode = localStorage.theme = '{theme}'")
        page.reload()
        assert page.evaluate("document.documentElement.dataset.theme") == theme


SMALL = """
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
import matplotlib.pyplot as plt
from press.figures import static_bundle
from utils.interact import interact, show_with

def line(slope=1.0, ink="C0", dashed=False):
    '''A straight line.'''
    fig, ax = plt.subplots(figsize=(5, 2))
    ax.plot([0, 1], [0, slope], "--" if dashed else "-", color=ink)
    ax.set(ylim=(-2, 3))
    return fig

InteractiveShell.instance()
show_with(static_bundle)
inks = {"blue, the first": "C0", "red": "C3"}
with capture_output() as shown:
    interact(slope=(-1.0, 2.0, 0.5), ink=inks, dashed=False)(line)
print(shown.outputs[0].data["text/html"])
"""
LINKS = [
    "#line:slope=-0.5",
    "#line:slope=2.0,ink=red,dashed=on",
    "#line:ink=blue%2C%20the%20first,slope=0.0",
    "#line:dashed=on",
]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Address of a page with one figure, far down, and links to some of its positions."""
    done = subprocess.run(
        [sys.executable, "-c", SMALL],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    links = "".join(f'<p><a class="position" href="{x}">so</a></p>' for x in LINKS)
    path = tmp_path_factory.mktemp("small") / "small.html"
    path.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Small</title>'
        '<body class="bd-article"><div style="height: 3000px">Above</div>'
        f"{done.stdout}{links}</body></html>"
    )
    return path.as_uri()


def test_a_link_sets_a_figure_by_finger_and_by_keyboard(reader, small):
    page = reader.open(small)
    follow_positions(page)
    link = page.locator("a.position").first
    link.focus()
    page.keyboard.press("Enter")
    assert_at(page, figure_of(page, LINKS[0]), LINKS[0])
    assert not unstated(page)


@pytest.mark.parametrize("link", LINKS)
def test_an_address_opens_a_figure_far_down(reader, small, link):
    page = reader.open(small + link)
    assert_shown(page, link)


@pytest.mark.parametrize(
    "link", ["#line", "#line:slope=0.7", "#line:speed=1", "#none:a=1"]
)
def test_an_address_that_no_figure_has_changes_nothing(reader, small, link):
    page = reader.open(small)
    before = state(figure_of(page, LINKS[0]))
    page.evaluate("(link) => { location.hash = link; }", link)
    page.wait_for_timeout(100)
    assert state(figure_of(page, LINKS[0])) == before


def test_a_figure_without_javascript_shows_no_dead_controls(reader, small):
    page = reader.open(small, java_script_enabled=False)
    assert page.locator("figure.interact img").first.is_visible()
    assert not any(x.is_visible() for x in page.locator("input, select, button").all())


def test_every_image_says_what_it_shows():
    for name in PAGES:
        images = re.findall(r"<img[^>]*>", (HTML / f"{name}.html").read_text())
        assert all('alt="' in image for image in images), name


def test_links_between_pages_lead_somewhere():
    pages = {path: path.read_text() for path in HTML.glob("book/*.html")}
    for path, text in pages.items():
        text = re.sub(
            r'class="position[^"]*" href="[^"]+"', "", text
        )  # they are followed above
        for target, _, anchor in re.findall(
            r'href="([^":#?]*\.html)?(#([^"]+))?"', text
        ):
            other = (path.parent / target).resolve() if target else path
            if other.suffix == ".html" and (target or anchor):
                assert other.exists(), f"{path.name} links to {target}"
                found = (
                    not anchor or other not in pages or f'id="{anchor}"' in pages[other]
                )
                assert found, f"{path.name} links to {target}#{anchor}"


@pytest.mark.parametrize("slug", ASSIGNMENTS)
def test_a_chapter_leads_to_its_homework_without_solutions(slug):
    (link,) = re.findall(
        r'href="(\.\./homework/[^"]+)"', (HTML / "book" / f"{slug}.html").read_text()
    )
    with zipfile.ZipFile(HTML / "book" / link) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    assert set(files) == {f"{slug}/{slug}.ipynb", f"{slug}/requirements.txt"}
    notebook = files[f"{slug}/{slug}.ipynb"]
    assert "Write your answer here" in notebook
    assert "BEGIN SOLUTION" not in notebook and "HIDDEN TESTS" not in notebook
    needs = files[f"{slug}/requirements.txt"].split()
    assert {need.split("==")[0] for need in needs} == {
        "ipykernel", "matplotlib", "numpy", "scipy", "torch"
    }  # fmt: skip
