"""Small pictures of the interactive figures, cut from the written pages for the gallery."""

import base64
import io
import re
from pathlib import Path

from PIL import Image

from press import chapters

WIDTH = 480  # pixels: twice the width of a card
FIGURE = re.compile(
    r'<figure class="(?:interact|alive)" data-name="(\w+)".*?src="data:image/webp;base64,([^"]+)"',
    re.S,
)


def setup(app):
    app.connect("build-finished", _write)


def _write(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir, "_images", "figures")
    folder.mkdir(parents=True, exist_ok=True)
    for slug, chapter in chapters.CHAPTERS.items():
        page = Path(app.outdir, "book", f"{slug}.html")
        for old in folder.glob(f"{chapter.digits}_*.webp"):
            old.unlink()  # a figure that failed shows no picture of an earlier run
        for name, data in FIGURE.findall(
            page.read_text("utf-8") if page.exists() else ""
        ):
            picture = Image.open(io.BytesIO(base64.b64decode(data)))
            picture.thumbnail((WIDTH, WIDTH), Image.Resampling.LANCZOS)
            picture.save(folder / f"{chapter.digits}_{name}.webp", quality=82, method=6)
