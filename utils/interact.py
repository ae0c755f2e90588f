"""One entry point for every interactive figure of the book.

    @interact(lr=(0.01, 0.20, 0.01), momentum=(0, 0.9, 0.15))
    def descent(lr=0.1, momentum=0.0):
        '''Path of gradient descent on an ill-conditioned bowl.'''
        ...
        return fig

The environment variable ``BOOK_MODE`` says what becomes of it:

======== ==========================================================================
live     (default) ipywidgets: the figure is drawn again as the reader drags
static   every combination is drawn now; the output needs no kernel and no network
test     the defaults and every corner of the grid are drawn; an exception rises
======== ==========================================================================
"""

import base64
import contextlib
import functools
import gc
import html
import inspect
import io
import itertools
import json
import math
import os
from dataclasses import dataclass
from importlib import resources

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from PIL import Image, ImageFilter

MAX_FRAMES = 150
MAX_BYTES = 1_000_000  # of all frames of a figure, as they stand in the page
MAX_CONTROLS = 3
COLOURS = 128  # of a frame, chosen for it: nobody sees the difference, and it halves the bytes


@dataclass(frozen=True)
class Control:
    """A named axis of the grid of pictures: the values it takes and how they read."""

    name: str
    label: str
    kind: str  # "range", "choice" or "switch"
    values: tuple
    texts: tuple
    start: int

    @classmethod
    def of(cls, name, label, abbreviation, default):
        """Read an ipywidgets abbreviation: ``(min, max, step)``, a list, a dict, a bool."""
        kind, values, texts = _values(name, abbreviation)
        if default is inspect.Parameter.empty:
            default = abbreviation if isinstance(abbreviation, bool) else values[0]
        return cls(name, label, kind, values, texts, _position(name, values, default))

    def widget(self):
        """The live control; its ``index`` (or value) runs over the same grid."""
        if self.kind == "switch":
            return widgets.Checkbox(
                bool(self.start), description=self.label, indent=False
            )
        options = list(zip(self.texts, range(len(self.values)), strict=True))
        cls = widgets.SelectionSlider if self.kind == "range" else widgets.Dropdown
        return cls(
            options=options,
            value=self.start,
            description=self.label,
            style={"description_width": "initial"},
            layout=widgets.Layout(width="auto", min_width="18em"),
        )

    def html(self):
        """The static control: a native element, labelled, with its value as text."""
        label = f"<span>{html.escape(self.label)}</span>"
        if self.kind == "switch":
            checked = " checked" if self.start else ""
            return (
                f'<label class="switch"><input type="checkbox"{checked}>{label}</label>'
            )
        if self.kind == "choice":
            options = "".join(
                f"<option{' selected' if i == self.start else ''}>{html.escape(text)}</option>"
                for i, text in enumerate(self.texts)
            )
            return f"<label>{label}<select>{options}</select></label>"
        text = html.escape(self.texts[self.start])
        return (
            f'<label>{label}<input type="range" min="0" max="{len(self.values) - 1}" '
            f'value="{self.start}" aria-valuetext="{text}"><output>{text}</output></label>'
        )


def interact(*, labels=None, **abbreviations):
    """Put one to three arguments of a drawing function under the reader's finger.

    Parameters
    ----------
    labels : dict, optional
        Text beside a control, by argument name; the name itself where absent.
    **abbreviations
        For each argument ``(min, max, step)``, a list or dict of choices, a bool,
        or an ipywidgets slider, selection or checkbox.

    Returns
    -------
    decorator
        It shows the figure and returns the function unchanged but for an attribute
        ``controls``. The function takes the arguments named here, draws, and returns a
        matplotlib Figure; its docstring describes the picture in words.

    Raises
    ------
    TypeError
        A control the function does not take, an argument without control or default,
        an abbreviation of no known kind, or a function that returns no Figure.
    ValueError
        No control or more than three, an empty range, a default off the grid, no
        docstring, or more frames or bytes than a page can bear.
    """

    def decorate(function):
        controls = _controls(function, abbreviations, labels or {})
        function.controls = controls
        mode = os.environ.get("BOOK_MODE", "live")
        if mode == "live":
            _show_live(function, controls)
        elif mode == "static":
            display(_static_bundle(function, controls), raw=True)
        elif mode == "test":
            _draw_corners(function, controls)
        else:
            raise ValueError(
                f"BOOK_MODE: expected 'live', 'static' or 'test', got {mode!r}"
            )
        return function

    return decorate


def _controls(function, abbreviations, labels):
    name = function.__name__
    if not 1 <= len(abbreviations) <= MAX_CONTROLS:
        raise ValueError(
            f"{name}: expected one to {MAX_CONTROLS} controls, got {len(abbreviations)}"
        )
    if not inspect.getdoc(function):
        raise ValueError(
            f"{name}: expected a docstring that describes the picture in words, got none"
        )
    parameters = inspect.signature(function).parameters
    for unknown in [*abbreviations, *labels]:
        if unknown not in parameters:
            raise TypeError(
                f"{name}: expected controls among its arguments ({', '.join(parameters)}), "
                f"got {unknown!r}"
            )
    for parameter in parameters.values():
        if parameter.default is parameter.empty and parameter.name not in abbreviations:
            raise TypeError(
                f"{name}: expected a control or a default for each argument, "
                f"got neither for {parameter.name!r}"
            )
    return tuple(
        Control.of(
            key, labels.get(key, key.replace("_", " ")), value, parameters[key].default
        )
        for key, value in abbreviations.items()
    )


def _values(name, abbreviation):
    """Kind, values and texts of an abbreviation, or an error that says what is wrong."""
    if isinstance(abbreviation, widgets.Widget):
        if hasattr(abbreviation, "options"):
            options = abbreviation.options
            pairs = [o if isinstance(o, tuple) else (str(o), o) for o in options]
            abbreviation = dict(pairs)
        elif hasattr(abbreviation, "step") and not hasattr(abbreviation, "base"):
            abbreviation = (abbreviation.min, abbreviation.max, abbreviation.step)
        elif isinstance(abbreviation, widgets.Checkbox | widgets.ToggleButton):
            abbreviation = bool(abbreviation.value)
    match abbreviation:
        case bool():
            return "switch", (False, True), ("off", "on")
        case dict() if abbreviation:
            texts = tuple(str(key) for key in abbreviation)
            return "choice", tuple(abbreviation.values()), texts
        case list() if abbreviation:
            return "choice", tuple(abbreviation), tuple(str(v) for v in abbreviation)
        case list() | dict():
            raise ValueError(
                f"{name}: expected at least one choice, got {abbreviation!r}"
            )
        case (int() as low, int() as high):
            return _range(name, low, high, 1)
        case (int() | float(), int() | float(), int() | float()):
            return _range(name, *abbreviation)
    raise TypeError(
        f"{name}: expected (min, max, step), a list or dict of choices, True or False, "
        f"got {abbreviation!r}"
    )


def _range(name, low, high, step):
    if not all(map(math.isfinite, (low, high, step))) or step <= 0 or high < low + step:
        raise ValueError(
            f"{name}: expected min + step <= max and step > 0, got {(low, high, step)!r}"
        )
    count = math.floor((high - low) / step + 1e-9) + 1
    digits = max(_decimals(low), _decimals(step))
    values = tuple(round(low + i * step, digits) for i in range(count))
    return "range", values, tuple(f"{v:.{digits}f}".replace("-", "−") for v in values)


def _decimals(number):
    text = f"{number:.10f}".rstrip("0")
    return len(text.partition(".")[2])


def _position(name, values, default):
    for i, value in enumerate(values):
        if value is default or (type(value) is type(default) and value == default):
            return i
        numbers = isinstance(value, int | float) and isinstance(default, int | float)
        if numbers and math.isclose(value, default, rel_tol=1e-9, abs_tol=1e-12):
            return i
    shown = f"{values[0]!r} … {values[-1]!r}" if len(values) > 6 else repr(list(values))
    raise ValueError(f"{name}: expected a default on the grid {shown}, got {default!r}")


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


def _pixels(figure, dpi, layout=()):
    """The drawn figure, with its axes where ``layout`` has them.

    Constrained layout costs more than the drawing, and would let the axes shift as
    labels change; so the first frame of a figure lays out all of them. The minor ticks
    of a logarithmic axis cost more than its curves, and a figure that moves goes without.
    """
    if len(layout) == len(figure.axes):
        figure.set_layout_engine("none")
        for ax, position in zip(figure.axes, layout, strict=True):
            ax.set_position(position)
    for ax in figure.axes:
        ax.minorticks_off()
    FigureCanvasAgg(figure)  # constrained layout asks the canvas for its renderer
    figure.set_dpi(dpi)
    renderer = _renderer(*figure.bbox.size.astype(int).tolist(), dpi)
    renderer.clear()
    figure.draw(renderer)
    return Image.fromarray(np.array(renderer.buffer_rgba())[..., :3])


@functools.lru_cache(maxsize=1)
def _renderer(width, height, dpi):
    """The canvas of the last frame: a new one would typeset every formula again."""
    return RendererAgg(width, height, dpi)


def _layout(function, controls):
    """Positions of the axes at the defaults, once constrained layout has set them."""
    figure = _draw(function, _arguments(controls, [c.start for c in controls]))
    FigureCanvasAgg(figure).draw()  # a closed figure's own canvas draws nothing
    return [ax.get_position(original=True) for ax in figure.axes]


def _png(image):
    buffer = io.BytesIO()
    image.save(buffer, "png", compress_level=1)
    return buffer.getvalue()


def _webp(image, base=None):
    """The picture in lossless WebP; what it shares with ``base`` is left transparent."""
    alpha = None
    if base is not None:
        changed = (np.asarray(image) != np.asarray(base)).any(axis=-1)
        # Two pixels wider than the change, or scaling lets the base shine through its rim.
        alpha = Image.fromarray(np.uint8(255 * changed)).filter(
            ImageFilter.MaxFilter(5)
        )
        image = Image.composite(image, Image.new("RGB", image.size, "white"), alpha)
    pixels = image.quantize(
        COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=1, dither=0
    ).convert("RGB")
    if alpha is not None:
        pixels.putalpha(alpha)
    buffer = io.BytesIO()
    pixels.save(buffer, "webp", lossless=True, method=4, quality=80)
    return base64.b64encode(buffer.getvalue()).decode()


def _describe(function, controls, indices):
    state = ", ".join(
        f"{c.label} = {c.texts[i]}" for c, i in zip(controls, indices, strict=True)
    )
    return f"{_description(function)} {state}."


def _description(function):
    return " ".join(inspect.getdoc(function).split())


def _arguments(controls, indices):
    return {c.name: c.values[i] for c, i in zip(controls, indices, strict=True)}


# Off the screen, read by those who cannot see it: ipywidgets' Image has no alt text, and
# its tooltip breaks the view (ipywidgets 8.1).
_UNSEEN = "position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden"


@contextlib.contextmanager
def _garbage_later():
    """Collect what a frame leaves behind once the reader has it.

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


def _show_live(function, controls, dpi=110):
    handles = [control.widget() for control in controls]
    layout = _layout(function, controls)

    def redraw(_=None):
        # ipywidgets' front end waits for this to end and then sends only the newest
        # value, so that a fast drag never queues.
        indices = [int(handle.value) for handle in handles]
        with _garbage_later():
            figure = _draw(function, _arguments(controls, indices))
            picture.value = _png(_pixels(figure, dpi, layout))
            words = html.escape(_describe(function, controls, indices))
            description.value = f'<span role="status" style="{_UNSEEN}">{words}</span>'
            del figure

    picture = widgets.Image(format="png", layout=widgets.Layout(max_width="100%"))
    description = widgets.HTML(layout=widgets.Layout(height="0", margin="0"))
    redraw()
    for handle in handles:
        handle.observe(redraw, "value")
    bundle = widgets.VBox([picture, description, *handles])._repr_mimebundle_()
    bundle["image/png"] = base64.b64encode(picture.value).decode()
    bundle["text/plain"] = _describe(function, controls, [c.start for c in controls])
    display(bundle, raw=True)


def _draw_corners(function, controls):
    ends = [sorted({0, len(c.values) - 1}) for c in controls]
    starts = tuple(c.start for c in controls)
    for indices in {starts, *itertools.product(*ends)}:
        figure = _draw(function, _arguments(controls, indices))
        _pixels(figure, dpi=50)
    print(f"✓ {function.__name__}: {_description(function)}")


def _static_bundle(function, controls):
    name = function.__name__
    sizes = [len(c.values) for c in controls]
    longest = max(controls, key=lambda c: len(c.values))
    if math.prod(sizes) > MAX_FRAMES:
        raise ValueError(
            f"{name}: expected at most {MAX_FRAMES} frames, got "
            f"{' × '.join(map(str, sizes))} = {math.prod(sizes)}; "
            f"coarsen {longest.name!r} ({len(longest.values)} values)"
        )
    dpi = 150 if math.prod(sizes) <= 40 else 125
    layout, pictures = _layout(function, controls), {}
    for indices in itertools.product(*map(range, sizes)):
        arguments = _arguments(controls, indices)
        image = pictures[indices] = _pixels(_draw(function, arguments), dpi, layout)
        shape = next(iter(pictures.values())).size
        if image.size != shape:
            raise ValueError(
                f"{name}({arguments}): expected every frame to have {shape} pixels, "
                f"got {image.size}"
            )
    base_of = {indices: _base(controls, indices) for indices in pictures}
    bases = {base: _webp(pictures[base]) for base in base_of.values()}
    frames = {i: _webp(image, pictures[base_of[i]]) for i, image in pictures.items()}
    weight = sum(map(len, [*bases.values(), *frames.values()]))
    if weight > MAX_BYTES:
        raise ValueError(
            f"{name}: expected at most {MAX_BYTES / 1e6:.1f} MB of frames, got "
            f"{weight / 1e6:.2f} MB in {len(frames)} frames; coarsen {longest.name!r} "
            f"({len(longest.values)} values) or draw less"
        )
    starts = tuple(c.start for c in controls)
    alt = _describe(function, controls, starts)
    data = {
        "description": _description(function),
        "controls": [{"label": c.label, "texts": c.texts} for c in controls],
        "bases": list(bases.values()),
        "baseOf": [list(bases).index(base) for base in base_of.values()],
        "frames": list(frames.values()),
    }
    return {
        "text/html": _static_html(name, controls, data, bases[starts], shape, alt),
        "image/png": base64.b64encode(_png(pictures[starts])).decode(),
        "text/plain": alt,
    }


def _base(controls, indices):
    """The frame that a frame is stored against: the defaults, but for the first choice.

    A choice among several often exchanges the whole scene, a range hardly ever does.
    """
    scene = next((c for c in controls if c.kind == "choice"), None)
    if len(controls) == 1:
        scene = None
    pairs = zip(controls, indices, strict=True)
    return tuple(i if c is scene else c.start for c, i in pairs)


def _static_html(name, controls, data, base, shape, alt):
    assets = resources.files("utils")
    payload = json.dumps(data, ensure_ascii=False).replace(
        "</", "<\\/"
    )  # keeps </script> out
    size = f'width="720" height="{720 * shape[1] / shape[0]:.0f}"'  # CSS pixels; no layout jump
    return f"""<style>{(assets / "interact.css").read_text()}</style>
<figure class="interact" data-name="{html.escape(name)}">
<div><img src="data:image/webp;base64,{base}" alt="{html.escape(alt)}" {size}></div>
<form onsubmit="return false" aria-label="Controls of {html.escape(name.replace("_", " "))}">
{"".join(c.html() for c in controls)}</form>
<script type="application/json">{payload}</script>
</figure>
<script>{(assets / "interact.js").read_text()}</script>"""
