"""The functions of chapter 14 on shapes the page does not use, and its checks put to the test."""

import numpy as np
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tests.chapter_code import ChapterCode, Fault, assert_near, autograd, catches

# What counts the characters of the text is read by slow checks alone.
chapter = ChapterCode(
    "14_rnn", without=r"14-(counts-run|counts-check|cut-run|now-time)$"
)
few = settings(deadline=None, max_examples=25)
seeds, sizes = st.integers(0, 2**32 - 1), st.integers(1, 4)
steps = st.integers(1, 7)


def drawn(seed, T, N, D, H):
    rng = np.random.default_rng(seed)
    shapes = (T, N, D), (N, H), (D, H), (H, H), (H,)
    return rng, [rng.normal(size=shape) for shape in shapes]


def unrolled(X, h, W_x, W_h, b, f=torch.tanh):
    out = []
    for X_t in X:
        h = f(X_t @ W_x + h @ W_h + b)
        out.append(h)
    return torch.stack(out)


@few
@given(
    seed=seeds,
    T=steps,
    N=sizes,
    D=sizes,
    H=sizes,
    activation=st.sampled_from(["tanh", "linear"]),
)
def test_the_network_equals_torch_both_ways(book, seed, T, N, D, H, activation):
    rng, arrays = drawn(seed, T, N, D, H)
    X, h_0, W_x, W_h, b = arrays
    f = torch.tanh if activation == "tanh" else lambda z: z
    G = rng.normal(size=(T, N, H))
    outputs, grads = autograd(lambda *a: unrolled(*a, f), *arrays, upstream=G)
    states = book["rnn_forward"](X, h_0, W_x, W_h, b, activation)
    assert_near(states[1:], outputs, rtol=1e-7)
    back = book["rnn_backward"](G, X, states, W_x, W_h, activation)
    assert_near(back, grads, rtol=1e-6, atol=1e-8)
    by_sum = book["double_sum"](G, X, states, W_x, W_h, activation=activation)
    assert_near(by_sum, grads[2:], rtol=1e-6, atol=1e-8)


@few
@given(seed=seeds, T=steps, N=sizes, D=sizes, H=sizes)
def test_states_equal_those_of_the_library(book, seed, T, N, D, H):
    _, (X, h_0, W_x, W_h, b) = drawn(seed, T, N, D, H)
    rnn = nn.RNN(D, H).double()
    rnn.weight_ih_l0.data, rnn.weight_hh_l0.data = (
        torch.tensor(W_x.T),
        torch.tensor(W_h.T),
    )
    rnn.bias_ih_l0.data, rnn.bias_hh_l0.data = torch.tensor(b), torch.zeros(H).double()
    expected, _ = rnn(torch.tensor(X), torch.tensor(h_0)[None])
    assert_near(book["rnn_forward"](X, h_0, W_x, W_h, b)[1:], expected)


@few
@given(seed=seeds, T=steps, N=sizes, D=sizes, H=sizes, K=st.integers(1, 7))
def test_the_truncated_sum_detaches_what_lies_before(book, seed, T, N, D, H, K):
    rng, (X, h_0, W_x, W_h, b) = drawn(seed, T, N, D, H)
    states = book["rnn_forward"](X, h_0, W_x, W_h, b)
    G = rng.normal(size=(T, N, H))
    expected = [np.zeros_like(p) for p in (W_x, W_h, b)]
    for t in range(T):  # each loss by itself, from a state that counts as given
        start = max(0, t + 1 - K)
        inputs = torch.tensor(X[start : t + 1]), torch.tensor(states[start])
        last = lambda *P, inputs=inputs: unrolled(*inputs, *P)[-1]
        _, slopes = autograd(last, W_x, W_h, b, upstream=G[t])
        expected = [total + d for total, d in zip(expected, slopes, strict=True)]
    sums = book["double_sum"](G, X, states, W_x, W_h, K)
    assert_near(sums, expected, rtol=1e-7, atol=1e-9)


@few
@given(seed=seeds, T=steps, D=sizes, H=sizes)
def test_forward_mode_equals_reverse_mode(book, seed, T, D, H):
    rng, (X, h_0, W_x, W_h, b) = drawn(seed, T, 1, D, H)
    states, G = book["rnn_forward"](X, h_0, W_x, W_h, b), rng.normal(size=(T, 1, H))
    back = book["rnn_backward"](G, X, states, W_x, W_h)[2:]
    shares = list(book["rtrl"](G[:, 0], X[:, 0], h_0[0], W_x, W_h, b))
    assert len(shares) == T
    for i, grad in enumerate(back):
        assert_near(sum(s[i] for s in shares).reshape(grad.shape), grad, rtol=1e-7)


@few
@given(seed=seeds, T=st.integers(2, 7), H=sizes)
def test_the_product_of_jacobians_equals_autograd(book, seed, T, H):
    _, (X, h_0, W_x, W_h, b) = drawn(seed, T, 1, 2, H)
    states = book["rnn_forward"](X, h_0, W_x, W_h, b)[:, 0]

    def last(Z):
        for X_t in torch.tensor(X[1:, 0]):
            Z = X_t @ torch.tensor(W_x) + Z.tanh() @ torch.tensor(W_h) + torch.tensor(b)
        return Z

    Z_1 = torch.tensor(X[0, 0] @ W_x + h_0[0] @ W_h + b)
    expected = torch.autograd.functional.jacobian(last, Z_1)
    product_of = book["jacobian_product"](states, W_h, T, 1)
    assert_near(product_of, expected, rtol=1e-5, atol=1e-8)


@few
@given(seed=seeds, T=st.integers(4, 9), D=sizes, H=sizes, K=st.integers(0, 3))
def test_a_delay_layer_equals_a_convolution(book, seed, T, D, H, K):
    rng = np.random.default_rng(seed)
    X, W, b = (rng.normal(size=s) for s in ((T, D), (K + 1, D, H), H))
    kernel = torch.tensor(W[::-1].copy()).permute(2, 1, 0)
    expected = F.conv1d(torch.tensor(X.T)[None], kernel, torch.tensor(b)).tanh()[0].T
    assert_near(book["delay_layer"](X, W, b), expected)


@few
@given(n=st.integers(12, 20), K=st.integers(0, 4), K_x=st.integers(-1, 3))
def test_rows_hold_what_was_before(book, n, K, K_x):
    y, x = np.arange(n) + 0.5, np.arange(n) + 100.0
    for t, row in enumerate(book["lagged"](y, K, x, K_x, first=6), 6):
        past = [y[t - k] for k in range(1, K + 1)]
        assert row.tolist() == [1.0, *past, *(x[t - k] for k in range(K_x + 1))]


@few
@given(
    seed=seeds,
    threshold=st.floats(0.01, 100) | st.sampled_from([0.0, np.inf]),
    size=st.sampled_from([0.0, 1e-3, 1.0, 1e3]),
)
def test_clipping_equals_the_library(book, seed, threshold, size):
    rng = np.random.default_rng(seed)
    raw = [size * rng.normal(size=s) for s in ((2, 3), (4,), (1, 1))]
    held = [nn.Parameter(torch.tensor(g)) for g in raw]
    for parameter, g in zip(held, raw, strict=True):
        parameter.grad = torch.tensor(g)
    nn.utils.clip_grad_norm_(held, threshold)
    assert_near(book["clip"](raw, threshold), [p.grad for p in held], rtol=1e-5)


@few
@given(n=st.integers(10, 60), N=sizes, T=sizes, seed=seeds)
def test_pieces_are_followed_by_their_targets(book, n, N, T, seed):
    ids = torch.arange(n)
    for X, Y in [*book["consecutive"](ids, N, T),
                 *book["random_pieces"](ids, N, T, np.random.default_rng(seed))]:  # fmt: skip
        assert X.shape == Y.shape == (T, N)
        assert (Y == X + 1).all() and (X[1:] == X[:-1] + 1).all()


@few
@given(w=st.floats(0.2, 1.2), b=st.floats(-0.5, 0.5))
def test_slopes_of_one_unit(book, w, b):
    def loss(w, b):
        h = torch.tensor(0.5, dtype=torch.float64)
        for _ in range(50):
            h = torch.tanh(w * h + b)
        return (h - 0.7) ** 2 / 2

    value, slopes = autograd(loss, w, b)
    landscape = book["cliff"](np.array(w), np.array(b))
    assert_near(landscape, (value, *slopes), rtol=1e-6, atol=1e-9)


@few
@given(seed=seeds, T=sizes, N=sizes, H=sizes, V=st.integers(2, 5))
def test_a_piece_of_text_has_the_gradients_of_torch(book, seed, T, N, H, V):
    rng = np.random.default_rng(seed)
    P = [p + rng.normal(size=p.shape) for p in book["initialise"](V, H, V, rng)]
    X, Y = rng.integers(0, V, (2, T, N))
    h_0 = rng.normal(size=(N, H))
    leaves = [torch.tensor(p, requires_grad=True) for p in P]
    rows = torch.eye(V, dtype=torch.float64)[torch.tensor(X)]
    states = unrolled(rows, torch.tensor(h_0), *leaves[:3])
    O = states @ leaves[3] + leaves[4]
    expected = F.cross_entropy(O.flatten(0, 1), torch.tensor(Y).flatten())
    expected.backward()
    loss, dP, last = book["read_piece"](P, X, Y, h_0)
    assert_near(loss, expected)
    assert_near(dP, [leaf.grad for leaf in leaves], rtol=1e-6, atol=1e-9)
    assert_near(last, states[-1])


def test_perplexity_of_a_uniform_model_is_the_number_of_characters(book):
    P = [
        np.zeros_like(p) for p in book["initialise"](5, 3, 5, np.random.default_rng(0))
    ]
    assert abs(book["perplexity"](P, np.arange(40) % 5) - 5) < 1e-9


def test_a_second_epoch_reads_better_and_what_is_written_is_drawn_from_it(book):
    """Evidence makes thirty, which come near counting."""
    chapter.run("14-char-run", book)
    valid = []
    after = lambda epoch, P: valid.append(book["perplexity"](P, book["ids"]["valid"]))
    P, losses = book["read"](0, epochs=2, T=32, after=after)
    assert valid[1] < 0.93 * valid[0] and valid[1] < 7, valid
    assert len(losses) == 2 * ((len(book["ids"]["train"]) - 1) // 32 // 32)
    text = book["write"](P, "the ", 300, np.random.default_rng(0), temperature=0.7)
    assert (
        text.startswith("the ") and len(text) == 304 and set(text) <= set(book["KEPT"])
    )
    assert 0.1 < text.count(" ") / 304 < 0.3


@few
@given(seed=seeds, T=st.integers(1, 40), H=sizes)
def test_the_scan_equals_the_loop(book, seed, T, H):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(-1.1, 1.1, H), rng.normal(size=(T, H))
    given = a.copy(), b.copy()
    by_loop = book["states_by_loop"](a, b)
    assert_near(book["states_by_scan"](a, b), by_loop, rtol=1e-9, atol=1e-9)
    assert (a == given[0]).all() and (b == given[1]).all(), "inputs changed"
    h = np.zeros(H)
    for t in range(T):
        h = a * h + b[t]
        assert_near(by_loop[t], h)


@few
@given(seed=seeds, T=sizes, N=sizes, D=sizes, H=sizes)
def test_whole_numbers_as_upstream_gradients_are_not_cut(book, seed, T, N, D, H):
    rng = np.random.default_rng(seed)
    X, W_x, W_h = (rng.normal(size=s) for s in ((T, N, D), (D, H), (H, H)))
    states = book["rnn_forward"](X, np.zeros((N, H)), W_x, W_h, rng.normal(size=H))
    G = rng.integers(-2, 3, size=(T, N, H))
    sums = book["double_sum"](G, X, states, W_x, W_h)
    assert_near(book["rnn_backward"](G, X, states, W_x, W_h)[2:], sums)


FAULTS = [
    Fault("X[K - k : T - k] @ W[k]", "X[k : T - K + k] @ W[k]", "delays reversed"),
    Fault("for k in range(K + 1)) + b", "for k in range(K + 1))", "no bias"),
    Fault("y[first - k : len(y) - k] for k in range(1, K + 1)",
          "y[first - k + 1 : len(y) - k + 1] for k in range(1, K + 1)", "the present as past"),
    Fault("for k in range(K_x + 1)", "for k in range(1, K_x + 1)", "no delay 0 of x"),
    Fault("np.ones(len(y) - first)", "np.zeros(len(y) - first)", "no constant"),
    Fault("A[parts[0]], y[parts[0]]", "A[parts[-1]], 0 * y[parts[-1]]", "nothing fitted"),
    Fault("lambda h: 1 - h**2", "lambda h: 1 - h", "the slope of tanh"),
    Fault('"linear": (lambda z: z, np.ones_like)', '"linear": (lambda z: z, np.zeros_like)',
          "the slope of a line"),
    Fault("X_t @ W_x + states[-1] @ W_h + b)", "X_t @ W_x + states[0] @ W_h + b)",
          "always the first state"),
    Fault("states[-1] @ W_h + b)", "states[-1] @ W_h.T + b)", "W_h transposed"),
    Fault("delta = G[t] * slope(states[t + 1])", "delta = G[t] * slope(states[t])",
          "slope of the step before"),
    Fault("(delta @ W_h.T) * slope(states[k + 1])", "(delta @ W_h) * slope(states[k + 1])",
          "W_h not transposed on the way back"),
    Fault("dW_h += states[k].T @ delta", "dW_h += states[k + 1].T @ delta", "the state after"),
    Fault("t - (K or T)), -1)", "t - (K or T - 1)), -1)", "one step too few"),
    Fault("(G[t] + dh) * slope", "G[t] * slope", "nothing comes back"),
    Fault("dh = dZ[t] @ W_h.T  # what", "dh = dZ[t] @ W_h  # what", "transpose in the sweep"),
    Fault("over(states[:-1])", "over(states[1:])", "states one step late"),
    Fault("return dZ @ W_x.T, dh", "return dZ @ W_x.T, 0 * dh", "no gradient by h_0"),
    Fault("dZ.sum(axis=(0, 1))", "dZ.mean(axis=(0, 1))", "mean for sum in db"),
    Fault("X.cumsum(axis=0) % 2", "X.cumsum(axis=1) % 2", "parity over the batch"),
    Fault("(expit(O) - y) / y.size", "(expit(O) - y)", "no 1/N"),
    Fault('np.einsum("tnh,tnc->hc", states[1:], dO)', 'np.einsum("tnh,tnc->hc", states[:-1], dO)',
          "states of the step before in dW_o"),
    Fault("p -= lr * unbiased", "p += lr * unbiased", "uphill"),
    Fault("size = np.sqrt(square / (1 - 0.999**self.steps))", "size = np.sqrt(square)",
          "Adam without its correction"),
    Fault("range(t - 1, k - 1, -1)", "range(k, t)", "ascending order"),
    Fault("product_of @ (W_h.T * slope(states[i]))", "product_of @ (W_h * slope(states[i]))",
          "Jacobian transposed"),
    Fault("if length <= threshold:", "if length < 0:",
          "short gradients made long"),
    Fault("np.sqrt(sum((g**2).sum() for g in gradients))", "sum(abs(g).sum() for g in gradients)",
          "another norm"),
    Fault("(1 - new**2) * (h + w * dh_dw)", "(1 - new**2) * (new + w * dh_dw)",
          "the new state in the slope"),
    Fault("iterates[-1] - lr * np.array", "iterates[-1] + lr * np.array", "up the cliff"),
    Fault("(ids[i : i + N * length].reshape(N, length).T for i",
          "(ids[i : i + N * length].reshape(length, N) for i", "strips torn"),
    Fault("yield ids[at], ids[at + 1]", "yield ids[at], ids[at]", "targets not moved"),
    Fault("dO = (np.exp(log_p) - rows[Y]) / Y.size", "dO = (np.exp(log_p) - rows[X]) / Y.size",
          "the input as the target"),
    Fault("log_p = log_softmax(O, axis=2)", "log_p = log_softmax(O, axis=1)",
          "softmax over the sequences"),
    Fault("rnn_forward(rows[X], h_0, W_x, W_h, b)", "rnn_forward(rows[X], 0 * h_0, W_x, W_h, b)",
          "every piece from zeros"),
    Fault("np.exp(-log_p[np.arange(len(log_p)), ids[1:]].mean())",
          "np.exp(-log_p[np.arange(len(log_p)), ids[1:]].sum())", "perplexity without a mean"),
    Fault("softmax((h @ W_o + b_o) / temperature)", "softmax((h @ W_o + b_o) * temperature)",
          "temperature upside down"),
    Fault("h = a * h + b[t]", "h = h + b[t]", "a loop that keeps all"),
    Fault("states[span:] += factor * earlier", "states[span:] += a * earlier",
          "the factor of one step in every round"),
    Fault("(sizes[-1] @ W_h.T) * (1 - h[i] ** 2)", "(sizes[-1] @ W_h.T) * (1 + h[i] ** 2)",
          "a derivative above 1"),
    Fault("rng.permutation((len(ids) - 1) // T) * T", "rng.permutation((len(ids) - 1) // T)",
          "pieces overlap"),
    Fault("S @ W_h) * (1 - h**2)", "S @ W_h.T) * (1 - h**2)", "transpose in RTRL"),
    Fault("* np.eye(len(b)) + S", "+ S", "every unit acts on every other"),
    Fault("states, last = self.rnn(X, h)", "states, last = self.rnn(X)", "the state not carried"),
]  # fmt: skip

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """Forward and both ways, 50 steps of 32 sequences; and what the other ways cost."""
    rng = np.random.default_rng(0)
    T, N, D, H = 50, 32, 32, 128
    shapes = (T, N, D), (N, H), (D, H), (H, H), (H,), (T, N, H)
    X, h_0, W_x, W_h, b, G = (
        0.05 * rng.normal(size=s).astype(np.float32) for s in shapes
    )
    rnn = nn.RNN(D, H)
    X_t, h_t, G_t = torch.tensor(X), torch.tensor(h_0)[None], torch.tensor(G)
    forward = lambda: scope["rnn_forward"](X, h_0, W_x, W_h, b)

    def theirs_forward():
        with torch.no_grad():
            return rnn(X_t, h_t)

    def both():
        return scope["rnn_backward"](G, X, forward(), W_x, W_h)

    def theirs_both():
        rnn.zero_grad()
        rnn(X_t, h_t)[0].backward(G_t)

    yield "recurrent network, forward", forward, theirs_forward
    yield "forward and backward", both, theirs_both
    states = forward()
    back = lambda: scope["rnn_backward"](G, X, states, W_x, W_h)
    yield (
        "double sum by one sweep",
        lambda: scope["double_sum"](G, X, states, W_x, W_h),
        back,
    )
    small = [X[:, 0, :3], h_0[0, :16], W_x[:3, :16], W_h[:16, :16], b[:16]]
    ours = lambda: list(scope["rtrl"](G[:, 0, :16], *small))
    states_small = scope["rnn_forward"](X[:, :1, :3], h_0[:1, :16], *small[2:])
    other = lambda: scope["rnn_backward"](
        G[:, :1, :16], X[:, :1, :3], states_small, small[2], small[3]
    )
    yield "RTRL by BPTT, 16 units", ours, other
