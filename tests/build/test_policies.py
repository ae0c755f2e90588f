"""The pages on a site that forbids scripts, styles or pictures which stand in the HTML."""

import functools
import threading
from contextlib import ExitStack, contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from press.pages import inline
from tests.build.small_book import SETUP, SOUND, build, executed, write, write_deck
from tests.pages.scripts import PICTURE, TYPESET

FORMULA = r"$$x = \frac{\boldsymbol{y}}{\sqrt{z}}$$ (eq-01-x)"
OTHER = SOUND.replace("def figure", "def other")
ANSWER = ":::{admonition} Why is it small?\n:class: dropdown question\nSo.\n:::"
CHAPTER = [
    "# Chapter 1 · Small\n\n*Where is it read?*",
    (SETUP, "setup"),
    (SOUND, "widget"),
    (OTHER, "widget"),
    FORMULA,
    ANSWER,
]
SCRIPTS, PICTURES = "script-src 'self'", "img-src 'self'"
NOTHING = "script-src 'none'"
STRICT = "default-src 'self'; img-src 'self' data:"  # as CONTRIBUTING.md says
PAGES = ["book/01_small", "book/index", "search", "genindex"]
SAID = ".without-scripts"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The folder of a small book's pages."""
    folder = tmp_path_factory.mktemp("book")
    write(folder, **{"01_small": CHAPTER})
    write_deck(folder, "01_small", "figure: figure", "figure: other")
    assert executed(build(folder)) == {"01_small", "index"}
    return folder / "_build" / "html"


@contextmanager
def served(folder, policy):
    """The address of a site of these files with this policy."""

    class Handler(SimpleHTTPRequestHandler):
        def end_headers(self):
            self.send_header("Content-Security-Policy", policy)
            super().end_headers()

        def log_message(self, *_):
            pass

    handler = functools.partial(Handler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def visit(browser, pages):
    """Opens a page under a policy; with it a list of what the browser complains of."""
    with ExitStack() as stack:

        def open_page(policy, name, **options):
            site = stack.enter_context(served(pages, policy))
            context = browser.new_context(**options)
            stack.callback(context.close)
            page, messages = context.new_page(), []
            page.on("pageerror", lambda error: messages.append(str(error)))
            page.on("console", lambda m: m.type == "error" and messages.append(m.text))
            page.goto(f"{site}{name}.html")
            if policy != NOTHING and options.get("java_script_enabled", True):
                page.evaluate(TYPESET)
            return page, messages

        yield open_page


@pytest.mark.parametrize("name", PAGES)
def test_without_inline_scripts_every_page_is_whole(visit, name):
    page, messages = visit(SCRIPTS, name)
    assert not messages
    assert page.locator(SAID).count() == 1 and not page.locator(SAID).is_visible()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    assert visit(SCRIPTS, name, color_scheme="dark")[0].evaluate(
        "document.documentElement.dataset.theme"
    ) == "dark"  # fmt: skip


def test_without_inline_scripts_sliders_folds_and_formulas_work(visit):
    page, messages = visit(SCRIPTS, "book/01_small")
    assert page.locator(".math mjx-mfrac").count() == 1
    assert "frac" not in page.locator(".math").inner_text()
    for figure in page.locator("figure.interact").all():
        before = figure.evaluate(PICTURE)
        figure.get_by_role("slider").press("End")
        figure.get_by_role("combobox").select_option(index=1)
        assert figure.evaluate(PICTURE) != before
        assert figure.locator(".state").text_content() == "a = 4, kind = big one"
    answer = page.locator(".question p", has_text="So.")
    assert not answer.is_visible()
    page.locator(".question .toggle-button").click()
    assert answer.is_visible()
    page.evaluate("window.print = () => { window.printed = true; }")
    page.locator(".btn-download-pdf-button").evaluate("(button) => button.click()")
    assert page.evaluate("window.printed") and not messages


def test_the_script_of_figures_is_named_once_and_in_no_figure(pages):
    html = (pages / "book" / "01_small.html").read_text("utf-8")
    assert html.count("<figure class=") == 2
    assert html.count("figure.js") == html.count("figure.css") == 1
    assert "<style>" not in html.partition("<article")[2] and "style=" not in html


def test_without_inline_styles_formulas_and_figures_look_the_same(visit):
    sizes = """async () => {
      const measure = () => JSON.stringify(
        [...document.querySelectorAll("figure.interact, mjx-container, svg")]
          .map((x) => x.getBoundingClientRect())
          .map(({ width, height }) => [width, height]));
      await document.fonts.ready;
      let before = "", now = measure();
      for (let i = 0; now !== before && i < 20; i++) {  // until nothing moves any more
        await new Promise((done) => setTimeout(done, 500));
        [before, now] = [now, measure()];
      }
      return JSON.parse(now);
    }"""
    seen = []
    for policy in (STRICT, SCRIPTS):
        page, _ = visit(policy, "book/01_small")
        page.wait_for_selector("svg", state="attached")
        page.wait_for_function("!document.querySelector('i.fa-solid')")  # all drawn
        seen.append(page.evaluate(sizes))
    assert len(seen[0]) > 3 and seen[0] == seen[1]


@pytest.mark.parametrize(
    ("policy", "options"), [(NOTHING, {}), (SCRIPTS, {"java_script_enabled": False})]
)
def test_where_no_script_runs_the_page_and_each_figure_say_so(visit, policy, options):
    page, _ = visit(policy, "book/01_small", **options)
    assert page.locator(SAID).count() == 3
    assert all(each.is_visible() for each in page.locator(SAID).all())
    assert page.locator("figure.interact .state:visible").count() == 2
    script = "(p) => getComputedStyle(p, '::after').content"
    for each in page.locator(f"figure.interact {SAID}").all():
        assert "No script runs here" in each.evaluate(script)
    for image in page.locator("figure.interact img").all():
        assert image.evaluate("(e) => e.naturalWidth") > 300 and image.is_visible()
    assert page.locator("form:visible").count() == 0
    code = page.locator(".highlight .kn, .highlight .k").first
    plain = page.locator(".highlight pre").first
    colour = "(e) => getComputedStyle(e).color"
    assert code.evaluate(colour) != plain.evaluate(colour)


def test_where_pictures_in_the_page_are_forbidden_their_figure_says_so(visit):
    page, _ = visit(PICTURES, "book/01_small")
    for figure in page.locator("figure.interact").all():
        assert "img-src data:" in figure.locator(SAID).inner_text()
    page, _ = visit(SCRIPTS, "book/01_small")
    assert page.locator("figure.interact").locator(SAID).count() == 0


def test_a_deck_says_what_to_do_where_its_scripts_are_forbidden(visit, pages, browser):
    page, _ = visit(SCRIPTS, "slides/01_small")
    assert "Save this file" in page.locator(f"body > {SAID}").inner_text()
    page = browser.new_page()
    page.goto((pages / "slides" / "01_small.html").as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    assert page.locator(f"{SAID}:visible").count() == 0
    assert page.locator("figure.interact[data-alive]").count() == 2
    assert page.content().count("function enliven") == 1
    page.close()


PAGE = """<html data-theme="auto"><head><script>let a = 1;</script>
<script type="module">export {{}};</script><script src="x.js"></script>
<script type="text/javascript">var b = "é";</script></head><body class="x">
<script type="application/json">{{"<script>": "{text}"}}</script>
<button onclick="window.print()">print</button></body></html>"""


def test_scripts_move_once_data_stay_and_old_files_go(tmp_path):
    app = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"))
    (tmp_path / "book").mkdir()
    pages = [tmp_path / "index.html", tmp_path / "book" / "01_ink.html"]
    for page in pages:
        page.write_text(PAGE.format(text=page.stem), "utf-8")
    for _ in range(2):
        inline._move(app, None)
        for page, root in zip(pages, ("", "../"), strict=True):
            html = page.read_text("utf-8")
            assert f'{{"<script>": "{page.stem}"}}' in html and "onclick" not in html
            assert html.count(f' src="{root}_static/inline/') == 2
            assert '<script type="module">export' in html  # no file from file://
            assert html.count(inline.WITHOUT) == 1
    moved = sorted((tmp_path / "_static" / "inline").iterdir())
    texts = {path.read_text("utf-8") for path in moved}
    assert texts == {"let a = 1;", 'var b = "é";'}
    for page in pages:
        page.write_text("<body>\n<script>let c = 3;</script></body>", "utf-8")
    inline._move(app, None)
    (file,) = (tmp_path / "_static" / "inline").iterdir()
    assert file.read_text() == "let c = 3;"
