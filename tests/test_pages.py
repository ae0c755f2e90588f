"""The built book as a reader opens it: from a file, in a browser, without a network."""

import re
import zipfile

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser import chromium
from tests.homework import ASSIGNMENTS
from tests.notebooks import BOOK, ROOT

HTML = ROOT / "_build" / "html"
PAGES = sorted(  # the table of contents has them all; see test_structure.py
    f"book/{p.stem}" for p in BOOK.iterdir() if p.suffix in {".ipynb", ".md"}
)
CHAPTERS = [page for page in PAGES if re.match(r"book/\d\d_", page)]
MAX_PAGE_BYTES = 4_000_000

# The picture as it is seen, the frame over its base, as a number that tells pictures apart.
PICTURE = """async (figure) => {
  const images = [...figure.querySelectorAll("img")];
  await Promise.all(images.map((image) => image.decode()));
  const [width, height] = [images[0].naturalWidth >> 1, images[0].naturalHeight >> 1];
  const context = new OffscreenCanvas(width, height).getContext("2d");
  for (const image of images) context.drawImage(image, 0, 0, width, height);
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  return pixels.reduce((hash, pixel) => Math.imul(hash ^ pixel, 16777619), 2166136261);
}"""


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture
def visit(browser):
    """Opens a page of the book; what it asks of a network or complains of fails the test."""
    contexts, troubles = [], []

    def open_page(name, **options):
        path = HTML / f"{name}.html"
        assert path.exists(), (
            f"expected {path.relative_to(ROOT)}; run `make book` first"
        )
        theme = options.get("color_scheme", "light")
        context = browser.new_context(**options)
        context.add_init_script(
            f"localStorage.setItem('mode', '{theme}'); localStorage.setItem('theme', '{theme}')"
        )
        context.route(re.compile("^(?!file:|data:|blob:)"), lambda route: route.abort())
        page = context.new_page()
        page.on(
            "request", lambda r: r.url.startswith("http") and troubles.append(r.url)
        )
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda m: m.type == "error" and troubles.append(m.text))
        page.goto(path.as_uri())
        if options.get("java_script_enabled", True):
            page.wait_for_function(
                "!window.MathJax?.startup || window.MathJax.startup.promise"
            )
            page.evaluate("window.MathJax?.startup?.promise")
        contexts.append(context)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not troubles


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
    written = page.locator(".math").count()
    assert written > 30 and page.locator(".math mjx-container").count() >= written
    prose = page.locator("article").inner_text()
    assert "\\(" not in prose and "$$" not in prose and "{eq}`" not in prose


@every_chapter
def test_every_control_changes_its_picture(visit, name):
    page = visit(name)
    figures = page.locator("figure.interact")
    assert figures.count() >= 4
    for i in range(figures.count()):
        figure = figures.nth(i)
        controls = figure.locator("input, select")
        for j in range(controls.count()):
            control, seen = controls.nth(j), [figure.evaluate(PICTURE)]
            alts = {figure.locator("img").last.get_attribute("alt")}
            for move in moves(control):
                move()
                seen.append(figure.evaluate(PICTURE))
                alts.add(figure.locator("img").last.get_attribute("alt"))
            where = f"{figure.get_attribute('data-name')}, control {j}"
            positions = len(seen) - 1
            assert len(alts) >= positions, f"{where}: the description does not follow"
            assert len(set(seen)) > positions / 2, (
                f"{where}: {len(set(seen))} of {positions} differ"
            )


def moves(control):
    """Each of a control's positions in turn, set as a keyboard or a finger sets it."""
    if control.evaluate("e => e.tagName") == "SELECT":
        count = control.locator("option").count()
        return [lambda k=k: control.select_option(index=k) for k in range(count)]
    if control.get_attribute("type") == "checkbox":
        return [control.click, control.click]
    steps = [lambda: control.press("ArrowRight")] * int(control.get_attribute("max"))
    return [lambda: control.press("Home"), *steps]


@every_chapter
def test_a_figure_does_not_move_the_page(visit, name):
    page = visit(name)
    place = "e => [e.offsetTop, e.offsetHeight, document.documentElement.scrollHeight]"
    for figure in page.locator("figure.interact").all():
        before = figure.evaluate(place)
        for control in figure.locator("input[type=range]").all():
            control.press("End")
        assert figure.evaluate(place) == before


@every_chapter
def test_without_javascript_the_defaults_are_there(visit, name):
    page = visit(name, java_script_enabled=False)
    for image in page.locator("figure.interact img").all():
        assert image.evaluate("e => e.naturalWidth") > 600 and image.get_attribute(
            "alt"
        )


@every_page
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_overflows(visit, name, width):
    page = visit(name, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@every_page
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_is_accessible(visit, name, theme):
    page = visit(name, color_scheme=theme)
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    report = (
        Axe()
        .run(page, options={"resultTypes": ["violations"], "preload": False})
        .response
    )
    assert not [(v["id"], v["nodes"][0]["html"][:200]) for v in report["violations"]]


def test_every_image_says_what_it_shows():
    for name in PAGES:
        images = re.findall(r"<img[^>]*>", (HTML / f"{name}.html").read_text())
        assert all('alt="' in image for image in images), name


def test_links_between_pages_lead_somewhere():
    pages = {path: path.read_text() for path in HTML.glob("book/*.html")}
    for path, text in pages.items():
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
