"""The chapters, cut from the PDF of the whole book."""

from itertools import takewhile
from pathlib import Path

from pypdf import PdfReader, PdfWriter

from press import chapters


def chapters_of(book: Path, folder: Path) -> list[Path]:
    """Write each chapter with its solutions as a PDF; links within it stay. Return the paths."""
    reader = PdfReader(book)
    marks = _marks(reader)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for slug, chapter in chapters.CHAPTERS.items():
        writer = PdfWriter()
        for i, (first, end) in _pages(marks, chapter):
            shift = len(writer.pages) - first
            writer.append(reader, pages=(first, end), import_outline=False)
            _bookmark(writer, marks[i:], shift)
        writer.add_metadata({"/Title": f"{chapter.number} · {chapter.title}"})
        writer.compress_identical_objects()
        writer.write(folder / f"{slug}.pdf")
        paths.append(folder / f"{slug}.pdf")
    return paths


def starts(reader: PdfReader) -> list[int]:
    """Find the pages, from 0, on which a part, a chapter or something behind begins."""
    return [page for _, page, depth in _marks(reader) if depth < 2]


def _pages(marks, chapter):
    """List for a chapter and its solutions the index of the mark and the pages, end excluded."""
    own_title = f"{chapter.number} {chapter.title}"
    solutions_title = f"Solutions to Chapter {chapter.number}"
    return [
        (i, _range(marks, i, whole=title == own_title))
        for i, (title, _, _) in enumerate(marks)
        if title in (own_title, solutions_title)
    ]


def _bookmark(writer, marks, shift):
    """Set the first of these marks and those below it, on pages moved by ``shift``."""
    (_, _, top), *rest = marks
    above = []
    for title, page, depth in [marks[0], *takewhile(lambda mark: mark[2] > top, rest)]:
        del above[depth - top :]
        parent = above[-1] if above else None
        above.append(writer.add_outline_item(title, page + shift, parent))


def _range(marks, i, whole):
    """Return the pages of a mark, up to the next of its depth or above, whose page it may share."""
    _, first, depth = marks[i]
    later_pages = [page for _, page, other in marks[i + 1 :] if other <= depth]
    end = later_pages[0] if later_pages else marks[-1][1]
    return first, end if whole else end + 1


def _marks(reader):
    """List title, page and depth of each bookmark."""
    return [
        (mark.title, reader.get_destination_page_number(mark), depth)
        for mark, depth in _flat(reader.outline, 0)
    ]


def _flat(outline, depth):
    """Yield all bookmarks with their depth."""
    for mark in outline:
        if isinstance(mark, list):
            yield from _flat(mark, depth + 1)
        else:
            yield mark, depth
