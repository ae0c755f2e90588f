"""The book's style and its recurring drawings, each on an ``ax`` that it is given."""

import itertools
from importlib import resources

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib.colors import LinearSegmentedColormap

# Okabe and Ito's palette, legible with every kind of colour vision; fixed meanings.
COLORS = {
    "data": "#7A7F87",
    "prediction": "#0072B2",
    "truth": "#1F2328",
    "gradient": "#E69F00",
    "good": "#009E73",
    "bad": "#D55E00",
    "second": "#AA4499",
    "third": "#56B4E9",
}
SEQUENTIAL = LinearSegmentedColormap.from_list(
    "book-sequential", ["#F4F8FB", "#A9CDE4", "#3D8EC2", "#0B4A77"]
)
DIVERGING = LinearSegmentedColormap.from_list(
    "book-diverging", ["#B3560B", "#F0B57A", "#F7F7F5", "#8FBFDD", "#0B4A77"]
)
_REGIONS = ["#D6E8F4", "#FBE6C8", "#D3EDE3", "#F0DCEB", "#F8DCCB", "#E3E5E8"]


def use_style():
    """Set the book's fonts, colours and sizes for the figures that follow."""
    folder = resources.files("font_source_sans_pro") / "files"
    for weight in ("Regular", "Bold", "It"):
        font_manager.fontManager.addfont(str(folder / f"SourceSansPro-{weight}.ttf"))
    if SEQUENTIAL.name not in mpl.colormaps:
        mpl.colormaps.register(SEQUENTIAL)
    mpl.rcParams.update(
        {
            "font.family": ["Source Sans Pro", "DejaVu Sans"],
            "font.size": 11,
            "mathtext.fontset": "stixsans",
            "axes.titlesize": 12,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.titlepad": 8,
            "axes.titley": 1.0,  # else every draw measures all ticks to place a title
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": "#5B6168",
            "axes.linewidth": 0.8,
            "axes.labelcolor": "#3A3F45",
            "axes.prop_cycle": mpl.cycler(
                color=[
                    COLORS[k]
                    for k in (
                        "prediction",
                        "gradient",
                        "good",
                        "second",
                        "bad",
                        "third",
                    )
                ]
            ),
            "xtick.color": "#5B6168",
            "ytick.color": "#5B6168",
            "xtick.labelsize": 10,
            "ytick.labelsize": 10,
            "lines.linewidth": 2.0,
            "lines.markersize": 5,
            "legend.frameon": False,
            "legend.fontsize": 10,
            "figure.figsize": (6.5, 3.4),
            "figure.dpi": 110,
            "figure.constrained_layout.use": True,
            "image.cmap": "book-sequential",
            "axes.unicode_minus": True,
        }
    )


def path(ax, points, *, color=None, label=None):
    """A path through ``points (K, 2)`` with a dot a step, start hollow, end filled."""
    points = np.asarray(points, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"path: expected points of shape (K, 2), got {points.shape}")
    color = color or COLORS["bad"]
    (line,) = ax.plot(*points.T, "-o", color=color, lw=1.4, ms=2.8, label=label)
    ax.plot(*points[0], "o", color=color, mfc="white", mew=1.6, ms=7)
    ax.plot(*points[-1], "o", color=color, mec="white", mew=1.2, ms=8)
    return line


_draw_path = path  # contours has an argument of that name


def contours(ax, f, xlim, ylim, *, levels=14, log=False, path=None, n=160):
    """Pale filled contours of ``f(x, y)``, a function that takes arrays.

    Parameters
    ----------
    levels : int or sequence of float
        How many levels, or which (of log10 f when ``log``).
    log : bool
        Contours of log10 f: for losses that span decades; f must be positive.
    path : ndarray, shape (K, 2), optional
        Points to draw on top, as ``path()`` does.

    Returns
    -------
    The contour set, for a colour bar or for labels.
    """
    x, y = np.linspace(*xlim, n), np.linspace(*ylim, n)
    Z = np.asarray(f(*np.meshgrid(x, y)))
    if Z.shape != (n, n):
        raise ValueError(
            f"contours: expected f to keep the shape {(n, n)}, got {Z.shape}"
        )
    if log:
        if not (Z > 0).all():
            raise ValueError(
                f"contours: log needs positive values, got a least of {Z.min():g}"
            )
        Z = np.log10(Z)
    filled = ax.contourf(x, y, Z, levels, cmap=SEQUENTIAL, alpha=0.75, extend="both")
    ax.contour(x, y, Z, filled.levels, colors="white", linewidths=0.6)
    ax.set(xlim=xlim, ylim=ylim)
    if path is not None:
        _draw_path(ax, path)
    return filled


def decision_regions(ax, predict, X, y, *, n=200):
    """The plane coloured by ``predict: (M, 2) → (M,)`` classes, under the data X (N, 2)."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if X.ndim != 2 or X.shape[1] != 2 or y.shape != X.shape[:1]:
        raise ValueError(
            f"decision_regions: expected X (N, 2) and y (N,), got {X.shape} and {y.shape}"
        )
    low, high = X.min(0), X.max(0)
    pad = 0.08 * (high - low)
    x1, x2 = (np.linspace(a, b, n) for a, b in zip(low - pad, high + pad, strict=True))
    grid = np.stack(np.meshgrid(x1, x2), axis=-1).reshape(-1, 2)
    classes = np.unique(y)
    regions = np.searchsorted(classes, np.asarray(predict(grid))).reshape(n, n)
    levels = np.arange(len(classes) + 1) - 0.5
    ax.contourf(x1, x2, regions, levels, colors=_REGIONS[: len(classes)])
    cycle = [c["color"] for c in mpl.rcParams["axes.prop_cycle"]]
    for i, c in enumerate(classes):
        ax.plot(
            *X[y == c].T,
            "o",
            ms=4,
            mec="white",
            mew=0.5,
            color=cycle[i % len(cycle)],
            label=str(c),
        )
    ax.set(xlim=x1[[0, -1]], ylim=x2[[0, -1]])


def heatmap(
    ax, A, *, row_labels=None, col_labels=None, fmt=".2f", cmap=None, centre=None
):
    """Matrix A (M, N) as coloured cells with the numbers in them (``fmt=None``: none)."""
    A = np.asarray(A, dtype=float)
    if A.ndim != 2:
        raise ValueError(f"heatmap: expected a matrix, got shape {A.shape}")
    limits = {}
    if centre is not None:
        reach = np.abs(A - centre).max() or 1.0
        limits = {"vmin": centre - reach, "vmax": centre + reach}
    image = ax.imshow(
        A,
        cmap=cmap or (SEQUENTIAL if centre is None else DIVERGING),
        aspect="auto",
        **limits,
    )
    for axis, labels, size in (
        (ax.yaxis, row_labels, A.shape[0]),
        (ax.xaxis, col_labels, A.shape[1]),
    ):
        if labels is not None:
            if len(labels) != size:
                raise ValueError(f"heatmap: expected {size} labels, got {len(labels)}")
            axis.set_ticks(range(size), labels)
    if fmt is not None:
        for (i, j), value in np.ndenumerate(A):
            red, green, blue, _ = image.cmap(image.norm(value))
            dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.55
            ax.text(
                j,
                i,
                format(value, fmt),
                ha="center",
                va="center",
                color="white" if dark else COLORS["truth"],
            )
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return image


def curves(ax, x, ys, *, direct=True):
    """Several curves ``{label: y}`` over x, each named at its right end or in a legend."""
    lines = []
    for label, y in ys.items():
        if np.shape(y) != np.shape(x):
            raise ValueError(
                f"curves: expected {label!r} of shape {np.shape(x)}, got {np.shape(y)}"
            )
        (line,) = ax.plot(x, y, label=label)
        lines.append(line)
        if direct:
            ax.annotate(
                label, (x[-1], y[-1]), xytext=(5, 0), textcoords="offset points",
                va="center", color=line.get_color(), annotation_clip=False,
            )  # fmt: skip
    if not direct:
        ax.legend()
    return lines


def diagram(ax, nodes, edges, *, size=10, arrows=True):
    """Boxes ``{name: (x, y, text)}`` joined by ``(a, b)`` or ``(a, b, text)``.

    For trees, maps of concepts and graphs of computation; coordinates are the caller's.
    """
    box = {"boxstyle": "round,pad=0.4", "fc": "#EAF2F8", "ec": COLORS["prediction"]}
    patches = {
        name: ax.text(
            x, y, text, size=size, ha="center", va="center", bbox=box
        ).get_bbox_patch()
        for name, (x, y, text) in nodes.items()
    }
    for a, b, *text in edges:
        for end in (a, b):
            if end not in nodes:
                raise ValueError(
                    f"diagram: expected an edge between {list(nodes)}, got {end!r}"
                )
        style = {
            "arrowstyle": "-|>" if arrows else "-",
            "color": COLORS["data"],
            "patchA": patches[a],
            "patchB": patches[b],
        }
        ax.annotate("", nodes[b][:2], nodes[a][:2], arrowprops=style)
        if text:
            middle = np.mean([nodes[a][:2], nodes[b][:2]], axis=0)
            white = {"fc": "white", "ec": "none", "pad": 1}
            ax.text(
                *middle, text[0], size=size - 1, ha="center", va="center", bbox=white
            )
    xs, ys = zip(*(node[:2] for node in nodes.values()), strict=True)
    ax.set(xlim=(min(xs) - 0.6, max(xs) + 0.6), ylim=(min(ys) - 0.5, max(ys) + 0.5))
    ax.axis("off")


def network(ax, sizes, *, labels=None):
    """Units in columns, one column a layer of ``sizes``, every unit joined to the next layer's."""
    if labels is not None and len(labels) != len(sizes):
        raise ValueError(f"network: expected {len(sizes)} labels, got {len(labels)}")
    layers = [[(i, (n - 1) / 2 - k) for k in range(n)] for i, n in enumerate(sizes)]
    for left, right in itertools.pairwise(layers):
        for a in left:
            for b in right:
                ax.plot(
                    *zip(a, b, strict=True),
                    color=COLORS["data"],
                    lw=0.8,
                    alpha=0.6,
                    zorder=1,
                )
    for i, layer in enumerate(layers):
        ax.plot(
            *zip(*layer, strict=True),
            "o",
            ms=16,
            mfc="#EAF2F8",
            mec=COLORS["prediction"],
            zorder=2,
        )
        if labels is not None:
            ax.text(i, -max(sizes) / 2 - 0.1, labels[i], ha="center", va="top")
    ax.set(
        xlim=(-0.5, len(sizes) - 0.5),
        ylim=(-max(sizes) / 2 - 0.6, max(sizes) / 2 + 0.2),
    )
    ax.axis("off")
