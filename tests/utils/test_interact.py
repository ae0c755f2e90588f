"""The interactive figure in its three modes, and what it says of bad use."""

import base64
import functools
import gc
import io
import json
import re

import ipywidgets as widgets
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from IPython.display import display
from PIL import Image

import utils.interact as module
from press import figures
from tests.browser import chromium
from tests.chapter_code import ROOT
from utils import interact as interact_module
from utils.interact import controls, drawing, interact, position
from utils.interact.live import live_bundle

STATIC, LIVE = figures.static_bundle, live_bundle


@pytest.fixture(autouse=True)
def plain_style():
    with mpl.rc_context():
        mpl.rcdefaults()  # whatever a chapter in the same process has set
        yield


@pytest.fixture
def shown(monkeypatch):
    bundles = []
    monkeypatch.setattr(module, "display", lambda bundle, raw: bundles.append(bundle))
    return bundles


@pytest.fixture
def pages(monkeypatch, shown):
    monkeypatch.setattr(interact_module, "_bundle", STATIC)
    return shown


@pytest.fixture
def boxes(monkeypatch, shown):
    """What live mode shows, as widgets."""
    monkeypatch.setattr(interact_module, "_bundle", LIVE)
    vbox, boxes = widgets.VBox, []
    monkeypatch.setattr(
        widgets, "VBox", lambda children: boxes.append(vbox(children)) or boxes[-1]
    )
    return boxes


def line(slope=1, shift=0.0, dashed=False):
    """A straight line."""
    fig, ax = plt.subplots(figsize=(2, 1.5), layout="constrained")
    ax.plot([0, 1], [shift, shift + slope], "--" if dashed else "-")
    ax.set(ylim=(-5, 5))
    return fig


def pictures(bundle):
    """What the page shows at each position: its frame over its base."""
    payload = re.search(
        r"<script type=\"application/json\">(.*?)</script>", bundle["text/html"]
    )[1]
    data = json.loads(payload)
    bases, frames = (
        [Image.open(io.BytesIO(base64.b64decode(x))).convert("RGBA") for x in data[key]]
        for key in ("bases", "frames")
    )
    shown = [
        Image.alpha_composite(bases[base], frame).convert("RGB")
        for base, frame in zip(data["baseOf"], frames, strict=True)
    ]
    return data, [np.asarray(image).astype(int) for image in shown]


def test_static_mode_draws_every_position_in_the_order_of_the_controls(pages):
    interact(slope=[1, 2], shift=(0.0, 1.0, 0.5))(line)
    data, seen = pictures(pages[0])
    assert [c["texts"] for c in data["controls"]] == [["1", "2"], ["0.0", "0.5", "1.0"]]
    assert len(seen) == 6 and len(data["bases"]) == 2
    for index, (slope, shift) in enumerate(
        (k, s) for k in (1, 2) for s in (0.0, 0.5, 1.0)
    ):
        wanted = np.asarray(drawing._pixels(line(slope, shift), 150, None)).astype(int)
        assert seen[index].shape == wanted.shape
        assert np.abs(seen[index] - wanted).max() < 40  # 128 colours
    plt.close("all")


def test_static_mode_starts_at_the_defaults_and_describes_itself(pages):
    interact(slope=[1, 2, 3], dashed=True, labels={"slope": "slope k"})(line)
    html = pages[0]["text/html"]
    assert 'alt="A straight line. slope k = 1, dashed = off."' in html
    assert pages[0]["text/plain"] == "A straight line. slope k = 1, dashed = off."
    assert base64.b64decode(pages[0]["image/png"]).startswith(b"\x89PNG")
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", html)


def test_text_from_the_author_cannot_break_the_page(pages):
    def odd(choice="</script>"):
        """A <b>line</b> & "more"."""
        return line(len(choice))

    interact(choice=["</script>", "<i>"])(odd)
    html = pages[0]["text/html"]
    assert html.count("</script>") == 2 and "<i>" not in html.split("<script")[0]


@pytest.mark.parametrize(
    ("abbreviation", "values", "texts"),
    [
        ((0, 3), (0, 1, 2, 3), ("0", "1", "2", "3")),
        ((0, 10, 5), (0, 5, 10), ("0", "5", "10")),
        ((-0.1, 0.2, 0.1), (-0.1, 0.0, 0.1, 0.2), ("−0.1", "0.0", "0.1", "0.2")),
        (
            (0, 1, 0.25),
            (0, 0.25, 0.5, 0.75, 1),
            ("0.00", "0.25", "0.50", "0.75", "1.00"),
        ),
        (["a", "b"], ("a", "b"), ("a", "b")),
        ({"one": 1, "two": 2}, (1, 2), ("one", "two")),
        (True, (False, True), ("off", "on")),
        (widgets.IntSlider(min=1, max=3), (1, 2, 3), ("1", "2", "3")),
        (widgets.Dropdown(options=["x", "y"]), ("x", "y"), ("x", "y")),
        (widgets.Dropdown(options={"one": 1, "two": 2}), (1, 2), ("one", "two")),
        (widgets.ToggleButtons(options=["x", "y"]), ("x", "y"), ("x", "y")),
        (
            widgets.RadioButtons(options=[("one", 1), ("two", 2)]),
            (1, 2),
            ("one", "two"),
        ),
        (
            (0, 2e-11, 1e-11),
            (0, 1e-11, 2e-11),
            ("0.00000000000", "0.00000000001", "0.00000000002"),
        ),
        (widgets.Checkbox(), (False, True), ("off", "on")),
    ],
)
def test_abbreviations(abbreviation, values, texts):
    control = controls.Control.of("a", "a", abbreviation, values[1])
    assert [*control.values] == [*values]
    assert control.texts == texts and control.start == 1


@pytest.mark.parametrize(
    ("controls", "error", "message"),
    [
        ({}, ValueError, "expected one to 3 controls, got 0"),
        ({"slope": [1], "shift": [0.0], "dashed": True, "x": [1]}, ValueError, "got 4"),
        (
            {"speed": (0, 1, 0.1)},
            TypeError,
            r"expected controls among .*\(slope, shift, dashed\), got 'speed'",
        ),
        (
            {"slope": (2, 1, 1)},
            ValueError,
            r"slope: expected min \+ step <= max .*got \(2, 1, 1\)",
        ),
        ({"slope": (0, 1, 0)}, ValueError, "step > 0"),
        ({"slope": []}, ValueError, "expected at least one choice"),
        (
            {"slope": "abc"},
            TypeError,
            "expected .min, max, step., a list or dict .* got 'abc'",
        ),
        ({"slope": range(3)}, TypeError, r"a list or dict .* got range\(0, 3\)"),
        ({"slope": 3}, TypeError, "a list or dict .* got 3"),
        ({"slope": widgets.IntText()}, TypeError, "of one value, got IntText"),
        ({"slope": widgets.IntRangeSlider()}, TypeError, "got IntRangeSlider"),
        ({"slope": widgets.FloatLogSlider()}, TypeError, "got FloatLogSlider"),
        (
            {"slope": (0, 10**9, 1)},
            ValueError,
            "at most 150 frames, got 1000000001 val",
        ),
        ({"slope": (0.0, 1.0, 1e-300)}, ValueError, "at most 150 frames"),
        (
            {"slope": [1, 2], "play": "slope"},
            ValueError,
            "play to name a range, got 'sl",
        ),
        (
            {"slope": (1, 3), "play": "speed"},
            ValueError,
            "play to name a range, got 'sp",
        ),
        ({"slope": (0.0, 1.0)}, TypeError, "expected .min, max, step."),
        (
            {"slope": (2, 9, 1)},
            ValueError,
            r"expected a default on the grid 2 … 9, got 1",
        ),
        (
            {"slope": (1, 200, 1)},
            ValueError,
            r"slope: expected at most 150 frames, got 200 values; coarsen the step 1",
        ),
        (
            {"shift": (0.0, 1.0, 0.1), "slope": (1, 50, 1)},
            ValueError,
            r"got 11 × 50 = 550; coarsen 'slope' \(50 values\)",
        ),
    ],
)
def test_bad_use_says_what_was_expected_and_what_came(pages, controls, error, message):
    with pytest.raises(error, match=message):
        interact(**controls)(line)


def test_too_many_bytes_name_the_control_to_coarsen(pages):
    def noise(seed=0):
        """Noise, which no coder can shorten."""
        fig, ax = plt.subplots(figsize=(6.5, 4))
        ax.imshow(np.random.default_rng(seed).random((400, 600)), cmap="gray")
        return fig

    with pytest.raises(
        ValueError, match=r"at most 1\.0 MB of frames, got .* coarsen 'seed'"
    ):
        interact(seed=(0, 5))(noise)


def test_no_docstring_no_default_no_figure(pages):
    with pytest.raises(ValueError, match="expected a docstring"):
        interact(a=[1])(lambda a=1: None)

    def bare(a, b):
        """A picture."""

    with pytest.raises(TypeError, match="a default for 'b', got neither"):
        interact(a=[1, 2])(bare)

    def nothing(a=1):
        """A picture."""

    with pytest.raises(
        TypeError, match=r"nothing\(a=1\): expected a matplotlib Figure, got NoneType"
    ):
        interact(a=[1, 2])(nothing)


@pytest.mark.parametrize(("shown_by", "bad"), [(STATIC, 3), (STATIC, 5)])
def test_an_exception_at_any_position_names_it(monkeypatch, shown, shown_by, bad):
    monkeypatch.setattr(interact_module, "_bundle", shown_by)

    def fragile(a=1):
        """A picture that breaks at one position."""
        if a == bad:
            raise ZeroDivisionError("no")
        return line()

    with pytest.raises(ZeroDivisionError) as caught:
        interact(a=(1, 5))(fragile)
    assert f"while drawing fragile(a={bad})" in caught.value.__notes__


@pytest.mark.parametrize("shown_by", [STATIC])
def test_frames_of_different_size_are_refused(monkeypatch, shown, shown_by):
    monkeypatch.setattr(interact_module, "_bundle", shown_by)

    def jumping(a=1):
        """A picture that grows."""
        return plt.figure(figsize=(2, a))

    with pytest.raises(ValueError, match=r"jumping\(a = 2\): expected every frame"):
        interact(a=[1, 2])(jumping)


def test_words_that_reach_beyond_the_picture_are_refused(pages):
    def labelled(row="-"):
        """A row whose name has the room of another one."""
        fig, ax = plt.subplots(figsize=(3, 1), layout="constrained")
        ax.set_yticks([0], [row])
        return fig

    with pytest.raises(ValueError, match=r"labelled\(row = .*ink at its edge: left$"):
        interact(row=["-", "—" * 20])(labelled)


def test_live_mode_shows_widgets_a_picture_and_follows_the_slider(boxes, shown):
    calls = []

    def recorded(slope=1, dashed=False):
        """A straight line."""
        calls.append((slope, dashed))
        return line(slope, dashed=dashed)

    function = interact(slope=(1, 3), dashed=False)(recorded)
    assert set(shown[0]) >= {
        "application/vnd.jupyter.widget-view+json",
        "image/png",
        "text/plain",
    }
    picture, _, words, _, slider, box = boxes[0].children
    before = picture.value
    slider.value = 2
    box.value = True
    assert calls[-2:] == [(3, False), (3, True)]
    assert (
        picture.value != before
        and "A straight line. slope = 3, dashed = on." in words.value
    )
    assert function is recorded and [c.name for c in function.controls] == [
        "slope",
        "dashed",
    ]


def test_every_frame_keeps_the_layout_of_the_defaults(pages):
    boxes = []

    def labelled(a=6):
        """A plot whose labels are wide at one position."""
        fig, ax = plt.subplots(figsize=(3, 2), layout="constrained")
        ax.set(ylim=(0, 10**a), ylabel="label")
        boxes.append(ax)
        return fig

    interact(a=[1, 6])(labelled)
    corners = [ax.get_position().bounds for ax in boxes]
    assert corners[1] == corners[2] == corners[0] != (0.125, 0.11, 0.775, 0.77)


def test_other_axes_are_not_put_where_the_defaults_have_theirs(pages):
    corners = []

    def turned(down=False):
        """Two plots side by side or one above the other."""
        fig, axes = plt.subplots(*((2, 1) if down else (1, 2)), layout="constrained")
        corners.append(axes)
        return fig

    interact(down=False)(turned)
    across, down = [[ax.get_position().bounds for ax in axes] for axes in corners[1:]]
    assert across[0][1] == across[1][1] and down[0][0] == down[1][0]
    assert down[0][1] > down[1][1] + down[1][3]


def test_a_base_is_encoded_once(pages, monkeypatch):
    encoded = []
    webp = figures._webp
    monkeypatch.setattr(
        figures, "_webp", lambda *args: encoded.append(len(args)) or webp(*args)
    )
    interact(slope=[1, 2, 3], shift=(0.0, 1.0, 0.25))(line)
    assert sorted(encoded) == [1] * 3 + [2] * 15


def test_live_mode_says_what_went_wrong_until_it_goes_right(boxes):
    def fragile(a=1):
        """A picture that breaks at one position."""
        assert a != 2, "two is <too> much"
        return line(a)

    interact(a=(1, 3))(fragile)
    _, trouble, words, _, slider = boxes[0].children
    assert trouble.value == ""
    slider.value = 1
    assert "AssertionError: two is &lt;too&gt; much" in trouble.value
    assert "while drawing fragile(a=2)" in trouble.value
    slider.value = 2
    assert trouble.value == "" and "a = 3" in words.value


def test_fewer_colours_look_like_all_colours():
    fig, ax = plt.subplots(figsize=(6, 3), dpi=125)
    x = np.linspace(-3, 3, 200)
    ax.contourf(x, x, np.log(np.add.outer(2 * x**2, x**2 / 9) + 0.01), 24, cmap="Blues")
    for k in range(4):  # lines whose colours the palette must hold as well
        ax.plot(x, 3 * np.sin(x + k), lw=2)
    fig.canvas.draw()
    image = Image.fromarray(np.array(fig.canvas.buffer_rgba())[..., :3])
    fewer = figures._fewer_colours(image)
    all_, some = np.asarray(image, int), np.asarray(fewer, int)
    assert len(fewer.getcolors()) <= figures.COLOURS
    assert np.abs(some - all_).max(axis=-1).mean() < 1  # of 255
    assert ((some == 255).all(axis=-1) == (all_ == 255).all(axis=-1)).all()  # white


@pytest.mark.parametrize("shown_by", [LIVE, STATIC])
def test_the_budget_is_asked_before_a_frame_is_drawn(monkeypatch, shown, shown_by):
    monkeypatch.setattr(interact_module, "_bundle", shown_by)

    def drawn(a=0, b=0):
        """Never drawn."""
        raise AssertionError

    for abbreviations in [{"a": (0, 12), "b": (0, 12)}, {"a": (0, 10**9, 1)}]:
        with pytest.raises(ValueError, match="at most 150 frames"):
            interact(**abbreviations)(drawn)


@pytest.mark.parametrize("shown_by", [STATIC])
def test_a_control_that_changes_nothing_is_refused(monkeypatch, shown, shown_by):
    monkeypatch.setattr(interact_module, "_bundle", shown_by)

    def deaf(slope=1, colour=0):
        """A straight line."""
        return line(slope)

    with pytest.raises(ValueError, match="deaf: expected 'colour' to change the pict"):
        interact(slope=(1, 3), colour=(0, 4))(deaf)

    def bump(at=0, slope=1):
        """A straight line that is dashed in the middle."""
        return line(slope, dashed=at == 2 and slope == 2)

    interact(at=(0, 4), slope=(1, 3))(bump)


def test_test_mode_shows_the_defaults(monkeypatch, shown, capsys):
    monkeypatch.setattr(interact_module, "_bundle", STATIC)
    interact(slope=[1, 2])(line)
    assert base64.b64decode(shown[0]["image/png"]).startswith(b"\x89PNG")
    assert capsys.readouterr().out == "✓ line: A straight line.\n"


def test_a_widget_gives_its_value_where_the_function_gives_none():
    start = lambda widget, *default: (
        controls.Control.of("a", "a", widget, *default).start
    )
    slider = widgets.FloatSlider(min=0, max=1, step=0.25, value=0.5)
    assert start(slider) == 2 and start(slider, 0.75) == 3
    assert start(widgets.Dropdown(options={"one": 1, "two": 2}, value=2)) == 1
    assert start(widgets.Checkbox(True)) == 1 and start((1, 3)) == 0


@pytest.mark.parametrize("thing", [functools.partial(line, 2), 3, print])
def test_what_is_no_function_is_refused(thing):
    with pytest.raises(TypeError, match="expected a function made by def, got"):
        interact(slope=[1, 2])(thing)


def test_a_position_in_words(pages):
    interact(slope={"one, or 1": 1, "½": 0.5}, shift=(-1, 1, 0.25), dashed=False)(line)
    at = functools.partial(position, line)
    start = {"slope": 1, "shift": 0.0, "dashed": False}
    assert at("") == start
    assert at("shift=-0.5,dashed=on") == start | {"shift": -0.5, "dashed": True}
    assert at("slope=½,shift=0.50") == at("slope=%C2%BD,shift=.5")
    assert at("slope=one%2C%20or%201") == start
    keys = [c["keys"] for c in pictures(pages[0])[0]["controls"]]
    assert keys[0] == ["one%2C%20or%201", "%C2%BD"] and keys[2] == ["off", "on"]
    for text in ["shift=0.3", "shift=x", "dashed=1", "slope=2"]:
        with pytest.raises(ValueError, match=r"expected one of .*, got"):
            at(text)
    with pytest.raises(ValueError, match="a control of slope, shift, dashed, got 'x'"):
        at("x=1")


def test_leaves_no_figure_open(pages):
    plt.close("all")
    interact(slope=[1, 2])(line)
    assert plt.get_fignums() == [] and display is not module.display


def test_a_frame_keeps_nothing_of_the_one_before(pages):
    interact(slope=[1, 2, 3])(line)
    interact(slope=[3, 1])(line)
    before, alone = pictures(pages[0])[1][2], pictures(pages[1])[1][0]
    assert np.array_equal(before, alone)


def test_garbage_is_collected_after_the_picture_and_as_before(monkeypatch, shown):
    monkeypatch.setattr(interact_module, "_bundle", LIVE)
    during = []

    def watched(slope=1):
        """A straight line."""
        during.append(gc.isenabled())
        return line(slope)

    interact(slope=[1, 2])(watched)
    assert during[-1] is False and gc.isenabled()
    with pytest.raises(ZeroDivisionError), drawing.garbage_later():
        raise ZeroDivisionError
    assert gc.isenabled()
    gc.disable()
    try:
        interact(slope=[1, 2])(watched)
        assert not gc.isenabled()
    finally:
        gc.enable()


PAGE = """<!DOCTYPE html><html lang="en" data-theme="light"><head><title>Page</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>{}</style>
<style>body {{ margin: 0 }} .bd-article {{ padding: 16px }} .output {{ overflow-x: auto }}</style>
</head><body class="bd-content"><article class="bd-article">
<div class="cell_output"><div class="output text_html">{}</div></div>
<div style="height: 200vh"></div>
<p><a class="position" href="#wave:step=4,line=%C2%BD%2C%20dashed">half of it</a>
<a class="position" href="#wave:step=9">off the grid</a></p>
<div class="cell_output"><div class="output text_html">{}</div></div>
</article></body></html>"""


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """A page of two figures, the first of them with each kind of control."""

    def wave(step=0, line="solid", grid=False):
        """A wave."""
        fig, ax = plt.subplots(figsize=(6.5, 3), layout="constrained")
        ax.plot(np.sin(np.arange(50) / 5 + step), "-" if line == "solid" else "--")
        ax.grid(grid)
        return fig

    def other(slope=1):
        """A straight line."""
        return line(slope)

    bundles = []
    with pytest.MonkeyPatch.context() as patch, mpl.rc_context():
        mpl.rcdefaults()
        patch.setattr(interact_module, "_bundle", STATIC)
        patch.setattr(module, "display", lambda bundle, raw: bundles.append(bundle))
        shapes = ["solid", "½, dashed"]
        interact(step=(0, 5), line=shapes, grid=False, play="step")(wave)
        interact(slope=[1, 2])(other)
    css = (ROOT / "press" / "pages" / "static" / "book.css").read_text()
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(PAGE.format(css, *(bundle["text/html"] for bundle in bundles)))
    return file


@pytest.fixture
def visit(browser, page_file):
    contexts = []

    def open_page(address="", **options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.goto(page_file.as_uri() + address)
        return page

    yield open_page
    for context in contexts:
        context.close()


def states(page):
    return page.locator("figure.interact .state").all_text_contents()


START = "step = 0, line = solid, grid = off"
HALF = "step = 4, line = ½, dashed, grid = off"


def test_a_position_moves_its_figure_and_no_other(visit):
    page = visit(viewport={"width": 1280, "height": 800})
    assert states(page) == [START, "slope = 1"]
    image = page.locator("img").nth(1)
    before = image.get_attribute("src")
    page.locator("input[type=checkbox]").check()
    page.locator("a.position").first.focus()
    assert page.evaluate("scrollY") > 300
    page.keyboard.press("Enter")
    assert states(page) == [HALF, "slope = 1"]  # what it does not name is as at first
    assert image.get_attribute("alt") == f"A wave. {HALF}."
    assert image.get_attribute("src") != before
    assert page.locator(".state").first.get_attribute("aria-live") == "polite"
    assert page.url.endswith("#wave:step=4,line=%C2%BD%2C%20dashed")
    top = page.evaluate(
        "document.querySelector('.picture').getBoundingClientRect().top"
    )
    assert 0 <= top < 700
    page.locator("a.position").nth(1).click()  # off the grid: nothing moves
    assert states(page) == [HALF, "slope = 1"]


def test_controls_are_native_and_labelled(visit):
    form = visit().get_by_role("form", name="Controls of wave")
    assert (
        form.get_by_role("slider", name="step").get_attribute("aria-valuetext") == "0"
    )
    assert form.get_by_role("combobox", name="line").input_value() == "solid"
    assert not form.get_by_role("checkbox", name="grid").is_checked()


def test_an_address_with_a_position_opens_it_so(visit):
    page = visit("#wave:step=2,grid=on")
    assert states(page)[0] == "step = 2, line = solid, grid = on"
    page.evaluate("location.hash = '#wave:step=3'")
    page.wait_for_function("document.querySelector('input').value === '3'")
    assert states(page)[0] == "step = 3, line = solid, grid = off"
    for odd in ["#wave:step=99", "#wave:line=%E0%A4%A", "#wave:x=1", "#wave", "#é:%"]:
        page.evaluate("(hash) => { location.hash = hash; }", odd)
        page.wait_for_timeout(50)
        assert states(page)[0] == "step = 3, line = solid, grid = off", odd
    page.evaluate("location.hash = '#wave:'")
    page.wait_for_function("document.querySelector('input').value === '0'")
    assert visit("#wave:line=%E0%A4%A").locator("form:visible").count() == 2


def test_time_plays_through_and_stops_at_a_touch(visit):
    page = visit()
    play = page.get_by_role("button", name="Play step")
    play.click()
    assert play.get_attribute("aria-pressed") == "true"
    page.wait_for_function("document.querySelector('input').value === '5'")
    page.wait_for_function("document.querySelector('.play').ariaPressed === 'false'")
    play.click()  # from the end: again from the start
    assert states(page)[0].startswith("step = 0")
    page.locator("input[type=checkbox]").click()
    assert play.get_attribute("aria-pressed") == "false"
    assert visit(reduced_motion="reduce").locator(".play:visible").count() == 0


def test_without_javascript_and_in_print_the_values_stand_in_words(visit):
    page = visit(java_script_enabled=False)
    assert page.locator("form:visible").count() == 0
    assert page.locator(".state").first.inner_text() == START
    assert page.locator(".state").first.bounding_box()["height"] > 10
    page = visit("#wave:step=2")
    assert page.locator(".state").first.bounding_box()["height"] <= 1
    page.emulate_media(media="print")
    assert page.locator("form:visible").count() == 0
    assert page.locator(".state").first.bounding_box()["height"] > 10
    assert states(page)[0].startswith("step = 2")


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def test_a_phone_shows_the_edges_of_a_picture(visit):
    page = visit(**PHONE)
    box = page.locator(".picture").first.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    hit = """(e) => { const { left, right, top } = e.getBoundingClientRect();
      return [left + 1, right - 1].map(
        (x) => e.contains(document.elementFromPoint(x, top + 9))); }"""
    assert page.locator(".picture").first.evaluate(hit) == [True, True]  # none clips it


def test_a_tap_opens_the_figure_over_the_screen(visit):
    page = visit(**PHONE)
    height = page.evaluate("document.documentElement.scrollHeight")
    page.locator(".picture").first.tap()
    dialog = page.get_by_role("dialog")
    assert (
        dialog.locator("img").last.bounding_box()["width"] >= 480
    )  # 9 pt of 6.5 in: 9 px
    assert dialog.bounding_box() == {"x": 0, "y": 0, "width": 390, "height": 844}
    assert page.evaluate("document.documentElement.scrollHeight") == height
    slider = dialog.get_by_role("slider")
    assert 0 < slider.bounding_box()["y"] < 844 - 20
    slider.press("End")
    assert states(page)[0].startswith("step = 5")
    dialog.get_by_role("button", name="Close").tap()
    assert dialog.count() == 0
    page.get_by_role("button", name="Larger picture").first.tap()
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    page.locator("figure > .picture + form + .state").nth(1).wait_for(state="attached")
    assert states(page)[0].startswith("step = 5")
