"""Read what students hand in, and mend what can be mended."""

import ast
import io
import re
import sys
import tokenize
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from grader.files_and_zips import (
    MOST_BYTES,
    NotGraded,
    files,
    is_zip,
    kind,
    legible,
    unpacked,
)
from grader.pictures import complete, join
from grader.reading import CONFLICT, read
from grader.remarks import first_few
from grader.text import Undecided, decode, words_of
from grader.unnamed_cells import by_place, grade_id, has_own_texts

NEW_CELL = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}
MOST_BYTES_OF_CODE = 200_000  # of a Python file beside the notebook
NO_ANSWER_CELL = "*There is no answer cell; look at the other texts of the notebook.*"
COOKIE = re.compile(r"^([ \t\f]*#.*?coding[:=][ \t]*)[-\w.]+")  # of Python's PEP 263


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
    handed_in, notebooks, damaged = _notebooks(paths, name)
    known = words_of(_all_of(master))
    readable, reasons = [], []
    for file in notebooks:
        try:
            readable.append((file, *mend(*read(file.read(), known), master)))
        except NotGraded as reason:
            said = f"{file.name}: {reason}" if len(notebooks) > 1 else str(reason)
            reasons.append(said)
            if file.stem == name:
                damaged.append(said)
    if len(readable) > 1:
        readable = _different(readable, master)
    if len(readable) > 1:  # the right name decides only between different answers
        named = [found for found in readable if found[0].stem == name]
        readable = named if len(named) == 1 else readable
    if len(readable) > 1:
        names = ", ".join(file.name for file, *_ in readable)
        raise NotGraded(f"expected one notebook {name}.ipynb, found {names}")
    if not readable:
        raise NotGraded("; ".join(reasons))
    ((file, notebook, remarks),) = readable
    if len(notebooks) > 1:
        remarks.append(f"{len(notebooks)} notebooks, graded was {file.name}")
    remarks += damaged
    remarks += complete(notebook, handed_in)
    remarks += _with_modules(notebook, handed_in, master, known)
    return notebook, remarks


def _notebooks(paths, name):
    """All files of a student, those of zips too, notebooks among them, what is damaged."""
    handed_in, damaged = files(paths), []
    found = _named_as_notebooks(handed_in)
    zips = [file for file in handed_in if is_zip(file)]
    if all(file in zips for file in found):
        for one in zips:
            try:
                handed_in += unpacked(one)
            except NotGraded as reason:
                damaged.append(str(reason))
        found = _named_as_notebooks(f for f in handed_in if f not in zips)
    if not found:  # a browser or a mail program has given another name
        found = [
            f for f in handed_in if f.suffix in (".json", ".txt") and _has_cells(f)
        ]
    if not found:  # a PDF, perhaps, that has a notebook's name
        found = [f for f in handed_in if f not in zips and _has_name_of_notebook(f)]
    if damaged and not found:
        raise NotGraded("; ".join(damaged))
    if not found:
        links = [
            legible(p) + " (a link, not followed)" for p in paths if p.is_symlink()
        ]
        listed = first_few([*links, *map(_described, handed_in)])
        raise NotGraded(
            f"no notebook: expected {name}.ipynb, found {listed or 'an empty folder'}"
        )
    return handed_in, found, damaged


def _named_as_notebooks(handed_in):
    found = [
        file
        for file in handed_in
        if _has_name_of_notebook(file) and kind(file.start()) in (None, "a zip")
    ]
    return [file for file in found if file.suffix == ".ipynb"] or found


def _has_name_of_notebook(file):
    return ".ipynb" in file.base.lower()


def _has_cells(file):
    begins = file.start().lstrip()[:1] == b"{" and file.size <= MOST_BYTES
    return begins and b'"cells"' in file.read()


def _described(file):
    what = kind(file.start())
    return f"{file.name} ({what})" if what else file.name


def _different(readable, master):
    """Of several notebooks those that are no copies of another and have some answer."""
    text = lambda notebook: tuple(cell.source.strip() for cell in notebook.cells)
    untouched, found = _answers(master), {}
    for file, notebook, remarks in readable:
        if _answers(notebook) != untouched:
            found.setdefault(text(notebook), (file, notebook, remarks))
    return list(found.values()) or readable[:1]


def _answers(notebook):
    """Return what the answer cells hold, by name."""
    return {
        grade_id(cell): cell.source.strip()
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }


def _with_modules(notebook, handed_in, master, known):
    """Put the Python files that the notebook imports into it, as cells that write them.

    So they are as any code of the student's: they come once the tests have theirs.
    """
    modules = {}
    for file in handed_in:  # of two with one name the first, in fewer folders, counts
        if file.suffix == ".py" and file.stem.isidentifier():
            modules.setdefault(file.stem, file)
    known = known | words_of(_all_of(notebook))
    reserved = sys.stdlib_module_names | _imported(_code(master), modules)
    in_folders = _imported_from_folders(_code(notebook), modules)
    wanted = sorted(_imported(_code(notebook), modules) - in_folders)
    remarks = [
        f"{modules[name].name} is not used, as it is imported from a folder: expected it"
        " beside the notebook"
        for name in sorted(in_folders)
    ]
    for name in wanted:  # which grows by what these import
        file = modules[name]
        if name in reserved:
            remarks.append(f"{file.name} is not used, as another module has its name")
        elif file.size > MOST_BYTES_OF_CODE:
            most = MOST_BYTES_OF_CODE // 1000
            remarks.append(f"{file.name} is not used, expected less than {most} kB")
        else:
            try:
                text = _program(file.read(), known)
            except Undecided:
                remarks.append(f"{file.name} is not used, expected text in UTF-8")
                continue
            written = text if text.strip() else "# empty"  # or the magic is an error
            new = new_code_cell(f"%%writefile {name}.py\n{written}")
            notebook.cells.insert(0, new)
            remarks.append(f"run with {file.name}, which was handed in, too")
            wanted += sorted(_imported(text, modules) - {*wanted})
    return remarks


def _program(data, known):
    """Return the text of a Python file, to be written in UTF-8."""
    try:
        text, _ = decode(data, known, guess=True)
    except Undecided:  # perhaps its first lines tell, as Python reads them
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            text = data.decode(encoding)
        except (SyntaxError, UnicodeDecodeError, LookupError):
            raise Undecided from None
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    return "\n".join([COOKIE.sub(r"\1utf-8", line) for line in lines[:2]] + lines[2:])


def _all_of(notebook):
    return "\n".join(cell.source for cell in notebook.cells)


def _code(notebook):
    return "\n".join(c.source for c in notebook.cells if c.cell_type == "code")


def _imported(code, names):
    """Those of the names that stand in a line that imports something."""
    lines = _imports(code)
    return {name for name in names if re.search(rf"(?<![.\w]){name}\b", lines)}


def _imported_from_folders(code, modules):
    """Those of the modules that are imported as part of the folder that they are in."""
    lines, found = _imports(code), set()
    for name, file in modules.items():
        folder = re.escape(file.folder)
        part = rf"(?<!\w){folder}\.{name}\b|^\s*from\s+{folder}\s+import\b.*\b{name}\b"
        if folder and re.search(part, lines, re.M):
            found.add(name)
    return found


def _imports(code):
    """Return the lines that import something."""
    return "\n".join(re.findall(r"^\s*(?:import|from|%run)\s.*", code, re.M))


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
    names, placed = by_place(given, names, master)
    has_others = has_own_texts(given, names, master)
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
    # A proof may stand elsewhere. nbgrader gives an untouched answer 0 by itself, so the
    # cell that is put back has other words, and somebody looks.
    by_hand = [n for n in answers if wanted[n].metadata.nbgrader.get("grade")]
    unclear = [n for n in by_hand if n in missing and has_others]
    for name, model in wanted.items():
        if name in missing:
            new = NEW_CELL[model.cell_type](model.source)
            new.metadata.nbgrader = copy_of(model.metadata.nbgrader)
            if name in unclear:
                new.source = NO_ANSWER_CELL
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
        ("look at the notebook, which has texts of no task", unclear),
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
    """Return the first lines of the texts that are nobody's answer."""
    texts = [c for c in cells if c.cell_type == "markdown" and not grade_id(c)]
    return {cell.source.strip().partition("\n")[0] for cell in texts} - {""}


def _title(cells):
    """Return the first heading, or the first line where there is none, for a remark."""
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    found = re.search(r"^# +(.+)$", "\n".join(texts), re.M)
    first = found[1] if found else "\n".join(c.source for c in cells).strip()
    return repr(first.partition("\n")[0][:60])


def copy_of(node):
    """Copy a notebook's node, with those in it."""
    return nbformat.from_dict(dict(node))
