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
    lines, places, needed = [], {}, {}
    for roman, part in zip(ROMAN[: len(chapters.PARTS)], chapters.PARTS, strict=True):
        lines.append(
            f'<li class="part"><b>Part {roman} · {part.name}</b>'
            f"<span>{part.about}</span></li>"
        )
        for chapter in part.chapters:
            number, minutes = chapter.number, chapter.core_minutes
            needed[number] = chapter.needs
            places[number] = len(lines)
            named = " ".join(f"{n}" for n in needed[number])
            needs = f" · needs {_listed(needed[number])}" if needed[number] else ""
            lines.append(
                f'<li data-chapter="{number}" data-needs="{named}" data-minutes="{minutes}">'
                f'<a href="{chapter.slug}.html"><i>{number}</i>{escape(chapter.title)}</a>'
                f"<small>{minutes} min{needs}</small></li>"
            )
    pairs = [(one, other) for other, ones in needed.items() for one in ones]
    longest = max((places[other] - places[one] for one, other in pairs), default=1)
    arcs = []
    for one, other in pairs:
        implied = any(one in _below(n, needed) for n in needed[other])
        arcs.append(_arc(one, other, places[one], places[other], longest, implied))
    height = len(lines) * ROW
    drawing = (
        f'<svg viewBox="0 0 {ARCS} {height}" preserveAspectRatio="none" '
        f'aria-hidden="true">{"".join(arcs)}</svg>'
    )
    start = '<nav class="map" aria-label="Chapters and what they need">'
    return "\n".join([start, drawing, "<ol>", *lines, "</ol>", "</nav>"])


def _below(number, needed):
    """All chapters that one rests on, through others too."""
    return set(needed[number]).union(*(_below(n, needed) for n in needed[number]))


def _arc(one, other, start, end, longest, implied):
    """Draw a curve from one chapter to another; the farther it goes, the more it bends out.

    It is seen only when lit, if the other chapter needs the one through a third, too.
    """
    top, bottom = (start + 0.5) * ROW, (end + 0.5) * ROW
    bend = ARCS - 10 - (ARCS - 18) * ((end - start) / longest) ** 0.6 * 4 / 3
    kind = ' class="implied"' if implied else ""
    return (
        f'<path{kind} data-from="{one}" '
        f'data-to="{other}" d="M{ARCS} {top:g}'
        f'C{bend:.0f} {top:g} {bend:.0f} {bottom:g} {ARCS} {bottom:g}"/>'
    )


def _listed(numbers):
    *some, last = (str(n) for n in numbers)
    return f"{', '.join(some)} and {last}" if some else last
