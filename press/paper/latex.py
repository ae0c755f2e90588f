"""LaTeX in a tree."""

from docutils import nodes
from sphinx.util import texescape


def raw(text):
    """LaTeX as it stands."""
    return nodes.raw("", text, format="latex")


def escape(text):
    """Plain text as XeLaTeX prints it."""
    return texescape.escape(text, "xelatex")
