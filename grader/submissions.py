"""Read what students hand in, and mend what can be mended."""

import ast
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from grader.handed_in import MOST_BYTES, NotGraded, files, is_zip, kind, unpacked
from grader.pictures import complete, join
from grader.places import by_place
from grader.reading import CONFLICT, read
from grader.text import Undecided, decode, words_of

__all__ = ["MOST_BYTES", "NotGraded", "first_few", "grade_id", "load", "mend", "read"]
NEW_CELL = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}
MOST_BYTES_OF_CODE = 200_000  # of a Python file beside the notebook


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
    handed_in, notebooks = _notebooks(paths, name)
    known = words_of("\n".join(cell.source for cell in master.cells))
    named = [file for file in notebooks if file.stem == name]
    readable, reasons = [], []
    for file in named if len(named) == 1 else notebooks:
        try:
            readable.append((file, *mend(*read(file.read(), known), master)))
        except NotGraded as reason:
            reasons.append(
                f"{file.name}: {reason}" if len(notebooks) > 1 else str(reason)
            )
    if len(readable) > 1:
        readable = _different(readable, master)
    if len(readable) > 1:
        names = ", ".join(file.name for file, *_ in readable)
        raise NotGraded(f"expected one notebook {name}.ipynb, found {names}")
    if not readable:
        raise NotGraded("; ".join(reasons))
    ((file, notebook, remarks),) = readable
    if len(notebooks) > 1:
        remarks.append(f"{len(notebooks)} notebooks, graded was {file.name}")
    remarks += complete(notebook, handed_in)
    remarks += _with_modules(notebook, handed_in, master)
    return notebook, remarks


def _notebooks(paths, name):
    """All files of a student, those of a zip among them, and the notebooks of these."""
    handed_in = files(paths)
    found = _named_as_notebooks(handed_in)
    zips = [file for file in found or handed_in if is_zip(file)]
    if all(file in zips for file in found):
        handed_in += [file for one in zips for file in unpacked(one)]
        found = _named_as_notebooks(f for f in handed_in if f not in zips)
    if not found:  # a browser or a mail program has given another name
        found = [
            f for f in handed_in if f.suffix in (".json", ".txt") and _has_cells(f)
        ]
    if not found:
        links = [p.name + " (a link, not followed)" for p in paths if p.is_symlink()]
        listed = first_few([*links, *map(_described, handed_in)])
        raise NotGraded(
            f"no notebook: expected {name}.ipynb, found {listed or 'an empty folder'}"
        )
    return handed_in, found


def _named_as_notebooks(handed_in):
    found = [file for file in handed_in if ".ipynb" in file.base.lower()]
    return [file for file in found if file.suffix == ".ipynb"] or found


def _has_cells(file):
    begins = file.start().lstrip()[:1] == b"{" and file.size <= MOST_BYTES
    return begins and b'"cells"' in file.read()


def _described(file):
    what = kind(file.start())
    return f"{file.name} ({what})" if what else file.name


def _different(readable, master):
    """Of several notebooks those that are no copies of another or of the assignment."""
    text = lambda notebook: tuple(cell.source.strip() for cell in notebook.cells)
    found = {
        text(notebook): (file, notebook, *r) for file, notebook, *r in readable[::-1]
    }
    found.pop(text(master), None)
    return list(found.values())[::-1] or readable[:1]


def _with_modules(notebook, handed_in, master):
    """Put the Python files that the notebook imports into it, as cells that write them.

    So they are as any code of the student's: they come once the tests have theirs.
    """
    modules = {
        f.stem: f for f in handed_in if f.suffix == ".py" and f.stem.isidentifier()
    }
    reserved = sys.stdlib_module_names | _imported(_code(master), modules)
    wanted, remarks = sorted(_imported(_code(notebook), modules)), []
    for name in wanted:  # which grows by what these import
        file = modules[name]
        if name in reserved:
            remarks.append(f"{file.name} is not used, as another module has its name")
        elif file.size > MOST_BYTES_OF_CODE:
            most = MOST_BYTES_OF_CODE // 1000
            remarks.append(f"{file.name} is not used, expected less than {most} kB")
        else:
            try:
                text, _ = decode(file.read(), words_of(_code(notebook)))
            except Undecided:
                remarks.append(f"{file.name} is not used, expected text in UTF-8")
                continue
            text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
            notebook.cells.insert(0, new_code_cell(f"%%writefile {name}.py\n{text}"))
            remarks.append(f"run with {file.name}, which was handed in, too")
            wanted += sorted(_imported(text, modules) - {*wanted})
    return remarks


def _code(notebook):
    return "\n".join(c.source for c in notebook.cells if c.cell_type == "code")


def _imported(code, names):
    """Those of the names that stand in a line that imports something."""
    lines = "\n".join(re.findall(r"^\s*(?:import|from|%run)\s.*", code, re.M))
    return {name for name in names if re.search(rf"\b{name}\b", lines)}


def mend(
    given: list[NotebookNode], remarks: list[str], master: NotebookNode
) -> tuple[NotebookNode, list[str]]:
    """Match the cells of a submission with the assignment's and put missing ones back.

    A cell is known by nbgrader's grade id or, where a program has dropped or somebody
    changed that, by its cell id; if it has lost that, too, by its place between texts of
    the assignment. Cells of the student's own keep their places. What the locked cells
    hold is nbgrader's business: it writes the original over them.
    """
    wanted = {grade_id(cell): cell for cell in master.cells if grade_id(cell)}
    by_cell_id = {cell.id: name for name, cell in wanted.items()}
    names = []
    for cell in given:
        name = grade_id(cell)
        if name not in wanted:
            ids = cell.get("id"), cell.metadata.get("id")  # Colab keeps it in metadata
            ids = [i for i in ids if isinstance(i, str)]
            name = next((by_cell_id[i] for i in ids if i in by_cell_id), None)
        names.append(name)
    names, placed = by_place(given, names, master, wanted)
    cells, seen = [], {}
    for cell, name in zip(reversed(given), reversed(names), strict=True):
        if name in seen and wanted[name].cell_type == "markdown":
            join(cell, seen[name])  # a proof cut in two
            continue
        # Of a duplicated cell the last one counts.
        model = wanted[name] if name in wanted and name not in seen else None
        kind_of_cell = model.cell_type if model else cell.cell_type
        new = NEW_CELL[kind_of_cell](cell.source)
        if model:
            new.metadata.nbgrader = copy_of(model.metadata.nbgrader)
            seen[name] = new
        if cell.get("attachments") and kind_of_cell == "markdown":
            new.attachments = cell.attachments
        cells.insert(0, new)
    answers = [name for name in wanted if wanted[name].metadata.nbgrader.solution]
    found = [name for name in answers if name in seen]
    texts = _headings(given)
    # Another assignment may have a task of the same name.
    other = texts and not texts & _headings(master.cells)
    if not found or (other and 2 * len(found) < len(answers)):
        raise NotGraded(
            f"another notebook: expected {_title(master.cells)}, got {_title(given)} with"
            f" {len(found)} of {len(answers)} answer cells"
        )
    changed = [
        name
        for name, cell in seen.items()
        if name not in answers and not _same(cell.source, wanted[name].source)
    ]
    missing, place = [name for name in wanted if name not in seen], 0
    for name, model in wanted.items():
        if name in missing:
            new = NEW_CELL[model.cell_type](model.source)
            new.metadata.nbgrader = copy_of(model.metadata.nbgrader)
            if model.get("attachments"):
                new.attachments = copy_of(model.attachments)
            cells.insert(place, new)
            place += 1
        else:
            place = cells.index(seen[name]) + 1
    merged = [
        n for n, cell in seen.items() if n in answers and CONFLICT.search(cell.source)
    ]
    for what, names in [
        (
            "cells without their names, found by their places",
            [n for n in answers if n in placed],
        ),
        ("no answer cell", [n for n in missing if n in answers]),
        ("put back", [n for n in missing if n not in answers]),
        ("original restored", [n for n in wanted if n in changed]),
        ("a merge that is not settled", [n for n in wanted if n in merged]),
    ]:
        if names:
            remarks = [*remarks, f"{what}: {first_few(names)}"]
    return new_notebook(cells=cells, metadata=copy_of(master.metadata)), remarks


def _same(text, original):
    """Whether a locked cell is as it was, but for blanks and how code is laid out."""
    if text.split() == original.split():
        return True
    try:
        return ast.dump(ast.parse(text)) == ast.dump(ast.parse(original))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _headings(cells):
    """The first lines of the texts that are nobody's answer."""
    texts = [c for c in cells if c.cell_type == "markdown" and not grade_id(c)]
    return {cell.source.strip().partition("\n")[0] for cell in texts} - {""}


def _title(cells):
    """The first heading, or the first line where there is none, for a remark."""
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    found = re.search(r"^# +(.+)$", "\n".join(texts), re.M)
    first = found[1] if found else "\n".join(c.source for c in cells).strip()
    return repr(first.partition("\n")[0][:60])


def grade_id(cell: NotebookNode) -> str | None:
    """nbgrader's name of a cell, or None."""
    found = cell.metadata.get("nbgrader")
    name = found.get("grade_id") if isinstance(found, dict) else None
    return name if isinstance(name, str) else None


def first_few(names: Iterable[str]) -> str:
    """The first few of many names, for a remark."""
    names = list(names)
    rest = f" and {len(names) - 4} more" if names[4:] else ""
    return ", ".join(names[:4]) + rest


def copy_of(node):
    """A notebook's node, with those in it, for a notebook of its own."""
    return nbformat.from_dict(dict(node))
