"""What chapter 7 tells of other first weights, other starts, other splits and more patience."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from sklearn.neural_network import MLPRegressor

from tests.chapter_code import ChapterCode

chapter = ChapterCode("07_mlp")


@pytest.fixture(scope="module")
def book():
    scope = dict(chapter.namespace())
    for cell in ("crease-define", "clouds", "descend", "accuracy", "train"):
        chapter.run(f"07-{cell}", scope)
    chapter.define("07-starts", scope, "X_few", "many_starts")
    chapter.define("07-bumps-widget", scope, "SINE", "FINE")
    return scope


@pytest.fixture(scope="module")
def failed(book):
    """Share of 400 starts that fail, by the size of the first weights and by units."""
    usual, share = book["start"], {}
    for size in (0.5, 1, 3):
        book["start"] = lambda *args, size=size: [size * p for p in usual(*args)]
        for H in (2, 3, 6):
            losses = book["many_starts"](H, 2.0)
            right = [book["accuracy"](t, book["X_new"], book["Y_new"]) for t in losses]
            share[size, H] = np.mean(np.array(right) <= 0.99)
    book["start"] = usual
    return share


@pytest.mark.parametrize("size", [0.5, 1, 3])
def test_spare_units_help_whatever_the_size_of_the_first_weights(failed, size):
    assert failed[size, 2] > failed[size, 3] + 0.05, failed
    assert failed[size, 3] > failed[size, 6], failed


@pytest.mark.parametrize("H", [2, 3])
def test_larger_first_weights_fail_more_often(failed, H):
    assert failed[0.5, H] < failed[1, H] < failed[3, H], failed


def test_smooth_units_come_closer_from_forty_starts_too(book):
    X, f = np.linspace(-1, 1, 201)[:, None], book["SINE"]
    worst = {}
    for curve in ("logistic", "tanh", "relu"):
        for seed in range(40):
            net = MLPRegressor(
                hidden_layer_sizes=(8,), activation=curve, solver="lbfgs", alpha=0,
                max_iter=3000, tol=1e-9, random_state=seed,
            ).fit(X, f(X[:, 0]))  # fmt: skip
            errors = net.predict(book["FINE"][:, None]) - f(book["FINE"])
            worst.setdefault(curve, []).append(np.abs(errors).max())
    assert max(worst["logistic"] + worst["tanh"]) < min(worst["relu"]), worst


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
