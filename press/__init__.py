"""All that turns chapters into what is read, shown and looked up.

=========== =========================================================================
chapters    what a chapter is: its number, part, title, sections, interactive figures
new_chapter the files of a chapter that is to be written, from ``template``
lint        what a notebook must keep to
execution   notebooks run, each once: what runs, where it is kept, when it runs again
figures     an interactive figure without a kernel: its frames, its HTML, its script
alive       a figure whose network runs in the browser: its data, its scripts
links       citations and links as the pages write them
pages       the built pages: numbers, code, head and foot; templates, style
tables      the map, the paths, the lecturers' tables, the appendices
decks       slides for lectures, and a chapter live on a projector
paper       the book and its chapters for print
build       jupyter-book, called; ``__main__`` is what ``make book`` and ``check`` run
=========== =========================================================================

Four ways through it, in order:

A failing cell, a claim's too: ``execution/__init__.py`` names the modules in order. At the
end ``book`` in ``__main__.py`` asks ``cache.failed_cells`` for the list, and ``main`` exits
with 1; for a bare jupyter-book ``sphinx_events.py`` sets the status of Sphinx.

A slider: ``execution/cells.py`` has figures shown by ``static_bundle`` in
``figures/bundle.py``, which has every frame drawn by ``frame`` in
``utils/interact/frames.py``; on the page ``show`` in ``figures/static/figure.js`` shows the
frame of a position. In JupyterLab ``utils/interact/live.py`` has ``frame`` draw each anew.

A network in the browser: ``utils/alive`` has the figure shown by ``alive_bundle`` in
``alive/bundle.py``, ``alive/files.py`` moves the network to a file and names the scripts, and
``step`` in ``alive/static/alive.js`` computes and shows.

An equation's number: ``pages/equation_numbers.py`` makes it from chapter and place, Sphinx
writes it on the page, and ``paper/writer.py`` prints the same.

A deck: ``decks/written.py`` reads it from ``slides``, ``decks/page_parts.py`` finds what it
names on the built page, and ``decks/files.py`` joins it with its scripts.

Named in ``_config.yml``, so that a bare ``jupyter-book build .`` has it all.
"""

import os
from importlib import import_module

from pybtex.backends import plaintext
from pybtex.plugin import register_plugin

# In the order in which a build meets them.
EXTENSIONS = (
    "execution.sphinx_events",
    "tables",
    "pages.markdown",
    "pages.cell_ids",
    "pages.equation_numbers",
    "pages.alt",
    "pages.failed",
    "pages.code",
    "pages.notation",
    "pages.foot",
    "pages.inline",
    "pages.chapter_head",
    "pages.gallery",
    "alive.files",
    "decks.files",
    "paper.builder",
)


def setup(app):
    """Connect each part to the events of a Sphinx build."""
    for name in EXTENSIONS:
        import_module(f"{__name__}.{name}").setup(app)
    app.connect("env-updated", _write_on_all_cores)
    # Else each citation has pybtex look for it among all packages that are installed.
    register_plugin("pybtex.backends", "plaintext", plaintext.Backend, force=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _write_on_all_cores(app, env):
    """Have pages written in parallel: jupyter-book has no option for it."""
    app.parallel = int(os.environ.get("WORKERS") or os.cpu_count())
