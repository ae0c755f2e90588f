"""The figure without a kernel: all its frames, drawn beforehand, and what is refused."""

import base64
import io
import json
import re
from contextlib import nullcontext

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from press.figures import bundle
from tests.figures import line, shown_with
from utils.interact import frames, interact


@pytest.fixture
def pages():
    with shown_with(bundle.static_bundle) as shown:
        yield shown


def pictures(bundle):
    """What the page shows at each position: its frame over its base."""
    payload = re.search(
        r"<script type=\"application/json\">(.*?)</script>", bundle["text/html"]
    )[1]
    data = json.loads(payload)
    bases, frames = (
        [Image.open(io.BytesIO(base64.b64decode(x))).convert("RGBA") for x in data[key]]
        for key in ("bases", "frames")
    )
    shown = [
        Image.alpha_composite(bases[base], frame).convert("RGB")
        for base, frame in zip(data["baseOf"], frames, strict=True)
    ]
    return data, [np.asarray(image).astype(int) for image in shown]


def test_static_mode_draws_every_position_in_the_order_of_the_controls(pages):
    interact(slope=[1, 2], shift=(0.0, 1.0, 0.5))(line)
    data, seen = pictures(pages[0])
    assert [c["texts"] for c in data["controls"]] == [["1", "2"], ["0.0", "0.5", "1.0"]]
    assert len(seen) == 6 and len(data["bases"]) == 2
    for index, (slope, shift) in enumerate(
        (k, s) for k in (1, 2) for s in (0.0, 0.5, 1.0)
    ):
        expected = np.asarray(frames._pixels(line(slope, shift), 150, None)).astype(int)
        assert seen[index].shape == expected.shape
        assert np.abs(seen[index] - expected).max() < 40  # 128 colours
    plt.close("all")


def test_static_mode_starts_at_the_defaults_and_describes_itself(pages):
    interact(slope=[1, 2, 3], dashed=True, labels={"slope": "slope k"})(line)
    html = pages[0]["text/html"]
    keys = [c["keys"] for c in pictures(pages[0])[0]["controls"]]
    assert keys == [["1", "2", "3"], ["off", "on"]]
    assert 'alt="A straight line. slope k = 1, dashed = off."' in html
    assert pages[0]["text/plain"] == "A straight line. slope k = 1, dashed = off."
    assert base64.b64decode(pages[0]["image/png"]).startswith(b"\x89PNG")
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", html)


def test_the_page_knows_the_smallest_letters_that_are_drawn(pages):
    @interact(slope=[1, 2])
    def lettered(slope=1):
        """Words of three sizes, the smallest of them unseen, and no axis."""
        fig = plt.figure(figsize=(5, 2))
        fig.text(0.5, 0.5, f"slope {slope}", size=18)
        fig.text(0.5, 0.2, "of a line", size=9)
        fig.text(0.5, 0.8, "hidden", size=3, visible=False)
        return fig

    lettering = re.search(r'data-lettering="([\d.]+)"', pages[0]["text/html"])[1]
    assert float(lettering) == pytest.approx(9 / 72 / 5, abs=1e-4)


def test_text_from_the_author_cannot_break_the_page(pages):
    def odd(choice="</script>"):
        """A <b>line</b> & "more"."""
        return line(len(choice))

    interact(choice=["</script>", "<i>"])(odd)
    html = pages[0]["text/html"]
    assert html.count("</script>") == 1 and "<i>" not in html.split("<script")[0]


@pytest.mark.parametrize("bad_position", [3, 5])
def test_an_exception_at_any_position_names_it(pages, bad_position):
    def fragile(a=1):
        """A picture that breaks at one position."""
        if a == bad_position:
            raise ZeroDivisionError("no")
        return line()

    with pytest.raises(ZeroDivisionError) as caught:
        interact(a=(1, 5))(fragile)
    assert f"while drawing fragile(a={bad_position})" in caught.value.__notes__


def test_too_many_bytes_name_the_control_to_coarsen(pages):
    def noise(seed=0):
        """Noise, which no coder can shorten."""
        fig, ax = plt.subplots(figsize=(6.5, 4))
        ax.imshow(np.random.default_rng(seed).random((400, 600)), cmap="gray")
        return fig

    with pytest.raises(
        ValueError, match=r"at most 1\.0 MB of frames, got .* coarsen 'seed'"
    ):
        interact(seed=(0, 5))(noise)


def test_frames_of_different_size_are_refused(pages):
    def jumping(a=1):
        """A picture that grows."""
        return plt.figure(figsize=(2, a))

    with pytest.raises(ValueError, match=r"jumping\(a = 2\): expected every frame"):
        interact(a=[1, 2])(jumping)


def test_words_that_reach_beyond_the_picture_are_refused(pages):
    def labelled(row="-"):
        """A row whose name has the room of another one."""
        fig, ax = plt.subplots(figsize=(3, 1), layout="constrained")
        ax.set_yticks([0], [row])
        return fig

    with pytest.raises(ValueError, match=r"labelled\(row = .*ink at its edge: left$"):
        interact(row=["-", "—" * 20])(labelled)


def test_a_control_that_changes_nothing_is_refused(pages):
    def deaf(slope=1, colour=0):
        """A straight line."""
        return line(slope)

    with pytest.raises(ValueError, match="deaf: expected 'colour' to change the pict"):
        interact(slope=(1, 3), colour=(0, 4))(deaf)

    def bump(at=0, slope=1):
        """A straight line that is dashed in the middle."""
        return line(slope, dashed=at == 2 and slope == 2)

    interact(at=(0, 4), slope=(1, 3))(bump)


@pytest.mark.parametrize("start, refused", [(0, True), (3, False)])
def test_a_figure_whose_default_is_its_emptiest_picture_is_refused(
    pages, start, refused
):
    def dots(number=start):
        """As many dots as the slider says."""
        fig, ax = plt.subplots(figsize=(5, 2))
        ax.plot(np.arange(number), np.arange(number), "o", ms=30)
        ax.set(xlim=(-1, 9), ylim=(-1, 9))
        return fig

    expected = pytest.raises(ValueError, match=r"dots.*emptiest of its pictures")
    with expected if refused else nullcontext():
        interact(number=(0, 8))(dots)


def test_every_frame_keeps_the_layout_of_the_defaults(pages):
    boxes = []

    def labelled(a=6):
        """A plot whose labels are wide at one position."""
        fig, ax = plt.subplots(figsize=(3, 2), layout="constrained")
        ax.set(ylim=(0, 10**a), ylabel="label")
        boxes.append(ax)
        return fig

    interact(a=[1, 6])(labelled)
    corners = [ax.get_position().bounds for ax in boxes]
    assert corners[1] == corners[2] == corners[0] != (0.125, 0.11, 0.775, 0.77)


def test_other_axes_are_not_put_where_the_defaults_have_theirs(pages):
    corners = []

    def turned(down=False):
        """Two plots side by side or one above the other."""
        fig, axes = plt.subplots(*((2, 1) if down else (1, 2)), layout="constrained")
        corners.append(axes)
        return fig

    interact(down=False)(turned)
    across, down = [[ax.get_position().bounds for ax in axes] for axes in corners[1:3]]
    assert across[0][1] == across[1][1] and down[0][0] == down[1][0]
    assert down[0][1] > down[1][1] + down[1][3]


def test_fewer_colours_look_like_all_colours(pages):
    fig, ax = plt.subplots(figsize=(6, 3), dpi=125)
    x = np.linspace(-3, 3, 200)
    ax.contourf(x, x, np.log(np.add.outer(2 * x**2, x**2 / 9) + 0.01), 24, cmap="Blues")
    for k in range(4):  # lines whose colours the palette must hold as well
        ax.plot(x, 3 * np.sin(x + k), lw=2)
    fig.canvas.draw()
    image = Image.fromarray(np.array(fig.canvas.buffer_rgba())[..., :3])
    fewer = bundle._fewer_colours(image)
    original, reduced = np.asarray(image, int), np.asarray(fewer, int)
    assert len(fewer.getcolors()) <= bundle.COLOURS
    assert np.abs(reduced - original).max(axis=-1).mean() < 1  # of 255
    assert (
        (reduced == 255).all(axis=-1) == (original == 255).all(axis=-1)
    ).all()  # white


def test_the_default_bundle_draws_the_defaults_alone(pages):
    drawn = []

    def recorded(slope=2):
        """A straight line."""
        drawn.append(slope)
        return line(slope)

    interact(slope=[1, 2])(recorded)
    drawn.clear()
    with shown_with(bundle.default_bundle) as defaults:
        interact(slope=[1, 2])(recorded)
    assert set(drawn) == {2}
    of_pages = {"text/html", "application/pdf"}
    assert defaults[0] == {k: v for k, v in pages[0].items() if k not in of_pages}


def test_a_page_has_its_default_picture_in_vector_graphics_too(pages):
    interact(slope=[1, 2])(line)
    assert base64.b64decode(pages[0]["application/pdf"]).startswith(b"%PDF")


def test_leaves_no_figure_open(pages):
    plt.close("all")
    interact(slope=[1, 2])(line)
    assert plt.get_fignums() == []


def test_a_frame_keeps_nothing_of_the_one_before(pages):
    interact(slope=[1, 2, 3])(line)
    interact(slope=[3, 1])(line)
    before, alone = pictures(pages[0])[1][2], pictures(pages[1])[1][0]
    assert np.array_equal(before, alone)
