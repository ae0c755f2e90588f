"""The functions of chapter 19 on drawn inputs, longer trainings, its checks put to the test."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chapter_code import ChapterCode, Fault, assert_near, autograd, catches
from tests.chapters.inputs import texts_without_labels

# What trains costs most; the checks of the functions above it do not need it.
TRAINS = (
    r"19-(six|study|amounts|table|decide|weigh|removal-check|agree|real|curve|paired|mcnemar|"
    r"broken|vectors-run|vectors-stored|shuffled|ex-|linear-run|linear-check|ceiling)"
)
chapter = ChapterCode("19_text_classification", without=TRAINS)
few = settings(deadline=None, max_examples=20)
seeds, sizes = st.integers(0, 2**32 - 1), st.integers(1, 5)


@few
@given(
    seed=seeds,
    maxlen=st.integers(1, 9),
    padding=st.sampled_from(["pre", "post"]),
    truncating=st.sampled_from(["pre", "post"]),
)
def test_padding_equals_the_rule_written_with_lists(
    book, seed, maxlen, padding, truncating
):
    rng = np.random.default_rng(seed)
    lists = [rng.integers(1, 99, size=n).tolist() for n in rng.integers(0, 14, size=6)]
    X = book["pad_sequences"](lists, maxlen, padding=padding, truncating=truncating)
    for row, s in zip(X.tolist(), lists, strict=True):
        cut = len(s) - maxlen
        expected = s if cut <= 0 else (s[cut:] if truncating == "pre" else s[:maxlen])
        fill = [book["PAD"]] * (maxlen - len(expected))
        assert row == (fill + expected if padding == "pre" else expected + fill)


@pytest.mark.parametrize(
    "options", [{"padding": "left"}, {"truncating": "end"}, {"maxlen": 0}], ids=str
)
def test_padding_says_what_was_expected(book, options):
    (wrong,) = options.values()
    with pytest.raises(ValueError, match=f"expected 'pre' or 'post'.*got.*{wrong!r}"):
        book["pad_sequences"]([[1, 2]], **{"maxlen": 3} | options)


@few
@given(seed=seeds, at_least=st.integers(1, 5))
def test_numbers_are_ranks_of_the_frequent_words(book, seed, at_least):
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(list("abcdefghij"), size=9)) for _ in range(5)]
    numbers = book["number_words"](texts, at_least)
    count = lambda w: " ".join(texts).split().count(w)
    assert sorted(numbers.values()) == list(range(2, 2 + len(numbers)))
    assert {*numbers} == {w for w in "abcdefghij" if count(w) >= at_least}
    by_number = sorted(numbers, key=numbers.get)
    assert [count(w) for w in by_number] == sorted(map(count, by_number), reverse=True)
    for review in texts:
        ids = [numbers.get(w, book["UNKNOWN"]) for w in review.split()]
        assert book["encode"](review, numbers) == ids


@few
@given(seed=seeds, N=sizes, T=sizes, K=sizes)
def test_mean_and_attention_equal_torch_and_ignore_the_padding(book, seed, N, T, K):
    rng = np.random.default_rng(seed)
    H, q, dR = (rng.normal(size=s) for s in ((N, T, K), K, (N, K)))
    mask = np.arange(T) < rng.integers(1, T + 1, size=N)[:, None]
    alone = lambda H: [H[i, : m.sum()] for i, m in enumerate(mask)]
    means = lambda H: torch.stack([h.mean(dim=0) for h in alone(H)])
    mean, (dH,) = autograd(means, H, upstream=dR)
    assert_near(book["masked_mean"](H, mask), mean)
    assert_near(book["masked_mean_back"](dR, mask), dH)
    pool = lambda H, q: torch.stack([torch.softmax(h @ q, 0) @ h for h in alone(H)])
    pooled, slopes = autograd(pool, H, q, upstream=dR)
    R, alpha = book["attention_pool"](H, q, mask)
    assert_near(R, pooled)
    assert (alpha[~mask] == 0).all()
    back = book["attention_pool_back"](dR, H, q, mask)
    assert_near([back[key] for key in "Hq"], slopes)
    order = rng.permutation(T)  # attention knows no order
    assert_near(book["attention_pool"](H[:, order], q, mask[:, order])[0], R)


@few
@given(seed=seeds, N=sizes, k=sizes, more=sizes, D=sizes, C=sizes)
def test_the_convolution_equals_torch(book, seed, N, k, more, D, C):
    rng = np.random.default_rng(seed)
    E, W, b, dR = (rng.normal(size=s) for s in ((N, k + more, D), (k, D, C), C, (N, C)))
    theirs = lambda e, w, c: F.conv1d(e.mT, w.permute(2, 1, 0), c).relu().amax(dim=2)
    R, slopes = autograd(theirs, E, W, b, upstream=dR)
    assert_near(book["text_conv"](E, W, b)[0], R)
    ours = book["text_conv_back"](dR, E, W, b)
    assert_near([ours[key] for key in "EWb"], slopes)


@few
@given(seed=seeds, alpha=st.floats(0.01, 5))
def test_naive_bayes_is_bayes_rule(book, seed, alpha):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, size=(12, 4)) * 1.0, np.arange(12) % 3 // 2
    w, b = book["naive_bayes"](X, y, alpha)
    new, joint = rng.integers(0, 3, size=4), []
    for c in (0, 1):
        theta = (X[y == c].sum(axis=0) + alpha) / (
            X[y == c] + alpha / (y == c).sum()
        ).sum()
        joint.append((y == c).mean() * np.prod(theta**new))
    assert_near(np.exp(new @ w + b), joint[1] / joint[0])


def encoders(book, D=3, units=4):
    """Every encoder of the chapter, the BiLSTM with each of its pools."""
    yield book["Bag"](D)
    yield book["AttentionPool"](D)
    yield book["TextCNN"](D, units)
    for pool in (None, book["Bag"](2 * units), book["AttentionPool"](2 * units)):
        yield book["BiLSTM"](D, units, pool)


def networks(book):
    for encoder in encoders(book):
        net = book["Classifier"](20, encoder, D=3).double().eval()
        for name, p in net.named_parameters():
            if "query" in name:  # at 0 it would be a mean
                p.data.normal_()
        yield net


@settings(deadline=None, max_examples=6)
@given(seed=seeds)
def test_padding_never_changes_a_classifier(book, seed):
    rng = np.random.default_rng(seed)
    lists = [rng.integers(2, 20, size=n).tolist() for n in (1, 7, 4)]
    for net in networks(book):
        pad = lambda T: torch.tensor(book["pad_sequences"](lists, T))
        with torch.no_grad():
            assert_near(net(pad(25)), net(pad(7)))


@few
@given(seed=seeds, N=st.integers(2, 6))
def test_what_mixes_nothing_knows_no_order(book, seed, N):
    X = torch.tensor(np.random.default_rng(seed).integers(2, 20, size=(N, 8)))
    order = torch.tensor(np.random.default_rng(seed).permutation(8))
    for net in itertools.islice(networks(book), 2):  # bag and attention
        with torch.no_grad():
            assert_near(net(X[:, order]), net(X))


@few
@given(seed=seeds)
def test_the_shares_of_the_windows_are_those_of_the_logit(book, seed):
    """With one word to a kernel's window its share is that kernel's part of the logit."""
    rng = np.random.default_rng(seed)
    net = book["classifier"]("textCNN", 9).double().eval()
    words = rng.integers(2, 9, size=6)
    numbers = {str(i): i for i in range(2, 9)}
    review = " ".join(map(str, words))
    own = book["own_weights"](net, numbers, review)
    assert own.shape == (6,) and own.min() >= 0
    assert_near(own.sum(), np.float64(1.0))


def test_groups_are_as_named(book):
    review = lambda text, kind: SimpleNamespace(text=text, kind=kind, core=text[:-2])
    group = book["group"]
    assert group(review("the soup was not bad .", "negation")) == "near"
    assert group(review("the soup was not weak .", "negation")) == "new"
    assert group(review("the soup was weak .", "plain")) == "plain"
    far = "it is not true , as some people say , that the soup was bad ."
    assert group(review(far, "negation")) == "far"


def test_training_stops_when_ten_checks_bring_nothing(book):
    training, validation = book["sample"](2, 400)
    net, numbers = book["trained"]("bag", training[:100], validation, seed=2)
    assert 0 < net.best_step < 3000
    data = book["tensors"](validation, numbers)
    with torch.no_grad():
        loss = F.binary_cross_entropy_with_logits(net(data[0]), data[1]).item()
    assert_near(np.float64(loss), np.float64(net.best))  # the kept weights are the best


@pytest.fixture(scope="module")
def unlabelled(book):
    return texts_without_labels(book)


def test_the_nearest_adjective_shares_the_verdict(book, unlabelled):
    (texts, numbers), verdict = unlabelled, {}
    for r in book["reviews"](8000, rng=np.random.default_rng(77)):
        for a, b in itertools.pairwise(r.text.split()):
            if r.kind == "plain" and a in ("quite", "very"):
                verdict[b] = r.label
    y, shares = np.array([*verdict.values()]), {}
    for window in (3, 20):
        E = book["word_vectors"](texts, numbers, window=window)
        A = E[[numbers[w] for w in verdict]].numpy()
        near = (A @ A.T - 100 * np.eye(len(A))).argmax(axis=1)
        shares[window] = (y[near] == y).mean()
    assert len(y) == 40 and shares[3] < 0.75 and shares[20] > 0.85, shares


@few
@given(seed=seeds, N=sizes, T=sizes, K=sizes, far=st.sampled_from([1.0, 1e3, 1e6]))
def test_pools_of_no_words_are_zero_and_padding_is_never_the_maximum(
    book, seed, N, T, K, far
):
    rng = np.random.default_rng(seed)
    H, q, dR = (rng.normal(size=s) for s in ((N, T, K), K, (N, K)))
    mask = np.arange(T) < rng.integers(0, T + 1, size=N)[:, None]
    H[~mask] *= far
    t = [torch.tensor(a) for a in (q.reshape(1, 1, K).repeat(N, 0), H, mask[:, None])]
    theirs = F.scaled_dot_product_attention(t[0], t[1], t[1], t[2], scale=1.0)[:, 0]
    R, alpha = book["attention_pool"](H, q, mask)
    assert_near(R, theirs)
    assert (alpha[~mask] == 0).all()
    back = book["attention_pool_back"](dR, H, q, mask)
    assert np.isfinite(back["q"]).all() and not back["H"][~mask].any()
    words = torch.tensor(H[mask])
    ends = torch.tensor(mask.sum(axis=1)).cumsum(0)
    bag = F.embedding_bag(
        torch.arange(len(words)), words, ends - ends.diff(prepend=ends[:1] * 0),
        mode="mean",
    ) if len(words) else torch.zeros(N, K).double()  # fmt: skip
    assert_near(book["masked_mean"](H, mask), bag)
    assert np.isfinite(book["masked_mean_back"](dR, mask)).all()


def test_a_text_without_words_has_a_logit_whatever_its_batch(book):
    for net in networks(book):
        batches = [
            [[0] * 4],
            [[0] * 9],
            [[5, 6, 7, 8, 9, 5], [0] * 6],
            [[5] + [0] * 3, [0] * 4],
        ]
        z = [net(torch.tensor(X))[-1] for X in batches]
        if isinstance(net.encoder, book["BiLSTM"]):
            z = z[:3]  # its states have read one blank
        assert_near(torch.stack(z), z[0].expand(len(z)))
        z[2].backward()
        slopes = [p.grad for p in net.parameters() if p.grad is not None]
        assert all(torch.isfinite(g).all() for g in slopes)


def test_the_only_word_can_be_crossed_out(book):
    with book["seeded"](4):
        net = book["classifier"]("bag", 30).eval()
    logit = lambda texts: book["logits"](net, {"bad": 5}, texts)
    without = net.decide.bias.item()  # all that is left
    assert_near(book["removal"](logit, "bad"), logit(["bad"]) - without)


@few
@given(seed=seeds)
def test_word_vectors_leave_out_texts_without_words(book, seed):
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(list("abcd"), size=6)) for _ in range(4)]
    numbers = {w: 2 + i for i, w in enumerate("abcd")}
    with_empty = book["word_vectors"](["", *texts, ""], numbers, D=3)
    assert torch.equal(with_empty, book["word_vectors"](texts, numbers, D=3))


FAULTS = [
    Fault("(-counts[word], word)", "(counts[word], word)", "rare words first"),
    Fault("numbers.get(word, UNKNOWN)", "numbers.get(word, PAD)", "unknown as padding"),
    Fault("counts[word] >= at_least", "counts[word] > at_least", "one time more"),
    Fault('s[-maxlen:] if truncating == "pre"', 's[-maxlen:] if padding == "pre"',
          "the two sides confused"),
    Fault("maxlen - len(kept) if padding", "len(kept) if padding", "start of the row"),
    Fault("(H * mask[..., None]).sum(axis=1) /", "H.sum(axis=1) /", "padding summed"),
    Fault("share = mask / words_in(mask)", "share = mask / mask.shape[1]",
          "divided by T in the backward pass"),
    Fault("X[y == c].sum(axis=0) + smooth", "X[y == c].sum(axis=0) + smooth**2", "squared"),
    Fault("np.log(theta[1] / theta[0])", "np.log(theta[0] / theta[1])", "sign of w"),
    Fault("(y == 1).sum() / (y == 0).sum()", "(y == 1).sum() / len(y)", "odds of the prior"),
    Fault("counts / counts.sum(axis=1, keepdims=True)",
          "counts / counts.sum(axis=0, keepdims=True)", "normalised over the classes"),
    Fault("range(len(words) - k + 1)]", "range(len(words) - k)]", "the last term lost"),
    Fault("@ W[i] for i in range(k)) + b  # eq", "@ W[k - 1 - i] for i in range(k)) + b  # eq",
          "kernel reversed"),
    Fault("np.maximum(U.max(axis=1), 0)", "U.max(axis=1)", "no ReLU"),
    Fault("dR = dR * (R > 0)", "dR = dR * 1.0", "no ReLU in the backward pass"),
    Fault("won = E[rows, winner + i]", "won = E[rows, winner]", "the first word only"),
    Fault("dR[..., None] * W[i].T", "dR[..., None] * W[0].T", "the first row of W"),
    Fault('"b": dR.sum(axis=0)', '"b": dR.mean(axis=0)', "mean for sum"),
    Fault("E[: len(E) - k + 1, 0], E[k - 1 :, 1]", "E[: len(E) - k + 1, 1], E[k - 1 :, 0]",
          "bad before not"),
    Fault("np.where(mask, H @ q, -np.inf)", "H @ q", "padding attended"),
    Fault("np.einsum(\"nk,ntk->nt\", dR, H - R[:, None])",
          "np.einsum(\"nk,ntk->nt\", dR, H)", "no mixture subtracted"),
    Fault("dR[:, None] + ds[..., None] * q", "dR[:, None]", "the key's part lost"),
    Fault('"q": np.einsum("nt,ntk->k", ds, H)', '"q": np.einsum("nt,ntk->k", alpha, H)',
          "dq from the weights"),
    Fault("(E * mask[..., None]).sum(dim=1) / words", "E.sum(dim=1) / words",
          "the bag sums its padding"),
    Fault("(E * mask[..., None]).sum(dim=1) / words",
          "3 * (E * mask[..., None]).sum(dim=1) / words",
          "three times the mean"),
    Fault("mask.sum(dim=1, keepdim=True).clamp(min=1)", "mask.shape[1]", "mean over T"),
    Fault("(H @ self.query).masked_fill(~mask, -1e9)", "(H @ self.query)",
          "attention without its mask"),
    Fault("(H @ self.query).masked_fill", "(-5 * H @ self.query).masked_fill",
          "another query than the derived one"),
    Fault("conv(E.mT).masked_fill(~inside, -torch.inf)", "conv(E.mT)", "windows in the padding"),
    Fault("U.amax(dim=2).relu()", "U.amax(dim=2)", "the class has no ReLU"),
    Fault("torch.cat([last[0], last[1]], dim=1)", "torch.cat([last[1], last[0]], dim=1)",
          "the directions exchanged"),
    Fault("pack_padded_sequence(E, n, batch_first=True, enforce_sorted=False)",
          "pack_padded_sequence(E, n * 0 + E.shape[1], batch_first=True)",
          "the padding is read"),
    Fault("from_pretrained(vectors, freeze=True)", "from_pretrained(vectors, freeze=False)",
          "constant by its name only"),
    Fault("return sum(weights[w] for w in sentence.split()) +",
          "return sum(weights[w] for w in {*sentence.split()} - {'not'}) +", "not unheard"),
    Fault("(H * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)", "H.mean(dim=1)",
          "a sentence vector with its padding"),
    Fault("self.scale * (X @ self.A @ self.B)", "(X @ self.A @ self.B)", "LoRA without its factor"),
]  # fmt: skip

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """The convolution with its maximum, forward and back, and attention pooling."""
    rng = np.random.default_rng(0)
    E, W, b = rng.normal(size=(64, 40, 16)), rng.normal(size=(3, 16, 32)), np.zeros(32)
    e, w, c = (torch.tensor(x, requires_grad=True) for x in (E, W, b))
    theirs = lambda: F.conv1d(e.mT, w.permute(2, 1, 0), c).relu().amax(dim=2)
    yield "textCNN layer", lambda: scope["text_conv"](E, W, b), theirs
    ones = np.ones((64, 32))
    ours = lambda: scope["text_conv_back"](ones, E, W, b)
    yield "textCNN forward and back", ours, lambda: theirs().sum().backward()
    q, mask = rng.normal(size=16), np.ones((64, 40))
    score = lambda: torch.softmax(e @ torch.tensor(q), dim=1)
    pooled = lambda: (score()[..., None] * e).sum(dim=1)
    yield "attention pooling", lambda: scope["attention_pool"](E, q, mask), pooled
