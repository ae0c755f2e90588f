"""What a reader sees whose system forces its own colours, as Windows does for high contrast."""

import base64
import io
import re
import sysconfig
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from press.figures.bundle import static_bundle
from press.tables.chapter_map import book_map
from tests.chapter_code import ROOT
from tests.figures import ALIVE, shown_with
from utils.interact import interact

BOOK = ROOT / "press" / "pages" / "static"
DECK = ROOT / "press" / "decks" / "deck.css"
THEME = Path(
    sysconfig.get_path("purelib"),
    "pydata_sphinx_theme/theme/pydata_sphinx_theme/static/styles/pydata-sphinx-theme.css",
)
PAGE = """<!DOCTYPE html><html lang="en" data-theme="{theme}"><head><meta charset="utf-8">
<link rel="stylesheet" href="{link}"><style>{css}</style>{alive}<script>{js}</script></head>
<body><div class="bd-sidebar-primary"><ul class="nav"><li><a href="#a">one page</a></li>
<li class="current"><a class="current" href="#b">one page</a></li></ul></div>
<div class="bd-content"><article class="bd-article" style="padding: 20px">{body}</article></div>
</body></html>"""
CELL = '<div class="cell tag_{}"><div class="cell_input"><pre>a = 1</pre></div></div>'
BOXES = """<div class="cell_output"><img class="drawn" src="{drawn}"></div>
<div class="cell tag_keep-colours"><div class="cell_output"><img src="{drawn}"></div></div>
<div class="admonition tip"><p class="admonition-title">Predict first</p><p>What?</p></div>
<div class="failed-here"><p>A cell failed</p></div><p><a class="away" href="#c">away</a></p>
"""
SLIDE = """<html data-theme="{theme}"><head><meta charset="utf-8"><style>{css}</style></head><body>
<div class="reveal"><div class="slides"><section class="predict"><div class="body">
<ol class="poll"><li>yes</li><li>no</li></ol><img src="{drawn}">
<p class="same-1">■</p><p class="same-2">■</p></div></section></div></div></body></html>"""


def drawing():
    """A black stroke on nothing, as matplotlib may draw one."""
    image = Image.new("RGBA", (60, 40), (0, 0, 0, 0))
    image.paste((0, 0, 0, 255), (20, 10, 40, 30))
    buffer = io.BytesIO()
    image.save(buffer, "png")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


@pytest.fixture(scope="module")
def figure():
    """The HTML of a figure with each kind of control."""

    def wave(step=2, line="solid", grid=False):
        """A wave."""
        fig, ax = plt.subplots(figsize=(5, 2))
        ax.plot(np.sin(np.arange(50) / 5 + step), "-" if line == "solid" else "--")
        ax.grid(grid)
        return fig

    with shown_with(static_bundle) as bundles:
        interact(step=(0, 4), line=["solid", "dashed"], grid=False, play="step")(wave)
    return bundles[0]["text/html"]


@pytest.fixture(params=["light", "dark"])
def forced(request, browser, tmp_path):
    """Opens HTML where the system forces the colours of one of its palettes."""
    options = {"forced_colors": "active", "color_scheme": request.param}
    context = browser.new_context(viewport={"width": 1300, "height": 900}, **options)

    def open_html(html):
        file = tmp_path / "page.html"
        file.write_text(html, "utf-8")
        page = context.new_page()
        page.goto(file.as_uri())
        return page

    yield open_html
    context.close()


@pytest.fixture(params=["light", "dark"])
def page(request, forced, figure):
    """A page with all kinds of marks, in either theme of the book."""
    html = PAGE.format(
        theme=request.param,
        link=THEME.as_uri(),
        css=(BOOK / "book.css").read_text("utf-8"),
        js=(BOOK / "book.js").read_text("utf-8"),
        alive=ALIVE,
        body=f'<div class="cell_output"><div class="output">{figure}</div></div>'
        + BOXES.format(drawn=drawing())
        + CELL.format("define")
        + CELL.format("check")
        + book_map(),
    )
    return forced(html)


def pixels(locator, around=0):
    """What is seen of an element, and around it: rows, columns, colours."""
    locator.evaluate("(e) => e.scrollIntoView({ block: 'center' })")
    box = locator.bounding_box()
    clip = {"x": box["x"] - around, "y": box["y"] - around}
    clip |= {"width": box["width"] + 2 * around, "height": box["height"] + 2 * around}
    shot = locator.page.screenshot(clip=clip)
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int)


def canvas(page):
    """The system's colour of a page, red, green and blue."""
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return np.array([int(part) for part in re.findall(r"\d+", colour)])


def contrast(seen):
    """The greatest difference of brightness, 0 to 255."""
    grey = seen.mean(axis=-1)
    return grey.max() - grey.min()


def test_controls_are_seen(page):
    for name in ("Play step", "Larger picture"):
        assert contrast(pixels(page.get_by_role("button", name=name))) > 100, name
    slider = pixels(page.get_by_role("slider"))
    track = slider[len(slider) // 2]  # the thumb stands in its middle
    left, right = track[len(track) // 4], track[-len(track) // 4]
    ground = slider[2, 2]
    assert abs(left - ground).max() > 60 and abs(right - ground).max() > 60
    assert abs(left - right).max() > 60
    thumb = slider[len(slider) // 2 - 6, len(track) // 2]
    assert abs(thumb - ground).max() > 60
    switch = page.get_by_role("checkbox")
    unchecked = pixels(switch)
    switch.check()
    assert contrast(unchecked) > 60 and abs(pixels(switch) - unchecked).max() > 60
    assert contrast(pixels(page.get_by_role("combobox", name="line"))) > 100


def test_pictures_are_seen_and_move(page):
    picture = page.locator("figure.interact .picture")
    before = pixels(picture)
    page.get_by_role("slider").press("End")
    assert contrast(before) > 200 and abs(pixels(picture) - before).max() > 100
    for image in page.locator(".cell_output > img").all():
        assert contrast(pixels(image)) > 200


def test_boxes_keep_their_frames_and_checks_their_own(page):
    ground = canvas(page)
    for box in (".admonition", ".failed-here", ".tag_define .cell_input", "form"):
        seen = pixels(page.locator(box).first, around=2)
        drawn = abs(seen - ground).max(axis=-1) > 60
        for turns in range(4):  # a line may lie between two rows of pixels
            edge = np.rot90(drawn, turns)[:6].any(axis=0)
            assert edge.mean() > 0.8, (box, turns)
    define, check = (
        pixels(page.locator(f".tag_{kind} .cell_input"))[20, :8]
        for kind in ("define", "check")
    )
    assert abs(define - check).max() > 100


def test_the_map_shows_what_is_lit(page):
    page.locator(".map select").select_option(index=3)
    lit = page.locator(".map li.on i").first
    unlit = page.locator(".map li[data-chapter]:not(.on) i").first
    ground = canvas(page)
    for chip, filled in ((lit, True), (unlit, False)):
        seen = pixels(chip)
        assert contrast(seen) > 100  # its number
        inside = seen[len(seen) // 2, 3]
        assert (abs(inside - ground).max() > 60) == filled
    strokes = [
        page.locator(f".map path{kind}").first.evaluate(
            "(e) => [getComputedStyle(e).stroke, getComputedStyle(e).strokeWidth]"
        )
        for kind in (".on", ":not(.on, .implied)")
    ]
    assert strokes[0][0] != strokes[1][0] and strokes[0][1] != strokes[1][1]
    assert unlit.evaluate("(e) => getComputedStyle(e.closest('li')).opacity") == "1"


def test_the_focus_and_the_page_one_is_on_are_seen(page):
    one, current = (pixels(a)[:, :5] for a in page.locator(".nav a").all())
    assert abs(one - current).max() > 60
    controls = page.locator("figure.interact :is(input, select, button), a.away")
    assert controls.count() == 6
    page.keyboard.press("Tab")  # focus as from the keyboard
    for control in controls.all():
        page.evaluate("document.activeElement.blur()")
        before = pixels(control, around=6)
        control.focus()
        changed = abs(pixels(control, around=6) - before).max(axis=-1) > 60
        assert changed.sum() > 60, control.evaluate("(e) => e.outerHTML")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_slide_keeps_letters_pictures_and_colours_that_mean_something(forced, theme):
    css = DECK.read_text("utf-8")
    page = forced(SLIDE.format(theme=theme, css=css, drawn=drawing()))
    assert contrast(pixels(page.locator("img"))) > 200
    letter = pixels(page.locator(".poll li").first)[:50, :50]
    ground = letter[0, 0]
    assert abs(letter[25, 1] - ground).max() > 100  # the ring around it
    slide = pixels(page.locator("section.predict"))
    assert abs(slide[2] - ground).max() > 100
    colours = []
    for symbol in page.locator("[class^=same]").all():
        seen = pixels(symbol)
        assert contrast(seen) > 60
        colours.append(seen[abs(seen - ground).sum(axis=-1).argmax() // seen.shape[1]])
    assert abs(colours[0] - colours[1]).max() > 60
