"""What several hidden tests of homework 7 share; `%run -i` in a test puts it there.

Names that it does not define are the student's or the setup cell's.
"""

from itertools import pairwise

import numpy as np
import torch

LINES = [
    [0, 1],
    [3, 0],
    [-2, 5],
    [4, 0, -3],
    [1, -1, 2],
    [-3, 4, -2, 0],
    [1, 2, 3, -4, -3],
    [2, 5, 3, 1, 6],
    [7, 12, 5, 8, -1],
    [9, 2, 4, 1, 7],
    [-8, -3, 2, -1, 4],
    [5, 1, 3, 9, 2, 6, 4],
    [40, 57, 26, 71, 12, 80, 33],
    [100, 99, 97, 93, 85, 69, 37, -27, -155, -411, -923],
    [1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047],
    [4, 1, 3, 2],
]


def units_for(slopes):
    """Units of the smallest network, by trying all sets of corners."""
    changes = np.diff(slopes)
    K = changes.size
    sets = (np.arange(2**K)[:, None] >> np.arange(K)) & 1
    return K + (not np.any(sets @ changes == -slopes[0]))


def network_drawn(widths, seed):
    rng = np.random.default_rng(700 + seed)
    sizes = [1, *widths, 1]
    Ws = [rng.normal(size=size) / size[0] ** 0.5 for size in pairwise(sizes)]
    return Ws, [0.7 * rng.normal(size=H) for H in sizes[1:]]


def moves(Ws, bs, low, high):
    """Ends and corners, from the slope and the intercept of every unit on each piece."""
    parts = [(float(low), float(high), np.ones(1), np.zeros(1))]
    for W, b in zip(Ws[:-1], bs[:-1], strict=True):
        finer = []
        for first, last, slope, rest in parts:
            slope, rest = slope @ W, rest @ W + b
            zeros = [-r / s for s, r in zip(slope, rest, strict=True) if s]
            cuts = [first, *sorted(z for z in zeros if first < z < last), last]
            for left, right in pairwise(cuts):
                if right - left > 1e-8:
                    on = slope * (left + right) / 2 + rest > 0
                    finer.append((left, right, slope * on, rest * on))
        parts = finer
    x = [float(low)]
    slopes = [(slope @ Ws[-1])[0] for _, _, slope, _ in parts]
    for k in range(1, len(parts)):
        if abs(slopes[k] - slopes[k - 1]) > 1e-5:
            x.append(parts[k][0])
    x = np.array([*x, float(high)])
    return x, forward_mode(Ws, bs, x)[0]


def listed(Ws, bs, low, high, what="a network"):
    """Check the student's list of moves."""
    given = [W.copy() for W in Ws], [b.copy() for b in bs]
    answer = corners(*given, low, high)
    assert len(answer) == 2, "corners: positions and heights"
    found = [np.asarray(a) for a in answer]
    wanted = moves(Ws, bs, low, high)
    for kind, one, right in zip(("positions", "heights"), found, wanted, strict=True):
        assert one.shape == right.shape, (
            f"corners: {one.shape} {kind} for {right.shape}, {what}"
        )
        assert one.dtype == np.float64, f"corners: {kind} in {one.dtype}"
        assert np.allclose(one, right, rtol=0, atol=1e-6), f"corners: {kind}, {what}"
    for before, after in zip([*Ws, *bs], [*given[0], *given[1]], strict=True):
        assert np.array_equal(before, after), "corners: it changes what is given"


def close_corners(layers):
    """A network with three corners within 1e-5, at -0.3, of one or two hidden layers."""
    Ws, bs = [np.ones((1, 3))], [np.array([0.3, 0.3 + 1e-5, 0.3 + 5e-6])]
    if layers == 2:  # the first hidden layer is x + 2
        Ws, bs = [np.ones((1, 1)), *Ws], [np.array([2.0]), bs[0] - 2]
    return [*Ws, column(1, 1, -2)], [*bs, row(0.2)]


def column(*numbers):
    return np.array(numbers, dtype=np.float64)[:, None]


def row(*numbers):
    return np.array(numbers, dtype=np.float64)


FALSE_CORNERS = {
    "output weight 0": (
        [row(1, -2, 0.7)[None], column(1, 0, -2)],
        [row(0.5, 1, 0.2), row(0.3)],
    ),
    "two units share a corner": (
        [row(2, -3, 1)[None], column(1, 0.5, -1)],
        [row(-1, 1.5, -0.49999), row(-0.2)],
    ),
    "two bends cancel": (
        [row(1, 3, 1)[None], column(-3, 1, 0.6)],
        [row(-0.6, -1.8, 1.1), row(0.9)],
    ),
    "a layer that is 0": (
        [row(1, -1)[None], np.ones((2, 2)), column(2, 3)],
        [row(0.1, 0.3), row(-9, -7), row(0.4)],
    ),
    "no corner inside": ([row(1, -1)[None], column(2, 3)], [row(5, 4), row(0.4)]),
    "a layer that is 0 on a part": (
        [
            row(1, -1, 1)[None],
            np.array([[1.0, -2], [1, 0.5], [-0.5, 1]]),
            column(2, -1),
        ],
        [row(0.1, 0.3, -1.2), row(-0.9, -0.4), row(-0.6)],
    ),
}


def forward_mode(Ws, bs, x):
    """The right program in NumPy, heights and slopes carried through the layers."""
    A, slope = np.asarray(x, dtype=float)[:, None], np.ones((len(x), 1))
    for k, (W, b) in enumerate(zip(Ws, bs, strict=True)):
        A = b + sum(A[:, [j]] * W[j] for j in reversed(range(len(W))))
        slope = sum(slope[:, [j]] * W[j] for j in reversed(range(len(W))))
        if k < len(Ws) - 1:
            A, slope = np.where(A > 0, A, 0), np.where(A > 0, slope, 0)
    return A[:, 0], slope[:, 0]


def autograd(Ws, bs, x):
    """The right program in PyTorch."""
    x = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    A = x[:, None]
    for W, b in zip(Ws[:-1], bs[:-1], strict=True):
        A = torch.relu(A @ torch.tensor(W) + torch.tensor(b))
    heights = (A @ torch.tensor(Ws[-1]) + torch.tensor(bs[-1]))[:, 0]
    return heights.detach(), torch.autograd.grad(heights.sum(), x)[0]


def altered(change):
    """A program whose heights and slopes are changed."""
    return lambda *given: change(*forward_mode(*given))


WRONG_VALUES = {
    "heights 1 % too large": altered(lambda h, m: (1.01 * h, m)),
    "heights 0.01 too large": altered(lambda h, m: (h + 0.01, m)),
    "heights 0.001 too large": altered(lambda h, m: (h + 0.001, m)),
    "slopes 0.001 too large": altered(lambda h, m: (h, m + 0.001)),
    "slopes of the other sign": altered(lambda h, m: (h, -m)),
    "half of each slope": altered(lambda h, m: (h, m / 2)),
    "one slope for all, their mean": altered(lambda h, m: (h, 0 * m + m.mean())),
    "heights as a column": altered(lambda h, m: (h[:, None], m)),
    "slopes as a row": altered(lambda h, m: (h, m[None])),
    "the sum of the slopes": altered(lambda h, m: (h, m.sum())),
    "nan among the slopes": altered(lambda h, m: (h, m * np.nan)),
    "no slopes": altered(lambda h, m: (h,)),
}


def without_biases(Ws, bs, x):
    return forward_mode(Ws, [0 * b for b in bs], x)


def without_the_last_bias(Ws, bs, x):
    heights, slopes = forward_mode(Ws, bs, x)
    return heights - bs[-1][0], slopes


def one_layer_switches(Ws, bs, x):
    """Right heights; slopes as if ReLU were in the first hidden layer only."""
    slope = np.where(x[:, None] * Ws[0] + bs[0] > 0, Ws[0], 0)
    for W in Ws[1:]:
        slope = slope @ W
    return forward_mode(Ws, bs, x)[0], slope[:, 0]


def nothing_switches(Ws, bs, x):
    """Right heights; slopes of the product of all matrices."""
    slope = np.linalg.multi_dot(Ws) if len(Ws) > 1 else Ws[0]
    return forward_mode(Ws, bs, x)[0], np.full(len(x), slope[0, 0])


def slope_of_the_first(Ws, bs, x):
    heights, slopes = forward_mode(Ws, bs, x)
    return heights, np.full_like(slopes, slopes[0])


def slopes_in_rising_order(Ws, bs, x):
    return forward_mode(Ws, bs, x)[0], forward_mode(Ws, bs, np.sort(x))[1]


RIGHT_BY_CHANCE = {
    "all biases 0": without_biases,
    "without the output's bias": without_the_last_bias,
    "one hidden layer that switches": one_layer_switches,
    "units that never switch": nothing_switches,
    "the slope of one piece for all": slope_of_the_first,
    "positions in rising order": slopes_in_rising_order,
    "the size of x for x": lambda Ws, bs, x: forward_mode(Ws, bs, np.abs(x)),
}


def watched(widths, seed, x, y):
    """Train with the student's function, with right `corners`, and look at the network."""
    seen, begin, rows = {"steps": 0, "counted": False}, initial, []

    def drawn(widths, seed):
        net, adam = begin(widths, seed)
        seen.update(net=net, before=layers(net), given=(list(widths), seed))
        step = adam.step

        def counted(*args, **settings):
            seen["steps"] += 1
            return step(*args, **settings)

        adam.step = counted
        net.register_forward_hook(lambda part, given, out: rows.append(len(given[0])))
        return net, adam

    def right_corners(*given):
        seen["counted"] = True
        return moves(*given)

    with standing_in(train, initial=drawn, corners=right_corners):
        answer = train(list(widths), seed, x.copy(), y.copy())
    before, after, error = (float(plain(one)) for one in answer)
    assert seen.get("given") == (list(widths), seed), "train: initial(widths, seed)"
    assert seen["steps"] == 600, f"train: {seen['steps']} steps of this Adam"
    assert sum(n == len(x) for n in rows) >= 600, "train: each step on all points"
    kind = next(seen["net"].parameters()).dtype  # a student may train in float64
    inputs = torch.tensor(x, dtype=kind)[:, None]
    with torch.no_grad():
        out = seen["net"](inputs).double().numpy()[:, 0]
    left = np.sqrt(np.mean((out - y) ** 2))
    assert abs(error - left) < 1e-3 * left + 1e-6, "train: the error of its network"
    assert left < 0.15, f"train: an error of {left:.3f} on an easy line"
    far = 0 if seen["counted"] else 4  # counted on a grid
    for what, count, net in (
        ("before", before, seen["before"]),
        ("after", after, layers(seen["net"])),
    ):
        right = len(moves(*net, -1, 1)[0]) - 1
        assert abs(count - right) <= far, f"train: {count:g} pieces {what}, not {right}"


def spread(H, rng):
    t = rng.uniform(-1, 1, H)
    w = 2.0 * rng.integers(0, 2, H) - 1
    return w, -w * t, H**-0.5 * rng.normal(size=H), 0.0


def spread_later(H, rng):
    """The same, drawn in another order, so that the same seed gives other numbers."""
    v, turns = rng.normal(0, H**-0.5, H), rng.choice([1.0, -1.0], H)
    return turns, 1 - 2 * rng.random(H), v, 0


def one_corner(H, rng):
    w = rng.choice([-1.0, 1.0], size=H)
    return w, -w * rng.uniform(-1, 1), rng.normal(size=H) / np.sqrt(H), 0.0


def row_by_row(out, y):
    return torch.nn.functional.mse_loss(out.squeeze(1), y)


def every_pair(out, y):
    return ((out - y) ** 2).mean()


def draw_right():
    """Check the student's `draw`; limits for random numbers are four deviations or more."""
    rng = np.random.default_rng(12)
    drawn = lambda rng: [np.asarray(a, dtype=float) for a in draw(2000, rng)]
    w, b, v, c = drawn(rng)
    assert w.shape == b.shape == v.shape == (2000,) and c.size == 1, "draw: shapes"
    assert not c.any(), "draw: c"
    assert (np.abs(w) == 1).all() and abs(w.mean()) < 0.15, "draw: w"
    t, normal = -b / w, np.sqrt(2000) * v
    assert np.abs(t).max() <= 1, "draw: corners within [-1, 1]"
    off = np.abs(np.sort(t) - np.linspace(-1, 1, 2000)).max()
    assert off < 0.12, "draw: corners spread evenly"
    assert 0.85 < np.mean(normal**2) < 1.15, "draw: variance of v"
    assert abs(normal.mean()) < 0.15, "draw: mean of v"
    assert 2.5 < np.mean(normal**4) / np.mean(normal**2) ** 2 < 3.5, "draw: v is normal"
    for one, other in ((w, t), (w, normal), (t, normal)):
        assert abs(np.mean(one * other)) < 0.12, "draw: w, corners and v independent"
    later = drawn(rng)
    for first, second in ((w, later[0]), (t, -later[1] / later[0]), (v, later[2])):
        assert not np.allclose(first, second), "draw: everything drawn with rng"
    for first, again in zip((w, b, v), drawn(np.random.default_rng(12)), strict=False):
        assert np.allclose(first, again), "draw: drawn with rng alone"
    assert len(np.unique(draw(7, rng)[1])) == 7, "draw: seven units"


def loss_right():
    rng = np.random.default_rng(13)
    for N in (1, 6, 11):
        out, y = rng.normal(size=(N, 1)), rng.normal(size=N)
        leaf = torch.tensor(out, requires_grad=True)
        found = loss(leaf, torch.tensor(y))
        assert found.numel() == 1, "loss: one number"
        assert abs(found.item() - np.mean((out[:, 0] - y) ** 2)) < 1e-9, "loss"
        (slope,) = torch.autograd.grad(found.sum(), leaf)
        assert np.allclose(slope, 2 * (out - y[:, None]) / N), "loss: its gradient"


def accepted(draw, loss):
    """Return whether `sound` finds the two functions in order, without `fit`."""
    with standing_in(sound, fit=uncalled):
        return accepts(sound, draw, loss)


def in_order():
    in_columns = lambda out, y: (out - y[:, None]).pow(2).mean()
    for right in ((spread, row_by_row), (spread_later, in_columns)):
        assert accepted(*right), "sound: functions in order are refused"
