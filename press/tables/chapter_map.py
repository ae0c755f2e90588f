"""The map of the landing page: which chapter needs which, as a list with arcs beside it."""

from html import escape

from press import chapters

ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")
ROW, ARCS = 44, 110  # height of a row and width of all arcs, to scale


def book_map():
    """Draw the chapters and what needs what, as a list with arcs beside it: landing page.

    An arc leads from each chapter to one that needs it; book.css makes all rows of the list
    equally high, headings too, and book.js lights what a chapter rests on.
    """
    lines, rows, needs_by_number = [], {}, {}
    for roman, part in zip(ROMAN[: len(chapters.PARTS)], chapters.PARTS, strict=True):
        lines.append(
            f'<li class="part"><b>Part {roman} · {part.name}</b>'
            f"<span>{part.about}</span></li>"
        )
        for chapter in part.chapters:
            number, minutes = chapter.number, chapter.core_minutes
            needs_by_number[number] = chapter.needs
            rows[number] = len(lines)
            needs_list = " ".join(f"{n}" for n in needs_by_number[number])
            note = (
                f" · needs {_listed(needs_by_number[number])}"
                if needs_by_number[number]
                else ""
            )
            lines.append(
                f'<li data-chapter="{number}" data-needs="{needs_list}" data-minutes="{minutes}">'
                f'<a href="{chapter.slug}.html"><i>{number}</i>{escape(chapter.title)}</a>'
                f"<small>{minutes} min{note}</small></li>"
            )
    pairs = [
        (needed, number)
        for number, needs in needs_by_number.items()
        for needed in needs
    ]
    longest = max((rows[number] - rows[needed] for needed, number in pairs), default=1)
    arcs = []
    for needed, number in pairs:
        implied = any(
            needed in _all_needed(n, needs_by_number) for n in needs_by_number[number]
        )
        arcs.append(_arc(needed, number, rows[needed], rows[number], longest, implied))
    height = len(lines) * ROW
    drawing = (
        f'<svg viewBox="0 0 {ARCS} {height}" preserveAspectRatio="none" '
        f'aria-hidden="true">{"".join(arcs)}</svg>'
    )
    start = '<nav class="map" aria-label="Chapters and what they need">'
    return "\n".join([start, drawing, "<ol>", *lines, "</ol>", "</nav>"])


def _all_needed(number, needs_by_number):
    """Return all chapters that one needs, also through others."""
    return set(needs_by_number[number]).union(
        *(_all_needed(n, needs_by_number) for n in needs_by_number[number])
    )


def _arc(needed, number, start, end, longest, implied):
    """Draw a curve from a chapter to one that needs it; the farther, the more it bends out.

    It is seen only when lit, if the other chapter needs the one through a third, too.
    """
    top, bottom = (start + 0.5) * ROW, (end + 0.5) * ROW
    bend = ARCS - 10 - (ARCS - 18) * ((end - start) / longest) ** 0.6 * 4 / 3
    kind = ' class="implied"' if implied else ""
    return (
        f'<path{kind} data-from="{needed}" '
        f'data-to="{number}" d="M{ARCS} {top:g}'
        f'C{bend:.0f} {top:g} {bend:.0f} {bottom:g} {ARCS} {bottom:g}"/>'
    )


def _listed(numbers):
    *others, last = (str(n) for n in numbers)
    return f"{', '.join(others)} and {last}" if others else last
