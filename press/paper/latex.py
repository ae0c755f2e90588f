"""LaTeX in a tree."""

import re

from docutils import nodes
from sphinx.util import texescape


def raw(text):
    """LaTeX as it stands."""
    return nodes.raw("", text, format="latex")


def escape(text):
    """Plain text as XeLaTeX prints it."""
    return texescape.escape(text, "xelatex")


def place(name: str) -> str:
    """What LaTeX calls a place: sphinx-exercise has names of its own for exercises."""
    return re.sub(r"^book/\w+:(?=ex-)", "exercise:", name)
