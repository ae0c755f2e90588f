"""An interactive figure on paper: its default, and in small the positions of the text."""

import base64
import io
import json
from pathlib import Path
from types import SimpleNamespace

from bs4 import BeautifulSoup
from docutils import nodes
from PIL import Image
from pypdf import PdfReader

from press.chapters import Chapter
from press.execution.failure_box import boxes
from press.paper.latex import escape
from utils.interact.controls import default_indices, state
from utils.interact.positions import indices_of, linked

PICTURES = ("application/pdf", "image/png")  # the better first
MAX_PIXELS = 1000  # of a small picture: as it was drawn, but for the widest
LINE_WIDTH = 470  # points of a line of text, 166 millimetres
# How much of its size a picture keeps in small: the numbers at its axes, drawn with 10
# points, are then printed with 5, and below that they are hard to read.
MIN_SCALE = 0.5


class Frames:
    """The frames of a figure, read from what its cell shows on the page."""

    def __init__(self, html: str):
        figure = BeautifulSoup(html, "html.parser").find("figure", class_="interact")
        self.name = figure["data-name"]
        self.data = json.loads(figure.find("script", type="application/json").string)
        self.controls = [SimpleNamespace(**fields) for fields in self.data["controls"]]
        self.start = default_indices(self.controls)

    def picture(self, indices: tuple[int, ...]) -> Image.Image:
        """Put the frame at a place of the grid together: what differs, over its base."""
        flat = 0
        for control, i in zip(self.controls, indices, strict=True):
            flat = flat * len(control.keys) + i
        base = _image(self.data["bases"][self.data["baseOf"][flat]])
        return Image.alpha_composite(base, _image(self.data["frames"][flat]))

    def setting(self, indices: tuple[int, ...]) -> str:
        """Say how the controls are set there: those that have been moved."""
        pairs = zip(self.controls, indices, strict=True)
        moved = [(c, i) for c, i in pairs if i != c.default_index]
        return state(*zip(*moved, strict=True)) if moved else ""


class Alive:
    """A figure whose network runs on the page, read from what its cell shows there."""

    def __init__(self, html: str):
        figure = BeautifulSoup(html, "html.parser").find("figure", class_="alive")
        self.name = figure["data-name"]
        data = json.loads(figure.find("script", class_="inputs").string)
        self.description = data["description"]


def named_positions(
    frames: Frames, text: str, lenient: bool = False
) -> list[tuple[int, ...]]:
    """List the positions of a figure that the text of its chapter names, in its order, each once.

    ValueError where the figure does not have one; ``lenient`` leaves it out, for a figure
    with a box under it that says so.
    """
    positions = []
    for name, position in linked(text):
        if name == frames.name:
            try:
                positions.append(indices_of(name, frames.controls, position))
            except ValueError:
                if not lenient:
                    raise
    return [indices for indices in dict.fromkeys(positions) if indices != frames.start]


def _image(data):
    return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA")


def label(slug: str, name: str) -> str:
    """Name a figure as LaTeX does."""
    return f"figure:{slug}:{name}"


def interactive(
    builder, chapter: Chapter, frames: Frames, picture: Path, lenient: bool = False
) -> str:
    """Show a figure at its default, its controls, and the positions that the text names.

    ``lenient`` as ``named_positions`` says.
    """
    out = Path(builder.outdir, "figures")
    out.mkdir(exist_ok=True)
    small_pictures, (per_row, width) = [], row_layout(_points(picture))
    for indices in named_positions(frames, chapter.markdown, lenient):
        name = f"{chapter.slug}-{frames.name}-{'-'.join(map(str, indices))}.png"
        image = frames.picture(indices).convert("RGB")
        image.thumbnail((MAX_PIXELS, MAX_PIXELS), Image.Resampling.LANCZOS)
        _few_colours(image).save(out / name)
        caption = escape(frames.setting(indices))
        small_pictures.append(
            rf"\position{{{width:.3f}}}{{figures/{name}}}{{{caption}}}"
        )
    start = state(frames.controls, frames.start)
    caption, start = frames.data["description"].rstrip("."), start.rstrip(".")
    rows = [
        small_pictures[i : i + per_row] for i in range(0, len(small_pictures), per_row)
    ]
    return "\n".join(
        [
            rf"\bookfigure{{{_copy(picture, out)}}}",
            rf"{{{label(chapter.slug, frames.name)}}}",
            rf"{{{escape(caption)}. Here {escape(start)}.",
            rf"\inhand{{{chapter.slug}}}{{{frames.name}}}}}{{%",
            *(rf"\positions{{{per_row}}}{{{' '.join(row)}}}" for row in rows),
            r"}\bookfigureend",
        ]
    )


def alive(builder, chapter: Chapter, figure: Alive, picture: Path) -> str:
    """Show a figure whose network runs on the page: the picture of its default."""
    out = Path(builder.outdir, "figures")
    out.mkdir(exist_ok=True)
    return "\n".join(
        [
            rf"\bookfigure{{{_copy(picture, out)}}}",
            rf"{{{label(chapter.slug, figure.name)}}}",
            rf"{{{escape(figure.description.rstrip('.'))}.",
            rf"\inhand{{{chapter.slug}}}{{{figure.name}}}}}{{%",
            r"}\bookfigureend",
        ]
    )


def _few_colours(image):
    """Reduce a picture to 128 colours, in which paper stays white."""
    image = image.quantize(128, method=Image.Quantize.FASTOCTREE, dither=0)
    colours = image.getpalette()
    whole = [c for i in range(0, len(colours), 3) for c in _white(colours[i : i + 3])]
    image.putpalette(whole)
    return image


def _white(colour):
    return [255] * 3 if min(colour) > 249 else colour


def _points(picture):
    """Return how wide a picture was drawn."""
    if picture.suffix == ".pdf":
        return float(PdfReader(picture).pages[0].mediabox.width)
    image = Image.open(picture)
    return image.width / image.info.get("dpi", (72, 72))[0] * 72


def row_layout(points):
    """Return how many pictures of a width fit in a row in small, and their part of the line."""
    for per_row in (3, 2):
        if MIN_SCALE * points <= 1.05 * LINE_WIDTH / per_row:
            return per_row, min(1 / per_row, 1.1 * MIN_SCALE * points / LINE_WIDTH)
    return 1, MIN_SCALE * points / LINE_WIDTH


def still_picture(builder, picture: Path, says: str) -> str:
    """Show a picture that does not move, under it the title of a drawing.

    ``says`` is its plain text: for a drawing its title and then what leads to what, else
    the name of its class. Of the others the text around them says what they are.
    """
    title = "" if says.startswith("<") else says.partition(": ")[0]
    out = Path(builder.outdir, "figures")
    out.mkdir(exist_ok=True)
    return rf"\stillpicture{{{_copy(picture, out)}}}{{{escape(title)}}}"


def _copy(picture, folder):
    """Copy a picture to the folder from which LaTeX reads it; return its path there."""
    target = folder / picture.name
    target.write_bytes(picture.read_bytes())
    return f"figures/{target.name}"


def cover(builder) -> str:
    """Find the landing page's picture for the title page; empty where its cell failed."""
    tree = builder.env.get_doctree("book/index")
    for bundle in tree.findall(nodes.container):
        if bundle.get("nb_element") == "mime_bundle":
            types = {content["mime_type"]: content for content in bundle}
            if is_interactive(types):
                out = Path(builder.outdir, "figures")
                out.mkdir(exist_ok=True)
                return _copy(best_picture(builder, types), out)
    if boxes(tree):
        return ""
    raise ValueError("book/index: expected an interactive figure, got none")


def is_interactive(types: dict) -> bool:
    """Return whether a cell shows a figure with controls, by its contents of each type."""
    return "text/html" in types and 'class="interact"' in types["text/html"].astext()


def is_alive(types: dict) -> bool:
    """Return whether a cell shows a figure whose network runs on the page."""
    return "text/html" in types and 'class="alive"' in types["text/html"].astext()


def best_picture(builder, types: dict) -> Path:
    """Choose the picture that prints best of those that a cell shows; return its file."""
    kind = next(kind for kind in PICTURES if kind in types)
    image = next(types[kind].findall(nodes.image))
    return Path(builder.srcdir, image["candidates"]["*"])
