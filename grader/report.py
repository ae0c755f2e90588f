"""Marks as a teacher and a student see them: table, CSV files, feedback page."""

import csv
import hashlib
import html
import io
import json
import math
import os
import sys
import unicodedata
from pathlib import Path

from nbformat import NotebookNode

from grader.submissions import decode

BY_HAND = ["student", "task", "points", "of", "comment", "answer", "version"]
MOST_LETTERS = 5000  # of an answer in by_hand.csv


class Sheet:
    """The tasks of an assignment with their points, and a row of marks for a student."""

    def __init__(self, notebook: NotebookNode):
        self.points, self.by_hand = {}, []
        for cell in notebook["cells"]:
            info = cell["metadata"].get("nbgrader", {})
            if info.get("grade"):
                task = _task(info["grade_id"])
                self.points[task] = self.points.get(task, 0) + info["points"]
                if info["solution"]:
                    self.by_hand.append(task)
        self.of = sum(self.points.values())

    def row(self, student: str, result: dict, typed: dict) -> dict:
        """Marks by task, None where somebody has to look; with sum and remark."""
        remarks, by_hand, answers = list(result["remarks"]), {}, {}
        marks = dict.fromkeys(self.points, 0) if result["marks"] is not None else {}
        for name, points in (result["marks"] or {}).items():
            if points is not None:
                marks[_task(name)] += points
        for task, answer in result.get("answers", {}).items():
            version = "v" + hashlib.sha256(answer.encode()).hexdigest()[:8]
            answers[task] = " ".join(answer.split())[:MOST_LETTERS], version
            points, comment, marked = typed.get((student, task), (None, "", version))
            if marked != version:
                comment += f" (an earlier answer had {_number(points) or 'no points'})"
                points = None
            marks[task] = points
            by_hand[task] = points, comment.strip()
        waiting = [task for task, points in marks.items() if points is None]
        if waiting:
            remarks.append(f"to mark by hand: {', '.join(waiting)}")
        return {
            "student": student,
            "graded": bool(marks),
            "marks": marks,
            "sum": sum(filter(None, marks.values())) if marks else None,
            "by_hand": by_hand,
            "answers": answers,
            "remark": "; ".join(remarks),
        }


def _task(grade_id):
    return grade_id.split("-marks")[0]


def _number(value):
    return "" if value is None else f"{value:g}"


def read_by_hand(path: Path, sheet: Sheet) -> dict:
    """What a teacher typed into by_hand.csv: points, comment, version of the answer.

    By student and task. Exits with the line, what was expected and what was found, if
    something is wrong. A spreadsheet may have changed the encoding, the separator and
    the decimal point.
    """
    if not path.exists():
        return {}
    text, _ = decode(path.read_bytes())
    separator = max(",;\t", key=text.split("\n", 1)[0].count)
    typed = {}
    for number, line in enumerate(
        csv.DictReader(io.StringIO(text), delimiter=separator)
    ):
        where = f"{path}, row {number + 2}"
        if missing := [name for name in BY_HAND if line.get(name) is None]:
            sys.exit(f"{where}: expected the columns {BY_HAND}, missing {missing}")
        task, points = line["task"].strip(), line["points"].strip().replace(",", ".")
        if task not in sheet.by_hand:
            sys.exit(f"{where}: expected a task of {sheet.by_hand}, got {task!r}")
        most = sheet.points[task]
        try:
            value = float(points) if points else None
        except ValueError:
            value = math.nan
        if value is not None and not 0 <= value <= most:
            most = _number(most)
            sys.exit(f"{where}: expected points from 0 to {most}, got {points!r}")
        student, comment = (line[k].removeprefix("'") for k in ("student", "comment"))
        typed[student, task] = value, comment.strip(), line["version"].strip()
    return typed


def write_by_hand(path: Path, rows: list[dict], typed: dict, sheet: Sheet) -> list[str]:
    """Write by_hand.csv: a line for each answer to mark, with what was typed.

    Lines of students who are not in the folder are kept, and their names returned.
    """
    table, here = [BY_HAND], set()
    for row in rows:
        for task, (points, comment) in row["by_hand"].items():
            of = sheet.points[task]
            answer = row["answers"][task]
            table.append([row["student"], task, points, of, comment, *answer])
            here.add((row["student"], task))
    others = {key: entry for key, entry in typed.items() if key not in here}
    for (student, task), (points, comment, version) in others.items():
        of = sheet.points[task]
        table.append([student, task, points, of, comment, "", version])
    if len(table) > 1:
        _write_csv(path, table)
    return sorted({student for student, _ in others})


def write_marks(path: Path, rows: list[dict], sheet: Sheet) -> None:
    """Write marks.csv: a line a student, a column a task, sum and remark."""
    table = [["student", *sheet.points, "sum", "of", "remark"]]
    for row in rows:
        marks = [row["marks"].get(task) for task in sheet.points]
        table.append([row["student"], *marks, row["sum"], sheet.of, row["remark"]])
    _write_csv(path, table)


def _write_csv(path, table):
    """As spreadsheets like it; no text of a student's is taken for a formula."""
    text = io.StringIO(newline="")
    for line in table:
        cells = [v if isinstance(v, str) else _number(v) for v in line]
        cells = [f"'{v}" if v[:1] in tuple("=+-@'") else v for v in cells]
        csv.writer(text).writerow(cells)
    write(path, "\ufeff" + text.getvalue())


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_bytes(text.encode("utf-8"))
    os.replace(part, path)


def table(rows: list[dict], sheet: Sheet) -> str:
    """The table for the terminal."""
    lines = [["student", *sheet.points, "sum", "remark"]]
    for row in rows:
        waiting = "by hand" if row["graded"] else "–"
        marks = [row["marks"].get(task) for task in sheet.points]
        marks = [waiting if points is None else _number(points) for points in marks]
        total = _number(row["sum"]) or "–"
        lines.append([row["student"], *marks, total, row["remark"]])
    lines.insert(1, ["", *map(_number, sheet.points.values()), _number(sheet.of), ""])
    lines = [
        ["".join(c if c.isprintable() else "�" for c in v) for v in line]
        for line in lines
    ]
    widths = [max(_width(line[i]) for line in lines) for i in range(len(lines[0]))]
    shown = []
    for first, *middle, last in lines:
        gaps = [
            " " * (w - _width(v)) + v for v, w in zip(middle, widths[1:], strict=False)
        ]
        shown.append(
            "  ".join([first + " " * (widths[0] - _width(first)), *gaps, last])
        )
    return "\n".join(line.rstrip() for line in shown)


def _width(text):
    """Columns on a terminal, where a Chinese character takes two."""
    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def summary(
    rows: list[dict], sheet: Sheet, out: Path, unknown: list[str], seconds: float
) -> str:
    """What was done, where it lies and what is left to do."""
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
    """A bar on a terminal, a line now and then elsewhere; ``pace`` is how fast it goes."""
    if sys.stderr.isatty():
        bar = "█" * (30 * done // total)
        end = "\n" if done == total else ""
        what = pace or name[:30]
        print(f"\r\033[K{bar:░<30} {done}/{total} {what}", end=end, file=sys.stderr)
    elif done % 10 == 0 or done == total:
        how = f", {pace}" if pace else ""
        print(f"{done}/{total} graded{how}", file=sys.stderr, flush=True)


def stamp(row: dict) -> str:
    """Changes when anything on the feedback page does."""
    return hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()


STYLE = (
    "<style>.marks {max-width: 60em; margin: 1em auto; font-family: sans-serif}"
    " .marks td, .marks th {padding: 0 1em 0 0; text-align: left}</style>"
)


def page(name: str, row: dict, sheet: Sheet, graded: str) -> str:
    """The feedback page: a summary above nbgrader's page, or in place of it."""
    lines = [("task", "points", "of", "comment")]
    for task, of in sheet.points.items():
        points = row["marks"].get(task)
        shown = "not yet marked" if points is None else _number(points)
        comment = row["by_hand"].get(task, (None, ""))[1]
        lines.append((task, shown, _number(of), comment))
        if points is None:  # nbgrader would call it 0
            unmarked = f"Written response</a> (Score: 0.0 / {of:.1f})"
            graded = graded.replace(unmarked, "Written response</a> (not yet marked)")
    total = f"{_number(row['sum'])} of {_number(sheet.of)} points"
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
    return graded.replace("<body>", f"<body>\n{box}", 1)
