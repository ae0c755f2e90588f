"""What several hidden tests of homework 6 share; `%run -i` in a test puts it there.

Names that it does not define are from ``assignment.py``, the setup cell or the student.
"""

import numpy as np
import torch
from scipy.special import ndtr

THRESHOLDS = [
    np.array([-0.4]),
    np.array([-1.2, 0.1, 0.3]),
    np.array([-0.5, 0.9, 1.6, 2.2]),
]


def normal(z):
    return np.exp(-(np.asarray(z) ** 2) / 2) / np.sqrt(2 * np.pi)


def inside(t):
    """The mean of z in each interval, and the mean square that is left with these."""
    edges = np.concatenate([[-np.inf], t, [np.inf]])
    chance = np.diff(ndtr(edges))
    means = -np.diff(normal(edges)) / chance
    return means, 1 - np.sum(means**2 * chance)


def drawn(seed, shape, K=3):
    """Z, t, y, s and dA, two entries of Z on a threshold."""
    rng = np.random.default_rng(100 + seed)
    Z, dA = rng.normal(size=shape), rng.normal(size=shape)
    t, y = np.sort(rng.normal(size=K)), rng.normal(size=K + 1)
    Z.reshape(-1)[[0, -1]] = t[1], t[0]
    return Z, t, y, rng.uniform(0.4, 0.9), dA


def truth(Z, t, y, s, dA):
    """Return the staircase, and the gradients of what noise makes of it, by autograd."""
    z, edges, heights = (torch.tensor(a, dtype=torch.float64) for a in (Z, t, y))
    leaves = z.requires_grad_(), edges.requires_grad_()
    distance = (z[..., None] - edges) / s
    above = (1 + torch.erf(distance / 2**0.5)) / 2
    smooth = heights[0] + (above * (heights[1:] - heights[:-1])).sum(dim=-1)
    found = torch.autograd.grad((smooth * torch.tensor(dA)).sum(), leaves)
    A = np.asarray(y)[(Z[..., None] > t).sum(axis=-1)]
    return A, *(gradient.numpy() for gradient in found)


def backward_of(stairs_back, given):
    """The student's two gradients, from copies."""
    Z, t, y, s, dA = given
    return stairs_back(dA.copy(), Z.copy(), t.copy(), y.copy(), s)


def own_gradients(given):
    """The student's gradients, None in place of one that can be no gradient."""
    try:
        found = [np.asarray(a, dtype=float) for a in backward_of(stairs_back, given)]
    except Exception:
        return None, None
    fits = lambda a, like: a.shape == like.shape and np.isfinite(a).all() and a.any()
    dZ, dt = found if len(found) == 2 else (np.zeros(0),) * 2
    return dZ if fits(dZ, given[0]) else None, dt if fits(dt, given[1]) else None


def run(Z, t, y, s, dA):
    """The right program in NumPy."""
    climbs = dA[..., None] * np.diff(y) * normal((Z[..., None] - t) / s) / s
    return (
        y[(Z[..., None] > t).sum(axis=-1)],
        climbs.sum(axis=-1),
        -climbs.reshape(-1, len(t)).sum(axis=0),
    )


def torched(*given):
    """Do the same by autograd, as tensors, which rounds differently."""
    return tuple(torch.tensor(one) for one in truth(*given))


def altered(**changes):
    """A program whose answers are changed: name=change(answer, given)."""

    def program(*given):
        names = "A", "dZ", "dt"
        found = dict(zip(names, run(*given), strict=True))
        return tuple(
            changes[n](found[n], given) if n in changes else found[n] for n in names
        )

    return program


def steps_up_on_the_threshold(Z, t, y, s, dA):
    A = y[(Z[..., None] >= t).sum(axis=-1)]
    return A, *run(Z, t, y, s, dA)[1:]


def even_steps(Z, t, y, s, dA):
    """Gradients as if all steps were equally high."""
    even = np.linspace(y[0], y[-1], len(y))
    return run(Z, t, y, s, dA)[0], *run(Z, t, even, s, dA)[1:]


def rising_steps(Z, t, y, s, dA):
    """Gradients as if all steps led upwards."""
    rising = np.cumsum(np.abs(np.diff(y, prepend=0)))
    return run(Z, t, y, s, dA)[0], *run(Z, t, rising, s, dA)[1:]


def even_gradients(Z, t, y, s, dA):
    return run(Z, t, y, s, np.full_like(dA, dA.mean()))


WRONG_VALUES = {
    "values 1 % too large": altered(A=lambda A, _: 1.01 * A),
    "dZ: half of it": altered(dZ=lambda dZ, _: dZ / 2),
    "dt: the other sign": altered(dt=lambda dt, _: -dt),
    "dt: a row in place of a vector": altered(dt=lambda dt, _: dt[None]),
    "dt: one number for all": altered(dt=lambda dt, _: dt.sum()),
    "A: a column too many": altered(A=lambda A, _: A[..., None]),
    "nan in dZ": altered(dZ=lambda dZ, _: dZ * np.nan),
}
RIGHT_BY_CHANCE = {
    "the width 1 for any s": lambda Z, t, y, s, dA: run(Z, t, y, 1.0, dA),
    "dZ: without the width in front": altered(dZ=lambda dZ, given: given[3] * dZ),
    "one dA for all": even_gradients,
    "equal steps": even_steps,
    "rising steps": rising_steps,
    "on a threshold: the level above": steps_up_on_the_threshold,
}


FORWARD, BACKWARD = [], []  # what `RightStairs` was given


class RightStairs(torch.autograd.Function):
    @staticmethod
    def forward(ctx, Z, t, y, s):
        FORWARD.append(
            (Z.dtype, float(Z.detach().std()), t.tolist(), y.tolist(), float(s))
        )
        ctx.save_for_backward(Z, t, y)
        ctx.s = s
        return y[torch.bucketize(Z.detach(), t.detach())].to(Z.dtype)

    @staticmethod
    def backward(ctx, dA):
        BACKWARD.append(tuple(dA.shape))
        Z, t, y, dA = (
            np.asarray(a.detach().double()) for a in (*ctx.saved_tensors, dA)
        )
        dZ, dt = run(Z, t, y, float(ctx.s), dA)[1:]
        return (
            *(torch.tensor(a, dtype=ctx.saved_tensors[0].dtype) for a in (dZ, dt)),
            None,
            None,
        )


def trained(*given):
    """What the student's training gives with the right `Stairs`: it has its own marks."""
    FORWARD.clear()
    BACKWARD.clear()
    with standing_in(train, Stairs=RightStairs):
        return float(train(*given))


def two_bits_for_the_budget():
    """Six units of two bits are trained with the table, the width and the steps asked for."""
    trained(6, 2, 8, TRAIN, (TEST[0][:80].copy(), TEST[1][:80].copy()))
    assert BACKWARD == [(50, 6)] * 120, "train: 120 steps on 50 digits"
    t, y = TABLES[2]
    for dtype, _, edges, heights, width in FORWARD:
        assert dtype == torch.float32, "train: float32"
        assert np.shape(edges) == t.shape and np.allclose(edges, t), "train: thresholds"
        assert np.shape(heights) == y.shape and np.allclose(heights, y), "train: levels"
        assert width == 1, "train: the width 1"
    assert 0.6 < FORWARD[0][1] < 1.5, "train: the weights at the beginning"


def fitting(D, H, rng):
    return rng.normal(size=(H, D)).T * D**-0.5


def too_large(D, H, rng):
    return rng.normal(size=(D, H))


def any_of(n, size, rng):
    return rng.choice(n, size, replace=False)


def first_only(n, size, rng):
    return rng.integers(0, size, size)


def weights_right():
    for D, H in ((30, 200), (300, 40)):
        rng = np.random.default_rng(D)
        W, more = (np.asarray(weights(D, H, rng), dtype=float) for _ in range(2))
        assert W.shape == (D, H), "weights: shape"
        assert not np.allclose(W, more), "weights: drawn with rng"
        assert 0.85 < D * np.mean(W**2) < 1.15, "weights: variance"
        assert abs(np.mean(W)) * np.sqrt(D) < 0.1, "weights: mean"


def batch_right():
    rng = np.random.default_rng(8)
    rows = np.array([np.asarray(batch(200, 30, rng)) for _ in range(60)])
    assert rows.shape == (60, 30), "batch: shape"
    assert rows.min() >= 0 and rows.max() < 200, "batch: positions among n"
    assert len(set(rows.ravel().tolist())) > 190, "batch: some are never drawn"
    assert len({tuple(sorted(row)) for row in rows.tolist()}) > 50, "batch: new ones"


def accepted(weights, batch):
    """Return whether `sound` finds the two functions in order, without `descend`."""
    with standing_in(sound, descend=uncalled):
        return accepts(sound, weights, batch)


def in_order():
    with_repetition = lambda n, size, rng: rng.integers(0, n, size)
    for batch in (any_of, with_repetition):
        assert accepted(fitting, batch), "sound: functions in order are refused"
