"""The rates of chapter 12, searched beside their neighbours: races and deep stacks."""

import numpy as np
import pytest

from tests.chapter_code import Chapter, Fault, catches
from tests.chapters.test_12_cnn import with_digits

chapter = Chapter("12_cnn")
GRID = 0.3, 1, 3  # times the rate of the page, which stands in the middle
RACERS = "LeNet", "AlexNet", "VGG", "NiN", "GoogLeNet", "ResNet", "DenseNet"


@pytest.fixture(scope="module")
def digits(book):
    return with_digits(book)


def test_all_who_race_are_searched(book):
    assert set(RACERS) == {*book["RATES_OF"]}


@pytest.mark.parametrize("name", RACERS)
def test_no_neighbour_of_a_rate_of_the_race_is_better(digits, name):
    rate = digits["RATES_OF"][name]
    found = [digits["one_run"](name, f * rate, seed=0)[0] for f in GRID]
    best, chosen = max(found), found[1]
    p = (best + chosen) / 2
    error = (2 * p * (1 - p) / len(digits["val_rows"])) ** 0.5  # of their difference
    assert best - chosen <= 2 * error, found


@pytest.mark.parametrize(
    ("depth", "i"), [(12, i) for i in range(6)] + [(24, i) for i in range(3)]
)
def test_no_rate_of_the_grid_is_faster(digits, depth, i):
    rows = digits["train_rows"]
    three = digits["images"][rows], digits["labels"][rows, None].expand(-1, 3)

    def epochs(factor):
        net, rate = digits["stack"](depth, *digits["FLAGS"][i]), digits["RATES"][i]
        losses = digits["train"](net, *three, factor * rate, 14, 0, goal=0.3)
        return np.median((np.minimum.accumulate(losses) >= 0.3).sum(axis=0)) + 1

    low, high = epochs(GRID[0]), epochs(GRID[2])
    if depth == 12:
        assert epochs(1) <= min(low, high) + 2
    else:  # the page: with its rate not within 14; nor with the neighbours
        assert min(low, high) == 15


# Faults that show only after a training.
FAULTS = [
    Fault("lr * (1 - step / steps)", "-lr * (1 - step / steps)", "ascent"),
    Fault("4 * F.avg_pool2d(A, 2)", "F.avg_pool2d(A, 2)", "the mean for the sum"),
    Fault("loss.sum().backward()", "(-loss).sum().backward()", "uphill"),
    Fault("kaiming_normal_", "xavier_normal_", "Xavier for He"),
    Fault("3, 1, 1, groups=copies)", "3, 1, 1)", "copies that see each other"),
]

test_checks_catch = catches(chapter, FAULTS)
