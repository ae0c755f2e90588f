"""The figure without a kernel: all frames drawn beforehand and written into the page.

What moves it, ``static/figure.js``, and its look, ``static/figure.css``, are files that a page
names once: a site may forbid scripts that stand in the HTML.
"""

import base64
import functools
import html
import io
import itertools
import json
from pathlib import Path
from statistics import median
from string import Template

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image, ImageChops, ImageFilter

from press.figures.lettering import smallest_lettering
from utils.interact.controls import arguments_at, coarsen, default_indices, state
from utils.interact.frames import describe, description, frame, layout_of, png, vector

MAX_BYTES = 1_000_000  # of all frames of a figure, as they stand in the page
COLOURS = 128  # of a frame: nobody sees the difference, and it halves the bytes
SPARSE = 0.1  # a default picture with less ink than this may be nearly empty
FULLER = 1.2  # .. if the median picture has this many times its ink
FLAT = 32  # of COLOURS: the most frequent, kept exactly
TEMPLATE = Path(__file__).with_name("figure.html")


def default_bundle(function, controls):
    """Show only the default picture: what ``static_bundle`` gives, without its frames."""
    return _still(function, controls, _Pictures(function, controls))


def static_bundle(function, controls):
    """Show the default picture, and give all frames as data, which ``figure.js`` controls."""
    positions = _grid(controls)
    pictures = _Pictures(function, controls)
    base_of = {indices: _base(controls, indices) for indices in positions}
    frames = {i: _webp(pictures[i], pictures[base_of[i]]) for i in positions}
    bases = {base: _webp(pictures[base]) for base in dict.fromkeys(base_of.values())}
    _refuse_idle(function, controls, pictures)
    _refuse_cut(function, controls, pictures)
    _refuse_empty_default(function, controls, pictures)
    weight = sum(map(len, [*bases.values(), *frames.values()]))
    if weight > MAX_BYTES:
        expected = (
            f"{function.__name__}: expected at most {MAX_BYTES / 1e6:.1f} MB of frames"
        )
        got = f"{weight / 1e6:.2f} MB in {len(frames)} frames"
        raise ValueError(f"{expected}, got {got}; {coarsen(controls)} or draw less")
    fields = ("name", "label", "kind", "texts", "keys", "default_index", "plays")
    data = {
        "description": description(function),
        "controls": [{key: getattr(c, key) for key in fields} for c in controls],
        "bases": list(bases.values()),
        "baseOf": [list(bases).index(base) for base in base_of.values()],
        "frames": list(frames.values()),
    }
    page = _html(
        function, controls, data, bases[default_indices(controls)], pictures.size
    )
    printed = vector(function, controls, default_indices(controls), pictures.layout)
    return {
        "text/html": page,
        "application/pdf": base64.b64encode(printed).decode(),
    } | _still(function, controls, pictures)


def _grid(controls):
    """Return the indices of all positions, the last control's running fastest."""
    return list(itertools.product(*(range(len(c.values)) for c in controls)))


class _Pictures(dict):
    """The frames of a figure by the indices of its controls, drawn when first asked for."""

    def __init__(self, function, controls):
        self.source = function, controls
        self.dpi = 150 if len(_grid(controls)) <= 40 else 125
        self.layout, self.size = layout_of(function, controls), None
        self.size = self[default_indices(controls)].size

    def __missing__(self, indices):
        function, controls = self.source
        position = function, controls, indices
        image = frame(*position, self.dpi, self.layout)
        if image.size != (self.size or image.size):
            location = f"{function.__name__}({state(controls, indices)})"
            expected = f"expected every frame to have {self.size} pixels"
            raise ValueError(f"{location}: {expected}, got {image.size}")
        return self.setdefault(indices, image)


def _refuse_idle(function, controls, pictures):
    """Check that each control changes the picture somewhere; try what is drawn first."""
    positions = sorted(_grid(controls), key=lambda indices: indices not in pictures)
    for k, control in enumerate(controls):
        pairs = ((i, (*i[:k], 0, *i[k + 1 :])) for i in positions if i[k])
        if all(
            pictures[position] == pictures[at_first] for position, at_first in pairs
        ):
            expected = (
                f"{function.__name__}: expected {control.name!r} to change the picture"
            )
            raise ValueError(f"{expected}, got the same one at each of its values")


def _refuse_cut(function, controls, pictures):
    """Refuse a picture with ink at its edge: axes are laid out for the defaults alone."""
    for indices, image in pictures.items():
        pixels = np.asarray(image)
        edges = {"top": pixels[0], "bottom": pixels[-1]}
        edges |= {"left": pixels[:, 0], "right": pixels[:, -1]}
        if cut := [name for name, edge in edges.items() if (edge < 255).any()]:
            location = f"{function.__name__}({state(controls, indices)})"
            got = f"got ink at its edge: {', '.join(cut)}"
            raise ValueError(
                f"{location}: expected the picture to have a margin, {got}"
            )


def _refuse_empty_default(function, controls, pictures):
    """Refuse a figure that starts at the emptiest of its pictures: it shows no point."""
    ink = {i: _ink(picture) for i, picture in pictures.items()}
    least, typical = min(ink.values()), median(ink.values())
    is_emptiest = ink[default_indices(controls)] <= 1.01 * least
    if is_emptiest and least < SPARSE and typical > FULLER * least:
        location = f"{function.__name__}({state(controls, default_indices(controls))})"
        raise ValueError(
            f"{location}: expected defaults that show the point of the figure, got the"
            " emptiest of its pictures"
        )


def _ink(picture):
    """Return the share of a picture that is neither white nor pale, of every 16th pixel."""
    return float((np.asarray(picture)[::4, ::4, 1] < 200).mean())


def _base(controls, indices):
    """Name the frame that a frame is stored against: the defaults, but for the first choice.

    A choice among several often exchanges the whole scene, a range hardly ever does.
    """
    scene = next((c for c in controls if c.kind == "choice"), None)
    if len(controls) == 1:
        scene = None
    pairs = zip(controls, indices, strict=True)
    return tuple(i if c is scene else c.default_index for c, i in pairs)


def _webp(image, base=None):
    """Write the picture in lossless WebP, transparent where it equals ``base``."""
    if base is None:
        return _encode(_fewer_colours(image))
    full = Image.new("RGBA", image.size, (255, 255, 255, 0))
    difference = ImageChops.difference(image, base)
    if box := difference.getbbox():
        # Two pixels wider than the change, or scaling lets the base shine through its rim.
        box = (max(box[0] - 2, 0), max(box[1] - 2, 0), box[2] + 2, box[3] + 2)
        red, green, blue = difference.crop(box).split()
        change = ImageChops.lighter(ImageChops.lighter(red, green), blue)
        # As MaxFilter(5) on what has changed, in a sixth of its time.
        changed = change.point(lambda v: 255 * (v > 0))
        alpha = changed.filter(ImageFilter.BoxBlur(2)).point(lambda v: 255 * (v > 0))
        part = image.crop(box)
        part.paste("white", mask=ImageChops.invert(alpha))
        part = _fewer_colours(part)
        part.putalpha(alpha)
        full.paste(part, box[:2])
    return _encode(full)


def _fewer_colours(image):
    """Keep the grounds and fills, which cover most, as they are; the rest by an octree.

    A palette alone would turn white into grey and neighbouring blues green.
    """
    rest = image.quantize(
        COLOURS - FLAT, method=Image.Quantize.FASTOCTREE, dither=0
    ).convert("RGB")
    pixels = np.asarray(image.convert("RGBA")).view(np.uint32)[..., 0] & 0xFFFFFF
    colours, counts = np.unique(pixels.ravel()[::3], return_counts=True)
    flat = colours[np.argsort(counts, kind="stable")[-FLAT:]]
    # A table of all colours finds them in half of the time that np.isin takes.
    is_flat = _scratch_colour_mask()
    is_flat[flat] = True
    kept = Image.fromarray(is_flat[pixels])
    is_flat[flat] = False
    return Image.composite(image, rest, kept)


@functools.cache
def _scratch_colour_mask():
    """Return the table of all colours, made once; whoever sets entries resets them."""
    return np.zeros(1 << 24, bool)


def _encode(image):
    buffer = io.BytesIO()
    # Without a loss these two buy bytes by time: here 4 % more for a quarter less.
    image.save(buffer, "webp", lossless=True, method=2, quality=25)
    return base64.b64encode(buffer.getvalue()).decode()


def _still(function, controls, pictures):
    """Show the default picture in pixels, for JupyterLab, and to compare two runs by."""
    return {
        "image/png": base64.b64encode(
            png(pictures[default_indices(controls)])
        ).decode(),
        "text/plain": describe(function, controls, default_indices(controls)),
    }


def _lettering(function, controls):
    """Measure the smallest letters of the default picture."""
    figure = function(**arguments_at(controls, default_indices(controls)))
    plt.close(figure)
    return smallest_lettering(figure)


def payload(data: dict) -> str:
    """Write data as they may stand in a script element: no ``</script>``, no ``<!--``."""
    return json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")


def _html(function, controls, data, base, size):
    return Template(TEMPLATE.read_text("utf-8")).substitute(
        name=html.escape(function.__name__),
        lettering=f"{_lettering(function, controls):.4f}",
        title=html.escape(function.__name__.replace("_", " ")),
        height=round(720 * size[1] / size[0]),  # CSS pixels; no layout jump
        base=base,
        alt=html.escape(describe(function, controls, default_indices(controls))),
        state=html.escape(state(controls, default_indices(controls))),
        data=payload(data),
    )
