"""How figures are shown: with widgets, or as a build says. One hook for both kinds.

An interactive figure has ``controls``, an alive one (``utils.alive``) ``alive`` as well.
"""

from collections.abc import Callable

from IPython.display import display

_bundle = None


def show_with(bundle: Callable | None) -> Callable | None:
    """Show the figures that are made from now on with ``bundle``.

    Parameters
    ----------
    bundle : callable, optional
        ``bundle(function, controls)`` returns a MIME bundle, a dict of contents by type;
        without it a figure is shown with widgets.

    Returns
    -------
    callable or None
        What they were shown with before.
    """
    global _bundle
    before, _bundle = _bundle, bundle
    return before


def show(function: Callable, widgets: Callable) -> None:
    """Show a figure as ``show_with`` says, else with the bundle that ``widgets`` makes."""
    bundle = _bundle or widgets
    display(bundle(function, function.controls), raw=True)
