"""The notation of a chapter, folded on its page: each symbol explains itself (symbols.js).

In JupyterLab and in print the table stands open.
"""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from press import chapters

OPENING = (
    '<details class="notation"><summary>Symbols of this chapter, their shapes '
    "and their names in code</summary>"
)


def setup(app):
    app.add_post_transform(FoldNotation)


class FoldNotation(SphinxPostTransform):
    """Fold the table under a chapter's heading *Notation*, with what introduces it."""

    default_priority = 200
    formats = ("html",)

    def run(self, **kwargs):
        if not chapters.of_page(self.env.docname):
            return
        for section in self.document.findall(nodes.section):
            if "notation" in section["ids"]:
                end = section.index(next(section.findall(nodes.table))) + 1
                section.insert(end, nodes.raw("", "</details>", format="html"))
                section.insert(1, nodes.raw("", OPENING, format="html"))
