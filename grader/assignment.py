"""An assignment as its teacher wrote it: a folder ``NAME`` with ``NAME.ipynb`` in it."""

import ast
import re
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode

RUNS = re.compile(r"\n*^%run (?:-i )?(\S+\.py)$", re.M)  # and empty lines before it
DATA = re.compile(r'"((?:\.\./)+[\w./-]+\.\w+)"')  # a file elsewhere, as a text


def notebook_path(folder: Path) -> Path:
    """Return the path of an assignment's notebook."""
    return folder / f"{folder.name}.ipynb"


def assignments(folder: Path) -> list[Path]:
    """Return the folders of the assignments in a folder, sorted by name."""
    return sorted(path.parent for path in folder.glob("*/*.ipynb") if _has_name(path))


def _has_name(path: Path) -> bool:
    return path.stem == path.parent.name


def find(path: str) -> Path:
    """Return the absolute folder of an assignment; exit if there is none, with the names."""
    folder = Path(path).expanduser().resolve()
    if not notebook_path(folder).is_file():
        known = assignments(folder) or assignments(folder.parent)
        names = ", ".join(assignment.name for assignment in known) or "none is there"
        sys.exit(f"ASSIGNMENT: expected one of {names}; got {path!r}")
    return folder


def read(folder: Path) -> NotebookNode:
    """Return the notebook of an assignment, as ``self_contained`` makes it."""
    return self_contained(nbformat.read(notebook_path(folder), 4), folder)


def self_contained(notebook: NotebookNode, folder: Path) -> NotebookNode:
    """Make the notebook need nothing but its data beside it; changes ``notebook``.

    The path of a data file, such as ``"../../data/sunspots.csv"``, becomes its name, and the
    programs that it runs become part of it.
    """
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = DATA.sub(
                lambda match: f'"{Path(match[1]).name}"', cell.source
            )
    return with_programs(notebook, folder)


def with_programs(notebook: NotebookNode, folder: Path) -> NotebookNode:
    """Put the programs that the notebook runs into it; changes ``notebook``.

    A line ``%run FILE.py`` or ``%run -i FILE.py`` becomes the file's text without its
    docstring; its imports, unless the cell has them above, go above the first such line.
    Paths are relative to ``folder``, where the notebook lies, as they are for Jupyter.
    """
    for cell in notebook.cells:
        if cell.cell_type == "code" and (line := RUNS.search(cell.source)):
            above, rest = cell.source[: line.start()], cell.source[line.start() :]
            parts = [_parts(folder / path) for path in RUNS.findall(rest)]
            imports = dict.fromkeys(text for some, _ in parts for text in some)
            lacking = [text for text in imports if text not in above.splitlines()]
            pieces = RUNS.split(rest)[::2]  # what stands between the lines
            for i, (_, definitions) in enumerate(parts):
                pieces[i] += f"\n\n\n{definitions}"
            top = "\n".join([*filter(None, [above]), *lacking])
            cell.source = (top + "".join(pieces)).lstrip("\n")
    return notebook


def programs(folder: Path) -> list[Path]:
    """Return the files that the notebook of an assignment runs."""
    return [folder / path for path in RUNS.findall(_code(folder))]


def data_files(folder: Path) -> list[Path]:
    """Return the files that a notebook reads; students get them beside it."""
    paths = dict.fromkeys(DATA.findall(_code(folder)))
    return [(folder / path).resolve() for path in paths]


def _code(folder):
    cells = nbformat.read(notebook_path(folder), 4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "code")


def _parts(path):
    """Split a Python file into its imports, one per line, and the text after them."""
    text = path.read_text("utf-8")
    nodes = ast.parse(text).body
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    docstring = [node for node in nodes[:1] if isinstance(node, ast.Expr)]
    end = max((node.end_lineno for node in [*docstring, *imports]), default=0)
    definitions = "\n".join(text.splitlines()[end:]).strip("\n")
    return list(map(ast.unparse, imports)), definitions
