"""The networks of chapter 12 on shapes that the page does not use, and faults to be caught."""

import gzip
import hashlib
from functools import partial
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tests.chapter_code import ChapterCode, Fault, catches
from tests.chapters.inputs import with_digits
from utils import downloads

# What trains costs most; evidence looks for the faults that need it.
TRAINS = "noise-(run|checked)|shares-(run|claim)"
TRAINS += "|fine-(run|check)|breaks-(run|claim|check)|ex4-code|depth-data|race-(data|table|check)"
TRAINS += "|depths-(checked|goal|drawn|labels|twelve)|rates-check|steps-(read|check)"
chapter = ChapterCode("12_cnn", without=rf"12-({TRAINS})$")
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=20, deadline=None)


@few
@given(seeds, st.integers(3, 6), st.integers(1, 4), st.integers(2, 5), st.booleans())
def test_normalisation_is_torchs(book, seed, N, C, size, maps):
    rng = np.random.default_rng(seed)
    shape, axes = ((N, C, size, 3), (0, 2, 3)) if maps else ((N, C), 0)
    flat = (1, C, 1, 1) if maps else (1, C)
    layer = (nn.BatchNorm2d if maps else nn.BatchNorm1d)(C, dtype=torch.float64)
    gamma, beta = rng.normal(size=flat), rng.normal(size=flat)
    layer.weight.data, layer.bias.data = (
        torch.tensor(v.ravel()) for v in (gamma, beta)
    )
    ours = book["BatchNorm"](gamma, beta, axes)
    X, dY = 1 + 2 * rng.normal(size=shape), rng.normal(size=shape)
    X_t = torch.tensor(X, requires_grad=True)
    Y_t = layer(X_t)
    np.testing.assert_allclose(ours(X, True), Y_t.detach(), rtol=1e-8, atol=1e-9)
    Y_t.backward(torch.tensor(dY))
    _, X_hat, _, var = book["norm_forward"](X, gamma, beta, axes)
    dX, dgamma, dbeta = book["norm_backward"](dY, X_hat, var, gamma, axes)
    np.testing.assert_allclose(dX, X_t.grad, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(dgamma.ravel(), layer.weight.grad, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(dbeta.ravel(), layer.bias.grad, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(ours.var.ravel(), layer.running_var, rtol=1e-9)
    np.testing.assert_allclose(ours(X, False), layer.eval()(torch.tensor(X)).detach())


@few
@given(
    st.integers(1, 4), st.integers(1, 5), st.integers(1, 5), st.integers(1, 3),
    st.integers(0, 2), st.integers(7, 12), st.booleans(),
)  # fmt: skip
def test_costs_of_a_convolution_are_torchs(book, C, out, k, stride, pad, size, bias):
    layer = nn.Conv2d(C, out, k, stride, pad, bias=bias)
    shape, params, work = book["cost"](layer, (C, size, size + 2))
    real = layer(torch.zeros(1, C, size, size + 2)).shape[1:]
    assert shape == tuple(real)
    assert (params, work) == book["by_torch"](layer, (C, size, size + 2))


@few
@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3), st.integers(4, 9))
def test_blocks_have_the_channels_that_they_say(book, c, n, growth, size):
    dense, wide = n + 1 + n * growth, n + n + 3 + growth
    net = nn.Sequential(
        book["vgg_block"](c, n, 2),
        book["nin_block"](n, n + 1, 3, padding=1),
        book["DenseBlock"](n + 1, growth, n),
        book["Inception"](dense, n, (2, n), (1, 3), growth),
        book["resnet_module"](wide, n, stride=2, count=2),
        book["transition"](n, 2),
        book["global_mean"](),
    )
    X = torch.rand(2, c, 4 * size, 4 * size)
    assert net(X).shape == (2, 2)


@few
@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3))
def test_receptive_field_of_a_stack(book, k, n, stride):
    net = nn.Sequential(*(nn.Conv2d(1, 1, k, stride, bias=False) for _ in range(n)))
    width, apart = book["receptive_field"](nn.Sequential(net))
    assert apart == stride**n
    assert net(torch.zeros(1, 1, width, width)).shape[2:] == (1, 1)
    if width > 1:
        with pytest.raises(RuntimeError):
            net(torch.zeros(1, 1, width - 1, width - 1))


def test_full_size_path_reads_files_and_trains(book, tmp_path):
    rng, sums = np.random.default_rng(0), {}
    for part, n in (("train", 60), ("t10k", 20)):
        y = np.arange(n, dtype=np.uint8) % 10
        X = rng.integers(0, 40, size=(n, 28, 28)).astype(np.uint8)
        for image, digit in zip(X, y, strict=True):
            image[2 * digit : 2 * digit + 4] = 255  # a bar whose height is the class
        for kind, a in (("images-idx3", X), ("labels-idx1", y)):
            head = bytes([0, 0, 8, a.ndim]) + np.array(a.shape, ">i4").tobytes()
            file, packed = f"{part}-{kind}-ubyte.gz", gzip.compress(head + a.tobytes())
            sums[file] = hashlib.sha256(packed).hexdigest()
            for name in (
                "mnist",
                "fashion-mnist",
            ):  # as if they had been fetched before
                (tmp_path / name).mkdir(exist_ok=True)
                (tmp_path / name / file).write_bytes(packed)
    options = {"checksums": sums, "cache": tmp_path}
    for load in (downloads.load_mnist, downloads.load_fashion_mnist):
        assert book["on_full_size"](partial(load, **options), epochs=20) > 0.5


def test_the_rate_of_lenet_is_the_best_of_its_grid_after_one_epoch(book):
    """Evidence looks at the rates of all who race, over their sixteen epochs."""
    names = with_digits(chapter, book)
    rows, held_out = names["train_rows"], names["val_rows"]
    scores = []
    for rate in (0.006, 0.02, 0.2):
        net = names["initialise"](names["lenet"](), 0)
        names["train"](net, names["images"][rows], names["labels"][rows], rate, 1, 0)
        X, y = names["images"][held_out], names["labels"][held_out]
        scores.append(names["accuracy"](net, X, y))
    assert scores[1] > max(scores[0], scores[2]) + 0.02, scores


def test_no_race_of_the_file_has_its_best_rate_at_the_edge(book):
    book = with_digits(chapter, book)
    for name, epochs in product(book["SMALL"], (16, 48)):
        rows = [r for r in book["RACES"] if r["network"] == name]
        rates = {float(r["rate"]) for r in rows if r["epochs"] == str(epochs)}
        best = book["race_rate"](name, epochs)
        assert min(rates) < best < max(rates), (name, epochs, best)


def test_no_stack_of_the_file_has_its_best_rate_at_the_edge(book):
    book = with_digits(chapter, book)
    for epochs, *variant in product((15, 60), (0, 1), (0, 1), (0, 1)):
        rates = {float(r["rate"]) for r in book["trainings_of"](*variant, epochs)}
        best, losses = book["at_best_rate"](*variant, epochs)
        assert min(rates) < best < max(rates), (epochs, variant, best)
        assert len(losses) == 3


@few
@given(seeds, st.integers(1, 4), st.booleans(), st.integers(0, 1))
def test_a_mean_of_fewer_than_two_values_is_refused(book, seed, C, maps, N):
    flat, axes = ((1, C, 1, 1), (0, 2, 3)) if maps else ((1, C), 0)
    ours = book["BatchNorm"](np.ones(flat), np.zeros(flat), axes)
    X = np.random.default_rng(seed).normal(size=(N, *flat[1:]))
    if N == 1:
        layer = (nn.BatchNorm2d if maps else nn.BatchNorm1d)(C, dtype=torch.float64)
        with pytest.raises(ValueError, match="more than 1 value"):
            layer(torch.tensor(X))
    with pytest.raises(ValueError, match=f"expected two or more .*got {N}"):
        ours(X, True)
    np.testing.assert_array_equal(ours(X, False), X / np.sqrt(1 + 1e-5))  # unmoved


FAULTS = [
    Fault("optimiser.step()\n            total", "pass\n            total", "no step is taken"),
    Fault("4 * F.avg_pool2d(A, 2)", "F.avg_pool2d(A, 2)", "the mean for the sum"),
    Fault("range(i, i + 4)", "range(i, i + 5)", "a wrong connection table"),
    Fault("[0, 2, 3, 5], [0", "[0, 1, 3, 4], [0", "two maps alike"),
    Fault("(n + 2 * p - k) // s + 1", "(n + p - k) // s + 1", "padding on one side"),
    Fault("(k * k * C + bias) * C_out", "k * k * C * C_out", "no bias counted"),
    Fault("(C + 1) * out, C", "C * out, C", "no dense bias"),
    Fault("C_out * size[0] * size[1]", "C_out", "work without the places"),
    Fault("return shape, 2 * C, 0", "return shape, C, 0", "γ and β as one"),
    Fault("get_total_flops() // 2", "get_total_flops()", "adds counted beside multiplies"),
    Fault("nn.Linear(4096, 10),", "nn.Linear(4096, 10, bias=False),", "no last bias"),
    Fault("reduced5, five, 5, padding=2", "reduced5, five, 3, padding=1", "5 × 5 as 3 × 3"),
    Fault("for path in self.paths]", "for path in self.paths[:3]]", "a path lost"),
    Fault("self.bypass(A) + self.change(A))", "self.change(A))", "no bypass"),
    Fault("torch.cat([A, step(A)], dim=1)", "torch.cat([step(A), A], dim=1)", "order"),
    Fault("same = c == out and stride == 1", "same = False", "always 1 × 1"),
    Fault("nn.Conv2d(c, out, 1, stride)", "nn.Conv2d(c, out, 3, stride, 1)", "a wide bypass"),
    Fault("(count - 1):\n        blocks", "(count):\n        blocks", "a block too many"),
    Fault("width + (k - 1) * apart", "width + k * apart", "field too wide"),
    Fault("apart * stride", "apart + stride", "strides added"),
    Fault("((X - mu) ** 2).mean", "((X - mu) ** 2).sum", "sum for mean"),
    Fault("np.sqrt(var + eps)\n    return", "(var + eps)\n    return", "no root"),
    Fault("- X_hat * dgamma / m", "", "the stretch not taken out"),
    Fault("dY - dbeta / m", "dY", "the mean not taken out"),
    Fault("(dY * X_hat).sum", "(dY + X_hat).sum", "dγ"),
    Fault("add * var * m / (m - 1)", "add * var", "the biased variance stored"),
    Fault("keep * self.mean + add * mu", "add * self.mean + keep * mu", "momentum turned"),
    Fault("if not training:", "if training:", "modes exchanged"),
    Fault("return np.inf, apart", "return width, apart", "a head that hears no more"),
    Fault("one + 0.1 * layer.weight", "0.1 * layer.weight", "no identity"),
    Fault("F.relu(A + self.change(A))", "F.relu(self.change(A))", "a pair without its bypass"),
    Fault("F.layer_norm(X, X.shape[1:])", "F.layer_norm(X, X.shape[2:])", "a mean for each map"),
    Fault("one + 0.1 * layer.weight", "one + 0.3 * layer.weight", "three tenths"),
    Fault("F.relu(A + self.change(A))", "A + F.relu(self.change(A))", "a ReLU too early"),
    Fault("nn.LayerNorm(c)", "nn.Identity()", "pixels not normalised"),
    Fault("groups=c // 8", "groups=c // 4", "twice the groups"),
    Fault("kernel_first(c, 7)", "kernel_first(c, 5)", "a kernel of 5 × 5"),
    Fault("padding=3, groups=c)", "padding=3)", "not depthwise"),
    Fault("k // 2, groups=groups", "k // 2", "a bottleneck without its groups"),
]  # fmt: skip

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """Batch normalisation of maps, forward and backward."""
    rng = np.random.default_rng(0)
    X, dY = rng.normal(size=(32, 16, 14, 14)), rng.normal(size=(32, 16, 14, 14))
    gamma, beta, axes = np.ones((1, 16, 1, 1)), np.zeros((1, 16, 1, 1)), (0, 2, 3)
    layer = nn.BatchNorm2d(16, dtype=torch.float64)
    X_t, dY_t = torch.tensor(X, requires_grad=True), torch.tensor(dY)

    def ours():
        _, X_hat, _, var = scope["norm_forward"](X, gamma, beta, axes)
        scope["norm_backward"](dY, X_hat, var, gamma, axes)

    yield "batch normalisation, both ways", ours, lambda: layer(X_t).backward(dY_t)
