"""A page with cells that failed says so at its top; press.pages.code folds no box."""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from press.execution.failure_box import BOX, THIS_COMPUTER, boxes


def setup(app):
    app.add_post_transform(Notice)


class Notice(SphinxPostTransform):
    """Add links to the failed cells under the title."""

    default_priority = 199
    formats = ("html",)

    def run(self, **kwargs):
        failed = boxes(self.document)
        title = next(iter(self.document.findall(nodes.title)), None)
        if not failed or title is None:
            return
        links = ", ".join(
            f'<a href="#{x}">box {i}</a>' for i, x in enumerate(failed, 1)
        )
        cells = "one cell" if len(failed) == 1 else f"{len(failed)} cells"
        claim = f"Not all of this page holds {THIS_COMPUTER}: {cells} failed"
        sentence = f"<strong>{claim}</strong> ({links})."
        html = f'<div class="{BOX}" role="note"><p>{sentence}</p></div>'
        index = title.parent.index(title) + 1
        title.parent.insert(index, nodes.raw("", html, format="html"))
