"""One entry point for every interactive figure of the book.

    @interact(lr=(0.01, 0.20, 0.01), momentum=(0, 0.9, 0.15))
    def descent(lr=0.1, momentum=0.0):
        '''Path of gradient descent on an ill-conditioned bowl.'''
        ...
        return fig

It shows the figure with ipywidgets: drawn again as the reader drags. ``show_with`` says
otherwise, for the Python that it is called in: the book's pages hold all frames of a figure,
drawn beforehand (``press.figures.bundle.static_bundle``).

``controls`` reads what the author gives, ``frames`` draws a frame, ``live`` shows it,
``shown`` decides how; ``positions`` reads where a link sets the controls. A figure whose
network runs in the reader's browser: ``utils.alive``.
"""

from collections.abc import Callable

from utils.interact.controls import controls_of
from utils.interact.live import live_bundle
from utils.interact.positions import chosen
from utils.interact.shown import show, show_with

__all__ = ["interact", "position", "show_with"]


def interact(
    *, labels: dict[str, str] | None = None, play: str | None = None, **abbreviations
) -> Callable:
    """Put one to three arguments of a drawing function under the reader's finger.

    Parameters
    ----------
    labels : dict, optional
        Text beside a control, by argument name; the name itself where absent.
    play : str, optional
        The range that is time (step, epoch, layer): it gets a button that plays it.
    **abbreviations
        For each argument a range ``(min, max, step)`` or, of integers, ``(min, max)``; a
        list of choices, or a dict of them by text; a bool; or an ipywidgets slider of one
        number, selection of one choice, or checkbox. A control starts where the
        function's default is, else at the widget's value, else at its first value.

    Returns
    -------
    decorator
        It shows the figure and returns the function unchanged but for an attribute
        ``controls``. The function takes the arguments named here, draws, and returns a
        matplotlib Figure; its docstring describes the picture in words. TypeError or
        ValueError say what was expected: also of more frames or bytes than a page can
        bear, and, in the build and the tests, of a control that changes nothing.
    """

    def decorate(function):
        function.controls = controls_of(function, abbreviations, labels or {}, play)
        show(function, live_bundle)
        return function

    return decorate


def position(function: Callable, text: str) -> dict:
    """Return the arguments of a figure's function at a position that the prose names.

    ``position(descent, "lr=0.21,momentum=0.9")`` is what the link
    ``[it swings](#descent:lr=0.21,momentum=0.9)`` shows; a control that is not named
    stays at its default. ValueError where a control cannot have its value or the position
    is not written as one, TypeError where ``function`` is no figure.
    """
    if not hasattr(function, "controls"):
        name = getattr(function, "__name__", repr(function))
        raise TypeError(f"position: expected a figure made by @interact, got {name}")
    named = chosen(function.__name__, function.controls, text)
    return {
        c.name: named[c.name] if c.name in named else c.default
        for c in function.controls
    }
