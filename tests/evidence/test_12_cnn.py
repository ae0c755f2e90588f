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
    net = digits["start"](digits["SMALL"][name](), 0)
    rows, held_out = digits["train_rows"], digits["val_rows"]
    digits["train"](net, digits["images"][rows], digits["labels"][rows], rate, 16, 0)
    X, y = digits["images"][held_out], digits["labels"][held_out]
    recorded = digits["races"](name, 16, rate, "validation")
    repeated = digits["accuracy"](net, X, y)
    assert recorded.min() - 0.03 < repeated < recorded.max() + 0.03, (
        repeated,
        recorded,
    )


@pytest.mark.parametrize("variant", product((0, 1), repeat=3))
def test_a_stack_ends_as_the_file_says(digits, variant):
    near, bypass, norm = variant
    rate, recorded = digits["at_best_rate"](*variant, 15)
    rows = digits["train_rows"]
    three = digits["images"][rows], digits["labels"][rows, None].expand(-1, 3)
    net = digits["stack"](24, norm, bypass, near)
    losses = digits["train"](net, *three, rate, 15, 0)[-1]
    assert 1 / 4 < np.median(losses) / np.median(recorded) < 4, (losses, recorded)


@pytest.fixture(scope="module")
def stacks(digits):
    """All 42 trainings of the file: medians here and there, by name and seed."""
    rows = digits["train_rows"]
    three = digits["images"][rows], digits["labels"][rows, None].expand(-1, 3)
    digits["three"] = three
    chapter.define("12-identity-on", digits, "final_losses")
    chapter.define("12-depth-run", digits, "TRAINED", "end_of")
    chapter.run("12-small-stem", digits)
    with (chapters.BOOK / "data" / "run_12_stacks.csv").open() as file:
        stored = list(csv.DictReader(file))
    medians = {}
    for row in stored:
        name, seed = row["stack"], int(row["seed"])
        losses = digits["end_of"](name, seed)
        recorded = [float(loss) for loss in row["train_losses"].split()]
        medians[name, seed] = np.median(losses), np.median(recorded)
    return medians


def test_the_stacks_of_six_seeds_end_as_the_file_says(digits, stacks):
    for (name, seed), (repeated, recorded) in stacks.items():
        assert 1 / 4 < repeated / recorded < 4, (name, seed, repeated, recorded)
    for seed in range(6):
        ends = {name: stacks[name, seed][0] for name in digits["TRAINED"]}
        assert ends["near identity"] < ends["plain"] / 2, ends
        assert ends["both"] < min(ends["bypass"], ends["batch norm"]) / 2, ends


def test_the_bypass_alone_learns_sooner_behind_a_small_first_layer(digits, stacks):
    """At the learning rate 0.001, from each of the six seeds."""
    for seed in range(6):
        net = digits["OTHER_CAUSES"]["small first layer"](seed)
        digits["train"](net, *digits["three"], 0.001, 15, seed)
        ended = np.median(digits["final_losses"](net))
        assert stacks["both", seed][0] < ended < stacks["bypass", seed][0] / 2, seed


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
    net = digits["with_new_head"](digits["start"](digits["lenet"](), 0), 5, 0)
    digits["train"](net, X[low], y[low], 0.02, 10, 0)
    few = torch.cat([torch.nonzero(y == d)[:5, 0] for d in range(5, 10)])
    for kind in ("scratch", "fine", "frozen"):
        given = digits["start"](digits["lenet"](), 10) if kind == "scratch" else net
        tuned = digits["with_new_head"](given, 5, 20)
        if kind == "frozen":
            digits["freeze_all_but_head"](tuned)
        digits["train"](tuned, X[few], y[few] - 5, 0.01, 40, 0, 5)
        score = digits["accuracy"](tuned, X_new[high], y_new[high] - 5)
        assert abs(score - stored[kind]) < 0.05, (kind, score, stored[kind])


@pytest.mark.parametrize("step", ["residual", "bottleneck", "7 × 7"])
def test_a_step_to_convnext_ends_as_the_file_says(digits, step):
    """The first seed of three, at the rate that the page chooses."""
    with (chapters.BOOK / "data" / "run_12_blocks.csv").open(encoding="utf-8") as file:
        stored = {
            (row["step"], row["rate"]): float(row["test"])
            for row in csv.DictReader(file)
            if row["seed"] == "0"
        }
    rows, new = digits["train_rows"], digits["test_rows"]
    net = digits["two_blocks"](step, 0)
    X, y = digits["images"], digits["labels"]
    digits["train"](net, X[rows], y[rows], 0.2, 8, 0)
    score = digits["accuracy"](net, X[new], y[new])
    assert abs(score - stored[step, "0.2"]) < 0.05, (step, score, stored)


# Faults that show only after a training.
FAULTS = [
    Fault("lr * (1 - step / steps)", "-lr * (1 - step / steps)", "ascent"),
    Fault("4 * F.avg_pool2d(A, 2)", "F.avg_pool2d(A, 2)", "the mean for the sum"),
    Fault("loss.sum().backward()", "(-loss).sum().backward()", "uphill"),
    Fault("kaiming_normal_", "xavier_normal_", "Xavier for He"),
]

test_checks_catch = catches(chapter, FAULTS)
