"""A figure to try, and what is shown of figures."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import matplotlib as mpl
import matplotlib.pyplot as plt

from tests.chapter_code import ROOT
from utils.interact import show_with

# What a page loads once to give life to its figures, as elements of its head.
STATIC = ROOT / "press" / "figures" / "static"
ALIVE = (
    f"<style>{(STATIC / 'figure.css').read_text('utf-8')}</style>"
    f"<script>{(STATIC / 'figure.js').read_text('utf-8')}</script>"
)


@contextmanager
def shown_with(bundle: Callable) -> Iterator[list[dict]]:
    """A list of what ``bundle`` makes of the figures that follow, in matplotlib's style."""
    shown = []

    def record(function, controls):
        shown.append(bundle(function, controls))
        return {}  # nothing for the terminal

    before = show_with(record)
    with mpl.rc_context():
        mpl.rcdefaults()  # whatever a chapter in the same process has set
        try:
            yield shown
        finally:
            show_with(before)


def line(slope=1, shift=0.0, dashed=False):
    """A straight line."""
    fig, ax = plt.subplots(figsize=(2, 1.5), layout="constrained")
    ax.plot([0, 1], [shift, shift + slope], "--" if dashed else "-")
    ax.set(ylim=(-5, 5))
    return fig
