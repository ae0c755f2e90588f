"""The book's style and its recurring drawings, each on an ``ax`` that it is given."""

from collections.abc import Callable, Sequence
from importlib import resources

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager, style
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from matplotlib.contour import ContourSet
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D

from utils import alt

# Okabe and Ito's palette, legible with every kind of colour vision. Each colour means the
# same in every figure; lines that name none take the first six in this order.
COLORS = {
    "prediction": "#0072B2",
    "gradient": "#E69F00",
    "good": "#009E73",
    "second": "#AA4499",
    "bad": "#D55E00",
    "third": "#56B4E9",
    "data": "#7A7F87",
    "truth": "#1F2328",
}
CYCLE = list(COLORS.values())[:6]
SEQUENTIAL = LinearSegmentedColormap.from_list(
    "book-sequential", ["#F4F8FB", "#A9CDE4", "#3D8EC2", "#0B4A77"]
)
DIVERGING = LinearSegmentedColormap.from_list(
    "book-diverging", ["#B3560B", "#F0B57A", "#F7F7F5", "#8FBFDD", "#0B4A77"]
)
_REGIONS = ListedColormap(
    ["#D6E8F4", "#FBE6C8", "#D3EDE3", "#F0DCEB", "#F8DCCB", "#E3E5E8"]
)


def use_style() -> None:
    """Set fonts, colours and sizes of the figures that follow, and let them say their words."""
    folder = resources.files("font_source_sans_pro") / "files"
    for weight in ("Regular", "Bold", "It"):
        font_manager.fontManager.addfont(str(folder / f"SourceSansPro-{weight}.ttf"))
    if SEQUENTIAL.name not in mpl.colormaps:
        mpl.colormaps.register(SEQUENTIAL)
    style.use("utils.book")  # book.mplstyle beside this file
    mpl.rcParams["axes.prop_cycle"] = mpl.cycler(color=CYCLE)
    alt.register()


def path(
    ax: Axes,
    points: np.ndarray | list,
    *,
    color: str = COLORS["bad"],
    label: str | None = None,
) -> Line2D:
    """Draw a path through ``points (K, 2)``: a dot a step, start hollow, end filled."""
    points = np.asarray(points, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"path: expected points of shape (K, 2), got {points.shape}")
    (line,) = ax.plot(*points.T, "-o", color=color, lw=1.4, ms=2.8, label=label)
    ax.plot(*points[0], "o", color=color, mfc="white", mew=1.6, ms=7)
    ax.plot(*points[-1], "o", color=color, mec="white", mew=1.2, ms=8)
    return line


def contours(
    ax: Axes,
    f: Callable,
    xlim: tuple[float, float],
    ylim: tuple[float, float],
    *,
    levels: int | Sequence[float] = 14,
    log: bool = False,
    n: int = 160,
) -> ContourSet:
    """Draw pale filled contours of ``f(x, y)``, a function that takes arrays (n, n).

    Returns the contour set, for a colour bar or for labels.

    Parameters
    ----------
    levels : int or sequence of float
        How many levels, or which (of log10 f when ``log``).
    log : bool
        Contours of log10 f: for losses that span decades; f must be positive.
    """
    x, y = np.linspace(*xlim, n), np.linspace(*ylim, n)
    Z = np.asarray(f(*np.meshgrid(x, y)))
    if Z.shape != (n, n):
        raise ValueError(f"contours: expected f of shape {(n, n)}, got {Z.shape}")
    if log and not (Z > 0).all():
        raise ValueError(f"contours: log: expected f > 0, got a least of {Z.min():g}")
    Z = np.log10(Z) if log else Z
    filled = ax.contourf(x, y, Z, levels, cmap=SEQUENTIAL, alpha=0.75, extend="both")
    ax.contour(x, y, Z, filled.levels, colors="white", linewidths=0.6)
    ax.set(xlim=xlim, ylim=ylim)
    return filled


def decision_regions(
    ax: Axes,
    predict: Callable,
    X: np.ndarray | list,
    y: np.ndarray | list,
    *,
    n: int = 200,
) -> None:
    """Colour the plane by ``predict: (M, 2) → (M,)``, under the data X (N, 2), y (N,).

    At most six classes, numbers or names, in one colour each with the points of the class.
    """
    X, (classes, y) = np.asarray(X, dtype=float), np.unique(y, return_inverse=True)
    if X.ndim != 2 or X.shape[1] != 2 or y.shape != X.shape[:1] or len(classes) > 6:
        raise ValueError(
            "decision_regions: expected X (N, 2) and y (N,) of at most 6 classes, "
            f"got {X.shape}, {y.shape} and {len(classes)}"
        )
    pad = 0.08 * np.ptp(X, axis=0)
    x1, x2 = np.linspace(X.min(0) - pad, X.max(0) + pad, n).T
    grid = np.stack(np.meshgrid(x1, x2), axis=-1).reshape(-1, 2)
    predicted = np.asarray(predict(grid))
    if predicted.shape != grid.shape[:1] or not np.isin(predicted, classes).all():
        got = f"{predicted.shape}: {np.unique(predicted)}"
        raise ValueError(f"decision_regions: expected some of {classes}, got {got}")
    regions = np.searchsorted(classes, predicted).reshape(n, n)
    # Drawn as pixels: filled contours would show a stripe of class 1 between 0 and 2.
    frame = {
        "origin": "lower",
        "extent": (*x1[[0, -1]], *x2[[0, -1]]),
        "aspect": "auto",
    }
    ax.imshow(regions, cmap=_REGIONS, vmin=0, vmax=_REGIONS.N - 1, **frame)
    for i, name in enumerate(classes):
        point = {"ms": 4, "mec": "white", "mew": 0.5, "color": CYCLE[i]}
        ax.plot(*X[y == i].T, "o", label=str(name), **point)
    ax.set(xlim=x1[[0, -1]], ylim=x2[[0, -1]])


def heatmap(
    ax: Axes,
    A: np.ndarray | list,
    *,
    row_labels: Sequence[str] | None = None,
    col_labels: Sequence[str] | None = None,
    fmt: str | None = ".2f",
    centre: float | None = None,
) -> AxesImage:
    """Draw a matrix A (M, N) as coloured cells with numbers in them (``fmt=None``: none).

    ``centre`` is the value that stays pale, between orange below and blue above.
    """
    A = np.asarray(A, dtype=float)
    if A.ndim != 2:
        raise ValueError(f"heatmap: expected a matrix, got shape {A.shape}")
    look = {"cmap": SEQUENTIAL}
    if centre is not None:
        reach = np.abs(A - centre).max() or 1.0
        look = {"cmap": DIVERGING, "vmin": centre - reach, "vmax": centre + reach}
    image = ax.imshow(A, aspect="auto", **look)
    for axis, labels, size in (
        (ax.yaxis, row_labels, A.shape[0]),
        (ax.xaxis, col_labels, A.shape[1]),
    ):
        if labels is not None:
            if len(labels) != size:
                raise ValueError(f"heatmap: expected {size} labels, got {len(labels)}")
            axis.set_ticks(range(size), labels)
    for (i, j), value in np.ndenumerate(A if fmt else np.empty((0, 0))):
        red, green, blue, _ = image.cmap(image.norm(value))
        dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.55
        ink = "white" if dark else COLORS["truth"]
        text = format(value, fmt).replace("-", "−")
        ax.text(j, i, text, ha="center", va="center", color=ink)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return image
