"""What the built book needs beyond Jupyter Book, in the order in which a build meets it.

=========== =========================================================================
execution   notebooks run in parallel, and again only if what they use has changed
sources     positions, citations and folds, before MyST reads a page
numbers     equations, figures and exercises count anew in each chapter
code        highlighted code in few elements; a figure's code stands under it
pages       the scripts of a page, and its foot: what comes before and after, which part
head        under a chapter's title its reading time, its homework and its deck
gallery     small pictures of the interactive figures
figures     all frames of an interactive figure, in the kernel of its notebook
=========== =========================================================================

Named in ``_config.yml``, so that a bare ``jupyter-book build .`` has it too.
"""

import os
from importlib import import_module
from pathlib import Path

MODULES = ("execution", "sources", "numbers", "code", "pages", "head", "gallery")


def setup(app):
    # Inherited by the kernels; see utils.interact.
    os.environ["BOOK_FIGURES"] = f"{__name__}.figures:static_bundle"
    paths = str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    os.environ["OMP_NUM_THREADS"] = "1"  # small matrices: threads only get in the way
    for module in MODULES:
        import_module(f"{__name__}.{module}").setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
