"""Which cell of its notebook a box of code on a chapter's page comes from.

The ids are an interface: what reads a built page (``press.decks``) calls ``cell_of``. The
box of a code cell has the class ``cell-id-ID``.
"""

import nbformat
from bs4 import Tag
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from press import chapters

CLASS = "cell-id-"


def setup(app):
    app.add_post_transform(AddCellIds)


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


def cell_of(tag: Tag) -> str | None:
    """Return the id of the code cell that this box is."""
    marks = [name for name in tag.get("class", []) if name.startswith(CLASS)]
    return marks[0].removeprefix(CLASS) if marks else None
