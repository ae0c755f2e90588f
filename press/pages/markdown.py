"""What a page says in ordinary markdown, put as MyST wants it before it reads the page.

The notebook on disk stays plain, so that it reads well in JupyterLab too.
"""

import json
from html import escape

from press.links import cite
from utils.interact.positions import LINK


def setup(app):
    app.connect("source-read", _transform)


def _transform(app, page, source):
    if not app.env.doc2path(page).endswith(".ipynb"):
        source[0] = markdown(source[0])
        return
    notebook = json.loads(source[0])
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = markdown("".join(cell["source"]))
    source[0] = json.dumps(notebook)


def markdown(text):
    """Rewrite the citations and positions of a markdown cell or page as MyST has them."""
    return positions(cite(text))


def positions(text):
    """Rewrite words that set a figure as links that its script finds: see utils.interact."""

    def link(match):
        words, figure, position = match.groups()
        target = escape(f"{figure}:{position}")
        return f'<a class="position" href="#{target}">{words}</a>'

    return LINK.sub(link, text)
