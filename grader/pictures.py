"""Pictures in the texts of a submission: attached, found among its files, or missing.

A single picture that nbconvert cannot find makes the whole feedback page fail, and programs
lose pictures when a cell is copied or split.
"""

import base64
import binascii
import re
from pathlib import PurePosixPath
from urllib.parse import unquote

from nbformat import NotebookNode

from grader.files_and_zips import File
from grader.unnamed_cells import grade_id

SUFFIXES = {  # by browsers
    "image/png": (".png",),
    "image/jpeg": (".jpg", ".jpeg"),
    "image/gif": (".gif",),
    "image/webp": (".webp",),
}
MAX_PICTURE_BYTES = 20_000_000
PREFIX = "attachment:"
OTHER_ADDRESS = re.compile(r"(?!file:)\w[\w+.-]+:|//|#")  # no file of the student's
# Code comes first, in which a tag is shown as it was typed.
CODE_OR_TAG = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,}).*?(?:^ {0,3}(?P=fence)|\Z)"
    r"|(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)"
    r"|(?P<tag><img\b[^<>]*>)",
    re.I | re.S | re.M,
)
ADDRESS = re.compile(r"""(?<![\w-])src\s*=\s*(["'])([^"'<>]+)\1""", re.I)


def prepend(first: NotebookNode, second: NotebookNode) -> None:
    """Insert the text and the pictures of ``first`` before those of ``second``; changes it."""
    source, pictures = first.source, dict(second.get("attachments", {}))
    for name, picture in first.get("attachments", {}).items():
        new, number = name, 2
        while new in pictures and pictures[new] != picture:
            path = PurePosixPath(name)
            new, number = f"{path.stem}-{number}{path.suffix}", number + 1
        if new != name:
            source = source.replace(f"{PREFIX}{name}", f"{PREFIX}{new}")
        pictures[new] = picture
    second.source = f"{source}\n\n{second.source}"
    if pictures:
        second.attachments = NotebookNode(pictures)


def attach_pictures(notebook: NotebookNode, handed_in: list[File]) -> list[str]:
    """Attach each picture of a text to its cell, or an empty one; changes ``notebook``.

    Pictures that were handed in as files beside the notebook become part of it. Returns
    remarks on those that are missing or cannot be shown, with the cell's name.
    """
    picture_files, missing = {}, {}
    for file in handed_in:  # of two with one name the first, in fewer folders, counts
        if _type_of(file.name):
            picture_files.setdefault(file.base, file)
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "markdown":
            continue
        cell_name = grade_id(cell) or f"cell {number}"
        cell.source = CODE_OR_TAG.sub(_as_markdown, cell.source)
        given, pictures = cell.pop("attachments", {}), {}
        for url in _urls(cell.source):
            name = PurePosixPath(unquote(url).replace("\\", "/")).name
            if not OTHER_ADDRESS.match(url) and name in picture_files:
                given[name] = _from_file(picture_files[name])
                cell.source = _renamed(cell.source, url, name)
            elif not OTHER_ADDRESS.match(url):
                missing.setdefault(name, cell_name)
        for url in _urls(cell.source):
            if url.startswith(PREFIX):
                key = url.removeprefix(PREFIX)  # its letters perhaps as %E5%9B%BE
                name = unquote(key)
                picture = _showable(given.get(key)) or _showable(given.get(name))
                picture = picture or _from_file(
                    picture_files.get(PurePosixPath(name).name)
                )
                if not picture:
                    missing.setdefault(name, cell_name)
                pictures[key] = picture or {"image/png": ""}  # shown by its name alone
        if pictures:
            cell.attachments = NotebookNode(pictures)
    return [
        f"the picture {name} is missing or cannot be shown: {cell_name}"
        for name, cell_name in missing.items()
    ]


def _as_markdown(match):
    """Return a picture's tag as Markdown; code, and a tag without an address, unchanged."""
    address = ADDRESS.search(match["tag"] or "")
    return f"![](<{address[2]}>)" if address else match[0]


def _urls(source):
    """Return the addresses of the pictures in a text, as nbconvert reads them."""
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Collector(IPythonRenderer):
        def image(self, text, url, title=None):
            urls.append(url)
            return ""

    urls = []
    if "![" in source:
        MarkdownWithMath(renderer=Collector(escape=True)).render(source)
    return dict.fromkeys(urls)


def _showable(picture):
    """Return those types of a picture that browsers show; None if there are none."""
    if not isinstance(picture, dict):
        return None
    of_known_type = {kind: data for kind, data in picture.items() if kind in SUFFIXES}
    return {
        kind: data for kind, data in of_known_type.items() if _is_base64(data)
    } or None


def _is_base64(data):
    try:
        return bool(base64.b64decode("".join(data.split()), validate=True))
    except (AttributeError, ValueError, binascii.Error):
        return False


def _type_of(name):
    suffix = PurePosixPath(name).suffix.lower()
    return next((kind for kind, endings in SUFFIXES.items() if suffix in endings), None)


def _from_file(file):
    if file is None or not 0 < file.size <= MAX_PICTURE_BYTES:
        return None
    return {_type_of(file.name): base64.b64encode(file.read()).decode()}


def _renamed(source, url, name):
    """Return the text with the picture's address replaced by that of the attachment."""
    for written in {url, unquote(url)}:
        address = rf"(\]\(\s*)<?{re.escape(written)}>?(?=[\s)])"
        source = re.sub(address, lambda m: f"{m[1]}<{PREFIX}{name}>", source)
    return source
