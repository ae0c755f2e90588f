"""What holds, apart from what happened here: each general sentence has a claim cell."""

import re

from press import chapters
from press.lint.cells import kind, tags

OPENS = "**What holds.** "
MOST = 12  # claims in the core
CHECK_LINES = 15
SYMBOLS = 15  # rows of the table of the notation
ROWS = re.compile(r"^## Notation\n[\s\S]*?\n\|[-|: ]+\|\n((?:\|.*\n?)+)", re.M)


def claims(notebook):
    """Claim cells without their sentence, sentences without their cell, and too many."""
    out, said, made, section = [], None, 0, ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            out += [f"expected a claim cell after {said!r}"] if said else []
            opened = re.findall(rf"^{re.escape(OPENS)}(.*)", cell.source, re.M)
            out += [f"expected one claim a cell of text, got {opened}"] * (
                opened[1:] != []
            )
            said = opened[-1] if opened else None
            for title in re.findall(r"^## (.+)", cell.source, re.M):
                section = title.strip()
        elif "claim" in tags(cell):
            if kind(cell) != "check":
                out.append(
                    f"claim {cell.id}: expected a check, got {sorted(tags(cell))}"
                )
            if said is None:
                out.append(f"claim {cell.id}: expected a text before it with {OPENS!r}")
            made += not (section.endswith("*") or chapters.BACK_MATTER.match(section))
            said = None
        elif said and kind(cell) != "run":
            out.append(f"expected a claim cell, or runs and then it, after {said!r}")
            said = None
    out += [f"expected a claim cell after {said!r}"] if said else []
    if made > MOST:
        out.append(f"expected at most {MOST} claims in the core, got {made}")
    return out


def room(notebook):
    """Checks and a notation that are too long, in a chapter that has claims."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if not any("claim" in tags(cell) for cell in cells):
        return []
    out = []
    for cell in cells:
        lines = len(cell.source.splitlines())
        if kind(cell) == "check" and lines > CHECK_LINES:
            out.append(f"check {cell.id}: expected {CHECK_LINES} lines, got {lines}")
    table = ROWS.search(chapters.markdown(notebook))
    if table and len(table[1].splitlines()) > SYMBOLS:
        out.append(
            f"notation: expected at most {SYMBOLS} rows, got {len(table[1].splitlines())}"
        )
    return out
