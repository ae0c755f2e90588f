"""An assignment as its teacher wrote it: a folder ``NAME`` with ``NAME.ipynb`` in it."""

import ast
import re
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode

RUNS = re.compile(r"\n*^%run (\S+\.py)$", re.M)  # the line, and empty ones before it
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

    The line ``%run FILE.py`` of a cell becomes the file's text: without its docstring and
    those of its imports that the cell has, which it needs above the line. Paths are relative
    to ``folder``, where the notebook lies, as they are for Jupyter.
    """
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        if line := RUNS.search(cell.source):
            above, below = cell.source[: line.start()], cell.source[line.end() :]
            imports, definitions = _parts(folder / line[1])
            lacking = [text for text in imports if text not in above.splitlines()]
            top = "\n".join([*filter(None, [above]), *lacking])
            cell.source = f"{top}\n\n\n{definitions}{below}".lstrip("\n")
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
