"""What holds, apart from what happened here: each general sentence has a claim cell."""

import re

from press import chapters
from press.lint.cells import code, kind, tags

CLAIM_OPENING = "**What holds.** "
MAX_CLAIMS = 12  # claims in the core
MAX_CHECK_LINES = 15
MAX_SYMBOLS = 15  # rows of the table of the notation
ROWS = re.compile(r"^## Notation\n[\s\S]*?\n\|[-|: ]+\|\n((?:\|.*\n?)+)", re.M)


def claims(notebook):
    """List claim cells without a sentence and sentences without a cell; say if too many."""
    errors, sentence, count, section = [], None, 0, ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            if sentence:
                errors.append(f"expected a claim cell after {sentence!r}")
            sentences = re.findall(
                rf"^{re.escape(CLAIM_OPENING)}(.*)", cell.source, re.M
            )
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
                    f"claim {cell.id}: expected a text before it with {CLAIM_OPENING!r}"
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
    if count > MAX_CLAIMS:
        errors.append(f"expected at most {MAX_CLAIMS} claims in the core, got {count}")
    return errors


def long_checks(notebook):
    """List the checks that are too long, in a chapter with claims."""
    return [
        f"check {cell.id}: expected {MAX_CHECK_LINES} lines, got {lines}"
        for cell in code(notebook)
        if kind(cell) == "check"
        and (lines := len(cell.source.splitlines())) > MAX_CHECK_LINES
        and _has_claims(notebook)
    ]


def long_notation(notebook):
    """Say so if a chapter with claims has a table of the notation that is too long."""
    table = ROWS.search(chapters.markdown(notebook))
    count = len(table[1].splitlines()) if table else 0
    if count <= MAX_SYMBOLS or not _has_claims(notebook):
        return []
    return [f"notation: expected at most {MAX_SYMBOLS} rows, got {count}"]


def _has_claims(notebook):
    return any("claim" in tags(cell) for cell in code(notebook))
