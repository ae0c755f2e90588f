"""What chapter 11 says of learning rates and long trainings, repeated; faults of training."""

import numpy as np
import pytest
import torch

from tests.chapter_code import ChapterCode, Fault, catches
from utils import data

chapter = ChapterCode("11_convolution", without=r"11-(recover|sharing-check)")
RATES = 0.01, 0.03, 0.1, 0.3, 0.9
CHOSEN = {"pooled": 0.1, "unpooled": 0.1, "own kernels": 0.1, "dense": 0.3}


def accuracies(book, kind, lr, epochs, seed=0, repetitions=1):
    X, y = book["placed"](seed)
    more = [book["placed"](seed, repetition=t)[0][:800] for t in range(1, repetitions)]
    net = book["network"](kind, seed)
    book["descend"](
        net, torch.cat([X[:800], *more]), y[:800].repeat(repetitions), lr, epochs, seed
    )
    return book["accuracies"](net, X, y)


def test_the_page_trains_at_the_rates_that_are_tested():
    text = "\n".join(cell.source for cell in chapter.cells)
    assert f"LEARNING_RATES = {CHOSEN}".replace("'", '"') in text


@pytest.mark.parametrize("kind", CHOSEN)
def test_no_other_rate_is_clearly_better(book, kind):
    """Up to 15 digits of 300, about the standard error of a share."""
    by_rate = {lr: accuracies(book, kind, lr, 20)["validation"] for lr in RATES}
    assert by_rate[CHOSEN[kind]] > max(by_rate.values()) - 0.05, by_rate


@pytest.mark.parametrize("kind", CHOSEN)
def test_eight_times_the_passes_change_little(book, kind):
    short, long = (
        accuracies(book, kind, CHOSEN[kind], epochs)["test"] for epochs in (20, 160)
    )
    assert abs(long - short) < 0.1, (short, long)


def test_without_its_padding_the_pooled_network_is_still_ahead(book):
    """The three others have no padding either."""
    for seed in (1, 2, 3):
        X, y = book["placed"](seed)
        net = book["network"]("pooled", seed)
        net[0].padding, net[2] = (0, 0), torch.nn.MaxPool2d(12)
        book["descend"](net, X[:800], y[:800], CHOSEN["pooled"], 20, seed)
        pooled = book["accuracies"](net, X, y)["test"]
        for kind in ("unpooled", "own kernels", "dense"):
            other = accuracies(book, kind, CHOSEN[kind], 20, seed)["test"]
            assert pooled > other + 0.25, (seed, kind, pooled, other)


def test_a_wider_dense_network_stays_far_below(book):
    """512 units in place of 64, at three rates."""
    X, y = book["placed"](0)
    whole, wide = accuracies(book, "pooled", 0.1, 20)["test"], []
    for lr in (0.03, 0.1, 0.3):
        net = book["network"]("dense", 0)
        net[0][1], net[4] = torch.nn.Linear(256, 512), torch.nn.Linear(512, 10)
        generator = torch.Generator().manual_seed(0)
        for layer, variance in ((net[0][1], 2 / 256), (net[4], 1 / 512)):
            torch.nn.init.normal_(layer.weight, 0, variance**0.5, generator=generator)
            torch.nn.init.zeros_(layer.bias)
        book["descend"](net, X[:800], y[:800], lr, 40, seed=0)
        wide.append(book["accuracies"](net, X, y)["test"])
    assert max(wide) < whole - 0.25, (wide, whole)


def test_the_other_rates_change_no_verdict_on_places(book):
    """The dense network at 30 places, and the control, at the other one's rate."""
    many = max(
        accuracies(book, "dense", lr, 4, repetitions=30)["test"]
        for lr in (0.03, 0.1, 0.3)
    )
    one = max(accuracies(book, "dense", lr, 120)["test"] for lr in (0.03, 0.1, 0.3))
    assert many > one + 0.2, (many, one)


def test_the_wrong_turn_ends_higher_at_other_rates_and_later(book):
    grey = data.photograph("china").mean(axis=2)
    tower = grey[20:212, 70:262].reshape(64, 3, 64, 3).mean(axis=(1, 3))
    book["below"].__globals__["tower"] = tower  # a run cell of the page makes it
    upright = np.array([[1, 0, -1], [1, 0, -1], [1, 0, -1]])
    mixed = np.outer([1, 2, 1], [1, 2, 1]) / 16 + 0.3 * upright
    for lr, steps in ((0.1, 1500), (0.3, 1000)):
        for seed in range(8):
            right, wrong = (
                book["below"](mixed, t, seed, steps, lr)[-1] for t in (False, True)
            )
            assert wrong > right, (lr, seed)


def test_the_middle_counts_more_in_a_plane_too(book):
    """Two layers of 3 × 3: the paths to a cell are products of those along each side."""
    squares, rng = np.zeros((5, 5)), np.random.default_rng(0)
    for _ in range(4000):
        dY = np.ones((1, 1, 1, 1))
        for side in (3, 5):
            dY = book["input_gradient"](
                dY, np.zeros((1, 1, side, side)), rng.normal(size=(1, 1, 3, 3))
            )
        squares += dY[0, 0] ** 2 / 4000
    expected = np.outer([1, 2, 3, 2, 1], [1, 2, 3, 2, 1])
    assert (abs(squares / expected - 1) < 0.3).all(), squares


# Faults that show only after a training.
FAULTS = [
    Fault("lr, momentum=0.9)", "lr / 100, momentum=0.9)", "a hundredth of the rate"),
    Fault("X[:, 0], order, corners, strict=True", "X[:, 0], order, 0 * corners, strict=True",
          "all in the corner"),
]  # fmt: skip

test_checks_catch = catches(chapter, FAULTS)
