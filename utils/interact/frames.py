"""One frame of an interactive figure: the function called, the picture in pixels."""

import contextlib
import functools
import gc
import inspect
import io
from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from PIL import Image

from utils.interact.controls import Control, arguments_at, default_indices, state


def frame(
    function: Callable,
    controls: Sequence[Control],
    indices: Sequence[int],
    dpi: float,
    layout: tuple | None = None,
) -> Image.Image:
    """Draw the picture at a position: ``indices`` has, for each control, that of its value.

    ``layout``, of ``layout_of``, says where the axes are.
    """
    return picture(function, arguments_at(controls, indices), dpi, layout)


def picture(
    function: Callable, arguments: dict, dpi: float, layout: tuple | None = None
) -> Image.Image:
    """Draw the picture for these arguments of the function."""
    with garbage_later():
        figure = _draw(function, arguments)
        image = _pixels(figure, dpi, layout)
        del figure
    return image


def vector(
    function: Callable,
    controls: Sequence[Control],
    indices: Sequence[int],
    layout: tuple | None = None,
) -> bytes:
    """Draw the picture at a position as a PDF, for print."""
    return printed(function, arguments_at(controls, indices), layout)


def printed(function: Callable, arguments: dict, layout: tuple | None = None) -> bytes:
    """Draw the picture for these arguments of the function as a PDF."""
    with garbage_later():
        figure = _draw(function, arguments)
        _arrange(figure, layout)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="pdf", metadata={"CreationDate": None})
    return buffer.getvalue()


def layout_of(function: Callable, controls: Sequence[Control]) -> tuple[list, list]:
    """Return the geometry of the axes at the defaults, and where constrained layout sets them."""
    figure = _draw(function, arguments_at(controls, default_indices(controls)))
    geometry = _geometry(figure)
    FigureCanvasAgg(figure).draw()  # a closed figure's own canvas draws nothing
    return geometry, [ax.get_position(original=True) for ax in figure.axes]


def png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "png", compress_level=1)
    return buffer.getvalue()


def describe(
    function: Callable, controls: Sequence[Control], indices: Sequence[int]
) -> str:
    """Describe the picture and how its controls are set at a position."""
    return f"{description(function)} {state(controls, indices)}."


def description(function: Callable) -> str:
    """Describe the picture: the docstring in one line."""
    return " ".join(inspect.getdoc(function).split())


def _draw(function, arguments):
    """Call the drawing function; whatever goes wrong names the slider position."""
    position = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    before = set(plt.get_fignums())
    try:
        figure = function(**arguments)
    except Exception as error:
        error.add_note(f"while drawing {function.__name__}({position})")
        raise
    finally:
        for number in set(plt.get_fignums()) - before:  # or pyplot shows them once more
            plt.close(number)
    if not isinstance(figure, Figure):
        raise TypeError(
            f"{function.__name__}({position}): expected a matplotlib Figure, "
            f"got {type(figure).__name__}"
        )
    return figure


def _pixels(figure, dpi, layout):
    """Draw a figure; ``layout`` holds for one whose axes are arranged alike.

    Constrained layout costs more than the drawing, and would let the axes shift as
    labels change; so the first frame of a figure lays out all of them. The minor ticks
    of a logarithmic axis cost more than its curves, and a figure that moves goes without.
    """
    _arrange(figure, layout)
    FigureCanvasAgg(figure)  # constrained layout asks the canvas for its renderer
    figure.set_dpi(dpi)
    size = tuple(figure.bbox.size.astype(int).tolist())
    renderer = _renderer(*size, dpi)
    renderer.clear()
    figure.draw(renderer)
    pixels = renderer.buffer_rgba()
    return Image.frombuffer("RGBA", size, pixels, "raw", "RGBA", 0, 1).convert("RGB")


def _arrange(figure, layout):
    """Put the axes where ``layout`` has them, unless it is of another figure.

    No axes keep minor ticks.
    """
    if layout and layout[0] == _geometry(figure):
        figure.set_layout_engine("none")
        for ax, position in zip(figure.axes, layout[1], strict=True):
            ax.set_position(position)
    for ax in figure.axes:
        ax.minorticks_off()


def _geometry(figure):
    """Return how the axes are arranged: each one's cell of the grid, or its place without one."""
    cells = []
    for ax in figure.axes:
        if spec := ax.get_subplotspec():
            grid, outer = spec.get_gridspec(), spec.get_topmost_subplotspec()
            cells.append(
                (spec.get_geometry(), outer.get_geometry(),
                 tuple(grid.get_width_ratios()), tuple(grid.get_height_ratios()))
            )  # fmt: skip
        else:
            cells.append(ax.get_position(original=True).bounds)
    return cells


@functools.lru_cache(maxsize=1)
def _renderer(width, height, dpi):
    """Return the canvas of the last frame: a new one would typeset every formula again."""
    return RendererAgg(width, height, dpi)


@contextlib.contextmanager
def garbage_later():
    """Collect no garbage while a frame is drawn, and the frame's own when it is.

    With PyTorch and scikit-learn loaded a full collection takes half a second, and the
    thousands of small objects of a figure would start one every few frames.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
            gc.collect(1)
