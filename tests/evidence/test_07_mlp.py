"""What chapter 7 tells of other initial weights, other seeds, other splits and more patience."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from tests.chapter_code import ChapterCode

chapter = ChapterCode("07_mlp")


@pytest.fixture(scope="module")
def book():
    scope = dict(chapter.namespace())
    chapter.run("07-train", scope)
    chapter.define("07-same", scope, "X_few", "Y_few")
    chapter.define("07-starts", scope, "many_runs")
    chapter.define("07-bumps-widget", scope, "SINE", "FINE")
    chapter.define("07-bumps-check", scope, "largest_error")
    chapter.define("07-smooth-run", scope, "AIMS", "trained_error")
    chapter.define("07-digits-run", scope, "digits")
    chapter.run("07-features", scope)
    return scope


def share_that_fails(book, H, **settings):
    runs = book["many_runs"](H, **settings)
    right = [book["accuracy"](theta, book["X_new"], book["Y_new"]) for theta in runs]
    return np.mean(np.array(right) <= 0.99)


@pytest.mark.parametrize("first_seed", [1000, 2000])
def test_spare_units_fail_less_with_other_seeds(book, first_seed):
    two, three, six = (
        share_that_fails(book, H, first_seed=first_seed) for H in (2, 3, 6)
    )
    assert two > 0.2 and two > three + 0.05 and three > six and six < 0.02


@pytest.mark.parametrize(("units", "closer"), [(4, 10), (8, 2), (16, 0), (32, 0)])
def test_trained_relu_is_farther_than_built_from_forty_seeds(book, units, closer):
    built = book["largest_error"](book["SINE"], units, "ReLU")
    relu = [book["trained_error"](units, "relu", seed) for seed in range(100, 140)]
    assert np.sum(np.array(relu) < built) <= closer, (min(relu), built)


@pytest.mark.parametrize("units", [4, 8])
def test_trained_tanh_is_closer_than_built_from_forty_seeds(book, units):
    built = book["largest_error"](book["SINE"], units, "ReLU")
    tanh = [book["trained_error"](units, "tanh", seed) for seed in range(40)]
    assert max(tanh) < built, (max(tanh), built)


@pytest.mark.parametrize("seed", range(5, 10))
def test_digits_are_learned_with_other_seeds(book, seed):
    rng, digits = np.random.default_rng(seed), book["digits"]
    order = rng.permutation(1797)
    train, test = order[:1000], order[1297:]
    theta = book["he_initialise"](64, 32, 10, rng)
    more = {"lr": 0.1, "epochs": 60, "batch": 32, "rng": rng}
    theta = book["train"](theta, digits.X[train], np.eye(10)[digits.y[train]], **more)[
        -1
    ]
    assert np.mean(book["classify"](theta, digits.X[test]) == digits.y[test]) > 0.94


@pytest.mark.parametrize("seed", range(5, 10))
def test_random_labels_are_fitted_with_other_seeds(book, seed):
    rng, digits = np.random.default_rng(seed), book["digits"]
    order = rng.permutation(1797)
    train, test = order[:300], order[300:]
    true, random = digits.y[train], rng.integers(10, size=300)
    for labels in (true, random):
        theta = book["he_initialise"](64, 256, 10, rng)
        more = {"lr": 0.2, "epochs": 300, "batch": 30, "rng": rng}
        theta = book["train"](theta, digits.X[train], np.eye(10)[labels], **more)[-1]
        assert (book["classify"](theta, digits.X[train]) == labels).all()
        new = np.mean(book["classify"](theta, digits.X[test]) == digits.y[test])
        assert new > 0.9 if labels is true else abs(new - 0.1) < 0.08


@pytest.mark.parametrize("lr", [0.003, 0.01])
def test_adam_does_not_find_five_folds_either(book, lr):
    x = torch.tensor(book["DYADIC"][::16])
    target = book["relu_net"](x.numpy(), *book["sawtooth_network"](5))
    y = torch.tensor(target)[:, None]
    widths = [1, *[8] * 5]
    for seed in range(2):
        torch.manual_seed(seed)
        layers = []
        for D, H in pairwise(widths):
            layers += [torch.nn.Linear(D, H), torch.nn.ReLU()]
        net = torch.nn.Sequential(*layers, torch.nn.Linear(8, 1)).double()
        adam = torch.optim.Adam(net.parameters(), lr)
        for _ in range(6000):
            loss = ((net(x[:, None]) - y) ** 2).mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
        assert loss.item() / target.var() > 0.8, (lr, seed, loss.item())


def test_the_order_of_features_holds_on_other_splits(book):
    rates = 0.003, 0.01, 0.03, 0.1, 0.3
    kinds = [(0, False), (16, False), (256, False), (16, True)]
    right = np.array(
        [
            [
                max(book["odd_or_even"](H, learn, lr, seed) for lr in rates)[1]
                for H, learn in kinds
            ]
            for seed in range(3, 6)
        ]
    )
    pixels, few, many, learned = right.T
    assert (few < pixels).all() and (pixels < many).all() and (pixels < learned).all()
    assert abs(np.mean(learned - many)) < 0.02, right
