"""The cells of chapter 15 on shapes the page does not use, and its checks put to the test."""

import csv

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from press import chapters
from tests.chapter_code import ChapterCode, Fault, assert_near, catches
from tests.chapters.characters import characters, perplexity

# What trains costs most, and no check of the functions above it reads what comes out.
TRAINS = (
    r"15-(plain-run|lag-(agree|checked)|search|long|exp-long|chrono-(table|stored)|where|"
    r"tie|jacobian|worth|text-(run|check)|read|broken-run)"
)
chapter = ChapterCode("15_gated_rnn", without=TRAINS)
few = settings(deadline=None, max_examples=20)
seeds, sizes = st.integers(0, 2**32 - 1), st.integers(1, 4)


def drawn(kind, D, H, seed, **options):
    layer = getattr(nn, kind)(D, H, batch_first=True, **options).double()
    generator = torch.Generator().manual_seed(seed % 2**31)
    for p in layer.parameters():
        nn.init.normal_(p, generator=generator)
    return layer


@few
@given(seed=seeds, N=sizes, T=sizes, D=sizes, H=sizes)
def test_the_lstm_equals_torch_both_ways(book, seed, N, T, D, H):
    rng, layer = np.random.default_rng(seed), drawn("LSTM", D, H, seed)
    X, dh = rng.normal(size=(N, T, D)), rng.normal(size=(N, T, H))
    weights = book["weights_of"](layer)
    states, memory = book["lstm"](X, *weights)
    leaf = torch.tensor(X, requires_grad=True)
    expected = layer(leaf)[0]
    assert_near(states, expected)
    (expected * torch.tensor(dh)).sum().backward()
    dW_x, dW_h = layer.weight_ih_l0.grad.T, layer.weight_hh_l0.grad.T
    grads = leaf.grad, dW_x, dW_h, layer.bias_hh_l0.grad
    assert_near(book["lstm_back"](dh, memory, *weights[:2]), grads)


@few
@given(seed=seeds, N=sizes, T=sizes, D=sizes, H=sizes)
def test_the_gru_equals_torch_and_its_early_reset_autograd(book, seed, N, T, D, H):
    rng, layer = np.random.default_rng(seed), drawn("GRU", D, H, seed)
    X = rng.normal(size=(N, T, D))
    *P, late = book["gru_weights"](layer)
    assert_near(book["gru"](X, *P, late), layer(torch.tensor(X))[0])
    h = torch.zeros(N, H, dtype=torch.float64)
    W_x, W_h, b = map(torch.tensor, P)
    for t in range(T):
        block = lambda k, h, t=t: (
            torch.tensor(X[:, t]) @ W_x[:, k * H : (k + 1) * H]
            + h @ W_h[:, k * H : (k + 1) * H] + b[k * H : (k + 1) * H]
        )  # fmt: skip
        r, u = block(0, h).sigmoid(), block(1, h).sigmoid()
        h = u * h + (1 - u) * block(2, r * h).tanh()
    assert_near(book["gru"](X, *P)[:, -1], h)


@few
@given(seed=seeds, N=sizes, T=sizes, D=sizes, H=sizes, deep=sizes, both=st.booleans())
def test_layers_and_directions_equal_torch(book, seed, N, T, D, H, deep, both):
    layer = drawn("LSTM", D, H, seed, num_layers=deep, bidirectional=both)
    held = {k: p.detach().numpy() for k, p in layer.named_parameters()}
    triple = lambda end: (held[f"weight_ih_{end}"].T, held[f"weight_hh_{end}"].T,
                          held[f"bias_ih_{end}"] + held[f"bias_hh_{end}"])  # fmt: skip
    ends = ("", "_reverse")[: 1 + both]
    layers = [[triple(f"l{k}{end}") for end in ends] for k in range(deep)]
    X = np.random.default_rng(seed).normal(size=(N, T, D))
    assert_near(book["run_layers"](X, layers), layer(torch.tensor(X))[0])


@few
@given(seed=seeds, N=sizes, D=sizes, H=sizes)
def test_a_peephole_step_is_lstm_without_peeps_and_differs_with(book, seed, N, D, H):
    rng = np.random.default_rng(seed)
    x, h, c = (rng.normal(size=(N, k)) for k in (D, H, H))
    W = [rng.normal(size=s) for s in ((D, 4 * H), (H, 4 * H), 4 * H)]
    whole = book["lstm_step"](x, h, c, *W)
    for ours, other in zip(book["variant_step"](x, h, c, *W), whole, strict=False):
        assert_near(ours, other)
    h_peep, cell = book["variant_step"](x, h, c, *W, peep=np.eye(3, H, 2 - H + 1) + 0.1)
    assert np.isfinite(h_peep).all() and not np.allclose(cell, whole[1], rtol=1e-9)
    assert_near(book["tree_node"](x, [(h, c)], *W)[1], whole[1])


@few
@given(seed=seeds, H=st.integers(2, 9))
def test_the_master_gates_rise_and_fall(book, seed, H):
    f, i, z_f, z_i = np.random.default_rng(seed).uniform(0, 1, size=(4, 3, H))
    master_f, master_i, f_hat, i_hat = book["ordered_gates"](f, i, z_f, z_i)
    assert (np.diff(master_f) > 0).all() and (np.diff(master_i) < 0).all()
    sure_f, sure_i = master_f * (1 - master_i), master_i * (1 - master_f)
    assert_near(f_hat, sure_f + f * master_f * master_i)
    assert_near(i_hat, sure_i + i * master_f * master_i)


@few
@given(seed=st.integers(0, 2**31), n=st.integers(1, 20), T=st.integers(1, 50))
def test_the_marked_number_is_the_answer(book, seed, n, T):
    X, y = book["marked"](n, T, torch.Generator().manual_seed(seed))
    assert X.shape == (n, T, 2) and torch.equal((X[..., 0] * X[..., 1]).sum(dim=1), y)
    assert (X[..., 1].argmax(dim=1) < max(1, T // 4)).all()


def errors_at_ten(book, name, rates):
    """Return what is left unexplained after 150 steps on T = 10, a seed not on the page."""
    errors = []
    for lr in rates:
        net = book["contender"](name, 0)
        book["train"](net, 0, 10, lr, 150)
        errors.append(book["unexplained"](net, 0, 10))
    return errors


def steps_by_rate(name):
    """Return, by network and length of a file, steps until learned by learning rate."""
    with (chapters.BOOK / "data" / f"run_15_{name}.csv").open() as file:
        rows = list(csv.DictReader(file))
    tried = {}
    for row in rows:
        rates = tried.setdefault((row["network"], row["length"]), {})
        steps = float(row["steps"] or np.inf)
        rates.setdefault(float(row["rate"]), []).append(steps)
    return tried


def test_no_best_rate_of_the_search_is_at_the_edge_of_its_grid():
    for case, rates in steps_by_rate("lag").items():
        middle = {rate: np.median(steps) for rate, steps in rates.items()}
        best = min(middle, key=middle.get)
        assert np.isinf(middle[best]) or min(rates) < best < max(rates), (case, middle)
        assert all(len(steps) == 3 for steps in rates.values()), case


@few
@given(seed=seeds, N=sizes, T=st.integers(1, 70), H=sizes)
def test_a_scan_is_a_loop(book, seed, N, T, H):
    generator = torch.Generator().manual_seed(seed % 2**31)
    keep, add = torch.randn(2, N, T, H, generator=generator).double()
    assert_near(
        book["scan"](keep.sigmoid(), add), book["one_by_one"](keep.sigmoid(), add)
    )


def test_an_untaught_layer_of_input_gates_begins_with_the_two_biases(book):
    for T in (20, 1000):
        moved, drawn_ = (
            book["scan_network"](3, T, chrono=chrono)["cell"].maps.bias.detach()
            for chrono in (True, False)
        )
        apart = (moved - drawn_).view(3, 16).mean(dim=1)
        assert np.allclose(apart, [-np.log(T), np.log(T), 0], atol=1e-5)


@few
@given(seed=seeds, N=sizes, T=sizes, D=sizes, H=sizes)
def test_a_writer_hands_on_its_state(book, seed, N, T, D, H):
    model = book["drawn_uniformly"](book["Writer"](D + 1, H), H, seed % 2**31)
    codes = torch.randint(D + 1, (T + 2, N), generator=torch.Generator().manual_seed(1))
    whole, _ = model(codes)
    first, state = model(codes[:T])
    second, _ = model(codes[T:], state)
    assert torch.allclose(torch.cat([first, second]), whole, atol=1e-6)


def test_the_gated_networks_learn_ten_and_not_at_far_larger_rates(book):
    """Evidence repeats the whole search, from which the page takes its rates."""
    for name, rates in (("LSTM 4", (0.03, 0.3)), ("GRU", (0.1, 1.0))):
        best, high = errors_at_ten(book, name, rates)
        assert best < 0.05 and high > 0.25, (name, best, high)


def test_without_a_forget_bias_two_hundred_steps_do_not_help_at_twenty(book):
    """Evidence tries each of four rates, and those of the plain network."""

    def left(kind, lr, **options):
        net = book["network"](kind, 0, **options)
        book["train"](net, 0, 20, lr, 200)
        return book["unexplained"](net, 0, 20)

    assert min(left("LSTM", 0.01), left("RNN", 0.01)) > 0.9
    assert left("LSTM", 0.03, forget_bias=4.0) < 0.05


def test_gates_help_on_half_of_the_characters_of_this_book():
    """Evidence makes three passes over all of them, at each of three rates."""
    texts = characters()
    texts = {"train": texts["train"][: len(texts["train"]) // 2]} | {
        name: texts[name][:3000] for name in ("valid", "test")
    }
    nets = ("RNN", 96, 0.02), ("GRU", 53, 0.03), ("LSTM", 45, 0.1)
    plain, *gated = (perplexity(*net, 0, texts, passes=1)[1] for net in nets)
    assert max(gated) < 0.95 * plain < 0.95 * 9, (plain, gated)


@few
@given(seed=seeds, N=sizes, D=sizes, H=sizes)
def test_a_leaf_of_a_tree_is_the_first_step_of_an_lstm(book, seed, N, D, H):
    layer = drawn("LSTM", D, H, seed)
    x = torch.tensor(np.random.default_rng(seed).normal(size=(N, 1, D)))
    with torch.no_grad():
        _, (h, c) = layer(x)
    leaf = book["tree_node"](x[:, 0].numpy(), [], *book["weights_of"](layer))
    assert_near(leaf, (h[0], c[0]))


FAULTS = [
    Fault("return np.log(T), -np.log(T)", "return np.log(T), 0.0", "no second bias"),
    Fault("return 0.0, -np.log(T)", "return 0.0, np.log(T)", "writes more"),
    Fault('[SIZES["GRU"] : 2 * SIZES["GRU"]] += np.log(T)', '[: SIZES["GRU"]] += np.log(T)',
          "the bias in the reset gate"),
    Fault("nn.init.orthogonal_(net", "nn.init.xavier_normal_(net", "not orthogonal"),
    Fault("keep[:, span:] * keep[:, :-span]", "keep[:, :-span]", "keeps too much"),
    Fault("keep[:, span:] * add[:, :-span] + add", "add[:, :-span] + add",
          "what came before is not kept"),
    Fault("span = 2 * span", "span = span + 1", "rounds that do not double"),
    Fault("i.sigmoid() * g.tanh()), None", "g.tanh()), None", "no input gate of the layer"),
    Fault("cell.bias_ih_l0.data[:H] += input_bias", "pass", "no input bias"),
    Fault("cell.bias_ih_l0.data[H : 2 * H] += forget_bias",
          "cell.bias_ih_l0.data[:H] += forget_bias", "the forget bias in the wrong block"),
    Fault("c[t] = forget * c[t - 1] + i", "c[t] = c[t - 1] + i", "nothing forgotten"),
    Fault("o * np.tanh(c[1:]), i, o", "np.tanh(c[1:]), i, o", "always shown"),
    Fault("(values * mark).sum(dim=1)", "values[:, 0]", "the first number"),
    Fault("(max(1, T // 4), (n,)", "(T, (n,)", "marks anywhere"),
    Fault("c_new = f * c + i * g", "c_new = f * c + (1 - f) * g", "coupled by mistake"),
    Fault("h_new = o * np.tanh(c_new)", "h_new = o * c_new", "no bend on the cell"),
    Fault("expit(Z_i), expit(Z_f), np.tanh(Z_g)", "expit(Z_f), expit(Z_i), np.tanh(Z_g)",
          "input and forget exchanged"),
    Fault("np.split(Z, 4, axis=1)\n    i, f, g, o",
          "np.split(Z[:, ::-1], 4, axis=1)\n    i, f, g, o", "blocks reversed"),
    Fault("dc = dc + dh * o * (1 - tanh_c**2)", "dc = dh * o * (1 - tanh_c**2)",
          "the later cell's gradient lost"),
    Fault("dh * o * (1 - tanh_c**2)", "dh * o * (1 - c_new**2)", "slope at the cell"),
    Fault("dc * g * i * (1 - i)", "dc * g * i", "no slope of the input gate"),
    Fault("dc * c * f * (1 - f)", "dc * c_new * f * (1 - f)", "the new cell for the old"),
    Fault("dc * i * (1 - g**2)", "dc * i * (1 - g)", "slope of tanh"),
    Fault("dh * tanh_c * o * (1 - o)", "dh * c_new * o * (1 - o)", "no tanh in dZ_o"),
    Fault("dZ @ W_h.T, dc * f, grads", "dZ @ W_h.T, dc, grads", "no forgetting back"),
    Fault("x_t.T @ dZ, h.T @ dZ, dZ.sum(axis=0)", "x_t.T @ dZ, h.T @ dZ, dZ.mean(axis=0)",
          "mean for sum"),
    Fault("dh = dh + d_states[:, t]", "dh = d_states[:, t]", "no gradient from later"),
    Fault("b + layer.bias_hh_l0.detach().double().numpy()", "b", "one of two biases"),
    Fault("held = torch.where(store[:, t], values[:, t], held)",
          "held = torch.where(store[:, t], values[:, t] + held, held)", "added to"),
    Fault("answers.append(held * ask[:, t])", "answers.append(held)", "told unasked"),
    Fault("(r * h) @ W if", "(r * (h @ W)) if", "the late reset"),
    Fault("r * (h @ W + b_late)", "r * (h @ W) + b_late", "late bias outside"),
    Fault("u * h + (1 - u) * new, r, u", "(1 - u) * h + u * new, r, u", "u turned round"),
    Fault("< 2 * H, b_h, 0)", "< H, b_h, 0)", "no second bias of u"),
    Fault("f = 1 - i if kind", "f = i if kind", "coupled the wrong way"),
    Fault("v_o * c_new)", "v_o * c)", "a peep at the old cell"),
    Fault("i = expit(Z[0] + v_i * c)", "i = expit(Z[0])", "no peep of the input gate"),
    Fault("extra = 3 * H if", "extra = 3 * H * H if", "full peepholes"),
    Fault("blocks * H * (D + H + 1)", "blocks * H * (D + H)", "no biases counted"),
    Fault("*weights)[0][:, ::-1])", "*weights)[0])", "not turned back"),
    Fault("lstm(X[:, ::-1], *weights)", "lstm(X, *weights)", "read forwards twice"),
    Fault("(x @ W_x + h_k @ W_h + b)", "(x @ W_x + total @ W_h + b)", "one forget gate"),
    Fault("1 - np.cumsum(softmax(z_i", "np.cumsum(softmax(z_i", "both masters rise"),
    Fault("f * both + (master_f - both)", "f * both + master_f", "overlap counted twice"),
]  # fmt: skip

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """The LSTM forward and back and the GRU, by PyTorch's on the same work."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(32, 40, 16)).astype(np.float32)
    X_t, dh = torch.tensor(X), np.ones((32, 40, 24))
    layer = nn.LSTM(16, 24, batch_first=True)
    weights = scope["weights_of"](layer)
    yield "LSTM, 40 steps", lambda: scope["lstm"](X, *weights), lambda: layer(X_t)

    def ours():
        memory = scope["lstm"](X, *weights)[1]
        scope["lstm_back"](dh, memory, *weights[:2])

    yield "LSTM forward and back", ours, lambda: layer(X_t)[0].sum().backward()
    other = nn.GRU(16, 24, batch_first=True)
    P = scope["gru_weights"](other)
    yield "GRU, 40 steps", lambda: scope["gru"](X, *P), lambda: other(X_t)
