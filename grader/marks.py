"""The marks of a class, in marks.csv, and those that a teacher types, in by_hand.csv."""

import csv
import hashlib
import io
import json
import math
import re
import sys
import unicodedata
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from grader.atomic import write
from grader.text import Undecided, decode, words_of

BY_HAND = ["student", "task", "points", "of", "comment", "answer", "version"]
REQUIRED = [name for name in BY_HAND if name not in ("of", "answer")]
MOST_LETTERS = 5000  # of an answer in by_hand.csv
# Longest number that may be a student's name: a file's name has 255 bytes.
MAX_NAME_DIGITS = 255
NO_HEADING = "column"  # with a number, where a column has none
NOT_WRITABLE = (
    "{path}: expected a file that can be written, got {error}; close it where it is open"
    " and give the same command again, nothing is lost"
)


class Typed(NamedTuple):
    """A line of by_hand.csv: what a teacher typed for an answer."""

    points: float | None
    comment: str
    version: str
    answer: str = ""
    own: tuple[tuple[str, str], ...] = ()  # heading and cell of the teacher's columns


class Sheet:
    """The tasks of an assignment and their points; makes a row of marks for a student."""

    def __init__(self, notebook: NotebookNode):
        self.points, self.by_hand = {}, []
        for cell in notebook["cells"]:
            info = cell["metadata"].get("nbgrader", {})
            if info.get("grade"):
                task = _task(info["grade_id"])
                self.points[task] = self.points.get(task, 0) + info["points"]
                if info["solution"]:
                    self.by_hand.append(task)
        self.total = sum(self.points.values())

    def row(self, student: str, result: dict, typed: dict) -> dict:
        """Return a student's marks by task, None where one is missing, with sum and remark."""
        remarks, by_hand, answers = list(result["remarks"]), {}, {}
        marks = dict.fromkeys(self.points, 0) if result["marks"] is not None else {}
        for name, points in (result["marks"] or {}).items():
            if points is not None:
                marks[_task(name)] += points
        for task, answer in result.get("answers", {}).items():
            version = "v" + hashlib.sha256(answer.encode()).hexdigest()[:8]
            text = re.sub(r"data:image/[^)\s]+", "a picture", answer)
            answers[task] = " ".join(text.split())[:MOST_LETTERS], version
            entry = typed.get((student, task), Typed(None, "", version))
            points, comment = entry.points, entry.comment
            if entry.version != version:
                comment += (
                    f" (an earlier answer had {format_points(points) or 'no points'})"
                )
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


def format_points(points: float | None) -> str:
    """Return points as they stand in tables; nothing for None."""
    return "" if points is None else f"{points:g}"


def read_by_hand(path: Path, sheet: Sheet, students: Iterable[str] = ()) -> dict:
    """Read what a teacher typed into by_hand.csv: a ``Typed`` by student and task.

    A spreadsheet may have changed the encoding, the separator, the decimal point, the ends
    of lines and names that look like numbers, and a teacher may have added columns. The
    encoding is inferred from ``students``, from the names and answers of those who were
    graded before, and from what the grader wrote there last. SystemExit if something is
    wrong or cannot be inferred, with the line, what was expected and what came; the file is
    left unchanged.
    """
    if not path.exists():
        return {}
    names, answers = _graded(path.parent / "graded")
    names |= {*students}
    previous = _own_copy(path).read_text("utf-8") if _own_copy(path).exists() else ""
    heading, rows = _rows(path, {*names, *words_of(answers), *words_of(previous)})
    if missing := [name for name in REQUIRED if name not in heading]:
        sys.exit(f"{path}, row 1: expected the columns {BY_HAND}, missing {missing}")
    typed = {}
    for number, cells in rows:
        location = f"{path}, row {number}"
        if len(cells) > len(heading) and any(cells[len(heading) :]):
            sys.exit(f"{location}: expected {len(heading)} columns, got {len(cells)}")
        cells = [cell.removeprefix("'") for cell in cells]
        line = dict.fromkeys(BY_HAND, "") | dict(zip(heading, cells, strict=False))
        task, points = line["task"].strip(), line["points"].strip().replace(",", ".")
        if task not in sheet.by_hand:
            sys.exit(f"{location}: expected a task of {sheet.by_hand}, got {task!r}")
        max_points = sheet.points[task]
        try:
            value = float(points) if points else None
        except ValueError:
            value = math.nan
        if value is not None and not 0 <= value <= max_points:
            max_points = format_points(max_points)
            sys.exit(
                f"{location}: expected points from 0 to {max_points}, got {points!r}"
            )
        own = tuple(
            (name, line.get(name, ""))
            for name in heading
            if name not in BY_HAND
            and (line.get(name) or not re.fullmatch(rf"{NO_HEADING} \d+", name))
        )
        entry = Typed(
            value, line["comment"].strip(), line["version"].strip(), line["answer"], own
        )
        key = _student(line["student"], names, location), task
        if typed.setdefault(key, entry) != entry:
            sys.exit(
                f"{location}: expected one line for {key[0]} and {task}, got another"
            )
    return typed


def _graded(folder):
    """Return the names of students graded before, and all their answers as one text."""
    names, answers = set(), []
    for path in folder.glob("*/"):
        names.add(path.name)
        try:
            result = json.loads((path / "result.json").read_text("utf-8"))
        except (OSError, ValueError):
            continue
        answers += result.get("answers", {}).values()
    return names, "\n".join(answers)


def _rows(path, expected_words):
    """Return the headings of a table, and its non-empty lines with their numbers."""
    try:
        text, encoding = decode(path.read_bytes(), expected_words)
    except Undecided:
        sys.exit(
            f"{path}: expected text in UTF-8, got another encoding, and the names of the"
            " class fit none or several; save it as CSV in UTF-8. It is left as it was"
        )
    except OSError as error:
        sys.exit(f"{path}: expected a file that can be read, got {error}")
    if encoding != "UTF-8":
        print(
            f"{path}: expected UTF-8, read as {encoding}", file=sys.stderr, flush=True
        )
    text = unicodedata.normalize("NFC", text)
    first_line = text.splitlines()[0] if text else ""
    separator, number = max(",;\t", key=first_line.count), 1
    if first_line.lower().startswith("sep="):  # a line for Excel alone
        separator, number = first_line[4:5], 2
        text = text.removeprefix(first_line).lstrip("\r\n")
    if not text.strip():
        sys.exit(f"{path} is empty: delete it and give the command again")
    file = io.StringIO(text, newline=None)  # also of an old Macintosh
    try:
        heading, *table = csv.reader(file, delimiter=separator)
    except (csv.Error, ValueError) as error:
        sys.exit(f"{path}: expected a table, got {error}")
    names = []
    for name in map(str.strip, heading):
        names.append(
            f"{name or NO_HEADING} {len(names) + 1}" if name in ["", *names] else name
        )
    lines = enumerate(table, start=number + 1)
    return names, [(n, cells) for n, cells in lines if any(map(str.strip, cells))]


def _student(typed_name, names, location):
    """Return the student whose name a spreadsheet may have changed to ``typed_name``."""
    if typed_name in names or typed_name.strip() in names:
        return typed_name if typed_name in names else typed_name.strip()
    candidates = sorted(name for name in names if _may_mean(typed_name, name))
    if len(candidates) > 1:
        sys.exit(
            f"{location}: expected the name of a student, got {typed_name!r}, which may be"
            f" {' or '.join(candidates)}; save it as CSV in UTF-8, names as text"
        )
    return candidates[0] if candidates else typed_name


def _may_mean(typed_name, name):
    """Return whether a spreadsheet may have changed a name: lost letters, or a number."""
    if name.isdecimal():
        number = typed_name.replace(",", ".").upper()
        if typed_name.isdecimal() or "E" not in number:
            # Python refuses numbers of thousands of digits.
            short = typed_name.isdecimal() and len(typed_name) <= MAX_NAME_DIGITS
            return short and int(typed_name) == int(name)
        digits = len(number.partition("E")[0].partition(".")[2])
        return f"{int(name):.{digits}E}" == number
    saved_as = lambda letter: {"?", "_", unicodedata.normalize("NFKD", letter)[0]}
    return len(typed_name) == len(name) and all(
        a == b or (not b.isascii() and a in saved_as(b))
        for a, b in zip(typed_name, name, strict=True)
    )


def write_by_hand(path: Path, rows: list[dict], typed: dict, sheet: Sheet) -> list[str]:
    """Write by_hand.csv: a line for each answer to mark, with what was typed.

    Lines of students who are not in the folder are kept, and their names returned.
    """
    lines = {}
    for row in rows:
        for task, (points, comment) in row["by_hand"].items():
            key, (answer, version) = (row["student"], task), row["answers"][task]
            own = typed[key].own if key in typed else ()
            lines[key] = Typed(points, comment, version, answer, own)
    others = {key: entry for key, entry in typed.items() if key not in lines}
    lines |= others
    headings = list(dict.fromkeys(name for e in lines.values() for name, _ in e.own))
    table = [[*BY_HAND, *headings]]
    for (student, task), entry in lines.items():
        points, comment, version, answer, _ = entry
        cells = [student, task, points, sheet.points[task], comment, answer, version]
        table.append([*cells, *(dict(entry.own).get(name, "") for name in headings)])
    if len(table) > 1:
        _write_csv(path, table)
    return sorted({student for student, _ in others})


def write_marks(path: Path, rows: list[dict], sheet: Sheet) -> None:
    """Write marks.csv: a line a student, a column a task, sum and remark."""
    table = [["student", *sheet.points, "sum", "of", "remark"]]
    for row in rows:
        marks = [row["marks"].get(task) for task in sheet.points]
        table.append([row["student"], *marks, row["sum"], sheet.total, row["remark"]])
    _write_csv(path, table)


def _write_csv(path, table):
    """Write a table for spreadsheets, in which no student's text becomes a formula."""
    text = io.StringIO(newline="")
    for line in table:
        cells = [v if isinstance(v, str) else format_points(v) for v in line]
        cells = [f"'{v}" if v[:1] in tuple("=+-@'") else v for v in cells]
        csv.writer(text).writerow(cells)
    data = "\ufeff" + text.getvalue()
    try:
        _back_up(path, data)
        write(path, data)
        write(_own_copy(path), data)
    except OSError as error:
        sys.exit(NOT_WRITABLE.format(path=path, error=error))


def require_writable(path: Path) -> None:
    """Exit with a sentence if a file cannot be written: before grading, not after it."""
    try:
        if path.exists():
            path.open("ab").close()  # Windows says so of what a spreadsheet has open
    except OSError as error:
        sys.exit(NOT_WRITABLE.format(path=path, error=error))


def _back_up(path, text):
    """Copy what somebody else has written to a file, before ``text`` replaces it."""
    content = path.read_bytes() if path.exists() else b""
    ours = _own_copy(path).exists() and _own_copy(path).read_bytes() == content
    if not content or ours or content == text.encode("utf-8"):
        return
    copies, modified = path.parent / "before", path.stat().st_mtime
    copies.mkdir(exist_ok=True)
    name = f"{path.stem}-{datetime.fromtimestamp(modified):%Y-%m-%d-%H%M%S}"
    copy = copies / f"{name}{path.suffix}"
    if copy.exists() and copy.read_bytes() != content:
        copy = copies / f"{name}-{hashlib.sha256(content).hexdigest()[:8]}{path.suffix}"
    copy.write_bytes(content)


def _own_copy(path):
    """Return the path of a copy of what the grader itself wrote to a file last."""
    return path.with_name(f".{path.name}")
