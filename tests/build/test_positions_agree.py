"""A position means the same in Python and on the page."""

import pytest

from press.figures.bundle import static_bundle
from tests.figures import ALIVE, line, shown_with
from utils.interact import interact
from utils.interact.positions import indices_of

SAME = (
    "shift=-0.5 shift=−0.5 shift=%2D0.5 shift=5e-1,dashed=on, %73hift=1 slope=½ "
    "slope=%C2%BD slope=p=9%25 slope=p%3D9%25 shift=1,slope=½"
).split()
NONE = (
    "shift= shift=0x1 shift=0x0 shift=1_0 shift=%200 shift=nan shift=7 shift =0 "
    "shift=1,shift=0 speed=1 shift=1,speed=1 dashed=1 dashed= slope= slope=2 "
    "slope=%E0%A4%A"
).split()


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    slopes = {"one": 1, "½": 0.5, "p=9%": 9}
    with shown_with(static_bundle) as shown:
        interact(slope=slopes, shift=(-1, 1, 0.5), dashed=False)(line)
    path = tmp_path_factory.mktemp("page") / "page.html"
    html = f'<!doctype html><meta charset="utf-8">{shown[0]["text/html"]}{ALIVE}'
    path.write_text(html, "utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    return page


@pytest.mark.parametrize("text", SAME + NONE)
def test_python_and_the_page_read_a_position_alike(page, text):
    start = "slope=p%3D9%25,shift=-1.0,dashed=on"  # none of these
    try:
        expected = indices_of("line", line.controls, text)
    except ValueError:
        expected = (2, 0, 1)
    set_to = "(x) => { location.hash = ''; location.hash = x; }"
    page.evaluate(set_to, f"#line:{start}")
    page.wait_for_function("document.querySelector('select').selectedIndex === 2")
    page.evaluate(set_to, f"#line:{text}")
    page.wait_for_timeout(150)
    actual = page.evaluate(
        """() => [...document.querySelectorAll("select, input")].map(
          (x) => x.type === "checkbox" ? +x.checked : x.selectedIndex ?? +x.value)"""
    )
    assert tuple(actual) == expected
