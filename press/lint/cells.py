"""What a code cell is, and how large it may be."""

MAX_LINES = 30
MAX_COLUMNS = 88  # of code and of what is printed

# Exactly one of these says what a code cell is; the rest only change how it looks or runs.
KINDS = {"setup", "define", "run", "check", "figure", "widget", "solution"}
EXTRAS = {
    "claim",
    "hide-cell",
    "hide-input",
    "keep-colours",
    "remove-input",
    "seen",
    "slow",
}


def tags(cell):
    """Return the tags of a cell as a set."""
    return set(cell.metadata.get("tags", []))


def kind(cell):
    """Return the one tag that says what a code cell is; ValueError if not one does."""
    (name,) = tags(cell) & KINDS
    return name


def code(notebook):
    """Return the code cells of a notebook."""
    return [c for c in notebook.cells if c.cell_type == "code"]


def cell_sizes(notebook):
    """List the code cells that have no line, too many, or one that is too wide."""
    errors = []
    for i, cell in enumerate(code(notebook)):
        lines = cell.source.splitlines()
        if not 1 <= len(lines) <= MAX_LINES:
            errors.append(
                f"code cell {i}: expected 1 to {MAX_LINES} lines, got {len(lines)}"
            )
        for line in lines:
            if len(line) > MAX_COLUMNS:
                errors.append(
                    f"code cell {i}: expected {MAX_COLUMNS} columns, got {line!r}"
                )
    return errors
