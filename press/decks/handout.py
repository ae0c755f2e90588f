"""Handouts: a deck on paper, two slides a page with lines for notes.

Chromium prints the deck, a page a slide; the figures stand where the deck has them.
"""

import io
from pathlib import Path

from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from playwright.sync_api import Browser
from pypdf import PageObject, PdfReader, PdfWriter, Transformation

# Points; a sheet is of A4.
WIDTH, HEIGHT = 595.3, 841.9
MARGIN, TOP = 48, 56
SLIDE = WIDTH - 2 * MARGIN, (WIDTH - 2 * MARGIN) * 9 / 16
LINES, PITCH = 4, 20  # below each slide
SLOT = SLIDE[1] + LINES * PITCH + 18
# White paper; and what a network shows at the deck's position, not its default.
ON_PAPER = """.reveal-viewport, .pdf-page { background: white !important; }
@media print { figure.alive[data-alive] .picture { display: none; }
  figure.alive[data-alive] .views { display: block; } }"""


def write(deck: Path, out: Path | io.BytesIO, browser: Browser) -> None:
    """Print a deck as a handout: a PDF, to a path or a file."""
    page = browser.new_page()
    page.goto(f"{deck.as_uri()}?print-pdf")
    page.wait_for_selector("html.reveal-print[data-ready=yes]", timeout=60_000)
    page.add_style_tag(content=ON_PAPER)
    slides = page.pdf(prefer_css_page_size=True, print_background=True)
    title = page.title()
    page.close()
    slides = PdfReader(io.BytesIO(slides)).pages
    handout = PdfWriter(clone_from=_sheets(title, -(-len(slides) // 2)))
    for number, slide in enumerate(slides):
        sheet, slot = divmod(number, 2)
        _lay(slide, handout.pages[sheet], _bottom(slot))
    handout.compress_identical_objects()
    handout.add_metadata({"/Title": title})
    handout.write(out)


def _bottom(slot: int) -> float:
    """Return where the lower edge of the upper (0) or lower (1) slide of a sheet is."""
    return HEIGHT - TOP - slot * SLOT - SLIDE[1]


def _lay(slide: PageObject, sheet: PageObject, bottom: float) -> None:
    """Lay a slide on a sheet, with its lower edge at ``bottom``."""
    scale = SLIDE[0] / float(slide.mediabox.width)
    place = Transformation().scale(scale).translate(MARGIN, bottom)
    sheet.merge_transformed_page(slide, place)


def _sheets(title: str, count: int) -> io.BytesIO:
    """Draw ``count`` sheets without their slides: frames, lines, title and page."""
    file = io.BytesIO()
    with PdfPages(file) as pages:
        for number in range(1, count + 1):
            figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72))
            ax = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(0, HEIGHT))
            ax.axis("off")
            for slot in range(2):
                bottom = _bottom(slot)
                corner, sides = (MARGIN - 1, bottom - 1), (SLIDE[0] + 2, SLIDE[1] + 2)
                ax.add_patch(Rectangle(corner, *sides, fill=False, lw=0.5))
                lines = [bottom - PITCH * line for line in range(1, LINES + 1)]
                ax.hlines(lines, MARGIN, WIDTH - MARGIN, color="0.75", lw=0.5)
            ax.text(MARGIN, 24, title, fontsize=8, color="0.35")
            ax.text(WIDTH - MARGIN, 24, number, fontsize=8, color="0.35", ha="right")
            pages.savefig(figure)
    return file
