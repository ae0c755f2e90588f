"""Read what students hand in, and mend what can be mended."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

NEW_CELL = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}
MOST_BYTES = 50_000_000


class NotGraded(Exception):
    """Why a submission gets no marks, in words for the table."""


def load(
    paths: list[Path], name: str, master: NotebookNode
) -> tuple[NotebookNode, list[str]]:
    """Read the one notebook of a submission that belongs to the assignment.

    Parameters
    ----------
    paths : list of Path
        The files of one student.
    name : str
        The assignment.
    master : NotebookNode
        The released assignment.

    Returns
    -------
    NotebookNode, list of str
        The notebook with all cells of the assignment, and remarks on what was mended.

    Raises
    ------
    NotGraded
        Says what was expected and what was found.
    """
    links = [p for p in paths if p.is_symlink()]
    notebooks = [p for p in paths if p.suffix == ".ipynb" and p not in links]
    if not notebooks:
        files = [p.name + " (a link, not followed)" * (p in links) for p in paths[:5]]
        found = ", ".join(files) or "an empty folder"
        raise NotGraded(f"no notebook: expected {name}.ipynb, found {found}")
    named = [p for p in notebooks if p.stem == name]
    readable, reasons = [], []
    for path in named if len(named) == 1 else notebooks:
        try:
            readable.append((path, *mend(*read(path), master)))
        except NotGraded as reason:
            reasons.append(
                f"{path.name}: {reason}" if len(notebooks) > 1 else str(reason)
            )
    if len(readable) > 1:
        names = ", ".join(p.name for p, *_ in readable)
        raise NotGraded(f"expected one notebook {name}.ipynb, found {names}")
    if not readable:
        raise NotGraded("; ".join(reasons))
    ((path, notebook, remarks),) = readable
    if len(notebooks) > 1:
        remarks.append(f"{len(notebooks)} notebooks, graded was {path.name}")
    return notebook, remarks


def read(path: Path) -> tuple[NotebookNode, list[str]]:
    """The notebook in a file, and a list that says if its encoding was not UTF-8."""
    data = path.read_bytes()
    if not data.strip():
        raise NotGraded("the file is empty")
    if len(data) > MOST_BYTES:
        raise NotGraded(f"{len(data) >> 20} MB: expected less than {MOST_BYTES >> 20}")
    text, encoding = decode(data)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        start = re.sub(r"\s+", " ", text[:20])
        raise NotGraded(f"not a notebook: expected JSON, it begins {start!r}") from None
    if not isinstance(content, dict) or not {"cells", "worksheets"} & content.keys():
        found = (
            first_few(content) if isinstance(content, dict) else type(content).__name__
        )
        raise NotGraded(
            f"not a notebook: expected JSON with cells, got {found or '{}'}"
        )
    try:
        notebook = nbformat.reads(text, as_version=4)
        sources = [cell.source for cell in notebook.cells]
    except Exception as error:  # whatever nbformat meets in a file that a student wrote
        what = f"{type(error).__name__}: {str(error)[:60]}"
        raise NotGraded(f"not a notebook that Jupyter reads: {what}") from None
    if odd := {type(s).__name__ for s in sources if not isinstance(s, str)}:
        raise NotGraded(f"not a notebook: expected text in cells, got {first_few(odd)}")
    remark = f"encoding {encoding}, expected UTF-8"
    return notebook, [] if encoding == "UTF-8" else [remark]


def decode(data: bytes) -> tuple[str, str]:
    """Text of a file that should be UTF-8, and the encoding that it has."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        attempts = ["UTF-16"]
    elif b"\0" in data[:4]:  # UTF-16 without the mark at its start
        attempts = ["UTF-16-LE" if data[1] == 0 else "UTF-16-BE"]
    else:
        attempts = ["UTF-8-sig", "GB2312"]
    for encoding in [*attempts, "Latin-1"]:
        try:
            return data.decode(encoding), encoding.removesuffix("-sig")
        except UnicodeDecodeError:
            continue


def mend(notebook, remarks, master):
    """Match the cells of a submission with the assignment's and put missing ones back.

    A cell is known by nbgrader's grade id or, where a program has dropped or somebody
    changed that, by its cell id. Cells of the student's own keep their places. What the
    locked cells hold is nbgrader's business: it writes the original over them.
    """
    wanted = {grade_id(cell): cell for cell in master.cells if grade_id(cell)}
    by_cell_id = {cell.id: name for name, cell in wanted.items()}
    cells, seen = [], {}
    for cell in reversed(notebook.cells):  # of a duplicated cell the last one counts
        name = grade_id(cell)
        if name not in wanted:
            ids = cell.get("id"), cell.metadata.get("id")  # Colab keeps it in metadata
            name = next((by_cell_id[i] for i in ids if i in by_cell_id), None)
        source = cell.source.encode(errors="replace").decode()  # half a character
        if name in seen and wanted[name].cell_type == "markdown":
            seen[name].source = f"{source}\n\n{seen[name].source}"  # a proof cut in two
            continue
        model = wanted[name] if name in wanted and name not in seen else None
        kind = model.cell_type if model else cell.cell_type
        new = NEW_CELL.get(kind, new_raw_cell)(source)
        if model:
            new.metadata.nbgrader = copy_of(model.metadata.nbgrader)
            seen[name] = new
        if cell.get("attachments") and kind == "markdown":
            new.attachments = cell.attachments
        cells.insert(0, new)
    answers = [name for name in wanted if wanted[name].metadata.nbgrader.solution]
    if not any(name in seen for name in answers):
        raise NotGraded("another notebook: it has no answer cell of this assignment")
    changed = [
        name
        for name, cell in seen.items()
        if name not in answers and cell.source.strip() != wanted[name].source.strip()
    ]
    missing, place = [name for name in wanted if name not in seen], 0
    for name, model in wanted.items():
        if name in missing:
            new = NEW_CELL[model.cell_type](model.source)
            new.metadata.nbgrader = copy_of(model.metadata.nbgrader)
            cells.insert(place, new)
            place += 1
        else:
            place = cells.index(seen[name]) + 1
    for what, names in [
        ("no answer cell", [n for n in missing if n in answers]),
        ("put back", [n for n in missing if n not in answers]),
        ("original restored", [n for n in wanted if n in changed]),
    ]:
        if names:
            remarks = [*remarks, f"{what}: {first_few(names)}"]
    return new_notebook(cells=cells, metadata=copy_of(master.metadata)), remarks


def grade_id(cell: NotebookNode) -> str | None:
    """nbgrader's name of a cell, or None."""
    found = cell.metadata.get("nbgrader")
    name = found.get("grade_id") if isinstance(found, dict) else None
    return name if isinstance(name, str) else None


def first_few(names: Iterable[str]) -> str:
    """The first few of many names, for a remark."""
    first, rest = list(names)[:4], len(names) - 4
    return ", ".join(first) + (f" and {rest} more" if rest > 0 else "")


def copy_of(node):
    """A notebook's node, with those in it, for a notebook of its own."""
    return nbformat.from_dict(dict(node))
