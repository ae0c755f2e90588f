"""Recurring drawings: what they put on the axes, and what they say of bad input."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from utils import plots


@pytest.fixture
def ax():
    with mpl.rc_context():
        plots.use_style()
        fig, ax = plt.subplots()
        yield ax
        fig.canvas.draw()  # a glyph no font has, a layout that fails: warnings are errors
        plt.close(fig)


def test_use_style_has_fonts_that_are_there(ax):
    assert mpl.font_manager.findfont("Source Sans Pro").endswith(
        "SourceSansPro-Regular.ttf"
    )
    ax.set_title("∂L/∂W ηγλ −1 ⊤ √ ≤")


def test_contours_are_of_the_function_and_not_of_its_transpose(ax):
    filled = plots.contours(
        ax, lambda x, y: x + 100 * y, (0, 1), (0, 2), levels=[0, 50, 100, 200]
    )
    upper = [p for p in filled.get_paths() if len(p.vertices)][-2].vertices
    assert upper[:, 1].min() > 0.95 and np.ptp(upper[:, 0]) == 1
    assert ax.get_xlim() == (0, 1) and ax.get_ylim() == (0, 2)


def test_contours_with_a_path_and_logarithm(ax):
    path = np.array([[1.0, 2.0], [0.5, 1.0], [0.0, 0.5]])
    plots.contours(
        ax, lambda x, y: x**2 + y**2 + 1, (-1, 1), (-3, 3), log=True, path=path
    )
    assert any(np.array_equal(line.get_xydata(), path) for line in ax.lines)


def test_decision_regions_colour_the_side_of_the_class(ax):
    X, y = np.array([[-1.0, 0.0], [1.0, 0.5], [1.5, -1.0]]), np.array([3, 7, 7])
    plots.decision_regions(ax, lambda P: np.where(P[:, 0] > 0, 7, 3), X, y)
    assert [t.get_label() for t in ax.lines] == ["3", "7"]
    left, right = (p.vertices[:, 0] for p in ax.collections[0].get_paths())
    assert left.max() < 0.03 and right.min() > -0.03


def test_heatmap_prints_each_entry_in_its_cell(ax):
    image = plots.heatmap(
        ax, [[1, -2, 3], [0, 5, 6]], row_labels="ab", col_labels="xyz", centre=0
    )
    assert {t.get_position(): t.get_text() for t in ax.texts}[(1, 0)] == "-2.00"
    assert image.get_clim() == (-6, 6)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["x", "y", "z"]


def test_curves_are_named_at_their_ends(ax):
    x = np.linspace(0, 1, 5)
    plots.curves(ax, x, {"a": x, "b": x**2})
    assert [t.get_text() for t in ax.texts] == ["a", "b"]


def test_diagram_and_network_hold_what_they_are_given(ax):
    plots.diagram(ax, {"a": (0, 0, "A"), "b": (1, 1, "B")}, [("a", "b", "edge")])
    assert {"A", "B", "edge"} <= {t.get_text() for t in ax.texts}
    before = len(ax.lines)
    plots.network(ax, [3, 2], labels=["in", "out"])
    assert len(ax.lines) - before == 3 * 2 + 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda ax: plots.path(ax, [1, 2, 3]),
            r"expected points of shape \(K, 2\), got \(3,\)",
        ),
        (
            lambda ax: plots.contours(ax, lambda x, y: 1.0, (0, 1), (0, 1)),
            "keep the shape",
        ),
        (
            lambda ax: plots.contours(ax, lambda x, y: -x, (0, 1), (0, 1), log=True),
            "positive",
        ),
        (
            lambda ax: plots.decision_regions(ax, None, np.ones((3, 2)), np.ones(2)),
            r"\(3, 2\) and \(2,\)",
        ),
        (lambda ax: plots.heatmap(ax, [1, 2]), "expected a matrix"),
        (
            lambda ax: plots.heatmap(ax, [[1, 2]], col_labels="a"),
            "expected 2 labels, got 1",
        ),
        (
            lambda ax: plots.curves(ax, [1, 2], {"a": [1]}),
            r"'a' of shape \(2,\), got \(1,\)",
        ),
        (lambda ax: plots.diagram(ax, {"a": (0, 0, "")}, [("a", "b")]), "got 'b'"),
        (lambda ax: plots.network(ax, [1, 2], labels=["x"]), "expected 2 labels"),
    ],
)
def test_bad_input_says_what_was_expected(ax, call, message):
    with pytest.raises(ValueError, match=message):
        call(ax)
