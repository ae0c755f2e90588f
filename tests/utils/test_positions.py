"""Positions of figures: how they are written, and what is said where one is not."""

import functools

import pytest

from tests.figures import line, shown_with
from utils.interact import interact, position
from utils.interact.live import live_bundle
from utils.interact.positions import indices_of, linked, values_of


@pytest.fixture(scope="module", autouse=True)
def controls():
    """Of the figure ``line``: a choice, a range and a switch."""
    with shown_with(live_bundle):
        slopes = {"one, or 1": 1, "½": 0.5, "p=9%": 9}
        interact(slope=slopes, shift=(-1, 1, 0.25), dashed=False)(line)
    return line.controls


def test_a_position_in_words(controls):
    at = functools.partial(position, line)
    start = {"slope": 1, "shift": 0.0, "dashed": False}
    assert at("") == start
    assert at("shift=-0.5,dashed=on") == start | {"shift": -0.5, "dashed": True}
    assert at("slope=½,shift=0.50") == at("slope=%C2%BD,shift=.5")
    assert at("slope=one%2C%20or%201") == start
    keys = [control.keys for control in controls]
    assert keys[0] == ("one%2C%20or%201", "%C2%BD", "p%3D9%25")
    assert keys[2] == ("off", "on")


@pytest.mark.parametrize(
    ("text", "indices"),
    [
        ("shift=−0.75", (0, 1, 0)),  # the minus of a sentence
        ("shift=%2D0.75", (0, 1, 0)),
        ("%73hift=2.5e-1", (0, 5, 0)),
        ("shift=+1.", (0, 8, 0)),
        ("slope=p=9%", (2, 4, 0)),
        ("slope=p%3D9%25", (2, 4, 0)),
        ("shift=1, dashed=on,", (0, 8, 1)),
    ],
)
def test_a_value_may_be_written_in_several_ways(controls, text, indices):
    assert indices_of("line", controls, text) == indices


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x=1", "a control of slope, shift, dashed, got 'x'"),
        ("shift=0,pace=2", "a control of slope, shift, dashed, got 'pace'"),
        ("shift=0.3", "shift in -1.0, -0.75, -0.5, …, 1.0, got '0.3'"),
        ("shift=", "shift in -1.0, -0.75, -0.5, …, 1.0, got ''"),
        *((f"shift={odd}", "shift in") for odd in ("x", "0x1", "1_0", "nan", "١")),
        ("slope=2", "slope in one%2C%20or%201, %C2%BD, p%3D9%25, got '2'"),
        ("slope=%E0%A4%A", "slope in"),
        ("dashed=1", "dashed in off, on, got '1'"),
        ("dashed", "control=value,control=value, got 'dashed'"),
        ("=on", "control=value,control=value, got '=on'"),
        ("shift=0.5,shift=1", "each control once, got 'shift=0.5,shift=1'"),
    ],
)
def test_what_is_no_position_is_said_with_what_there_is(text, message):
    with pytest.raises(ValueError, match=r"^line: expected ") as error:
        position(line, text)
    assert message in str(error.value)


@pytest.mark.parametrize("value", [len, 3])
def test_what_is_no_figure_has_no_position(value):
    with pytest.raises(TypeError, match=r"expected a figure .*, got (len|3)"):
        position(value, "a=1")


def test_values_are_decoded():
    assert values_of("lr=0.21,kind=dark%20red") == {"lr": "0.21", "kind": "dark red"}


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[at $a_{[1]}$](#line:a=1), [b](#öl:μ=2)", [("line", "a=1"), ("öl", "μ=2")]),
        ("[a](#sec-03-ridge) ![a](#f:a=1) \\[a](#f:a=1) [x](#f: a=1)", []),
        ("[a](other.html#f:a=1) [b](#1f:a=1)", []),
    ],
)
def test_links_to_positions_are_found(text, links):
    assert list(linked(text)) == links
