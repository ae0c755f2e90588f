"""What a static picture shows, in words: from what it says of itself in its notebook.

A figure has its words as the plain text of its picture (see utils.alt). Without the book's
style it has the text of its class, ``<Figure size …>``, which helps nobody.
"""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform


def setup(app):
    app.add_post_transform(AltText)


class AltText(SphinxPostTransform):
    """The plain text of a picture becomes its alternative text."""

    default_priority = 3  # right before myst-nb keeps one of the types of each output

    def run(self, **kwargs):
        for bundle in self.document.findall(nodes.container):
            if bundle.get("nb_element") != "mime_bundle":
                continue
            types = {content["mime_type"]: content for content in bundle}
            text = types["text/plain"].astext() if "text/plain" in types else ""
            if "image/png" in types and text and not text.startswith("<"):
                for image in types["image/png"].findall(nodes.image):
                    image["alt"] = text
