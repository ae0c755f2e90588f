"""README's picture: figures of the built book while sliders move and somebody draws.

PYTHONPATH=. .venv/bin/python .github/readme/record.py
"""

import io
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from press import chapters
from tests.browser import chromium

HERE = Path(__file__).parent
PAGES = chapters.ROOT / "_build" / "html" / "book"
SHARP, WIDTH = 1.5, 800  # pixels to a pixel of CSS when recorded; of the picture
HIGHEST = 530  # pixels of CSS: of a taller figure, its upper part
QUALITY = 30
MAX_BYTES = 400_000  # of both pictures
STEP, REST = 450, 1800  # milliseconds: a position, the last one of a figure

THREE = "9:6-13:4-19:4-23:8-22:13-16:15-22:17-24:22-21:27-14:28-9:26".split("-")
# Page, figure and positions: of each control the index of its value, or of some inputs of
# a figure whose network runs the texts.
SCENES = [
    # The rate grows until descent flies apart, then the momentum until it does not.
    (
        "10_optimization",
        "bowl_descent",
        [*((lr, 0) for lr in (0, 2, 4, 5, 6, 7)), *((7, m) for m in (1, 2, 4))],
    ),
    ("07_mlp", "unfold", [(step, 0) for step in (0, 3, 4, 6, 12)]),
    # A 3 is drawn, and then turned.
    (
        "12_cnn",
        "read_digit",
        [{"digit": "-".join(THREE[:n])} for n in range(2, len(THREE) + 1, 2)]
        + [{"angle": str(angle)} for angle in (-30, -60)],
    ),
]
MOVE = """(figure, position) => figure.show && !Array.isArray(position)
  ? figure.show(position)
  : figure.querySelectorAll("input, select").forEach((control, i) => {
    control[control.tagName === "SELECT" ? "selectedIndex" : "value"] = position[i];
    control.dispatchEvent(new Event("input", { bubbles: true }));
  })"""


def shots(page: Page, slug: str, name: str, positions: list) -> Iterator[Image.Image]:
    """Photograph the figure with its controls, at each position."""
    page.goto((PAGES / f"{slug}.html").as_uri())
    page.add_style_tag(content="header { visibility: hidden }")  # it lies over the page
    figure = page.locator(f'figure[data-name="{name}"]')
    figure.scroll_into_view_if_needed()
    page.wait_for_timeout(1500)  # the formulas around it are typeset
    for position in positions:
        figure.evaluate(MOVE, position)
        page.wait_for_timeout(200)  # the picture is decoded
        shot = Image.open(io.BytesIO(figure.screenshot())).convert("RGB")
        yield shot.crop((0, 0, shot.width, min(shot.height, round(HIGHEST * SHARP))))


def write(scenes: list[list[Image.Image]], path: Path) -> None:
    """All scenes, one after the other, as an animated WebP."""
    pictures = [picture for scene in scenes for picture in scene]
    times = [t for scene in scenes for t in [STEP] * (len(scene) - 1) + [REST]]
    width, height = pictures[0].width, max(picture.height for picture in pictures)
    frames = []
    for picture in pictures:  # in the middle of a ground of the page's colour
        frame = Image.new("RGB", (width, height), picture.getpixel((2, 2)))
        frame.paste(picture, (0, (height - picture.height) // 2))
        size = WIDTH, round(WIDTH * height / width)
        frames.append(frame.resize(size, Image.Resampling.LANCZOS))
    frames[0].save(
        path,
        save_all=True,
        append_images=frames[1:],
        duration=times,
        loop=0,
        quality=QUALITY,
        method=4,
        kmin=999,  # no key frame but the first
        kmax=1000,
    )


def main() -> None:
    """Write light.webp and dark.webp."""
    with chromium() as browser:
        for theme in ("light", "dark"):
            page = browser.new_page(color_scheme=theme, device_scale_factor=SHARP)
            page.add_init_script(f"localStorage.mode = localStorage.theme = '{theme}'")
            write([[*shots(page, *scene)] for scene in SCENES], HERE / f"{theme}.webp")
            page.close()
    weight = sum(path.stat().st_size for path in HERE.glob("*.webp"))
    assert weight < MAX_BYTES, f"expected less than {MAX_BYTES:,} bytes, got {weight:,}"
    print(f"{weight:,} bytes")


if __name__ == "__main__":
    main()
