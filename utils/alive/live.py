"""The alive figure in JupyterLab: its inputs as widgets, the notebook's own network."""

import base64
import html
from collections.abc import Callable, Sequence

import ipywidgets as widgets
import numpy as np

from utils.alive.inputs import Input
from utils.interact.frames import description, garbage_later, picture, png
from utils.interact.live import NO_ROOM, STYLE, trouble_of


def live_bundle(
    function: Callable, controls: Sequence[Input], dpi: float = 110
) -> dict:
    """Make the widgets, and the default picture for a viewer without a kernel."""
    handles = {control.name: control.widget() for control in controls}
    image = widgets.Image(format="png", layout={"max_width": "100%"})
    style = widgets.HTML(f"<style>{STYLE.read_text('utf-8')}</style>", layout=NO_ROOM)
    words, trouble, rng = widgets.HTML(), widgets.HTML(), np.random.default_rng(0)

    def values():
        return {c.name: c.read(handles[c.name].value) for c in controls}

    def draw():
        with garbage_later():
            image.value = png(picture(function, values(), dpi))
        notices = (c.notice(handles[c.name].value) for c in controls)
        words.value = html.escape(" ".join(filter(None, notices)))
        trouble.value = ""

    def redraw(_):
        try:
            draw()
        except ValueError as error:  # a sentence for the reader
            words.value, trouble.value = "", trouble_of(str(error))
        except Exception as error:  # shown, or the old picture would stand unexplained
            trouble.value = trouble_of(f"{type(error).__name__}: {error}")

    def act(action):
        def clicked(_):
            try:
                inputs = values()
                outputs = function.alive.outputs(**inputs)
                for name, text in action(inputs, outputs, rng).items():
                    handles[name].value = text
            except ValueError as error:
                trouble.value = trouble_of(str(error))

        return clicked

    draw()
    for handle in handles.values():
        handle.observe(redraw, "value")
    buttons = []
    for label, action in function.alive.actions.items():
        buttons.append(widgets.Button(description=label))
        buttons[-1].on_click(act(action))
    box = widgets.VBox(
        [*handles.values(), widgets.HBox(buttons), words, trouble, image, style]
    )
    box.add_class("interact")
    return box._repr_mimebundle_() | {
        "image/png": base64.b64encode(image.value).decode(),
        "text/plain": description(function),
    }
