"""The rates of chapter 6, searched, and what it tells of other networks and of patience."""

import numpy as np
import pytest

from tests.chapter_code import Chapter

chapter = Chapter("06_activations")


@pytest.fixture(scope="module")
def book():
    scope = dict(chapter.namespace())
    chapter.run("e79a5ef9", scope)  # the digits
    chapter.define("7970668b", scope, "attempt")
    chapter.define("d385931e", scope, "deep_attempt")
    chapter.define("0506c54e", scope, "FITS")
    return scope


@pytest.mark.parametrize("name", ["γ fixed", "γ learned"])
def test_the_rate_of_the_page_is_the_best_of_three(book, name):
    """On validation digits, a factor of two apart; the learned γ diverges at 1."""
    f, page, theta = book["FITS"][name]
    losses = {}
    for lr in (page / 2, page, 2 * page):
        runs = [book["attempt"](f, lr, k, **theta) for k in range(5, 10)]
        losses[lr] = np.mean([validation for _, _, validation in runs])
        if name == "γ learned" and lr == 1:
            assert not all(training[-1] < 10 for _, training, _ in runs)
    assert min(losses, key=losses.get) == page, losses


def test_after_180_epochs_the_gap_is_within_the_spread(book):
    late = {
        name: [
            book["attempt"](book["ACTIVATIONS"][name], lr, k, epochs=180)[2]
            for k in range(6)
        ]
        for name, lr in (("logistic", 2), ("ReLU", 1))
    }
    gap = np.mean(late["logistic"]) - np.mean(late["ReLU"])
    assert gap < np.std(late["logistic"], ddof=1), late


@pytest.mark.parametrize("lr", [1 / 8, 1, 8, 64])
def test_wide_logistic_layers_stay_at_guessing_too(book, lr):
    found = np.array([book["deep_attempt"](1, 64, lr, k) for k in range(3)])
    assert found[:, 0].min() > 0.69 and found[:, 1].max() < 0.52, found


def test_another_scale_or_another_curve_learns(book):
    for s, H, name in ((4, 64, "logistic"), (1, 16, "tanh"), (1, 16, "ReLU")):
        f = book["ACTIVATIONS"][name]
        found = np.array([book["deep_attempt"](s, H, 1, k, f) for k in range(3)])
        assert found[:, 1].min() > 0.9, (s, H, name, found)


def test_at_a_scale_of_4_a_small_rate_does_not_learn(book):
    small = [book["deep_attempt"](4, 16, 1 / 64, k)[1] for k in range(3)]
    large = [book["deep_attempt"](4, 16, 1, k)[1] for k in range(10)]
    assert max(small) < 0.52 and min(large) > 0.9, (small, large)


@pytest.mark.parametrize("lr", [2, 2.5, 3])
def test_a_leak_widens_the_range_of_rates(book, lr):
    """Median final loss of eight starts, with the leak and without."""
    chapter.define("419c5c7a", book, "life")
    plain, leaky = (
        np.median([book["life"](gamma, lr, seed)[0][-1] for seed in range(8)])
        for gamma in (0.0, 0.1)
    )
    assert leaky < plain / 3, (plain, leaky)
