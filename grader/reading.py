"""Read a notebook from the bytes of a file, or say why it is none."""

import json
import re

import nbformat
from nbformat import NotebookNode

from grader.files_and_zips import NotGraded, kind
from grader.text import Undecided, decode

CONFLICT = re.compile(r"^[ \t]*(<{7})( .*)?$", re.M)  # what Git leaves of a merge


def read(data: bytes, expected_words: set[str]) -> tuple[list[NotebookNode], list[str]]:
    """Read the cells of a notebook, and a list that says if its encoding was not UTF-8.

    By ``expected_words`` another encoding is recognised. Cells have ``cell_type``, ``source``
    and ``metadata``, perhaps ``id`` and ``attachments``; outputs are left out, as each cell
    is run again. Raises NotGraded, with what was expected and what came, for what is no
    notebook.
    """
    if not data.strip():
        raise NotGraded("the file is empty")
    if not data.strip(b"\0 \t\r\n"):  # of a disk that was full or pulled out
        raise NotGraded("the file holds nothing but zeros")
    if description := kind(data[:2000]):
        raise NotGraded(f"not a notebook: expected JSON, got {description}")
    try:
        text, encoding = decode(data, expected_words, guess=True)
    except Undecided:
        raise NotGraded(
            "not a notebook: expected text in UTF-8, got bytes that are none"
            " and hold no word of the assignment in any other encoding"
        ) from None
    cells = _cells(_json(text))
    remark = f"encoding {encoding}, expected UTF-8"
    return cells, [] if encoding == "UTF-8" else [remark]


def _json(text):
    """Read JSON; raise NotGraded with the line that is wrong."""
    try:
        return json.loads(text)
    except RecursionError:
        raise NotGraded(
            "not a notebook: expected JSON, it is nested too deep"
        ) from None
    except ValueError as error:
        raise NotGraded(f"not a notebook: {_reason(text, error)}") from None


def _reason(text, error):
    """Return in words why a text is not JSON."""
    if not text.lstrip().startswith(("{", "[")):
        start = re.sub(r"\s+", " ", text[:20])
        return f"expected JSON, it begins {start!r}"
    if marks := list(CONFLICT.finditer(text)):
        line = text.count("\n", 0, marks[0].start(1)) + 1
        conflict = (
            f"a merge that is not settled: line {line} is {marks[0][0].strip()!r}"
        )
        others = f", the first of {len(marks)}" if marks[1:] else ""
        return f"expected one version, got {conflict}{others}"
    if not isinstance(error, json.JSONDecodeError):  # a number with too many digits
        return f"expected JSON, got {error}"
    if error.msg.startswith("Unterminated") or not text[error.pos :].strip():
        lines = text.rstrip().count("\n") + 1
        return f"expected JSON to its end, it is cut off in line {lines}"
    if text[error.pos] in "]}" and text[: error.pos].rstrip().endswith(","):
        line = text[: error.pos].rstrip().count("\n") + 1
        return f"expected JSON, got a comma too many in line {line}"
    excerpt = text.split("\n")[error.lineno - 1].strip()[:40]
    return f"expected JSON, line {error.lineno} is wrong ({error.msg}): {excerpt!r}"


def _cells(content):
    """Return the cells; what a cell lacks is filled in as empty."""
    if not isinstance(content, dict) or not {"cells", "worksheets"} & content.keys():
        description = (
            ", ".join(list(content)[:4])
            if isinstance(content, dict)
            else type(content).__name__
        )
        raise NotGraded(
            f"not a notebook: expected JSON with cells, got {description or '{}'}"
        )
    if "cells" not in content:
        content = _upgraded(content)
    cells = content["cells"]
    if not isinstance(cells, list):
        raise NotGraded(
            f"not a notebook: expected a list of cells, got {type(cells).__name__}"
        )
    return [_cell(cell, number) for number, cell in enumerate(cells, start=1)]


def _upgraded(content):
    """Convert a notebook of version 3 or older to version 4."""
    try:
        return nbformat.convert(nbformat.from_dict(content), 4)
    except Exception as error:  # whatever nbformat meets in a file that a student wrote
        reason = f"{type(error).__name__}: {str(error)[:60]}"
        raise NotGraded(f"not a notebook that Jupyter reads: {reason}") from None


def _cell(cell, number):
    if not isinstance(cell, dict):
        raise NotGraded(
            f"not a notebook: expected cells, cell {number} is {type(cell).__name__}"
        )
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise NotGraded(
            "not a notebook: expected text in cells,"
            f" cell {number} has {type(source).__name__}"
        )
    source = source.encode(errors="replace").decode()  # half a character
    metadata = cell.get("metadata")
    new = {
        "cell_type": cell.get("cell_type"),
        "source": source.replace("\r\n", "\n").replace("\r", "\n"),
        "metadata": metadata if isinstance(metadata, dict) else {},
    }
    if new["cell_type"] not in ("code", "markdown", "raw"):
        was_run = {"outputs", "execution_count"} & cell.keys()
        new["cell_type"] = "code" if was_run else "markdown"
    if isinstance(cell.get("id"), str):
        new["id"] = cell["id"]
    if isinstance(cell.get("attachments"), dict):
        new["attachments"] = {
            name: {
                kind: data for kind, data in picture.items() if isinstance(data, str)
            }
            for name, picture in cell["attachments"].items()
            if isinstance(picture, dict)
        }
    return nbformat.from_dict(new)
