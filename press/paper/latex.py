"""LaTeX in a tree."""

import re

from docutils import nodes
from sphinx.util import texescape


def raw(text):
    """Return a node of LaTeX as it stands."""
    return nodes.raw("", text, format="latex")


def escape(text):
    """Escape plain text for XeLaTeX; the rest of the book has Sphinx's smart quotes."""
    return texescape.escape(text.replace("'", "’"), "xelatex")


def place(name: str) -> str:
    """Name a place as LaTeX does: sphinx-exercise has names of its own for exercises."""
    return re.sub(r"^book/\w+:(?=ex-)", "exercise:", name)
