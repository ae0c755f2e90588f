"""Figures whose network runs: in the reader's browser, and in JupyterLab.

    @alive(
        "digit",
        weights=net.state_dict(),
        compute=look,
        digit=Drawing(32, start=image),
        angle=(-90, 90, 15),
    )
    def read_digit(digit, angle=0):
        '''What the network makes of a digit that you draw.'''
        ...
        return fig

The built page holds the network, and ``press/alive/static/programs/digit.js`` computes with it
what ``compute`` computes here with PyTorch. In JupyterLab the figure is drawn again by the
notebook's own network.

``inputs`` is what a reader can change, ``formula`` reads an expression, ``live`` shows the
figure in JupyterLab, with the canvas of ``pad``, whose ``static/pad.js`` the page uses too.
"""

from utils.alive.decorator import MAX_BYTES, Network, alive
from utils.alive.inputs import Drawing, Formula, Line, Sentence, Sum

__all__ = [
    "MAX_BYTES",
    "Drawing",
    "Formula",
    "Line",
    "Network",
    "Sentence",
    "Sum",
    "alive",
]
