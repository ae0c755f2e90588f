"""The feedback page of a student: marks and remarks above nbgrader's page."""

import hashlib
import html
import json

from grader.marks import Sheet, format_points

LEFT_OUT = "left-out.json"  # in a student's folder: cells that the page cannot show


def stamp(row: dict) -> str:
    """Return a hash of everything on the feedback page."""
    return hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()


STYLE = (
    "<style>.marks {max-width: 60em; margin: 1em auto; font-family: sans-serif}"
    " .marks td, .marks th {padding: 0 1em 0 0; text-align: left}</style>"
)


def page(name: str, row: dict, sheet: Sheet, graded: str) -> str:
    """Return the feedback page: a summary above nbgrader's page, or in place of it."""
    lines = [("task", "points", "of", "comment")]
    for task, max_points in sheet.points.items():
        points = row["marks"].get(task)
        text = "not yet marked" if points is None else format_points(points)
        comment = row["by_hand"].get(task, (None, ""))[1]
        lines.append((task, text, format_points(max_points), comment))
        if points is None:  # nbgrader would call it 0
            unmarked = f"Written response</a> (Score: 0.0 / {max_points:.1f})"
            graded = graded.replace(unmarked, "Written response</a> (not yet marked)")
    total = f"{format_points(row['sum'])} of {format_points(sheet.total)} points"
    table = "".join(
        "<tr>" + "".join(f"<td>{html.escape(v)}</td>" for v in line) + "</tr>"
        for line in lines
    )
    box = (
        f"{STYLE}<div class='marks'><h1>{name}: {html.escape(row['student'])}</h1>"
        f"<p><b>{total if row['graded'] else 'not graded'}</b></p>"
        f"<p>{html.escape(row['remark'])}</p>"
        f"{'<table>' + table + '</table>' if row['graded'] else ''}</div>"
    )
    if not graded:
        return f"<!DOCTYPE html><meta charset='utf-8'><title>{name}</title>{box}"
    head, body, rest = graded.partition("<body>")
    return f"{head}{body}\n{box}{rest}" if body else f"{box}{graded}"
