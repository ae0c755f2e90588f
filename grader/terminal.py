"""What the grader prints: progress, the table of marks, a summary."""

import sys
import unicodedata
from pathlib import Path

from grader.marks import Sheet, format_points


def table(rows: list[dict], sheet: Sheet) -> str:
    """Return the table of marks as text."""
    points = [*sheet.points.values(), sheet.total]
    lines = [["student", *sheet.points, "sum", "remark"]]
    lines.append(["", *map(format_points, points), ""])
    for row in rows:
        waiting = "by hand" if row["graded"] else "–"
        marks = [row["marks"].get(task) for task in sheet.points]
        marks = [
            waiting if points is None else format_points(points) for points in marks
        ]
        total = format_points(row["sum"]) or "–"
        lines.append([row["student"], *marks, total, row["remark"]])
    lines = [
        ["".join(c if c.isprintable() else "�" for c in v) for v in line]
        for line in lines
    ]
    widths = [max(_width(line[i]) for line in lines) for i in range(len(lines[0]))]
    padded = []
    for student, *middle, remark in lines:
        columns = [
            " " * (w - _width(v)) + v for v, w in zip(middle, widths[1:], strict=False)
        ]
        padded.append(
            "  ".join([student + " " * (widths[0] - _width(student)), *columns, remark])
        )
    return "\n".join(line.rstrip() for line in padded)


def _width(text):
    """Return the width of a text on a terminal, where a Chinese character takes two columns."""
    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def summary(
    rows: list[dict], sheet: Sheet, out: Path, unknown: list[str], seconds: float
) -> str:
    """Return what was done, where the results are and what is left to do."""
    graded = sum(row["graded"] for row in rows)
    lines = [
        "",
        f"{len(rows)} submissions, {graded} graded, {len(rows) - graded} not; "
        f"{seconds:.0f} s.",
        f"Marks {out / 'marks.csv'}, a page for each student in {out / 'feedback'}.",
    ]
    if unknown:
        lines.append(f"by_hand.csv names others, too: {', '.join(unknown)}.")
    if waiting := sum(list(row["marks"].values()).count(None) for row in rows):
        lines.append(
            f"{waiting} answers to mark by hand ({', '.join(sheet.by_hand)}): type points "
            f"and, if you like, a comment into\n{out / 'by_hand.csv'}, save it as CSV, "
            "and give the same command again."
        )
    return "\n".join(lines)


def progress(done: int, total: int, name: str, pace: str = "") -> None:
    """Show a bar on a terminal, elsewhere a line now and then; ``pace`` says how fast."""
    if sys.stderr.isatty():
        bar = "█" * (30 * done // total)
        end = "\n" if done == total else ""
        label = pace or name[:30]
        print(f"\r\033[K{bar:░<30} {done}/{total} {label}", end=end, file=sys.stderr)
    elif done % 10 == 0 or done == total:
        speed = f", {pace}" if pace else ""
        print(f"{done}/{total} graded{speed}", file=sys.stderr, flush=True)
