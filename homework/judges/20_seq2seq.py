"""What several hidden tests of homework 20 share; `%run -i` in a test puts it there.

Names that it does not define are from ``assignment.py``, the setup cell or the student.
"""

from functools import partial

import numpy as np
import torch

WAYS = "greedy", "random", "probable", "cheapest"


def lists_drawn(seed, N, K, alpha):
    """S, C, real and alpha: lists of different lengths, the longest K, padding last."""
    rng = np.random.default_rng(200 + seed)
    S, C = rng.uniform(-10, 0, (N, K)), rng.uniform(0, 6, (N, K)).round()
    lengths = rng.permutation(np.arange(N) % K + 1)
    real = np.arange(K) < lengths[:, None]
    S, C = (np.where(real, a, rng.uniform(-3, 3, (N, K))) for a in (S, C))
    return S, C, real, alpha


LISTS = [
    lists_drawn(3, 6, 4, 0.6),
    lists_drawn(1, 3, 6, 1.9),
    (*(a[-1:] for a in lists_drawn(2, 4, 5, 0.4)[:3]), 0.4),
]


def copies(given):
    S, C, real, alpha = given
    return S.copy(), C.copy(), real.copy(), alpha


def truth(S, C, real, alpha):
    """Return risk and gradients, from the differences of costs within each list."""
    R, dalpha, dS, N = 0.0, 0.0, np.zeros(S.shape), S.shape[0]
    for n in range(N):
        s, c = S[n][real[n]], C[n][real[n]]
        q = 1 / np.exp(alpha * (s - s[:, None])).sum(axis=1)
        more = (c[:, None] - c) @ q  # c - R
        R += q @ c / N
        dS[n][real[n]] = alpha * q * more / N
        dalpha += (q * more) @ (s - s.max()) / N
    return float(R), dS, float(dalpha)


def asked(name, given):
    """One of the student's answers, with NumPy alone."""
    with NumPyAlone(), np.errstate(all="ignore"):
        found = risk(*given) if name == "R" else risk_back(*given)[name == "dalpha"]
    return np.asarray(found, dtype=np.float64)


def as_asked(name):
    """One of the student's answers is right."""
    for given in LISTS:
        found, right = asked(name, copies(given)), truth(*given)
        right = np.asarray(right[("R", "dS", "dalpha").index(name)])
        assert found.shape == right.shape, f"{name}: shape {found.shape}"
        assert np.allclose(found, right, rtol=1e-9, atol=1e-13), f"{name}: values"


def run(S, C, real, alpha):
    """The right program in NumPy."""
    return truth(np.asarray(S), np.asarray(C), np.asarray(real), float(alpha))


def torched(S, C, real, alpha):
    """Do the same by autograd, as tensors, which rounds differently."""
    S, C, alpha = (torch.tensor(a, dtype=torch.float64) for a in (S, C, alpha))
    leaves, real = (S.requires_grad_(), alpha.requires_grad_()), torch.tensor(real)
    q = (alpha * S).masked_fill(~real, -torch.inf).softmax(dim=1)
    R = (q * C).sum(dim=1).mean()
    return R.detach(), *torch.autograd.grad(R, leaves)


def altered(**changes):
    """A program whose answers are changed: name=change(answer, given)."""

    def program(*given):
        found = dict(zip(("R", "dS", "dalpha"), run(*given), strict=True))
        for name, change in changes.items():
            found[name] = change(found[name], given)
        return tuple(found.values())

    return program


def by_length(S, C, real, alpha):
    """Weighs the lists by their lengths."""
    weights = real.sum(axis=1) * len(real) / real.sum()
    each = [
        run(S[n : n + 1], C[n : n + 1], real[n : n + 1], alpha) for n in range(len(S))
    ]
    R, dalpha = (
        np.mean([w * e[k] for w, e in zip(weights, each, strict=True)]) for k in (0, 2)
    )
    return R, run(S, C, real, alpha)[1] * weights[:, None], dalpha


WRONG_VALUES = {
    "R: 1 % too large": altered(R=lambda R, _: 1.01 * R),
    "R: nan": altered(R=lambda R, _: np.nan),
    "dS: 1 % too large": altered(dS=lambda dS, _: 1.01 * dS),
    "dS: the other sign": altered(dS=lambda dS, _: -dS),
    "dS: an axis in front": altered(dS=lambda dS, _: dS[None]),
    "dS: nan in padding": altered(
        dS=lambda dS, given: (
            np.where(given[2] & (given[0] > -np.inf), dS, np.nan)
            if not np.all(given[2])
            else dS * np.nan
        )
    ),
    "dalpha: 1 % too large": altered(dalpha=lambda d, _: 1.01 * d),
    "dalpha: the other sign": altered(dalpha=lambda d, _: -d),
    "dalpha: nan": altered(dalpha=lambda d, _: np.nan),
}
RIGHT_BY_CHANCE = {
    "dS without alpha": altered(dS=lambda dS, given: dS / given[3]),
    "alpha is 1": lambda S, C, real, alpha: run(S, C, real, 1.0),
    "padding counts": lambda S, C, real, alpha: run(S, C, real | True, alpha),
    "long lists count more": by_length,
    "a score of 0 is padding": lambda S, C, real, alpha: run(S, C, S != 0, alpha),
    "R: the sum over the lists": altered(R=lambda R, given: R * len(given[0])),
    "dS: of the sum": altered(dS=lambda dS, given: dS * len(given[0])),
    "dalpha: of the sum": altered(dalpha=lambda d, given: d * len(given[0])),
}


def taught(*faults, filling=None):
    """A teacher with these faults; filling changes what stands behind the end of words."""

    def teacher(words):
        signs = padded([signs_of(word) for word in words])
        ends = torch.tensor([[len(note_of(word))] for word in words])
        lengths = torch.tensor([[len(signs_of(word))] for word in words])
        copied = (signs == NEXT).long()
        before = torch.cat([torch.full_like(signs[:, :1], BEGIN), signs[:, :-1]], dim=1)
        at = torch.minimum(copied.cumsum(dim=1) - copied, ends)
        if "before" in faults:
            before = signs.clone()
        if "at" in faults:
            at = torch.minimum(copied.cumsum(dim=1), ends)
        behind = torch.arange(signs.shape[1]) >= lengths
        if filling is not None:
            signs = signs.masked_fill(behind, 1 + filling)
            before = before.masked_fill(behind, 5 * filling)
            at = torch.where(behind, ends * filling, at)
        return before, at, signs, (~behind).float()

    return teacher


LESSONS = (
    ["idea", "strength", "of", "queue", "by"],
    ["network"],
    ["three", "other", "areas"],
)


def right_tensor(k, name):
    """One of the tensors that the student's teacher returns is right."""
    for words in LESSONS:
        found, right = teacher(list(words)), taught()(list(words))
        one, other = np.asarray(found[k]), np.asarray(right[k])
        assert one.shape == other.shape, f"{name}: shape {one.shape}"
        counts = np.asarray(right[3]) == 1 if name != "real" else other >= 0
        assert (one[counts] == other[counts]).all(), f"{name}: values"
        ends = np.array([[len(note_of(word))] for word in words])
        top = {"before": 6, "at": ends, "signs": 5, "real": 1}[name]
        assert (one >= 0).all() and (one <= top).all(), f"{name}: padding"


def taught_right():
    """Return a check for each of the four tensors of the student's teacher."""
    names = "before", "at", "signs", "real"
    return [partial(right_tensor, k, name) for k, name in enumerate(names)]


def accepted(teacher):
    """Return whether `sound` finds the function in order, without training."""
    with standing_in(sound, trained=uncalled):
        return accepts(sound, teacher)


def in_order():
    for filling in (None, 0, 1):
        right = taught(filling=filling)
        assert accepted(right), "sound: a function in order is refused"


# Twelve readings of each note, (word, log-probability), to decide between: the greedy one,
# the first, the most probable and the cheapest differ, and so does what the wrong weights
# would choose.
READINGS = {
    "model": ("mole", "medal", "madly", "model", "modell", "middle", "modal", "mdl"),
    "train": ("trn", "tarn", "tureen", "train", "trains", "tron", "trauin", "atarin"),
    "sense": ("sins", "sns", "sonsuo", "sense", "sensei", "snsoe", "senso", "sunusu"),
    "least": ("lst", "lost", "ulsut", "least", "lest", "lists", "leasta", "last"),
    "noise": ("nose", "nosy", "ins", "noise", "nooise", "nuase", "nise", "nois"),
}


def drawn_readings():
    """For each word's note twelve pairs, some readings more than once."""
    rng, found = np.random.default_rng(55), {}
    for word, readings in READINGS.items():
        log_p = np.round(rng.uniform(-3.5, -1.5, len(readings)), 3)
        picks = [*range(len(readings)), *[rng.integers(len(readings))] * 4]
        picks = rng.permutation(picks).tolist()
        found[note_of(word)] = [(readings[i], float(log_p[i])) for i in picks]
    return found


def decided(pairs, way):
    if way == "random":
        return pairs[0][0]
    words, log_p = zip(*sorted(dict(pairs).items()), strict=True)
    q = np.exp(log_p) / np.exp(log_p).sum()
    if way == "probable":
        return words[int(q.argmax())]
    costs = np.array([[corrections(a, b) for b in words] for a in words])
    return words[int((costs @ q).argmin())]


def scored(way):
    """The student's `score`, where another network reads what is prepared here."""
    table, seed = drawn_readings(), 7 + WAYS.index(way)
    net, words = Writer(H=4), [*READINGS, "noise", "model"]
    notes, asked = [note_of(word) for word in words], []

    def prepared_draws(of, given, n, drawn_with):
        right = of is net and list(given) == notes and int(n) == 12
        asked.append(right and int(drawn_with) == seed)
        return [list(table[note]) for note in given]

    def prepared_greedy(of, given):
        assert of is net, "score: greedy of this network"
        return [table[note][2][0] for note in given]

    with standing_in(score, draws=prepared_draws, greedy=prepared_greedy):
        found = np.asarray(plain(score(net, list(words), way, seed)), dtype=float)
    assert all(asked), "score: draws(net, notes, 12, seed)"
    assert asked or way == "greedy", f"score: no draws for {way}"
    read = [
        table[note][2][0] if way == "greedy" else decided(table[note], way)
        for note in notes
    ]
    right = np.mean([corrections(*pair) for pair in zip(read, words, strict=True)])
    assert found.size == 1, "score: one number"
    assert np.allclose(found, right), f"score: {way}"


def as_computed():
    """The student's results (4, 3), if `score` gives them again."""
    table = np.array([[float(mean) for mean in results[way]] for way in WAYS])
    assert table.shape == (4, 3), "results: three numbers for each way"
    assert np.ptp(table, axis=1).any(), "results: three networks differ"
    for way, seed in (("greedy", 0), ("random", 1), ("probable", 2), ("cheapest", 1)):
        again = float(score(nets[seed], list(TEST), way, seed))
        assert np.isclose(again, table[WAYS.index(way), seed], atol=2e-3), (
            f"results: {way}, seed {seed} gives {again} when it is computed again"
        )
    return table
