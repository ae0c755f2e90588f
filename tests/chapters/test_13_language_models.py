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
    r"added-checked|overfit-check|halves-made|counts-checked|"
    r"equal-check|one-check|halves-discount|overlap-check|frequencies-check|"
    r"ex3-code)$"
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
    table = book["count_ngrams"](sentences, n)
    fast = {(*u, w): m for u, after in table.items() for w, m in after.items()}
    assert fast == dict(slow)
    m_uw, m_u = book["look_up_counts"](table, sentences, n)
    p = book["probabilities"](lambda u: book["relative"](table, u, V + 2), sentences, n)
    assert_near(p, m_uw / m_u)
    assert_near(book["perplexity"](p), np.exp(-np.log(m_uw / m_u).mean()))


@few
@given(sentences=texts, n=orders, beta=st.floats(0.05, 0.95), seed=seeds)
def test_smoothed_models_are_distributions(book, sentences, n, beta, seed):
    rng = np.random.default_rng(seed)
    model = book["KneserNey"](sentences, n, V, beta).probabilities
    three = book["KneserNey"](sentences, n, V).probabilities
    table = book["count_ngrams"](sentences, n)
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
    model = book["KneserNey"](sentences, 2, V, beta).probabilities
    table = book["count_ngrams"](sentences, 2)
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
    P = book["initialise"](n, D, H, rng)
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

    def counted(beta):
        model = book["KneserNey"](train, 4, words - 2, beta).probabilities
        return book["perplexity"](book["probabilities"](model, valid, 4))

    three, low, middle = map(counted, (None, 0.75, 0.85))
    assert three < 0.98 * middle and middle < 0.98 * low, (three, low, middle)

    def learned(lr):
        net = book["Window"](4, 64, 64, words)
        book["fit"](net, train, lr=lr, epochs=4)
        return book["perplexity"](book["by_net"](net, valid))

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
@given(seed=seeds, share=st.floats(0.01, 1.0))
def test_top_p_and_min_p_keep_the_most_probable_words(book, seed, share):
    p = np.random.default_rng(seed).dirichlet(np.ones(7))
    for name in ("top_p", "min_p"):
        q = book[name](p, share)
        kept = q > 0
        assert_near(q.sum(), 1.0)
        assert kept[p.argmax()] and (kept.all() or p[kept].min() > p[~kept].max())
        assert_near(q[kept] / q.max(), p[kept] / p.max())
        if name == "top_p":  # enough, and without the last not enough
            assert p[kept].sum() > share - 1e-9
            assert kept.sum() == 1 or p[kept].sum() - p[kept].min() < share
        else:
            assert (kept == (p >= share * p.max())).all()


WORDS = st.text(st.sampled_from("aab é神🙂\n-"), max_size=12)


@few
@given(read=st.lists(WORDS, min_size=1, max_size=5), new=st.text(max_size=30))
def test_byte_pairs_give_every_text_back(book, read, new):
    counts = Counter(word for line in read for word in book["WORD"].findall(line))
    merges = book["learn_merges"](counts, 5)
    for line in (*read, new):
        assert book["decode"](book["encode"](line, merges)) == line


def test_merges_are_those_of_a_slow_count(book):
    counts = Counter({" abab": 3, " bab": 2, "cab": 4})
    pieces, slow = {word: list(word) for word in counts}, []
    for _ in range(4):
        pairs = Counter()
        for word, cut in pieces.items():
            for i in range(len(cut) - 1):
                pairs[cut[i], cut[i + 1]] += counts[word]
        best = max(pairs, key=pairs.get)
        slow.append(tuple(piece.encode() for piece in best))
        for cut in pieces.values():
            i = 0
            while i < len(cut) - 1:
                if (cut[i], cut[i + 1]) == best:
                    cut[i : i + 2] = ["".join(best)]
                i += 1
    assert book["learn_merges"](counts, 4) == slow


@few
@given(n=orders)
def test_no_sentences_have_no_windows(book, n):
    assert book["windows"]([], n).shape == (0, n)
    assert book["count_ngrams"]([], n) == {}
    assert [a.shape for a in book["look_up_counts"]({}, [], n)] == [(0,), (0,)]
    assert_near(
        book["KneserNey"]([], n, V).probabilities((1,) * (n - 1))[2:], np.full(V, 1 / V)
    )


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
    Fault("pairs[pair] += count", "pairs[pair] += 1", "words, not tokens"),
    Fault("for pair in merges:", "for pair in merges[::-1]:", "merges in reverse order"),
    Fault('b"".join(tokens)', 'b" ".join(tokens)', "a blank between the tokens"),
    Fault('len(s.encode("utf-8")) + 1', 'len(s.encode("utf-8"))', "no byte for the end"),
    Fault("-np.log2(p).sum() / written", "-np.log(p).sum() / written", "nats per byte"),
    Fault("np.cumsum(p[order]) - p[order]", "np.cumsum(p[order])", "one word too few"),
    Fault("p >= share * p.max()", "p >= share", "a threshold that knows no best word"),
    Fault("            i += 2\n        else", "            i += 1\n        else",
          "a piece is used twice"),
    Fault("joined.append(pieces[i])\n            i += 1", "i += 1", "a piece is lost"),
    Fault("padded = [[BOS] * (n - 1)", "padded = [[BOS] * n", "one <bos> too many"),
    Fault("after.get(w, 0) + 1", "1", "each pair once"),
    Fault("total.get(u, 0)))", "1))", "no denominator"),
    Fault("m_u = sum(after.values())", "m_u = len(after)", "types for tokens"),
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
    Fault("self.drop_numbers(self.look_up(contexts).flatten(1))",
          "self.look_up(contexts).flatten(1)", "no dropout of the rows"),
    Fault("net.train()", "net.eval()", "dropout never in use"),
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
    Fault("(optimiser, 1.0, 0.0, steps)", "(optimiser, 1.0, 0.9, steps)", "hardly falls"),
    Fault("F.cross_entropy(Z, data[rows, -1]).backward()",
          "(-F.cross_entropy(Z, data[rows, -1])).backward()", "uphill"),
    Fault("** (1 / tau)", "** tau", "temperature inverted"),
    Fault("[k:]] = 0", "[: -k]] = 0", "the least probable kept"),
    Fault("return out[n - 1 :]", "return out", "<bos> returned"),
    Fault("rng.permutation((len(tokens) - 1) // size)",
          "np.arange((len(tokens) - 1) // size)", "pieces in order"),
    Fault("of_them[0] = float(V) ** n - sum", "of_them[0] = float(V) ** n + sum", "too many new"),
    Fault("tokens[1 : 1 + N", "tokens[2 : 2 + N", "shifted by two"),
    Fault("yield tokens[at], tokens[at + 1]", "yield tokens[at], tokens[at]", "no shift"),
    Fault("range(0, length - size + 1, size)", "range(0, length - size + 1, 1)", "overlapping"),
]  # fmt: skip

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """The window model forward and backward, and a look-up."""
    rng = np.random.default_rng(0)
    scope["V"] = 1000
    P = [p.astype(np.float32) for p in scope["initialise"](4, 32, 64, rng)]
    contexts, w = rng.integers(0, 1002, (128, 3)), rng.integers(0, 1002, 128)
    net = scope["Window"](4, 32, 64, 1002, drop=(0.0, 0.0))
    inputs, targets = torch.tensor(contexts), torch.tensor(w)
    ours = lambda: scope["word_loss"](P, contexts, w)
    yield (
        "window model, both ways",
        ours,
        lambda: F.cross_entropy(net(inputs), targets).backward(),
    )
