"""Interactive figures: their controls change them; without a script they stand still."""

import base64
import io
import json
from math import prod

import numpy as np
from PIL import Image

from tests.pages.built import every_chapter, parsed
from tests.pages.scripts import MOVES


@every_chapter
def test_every_control_changes_its_picture(visit, name):
    figures = visit(name).locator("figure.interact").all()
    assert figures
    for figure in figures:
        for j, seen in enumerate(figure.evaluate(MOVES)):
            location = f"{figure.get_attribute('data-name')}, control {j}: {seen}"
            assert seen["descriptions"] == seen["count"], location
            assert seen["pictures"] > seen["count"] / 2, location


@every_chapter
def test_a_figure_holds_a_frame_for_each_position(name):
    for figure in parsed(name).select("figure.interact"):
        data = json.loads(figure.script.string)
        function = figure["data-name"]
        count = prod(len(control["texts"]) for control in data["controls"])
        assert len(data["frames"]) == len(data["baseOf"]) == count, function
        assert max(data["baseOf"]) < len(data["bases"]), function
        for control in data["controls"]:
            assert len(control["keys"]) == len(control["texts"]), function
            assert 0 <= control["default_index"] < len(control["texts"]), function


@every_chapter
def test_whichever_control_is_moved_first_the_picture_changes(name):
    """The others stand at their defaults then, so none may wait for another one."""
    for figure in parsed(name).select("figure.interact"):
        data = json.loads(figure.script.string)
        idle = controls_without_effect(data)
        assert not idle, f"{figure['data-name']}: at the defaults {idle} change nothing"


def controls_without_effect(data):
    """Names of the controls along which, from the defaults, all pictures are the same."""
    counts = [len(control["texts"]) for control in data["controls"]]
    starts, idle = [control["default_index"] for control in data["controls"]], []
    for k, control in enumerate(data["controls"]):
        seen = set()
        for i in range(counts[k]):
            indices = [*starts[:k], i, *starts[k + 1 :]]
            index = np.ravel_multi_index(indices, counts)
            seen.add((data["bases"][data["baseOf"][index]], data["frames"][index]))
        idle += [control["name"]] if len(seen) == 1 else []
    return idle


@every_chapter
def test_before_any_script_the_default_is_there_and_no_control(name):
    figures = parsed(name).select("figure.interact")
    assert figures
    for figure in figures:
        function = figure["data-name"]
        (image,) = figure.select("img")
        kind, _, data = image["src"].partition("base64,")
        assert kind.startswith("data:image/") and image["alt"], function
        assert Image.open(io.BytesIO(base64.b64decode(data))).width > 600, function
        assert figure.form.has_attr("hidden"), function
        assert not figure.select("input, select, button"), function
