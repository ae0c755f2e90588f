"""Which cell of its notebook a piece of a chapter's page comes from.

The ids are an interface: what reads a built page (``press.decks``) calls ``cell_of``. A
text cell ends with the comment ``<!-- cell ID -->``; the box of a code cell has the class
``cell-id-ID``.
"""

import re

import nbformat
from bs4 import Comment, Tag
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from press import chapters

TRAILING_LABELS = re.compile(r"(.*?)\s*((?:(?:^|\n)\([\w-]+\)=\s*)*)", re.S)
COMMENT, CLASS = "cell ", "cell-id-"


def setup(app):
    app.add_post_transform(AddCellIds)


def with_cell_id(text: str, name: str) -> str:
    """Return the markdown of a cell with its id at the end."""
    # The id stands before a label at the end, which belongs to what follows.
    text, labels = TRAILING_LABELS.fullmatch(text).groups()
    return f"{text}\n\n<!-- {COMMENT}{name} -->\n\n{labels}"


class AddCellIds(SphinxPostTransform):
    """Give the boxes of code cells their ids when a page is written."""

    default_priority = 190
    formats = ("html",)

    def run(self, **kwargs):
        if not chapters.of_page(self.env.docname):
            return
        cells = nbformat.read(self.env.doc2path(self.env.docname), 4).cells
        for box in self.document.findall(nodes.container):
            if box.get("nb_element") == "cell_code":
                box["classes"].append(CLASS + cells[box["cell_index"]].id)


def cell_of(node: Comment | Tag) -> str | None:
    """Return the id of the text cell that ends here, or of the code cell that this box is."""
    if isinstance(node, Comment):
        text = node.strip()
        return text.removeprefix(COMMENT) if text.startswith(COMMENT) else None
    marks = [name for name in node.get("class", []) if name.startswith(CLASS)]
    return marks[0].removeprefix(CLASS) if marks else None
