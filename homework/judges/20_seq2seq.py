"""What several hidden tests of homework 20 share; `%run -i` in a test puts it there.

Names that it does not define are from ``assignment.py``, the setup cell or the student.
"""

import numpy as np
import torch

WAYS = "greedy", "random", "probable", "cheapest"


def lists_drawn(seed, N, K, alpha, filling, scores=(-10, 0)):
    """S, C, real and alpha: lists of different lengths, the longest K, padding last."""
    rng = np.random.default_rng(200 + seed)
    S, C = rng.uniform(*scores, (N, K)), rng.uniform(0, 6, (N, K)).round()
    lengths = rng.permutation(np.arange(N) % K + 1)
    real = np.arange(K) < lengths[:, None]
    junk = {"zeros": np.zeros, "nan": lambda shape: np.full(shape, np.nan)}
    drawn = lambda shape: rng.uniform(-3, 3, shape)
    S, C = (np.where(real, a, junk.get(filling, drawn)((N, K))) for a in (S, C))
    return S, C, real, alpha


PLAIN_LISTS = [
    lists_drawn(0, 5, 4, 0.7, "zeros"),
    lists_drawn(1, 3, 6, 1.9, "zeros"),
    (*(a[-1:] for a in lists_drawn(2, 4, 5, 0.4, "zeros")[:3]), 0.4),
]
FULL_LISTS = [lists_drawn(3, 6, 4, 0.6, "drawn"), lists_drawn(4, 4, 5, 1.4, "drawn")]
HARD_LISTS = [
    lists_drawn(5, 5, 4, 0.8, "nan"),
    lists_drawn(6, 4, 5, 1.3, "zeros", (-2004, -2000)),
    lists_drawn(7, 7, 3, 0.5, "nan", (-2004, -2000)),
]


def copies(given):
    S, C, real, alpha = given
    return S.copy(), C.copy(), real.copy(), alpha


def truth(S, C, real, alpha):
    """Return risk and gradients, from the differences of costs within each list."""
    R, dalpha, dS = 0.0, 0.0, np.zeros(S.shape)
    for n in range(len(S)):
        s, c = S[n][real[n]], C[n][real[n]]
        q = 1 / np.exp(alpha * (s - s[:, None])).sum(axis=1)
        more = (c[:, None] - c) @ q  # c - R
        R += q @ c / len(S)
        dS[n][real[n]] = alpha * q * more / len(S)
        dalpha += (q * more) @ (s - s.max()) / len(S)
    return float(R), dS, float(dalpha)


def asked(name, given):
    """One of the student's answers, with NumPy alone."""
    with NumPyAlone(), np.errstate(all="ignore"):
        found = risk(*given) if name == "R" else risk_back(*given)[name == "dalpha"]
    return np.asarray(found, dtype=float)


def as_asked(name, given):
    """One of the student's answers is right, and what was given stays as it is."""
    kept = copies(given)
    found, right = asked(name, kept), truth(*given)[("R", "dS", "dalpha").index(name)]
    assert found.shape == np.shape(right), f"{name}: shape {found.shape}"
    assert np.allclose(found, right, rtol=1e-9, atol=1e-13), f"{name}: values"
    for one, before in zip(kept[:3], given[:3], strict=True):
        assert np.array_equal(one, before), f"{name}: a given array was changed"


def as_on_easy_lists(name):
    """One of the student's answers, right or not, is the same on lists that are easy."""
    seen = []
    for S, C, real, alpha in HARD_LISTS:
        moved = np.where(real, S + 2000.0 * (S[real].max() < -1000), 0.0)
        easy = asked(name, (moved, np.where(real, C, 0.0), real.copy(), alpha))
        hard = asked(name, (S.copy(), C.copy(), real.copy(), alpha))
        assert hard.shape == easy.shape, f"{name}: shape {hard.shape}"
        assert np.isfinite(hard).all(), f"{name}: nan or infinite"
        assert np.allclose(hard, easy, rtol=1e-9, atol=1e-12), f"{name}: hard lists"
        seen.append(float(np.abs(hard).sum()))
    assert min(seen) > 1e-6 and np.ptp(seen) > 1e-6, f"{name}: always the same"


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
    "costs squared": lambda S, C, real, alpha: run(S, C**2, real, alpha),
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
        shorter = lengths - int("real" in faults)
        real = (torch.arange(signs.shape[1]) < shorter).float()
        return before, at, signs, real

    return teacher


LESSONS = (
    ["idea", "strength", "of", "queue", "by"],
    ["network"],
    ["three", "other", "areas"],
)


def faults_left():
    """What is wrong in the student's teacher."""
    left = []
    for k, name in enumerate(("before", "at", "signs", "real")):
        try:
            for words in LESSONS:
                found, right = teacher(list(words)), taught()(list(words))
                one, other = np.asarray(found[k]), np.asarray(right[k])
                assert one.shape == other.shape, f"{name}: shape {one.shape}"
                counts = np.asarray(right[3]) == 1 if name != "real" else other >= 0
                assert (one[counts] == other[counts]).all(), f"{name}: values"
                ends = np.array([[len(note_of(word))] for word in words])
                top = {"before": 6, "at": ends, "signs": 5, "real": 1}[name]
                assert (one >= 0).all() and (one <= top).all(), f"{name}: padding"
        except Exception as error:
            left.append(f"{type(error).__name__} {error}")
    return left


def no_training(*given, **named):
    raise AssertionError("sound: it looks at the tensors and does not call trained")


def accepted(teacher):
    names = getattr(sound, "__globals__", {})
    kept = names.get("trained")
    names["trained"] = no_training
    try:
        return bool(sound(teacher))
    except Exception:
        return False
    finally:
        names["trained"] = kept


def in_order():
    for filling in (None, 0, 1):
        assert accepted(taught(filling=filling)), (
            "sound: a function in order is refused"
        )


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
    """The student's `score`, where the network reads what is prepared here."""
    names, table = getattr(score, "__globals__", {}), drawn_readings()
    words, asked = [*READINGS, "noise", "model"], []

    def prepared_draws(net, notes, n, seed):
        asked.append((net, list(notes), int(n), int(seed)))
        return [list(table[note]) for note in notes]

    def prepared_greedy(net, notes):
        asked.append((net, list(notes), 12, 7))
        return [table[note][2][0] for note in notes]

    kept = names.get("draws"), names.get("greedy")
    names["draws"], names["greedy"] = prepared_draws, prepared_greedy
    try:
        found = score("the network", list(words), way, 7)
    finally:
        names["draws"], names["greedy"] = kept
    notes = [note_of(word) for word in words]
    assert asked == [("the network", notes, 12, 7)], f"score: one call for {way}"
    read = [
        table[note][2][0] if way == "greedy" else decided(table[note], way)
        for note in notes
    ]
    needed = [corrections(*pair) for pair in zip(read, words, strict=True)]
    right = np.mean(needed), np.mean(np.equal(needed, 0))
    found = np.array([float(one) for one in found])
    assert found.shape == (2,), "score: two numbers"
    assert np.allclose(found, right), f"score: {way}"


def as_computed():
    """The student's results (4, 3, 2), if `score` gives them again."""
    table = np.array(
        [[[float(x) for x in pair] for pair in results[way]] for way in WAYS]
    )
    assert table.shape == (4, 3, 2), "results: three pairs for each way"
    assert np.ptp(table[:, :, 0], axis=1).any(), "results: three networks differ"
    for way, seed in (("greedy", 0), ("random", 1), ("probable", 2), ("cheapest", 1)):
        again = [float(one) for one in score(nets[seed], list(TEST), way, seed)]
        assert np.allclose(again, table[WAYS.index(way), seed], atol=2e-3), (
            f"results: {way}, seed {seed} gives {again} when it is computed again"
        )
    return table
