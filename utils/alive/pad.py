"""The canvas of a ``Drawing`` in JupyterLab: the page's own script as a widget."""

from importlib import resources

import anywidget
import traitlets

STATIC = resources.files("utils.alive") / "static"
# anywidget loads a module; on a page pad.js is a classic script.
RENDER = """
export default {
  render({ model, el }) {
    const pad = globalThis.alive.pad(model.get("settings"), (text) => {
      model.set("value", text);
      model.save_changes();
    });
    pad.set(model.get("value"));
    model.on("change:value", () => {
      if (pad.text() !== model.get("value")) pad.set(model.get("value"));
    });
    el.append(pad.element);
  },
};
"""


class Pad(anywidget.AnyWidget):
    """A canvas to draw on; ``value`` is the text of the drawing."""

    _esm = (STATIC / "pad.js").read_text("utf-8") + RENDER
    _css = (STATIC / "pad.css").read_text("utf-8")
    value = traitlets.Unicode("start").tag(sync=True)
    settings = traitlets.Dict().tag(sync=True)
