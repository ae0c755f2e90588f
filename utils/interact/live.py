"""The figure in JupyterLab: ipywidgets, drawn again as the reader drags."""

import base64
import html
from collections.abc import Callable, Sequence
from importlib import resources

import ipywidgets as widgets

from utils.interact.controls import Control, default_indices
from utils.interact.frames import describe, frame, garbage_later, layout_of, png

STYLE = resources.files("utils.interact") / "live.css"
NO_ROOM = {"height": "0", "margin": "0"}


def live_bundle(
    function: Callable, controls: Sequence[Control], dpi: float = 110
) -> dict:
    """Make the widgets, and the default picture for a viewer without a kernel."""
    layout = layout_of(function, controls)
    handles, rows = zip(*map(_handle, controls), strict=True)
    picture = widgets.Image(format="png", layout={"max_width": "100%"})
    css = STYLE.read_text("utf-8")
    style = widgets.HTML(f"<style>{css}</style>", layout=NO_ROOM)
    # ipywidgets' Image has no alt text, and its tooltip breaks the view (ipywidgets 8.1).
    words = widgets.HTML(layout=NO_ROOM)
    trouble = widgets.HTML()

    def draw():
        indices = [int(handle.value) for handle in handles]
        with garbage_later():
            picture.value = png(frame(function, controls, indices, dpi, layout))
            message = html.escape(describe(function, controls, indices))
            words.value = f'<span class="interact-words" role="status">{message}</span>'

    def redraw(_):
        # ipywidgets' front end waits for this to end and then sends only the newest
        # value, so that a fast drag never queues.
        try:
            draw()
            trouble.value = ""
        except Exception as error:  # shown, or the old picture would stand unexplained
            notes = getattr(error, "__notes__", [])
            message = "\n".join([f"{type(error).__name__}: {error}", *notes])
            trouble.value = trouble_of(message)

    draw()
    for handle in handles:
        handle.observe(redraw, "value")
    box = widgets.VBox([picture, trouble, words, style, *rows])
    box.add_class("interact")
    return box._repr_mimebundle_() | {
        "image/png": base64.b64encode(picture.value).decode(),
        "text/plain": describe(function, controls, default_indices(controls)),
    }


def trouble_of(message: str) -> str:
    """Return HTML that says what went wrong."""
    return f'<pre class="interact-trouble" role="alert">{html.escape(message)}</pre>'


def _handle(control):
    """Return the widget whose value runs over the grid, and the row that it stands in."""
    if control.kind == "switch":
        box = widgets.Checkbox(
            bool(control.default_index), description=control.label, indent=False
        )
        return box, box
    handle = (widgets.SelectionSlider if control.kind == "range" else widgets.Dropdown)(
        options=list(zip(control.texts, range(len(control.values)), strict=True)),
        value=control.default_index,
        description=control.label,
        style={"description_width": "initial"},
        layout={"width": "auto", "min_width": "18em", "flex": "1"},
    )
    if not control.plays:
        return handle, handle
    last = len(control.values) - 1
    button = widgets.Play(
        value=control.default_index, max=last, interval=170, show_repeat=False
    )
    widgets.jslink((button, "value"), (handle, "index"))
    return handle, widgets.HBox([button, handle])
