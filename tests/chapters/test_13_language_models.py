"""The models of chapter 13 on texts the page does not use, and its checks put to the test."""

from collections import Counter

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chapter_code import ChapterCode, Fault, assert_near, autograd, catches

# What draws the curves of perplexity costs most and is read by few checks.
SPARE = (
    r"13-(ranks-checked|doubling-claim|drawn-check|string-net|cheat-run|delta-run|"
    r"added-checked|overfit-check|unknown-check|halves-run|halves-claim|counts-checked|"
    r"turing-alone-check|turing-amount|ex3-code)$"
)
chapter = ChapterCode("13_language_models", without=SPARE)
few = settings(deadline=None, max_examples=25)
seeds = st.integers(0, 2**32 - 1)
V = 6
texts = st.lists(
    st.lists(st.integers(3, V + 1), min_size=0, max_size=7).map(lambda s: [*s, 2]),
    min_size=1,
    max_size=8,
)
orders = st.integers(1, 4)


@pytest.fixture(scope="module")
def book():
    scope = chapter.namespace()
    scope["V"] = V
    return scope


@few
@given(sentences=texts, n=orders)
def test_counts_are_those_of_a_slow_count(book, sentences, n):
    slow = Counter()
    for s in sentences:
        padded = [1] * (n - 1) + s
        for t in range(len(s)):
            slow[tuple(padded[t : t + n])] += 1
    table = book["count"](sentences, n)
    fast = {(*u, w): m for u, after in table.items() for w, m in after.items()}
    assert fast == dict(slow)
    m_uw, m_u = book["counted"](table, sentences, n)
    p = book["probabilities"](lambda u: book["relative"](table, u, V + 2), sentences, n)
    assert_near(p, m_uw / m_u)
    assert_near(book["perplexity"](p), np.exp(-np.log(m_uw / m_u).mean()))


@few
@given(sentences=texts, n=orders, beta=st.floats(0.05, 0.95), seed=seeds)
def test_smoothed_models_are_distributions(book, sentences, n, beta, seed):
    rng = np.random.default_rng(seed)
    model, table = (
        book["kneser_ney"](sentences, n, V, beta),
        book["count"](sentences, n),
    )
    three = book["kneser_ney"](sentences, n, V)
    star = np.arange(200) + rng.uniform(0.01, 1)
    contexts = [*table, *rng.integers(1, V + 2, (5, n - 1)).tolist()]
    for u in contexts:
        for p in (model(u), three(u), book["replaced"](table, u, star)):
            assert p.shape == (V + 2,)
            assert_near(p.sum(), 1.0)
            assert (p[2:] > 0).all() and not p[:2].any()


@few
@given(sentences=texts, beta=st.floats(0.05, 0.95))
def test_pairs_of_kneser_ney_equal_the_formula(book, sentences, beta):
    model, table = (
        book["kneser_ney"](sentences, 2, V, beta),
        book["count"](sentences, 2),
    )
    contexts = np.zeros(V + 2)
    for after in table.values():
        contexts[list(after)] += 1
    uniform = np.r_[0, 0, np.full(V, 1 / V)]
    types = (contexts > 0).sum()
    q = (
        np.maximum(contexts - beta, 0) / contexts.sum()
        + beta * types / contexts.sum() * uniform
    )
    for u, after in table.items():
        m = np.zeros(V + 2)
        m[list(after)] = list(after.values())
        expected = np.maximum(m - beta, 0) / m.sum() + beta * len(after) / m.sum() * q
        assert_near(model(u), expected)


@few
@given(seed=seeds, N=st.integers(1, 5), n=st.integers(2, 5), D=st.integers(1, 4))
def test_the_window_model_equals_torch(book, seed, N, n, D):
    rng, H = np.random.default_rng(seed), 3
    P = book["start"](n, D, H, rng)
    contexts, w = rng.integers(0, V + 2, (N, n - 1)), rng.integers(0, V + 2, N)

    def loss(E, W_x, b, W_o, b_o):
        X = F.embedding(torch.tensor(contexts), E).reshape(N, -1)
        return F.cross_entropy(torch.tanh(X @ W_x + b) @ W_o + b_o, torch.tensor(w))

    assert_near(book["word_loss"](P, contexts, w), autograd(loss, *P))


@few
@given(seed=seeds, tau=st.floats(0.2, 3), k=st.integers(1, 7))
def test_temperature_and_top_k(book, seed, tau, k):
    scores = np.random.default_rng(seed).normal(size=7)
    p = F.softmax(torch.tensor(scores), dim=0).numpy()
    logits = torch.tensor(scores) / tau
    largest = logits.topk(k).indices
    mask = torch.full((7,), -torch.inf, dtype=torch.float64)
    mask[largest] = 0
    assert_near(book["shaped"](p, tau, k), F.softmax(logits + mask, dim=0))


@few
@given(seed=seeds, T=st.integers(1, 9), N=st.integers(1, 4), M=st.integers(60, 120))
def test_pieces_are_used_once_and_shifted_by_one(book, seed, T, N, M):
    tokens = np.arange(M)
    for way in ("random_pieces", "consecutive_pieces"):
        batches = list(book[way](tokens, T, N, np.random.default_rng(seed)))
        used = np.concatenate([X.ravel() for X, _ in batches])
        assert len(set(used)) == len(used)
        assert all((Y == X + 1).all() and X.shape == (N, T) for X, Y in batches)


def test_discounts_and_rate_of_the_contest_are_the_best_on_400_sentences(book):
    """Evidence searches them again on all sentences, with the start and the dropout."""
    chapter.run("13-corpus", book)
    vocab, train, valid, _ = book["parts"](0)
    train, valid, words = train[:400], valid[:100], len(vocab)
    new = book["windows"](valid, 4)

    def counted(beta):
        model = book["kneser_ney"](train, 4, words - 2, beta)
        return book["perplexity"](book["probabilities"](model, valid, 4))

    three, low, middle = map(counted, (None, 0.75, 0.85))
    assert three < 0.98 * middle and middle < 0.98 * low, (three, low, middle)

    def learned(lr):
        p = book["guess"](book["fit"](train, words, lr=lr, epochs=4), new[:, :-1])
        return book["perplexity"](p[np.arange(len(new)), new[:, -1]])

    low, best, high = map(learned, (0.005, 0.02, 0.1))
    assert best < 0.95 * min(low, high), (low, best, high)


@few
@given(seed=seeds, k=st.integers(1, 7), ties=st.booleans())
def test_temperature_zero_takes_the_best_word(book, seed, k, ties):
    p = np.random.default_rng(seed).dirichlet(np.ones(7))
    p = p.round(1) + 0.1 if ties else p
    greedy = F.one_hot(torch.tensor(p / p.sum()).argmax(), 7).double()
    assert_near(book["shaped"](p / p.sum(), 0.0, k), greedy)
    by_best = lambda u: p / p.sum()
    written = book["sample"](by_best, 2, np.random.default_rng(1), tau=0, longest=3)
    assert written == [int(p.argmax())] * (1 if p.argmax() == 2 else 3)


@few
@given(seed=seeds, share=st.sampled_from([0.0, 1.0]))
def test_dropping_nothing_or_all_equals_torch(book, seed, share):
    A = np.random.default_rng(seed).normal(size=(3, 5))
    ours = lambda A: book["dropped"](A, share, torch.Generator().manual_seed(seed))
    assert_near(autograd(ours, A), autograd(lambda A: F.dropout(A, share), A))


def test_no_number_is_dropped_at_share_zero_not_even_where_zero_is_drawn(
    book, monkeypatch
):
    monkeypatch.setattr(torch, "rand", lambda shape, generator: torch.zeros(shape))
    assert book["dropped"](torch.ones(3), 0.0, None).tolist() == [1, 1, 1]


@few
@given(n=orders)
def test_no_sentences_have_no_windows(book, n):
    assert book["windows"]([], n).shape == (0, n)
    assert book["count"]([], n) == {}
    assert [a.shape for a in book["counted"]({}, [], n)] == [(0,), (0,)]
    assert_near(book["kneser_ney"]([], n, V)((1,) * (n - 1))[2:], np.full(V, 1 / V))


@few
@given(
    counts=st.lists(st.integers(1, 9), min_size=1, max_size=V), top=st.integers(1, 5)
)
def test_good_turing_is_finite_where_a_count_never_occurs(book, counts, top):
    star, freq = book["turing"]({(3,): dict(enumerate(counts, 2))}, 2, top)
    assert np.isfinite(star).all()
    for r in range(1, top + 1):
        n_r, n_next = counts.count(r), counts.count(r + 1)
        assert freq[r] == n_r and (not n_r or star[r] == (r + 1) * n_next / n_r)


FAULTS = [
    Fault("pairs[pair] += word_counts[word]", "pairs[pair] += 1", "words, not tokens"),
    Fault("            i += 2\n        else", "            i += 1\n        else",
          "a piece is used twice"),
    Fault("joined.append(pieces[i])\n            i += 1", "i += 1", "a piece is lost"),
    Fault("padded = [[BOS] * (n - 1)", "padded = [[BOS] * n", "one <bos> too many"),
    Fault("after.get(w, 0) + 1", "1", "each pair once"),
    Fault("total.get(u, 0)))", "1))", "no denominator"),
    Fault("m_uw / sum(after.values())", "m_uw / len(after)", "types for tokens"),
    Fault("np.exp(-np.log(p).mean())", "np.exp(-np.log2(p).mean())", "bits for nats"),
    Fault("np.exp(-np.log(p).mean())", "1 / p.mean()", "the arithmetic mean"),
    Fault("(m_uw + delta) / (m_u + delta * V)", "(m_uw + delta) / (m_u + delta)", "no V"),
    Fault("p = np.full(V + 2, star[0])", "p = np.zeros(V + 2)", "nothing for the unseen"),
    Fault("p[:2] = 0  # <pad>", "p[:1] = 0  # <pad>", "<bos> is guessed"),
    Fault("= (r + 1) * freq[r + 1] / seen", "= r * freq[r + 1] / seen", "r for r + 1"),
    Fault("= (r + 1) * freq[r + 1] / seen", "= (r + 1) * freq[r] / freq[r + 1]", "inverted"),
    Fault("float(V) ** n - freq.sum()", "float(V) ** n", "the seen counted as unseen"),
    Fault("taken.sum() / m.sum()", "taken.mean() / m.sum()", "one discount given back"),
    Fault("(m - taken) / m.sum()", "m / m.sum()", "nothing taken"),
    Fault("np.minimum(m, 3)", "np.minimum(m, 2)", "two discounts"),
    Fault("(freq[1] + 2 * freq[2])", "(freq[1] + freq[2])", "the factor Y"),
    Fault("Y * (r + 1) * freq[r + 1]", "Y * r * freq[r + 1]", "r for r + 1 in the discounts"),
    Fault("A * kept / keep", "A * kept", "dropout without enlarging"),
    Fault("Counter(gram[1:] for gram in grams)",
          "Counter(gram[1:] for gram in grams.elements())", "how often for how many"),
    Fault("kept = np.maximum(m - beta, 0)", "kept = np.maximum(m, 0)", "nothing taken by hand"),
    Fault("beta * (m > 0).sum()", "beta * m.sum()", "a discount for each token"),
    Fault("emit[:, 3:] = (1 - stop) * np.kron", "emit[:, 3:] = np.kron", "sums above 1"),
    Fault("visits @ H / visits.sum()", "H.mean()", "states without their visits"),
    Fault("identity - step.T", "identity - step", "steps the other way round"),
    Fault("state = after[state, w]", "state = after[0, w]", "a source that forgets"),
    Fault("np.full(V, 1 / V)", "np.full(V, 1 / (V + 2))", "two words too many"),
    Fault("Counter(gram[1:] for gram in grams)", "Counter(gram[:-1] for gram in grams)",
          "contexts for words"),
    Fault("(1 - h**2)", "(1 - h)", "slope of tanh"),
    Fault("np.add.at(dE, contexts, dX)", "dE[contexts] = dX", "only the last place"),
    Fault("h.T @ dZ, dZ.sum(axis=0)", "h.T @ dZ, dZ.mean(axis=0)", "mean for sum in db_o"),
    Fault("(p - np.eye(p.shape[1])[w]) / len(w)", "(p - np.eye(p.shape[1])[w])", "no 1/N"),
    Fault("lr * (1 - step / steps)", "-lr * (1 - step / steps)", "uphill"),
    Fault("** (1 / tau)", "** tau", "temperature inverted"),
    Fault("[k:]] = 0", "[: -k]] = 0", "the least probable kept"),
    Fault("return out[n - 1 :]", "return out", "<bos> returned"),
    Fault("tokens[1 : 1 + N", "tokens[2 : 2 + N", "shifted by two"),
    Fault("yield tokens[at], tokens[at + 1]", "yield tokens[at], tokens[at]", "no shift"),
    Fault("range(0, length - size + 1, size)", "range(0, length - size + 1, 1)", "overlapping"),
]  # fmt: skip

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """The window model forward and backward, and a look-up."""
    rng = np.random.default_rng(0)
    scope["V"] = 1000
    P = [p.astype(np.float32) for p in scope["start"](4, 32, 64, rng)]
    contexts, w = rng.integers(0, 1002, (128, 3)), rng.integers(0, 1002, 128)
    net = scope["Window"](4, 32, 64, 1002)
    inputs, targets = torch.tensor(contexts), torch.tensor(w)
    ours = lambda: scope["word_loss"](P, contexts, w)
    yield (
        "window model, both ways",
        ours,
        lambda: F.cross_entropy(net(inputs), targets).backward(),
    )
