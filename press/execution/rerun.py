"""After a whole run, every figure once more: a reader runs cells in any order.

A live slider, too, draws with the names as they are when the notebook has ended. So the
cells that show a figure run again in the kernel that nbval has just led through the
notebook, from the last to the first, then from the first to the last, and must show the
same picture: neither a later cell nor an earlier one that runs once more may spoil it.
There the positions, too, that the prose names are held against the grid of their figure.
"""

import nbformat
from nbval.plugin import IPyNbCell

from press import chapters
from press.lint import POSITION, drawing

FIGURES = {"figure", "widget"}
# Its corners have been drawn before: the default picture is enough.
ONLY_DEFAULT = """from press.figures import default_bundle
from utils.interact import show_with
show_with(default_bundle)
"""


def again(items):
    """For each figure among nbval's cells an item that runs it again, and one more."""
    cells = [item for item in items if isinstance(item, IPyNbCell)]
    cells = [cell for cell in cells if FIGURES & tags(cell)]
    backwards = [Again.of(cell, "again") for cell in reversed(cells)]
    return backwards + [Again.of(cell, "once more") for cell in cells]


def tags(item):
    return set(item.cell.metadata.get("tags", []))


class Again(IPyNbCell):
    """A figure's cell after the end of its notebook."""

    @classmethod
    def of(cls, first, when):
        cell = nbformat.from_dict(first.cell)
        cell.source = ONLY_DEFAULT + cell.source + positions(first)
        item = cls.from_parent(
            first.parent,
            name=f"{first.name} {when}",
            cell_num=first.cell_num,
            cell=cell,
            options=first.options | {"check": False},  # still a defaultdict
        )
        item.first = first
        return item

    def runtest(self):
        super().runtest()
        before, after = pictures(self.first), pictures(self)
        if not before:
            self.raise_cell_error("expected a picture (image/png), got none")
        if before != after:
            same = sum(a == b for a, b in zip(before, after, strict=False))
            self.raise_cell_error(
                f"expected the {len(before)} pictures of the first run, "
                f"got {len(after)}, of which {same} are the same"
            )


def positions(item):
    """Code that fails where the prose names a position which the figure does not have."""
    if "widget" not in tags(item):
        return ""
    figure, _ = drawing(item.cell)
    found = POSITION.findall(chapters.markdown(item.parent.nb))
    calls = [f"position({figure}, {text!r})" for name, text in found if name == figure]
    return (
        "\n".join(["", "from utils.interact import position", *calls]) if calls else ""
    )


def pictures(item):
    """The pictures that a cell has shown, as their bytes in base64."""
    data = [output.get("data", {}) for output in item.test_outputs]
    return [d["image/png"] for d in data if "image/png" in d]
