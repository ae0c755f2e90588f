"""The layers of chapter 11 on shapes the page does not use, and its checks put to the test."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from tests.chapter_code import ChapterCode, Fault, assert_near, autograd, catches

# A check of a drawing, and what trains on the photograph and is read by no later check.
chapter = ChapterCode("11_convolution", without=r"11-(recover|sharing-check)")
few = settings(deadline=None, max_examples=25)
seeds, sizes, small = st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 3)
sides = st.integers(3, 9)


@few
@given(
    seed=seeds, N=sizes, channels=sizes, O=sizes, H=sides, W=sides, m1=small, m2=small,
    s=small, p=st.integers(0, 2), d=st.integers(1, 2),
)  # fmt: skip
def test_a_layer_equals_conv2d_both_ways(
    book, seed, N, channels, O, H, W, m1, m2, s, p, d
):
    assume(H + 2 * p > d * (m1 - 1) and W + 2 * p > d * (m2 - 1))
    rng = np.random.default_rng(seed)
    shapes = (N, channels, H, W), (O, channels, m1, m2), (O,)
    X, K, b = (rng.normal(size=shape) for shape in shapes)
    dY = rng.normal(size=book["conv"](X, K, b, s, p, d).shape)
    layer = lambda X, K, b: F.conv2d(X, K, b, s, p, d)
    expected, (dX, dK, db) = autograd(layer, X, K, b, upstream=dY)
    for way in ("conv_loops", "conv_windows", "conv", "conv_einsum"):
        assert_near(book[way](X, K, b, s, p, d), expected)
    assert_near(book["input_gradient"](dY, X, K, s, p, d), dX)
    assert_near(book["kernel_gradient"](dY, X, m1, m2, s, p, d), (dK, db))
    M = book["layer_matrix"](K, X, s, p, d)
    assert M.shape == (expected[0].size, X[0].size)
    assert_near((M.T @ dY.reshape(N, -1).T).T.reshape(X.shape), dX)
    assert book["length"](H, m1, s, p, d) == expected.shape[2]
    if s == d == 1 and p == 0:
        assert_near(book["conv_fft"](X, K, b), expected)


@few
@given(seed=seeds, n=st.integers(1, 12), m=st.integers(1, 6))
def test_a_line_equals_numpy(book, seed, n, m):
    assume(m <= n)
    rng = np.random.default_rng(seed)
    x, k = rng.normal(size=n), rng.normal(size=m)
    assert_near(book["correlate_line"](x, k), np.correlate(x, k, "valid"))


@few
@given(n=st.integers(3, 12), m=small, s=small, p=st.integers(0, 3), d=st.integers(1, 2))
def test_taps_are_the_places_that_a_layer_reads(book, n, m, s, p, d):
    assume(n + 2 * p > d * (m - 1))
    positions = F.pad(torch.arange(1.0, n + 1), (p, p))  # 0 in the padding
    taps = book["taps"](n, m, s, p, d)
    windows = positions.unfold(0, d * (m - 1) + 1, s)[:, ::d].double()
    assert_near(np.where((taps >= 0) & (taps < n), taps + 1.0, 0.0), windows)


@few
@given(
    seed=seeds, N=sizes, channels=sizes, H=sides, W=sides, m=small, s=small,
    kind=st.sampled_from(["max", "mean"]),
)  # fmt: skip
def test_pooling_equals_torch_both_ways(book, seed, N, channels, H, W, m, s, kind):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, channels, H, W))
    theirs = {"max": F.max_pool2d, "mean": F.avg_pool2d}[kind]
    ours = book[f"{kind}_pool"](X, m, s)
    dY = rng.normal(size=ours.shape)
    expected, (dX,) = autograd(lambda X: theirs(X, m, s), X, upstream=dY)
    assert_near(ours, expected)
    assert_near(book[f"{kind}_pool_gradient"](dY, X, m, s), dX)


layers = st.lists(
    st.tuples(st.integers(1, 4), st.integers(1, 2), st.integers(1, 2)),
    min_size=1,
    max_size=3,
)


@few
@given(stack=layers)
def test_the_field_is_what_the_gradient_reaches(book, stack):
    x = torch.zeros(1, 1, 90, dtype=torch.float64, requires_grad=True)
    out = x
    for m, s, d in stack:
        out = F.conv1d(out, torch.ones(1, 1, m, dtype=torch.float64), None, s, 0, d)
    out[..., out.shape[-1] // 2].sum().backward()
    reached = np.flatnonzero(x.grad)
    assert np.ptp(reached) + 1 == book["field"](stack)
    cells = book["observed_field"](stack, n=90)
    assert cells.tolist() == reached.tolist()


@few
@given(seed=seeds, N=st.integers(1, 4), size=st.sampled_from([1, 2, 3, 4, 6, 12]))
def test_the_network_equals_torch(book, seed, N, size):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(N, 1, 16, 16)), rng.integers(0, 10, N)
    P = book["initialise"](size, rng)
    net = book["layered"](P, size)
    logits, back = book["conv_net"](P, X, size)
    expected = net(torch.tensor(X))
    assert_near(logits, expected)
    F.cross_entropy(expected, torch.tensor(y)).backward()
    grads = back((softmax(logits, axis=1) - np.eye(10)[y]) / N)
    weights = net[0].weight, net[0].bias, net[4].weight.T, net[4].bias
    for ours, leaf, parameter in zip(grads, weights, "KbVb", strict=True):
        gradient = net[4].weight.grad.T if parameter == "V" else leaf.grad
        assert_near(ours, gradient)


@few
@given(seed=seeds, repetition=st.integers(0, 3))
def test_each_digit_lies_whole_in_its_frame(book, seed, repetition):
    X, y = book["placed"](seed, repetition)
    order = np.random.default_rng(seed).permutation(1797)
    assert np.array_equal(y, book["DIGITS"].y[order])
    assert_near(
        np.sort(X.numpy().reshape(1797, -1), axis=1)[:, -64:],
        np.sort(book["DIGITS"].X[order].astype(np.float32), axis=1),
    )


def test_no_digit_is_in_two_parts(book):
    rows = [np.arange(1797)[part] for part in book["PARTS"].values()]
    assert [len(part) for part in rows] == [800, 300, 697]
    assert np.array_equal(np.concatenate(rows), np.arange(1797))


@few
@given(
    seed=seeds, h=st.integers(1, 4), w=st.integers(1, 4), m=small, s=st.integers(1, 4)
)  # fmt: skip
def test_scattering_and_gathering_are_one(book, seed, h, w, m, s):
    rng = np.random.default_rng(seed)
    dY, K = rng.normal(size=(h, w)), rng.normal(size=(m, m))
    back = F.conv_transpose2d(*(torch.tensor(a)[None, None] for a in (dY, K)), stride=s)
    assert_near(book["scattered"](dY, K, s, h * w), back[0, 0])
    assert_near(book["gathered"](dY, K, s), back[0, 0])


@few
@given(
    seed=seeds, N=sizes, groups=st.integers(1, 3), inner=sizes, outer=sizes,
    m=small, s=small, p=st.integers(0, 2),
)  # fmt: skip
def test_groups_equal_conv2d(book, seed, N, groups, inner, outer, m, s, p):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, groups * inner, 6, 5))
    K, b = (
        rng.normal(size=(groups * outer, inner, m, m)),
        rng.normal(size=groups * outer),
    )
    there = F.conv2d(*map(torch.tensor, (X, K, b)), s, p, groups=groups)
    assert_near(book["grouped_conv"](X, K, b, groups, s, p), there)


@few
@given(seed=seeds, N=sizes, C=sizes, O=sizes, m=small, s=small, p=st.integers(0, 1))
def test_a_separable_layer_is_a_full_one_with_kernels_that_are_products(
    book, seed, N, C, O, m, s, p
):
    rng = np.random.default_rng(seed)
    shapes = (N, C, 6, 7), (C, 1, m, m), (O, C, 1, 1)
    X, D, A = (rng.normal(size=shape) for shape in shapes)
    full = F.conv2d(torch.tensor(X), torch.tensor(A * D[:, 0]), None, s, p)
    assert_near(book["depthwise_separable"](X, D, A, s, p), full)


@few
@given(seed=seeds, N=sizes, C=sizes, s=small, h=small, w=small)
def test_pictures_grow_as_in_torch(book, seed, N, C, s, h, w):
    X = np.random.default_rng(seed).normal(size=(N, C * s**2, h, w))
    T = torch.tensor(X)
    assert_near(book["pixel_shuffle"](X, s), F.pixel_shuffle(T, s))
    assert_near(book["enlarged"](X, s), F.interpolate(T, scale_factor=s))


@few
@given(seed=seeds, N=sizes, C=sizes, O=sizes, m=small, h=small, w=small)
def test_a_patchify_stem_is_a_convolution_with_stride(book, seed, N, C, O, m, h, w):
    rng = np.random.default_rng(seed)
    shapes = (N, C, m * h, m * w), (O, C, m, m), (O,)
    X, K, b = (rng.normal(size=shape) for shape in shapes)
    there = F.conv2d(*map(torch.tensor, (X, K, b)), stride=m)
    assert_near(book["patchify"](X, K.reshape(O, -1).T, b), there)


@few
@given(seed=seeds, C=sizes, T=st.integers(1, 20))
def test_a_long_convolution_sees_the_past_alone(book, seed, C, T):
    rng = np.random.default_rng(seed)
    x, k = rng.normal(size=(2, C, T))
    expected = [np.convolve(x[c], k[c])[:T] for c in range(C)]
    assert_near(book["long_conv"](x, k), np.array(expected))


@few
@given(seed=seeds, N=st.integers(1, 4))
def test_own_kernels_that_are_alike_convolve(book, seed, N):
    layer, generator = (
        book["OwnKernels"]().double(),
        torch.Generator().manual_seed(seed),
    )
    K = torch.randn(16, 1, 5, 5, generator=generator, dtype=torch.float64)
    b = torch.randn(16, generator=generator, dtype=torch.float64)
    layer.weight.data[:], layer.bias.data[:] = K.reshape(16, 25).T, b
    X = torch.randn(N, 1, 16, 16, generator=generator, dtype=torch.float64)
    assert_near(layer(X).detach(), F.conv2d(X, K, b))


WAYS = ("conv_loops", "conv_windows", "conv", "conv_einsum", "conv_fft")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "shape", [(4, 3, 2, 2), (4, 1, 2, 2), (4, 2, 6, 1), (4, 2, 2, 9)], ids=str
)
def test_what_conv2d_refuses_every_way_refuses(book, way, shape):
    X, K, b = np.ones((3, 2, 5, 7)), np.ones(shape), np.ones(4)
    with pytest.raises(RuntimeError):
        F.conv2d(*map(torch.tensor, (X, K, b)))
    with pytest.raises(ValueError, match=r"expected kernels|mismatch|larger than"):
        book[way](X, K, b)


@few
@given(d=st.integers(2, 4), p=st.integers(0, 1), s=small)
def test_the_loops_refuse_a_window_that_is_too_wide_by_its_dilation(book, d, p, s):
    K, fits = np.ones((1, 1, 3, 1)), 2 * d + 1 - 2 * p  # rows
    layer = lambda rows: book["conv_loops"](
        np.ones((1, 1, rows, 9)), K, np.zeros(1), s, p, d
    )
    assert layer(fits).shape[2] == 1
    with pytest.raises(ValueError, match=r"expected kernels within .*got \("):
        layer(fits - 1)


@few
@given(seed=seeds, dtype=st.sampled_from(["uint8", "int64", "bool"]))
def test_whole_numbers_and_an_empty_batch_are_computed_as_by_torch(book, seed, dtype):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 200, size=(2, 3, 5, 4)).astype(dtype)
    K, b = rng.normal(size=(4, 3, 2, 3)), rng.normal(size=4)
    expected = F.conv2d(*map(torch.tensor, (X.astype(float), K, b)))
    for way in WAYS:
        assert_near(book[way](X, K, b), expected)
        assert_near(book[way](X[:0], K, b), expected[:0])


@few
@given(seed=seeds, size=st.sampled_from([2, 3, 4, 6, 12]))
def test_a_network_without_pictures_has_no_logits_and_no_gradients(book, seed, size):
    P = book["initialise"](size, np.random.default_rng(seed))
    logits, back = book["conv_net"](P, np.zeros((0, 1, 16, 16)), size)
    assert logits.shape == (0, 10)
    assert_near(back(logits), [0 * p for p in P])


FAULTS = [
    Fault("K_groups[g], b_groups[g]", "K_groups[0], b_groups[g]", "one kernel for all"),
    Fault("conv(X_groups[g]", "conv(X_groups[0]", "the first group's channels"),
    Fault("np.split(b, groups)", "np.split(b[::-1], groups)", "biases of other groups"),
    Fault("groups=len(D), s=s, p=p)", "groups=len(D), s=s)", "no padding of the pixels"),
    Fault("conv(pixels, A, np", "conv(pixels, A[::-1], np", "output channels reversed"),
    Fault("transpose(0, 1, 4, 2, 5, 3)", "transpose(0, 1, 4, 3, 5, 2)", "a shuffle turned"),
    Fault("X.repeat(s, axis=2)", "X.repeat(2, axis=2)", "resized by 2 whatever s"),
    Fault("transpose(0, 2, 4, 1, 3, 5)", "transpose(0, 2, 4, 1, 5, 3)", "patches turned"),
    Fault("np.fft.rfft(k, 2 * T)", "np.fft.rfft(k, T + T - 2)", "too few waves"),
    Fault("np.fft.irfft(waves, 2 * T)[..., :T]", "np.fft.irfft(waves, 2 * T)[..., T:]",
          "the other half"),
    Fault("y[i] += k[u] * x[i + u]", "y[i] += k[m - 1 - u] * x[i + u]", "a flip"),
    Fault("d * (m - 1) - 1) // s + 1", "d * (m - 1)) // s + 1", "off by one in the size"),
    Fault("(n + 2 * p - d", "(n + p - d", "padding on one side only"),
    Fault("s, p, d)) - p", "s, p, d))", "taps without the padding"),
    Fault("Y[n, o, i, j] = b[o]", "Y[n, o, i, j] = 0 * b[o]", "no bias in the loops"),
    Fault("s * i + d * u, s * j + d * v]", "s * i + d * v, s * j + d * u]", "transposed"),
    Fault("[:, :, ::s, ::s, ::d, ::d]", "[:, :, ::s, ::s]", "windows without dilation"),
    Fault("span = d * (m1 - 1) + 1", "span = d * m1 + 1", "a window too high"),
    Fault('"nohw,nchwuv->ocuv"', '"nohw,nchwvu->ocuv"', "axes of dK"),
    Fault("dY.sum(axis=(0, 2, 3))", "dY.mean(axis=(0, 2, 3))", "mean for sum in db"),
    Fault("dX[:, :, rows, columns] += part", "dX[:, :, rows, columns] = part",
          "the last window only"),
    Fault("dY, K[:, :, u, v])", "dY, K[:, :, -1 - u, -1 - v])", "the flip in dX"),
    Fault("dX[:, :, p : p + H, p : p + W]", "dX[:, :, :H, :W]", "the padding kept"),
    Fault("s * i + d * u - p, s", "s * i + d * u, s", "rows of the padding"),
    Fault("column] = K[:, :, u, v]", "column] = K[:, ::-1, u, v]", "channels"),
    Fault("m, s * j : s * j + m] += K", "m, s * j : s * j + m] = K", "no sum of windows"),
    Fault("apart[::s, ::s] = dY", "apart[: len(dY), : dY.shape[1]] = dY", "no zeros"),
    Fault("(seen * K[::-1, ::-1])", "(seen * K)", "gathered without the turn"),
    Fault("(1, 2, 3))) + b", "(1, 2, 3))) - b", "sign of the bias"),
    Fault("seen.transpose(0, 1, 4, 5, 2, 3)", "seen.transpose(0, 1, 5, 4, 2, 3)", "im2col"),
    Fault('"nchwuv,ocuv->nohw"', '"nchwuv,ocvu->nohw"', "kernel transposed in einsum"),
    Fault("K[..., ::-1, ::-1], size)  # as", "K, size)  # as", "no flip before the FFT"),
    Fault("[:, :, m1 - 1 :, m2 - 1 :]", "[:, :, : 1 - m1 or None, : 1 - m2 or None]",
          "the wrong ends cut off"),
    Fault("m, m, s).mean(axis=(4, 5))", "m, m, s).sum(axis=(4, 5))", "sum for mean"),
    Fault("+= dY / m**2", "+= dY", "no 1/|R| in the backward pass"),
    Fault("largest == m * u + v", "largest == m * v + u", "routed to the wrong cell"),
    Fault("+= wins * dY", "= wins * dY", "overlapping windows forgotten"),
    Fault("return y[0::2]", "return y[0::3]", "stride 3"),
    Fault("np.array([1.0, 2, 1]) / 4)[0::2]", "np.array([1.0, 1, 1]) / 3)[0::2]",
          "a mean for the Gaussian"),
    Fault("r + d * (m - 1) * S, S * s", "r + d * (m - 1) * S * s, S * s", "S too early"),
    Fault("r + d * (m - 1) * S, S * s", "r + d * m * S, S * s", "m for m − 1"),
    Fault("dZ = dA * (Z > 0)", "dZ = dA", "no derivative of ReLU"),
    Fault("Z.permute(1, 2, 0)", "Z.permute(1, 0, 2)", "places as kernels"),
    Fault("else 2 / below", "else 1 / below", "half of He's variance"),
    Fault("range(repetition + 1)", "range(1)", "the same positions again"),
    Fault("min(off) / max", "max(off) / max", "the worst fit"),
    Fault("(net(X[some]), y[some]).backward()", "(-net(X[some]), y[some]).backward()",
          "uphill"),
    Fault("frame[i : i + 8, j : j + 8] = D", "frame[:8, :8] = D", "digits in the corner"),
    Fault("nn.Parameter(V.T.contiguous())", "nn.Parameter(-V.T)", "sign of the copied V"),
    Fault("B[..., ::-1, ::-1] if turned", "B[..., ::-1, :] if turned", "half a turn"),
]  # fmt: skip

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """The layer forward and backward, and pooling; and the loops by the best of ours."""
    rng = np.random.default_rng(0)
    shapes = (4, 8, 20, 20), (16, 8, 3, 3), (16,)
    X, K, b = (rng.normal(size=shape).astype(np.float32) for shape in shapes)
    X_t, K_t, b_t = map(torch.tensor, (X, K, b))
    ours = lambda: scope["conv"](X, K, b)
    yield "convolution, im2col", ours, lambda: F.conv2d(X_t, K_t, b_t)
    yield "the loops by im2col", lambda: scope["conv_loops"](X[:1], K, b), ours
    dY = rng.normal(size=(4, 16, 18, 18)).astype(np.float32)
    dY_t = torch.tensor(dY)
    back = lambda: torch.nn.grad.conv2d_input(X_t.shape, K_t, dY_t)
    yield "gradient by the input", lambda: scope["input_gradient"](dY, X, K), back
    pooled = lambda: F.max_pool2d(X_t, 2)
    yield "max pooling", lambda: scope["max_pool"](X, 2, 2), pooled
