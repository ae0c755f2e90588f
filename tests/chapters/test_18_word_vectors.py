"""The cells of chapter 18 on inputs the page does not use, and its checks put to the test."""

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import nn

from tests.chapter_code import ChapterCode, Fault, assert_near, autograd, catches
from tests.chapters.inputs import with_relations

# What trains costs most, and no check of the functions above it reads what comes out.
TRAINS = (
    r"18-(company|first|drawn-train|alone|compare|zeros|control|drift|oov|seeds|explore|"
    r"like|near|capitals|real|limits|tree-train|drawn-run|drawn-check|ex-lean|ex-rate)(-|$)"
)
chapter, lean = (
    ChapterCode("18_word_vectors"),
    ChapterCode("18_word_vectors", without=TRAINS),
)
for cell in lean.cells:  # and a shorter corpus will do
    cell.source = cell.source.replace("stories(8000", "stories(3000")
    cell.source = cell.source.replace("assert near > far + 0.1", "")
few = settings(deadline=None, max_examples=20)
seeds, sizes = st.integers(0, 2**32 - 1), st.integers(2, 6)
log = nn.functional.logsigmoid


@pytest.fixture(scope="module")
def book():
    return with_relations(chapter.namespace())


def drawn(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def told(seed, size):
    rng = np.random.default_rng(seed)
    return [rng.integers(size, size=rng.integers(2, 7)).tolist() for _ in range(3)]


@few
@given(seed=seeds, m=st.integers(1, 7), size=sizes)
def test_pairs_are_those_within_the_window(book, seed, m, size):
    for s in told(seed, size):
        every = [(s[a], s[b]) for a in range(len(s)) for b in range(len(s))
                 if a != b and abs(a - b) <= m]  # fmt: skip
        assert book["pairs"](s, m) == every
    X = book["count"](told(seed, size), m, size)
    assert (X == X.T).all() and X.sum() == sum(
        len(book["pairs"](s, m)) for s in told(seed, size)
    )


@few
@given(seed=seeds, size=sizes, d=sizes, m=st.integers(1, 3))
def test_skip_gram_equals_cross_entropy(book, seed, size, d, m):
    V, U = drawn(seed, (size, d), (size, d))
    i, o = torch.tensor([p for s in told(seed, size) for p in book["pairs"](s, m)]).T
    theirs = lambda V, U: nn.functional.cross_entropy(V[i] @ U.T, o, reduction="sum")
    value, slopes = autograd(theirs, V, U)
    ours = book["skipgram_loops"](V, U, told(seed, size), m)
    assert_near(ours, (value, *slopes))
    X = torch.tensor(book["count"](told(seed, size), m, size))
    assert_near(book["skipgram_gradients"](torch.tensor(V), torch.tensor(U), X), slopes)


@few
@given(seed=seeds, size=sizes, d=sizes, m=st.integers(1, 3))
def test_cbow_equals_a_mean_bag(book, seed, size, d, m):
    V, U = drawn(seed, (size, d), (size, d))
    around, centres = book["windows"](told(seed, size), m)

    def theirs(V, U):
        scores = torch.stack([V[a].mean(dim=0) for a in around]) @ U.T
        wanted = torch.tensor(centres)
        return nn.functional.cross_entropy(scores, wanted, reduction="sum")

    value, slopes = autograd(theirs, V, U)
    assert_near(book["cbow_loops"](V, U, told(seed, size), m), (value, *slopes))
    bags = book["shares"](around, size).double()
    fast = book["cbow_gradients"](torch.tensor(V), torch.tensor(U), bags, centres)
    assert_near(fast, slopes, rtol=1e-5, atol=1e-6)


@few
@given(seed=seeds, size=sizes, d=sizes, K=st.integers(1, 9))
def test_negative_sampling_equals_binary_cross_entropy(book, seed, size, d, K):
    V, U = drawn(seed, (size, d), (size, d))
    centre, *rows = np.random.default_rng(seed).integers(size, size=K + 2).tolist()
    labels = torch.tensor([1.0] + [0.0] * K).double()
    bce = nn.functional.binary_cross_entropy_with_logits
    theirs = lambda V, U: bce(U[rows] @ V[centre], labels, reduction="sum")
    value, slopes = autograd(theirs, V, U)
    ours = book["negative_step"](V, U, centre, rows[0], rows[1:])
    assert_near(ours, (value, *slopes))
    assert np.count_nonzero(ours[2].any(axis=1)) <= K + 1


@few
@given(seed=seeds, size=sizes, d=sizes)
def test_yes_no_and_glove_equal_autograd(book, seed, size, d):
    V, U, b, c = drawn(seed, (size, d), (size, d), (size, 1), (size, 1))
    rng = np.random.default_rng(seed)
    yes, no = (torch.tensor(rng.uniform(size=(size, size))) for _ in range(2))
    theirs = lambda V, U: -(yes * log(V @ U.T) + no * log(-(V @ U.T))).sum()
    _, slopes = autograd(theirs, V, U)
    tables = torch.tensor(V), torch.tensor(U)
    assert_near(book["yes_no_gradients"](*tables, yes, no), slopes)
    X = torch.tensor(rng.integers(0, 30, size=(size, size)).astype(float))
    X[0, 0] = 7.0
    h, seen = (X / 11).clamp(max=1) ** 0.75, X > 0

    def squares(V, U, b, c):
        return (h * (V @ U.T + b + c.T - X.clamp(min=1).log()) ** 2)[seen].sum()

    value, slopes = autograd(squares, V, U, b, c)
    assert_near(book["glove_loss"](V, U, b, c, X.numpy(), cap=11), value)
    ours = book["glove_gradients"](*map(torch.tensor, (V, U, b, c)), X, cap=11)
    assert_near(ours, slopes)


@few
@given(seed=seeds, leaves=st.integers(2, 12), d=sizes)
def test_every_huffman_tree_is_a_distribution_within_a_bit(book, seed, leaves, d):
    f = np.random.default_rng(seed).dirichlet(np.full(leaves, 0.5)) + 1e-9
    f /= f.sum()
    signs = book["huffman"](f)
    v, U = drawn(seed, d, (leaves - 1, d))
    losses = [book["tree_step"](v, U, signs, w)[0] for w in range(leaves)]
    assert_near(np.exp(-np.array(losses)).sum(), 1.0)
    entropy = -(f * np.log2(f)).sum()
    assert entropy - 1e-9 <= f @ np.abs(signs).sum(axis=1) < entropy + 1
    word = seed % leaves
    s, on = torch.tensor(signs[word]), torch.tensor(signs[word] != 0)
    value, slopes = autograd(lambda v, U: -log(s * (U @ v))[on].sum(), v, U)
    assert_near(book["tree_step"](v, U, signs, word), (value, *slopes))


@few
@given(word=st.text("abcdefg", min_size=6, max_size=9))
def test_subwords_are_all_pieces_and_the_word(book, word):
    marked = f"<{word}>"
    pieces = {marked[i:j] for i in range(len(marked)) for j in range(i + 3, i + 7)
              if j <= len(marked)}  # fmt: skip
    assert book["subwords"](word) == sorted(pieces | {marked})


@few
@given(seed=seeds)
def test_answers_are_the_largest_cosine(book, seed):
    (W,), rng = drawn(seed, (9, 4)), np.random.default_rng(seed)
    questions = np.array([rng.permutation(9)[:4] for _ in range(5)])
    U = W / np.linalg.norm(W, axis=1, keepdims=True)
    for exclude in (True, False):
        for (a, b, c, _), answer in zip(
            questions, book["answers"](W, questions, exclude=exclude), strict=True
        ):
            target = U[b] - U[a] + U[c]
            candidates = [i for i in range(9) if not (exclude and i in (a, b, c))]
            assert answer == max(candidates, key=lambda i: U[i] @ target)


@few
@given(seed=seeds, size=sizes, m=st.integers(1, 3))
def test_words_without_company_are_counted_and_teach_nothing(book, seed, size, m):
    V, U = drawn(seed, (size, 3), (size, 3))
    lonely = [[], [0], [size - 1]]
    assert not book["count"](lonely, m, size).any()
    assert not book["count"]([], m, size).any()
    for loops in ("skipgram_loops", "cbow_loops"):
        alone = book[loops](V, U, lonely, m)
        assert_near(alone, (0.0, 0 * V, 0 * U))
        sentences = told(seed, size)
        assert_near(
            book[loops](V, U, sentences + lonely, m), book[loops](V, U, sentences, m)
        )
    rng = lambda: np.random.default_rng(seed)
    sampled = book["subsample"]([[], *sentences, []], 0.1, rng())
    assert sampled == [[], *book["subsample"](sentences, 0.1, rng()), []]
    assert book["subsample"]([], 0.1, rng()) == []


@few
@given(seed=seeds, size=sizes, d=sizes)
def test_the_cosine_with_a_row_of_zeros_is_that_of_torch(book, seed, size, d):
    A, B = drawn(seed, (size, d), (size + 1, d))
    A[0] = B[-1] = 0
    theirs = nn.functional.cosine_similarity(
        torch.tensor(A)[:, None], torch.tensor(B), dim=2
    )
    assert_near(book["cosine"](A, B), theirs)


@few
@given(seed=seeds, lone=st.integers(0, 8))
def test_a_word_without_neighbours_spoils_no_answer(book, seed, lone):
    rng = np.random.default_rng(seed)
    X = np.triu(rng.integers(1, 9, size=(9, 9)), 1).astype(float)
    X += X.T
    others = np.delete(np.arange(9), lone)
    X[lone] = X[:, lone] = 0
    sizes = np.linalg.norm(book["ppmi_vectors"](X, 6), axis=0) ** 2
    assume(sizes[4] > sizes[5] + 1e-4)  # else rounding decides which five stay
    W = book["ppmi_vectors"](X, 5)
    assert_near(np.abs(W[lone]).max(), 0.0, atol=1e-7)
    W[lone], among = 0, book["ppmi_vectors"](X[np.ix_(others, others)], 5)
    assert_near(W[others] @ W[others].T, among @ among.T, atol=1e-7)
    questions = np.array([rng.permutation(8)[:4] for _ in range(5)])
    unit, answers = book["unit"](among), book["answers"](among, questions)
    a, b, c, _ = (unit[word] for word in questions.T)
    cosines = (book["cosine"](b + c - a, among))[np.arange(5), answers]
    found = book["answers"](W, others[questions])
    # A word without a direction has the cosine 0, more than one that points away.
    assert (found == np.where(cosines > 0, others[answers], lone)).all()


@few
@given(seed=seeds, large=st.sampled_from([1e2, 1e3, 1e4]))
def test_large_scores_have_a_finite_loss(book, seed, large):
    V, U = drawn(seed, (4, 3), (4, 3))
    V, labels = large * V, torch.tensor([1.0, 0.0, 0.0]).double()
    bce = nn.functional.binary_cross_entropy_with_logits
    theirs = lambda V, U: bce(U[[1, 2, 3]] @ V[0], labels, reduction="sum")
    value, slopes = autograd(theirs, V, U)
    assert_near(book["negative_step"](V, U, 0, 1, [2, 3]), (value, *slopes))
    signs = book["huffman"]([4, 3, 2, 1])
    s, on = torch.tensor(signs[3]), torch.tensor(signs[3] != 0)
    path = lambda v, U: -log(s * (U @ v))[on].sum()
    value, slopes = autograd(path, V[0], U[:3])
    assert_near(book["tree_step"](V[0], U[:3], signs, 3), (value, *slopes))


@few
@given(seed=seeds, d=sizes)
def test_the_tree_of_one_word_is_certain(book, seed, d):
    v, U = drawn(seed, d, (0, d))
    signs = book["huffman"]([1.0])
    assert signs.shape == (1, 0)
    assert_near(book["tree_step"](v, U, signs, 0), (0.0, 0 * v, U))


FAULTS = [
    Fault("if j != 0 and 0 <= n + j", "if 0 <= n + j", "the centre in its own window"),
    Fault("for j in range(-m, m + 1)", "for j in range(-m, m)", "a window cut on the right"),
    Fault("and 0 <= n + j < len", "and n + j < len", "wraps around at the start"),
    Fault("dV[centre] -= U[context] - q @ U", "dV[centre] -= U[context]", "no mean off"),
    Fault("dU += np.outer(q - (np.arange(len(U)) == context), V[centre])",
          "dU[context] += (q[context] - 1) * V[centre]", "only one row of U"),
    Fault("dS = X.sum(dim=1, keepdim=True) * Q - X", "dS = Q - X", "x_i forgotten"),
    Fault("Q = torch.softmax(V @ U.T, dim=1)", "Q = torch.softmax(V @ U.T, dim=0)", "axis"),
    Fault("(q @ U - U[centre]) / len(around)", "q @ U - U[centre]", "no share in CBOW"),
    Fault("np.mean([V[o] for o in around], axis=0)",
          "np.mean([V[o] for o in set(around)], axis=0)", "a word counted once"),
    Fault("centres] -= 1", "centres] += 1", "CBOW pushed away from the centre"),
    Fault("counts / counts.sum(axis=1, keepdims=True)", "counts / size", "not the share"),
    Fault("return unit(A) @ unit(B).T", "return A @ B.T", "no cosine"),
    Fault("np.where(wanted == 1, scores, -scores)", "scores", "no turn"),
    Fault("np.add.at(dU, rows, np.outer(probability - wanted, V[centre]))",
          "dU[rows] = np.outer(probability - wanted, V[centre])", "drawn twice, added once"),
    Fault("dV[centre] = (probability - wanted) @ U[rows]",
          "dV[centre] = probability @ U[rows]", "noise and truth alike"),
    Fault("dS = (yes + no) * torch.sigmoid", "dS = no * torch.sigmoid", "yes without its sigmoid"),
    Fault("dS[0] -= 1  # the true words", "dS[1] -= 1", "a noise word taken for the true one"),
    Fault("torch.multinomial(nu, K * batch", "torch.multinomial(nu * 0 + 1, K * batch",
          "noise words drawn evenly"),
    Fault("def noise_of(X, power=0.75)", "def noise_of(X, power=0.5)", "another power"),
    Fault("raised = X.sum(axis=0) ** power", "raised = X.sum(axis=0) ** 2", "noise squared"),
    Fault("signs[rare[2]], signs[next_rare[2]] = 1, -1",
          "signs[rare[2]], signs[next_rare[2]] = 1, 1", "no turns"),
    Fault("rare[0] + next_rare[0]", "rare[0]", "a joint node too light"),
    Fault("ds = -signs[word] * expit(-s)",
          "ds = -np.abs(signs[word]) * expit(-s)", "the sign of the turn"),
    Fault("-log_expit(s[on]).sum(), ds", "-log_expit(s).sum(), ds", "all nodes"),
    Fault("1 - np.sqrt(t / f), 0)", "1 - t / f, 0)", "no root"),
    Fault("rng.random() >= drop[i]", "rng.random() < drop[i]", "keeps what it should drop"),
    Fault("h = min(X[i, j] / cap, 1) ** 0.75", "h = min(X[i, j] / cap, 1) ** 0.5",
          "another power in the loss by loops"),
    Fault("h = (X / cap).clamp(max=1) ** 0.75", "h = (X / cap) ** 0.75", "no cap"),
    Fault("2 * h * (V @ U.T + b + c.T - target)", "h * (V @ U.T + b + c.T - target)", "the 2"),
    Fault("(V @ U.T + b + c.T - target)", "(V @ U.T + b - target)", "a bias forgotten"),
    Fault("target = torch.where(X > 0, X, 1).log()", "target = X.log()", "0 · −∞"),
    Fault("for i, j in np.argwhere(X > 0):", "for i, j in np.argwhere(X > 5):", "some pairs"),
    Fault('w = f"<{word}>"', "w = word", "no marks"),
    Fault("for i in range(len(w) - n + 1)} | {w})", "for i in range(len(w) - n + 1)})",
          "no whole word"),
    Fault("return B.T @ dV, dU", "return B.T @ dV / 2, dU", "half"),
    Fault("* 16777619 % 2**32", "* 16777618 % 2**32", "another hash"),
    Fault("weights=(-1, 1, 1)", "weights=(1, -1, 1)", "the wrong corner"),
    Fault("    W = unit(W)\n    a, b", "    a, b", "the lengths of the words count"),
    Fault("cosines[np.arange(len(asked))[:, None], asked[:, :3]] = -np.inf",
          "cosines[np.arange(len(asked))[:, None], asked] = -np.inf", "the answer left out"),
    Fault("PPMI = np.log(np.maximum(X / expected, 1))", "PPMI = np.log1p(X / expected)",
          "not the PMI"),
]  # fmt: skip

test_checks_catch = catches(lean, FAULTS)


def benchmarks(scope):
    """A pass of skip-gram over the counts, and a bag of subwords, by PyTorch's autograd."""
    rng = np.random.default_rng(0)
    X = torch.tensor(rng.integers(0, 9, size=(489, 489))).float()
    V, U = (torch.randn(489, 40, requires_grad=True) for _ in range(2))

    def theirs():
        (-(X * torch.log_softmax(V @ U.T, 1)).sum()).backward()

    ours, yes_no = scope["skipgram_gradients"], scope["yes_no_gradients"]
    yield "skip-gram, all pairs", lambda: ours(V.detach(), U.detach(), X), theirs

    def negative():
        S = V @ U.T
        (-(X * log(S) + X * log(-S)).sum()).backward()

    yield (
        "negative sampling, all pairs",
        lambda: yes_no(V.detach(), U.detach(), X, X),
        negative,
    )
