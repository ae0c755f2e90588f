"""The words of a figure: titles, axes, legends and texts, and nothing that is not there."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter

from utils import alt
from utils.diagrams import Diagram


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_curves_have_title_axes_and_legend():
    figure, ax = plt.subplots()
    ax.semilogy([1, 2, 4], label="training")
    ax.semilogy([4, 3, 3], label=r"validation, $\lambda=0.1$")
    ax.set(xlabel="epoch", ylabel="loss", title="The gap opens")
    ax.legend()
    assert alt.words(figure) == (
        "The gap opens; loss (logarithmic) against epoch; training, validation, lambda=0.1."
    )


def test_panels_are_counted_and_share_the_label_of_their_axis():
    figure, (left, right) = plt.subplots(1, 2, sharey=True)
    left.set(title="plain", xlabel="step", ylabel="loss")
    right.set(title="momentum", xlabel="step")
    figure.suptitle("Two ways down")
    assert alt.words(figure) == (
        "Two ways down. Two panels. plain; loss against step. momentum; loss against step."
    )


def test_a_matrix_is_read_row_by_row_and_its_colours_are_named():
    figure, ax = plt.subplots()
    image = ax.imshow(np.arange(4).reshape(2, 2))
    for (i, j), value in np.ndenumerate([[1, 2], [3, 4]]):
        ax.text(j, i, value)
    ax.set_xticks([0, 1], ["the", "cat"])
    figure.colorbar(image, label="weight")
    assert alt.words(figure) == "the, cat; written in it: 1, 2, 3, 4. Colours: weight."


def test_a_mark_is_said_once_and_a_crowd_of_texts_not_at_all():
    figure, (few, many) = plt.subplots(1, 2)
    few.set_title("few")
    many.set_title("many")
    for k in range(alt.MOST_TEXTS + 1):
        few.text(0, 0, "×")
        many.text(0, 0, k)
    assert alt.words(figure) == "Two panels. few; written in it: ×. many."


def test_an_empty_panel_is_not_counted():
    figure, (one, off) = plt.subplots(1, 2)
    one.set_title("one")
    off.axis("off")
    assert alt.words(figure) == "one."
    assert alt.words(plt.figure()) == alt.NOTHING


def test_a_kernel_shows_a_figure_with_its_words(monkeypatch):
    kernel = SimpleNamespace(display_formatter=DisplayFormatter())
    monkeypatch.setattr(alt, "get_ipython", lambda: kernel)
    alt.register()
    figure, ax = plt.subplots()
    ax.set_title("after the registration")
    data, metadata = kernel.display_formatter.format(figure)
    assert data["text/plain"] == "after the registration."
    assert metadata["image/png"]["alt"] == data["text/plain"]
    # A diagram goes on saying more than what is written on it.
    diagram = Diagram("A layer", dy=1)
    diagram.box("x", (0, 0))
    diagram.box("y", (0, 1))
    diagram.arrow("x", "y")
    ax = plt.subplots()[1]
    diagram.draw(ax)
    assert kernel.display_formatter.format(ax.figure)[0]["text/plain"] == diagram.alt
