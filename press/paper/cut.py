"""The chapters, cut from the PDF of the whole book."""

from pathlib import Path

from pypdf import PdfReader, PdfWriter

from press import chapters


def chapters_of(book: Path, folder: Path) -> list[Path]:
    """Each chapter with its solutions as a PDF of its own; links within it lead on."""
    reader = PdfReader(book)
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for slug, ranges in pages(reader).items():
        writer = PdfWriter()
        for first, end in ranges:
            writer.append(reader, pages=(first, end), import_outline=False)
        number, title = chapters.number(slug), chapters.title(slug)
        writer.add_metadata({"/Title": f"{number} · {title}"})
        writer.compress_identical_objects()
        writer.write(folder / f"{slug}.pdf")
        made.append(folder / f"{slug}.pdf")
    return made


def starts(reader: PdfReader) -> list[int]:
    """The pages, counted from 0, on which a part, a chapter or something behind begins."""
    return [page for _, page, depth in _marks(reader) if depth < 2]


def pages(reader: PdfReader) -> dict[str, list[tuple[int, int]]]:
    """Of each chapter its pages and those of its solutions, counted from 0, end excluded."""
    marks = _marks(reader)
    found = {}
    for slug in chapters.SLUGS:
        own = f"{chapters.number(slug)} {chapters.title(slug)}"
        solved = f"Solutions to Chapter {chapters.number(slug)}"
        found[slug] = [
            _range(marks, i, whole=title == own)
            for i, (title, _, _) in enumerate(marks)
            if title in (own, solved)
        ]
    return found


def _range(marks, i, whole):
    """From a mark to the next of its depth or above; what begins below it shares its page."""
    _, first, depth = marks[i]
    after = [page for _, page, other in marks[i + 1 :] if other <= depth]
    end = after[0] if after else marks[-1][1]
    return first, end if whole else end + 1


def _marks(reader):
    """Title, page and depth of each bookmark."""
    return [
        (mark.title, reader.get_destination_page_number(mark), depth)
        for mark, depth in _flat(reader.outline, 0)
    ]


def _flat(outline, depth):
    """All bookmarks with how deep they are."""
    for mark in outline:
        if isinstance(mark, list):
            yield from _flat(mark, depth + 1)
        else:
            yield mark, depth
