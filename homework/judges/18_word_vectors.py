"""What several hidden tests of homework 18 share; `%run -i` in a test puts it there.

Names that it does not define are the student's, the setup cell's or `assignment.py`'s.
"""

import re

import numpy as np
import torch
from scipy.special import expit

SIZES = [(8, 3), (13, 5), (5, 1), (9, 2), (4, 4)]
NAMES = "least", "dA", "dB", "dw"
WAYS = [(way, d) for way in ("turned", "lists") for d in (10, 40)]


def generic(seed, N, d):
    """Return A, B and w; B longer than A, the weights far from equal."""
    rng = np.random.default_rng(100 + seed)
    while True:
        A, B = rng.normal(size=(2, N, d))
        B, w = 3 * B + A, rng.uniform(0.2, 3.0, N)
        if np.linalg.cond(A.T @ (w[:, None] * B)) < 30:
            return A, B, w


def nearly_singular(A, B, w):
    """Return them with another B, for which the last singular value is 1e-5 of the first.

    There a difference quotient misses by more than 1e-10, whatever its step, and the
    formulas by 1e-13.
    """
    M = A.T @ (w[:, None] * B)
    P, sigma, Qt = np.linalg.svd(M)
    sigma[-1] = 1e-5 * sigma[0]
    change = (P * sigma) @ Qt - M
    return A, B + A @ np.linalg.solve(A.T @ (w[:, None] * A), change), w


def run(A, B, w, scaled=True, reflected=True):
    """Return the right program's answers in NumPy, or those of one with a fault."""
    P, sigma, Qt = np.linalg.svd(A.T @ (w[:, None] * B))
    signs = np.ones_like(sigma)
    if not reflected and np.linalg.det(P @ Qt) < 0:
        signs[-1] = -1
    R = (P * signs) @ Qt
    s = sigma @ signs / (w @ (A**2).sum(axis=1)) if scaled else 1.0
    rest = s * A @ R - B
    weighted = 2 * w[:, None] * rest
    squares = (rest**2).sum(axis=1)
    return w @ squares, s * weighted @ R.T, -weighted, squares


def torched(A, B, w):
    """Return the same by autograd, without a turn."""
    A, B, w = leaves = [torch.tensor(a, requires_grad=True) for a in (A, B, w)]
    norm = torch.linalg.svdvals((A * w[:, None]).T @ B).sum()
    least = w @ (B**2).sum(dim=1) - norm**2 / (w @ (A**2).sum(dim=1))
    return least.detach(), *torch.autograd.grad(least, leaves)


def close(one, right, share):
    return np.abs(one - right).max() <= share * np.abs(right).max() + 1e-12


def drift_right(*names):
    """Check these answers of the student's `drift`, on arrays that stay as they were."""
    inputs = [generic(seed, *sizes) for seed, sizes in enumerate(SIZES)]
    if "least" not in names:  # there are gradients to look at
        inputs += [nearly_singular(*given) for given in inputs if given[0].shape[1] > 1]
    for given in inputs:
        kept = [one.copy() for one in given]
        with NumPyAlone():
            found = dict(zip(NAMES, drift(*kept), strict=True))
        right = dict(zip(NAMES, run(*given), strict=True))
        for name in names:
            one = np.asarray(found[name], dtype=float)
            assert one.shape == np.shape(right[name]), f"drift: shape of {name}"
            assert close(one, right[name], 1e-10), f"drift: {name}"
        if "least" in names:
            for one, before in zip(kept, given, strict=True):
                assert (one == before).all(), "drift: a given array is changed"


def twin_right():
    for seed, sizes in enumerate(SIZES):
        given = generic(20 + seed, *sizes)
        right = [np.asarray(one) for one in torched(*given)]
        found = [plain(one) for one in twin(*(one.copy() for one in given))]
        assert len(found) == 4, f"twin: {len(found)} answers"
        for name, one, wanted in zip(NAMES, found, right, strict=True):
            assert one.dtype == np.float64, f"twin: {name} is {one.dtype}"
            assert one.shape == wanted.shape, f"twin: shape of {name}"
            assert close(one, wanted, 1e-8), f"twin: {name}"
        with TwiceTheGradient():
            doubled = [plain(one) for one in twin(*given)]
        for name, one, wanted in zip(NAMES[1:], doubled[1:], right[1:], strict=True):
            assert close(one, 2 * wanted, 1e-8), f"twin: {name} is not from autograd"


def altered(**changes):
    """Return a program in which some answers are changed."""

    def program(A, B, w):
        answers = dict(zip(NAMES, run(A, B, w), strict=True))
        return [changes[k](one) if k in changes else one for k, one in answers.items()]

    return program


def one_off(array):
    """Return a copy whose largest entry is two parts in a thousand too large."""
    array = array.copy()
    array[np.unravel_index(np.abs(array).argmax(), array.shape)] *= 1.002
    return array


def with_nan(array):
    array = array.copy()
    array.flat[-1] = np.nan
    return array


WRONG_VALUES = {
    "a drift two parts in a thousand too large": altered(least=lambda D: 1.002 * D),
    "one wrong entry of dA": altered(dA=one_off),
    "one wrong entry of dB": altered(dB=one_off),
    "one wrong entry of dw": altered(dw=one_off),
    "dA with the other sign": altered(dA=lambda dA: -dA),
    "dB twice too large": altered(dB=lambda dB: 2 * dB),
    "lengths in dw, not their squares": altered(dw=np.sqrt),
}
WRONG_SHAPES = {
    "a drift of the shape (1,)": altered(least=lambda D: np.array([D])),
    "a column as dw": altered(dw=lambda dw: dw[:, None]),
    "dw as a row": altered(dw=lambda dw: dw[None]),
    "dB with an axis too many": altered(dB=lambda dB: dB[None]),
    "nan as the drift": altered(least=lambda D: np.nan * D),
    "a nan in dA": altered(dA=with_nan),
    "nan all over dw": altered(dw=lambda dw: np.nan * dw),
}
RIGHT_BY_CHANCE = {
    "all words are trusted alike": lambda A, B, w: run(A, B, np.full_like(w, w.mean())),
    "the scale is always 1": lambda A, B, w: run(A, B, w, scaled=False),
    "no reflections": lambda A, B, w: run(A, B, w, reflected=False),
}


def bet_made():
    """Check that there is a bet with a reason, whatever it says."""
    assert set(bet) == set(WAYS), "bet: the four keys"
    for key in WAYS:
        assert 0 <= float(bet[key]) <= 1, f"bet: {key} is not between 0 and 1"
    text = str(reason)
    assert len(text.split()) >= 20, "reason: 20 words"
    longer = {word for word in re.findall("[a-z]+", text.lower()) if len(word) > 3}
    assert len(longer) >= 12, "reason: twelve different words of four letters or more"


def two_spaces(seed, N, d):
    """Return two spaces (N, d) with rows of the length 1, near each other after a turn."""
    rng = np.random.default_rng(200 + seed)
    V = rng.normal(size=(N, d))
    W = V @ np.linalg.qr(rng.normal(size=(d, d)))[0] + 0.5 * rng.normal(size=(N, d))
    return [space / np.linalg.norm(space, axis=1, keepdims=True) for space in (V, W)]


def lists_differ(V, W):
    """Return how many of the 50 nearest words are new, by ranks."""
    nearest = []
    for space in (V, W):
        cosines = space @ space.T - 5 * np.eye(len(space))
        ranks = (-cosines).argsort(axis=1).argsort(axis=1)
        nearest.append(ranks < 50)
    return (nearest[0] & ~nearest[1]).sum(axis=1)


def moved_right():
    for seed, (N, d) in enumerate([(60, 7), (83, 4)]):
        V, W = two_spaces(seed, N, d)
        right = {"turned": run(V, W, np.ones(N))[3], "lists": lists_differ(V, W)}
        for way, wanted in right.items():
            with standing_in(moved, drift=run):
                one = np.asarray(moved(way, V.copy(), W.copy()), dtype=float)
            assert one.shape == (N,), f"moved: shape for {way}"
            assert np.allclose(one, wanted, atol=1e-8), f"moved: {way}"


def table_of(results):
    table = np.array([[float(share) for share in results[key]] for key in WAYS])
    assert table.shape == (4, 3), "results: three numbers for each key"
    assert np.ptp(table) > 0, "results: numbers that are all alike"
    return table


def results_right():
    """Check that the numbers come again, all of them."""
    table = table_of(results)
    for row, key in zip(table, WAYS, strict=True):
        for seed, share in enumerate(row):
            again = hits(moved, *key, seed)
            assert abs(again - share) < 1e-6, (
                f"results: {key}, seed {seed} gives {again} when it is run again"
            )


def columns(x):
    """Yield the ways of cutting positions into columns, as a number for each position."""
    order = np.argsort(x, kind="stable")
    gaps = np.diff(x[order])
    for least in np.unique(gaps[gaps > 1e-9]):
        column = np.empty(len(x), dtype=int)
        column[order] = np.concatenate([[0], np.cumsum(gaps >= least)])
        yield column


def contains(drawn, wanted):
    """Whether each wanted number is drawn, equal ones as often as they are wanted."""
    return all(
        np.isclose(drawn, one, atol=6e-3).sum()
        >= np.isclose(wanted, one, atol=6e-3).sum()
        for one in wanted
    )


def figure_right():
    """Check that four columns show the three numbers of each key, and the bet."""
    table = table_of(results)
    wanted = table
    try:
        made = [float(bet[key]) for key in WAYS]
    except Exception:
        made = []  # `bet` has its own marks
    if made and all(0 <= share <= 1 for share in made):
        wanted = np.column_stack([table, made])
    expect_plot(fig, wanted, "fig")
    assert fig.legends or any(ax.get_legend() for ax in fig.axes), "fig: a legend"
    with_data = [ax for ax in fig.axes if ax.has_data()]
    assert len(with_data) == 1, "fig: one pair of axes"
    ax = with_data[0]
    for artist in [*ax.lines, *ax.collections, *ax.patches]:
        across = artist in ax.lines and artist.get_transform() != ax.transData
        if across or not artist.get_visible() or np.all(artist.get_alpha() == 0):
            artist.remove()
    shown = points(fig)
    for k, limits in enumerate((ax.get_xlim(), ax.get_ylim())):
        low, high = min(limits) - 1e-9, max(limits) + 1e-9
        shown = shown[(low <= shown[:, k]) & (shown[:, k] <= high)]
    assert len(shown) <= 100, "fig: more than was asked"
    for column in columns(shown[:, 0]):
        groups = [shown[column == k, 1] for k in range(column.max() + 1)]
        fits = [[k for k, g in enumerate(groups) if contains(g, row)] for row in wanted]
        if matched(fits):
            return
    raise AssertionError("fig: a column for each key, with all its numbers")


def matched(fits, taken=()):
    """Whether each key can have a column to itself, among those that fit."""
    if len(taken) == len(fits):
        return True
    free = [k for k in fits[len(taken)] if k not in taken]
    return any(matched(fits, (*taken, k)) for k in free)


def noise_in_order(counts, shape, rng):
    sums = np.cumsum(np.asarray(counts) ** 0.75)
    return np.searchsorted(sums / sums[-1], rng.random(shape), side="right")


def any_word(counts, shape, rng):
    return rng.integers(0, len(counts), shape)


def step_in_order(V, U, centres, contexts, drawn, lr):
    """Add up what every pair asks for, by products with one-hot rows."""
    n, K = np.shape(drawn)
    rows, eye = np.repeat(np.asarray(centres), 1 + K), np.eye
    words = np.column_stack([contexts, drawn]).ravel()
    came = np.tile([1.0] + [0.0] * K, n)
    dS = (expit((V[rows] * U[words]).sum(axis=1)) - came)[:, None]
    dV = eye(len(V))[rows].T @ (dS * U[words])
    dU = eye(len(U))[words].T @ (dS * V[rows])
    return V - lr * dV, U - lr * dU


def each_word_once(V, U, centres, contexts, drawn, lr):
    """The fault of Ruwan's step: a word that comes twice is moved once."""
    words = np.column_stack([contexts, drawn])
    dS = expit((V[centres][:, None] * U[words]).sum(axis=2))
    dS[:, 0] -= 1
    V_new, U_new = V.astype(float), U.astype(float)
    V_new[centres] -= lr * (dS[:, :, None] * U[words]).sum(axis=1)
    U_new[words] -= lr * dS[:, :, None] * V[centres][:, None]
    return V_new, U_new


def noise_right():
    counts = np.array([3, 400, 1, 60, 90])
    p = counts**0.75 / (counts**0.75).sum()
    drawn = np.asarray(noise(counts.copy(), (3000, 7), np.random.default_rng(5)))
    assert drawn.shape == (3000, 7), "noise: shape"
    assert drawn.min() >= 0 and drawn.max() < 5, "noise: numbers of words"
    for part in (drawn, drawn[:, 0], drawn[:, -1]):  # the limits are five deviations
        share = np.bincount(part.ravel(), minlength=5) / part.size
        limit = 5 * np.sqrt(p * (1 - p) / part.size) + 1e-3
        assert (np.abs(share - p) < limit).all(), f"noise: {share.round(3)}"
    beside = (drawn[:, 0] == drawn[:, 1]).mean()
    below = (drawn[1:] == drawn[:-1]).mean()
    for equal in (beside, below):
        assert abs(equal - (p**2).sum()) < 0.06, "noise: independent draws"


def step_right():
    for seed, (n, K) in enumerate([(9, 3), (1, 1), (30, 2)]):
        rng = np.random.default_rng(400 + seed)
        V, U = rng.normal(size=(2, 6, 4))
        given = rng.integers(0, 6, n), rng.integers(0, 6, n), rng.integers(0, 6, (n, K))
        kept = V.copy(), U.copy()
        found = step(*kept, *(one.copy() for one in given), 0.1)
        for name, one, wanted in zip(
            "VU", found, step_in_order(V, U, *given, 0.1), strict=True
        ):
            one = np.asarray(one)
            assert one.shape == wanted.shape, f"step: shape of {name}"
            assert np.allclose(one, wanted, atol=1e-8), f"step: {name}"
        assert (kept[0] == V).all() and (kept[1] == U).all(), "step: V or U is changed"


def accepted(*functions):
    with standing_in(sound, descend=uncalled):
        return accepts(sound, *(at_most(100, function) for function in functions))


def chosen(counts, shape, rng):
    p = np.asarray(counts) ** 0.75
    return rng.choice(len(p), size=shape, p=p / p.sum())


def stepped(V, U, centres, contexts, drawn, lr):
    V, U, old = V.astype(float), U.astype(float), (V, U)
    for c, o, words in zip(centres, contexts, drawn, strict=True):
        for k, word in enumerate([o, *words]):
            dS = expit(old[0][c] @ old[1][word]) - (k == 0)
            V[c] -= lr * dS * old[1][word]
            U[word] -= lr * dS * old[0][c]
    return V, U


RUWANS = any_word, each_word_once
ONE_LEFT = {
    "noise that is uniform": (any_word, stepped),
    "repeated words that are moved once": (chosen, each_word_once),
}


def in_order():
    """Check that the student's `sound` accepts functions that do what they should."""
    assert accepted(noise_in_order, step_in_order), "sound: it refuses"
    assert accepted(chosen, stepped), "sound: it refuses functions in order"
