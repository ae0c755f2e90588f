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
from tests.browser import chromium
from tests.notebooks import ROOT
from utils.interact import controls, drawing, interact, position, static


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
    monkeypatch.setenv("BOOK_MODE", "static")
    return shown


def line(slope=1, shift=0.0, dashed=False):
    """A straight line."""
    fig, ax = plt.subplots(figsize=(2, 1.5))
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
    assert html.count("<select>") == 1 and html.count('<input type="checkbox"') == 1
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", html)


def test_text_from_the_author_cannot_break_the_page(pages):
    def odd(choice="</script>"):
        """A <b>line</b> & "more"."""
        return line()

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
        (widgets.RadioButtons(options=[("one", 1), ("two", 2)]), (1, 2), ("one", "two")),
        ((0, 2e-11, 1e-11), (0, 1e-11, 2e-11),
         ("0.00000000000", "0.00000000001", "0.00000000002")),
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
        ({"slope": (0, 10**9, 1)}, ValueError, "at most 150 frames, got 1000000001 val"),
        ({"slope": (0.0, 1.0, 1e-300)}, ValueError, "at most 150 frames"),
        ({"slope": [1, 2], "play": "slope"}, ValueError, "play to name a range, got 'sl"),
        ({"slope": (1, 3), "play": "speed"}, ValueError, "play to name a range, got 'sp"),
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

    with pytest.raises(TypeError, match="got neither for 'b'"):
        interact(a=[1, 2])(bare)

    def nothing(a=1):
        """A picture."""

    with pytest.raises(
        TypeError, match=r"nothing\(a=1\): expected a matplotlib Figure, got NoneType"
    ):
        interact(a=[1, 2])(nothing)


@pytest.mark.parametrize(("mode", "bad"), [("static", 3), ("test", 5)])
def test_an_exception_at_any_position_names_it(monkeypatch, shown, mode, bad):
    monkeypatch.setenv("BOOK_MODE", mode)

    def fragile(a=1):
        """A picture that breaks at one position."""
        if a == bad:
            raise ZeroDivisionError("no")
        return line()

    with pytest.raises(ZeroDivisionError) as caught:
        interact(a=(1, 5))(fragile)
    assert f"while drawing fragile(a={bad})" in caught.value.__notes__


def test_frames_of_different_size_are_refused(pages):
    def jumping(a=1):
        """A picture that grows."""
        return plt.figure(figsize=(2, a))

    with pytest.raises(
        ValueError, match=r"jumping\(\{'a': 2\}\): expected every frame"
    ):
        interact(a=[1, 2])(jumping)


def test_live_mode_shows_widgets_a_picture_and_follows_the_slider(monkeypatch, shown):
    monkeypatch.setenv("BOOK_MODE", "live")
    boxes, calls = [], []
    vbox = widgets.VBox
    monkeypatch.setattr(
        widgets, "VBox", lambda children: boxes.append(vbox(children)) or boxes[-1]
    )

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
    picture, words, slider, box = boxes[0].children
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

    def labelled(a=1):
        """A plot whose labels grow wide at one position."""
        fig, ax = plt.subplots(figsize=(3, 2), layout="constrained")
        ax.set(ylim=(0, 10**a), ylabel="label")
        boxes.append(ax)
        return fig

    interact(a=[1, 6])(labelled)
    corners = [ax.get_position().bounds for ax in boxes]
    assert corners[1] == corners[2] == corners[0] != (0.125, 0.11, 0.775, 0.77)


def test_unknown_mode(monkeypatch):
    monkeypatch.setenv("BOOK_MODE", "loud")
    with pytest.raises(
        ValueError, match="expected 'live', 'static' or 'test', got 'loud'"
    ):
        interact(slope=[1, 2])(line)


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
    monkeypatch.setenv("BOOK_MODE", "live")
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
