"""The cells of a notebook as pytest runs them: nbval's, and the figures among them again."""

import re
import time

import nbformat
import pytest
from nbval.plugin import IPyNbCell, IPyNbFile

from press import chapters
from press.execution.kernel import Kernel
from press.lint.sliders import drawing
from utils.interact.positions import linked

FIGURES = {"figure", "widget"}
DRAWS = re.compile(r"\b(matplotlib|interact)\b")  # other kernels start without drawing
PREPARE = """from press.execution.bundles import {bundle}
from utils.interact import show_with
show_with({bundle})
del {bundle}, show_with
%config InlineBackend.figure_formats = {formats}
import warnings  # a drawing without a grid has nothing to lay out, and is drawn twice
warnings.filterwarnings("ignore", "There are no gridspecs with layoutgrids")
del warnings
"""
CHECK_SEEN = """from press.execution.figure_mutations import assert_noticed
assert_noticed({!r}, globals())"""
FOR_PAGES = {"bundle": "for_pages", "formats": ["png", "pdf"]}  # and for print
FOR_COMPARISON = {"bundle": "for_comparison", "formats": ["png"]}


class Notebook(IPyNbFile):
    """A notebook, and what has become of it."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.compare_outputs = False  # the sources have none
        self.started_at = time.monotonic()
        self.cells = []  # those of the notebook, without the figures again
        self.ready = False  # to run them
        self.failures = []  # pairs of a cell and what failed there
        self.stop_reason = ""  # why the cells that are left are not run

    def setup(self):
        """Start a kernel, which shows figures as the pages do."""
        self.started_at = time.monotonic()
        name = self.nb.metadata.get("kernelspec", {}).get("name", "python3")
        self.kernel = Kernel(name, cwd=str(self.path.parent))
        if any(DRAWS.search(cell.cell.source) for cell in self.cells):
            limit = self.config.option.nbval_cell_timeout
            self.kernel.run(PREPARE.format(**FOR_PAGES), limit)
        self.ready = True

    def has_failed(self, item: IPyNbCell) -> bool:
        """Return whether something has failed in a cell so far."""
        return any(cell is item for cell, _ in self.failures)


class FigureDiffers(Exception):
    """A figure that was drawn again is another; says what was expected and what came."""

    def __str__(self):
        return "expected {}, got {}".format(*self.args)


class RepeatedFigure(IPyNbCell):
    """A figure's cell after the end of its notebook."""

    @classmethod
    def of(cls, original: IPyNbCell) -> "RepeatedFigure":
        """Make an item that runs the same cell again."""
        cell = nbformat.from_dict(original.cell)
        cell.source = PREPARE.format(**FOR_COMPARISON) + cell.source
        cell.source += position_checks(original)
        item = cls.from_parent(
            original.parent,
            name=f"{original.name} again",
            cell_num=original.cell_num,
            cell=cell,
            options=original.options | {"check": False},  # still a defaultdict
        )
        item.original = original
        return item

    def runtest(self):
        """Draw the figure again, and compare; FigureDiffers if it is another one."""
        if self.parent.has_failed(self.original):
            pytest.skip("it failed the first time")
        super().runtest()
        before, after = pictures(self.original), pictures(self)
        if not before:
            raise FigureDiffers("a picture (image/png)", "none")
        if before != after:
            equal = sum(a == b for a, b in zip(before, after, strict=False))
            raise FigureDiffers(
                "the figure as before when it is drawn once more after the whole notebook",
                f"{len(after)} of {len(before)} pictures, of which {equal} are the same",
            )


class SeenChecks(RepeatedFigure):
    """The `seen` checks of a notebook, reported with the last of them."""

    @classmethod
    def of(cls, original: IPyNbCell) -> "SeenChecks":
        """Make an item that runs the checks of a notebook with one thing changed."""
        item = super().of(original)
        item.cell.source = CHECK_SEEN.format(str(original.parent.path))
        return item

    def runtest(self):
        """Run the checks; what they show is not compared."""
        IPyNbCell.runtest(self)


def repetitions(cells: list[IPyNbCell]) -> list[IPyNbCell]:
    """List an item for each figure among a notebook's cells that draws it again.

    One more runs the `seen` checks: last, so that no figure meets what they leave.
    """
    checks = [cell for cell in cells if "seen" in tags(cell)]
    figures = [RepeatedFigure.of(cell) for cell in cells if FIGURES & tags(cell)]
    return figures + [SeenChecks.of(cell) for cell in checks[-1:]]


def tags(item: IPyNbCell) -> set[str]:
    return set(item.cell.metadata.get("tags", []))


def position_checks(item: IPyNbCell) -> str:
    """Return code that fails where the prose names a position which the figure lacks."""
    if "widget" not in tags(item):
        return ""
    figure, _ = drawing(item.cell)
    links = linked(chapters.markdown(item.parent.nb))
    calls = [f"position({figure}, {text!r})" for name, text in links if name == figure]
    if not calls:
        return ""
    return "\n".join(["", "from utils.interact import position", *calls])


def pictures(item: IPyNbCell) -> list[str]:
    """List the pictures that a cell has shown, as their bytes in base64."""
    data = [output.get("data", {}) for output in item.test_outputs or []]
    return [d["image/png"] for d in data if "image/png" in d]
