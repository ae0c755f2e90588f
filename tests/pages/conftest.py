"""The browser of the pages' tests, a page opened in it, and a small page."""

import subprocess
import sys

import pytest

from tests.browser import reading
from tests.figures import ALIVE
from tests.pages.built import address
from tests.pages.scripts import TYPESET, WEAR

DESK = 1280
SMALL = """
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
import matplotlib.pyplot as plt
from press.figures.bundle import static_bundle
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


@pytest.fixture(scope="package")  # while it is open no other test may start one
def shared_reader():
    with reading() as reader:
        yield reader


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


@pytest.fixture(scope="package")
def small(tmp_path_factory):
    """Address of a page with one figure, far down, and links to some of its positions."""
    process = subprocess.run(
        [sys.executable, "-c", SMALL],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    links = "".join(f'<p><a class="position" href="{x}">so</a></p>' for x in LINKS)
    path = tmp_path_factory.mktemp("small") / "small.html"
    path.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Small</title>'
        f"{ALIVE}"
        '<body class="bd-article"><div style="height: 3000px">Above</div>'
        f"{process.stdout}{links}</body></html>"
    )
    return path.as_uri()
