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


def test_the_cycle_has_the_named_colours(ax):
    colours = [ax.plot([0, 1])[0].get_color() for _ in range(6)]
    names = "prediction", "gradient", "good", "second", "bad", "third"
    assert colours == [plots.COLORS[name] for name in names]
    assert len(set(plots.COLORS.values())) == len(plots.COLORS)


def test_contours_are_of_the_function_and_not_of_its_transpose(ax):
    filled = plots.contours(
        ax, lambda x, y: x + 100 * y, (0, 1), (0, 2), levels=[0, 50, 100, 200]
    )
    upper = [p for p in filled.get_paths() if len(p.vertices)][-2].vertices
    assert upper[:, 1].min() > 0.95 and np.ptp(upper[:, 0]) == 1
    assert ax.get_xlim() == (0, 1) and ax.get_ylim() == (0, 2)


def test_contours_of_the_logarithm(ax):
    levels = [0, 0.5, 1]
    filled = plots.contours(
        ax, lambda x, y: 10 ** (x**2), (-1, 1), (-3, 3), log=True, levels=levels
    )
    assert list(filled.levels) == levels and filled.zmax == 1


def test_a_path_begins_hollow_and_ends_filled(ax):
    points = np.array([[1.0, 2.0], [0.5, 1.0], [0.0, 0.5]])
    assert np.array_equal(plots.path(ax, points).get_xydata(), points)
    first, last = ax.lines[1:]
    assert (*first.get_xydata()[0],) == (1, 2) and first.get_mfc() == "white"
    assert (*last.get_xydata()[0],) == (0, 0.5) and last.get_mfc() != "white"


def test_decision_regions_colour_the_side_of_the_class(ax):
    X, y = np.array([[-1.0, 0.0], [1.0, 0.5], [1.5, -1.0]]), np.array([3, 7, 7])
    plots.decision_regions(ax, lambda P: np.where(P[:, 0] > 0, 7, 3), X, y)
    assert [t.get_label() for t in ax.lines] == ["3", "7"]
    (image,) = ax.images
    assert (image.get_array() == (np.linspace(*image.get_extent()[:2], 200) > 0)).all()


def test_decision_regions_have_no_third_class_between_two(ax):
    X, y = np.array([[-1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 1, 2])
    plots.decision_regions(ax, lambda P: np.where(P[:, 0] > 0, 2, 0), X, y)
    (image,) = ax.images
    ax.figure.canvas.draw()
    colours = image.cmap(image.norm(image.get_array())).reshape(-1, 4)
    assert len(np.unique(colours, axis=0)) == 2


def test_heatmap_prints_each_entry_in_its_cell(ax):
    image = plots.heatmap(
        ax, [[1, -2, 3], [0, 5, 6]], row_labels="ab", col_labels="xyz", centre=0
    )
    assert {t.get_position(): t.get_text() for t in ax.texts}[(1, 0)] == "−2.00"
    assert image.get_clim() == (-6, 6)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda ax: plots.path(ax, [1, 2, 3]),
            r"expected points of shape \(K, 2\), got \(3,\)",
        ),
        (
            lambda ax: plots.contours(ax, lambda x, y: 1.0, (0, 1), (0, 1)),
            r"expected f of shape \(160, 160\), got \(\)",
        ),
        (
            lambda ax: plots.contours(ax, lambda x, y: -x, (0, 1), (0, 1), log=True),
            "expected f > 0, got a least of -1",
        ),
        (
            lambda ax: plots.decision_regions(ax, None, np.ones((3, 2)), np.ones(2)),
            r"\(3, 2\), \(2,\)",
        ),
        (
            lambda ax: plots.decision_regions(ax, None, np.ones((7, 2)), range(7)),
            "at most 6 classes, got .* and 7",
        ),
        (
            lambda ax: plots.decision_regions(
                ax, lambda P: P[:, 0] > 0, np.eye(2), [3, 7]
            ),
            r"expected some of \[3 7\], got .*False",
        ),
        (lambda ax: plots.heatmap(ax, [1, 2]), "expected a matrix"),
        (
            lambda ax: plots.heatmap(ax, [[1, 2]], col_labels="a"),
            "expected 2 labels, got 1",
        ),
    ],
)
def test_bad_input_says_what_was_expected(ax, call, message):
    with pytest.raises(ValueError, match=message):
        call(ax)
