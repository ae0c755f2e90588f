"""What holds, apart from what happened here: each general sentence has a claim cell."""

import re

from press import chapters
from press.lint.cells import code, kind, tags

OPENS = "**What holds.** "
MOST = 12  # claims in the core
CHECK_LINES = 15
SYMBOLS = 15  # rows of the table of the notation
ROWS = re.compile(r"^## Notation\n[\s\S]*?\n\|[-|: ]+\|\n((?:\|.*\n?)+)", re.M)


def claims(notebook):
    """List claim cells without a sentence and sentences without a cell; say if too many."""
    errors, sentence, count, section = [], None, 0, ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            if sentence:
                errors.append(f"expected a claim cell after {sentence!r}")
            sentences = re.findall(rf"^{re.escape(OPENS)}(.*)", cell.source, re.M)
            if len(sentences) > 1:
                errors.append(f"expected one claim a cell of text, got {sentences}")
            sentence = sentences[-1] if sentences else None
            for title in re.findall(r"^## (.+)", cell.source, re.M):
                section = title.strip()
        elif "claim" in tags(cell):
            if kind(cell) != "check":
                names = sorted(tags(cell))
                errors.append(f"claim {cell.id}: expected a check, got {names}")
            if sentence is None:
                errors.append(
                    f"claim {cell.id}: expected a text before it with {OPENS!r}"
                )
            count += not (section.endswith("*") or chapters.BACK_MATTER.match(section))
            sentence = None
        elif sentence and kind(cell) != "run":
            errors.append(
                f"expected a claim cell, or runs and then it, after {sentence!r}"
            )
            sentence = None
    if sentence:
        errors.append(f"expected a claim cell after {sentence!r}")
    if count > MOST:
        errors.append(f"expected at most {MOST} claims in the core, got {count}")
    return errors


def room(notebook):
    """List the checks and the notation that are too long, in a chapter with claims."""
    cells = code(notebook)
    if not any("claim" in tags(cell) for cell in cells):
        return []
    errors = []
    for cell in cells:
        lines = len(cell.source.splitlines())
        if kind(cell) == "check" and lines > CHECK_LINES:
            errors.append(f"check {cell.id}: expected {CHECK_LINES} lines, got {lines}")
    table = ROWS.search(chapters.markdown(notebook))
    if table and len(table[1].splitlines()) > SYMBOLS:
        count = len(table[1].splitlines())
        errors.append(f"notation: expected at most {SYMBOLS} rows, got {count}")
    return errors
