"""What chapter 12 reads from its files, repeated: races, deep stacks, blocks, fine-tuning."""

import csv
from itertools import product

import numpy as np
import pytest
import torch

from press import chapters
from tests.chapter_code import ChapterCode, Fault, catches
from tests.chapters.inputs import with_digits

chapter = ChapterCode("12_cnn")
RACERS = "LeNet", "AlexNet", "VGG", "NiN", "GoogLeNet", "ResNet", "DenseNet"


@pytest.fixture(scope="module")
def digits(book):
    return with_digits(chapter, book)


def test_all_who_race_are_searched(digits):
    assert set(RACERS) == {*digits["SMALL"]}
    assert set(RACERS) == {row["network"] for row in digits["RACES"]}


@pytest.mark.parametrize("name", RACERS)
def test_a_race_ends_as_the_file_says(digits, name):
    """One seed of three, at the best rate of the file."""
    rate = digits["race_rate"](name, 16)
    net = digits["initialise"](digits["SMALL"][name](), 0)
    rows, held_out = digits["train_rows"], digits["val_rows"]
    digits["train"](net, digits["images"][rows], digits["labels"][rows], rate, 16, 0)
    X, y = digits["images"][held_out], digits["labels"][held_out]
    recorded = digits["races"](name, 16, rate, "validation")
    repeated = digits["accuracy"](net, X, y)
    assert recorded.min() - 0.03 < repeated < recorded.max() + 0.03, (
        repeated,
        recorded,
    )


def loss_at_end(digits, variant, rate, seed, first_layer=1.0):
    """Final training loss of a stack of 24 layers; its first layer may be smaller."""
    near, bypass, norm = variant
    net = digits["stack"](24, norm, bypass, near, seed)
    net[0].weight.data *= first_layer
    return digits["loss_at_end"](net, rate, seed)


@pytest.fixture(scope="module")
def trained(digits):
    chapter.define("12-depth-run", digits, "TRAINED", "loss_at_end")
    return digits


@pytest.mark.parametrize("variant", product((0, 1), repeat=3))
def test_a_stack_ends_as_the_file_says(trained, variant):
    rate, recorded = trained["at_best_rate"](*variant, 15)
    losses = [loss_at_end(trained, variant, rate, seed) for seed in (0, 1, 2)]
    assert 1 / 4 < np.median(losses) / np.median(recorded) < 4, (losses, recorded)


@pytest.fixture(scope="module")
def medians(trained):
    """Of five variants, over nine networks that neither page nor file have."""
    found = {}
    for name, variant in trained["TRAINED"].items():
        rate, _ = trained["at_best_rate"](*variant, 15)
        losses = [loss_at_end(trained, variant, rate, seed) for seed in range(30, 39)]
        found[name] = np.median(losses)
    return found


def test_new_draws_of_the_stacks_agree_with_the_claim(medians):
    assert medians["near identity"] < medians["plain"] / 4, medians
    assert medians["both"] < min(medians["bypass"], medians["batch norm"]) / 4, medians


def test_the_bypass_alone_ends_lower_behind_a_small_first_layer(trained, medians):
    """At the learning rate 0.001, in the median of nine networks."""
    small = np.median(
        [loss_at_end(trained, (0, 1, 0), 0.001, seed, 0.03) for seed in range(30, 39)]
    )
    assert medians["both"] < small < medians["bypass"] / 4, (small, medians)


def test_batch_normalisation_learns_at_a_rate_at_which_the_plain_stack_does_not(
    trained,
):
    """Near the identity, without a bypass, three networks that the file does not have."""
    plain, norm = (
        [loss_at_end(trained, (1, 0, norm), 0.1, seed) for seed in (30, 31, 32)]
        for norm in (0, 1)
    )
    assert max(norm) < 1 < np.nan_to_num(np.median(plain), nan=np.inf), (plain, norm)


def of_two_blocks(digits, step, rate, seed):
    """Test accuracy of two blocks after 20 epochs."""
    rows = digits["train_rows"]
    net = digits["two_blocks"](step, seed)
    X, y = digits["images"][rows], digits["labels"][rows]
    digits["train_with_adamw"](net, X, y, rate, 20, seed)
    return digits["accuracy"](net, digits["X_test"], digits["y_test"])


STEPS_AT_BEST = {
    "residual": 0.03, "bottleneck": 0.1, "groups": 0.1, "depthwise": 0.1,
    "wide middle": 0.01, "7 × 7": 0.03, "layer norm": 0.03, "GELU": 0.03,
}  # fmt: skip


@pytest.mark.parametrize("step", STEPS_AT_BEST)
def test_a_block_ends_as_the_file_says(digits, step):
    """One seed of three, at the rate with the smallest validation loss of the file."""
    with (chapters.BOOK / "data" / "run_12_blocks.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["step"] == step]
    rates = {float(row["rate"]) for row in rows}
    by_rate = {
        rate: np.mean([float(r["val_loss"]) for r in rows if float(r["rate"]) == rate])
        for rate in rates
    }
    best = min(by_rate, key=by_rate.get)
    assert min(rates) < best < max(rates) and best == STEPS_AT_BEST[step]
    stored = [float(row["test"]) for row in rows if float(row["rate"]) == best]
    repeated = of_two_blocks(digits, step, best, 0)
    assert min(stored) - 0.03 < repeated < max(stored) + 0.03, (repeated, stored)


def test_new_seeds_of_the_blocks_agree_with_the_page(digits):
    """Bottleneck and layer norm cost accuracy, in the mean of three new seeds."""
    mean = {
        step: np.mean(
            [
                of_two_blocks(digits, step, STEPS_AT_BEST[step], seed)
                for seed in (3, 4, 5)
            ]
        )
        for step in ("residual", "bottleneck", "7 × 7", "layer norm")
    }
    assert mean["bottleneck"] < mean["residual"] - 0.01, mean
    assert mean["layer norm"] < mean["7 × 7"], mean


def with_few_images(digits, kind, count, rate, seed):
    """Test accuracy on moved digits 5 to 9 after ``count`` images of each."""
    images, labels = digits["sideways"](digits["images"], 0), digits["labels"]
    rows, new = digits["train_rows"], digits["test_rows"]
    y, y_new = labels[rows], labels[new]
    low, high = y < 5, y_new >= 5
    if kind.startswith("new"):
        net = digits["initialise"](digits["lenet"](), 10 + seed)
    else:
        net = digits["initialise"](digits["lenet"](), seed)
        net = digits["with_new_head"](net, 5, seed)
        centred = digits["images"][rows][low]
        positions = [digits["sideways"](centred, 100 + 10 * seed + k) for k in range(5)]
        digits["train"](net, torch.cat(positions), y[low].repeat(5), 0.02, 4, seed)
    net = digits["with_new_head"](net, 5, 20 + seed)
    if kind == "last layer":
        digits["freeze_all_but_head"](net)
    few = digits["few_of_each"](y, count, seed)
    X, y, epochs = images[rows][few], y[few] - 5, 40
    if kind == "new, moved":
        X = torch.cat([torch.roll(X, shift, dims=3) for shift in (-4, -2, 0, 2, 4)])
        y, epochs = y.repeat(5), 10
    digits["train"](net, X, y, rate, epochs, seed, 5)
    return digits["accuracy"](net, images[new][high], y_new[high] - 5)


@pytest.mark.parametrize("kind", ["new", "fine-tuned", "last layer", "new, moved"])
def test_fine_tuning_ends_as_the_file_says(digits, kind):
    """The first draw, five images of each new digit, at one of the learning rates."""
    with (chapters.BOOK / "data" / "run_12_fine.csv").open(encoding="utf-8") as file:
        (stored,) = (
            float(row["test"])
            for row in csv.DictReader(file)
            if (row["kind"], row["images"], row["rate"], row["seed"])
            == (kind, "5", "0.01", "0")
        )
    repeated = with_few_images(digits, kind, 5, 0.01, 0)
    assert abs(repeated - stored) < 0.08, (repeated, stored)


def test_new_draws_gain_more_by_augmentation_than_by_fine_tuning(digits):
    moved, tuned = (
        np.median(
            [with_few_images(digits, kind, 2, 0.01, seed) for seed in range(20, 25)]
        )
        for kind in ("new, moved", "fine-tuned")
    )
    assert moved > tuned + 0.05, (moved, tuned)


# Faults that show only after a training.
FAULTS = [
    Fault("lr * (1 - step / steps)", "-lr * (1 - step / steps)", "ascent"),
    Fault(
        "loss.backward()\n            optimiser.step()\n            total",
        "(-loss).backward()\n            optimiser.step()\n            total",
        "uphill",
    ),
    Fault("kaiming_normal_", "xavier_normal_", "Xavier for He"),
]

test_checks_catch = catches(chapter, FAULTS)
