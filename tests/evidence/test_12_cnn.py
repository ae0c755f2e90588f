"""What chapter 12 reads from its files, repeated: races and deep stacks."""

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


def test_fine_tuning_ends_as_the_file_says(digits):
    """Seed 0 of five, five images of each new digit, at one of the four learning rates."""
    with (chapters.BOOK / "data" / "run_12_fine.csv").open() as file:
        stored = {
            row["kind"]: float(row["test"])
            for row in csv.DictReader(file)
            if (row["images"], row["rate"], row["seed"]) == ("5", "0.01", "0")
        }
    rows, new = digits["train_rows"], digits["test_rows"]
    X, y = digits["images"][rows], digits["labels"][rows]
    X_new, y_new = digits["images"][new], digits["labels"][new]
    low, high = y < 5, y_new >= 5
    net = digits["with_new_head"](digits["initialise"](digits["lenet"](), 0), 5, 0)
    digits["train"](net, X[low], y[low], 0.02, 10, 0)
    few = torch.cat([torch.nonzero(y == d)[:5, 0] for d in range(5, 10)])
    for kind in ("scratch", "fine", "frozen"):
        given = (
            digits["initialise"](digits["lenet"](), 10) if kind == "scratch" else net
        )
        tuned = digits["with_new_head"](given, 5, 20)
        if kind == "frozen":
            digits["freeze_all_but_head"](tuned)
        digits["train"](tuned, X[few], y[few] - 5, 0.01, 40, 0, 5)
        score = digits["accuracy"](tuned, X_new[high], y_new[high] - 5)
        assert abs(score - stored[kind]) < 0.05, (kind, score, stored[kind])


# Faults that show only after a training.
FAULTS = [
    Fault("lr * (1 - step / steps)", "-lr * (1 - step / steps)", "ascent"),
    Fault("4 * F.avg_pool2d(A, 2)", "F.avg_pool2d(A, 2)", "the mean for the sum"),
    Fault("loss.backward()", "(-loss).backward()", "uphill"),
    Fault("kaiming_normal_", "xavier_normal_", "Xavier for He"),
]

test_checks_catch = catches(chapter, FAULTS)
