"""The functions of chapter 20 on inputs the page does not use, and its checks put to the test."""

from collections import Counter

import numpy as np
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chapter_code import ChapterCode, Fault, assert_near, autograd, catches
from tests.chapters.inputs import decoder_step
from utils.text import EOS, PAD

chapter = ChapterCode("20_seq2seq")
sizes = st.integers(1, 5)
seeds = st.integers(0, 2**32 - 1)


def targets(rng, N, V):
    """Return N sentences of 1 to 5 words and <eos>, padded."""
    Y = np.full((N, 6), PAD)
    for row in Y:
        n = rng.integers(1, 6)
        row[: n + 1] = [*rng.integers(3, V, size=n), EOS]
    return Y


@settings(deadline=None)
@given(N=sizes, D=sizes, H=sizes, T=sizes, seed=seeds)
def test_encoder_equals_torch(book, N, D, H, T, seed):
    rng = np.random.default_rng(seed)
    P = {k: rng.normal(size=s) for k, s in (("W", (D, H)), ("U", (H, H)), ("b", H))}
    X = rng.normal(size=(N, T, D))
    rnn = torch.nn.RNN(D, H, batch_first=True).double()
    weights = (P["W"].T, P["U"].T, P["b"], 0 * P["b"])
    for p, ours in zip(rnn.parameters(), weights, strict=True):
        p.data = torch.tensor(ours)
    theirs = rnn(torch.tensor(X))[0].detach().numpy()
    np.testing.assert_allclose(book["encode"](P, X), theirs, atol=1e-12, strict=True)


@settings(deadline=None)
@given(N=sizes, extra=st.integers(0, 4), V=st.integers(4, 8), seed=seeds)
def test_masked_loss_equals_torch_and_ignores_padding(book, N, extra, V, seed):
    rng = np.random.default_rng(seed)
    Y = np.pad(targets(rng, N, V), ((0, 0), (0, extra)), constant_values=PAD)
    Z = rng.normal(size=(*Y.shape, V))
    loss, dZ = book["masked_loss"](Z, Y)
    options = {"target": torch.tensor(Y).flatten(), "ignore_index": PAD}
    theirs, (exact,) = autograd(
        lambda Z: F.cross_entropy(Z.flatten(0, 1), **options), Z
    )
    np.testing.assert_allclose(loss, theirs, rtol=1e-12)
    assert_near(dZ, exact, rtol=1e-7, atol=1e-14)
    assert not dZ[Y == PAD].any()


@settings(deadline=None, max_examples=40)
@given(N=sizes, T=sizes, E=sizes, H=sizes, C=sizes, A=sizes, seed=seeds)
def test_decoder_step_equals_torch(book, N, T, E, H, C, A, seed):
    w, inputs, real = decoder_step(np.random.default_rng(seed), N, T, E, H, C, A)
    out, _ = book["decoder_step"](w, **inputs, real=real)

    leaf = {k: torch.tensor(v) for k, v in (w | inputs).items()}
    y, s, h = leaf["y"], leaf["s"], leaf["h"]
    e = torch.einsum(
        "nta,a->nt",
        torch.tanh((s @ leaf["W_s"])[:, None] + h @ leaf["W_h"]),
        leaf["v"],
    )
    weights = torch.where(torch.tensor(real), e, -torch.inf).softmax(1)
    c = torch.einsum("nt,ntc->nc", weights, h)
    x = torch.cat([y, c], 1)
    a = {
        g: x @ leaf[f"W_x{g}"] + state @ leaf[f"W_s{g}"] + leaf[f"b_{g}"]
        for g, state in (("r", s), ("u", s))
    }
    r, u = a["r"].sigmoid(), a["u"].sigmoid()
    new = torch.tanh(x @ leaf["W_xs"] + (r * s) @ leaf["W_ss"] + leaf["b_s"])
    theirs = torch.cat([u * s + (1 - u) * new, c], 1)
    np.testing.assert_allclose(out, theirs, atol=1e-12, strict=True)


@settings(deadline=None, max_examples=15)
@given(attention=st.booleans(), N=sizes, seed=st.integers(0, 10_000))
def test_network_does_not_see_padding(book, attention, N, seed):
    rng = np.random.default_rng(seed)
    net = book["translator"](9, 8, attention=attention, seed=seed, E=3, H=4).double()
    X, Y = targets(rng, N, 9), targets(rng, N, 8)
    Z, weights = book["forced_scores"](net, X, book["shift_right"](Y))
    for n in range(N):
        T = int((X[n] != PAD).sum())
        one, _ = book["forced_scores"](
            net, X[n : n + 1, :T], book["shift_right"](Y[n : n + 1])
        )
        torch.testing.assert_close(one[0], Z[n], rtol=1e-10, atol=1e-12)
    if attention:
        for a in weights:
            assert (a[torch.tensor(X == PAD)] == 0).all()
            torch.testing.assert_close(a.sum(1), torch.ones(N).double())


@settings(deadline=None, max_examples=15)
@given(attention=st.booleans(), seed=st.integers(0, 10_000))
def test_model_of_prefixes_equals_teacher_forcing(book, attention, seed):
    rng = np.random.default_rng(seed)
    net = book["translator"](9, 8, attention=attention, seed=seed, E=3, H=4).double()
    x, y = [4, 8, 3, EOS], (*map(int, rng.integers(3, 8, size=4)), EOS)
    Z, _ = book["forced_scores"](net, [x], book["shift_right"](np.array([y])))
    loss, _ = book["masked_loss"](Z.detach().numpy(), np.array([y]))
    model = book["network_model"](net, x)
    np.testing.assert_allclose(
        book["sequence_log_prob"](model, y), -5 * loss, rtol=1e-10
    )
    words, _ = book["translate"](net, [x], max_length=7)
    best, _ = book["greedy"](model, 7, EOS)
    assert tuple(words[0, : len(best)].tolist()) == best
    assert not words[0, len(best) :].any()  # padding


@settings(deadline=None, max_examples=40)
@given(
    V=st.integers(2, 4), T=st.integers(1, 4), ends=st.booleans(), k=sizes, seed=seeds
)
def test_searches_agree_where_they_must(book, V, T, ends, k, seed):
    model = book["random_model"](V, np.random.default_rng(seed), spread=1.3)
    eos = V - 1 if ends else None
    ranking = book["exhaustive"](model, V, T, eos)
    np.testing.assert_allclose(sum(np.exp(s) for _, s in ranking), 1.0, rtol=1e-9)
    beam, rows = book["beam_search"], []
    best = beam(lambda p: rows.append(len(p)) or model(p), k, T, eos)[0]
    assert sum(rows) <= 1 + k * (T - 1)
    assert best[1] <= ranking[0][1] + 1e-12
    np.testing.assert_allclose(
        best[1], book["sequence_log_prob"](model, best[0]), atol=1e-12
    )
    assert beam(model, 1, T, eos)[0][0] == book["greedy"](model, T, eos)[0]
    everything = beam(model, V ** (T - 1), T, eos)[0]
    np.testing.assert_allclose(everything[1], ranking[0][1], atol=1e-12)
    for alpha in (0.3, 0.75, 2.0):
        score = lambda h, a=alpha: h[1] / len(h[0]) ** a
        whole = beam(model, V**T, T, eos, alpha)[0]
        np.testing.assert_allclose(score(whole), max(map(score, ranking)), atol=1e-12)
        lazy, full = (beam(model, k, T, eos, alpha, stop=s)[0] for s in (True, False))
        assert lazy == full


@settings(deadline=None, max_examples=40)
@given(V=st.integers(2, 6), t=st.integers(0, 3), n=st.integers(1, 40), seed=seeds)
def test_extensions_on_the_board_and_in_one_array(book, V, t, n, seed):
    rng = np.random.default_rng(seed)
    model = book["random_model"](V, rng)
    prefixes = {tuple(map(int, rng.integers(0, V, size=t))) for _ in range(3)}
    live = [(y, float(-rng.exponential())) for y in sorted(prefixes)]
    slow = book["extensions"](model, live)
    assert len(slow) == V * len(live)
    assert book["best_extensions"](model, live, n) == slow[:n]


@settings(deadline=None, max_examples=20)
@given(gamma=st.integers(0, 3), seed=seeds)
def test_speculation_with_the_target_as_draft_keeps_everything(book, gamma, seed):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(4))
    words = book["speculate"](lambda y: p, lambda y: p, (), gamma, rng)
    assert len(words) == gamma + 1 and all(0 <= word < 4 for word in words)


@given(text=st.lists(st.text("abcé'", min_size=1), min_size=1), n=st.integers(0, 4))
def test_pieces_give_the_word_back(book, text, n):
    counts = Counter(text)
    pairs = sum(len(word) - 1 for word in counts)
    learned = book["learn_pairs"](counts, min(n, pairs and 1))
    for word in [*counts, "abba"]:
        assert "".join(book["in_pieces"](word, learned)) == word


def test_no_beam_goes_on_after_the_end(book):
    model = book["random_model"](3, np.random.default_rng(5), spread=0.5)
    for y, _ in book["beam_search"](model, 5, 6, 2, stop=False):
        assert (2 not in y[:-1]) and (y[-1] == 2 or len(y) == 6)
    rows = []  # a place that an ended candidate leaves stays empty
    book["beam_search"](lambda p: rows.append(p) or model(p), 3, 5, 2, stop=False)
    for queried, grown in zip(
        rows[1:], book["beam_steps"](model, 3, 5, 2), strict=False
    ):
        assert queried == [y for y, _ in grown[:3] if y[-1] != 2]
    assert book["until"]((0, 2, 1, 2), 2) == (0, 2)
    assert book["until"]((0, 1), 2) == (0, 1)


words = st.lists(st.sampled_from("abcd"), min_size=4, max_size=9)


@settings(deadline=None)
@given(pairs=st.lists(st.tuples(words, words), min_size=1, max_size=4))
def test_bleu_by_its_definition(book, pairs):
    outputs, references = map(list, zip(*pairs, strict=True))
    logs = []
    for n in range(1, 5):
        hits = total = 0
        for y, z in pairs:
            grams = ["".join(y[i : i + n]) for i in range(len(y) - n + 1)]
            ngrams = ["".join(z[i : i + n]) for i in range(len(z) - n + 1)]
            total += len(grams)
            hits += sum(min(grams.count(g), ngrams.count(g)) for g in set(grams))
        logs.append(-np.inf if hits == 0 else np.log(hits / total))
    c, r = sum(map(len, outputs)), sum(map(len, references))
    desired = np.exp(min(0, 1 - r / c) + np.mean(logs))
    np.testing.assert_allclose(book["bleu"](outputs, references), desired, atol=1e-30)
    np.testing.assert_allclose(book["bleu"](references, references), 1.0)


def test_training_on_a_copy_task(book):
    rng = np.random.default_rng(3)
    lines = [
        [*map(int, rng.integers(4, 9, size=rng.integers(1, 4)))] for _ in range(60)
    ]
    data = [[*line, EOS] for line in lines]
    net = book["translator"](9, 9, attention=True, seed=3, E=12, H=24)
    losses = book["train"](net, data, data, epochs=40, seed=3, lr=0.02, size=20)
    words, _ = book["translate"](net, book["pad"](data), 6)
    assert losses[-1] < 0.2 < losses[0]
    assert book["exact"](words, data).mean() > 0.9


@settings(deadline=None)
@given(n=st.integers(0, 3), more=st.lists(words, max_size=3))
def test_bleu_of_what_has_no_four_words_is_zero(book, n, more):
    short = list("abc"[:n])
    assert book["bleu"]([short], [list("abc")]) == 0
    assert book["bleu"]([short], [short]) == 0
    assert book["precision"]([short], [list("abc")], n + 1) == 0
    if more:  # in a corpus the others count
        assert book["bleu"]([short, *more], [short, *more]) == 1


@settings(deadline=None)
@given(N=sizes, V=st.integers(4, 8), seed=seeds)
def test_masked_loss_ignores_an_infinite_score_of_padding(book, N, V, seed):
    rng = np.random.default_rng(seed)
    Y = targets(rng, N, V)
    Z = rng.normal(size=(*Y.shape, V))
    Z[..., PAD] = -np.inf  # a model that can never write <pad>
    options = {"target": torch.tensor(Y).flatten(), "ignore_index": PAD}
    theirs, (exact,) = autograd(
        lambda Z: F.cross_entropy(Z.flatten(0, 1), **options), Z
    )
    assert_near(book["masked_loss"](Z, Y), (theirs, exact))


FAULTS = [
    Fault("np.maximum(p[t] - q[t], 0)", "p[t]", "a refused word is drawn anew from p"),
    Fault("p[t][y] / q[t][y]", "q[t][y] / p[t][y]", "the ratio upside down"),
    Fault("max(pairs, key=pairs.get)", "min(pairs, key=pairs.get)", "the rarest pair"),
    Fault("(joined[-1], piece) == pair", "(piece, joined[-1]) == pair", "a pair reversed"),
    Fault("X[:, t] @ w", "X[:, 0] @ w", "the encoder reads the first word only"),
    Fault('h @ w["U"] + w["b"])', 'h @ w["U"])', "the encoder without its bias"),
    Fault("h = np.tanh(X[:, t]", "h = (X[:, t]", "the encoder without tanh"),
    Fault('c @ w["W_c"] +', "", "the code does not enter the decoder"),
    Fault("[(BOS, *p) for p in prefixes]", "[(*p,) for p in prefixes]", "no start symbol"),
    Fault("log_probs([y[:t]])", "log_probs([y[: t + 1]])", "a word too many"),
    Fault("BOS), Y[:, :-1]]", "BOS), Y[:, 1:]]", "shifted to the left"),
    Fault("real = Y != PAD  # (N, L), the mask m", "real = Y >= PAD", "loss without mask"),
    Fault("-log_p[n, t, Y][real].mean()", "-log_p[n, t, Y][real].sum() / Y.size",
          "divided by all places"),
    Fault("dZ[n, t, Y] -= 1", "dZ[n, t, Y] += 1", "sign of the one-hot row"),
    Fault("return loss, dZ * real[:, :, None] / max(1, real.sum())", "return loss, dZ / real.sum()",
          "gradient of padding"),
    Fault("np.where(real, phi @", "np.where(True, phi @", "attention to padding"),
    Fault("phi = np.tanh(", "phi = (", "scores without tanh"),
    Fault("u * s + (1 - u) * s_new, (", "(1 - u) * s + u * s_new, (", "update gate reversed"),
    Fault('(r * s) @ w["W_ss"] + w["b_s"])', 'r * (s @ w["W_ss"]) + w["b_s"])',
          "reset after the product"),
    Fault("np.hstack([y, c])", "np.hstack([c, y])", "word and code exchanged"),
    Fault("real.sum(1), **options", "0 * real.sum(1) + X.shape[1], **options", "packing"),
    Fault("e.masked_fill(~real, -torch.inf).softmax(1)", "e.softmax(1)", "no mask in the net"),
    Fault("forced_scores(net, x, shift_right(y))", "forced_scores(net, x, y)",
          "the net is fed what it must say"),
    Fault(".masked_fill(done, PAD)", "", "words after the end"),
    Fault("row.argmax()", "row.argmin()", "greedy takes the worst"),
    Fault("y[: y.index(eos) + 1] if", "y[: y.index(eos)] if", "the end symbol is lost"),
    Fault("scores = scores + log_probs(", "scores = 0 * scores + log_probs(",
          "conditionals ranked"),
    Fault("score + row[word]))  # eq-20-joint", "row[word]))", "conditionals, one by one"),
    Fault("grown[:k] if", "grown[: k + 1] if", "a prefix too many goes on"),
    Fault("grown[:k] if y[-1] != eos]", "grown[:k]]", "what has ended is extended"),
    Fault("eos or t == max_length", "eos or t >= max_length - 1", "cut too early"),
    Fault("kept, live = best_extensions(log_probs, live, k), []",
          "grown, live = best_extensions(log_probs, live, 99), []; "
          "kept = [h for h in grown if h[0][-1] == eos][:k]; "
          "kept += [h for h in grown if h[0][-1] != eos][:k]",
          "the beam is refilled after an end"),
    Fault("stop=True):", "stop=False):", "never stops early"),
    Fault("live[0][1] / max_length**alpha", "live[0][1] * 0.5", "bound of the early stop"),
    Fault("log_p / len(y) ** alpha", "log_p / len(y) ** (alpha + 1)",
          "exponent of the length"),
    Fault("/ len(y) ** alpha  # eq", "/ max(len(y) - 1, 0.5) ** alpha  # eq",
          "the length without its end symbol"),
    Fault("states[p[:-1]] if p else s", "s", "the prefix's state is forgotten"),
    Fault("(a & b).total()", "(a | b).total()", "clipping"),
    Fault("(a & b).total()", "sum(g in b for g in a)", "clipped at 1"),
    Fault("(a & b).total()", "sum(a[g] for g in a if g in b)", "not clipped"),
    Fault("L_ref / max(1, L_y)", "L_y / L_ref", "brevity penalty upside down"),
    Fault("min(0.0, 1 - L_ref / max(1, L_y))", "1 - L_ref / max(1, L_y)",
          "a bonus for long outputs"),
    Fault("** (1 / longest)", "", "product for the geometric mean"),
]  # fmt: skip

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """The masked loss with its gradient on (64, 12, 100); a GRU step on (64, 64)."""
    rng = np.random.default_rng(0)
    Z, Y = rng.normal(size=(64, 12, 100)), rng.integers(0, 100, size=(64, 12))
    Z_t, Y_t = torch.tensor(Z, requires_grad=True), torch.tensor(Y).flatten()

    def loss():
        value = torch.nn.functional.cross_entropy(
            Z_t.flatten(0, 1), Y_t, ignore_index=0
        )
        return torch.autograd.grad(value, Z_t)

    yield "masked loss, gradient", lambda: scope["masked_loss"](Z, Y), loss
    x, s = rng.normal(size=(2, 64, 64))
    P = {f"W_{a}{g}": rng.normal(size=(64, 64)) for a in "xs" for g in "rus"}
    P |= {f"b_{g}": rng.normal(size=64) for g in "rus"}
    cell = torch.nn.GRUCell(64, 64, dtype=torch.float64)
    x_t, s_t = torch.tensor(x), torch.tensor(s)
    yield "GRU step", lambda: scope["gru_step"](P, x, s), lambda: cell(x_t, s_t)
