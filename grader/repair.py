"""Find the notebook in what a student has handed in, and repair it."""

import ast
import io
import re
import sys
import tokenize
from copy import deepcopy
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from grader.files_and_zips import (
    MAX_BYTES,
    NotGraded,
    files,
    is_zip,
    kind,
    legible,
    unpacked,
)
from grader.pictures import attach_pictures, prepend
from grader.reading import CONFLICT, read
from grader.remarks import first_few
from grader.text import Undecided, decode, words_of
from grader.unnamed_cells import by_position, grade_id, has_own_texts

NEW_CELL = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}
MAX_CODE_BYTES = 200_000  # of a Python file beside the notebook
NO_ANSWER_CELL = "*There is no answer cell; look at the other texts of the notebook.*"
COOKIE = re.compile(r"^([ \t\f]*#.*?coding[:=][ \t]*)[-\w.]+")  # of Python's PEP 263


def load(
    paths: list[Path], name: str, master: NotebookNode
) -> tuple[NotebookNode, list[str]]:
    """Read the one notebook among a student's files that belongs to the assignment.

    ``master`` is the released assignment. Returns the notebook with all of its cells, and
    remarks on the repairs. Raises NotGraded where no notebook can be graded, with what was
    expected and what came.
    """
    handed_in, notebooks, damaged = _notebooks(paths, name)
    expected_words = words_of(_text_of(master))
    readable, reasons = [], []
    for file in notebooks:
        try:
            readable.append(
                (file, *repair_cells(*read(file.read(), expected_words), master))
            )
        except NotGraded as reason:
            remark = f"{file.name}: {reason}" if len(notebooks) > 1 else str(reason)
            reasons.append(remark)
            if file.stem == name:
                damaged.append(remark)
    if len(readable) > 1:
        readable = _distinct(readable, master)
    if len(readable) > 1:  # the right name decides only between different answers
        named = [entry for entry in readable if entry[0].stem == name]
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
    remarks += attach_pictures(notebook, handed_in)
    remarks += _with_modules(notebook, handed_in, master, expected_words)
    return notebook, remarks


def _notebooks(paths, name):
    """Return a student's files, the notebooks among them, and what is damaged.

    Zips are unpacked only if no notebook lies beside them.
    """
    handed_in, damaged = files(paths), []
    notebooks = _named_as_notebooks(handed_in)
    zips = [file for file in handed_in if is_zip(file)]
    if all(file in zips for file in notebooks):
        for zipped in zips:
            try:
                handed_in += unpacked(zipped)
            except NotGraded as reason:
                damaged.append(str(reason))
        notebooks = _named_as_notebooks(f for f in handed_in if f not in zips)
    if not notebooks:  # a browser or a mail program has given another name
        notebooks = [
            f for f in handed_in if f.suffix in (".json", ".txt") and _has_cells(f)
        ]
    if not notebooks:  # a PDF, perhaps, that has a notebook's name
        notebooks = [f for f in handed_in if f not in zips and _has_name_of_notebook(f)]
    if damaged and not notebooks:
        raise NotGraded("; ".join(damaged))
    if not notebooks:
        links = [
            legible(p) + " (a link, not followed)" for p in paths if p.is_symlink()
        ]
        listed = first_few([*links, *map(_description, handed_in)])
        raise NotGraded(
            f"no notebook: expected {name}.ipynb, found {listed or 'an empty folder'}"
        )
    return handed_in, notebooks, damaged


def _named_as_notebooks(handed_in):
    notebooks = [
        file
        for file in handed_in
        if _has_name_of_notebook(file) and kind(file.start()) in (None, "a zip")
    ]
    return [file for file in notebooks if file.suffix == ".ipynb"] or notebooks


def _has_name_of_notebook(file):
    return ".ipynb" in file.base.lower()


def _has_cells(file):
    begins = file.start().lstrip()[:1] == b"{" and file.size <= MAX_BYTES
    return begins and b'"cells"' in file.read()


def _description(file):
    description = kind(file.start())
    return f"{file.name} ({description})" if description else file.name


def _distinct(readable, master):
    """Return the notebooks with an answer that are not copies of another."""
    sources = lambda notebook: tuple(cell.source.strip() for cell in notebook.cells)
    untouched, distinct = _answers(master), {}
    for file, notebook, remarks in readable:
        if _answers(notebook) != untouched:
            distinct.setdefault(sources(notebook), (file, notebook, remarks))
    return list(distinct.values()) or readable[:1]


def _answers(notebook):
    """Return the sources of the answer cells, by name."""
    return {
        grade_id(cell): cell.source.strip()
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }


def _with_modules(notebook, handed_in, master, expected_words):
    """Insert cells that write the Python files which the notebook imports.

    So they count as the student's code, and run after the tests have their modules.
    """
    modules = {}
    for file in handed_in:  # of two with one name the first, in fewer folders, counts
        if file.suffix == ".py" and file.stem.isidentifier():
            modules.setdefault(file.stem, file)
    expected_words = expected_words | words_of(_text_of(notebook))
    reserved = sys.stdlib_module_names | _imported(_code(master), modules)
    in_folders = _imported_from_folders(_code(notebook), modules)
    to_write = sorted(_imported(_code(notebook), modules) - in_folders)
    remarks = [
        f"{modules[name].name} is not used, as it is imported from a folder: expected it"
        " beside the notebook"
        for name in sorted(in_folders)
    ]
    for name in to_write:  # which grows by what these import
        file = modules[name]
        if name in reserved:
            remarks.append(f"{file.name} is not used, as another module has its name")
        elif file.size > MAX_CODE_BYTES:
            limit = MAX_CODE_BYTES // 1000
            remarks.append(f"{file.name} is not used, expected less than {limit} kB")
        else:
            try:
                text = _program(file.read(), expected_words)
            except Undecided:
                remarks.append(f"{file.name} is not used, expected text in UTF-8")
                continue
            body = text if text.strip() else "# empty"  # or the magic is an error
            new = new_code_cell(f"%%writefile {name}.py\n{body}")
            notebook.cells.insert(0, new)
            remarks.append(f"run with {file.name}, which was handed in, too")
            to_write += sorted(_imported(text, modules) - {*to_write})
    return remarks


def _program(data, expected_words):
    """Return the text of a Python file, with UTF-8 declared as its encoding."""
    try:
        text, _ = decode(data, expected_words, guess=True)
    except Undecided:  # perhaps its first lines tell, as Python reads them
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            text = data.decode(encoding)
        except (SyntaxError, UnicodeDecodeError, LookupError):
            raise Undecided from None
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    return "\n".join([COOKIE.sub(r"\1utf-8", line) for line in lines[:2]] + lines[2:])


def _text_of(notebook):
    return "\n".join(cell.source for cell in notebook.cells)


def _code(notebook):
    return "\n".join(c.source for c in notebook.cells if c.cell_type == "code")


def _imported(code, names):
    """Return the names that occur in an import."""
    lines = _imports(code)
    return {name for name in names if re.search(rf"(?<![.\w]){name}\b", lines)}


def _imported_from_folders(code, modules):
    """Return the modules that are imported from the folder that they are in."""
    lines, modules_found = _imports(code), set()
    for name, file in modules.items():
        folder = re.escape(file.folder)
        part = rf"(?<!\w){folder}\.{name}\b|^\s*from\s+{folder}\s+import\b.*\b{name}\b"
        if folder and re.search(part, lines, re.M):
            modules_found.add(name)
    return modules_found


def _imports(code):
    """Return the lines of code with an import."""
    return "\n".join(re.findall(r"^\s*(?:import|from|%run)\s.*", code, re.M))


def repair_cells(
    given: list[NotebookNode], remarks: list[str], master: NotebookNode
) -> tuple[NotebookNode, list[str]]:
    """Match the cells of a submission with the assignment's and put missing ones back.

    A cell is identified by nbgrader's grade id. If that was dropped or changed, its cell id
    counts; if that is lost, too, its position between texts of the assignment. The
    student's additional cells keep their positions. Locked cells need no repair: nbgrader
    replaces them by the originals.
    """
    originals = {grade_id(cell): cell for cell in master.cells if grade_id(cell)}
    by_cell_id = {cell.id: name for name, cell in originals.items()}
    names = []
    for cell in given:
        name = grade_id(cell)
        if name not in originals:
            ids = cell.get("id"), cell.metadata.get("id")  # Colab keeps it in metadata
            ids = [i for i in ids if isinstance(i, str)]
            name = next((by_cell_id[i] for i in ids if i in by_cell_id), None)
        names.append(name)
    names, placed = by_position(given, names, master)
    has_others = has_own_texts(given, names, master)
    cells, matched = [], {}
    for cell, name in zip(reversed(given), reversed(names), strict=True):
        if name in matched and originals[name].cell_type == "markdown":
            prepend(cell, matched[name])  # a proof cut in two
            continue
        # Of a duplicated cell the last one counts.
        original = (
            originals[name] if name in originals and name not in matched else None
        )
        kind_of_cell = original.cell_type if original else cell.cell_type
        new = NEW_CELL[kind_of_cell](cell.source)
        if original:
            new.metadata.nbgrader = deepcopy(original.metadata.nbgrader)
            matched[name] = new
        if cell.get("attachments") and kind_of_cell == "markdown":
            new.attachments = cell.attachments
        cells.insert(0, new)
    answers = [name for name in originals if originals[name].metadata.nbgrader.solution]
    answered = [name for name in answers if name in matched]
    texts = _headings(given)
    # Another assignment may have a task of the same name.
    is_other_assignment = texts and not texts & _headings(master.cells)
    if not answered or (is_other_assignment and 2 * len(answered) < len(answers)):
        raise NotGraded(
            f"another notebook: expected {_title(master.cells)}, got {_title(given)} with"
            f" {len(answered)} of {len(answers)} answer cells"
        )
    changed = [
        name
        for name, cell in matched.items()
        if name not in answers and not _same(cell.source, originals[name].source)
    ]
    missing, position = [name for name in originals if name not in matched], 0
    # A proof may stand elsewhere. nbgrader gives an untouched answer 0 by itself, so the
    # cell that is put back has other words, and somebody looks.
    by_hand = [n for n in answers if originals[n].metadata.nbgrader.get("grade")]
    unclear = [n for n in by_hand if n in missing and has_others]
    for name, original in originals.items():
        if name in missing:
            new = NEW_CELL[original.cell_type](original.source)
            new.metadata.nbgrader = deepcopy(original.metadata.nbgrader)
            if name in unclear:
                new.source = NO_ANSWER_CELL
            if original.get("attachments"):
                new.attachments = deepcopy(original.attachments)
            cells.insert(position, new)
            position += 1
        else:
            position = cells.index(matched[name]) + 1
    merged = [
        n
        for n, cell in matched.items()
        if n in answers and CONFLICT.search(cell.source)
    ]
    for remark, names in [
        (
            "cells without their names, found by their places",
            [n for n in answers if n in placed],
        ),
        ("no answer cell", [n for n in missing if n in answers]),
        ("look at the notebook, which has texts of no task", unclear),
        ("put back", [n for n in missing if n not in answers]),
        ("original restored", [n for n in originals if n in changed]),
        ("a merge that is not settled", [n for n in originals if n in merged]),
    ]:
        if names:
            remarks = [*remarks, f"{remark}: {first_few(names)}"]
    return new_notebook(cells=cells, metadata=deepcopy(master.metadata)), remarks


def _same(text, original):
    """Return whether a locked cell is unchanged, except for blanks and code layout."""
    if text.split() == original.split():
        return True
    try:
        return ast.dump(ast.parse(text)) == ast.dump(ast.parse(original))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _headings(cells):
    """Return the first lines of the texts that are not answers."""
    texts = [c for c in cells if c.cell_type == "markdown" and not grade_id(c)]
    return {cell.source.strip().partition("\n")[0] for cell in texts} - {""}


def _title(cells):
    """Return the first heading, or the first line if there is none, for a remark."""
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    heading = re.search(r"^# +(.+)$", "\n".join(texts), re.M)
    title = heading[1] if heading else "\n".join(c.source for c in cells).strip()
    return repr(title.partition("\n")[0][:60])
