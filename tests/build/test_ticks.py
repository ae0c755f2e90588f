"""Private methods of Matplotlib are touched where its version is pinned, in the build."""

import matplotlib.pyplot as plt
import pytest

from press.figures import ticks
from utils.interact.controls import controls_of
from utils.interact.frames import frame, layout_of


@pytest.fixture
def line():
    """A drawing function that keeps its last figure as ``line.figure``."""

    def draw(slope=1.0):
        """A straight line."""
        draw.figure, ax = plt.subplots(figsize=(3, 2))
        ax.plot([0, 1], [0, slope])
        return draw.figure

    return draw


@pytest.mark.parametrize("faster", [None, ticks.measured_once])
def test_a_frame_leaves_matplotlib_as_it_is(line, faster):
    controls = controls_of(line, {"slope": (0.0, 2.0, 1.0)}, {}, None)
    layout = layout_of(line, controls)
    frame(line, controls, (1,), 100, layout, *([faster] if faster else []))
    for axis in (line.figure.axes[0].xaxis, line.figure.axes[0].yaxis):
        assert not {"_update_ticks", "_get_ticklabel_bboxes"} & set(vars(axis))


def test_a_frame_is_the_same_without_the_shortcut(line):
    controls = controls_of(line, {"slope": (0.0, 2.0, 1.0)}, {}, None)
    layout = layout_of(line, controls)
    one = frame(line, controls, (2,), 100, layout)
    other = frame(line, controls, (2,), 100, layout, ticks.measured_once)
    assert one.tobytes() == other.tobytes()
