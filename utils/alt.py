"""A figure in words, for whoever reads and does not see it: panels, axes, legends, texts.

A notebook keeps them as the plain text of the picture and as its ``alt``, and the pages
take them from there. A diagram says more of itself, see utils.diagrams.words.
"""

import re

from IPython import get_ipython
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COUNTS = ("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
MOST_TEXTS = 40  # written in a panel; of more none is read out
NOTHING = "A picture."  # of a figure on which nothing is written


def register() -> None:
    """Let each Matplotlib figure that this kernel shows say its words."""
    shell = get_ipython()
    if shell is not None:
        bundles = shell.display_formatter.mimebundle_formatter
        bundles.for_type(Figure, _bundle)


def _bundle(figure: Figure) -> tuple[dict, dict]:
    if hasattr(figure, "_repr_mimebundle_"):  # a diagram's
        return figure._repr_mimebundle_()
    text = words(figure)
    return {"text/plain": text}, {"image/png": {"alt": text}}


def spoken(text: str) -> str:
    """Strip a text of the marks of its mathematics."""
    text = re.sub(r"\\(hat|tilde|bar) *{?(\w)}?", r"\2-\1", text)
    text = re.sub(r"\\(math(rm|bf)|vec|over\w+arrow)|[\\${}]", "", text)
    return " ".join(text.split())


def words(figure: Figure) -> str:
    """Say what is written on a figure, panel by panel, in the order of their making."""
    panels = [ax for ax in figure.axes if ax.axison or ax.get_title() or ax.texts]
    scales = [ax for ax in panels if ax.get_label() == "<colorbar>"]
    panels = [ax for ax in panels if ax not in scales]
    heading = [figure.get_suptitle()] if figure.get_suptitle() else []
    if len(panels) > 1:
        count = COUNTS[len(panels) - 1] if len(panels) <= len(COUNTS) else len(panels)
        heading += [f"{count} panels"]
    colours = [f"Colours: {ax.get_ylabel()}" for ax in scales if ax.get_ylabel()]
    legends = [_listed(legend) for legend in figure.legends]
    parts = [*heading, *map(_panel, panels), *colours, *legends]
    return spoken(" ".join(f"{part}." for part in parts if part)) or NOTHING


def _panel(ax: Axes) -> str:
    """Say title, axes, legend and texts of a panel; nothing of what it has not got."""
    titles = [ax.get_title(loc) for loc in ("left", "center", "right")]
    parts = [" ".join(title for title in titles if title)]
    if ax.axison:
        parts += [_axes(ax)]
    if ax.get_legend() is not None:
        parts += [_listed(ax.get_legend())]
    texts = [text.get_text() for text in ax.texts if text.get_text().strip()]
    if len(set(texts)) == 1:  # a mark, once or many times
        texts = texts[:1]
    if 0 < len(texts) <= MOST_TEXTS:
        parts += [f"written in it: {', '.join(texts)}"]
    return "; ".join(part for part in parts if part)


def _axes(ax: Axes) -> str:
    """Say what is drawn against what, with the names on an axis that has no numbers."""
    x, y = (_axis(ax, axis) for axis in ("x", "y"))
    return f"{y} against {x}" if x and y else x or y


def _axis(ax: Axes, name: str) -> str:
    """Say the label of an axis, its own or that of a panel that shares it."""
    shared = getattr(ax, f"get_shared_{name}_axes")().get_siblings(ax)
    labels = [getattr(other, f"get_{name}label")() for other in (ax, *shared)]
    label = next((text for text in labels if text), "")
    if label and getattr(ax, f"get_{name}scale")() == "log":
        label += " (logarithmic)"
    ticks = [tick.get_text() for tick in getattr(ax, f"get_{name}ticklabels")()]
    named = [text for text in ticks if any(letter.isalpha() for letter in text)]
    if not named or any(text.startswith("$") for text in named):
        return label
    return f"{label} {', '.join(named)}".strip()


def _listed(legend) -> str:
    entries = [text.get_text() for text in legend.get_texts()]
    title = legend.get_title().get_text()
    return f"{title}: {', '.join(entries)}" if title else ", ".join(entries)
