"""What several hidden tests of homework 19 share; `%run -i` in a test puts it there.

Names that it does not define are from ``assignment.py``, the setup cell or the student.
"""

from collections import Counter

import numpy as np
import torch
import torch.nn.functional as F

CASES = [  # share, tpr, fpr, letters
    (0.9, 0.74, 0.26, 30),
    (0.2, 0.9, 0.35, 85),
    (1.0, 0.6, 0.05, 12),
    (0.62, 0.8, 0.1, 150),
    (0.0, 0.97, 0.2, 40),
]


def spread_of(pi, tpr, fpr):
    """The variance of the count, times N."""
    return pi * (tpr - tpr**2) + (1 - pi) * (fpr - fpr**2)


def two_errors(pi, tpr, fpr, N):
    variance = spread_of(pi, tpr, fpr) / N
    bias = fpr - pi * (1 - tpr + fpr)
    return bias**2 + variance, variance / (tpr - fpr) ** 2


def even_at(pi, tpr, fpr):
    bias, slope = fpr - pi * (1 - tpr + fpr), tpr - fpr
    return spread_of(pi, tpr, fpr) * (1 - slope**2) / (slope * bias) ** 2


def drawn(seed):
    """X, E, u and dR; words that come twice, padding anywhere, a letter without a word."""
    N, T, D, V = [(4, 6, 3, 7), (1, 5, 2, 6), (6, 4, 5, 9), (3, 1, 4, 5)][seed % 4]
    rng = np.random.default_rng(100 + seed)
    X = rng.integers(1, V - 1, (N, T))  # the last row of E belongs to no word here
    if T > 1:
        X[:, 0] = X[:, -1]
        X[rng.random((N, T)) < 0.3] = 0
        X[0, 1:3] = 0, 1
    if N > 1:
        X[1] = 0
    return X, *(rng.normal(size=shape) for shape in ((V, D), (V,), (N, D)))


def right_pool(X, E, u):
    """The bag for tensors: the weights are divided by their norm before the sum."""
    here = X > 0
    some = here.any(dim=1, keepdim=True)
    a = torch.where(here, u[X].exp(), torch.zeros((), dtype=u.dtype))
    norm = torch.where(some, a, torch.ones((), dtype=u.dtype)).norm(dim=1, keepdim=True)
    return torch.einsum("nt,ntd->nd", a / norm, E[X])


def twin_of(pool, dtype=torch.float64):
    """A function that is called like `twin`, with another `torch_pool`."""

    def twin(X, E, u, dR):
        leaves = [torch.tensor(a, dtype=dtype, requires_grad=True) for a in (E, u)]
        R = pool(torch.tensor(X), *leaves)
        found = torch.autograd.grad(R, leaves, torch.tensor(dR, dtype=R.dtype))
        return R.detach(), *found

    return twin


torched = twin_of(right_pool)


def truth(*given):
    """R and both gradients, by autograd."""
    return [np.asarray(one) for one in torched(*given)]


def run(X, E, u, dR, counted=lambda X: X > 0, added=True):
    """The right program in NumPy; or one that counts other positions, or adds nothing."""
    a = np.exp(u[X]) * counted(X)
    norm = np.sqrt((a * a).sum(axis=1))[:, None]
    norm[norm == 0] = 1
    R = (a[..., None] * E[X]).sum(axis=1) / norm
    dE, du = np.zeros(E.shape), np.zeros(u.shape)
    for_E = a[..., None] * (dR / norm)[:, None]
    for_u = a * (E[X] @ (dR / norm)[..., None])[..., 0]
    for_u = for_u - (a / norm) ** 2 * (dR * R).sum(axis=1)[:, None]
    if added:
        np.add.at(dE, X, for_E)
        np.add.at(du, X, for_u)
    else:
        dE[X], du[X] = for_E, for_u
    return R, dE, du


def gradient_right(which):
    """Check `dE` or `du` of the student's `pool_back`, and that it changes no array."""
    for seed in range(8):
        X, E, u, dR = drawn(seed)
        right = truth(X, E, u, dR)[1 + (which == "du")]
        given = dR.copy(), X.copy(), E.copy(), u.copy()
        with NumPyAlone():
            pair = pool_back(*given)
        assert len(pair) == 2, "pool_back: dE and du"
        found = np.asarray(pair[which == "du"])
        assert found.shape == right.shape, f"pool_back: shape of {which}"
        assert np.allclose(found, right, rtol=1e-7, atol=1e-9), f"pool_back: {which}"
        kept = zip(given, (dR, X, E, u), strict=True)
        assert all(np.array_equal(*two) for two in kept), "pool_back: an array changed"


def altered(**changes):
    """A program whose answers are changed: name=change(answer, given)."""

    def program(*given):
        found = dict(zip(("R", "dE", "du"), run(*given), strict=True))
        return tuple(
            changes[n](one, given) if n in changes else one for n, one in found.items()
        )

    return program


def without_a_norm(du, given):
    """The gradient by u if the square root were a constant."""
    X, E, u, dR = given
    a = np.exp(u[X]) * (X > 0)
    norm = np.sqrt((a * a).sum(axis=1))[:, None]
    norm[norm == 0] = 1
    found = np.zeros(u.shape)
    np.add.at(found, X, a * (E[X] @ (dR / norm)[..., None])[..., 0])
    return found


def with_row_0(R, given):
    """The sum with the rows of the padding in it, which row 0 of zeros hides."""
    X, E, u, _ = given
    norm = np.sqrt((np.exp(2 * u[X]) * (X > 0)).sum(axis=1))[:, None]
    norm[norm == 0] = 1
    return R + (X == 0).sum(axis=1)[:, None] * np.exp(u[0]) * E[0] / norm


def empty_is_row_0(R, given):
    X, E, *_ = given
    return np.where((X > 0).any(axis=1)[:, None], R, E[0])


def empty_to_row_0(dE, given):
    """A letter without a word sends its gradient to row 0."""
    X, _, _, dR = given
    dE = dE.copy()
    dE[0] += dR[(X == 0).all(axis=1)].sum(axis=0)
    return dE


def even_gradients(X, E, u, dR):
    return run(X, E, u, np.full(dR.shape, dR.mean()))


WRONG_VALUES = {
    "values 1 % too large": altered(R=lambda R, _: 1.01 * R),
    "dE: half of it": altered(dE=lambda dE, _: dE / 2),
    "du: the other sign": altered(du=lambda du, _: -du),
    "du: the square root forgotten": altered(du=without_a_norm),
    "du: a column in place of a vector": altered(du=lambda du, _: du[:, None]),
    "dE: one row for all": altered(dE=lambda dE, _: dE.sum(axis=0)),
    "R: an axis too many": altered(R=lambda R, _: R[None]),
    "nan in dE": altered(dE=lambda dE, _: dE * np.nan),
}
RIGHT_BY_CHANCE = {
    "all words equally loud": lambda X, E, u, dR: run(X, E, 0 * u, dR),
    "one dR for all": even_gradients,
    "a word that comes twice gets one gradient": (
        lambda X, E, u, dR: run(X, E, u, dR, added=False)
    ),
    "padding is a word": lambda X, E, u, dR: run(X, E, u, dR, lambda X: X > -1),
    "row 0 is in the sum": altered(R=with_row_0),
    "row 0 for a letter without a word": altered(R=empty_is_row_0),
    "a letter without a word teaches row 0": altered(dE=empty_to_row_0),
    "gradients divided by the number of letters": altered(
        dE=lambda dE, given: dE / len(given[0]), du=lambda du, given: du / len(given[0])
    ),
}


def right_share(way, P, known):
    """The estimate of a way, for a box (N,) or for several at once (…, N)."""
    if way == "best":
        pi = np.full(P.shape[:-1], 0.5)
        for _ in range(300):
            s = pi[..., None]
            pi = (s * P / (s * P + (1 - s) * (1 - P))).mean(axis=-1)
        return pi
    c = (P > 0.5).mean(axis=-1)
    if way == "count":
        return c
    called, labels = known[0] > 0.5, known[1]
    tpr, fpr = called[labels == 1].mean(), called[labels == 0].mean()
    return np.clip((c - fpr) / (tpr - fpr), 0, 1)


def box_of(seed):
    """Probabilities of a box, and the known ones with labels; more of one label."""
    rng = np.random.default_rng(50 + seed)
    logits = lambda labels: 2.5 * (2 * labels - 1) + 2 * rng.normal(size=len(labels))
    labels = (rng.random(90) < 0.35).astype(int)
    pleased = round((0.02, 0.3, 0.6, 0.98, 0.8, 0.45)[seed] * (40 + seed))
    box = (np.arange(40 + seed) < pleased).astype(int)
    of = lambda z: 1 / (1 + np.exp(-z))
    return of(logits(box)), (of(logits(labels)), labels)


def measured(seed, own):
    """The results of a seed come again: with the right estimates, or with the student's."""
    known, P = readings(torch_pool, seed)
    for i, pi in enumerate(SHARES):
        for j, N in enumerate(SIZES):
            boxes = P[screenings(pi, N, seed)]
            for way in WAYS:
                again = np.abs(right_share(way, boxes, known) - pi).mean()
                if abs(again - own[way][i, j]) > 1e-3:  # `share_of` has its own marks
                    one = [float(share_of(way, box.copy(), known)) for box in boxes]
                    again = np.abs(np.array(one) - pi).mean()
                assert abs(again - own[way][i, j]) < 1e-3, (
                    f"results: {way}, seed {seed}, share {pi}, {N} letters gives "
                    f"{again:.4f} when it is run again"
                )


def most_frequent(texts, size):
    counts = Counter(word for words in texts for word in words)
    kept = sorted(counts, key=lambda word: (-counts[word], word))[:size]
    return {word: number + 2 for number, word in enumerate(kept)}


def otherwise_numbered(texts, size):
    """The last of equally frequent words, and the numbers in another order."""
    counts = Counter(word for words in texts for word in words)
    kept = sorted(counts, key=lambda word: (counts[word], word))[::-1][:size]
    return {word: number + 2 for number, word in enumerate(kept[::-1])}


def rarest(texts, size):
    counts = Counter(word for words in texts for word in words)
    kept = sorted(counts, key=counts.get)[:size]
    return {word: number for number, word in enumerate(kept, start=2)}


def filled(texts, numbers):
    X = torch.zeros(len(texts), max(map(len, texts), default=0), dtype=torch.long)
    for row, words in zip(X, texts, strict=True):
        for at, word in enumerate(words):
            row[at] = numbers.get(word, 1)
    return X


def one_by_one(z, y):
    return F.binary_cross_entropy_with_logits(z, y[:, None])


def all_pairs(z, y):
    return (F.softplus(z) - y * z).mean()


def texts_of(rng):
    return [[f"w{k}" for k in rng.geometric(0.2, n)] for n in (5, 9, 1, 14, 3)]


def vocabulary_right():
    for seed, size in enumerate((4, 6, 3, 60)):
        texts = texts_of(np.random.default_rng(seed))
        counts = Counter(word for words in texts for word in words)
        found = dict(vocabulary([list(words) for words in texts], size))
        kept = sorted(counts.values(), reverse=True)[:size]
        assert sorted(map(int, found.values())) == list(range(2, 2 + len(kept))), (
            "vocabulary: the numbers 2, 3, …"
        )
        assert sorted((counts[word] for word in found), reverse=True) == kept, (
            "vocabulary: not the most frequent words"
        )


def tensor_right():
    for seed in range(3):
        texts = texts_of(np.random.default_rng(10 + seed))
        numbers = most_frequent(texts, 5)
        found = tensor_of([list(words) for words in texts], dict(numbers))
        assert not torch.is_floating_point(found), "tensor_of: integers"
        found, right = np.asarray(found), np.asarray(filled(texts, numbers))
        assert found.shape == right.shape and (found == right).all(), "tensor_of"


def loss_right():
    for seed, N in enumerate((7, 1, 4)):
        generator = torch.Generator().manual_seed(seed)
        z = 2 * torch.randn(N, 1, generator=generator)
        y = (torch.rand(N, generator=generator) < 0.4).float()
        leaf = z.clone().requires_grad_()
        found = loss_of(leaf, y.clone())
        found.backward()
        assert abs(float(found.detach()) - float(one_by_one(z, y))) < 1e-5, (
            "loss_of: values"
        )
        slope = (torch.sigmoid(z[:, 0]) - y) / N
        assert np.allclose(leaf.grad[:, 0], slope, atol=1e-5), "loss_of: the gradient"


def accepted(vocabulary=most_frequent, tensor_of=filled, loss_of=one_by_one):
    with standing_in(sound, lesson=uncalled):
        return accepts(sound, vocabulary, tensor_of, loss_of)


def in_order():
    for words in (most_frequent, otherwise_numbered):
        assert accepted(vocabulary=words), "sound: functions in order are refused"
