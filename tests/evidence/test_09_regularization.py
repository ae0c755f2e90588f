"""The strengths of chapter 9's remedies, searched on draws that the page does not use."""

import numpy as np
import pytest

from tests.chapter_code import ChapterCode

chapter = ChapterCode("09_regularization")
LADDERS = {
    "noise": (0.3, 0.4, 0.6, 0.8, 1.2),
    "decay": (0.003, 0.01, 0.02, 0.03, 0.1),
    "drop": (0.2, 0.5, 0.8, 0.9),
    "smooth": (0.1, 0.3, 0.6, 0.9),
}
PAGE = {"noise": 0.6, "decay": 0.02, "drop": 0.2, "smooth": 0.1}


@pytest.fixture(scope="module")
def book():
    return chapter.namespace()


@pytest.fixture(scope="module")
def cuts(book):
    """Test errors (20,) at the lowest validation loss, of each remedy and strength."""
    draws = [book["noisy_digits"](seed) for seed in range(20, 40)]
    cut = lambda **how: book["stopped_error"](book["train_each"](draws, **how))
    found = {
        (word, strength): cut(**{word: strength})
        for word, ladder in LADDERS.items()
        for strength in ladder
    }
    return found | {("none", 0): cut()}


def test_noise_has_its_best_strength_inside_its_ladder(cuts):
    errors = {strength: cuts["noise", strength].mean() for strength in LADDERS["noise"]}
    assert min(errors, key=errors.get) == PAGE["noise"], errors
    assert min(LADDERS["noise"]) < PAGE["noise"] < max(LADDERS["noise"])


def test_noise_beats_each_rival_at_each_of_its_strengths(cuts):
    for key, errors in cuts.items():
        if key[0] != "noise":
            gain = errors - cuts["noise", PAGE["noise"]]
            assert gain.mean() > 3 * gain.std(ddof=1) / len(gain) ** 0.5, key


@pytest.mark.parametrize("lr, steps", [(0.25, 2000), (1.0, 1000)])
def test_it_is_not_the_rate(book, lr, steps):
    draws = [book["noisy_digits"](seed) for seed in range(50, 60)]
    cut = lambda **how: book["stopped_error"](
        book["train_each"](draws, lr=lr, steps=steps, **how)
    )
    noisy = cut(noise=PAGE["noise"])
    for how in ({}, *({word: PAGE[word]} for word in ("decay", "drop", "smooth"))):
        gain = cut(**how) - noisy
        error = gain.std(ddof=1) / len(gain) ** 0.5
        assert np.isfinite(error) and gain.mean() > 2 * error, how


@pytest.mark.parametrize("seed", range(3))
def test_networks_that_learn_ten_examples_late_or_never(book, seed):
    chapter.define("09-clinic-run", book, "FIXES", "settings_of")

    def accuracy(name, steps):
        settings = book["settings_of"](name, "none")
        return book["chart_training"](seed, n=10, steps=steps, **settings)[1][-1, 0]

    assert accuracy("D", 200) < 1 and accuracy("D", 1000) == 1
    assert accuracy("A", 1000) < 1 and accuracy("A", 30_000) == 1
    assert accuracy("B", 5000) < 1 and accuracy("F", 20_000) < 1
