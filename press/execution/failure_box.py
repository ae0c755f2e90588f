"""A cell that failed or was not run: what its page shows, in HTML and in plain text."""

import re
import textwrap
from dataclasses import dataclass
from html import escape

from docutils import nodes
from nbformat import NotebookNode
from nbformat.v4 import new_output

BOX, REMARK = "failed-here", "not-run-here"  # classes
THIS_COMPUTER = "on the computer that built this page"
NAME = re.compile(rf'class="{BOX}" id="([^"]+)"')
COLOURS = re.compile(r"\x1b\[[\d;]*m")
MAX_MESSAGE = 2000  # characters of what an error says
MAX_TRACEBACK = 20_000  # characters of a traceback, its end
WIDTH = 78  # of a line of plain text, for print


@dataclass(frozen=True)
class Failure:
    """What went otherwise in a cell than it should have gone; cells count from 1."""

    cell: int
    id: str
    expected: str
    got: str
    line: int | None = None
    statement: str = ""
    traceback: str = ""

    def __str__(self):
        """In a line: ``cell 7 (a1b2c3), line 2: loss is 0.3``."""
        got = self.got.replace("\n", "; ")
        location = f"cell {self.cell} ({self.id})"
        location += f", line {self.line}" if self.line else ""
        return f"{location}: {textwrap.shorten(got, 160, placeholder=' …')}"


def box(failure: Failure) -> NotebookNode:
    """Make an output that says what failed in a cell."""
    title, got = f"This cell failed {THIS_COMPUTER}.", failure.got[:MAX_MESSAGE]
    trace = COLOURS.sub("", failure.traceback)[-MAX_TRACEBACK:]
    code = failure.statement and f"<pre>{escape(failure.statement)}</pre>"
    details = trace and (
        "<details><summary>The whole traceback</summary>"
        f'<pre tabindex="0">{escape(trace)}</pre></details>'
    )
    html = (
        f'<div class="{BOX}" id="failed-{failure.id}" role="region"'
        f' aria-label="Failed: cell {failure.cell}">'
        f"<p><strong>{title}</strong></p>"
        f"<dl><dt>Expected</dt><dd>{escape(failure.expected)}{code}</dd>"
        f"<dt>Got</dt><dd><pre>{escape(got)}</pre></dd></dl>{details}</div>"
    )
    plain = [title, f"Expected: {failure.expected}", failure.statement, f"Got: {got}"]
    return _output(html, "\n".join(filter(None, plain)))


def remark(reason: str) -> NotebookNode:
    """Make the output of a cell that was not run."""
    sentence = f"Not run {THIS_COMPUTER}: {reason}."
    return _output(f'<p class="{REMARK}">{escape(sentence)}</p>', sentence)


def boxes(node: nodes.Element) -> list[str]:
    """List the ids of the boxes in a part of a page."""
    return [
        name for raw in node.findall(nodes.raw) for name in NAME.findall(raw.astext())
    ]


def _output(html, plain):
    lines = [part for line in plain.split("\n") for part in textwrap.wrap(line, WIDTH)]
    data = {"text/html": html, "text/plain": "\n".join(lines)}
    return new_output("display_data", data=data)
