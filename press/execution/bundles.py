"""What a build shows of a figure: all its frames drawn beforehand, or its network."""

from press.alive import bundle as alive
from press.figures import bundle as drawn


def for_pages(function, controls):
    """Show a figure as the pages have it."""
    if hasattr(function, "alive"):
        return alive.alive_bundle(function, controls)
    return drawn.static_bundle(function, controls)


def for_comparison(function, controls):
    """Show only the default picture, to compare two runs by."""
    if hasattr(function, "alive"):
        return alive.default_bundle(function, controls)
    return drawn.default_bundle(function, controls)
