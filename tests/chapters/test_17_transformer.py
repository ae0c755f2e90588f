"""The cells of chapter 17 on shapes the page does not use, and its checks put to the test."""

from functools import partial

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tests.chapter_code import ChapterCode, Fault, assert_near, autograd, catches
from tests.chapters.characters import kneser_ney, windows
from tests.chapters.inputs import with_trainings

# What trains costs most, and no check of the functions above it reads what comes out.
TRAINS = (
    r"17-(backwards-(run|exact)|growth|mute-check|timing|text|read|writing"
    r"|parts-(stored|check)|exp-parts|broken|deep|longer)"
)
chapter = ChapterCode("17_transformer", without=TRAINS)
chapter_13 = ChapterCode("13_language_models")
few = settings(deadline=None, max_examples=15)
near = partial(assert_near, atol=1e-9)
seeds, sizes = st.integers(0, 2**31 - 1), st.integers(1, 5)


def normal(seed, *size):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(size, generator=generator).double()


def ramp(X):
    """Weights for an output of the shape of ``X``, no two of them equal."""
    return np.linspace(-1, 2, X.numel()).reshape(X.shape)


@few
@given(N=sizes, T=sizes, S=sizes, h=st.integers(1, 3), d_h=sizes, seed=seeds)
def test_attention_and_its_gradients_equal_torch(book, N, T, S, h, d_h, seed):
    d = h * d_h
    theirs = book["shaken"](nn.MultiheadAttention(d, h, batch_first=True), seed)
    ours = book["Attention"](d, h).double()
    book["load_attention"](ours, theirs)
    X, source = normal(seed, N, T, d), normal(seed + 1, N, S, d)
    mask = torch.rand(T, S, generator=torch.Generator().manual_seed(seed)) < 0.6
    mask[:, 0] = True
    here = lambda X, source: ours(X, source, mask=mask)
    there = lambda X, source: theirs(X, source, source, attn_mask=~mask)[0]
    a, b = (autograd(f, X, source, upstream=ramp(X)) for f in (here, there))
    near(a, b)


@few
@given(T=sizes, h=st.integers(1, 3), d_h=st.integers(1, 4), seed=seeds, pre=st.booleans(),
       cross=st.booleans())  # fmt: skip
def test_blocks_equal_torch(book, T, h, d_h, seed, pre, cross):
    d = 2 * h * d_h
    kind = nn.TransformerDecoderLayer if cross else nn.TransformerEncoderLayer
    how = {"dropout": 0.0, "activation": "gelu", "batch_first": True, "norm_first": pre}
    theirs = book["shaken"](kind(d, h, 4 * d, **how), seed)
    ours = book["CrossBlock" if cross else "Block"](d, h, pre).double()
    book["load_block"](ours, theirs)
    X = normal(seed, 2, T, d)
    inputs = [X, normal(seed + 1, 2, 3, d)][: 1 + cross]
    a, b = (autograd(f, *inputs, upstream=ramp(X)) for f in (ours, theirs))
    near(a, b, rtol=1e-8, atol=1e-8)


@few
@given(
    N=sizes, T=sizes, d=st.integers(2, 7), seed=seeds, eps=st.sampled_from([1e-5, 0.1])
)
def test_layer_norm_equals_torch(book, N, T, d, seed, eps):
    shapes = (N, T, d), (d,), (d,), (N, T, d)
    *arrays, dY = (normal(seed + i, *s).numpy() for i, s in enumerate(shapes))
    theirs = lambda X, g, b: F.layer_norm(X, (d,), g, b, eps)
    Y, gradients = autograd(theirs, *arrays, upstream=dY)
    near(book["layer_norm"](*arrays, eps=eps), Y)
    ours = book["layer_norm_backward"](dY, *arrays, eps=eps)
    near([ours[key] for key in "Xgb"], gradients, rtol=1e-7, atol=1e-7)


@few
@given(T=sizes, d=sizes, d_v=sizes, seed=seeds)
def test_self_attention_in_rows_and_columns(book, T, d, d_v, seed):
    rng = np.random.default_rng(seed)
    X, *Ws = book["draw"](rng, (T, d), (d, 3), (d, 3), (d, d_v))
    O, A = book["self_attention"](X, *Ws)
    np.testing.assert_allclose(A.sum(axis=1), 1)
    np.testing.assert_allclose(book["in_columns"](X.T, *[W.T for W in Ws]), O.T)
    theirs = F.scaled_dot_product_attention(*[torch.tensor(X @ W) for W in Ws])
    np.testing.assert_allclose(O, theirs.numpy())
    order = rng.permutation(T)
    np.testing.assert_allclose(book["self_attention"](X[order], *Ws)[0], O[order])


@few
@given(pairs=st.integers(1, 6), t=st.integers(0, 50), k=st.integers(0, 50), seed=seeds)
def test_positions_turn(book, pairs, t, k, seed):
    P = book["sinusoids"](t + k + 1, 2 * pairs)
    near(book["rotate"](P[t : t + 1], k)[0], P[t + k])
    q, key = normal(seed, 1, 2 * pairs), normal(seed + 1, 1, 2 * pairs)
    score = lambda a, b: book["rotate"](q, a) @ book["rotate"](key, b).T
    near(score(t + k, t), score(k, 0))
    near(book["rotate"](q, t).norm(), q.norm())


@few
@given(T=st.integers(1, 9), d_h=st.integers(1, 4), h=st.integers(1, 3), seed=seeds)
def test_costs_are_those_that_run(book, T, d_h, h, seed):
    d, X = d_h * h, torch.ones(1, T, d_h * h)
    assert book["counted"](book["Block"](d, h), X) == 12 * T * d**2 + 2 * T**2 * d
    for name, f in book["layers"](T, d).items():
        assert book["counted"](f, X) == book["multiply_adds"](T, d)[name], name


@few
@given(
    kind=st.sampled_from(["learned", "sinusoid", "rotary", "none"]),
    L=st.integers(1, 3), start=st.integers(1, 4), count=st.integers(1, 6), seed=seeds,
)  # fmt: skip
def test_a_cache_changes_nothing(book, kind, L, start, count, seed):
    model = book["shaken"](book["Transformer"](7, 12, 12, 3, L, kind), seed)
    x = torch.randint(7, (2, start), generator=torch.Generator().manual_seed(seed))
    fast, logits = book["sample"](model, x, count, tau=0)
    slow, other = book["sample"](model, x, count, tau=0, cached=False)
    assert torch.equal(fast, slow) and fast.shape == (2, start + count)
    near(logits, other, rtol=1e-10, atol=1e-10)
    assert torch.equal(book["write"](model, x, count), slow)


@few
@given(
    temperature=st.floats(0.2, 2), share=st.floats(0.05, 1), count=st.integers(1, 60),
    head=st.integers(1, 8), seed=seeds,
)  # fmt: skip
def test_the_next_character_with_a_cache(book, temperature, share, count, head, seed):
    """As without a cache, and by the top-p of Chapter 13."""
    rng = np.random.default_rng(seed)
    text = "".join(rng.choice([*book["KEPT"][1:]], count))
    model = book["Transformer"](32, 32, 48, 4, 2, "rotary", seed=seed % 9).double()
    book["READER"] = model
    found = book["next_character"](text, temperature, share, head)
    near(found["scores"], model(book["ids_of"](text)[None])[0, -1])
    p = torch.softmax(found["scores"] / temperature, dim=0).numpy()
    near(found["probabilities"].numpy(), chapter_13.namespace()["top_p"](p, share))
    block, number = divmod(head - 1, 4)
    near(found["map"], model.blocks[block].attention.A[0, number])
    assert found["keys"].shape == found["values"].shape == (2, 4, count, 12)


def test_a_line_ends_where_it_is_full_or_the_model_ends_it(book):
    book["READER"] = book["Transformer"](32, 32, 48, 4, 2, "rotary")
    inputs = {"text": 55 * "a", "temperature": 1.0, "top_p": 1.0, "head": 1}
    choices = iter([5, 6, 0])
    written = book["write_on"](inputs, 20, lambda p: next(choices))
    assert written == {"text": 55 * "a" + book["KEPT"][5:7]}
    written = book["write_on"](inputs, 20, lambda p: 7)
    assert written == {"text": 55 * "a" + 5 * book["KEPT"][7]}
    with pytest.raises(ValueError, match="The line is full: it has 60 characters"):
        book["write_on"](written | {"temperature": 1.0}, 1, lambda p: 7)
    with pytest.raises(ValueError, match="The line ends here"):
        book["write_on"](inputs, 1, lambda p: 0)


def test_without_positions_three_letters_are_not_turned_round(book):
    """Evidence does so with eight letters, and mutes heads from three more starts."""
    learn, short = (
        with_trainings(chapter, book)["learn_backwards"],
        partial(book["backwards"], n=3),
    )

    def loss(positions):
        how = {"steps": 80, "lr": 0.01, "every": 80, "draw": short}
        return learn(1, positions=positions, **how)[1][-10:].mean()

    assert loss("rotary") < 0.6 and loss("none") > 1.1


def test_ten_blocks_without_warm_up_need_the_norm_before_them(book):
    """Evidence takes three times the steps, other starts, and warms post-norm up."""
    learn = with_trainings(chapter, book)["learn_deep"]
    pre, post = (learn(at, 1, 1, steps=60)[-10:].mean() for at in (True, False))
    assert pre < 0.5 * post, (pre, post)


def test_rotation_reads_half_as_far_again_and_learned_places_do_not(book):
    """Evidence does so after more steps, at other rates, and with added sinusoids."""
    learn, right_at = book["learn_delay"], book["right_at"]
    model = learn("rotary", 1, steps=100)
    far = right_at(model)
    assert far[13:21].mean() > 0.9 and far[29:].mean() < 0.8, far
    assert right_at(model, window=16).min() > 0.9
    assert right_at(learn("learned", 1, steps=100))[13:21].mean() < 0.2


def test_sixty_steps_begin_to_read_this_book(book):
    """Evidence trains whole models: another start, and twelve passes for four."""
    model, told = book["read"](1, steps=60)
    assert told[-1] < 0.6 * told[0]
    assert book["perplexity"](model, book["ids"]["test"][:4000]) < 13


def test_kneser_ney_by_hand_and_on_some_characters(book):
    """Evidence counts them all, and finds the order and the discount of the page."""
    p = kneser_ney("abcab", 2, 0.5, 3)  # b follows a twice, one kind of pair
    assert np.isclose(p("ab"), (1.5 + 0.5 * (1 - 0.5 + 1.5 / 3) / 3) / 2)
    train, new = book["texts"]["train"][:30_000], book["texts"]["valid"][:2000]

    def counted(order, beta):
        p = kneser_ney(train, order, beta, len(book["KEPT"]))
        return np.exp(-np.log([p(gram) for gram in windows(new, order)]).mean())

    best = counted(5, 0.9)
    others = counted(5, 0.5), counted(5, 0.999), counted(3, 0.9)
    assert best < 0.98 * min(others), (best, others)


@few
@given(T=sizes, pairs=sizes)
def test_an_odd_dimension_is_refused(book, T, pairs):
    d = 2 * pairs - 1
    rotary = lambda: book["RotaryAttention"](3 * d, 3)(torch.ones(1, T, 3 * d))
    wrong = (
        lambda: book["sinusoids"](T, d),
        lambda: book["rotate"](torch.ones(T, d)),
        rotary,
        lambda: book["Transformer"](7, T, d, 1, 1, "sinusoid"),
    )
    for f in wrong:
        with pytest.raises(ValueError, match=f"expected an even dimension, got {d}"):
            f()
    assert book["sinusoids"](T, d + 1).shape == (T, d + 1)


@few
@given(
    kind=st.sampled_from(["learned", "sinusoid"]), room=st.integers(1, 6),
    read=st.integers(0, 6), more=st.integers(1, 3),
)  # fmt: skip
def test_a_place_past_the_last_is_refused(book, kind, room, read, more):
    model = book["Transformer"](7, room, 12, 2, 1, kind)
    read, model = min(read, room), book["with_cache"](model)
    x = torch.zeros(1, room + more, dtype=torch.long)
    if read:
        model(x[:, :read])
    with pytest.raises(IndexError, match="out of bounds"):
        model(x[:, read:], start=read)


FAULTS = [
    Fault("X.square().mean(dim=-1", "X.square().sum(dim=-1", "a sum in RMSNorm"),
    Fault("rotate(Q), rotate(K), V, is_causal", "rotate(Q), rotate(K), rotate(V), is_causal",
          "the values turn, too"),
    Fault("rotate(Q), rotate(K), V, is_causal", "rotate(Q), K, V, is_causal",
          "the keys do not turn"),
    Fault("return rotate(Q, start), rotate(K, start), V", "return rotate(Q, start), K, V",
          "the model's keys do not turn"),
    Fault("return rotate(Q, start), rotate(K, start), V",
          "return rotate(Q, start), rotate(K, start), rotate(V, start)",
          "the model's values turn, too"),
    Fault("return rotate(Q, start), rotate(K, start), V",
          "return rotate(Q, start), rotate(K, start).flip(-1), V",
          "the keys' entries in reverse"),
    Fault("return rotate(Q, start), rotate(K, start), V", "return rotate(Q), rotate(K), V",
          "a cached word turns as the first"),
    Fault("X = X + self.attention(self.norm_1(X))\n", "X = self.attention(self.norm_1(X))\n",
          "today's attention without a residual connection"),
    Fault("return X + self.down(F.silu(self.gate(Z)) * self.up(Z))",
          "return self.down(F.silu(self.gate(Z)) * self.up(Z))",
          "today's network without a residual connection"),
    Fault("F.silu(self.gate(Z)) * self.up(Z)", "self.gate(Z) * F.silu(self.up(Z))",
          "SiLU on the wrong side"),
    Fault("F.silu(self.gate(Z)) * self.up(Z)", "self.gate(Z) * self.up(Z)", "no SiLU"),
    Fault("Z = self.norm_2(X)\n", "Z = X\n", "today's second norm left out"),
    Fault("is_causal=True, enable_gqa", "is_causal=False, enable_gqa", "sees the future"),
    Fault("S = Q @ K.T / np.sqrt(Q.shape[1])", "S = Q @ K.T", "no scale"),
    Fault("A = softmax(S, axis=1)  # over", "A = softmax(S, axis=0)  # over", "wrong axis"),
    Fault("K.T @ Q / np.sqrt(len(Q)), axis=0", "K.T @ Q / np.sqrt(len(Q)), axis=1",
          "columns with a softmax of rows"),
    Fault("3 * T * d**2, 2 * T * d**2", "3 * T * d**2, T * d**2", "no product with the state"),
    Fault("4 * T * d**2 + 2 * T**2 * d\n", "3 * T * d**2 + 2 * T**2 * d\n", "no W_o counted"),
    Fault("Z.unflatten(-1, (self.h, -1)).transpose(1, 2)",
          "Z.unflatten(-1, (-1, self.h)).transpose(1, 3).transpose(2, 3)", "every h-th column"),
    Fault("/ Q.shape[-1] ** 0.5  # (N, h, T, S)", "/ self.W_q.in_features**0.5", "scale of the model"),  # noqa: E501
    Fault("S.masked_fill(~mask, -torch.inf)", "S.masked_fill(mask, -torch.inf)", "mask turned round"),  # noqa: E501
    Fault("S.masked_fill(~mask, -torch.inf)", "S.masked_fill(~mask, 0.0)", "masked scores of 0"),
    Fault("A = S.softmax(dim=-1)", "A = S.softmax(dim=-2)", "over the queries"),
    Fault("(A @ V).transpose(1, 2).flatten(2))  # (N, T, d)",
          "(A @ V).flatten(1).unflatten(1, (Q.shape[2], -1)))  # (N, T, d)",
          "joined without turning"),
    Fault("angle.sin(), angle.cos()], dim=-1", "angle.cos(), angle.sin()], dim=-1",
          "sine and cosine exchanged"),
    Fault("x * c + y * s, y * c - x * s", "x * c - y * s, y * c + x * s", "turned back"),
    Fault("x * c + y * s, y * c - x * s", "x * c + y * s, y * c + x * s", "no rotation"),
    Fault("torch.arange(start, start + T)[:, None]", "torch.arange(T)[:, None]", "start forgotten"),
    Fault("10000.0 ** (-torch.arange(0, d, 2).double() / d)",
          "10000.0 ** (-torch.arange(d // 2).double() / d)", "frequencies too close"),
    Fault("g * (X - mean) / std + b", "g * ((X - mean) / std + b)", "offset times gain"),
    Fault("((X - mean) ** 2).mean(axis=-1, keepdims=True) + eps)",
          "((X - mean) ** 2).sum(axis=-1, keepdims=True) + eps)", "sum for mean"),
    Fault("dX_hat.mean(axis=-1, keepdims=True) - X_hat * along", "X_hat * along", "no mean taken out"),  # noqa: E501
    Fault(" - X_hat * along) / std", ") / std", "no part along taken out"),
    Fault(" - X_hat * along) / std", " - X_hat * along) * std", "times the deviation"),
    Fault('"b": dY.sum(axis=rows)', '"b": dY.mean(axis=rows)', "mean for the offset"),
    Fault("X = self.add_1(X, self.attention(self.norm_1(X), mask=mask))\n            return",
          "X = self.attention(self.norm_1(X), mask=mask)\n            return",
          "no residual path"),
    Fault("self.feed_forward(self.norm_2(X)))\n        X = self.norm_1(self.add_1(X, self.attention(X, mask=mask)))\n        return",  # noqa: E501
          "self.feed_forward(X))\n        X = self.norm_1(self.add_1(X, self.attention(X, mask=mask)))\n        return",  # noqa: E501
          "second norm left out"),
    Fault('parts |= {"norm_c": "norm2", "norm_2": "norm3"}', 'parts |= {"norm_c": "norm3"}',
          "norms exchanged"),
    Fault("self.out.weight = self.embed.weight  # tied", "pass", "untied"),
    Fault("torch.ones(T, T, dtype=torch.bool).tril()",
          "torch.ones(T, T, dtype=torch.bool).tril(1)", "sees one ahead"),
    Fault("dtype=torch.bool).tril(done)", "dtype=torch.bool).tril(done + 1)",
          "sees one ahead, with a cache"),
    Fault("dtype=torch.bool).tril(done)", "dtype=torch.bool).tril()",
          "new word sees the first only"),
    Fault("torch.arange(start, start + T)  # IndexError", "torch.arange(T)  # IndexError",
          "every new word stands first"),
    Fault("K = torch.cat([self.K, K], dim=2)", "K = torch.cat([K, self.K], dim=2)",
          "new keys in front"),
    Fault("without = 6 * T * (T + 1) * d**2", "without = 12 * T * (T + 1) * d**2",
          "not half of the words on average"),
    Fault("(2 * T + 1) * d // 3", "(2 * T + 1) * d // 6", "no values mixed without a cache"),
    Fault("12 * T * d**2 + T * (T + 1) * d  # eq-17-cache", "12 * T * d**2 + 2 * T**2 * d",
          "every word meets all keys"),
    Fault("counter.get_total_flops() // 2", "counter.get_total_flops()", "counted twice"),
]  # fmt: skip

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """Self-attention, layer norm and an encoder block, by PyTorch's on the same work."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(256, 64))
    g, b = rng.normal(size=(2, 64))
    t = [torch.tensor(a) for a in (X, g, b)]
    ours = lambda: scope["layer_norm"](X, g, b)
    yield "layer norm", ours, lambda: F.layer_norm(t[0], (64,), *t[1:])
    Y = torch.randn(4, 64, 48, generator=torch.Generator().manual_seed(0))
    how = {
        "dropout": 0.0,
        "activation": "gelu",
        "batch_first": True,
        "norm_first": True,
    }
    theirs = nn.TransformerEncoderLayer(48, 4, 192, **how).train()
    block = scope["load_block"](scope["Block"](48, 4), theirs)
    yield "block, 64 words", lambda: block(Y), lambda: theirs(Y)
