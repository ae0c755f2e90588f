"""Controls, what they say of bad use, and the live figure with its widgets."""

import functools
import gc

import ipywidgets as widgets
import pytest

import utils.interact.shown as module
from tests.figures import line, shown_with
from utils.interact import controls, frames, interact, show_with
from utils.interact.live import live_bundle


@pytest.fixture
def shown():
    with shown_with(live_bundle) as shown:
        yield shown


@pytest.fixture
def boxes(monkeypatch, shown):
    """What is shown, as widgets."""
    vbox, boxes = widgets.VBox, []
    monkeypatch.setattr(
        widgets, "VBox", lambda children: boxes.append(vbox(children)) or boxes[-1]
    )
    return boxes


def test_a_figure_is_displayed_with_the_bundle_that_is_set(monkeypatch):
    displayed = []
    monkeypatch.setattr(
        module, "display", lambda *args, **options: displayed.append((args, options))
    )
    bundle = lambda function, controls: {
        "text/plain": f"{function.__name__}, {len(controls)}"
    }
    before = show_with(bundle)
    interact(slope=[1, 2])(line)
    assert show_with(before) is bundle and before is None
    assert displayed == [(({"text/plain": "line, 1"},), {"raw": True})]


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
    assert control.texts == texts and control.default_index == 1


def test_a_widget_gives_its_value_where_the_function_gives_none():
    start = lambda widget, *default: (
        controls.Control.of("a", "a", widget, *default).default_index
    )
    slider = widgets.FloatSlider(min=0, max=1, step=0.25, value=0.5)
    assert start(slider) == 2 and start(slider, 0.75) == 3
    assert start(widgets.Dropdown(options={"one": 1, "two": 2}, value=2)) == 1
    assert start(widgets.Checkbox(True)) == 1 and start((1, 3)) == 0


@pytest.mark.parametrize("value", [functools.partial(line, 2), 3, print])
def test_what_is_no_function_is_refused(value):
    with pytest.raises(TypeError, match="expected a function made by def, got"):
        interact(slope=[1, 2])(value)


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
def test_bad_use_says_what_was_expected_and_what_came(shown, controls, error, message):
    with pytest.raises(error, match=message):
        interact(**controls)(line)


def test_no_docstring_no_default_no_figure(shown):
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


def test_the_budget_is_asked_before_a_frame_is_drawn(shown):
    def drawn(a=0, b=0):
        """Never drawn."""
        raise AssertionError

    for abbreviations in [{"a": (0, 12), "b": (0, 12)}, {"a": (0, 10**9, 1)}]:
        with pytest.raises(ValueError, match="at most 150 frames"):
            interact(**abbreviations)(drawn)


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
    assert picture.value != before
    assert "A straight line. slope = 3, dashed = on." in words.value
    assert function is recorded and [c.name for c in function.controls] == [
        "slope",
        "dashed",
    ]


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


def test_garbage_is_collected_after_the_picture_and_as_before(shown):
    during = []

    def watched(slope=1):
        """A straight line."""
        during.append(gc.isenabled())
        return line(slope)

    interact(slope=[1, 2])(watched)
    assert during[-1] is False and gc.isenabled()
    with pytest.raises(ZeroDivisionError), frames.garbage_later():
        raise ZeroDivisionError
    assert gc.isenabled()
    gc.disable()
    try:
        interact(slope=[1, 2])(watched)
        assert not gc.isenabled()
    finally:
        gc.enable()
