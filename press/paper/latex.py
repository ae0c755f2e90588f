"""LaTeX in a tree."""

import re

from docutils import nodes
from sphinx.util import texescape


def raw(text):
    """LaTeX as it stands."""
    return nodes.raw("", text, format="latex")


def escape(text):
    """Plain text as XeLaTeX prints it; the rest of the book has Sphinx's smart quotes."""
    return texescape.escape(text.replace("'", "’"), "xelatex")


def place(name: str) -> str:
    """Name a place as LaTeX does: sphinx-exercise has names of its own for exercises."""
    return re.sub(r"^book/\w+:(?=ex-)", "exercise:", name)
