"""What several hidden tests of homework 9 share; `%run -i` in a test puts it there.

It stands below ``assignment.py`` where a test needs that file too. Names that it does not
define are the student's, the setup cell's or of ``assignment.py``.
"""

import numpy as np
import torch
import torch.nn.functional as F
from matplotlib.lines import AxLine

# E[ρ] and E[ρ²]: ρ uniform on [½, 1], half of the time ½ and else 1, and others
MOMENTS = [(3 / 4, 7 / 12), (0.75, 0.625), (0.6, 0.37), (0.9, 0.82)]


def factor_right(pixels, targets, m, q):
    """Check the factor of the slope."""
    wanted = 1.0
    if pixels:
        wanted = 1.0 if targets else m / (1 - 2 * (m - q))
    elif targets:
        wanted = m
    found = float(slope_factor(pixels, targets, m, q))
    assert abs(found - wanted) < 1e-9, f"slope_factor({pixels}, {targets}, {m}, {q})"


def drawn(seed, N, H, C, scale=1.0):
    """Return arguments of `mixed_loss`; some partners come again, one is its own."""
    rng = np.random.default_rng(900 + seed)
    partner = rng.integers(0, N, N)
    partner[:2] = 0
    return (
        scale * rng.normal(size=(N, H)),
        rng.dirichlet(np.full(C, 0.7), N),
        rng.normal(size=(H, C)),
        rng.normal(size=C),
        rng.uniform(0.5, 1, N),
        partner,
    )


SOME = [drawn(0, 7, 4, 3), drawn(1, 5, 3, 6), drawn(2, 1, 2, 4), drawn(3, 6, 5, 4, 200)]


def run(A, Y, W, b, rho, partner):
    """The right program in NumPy: the mix is a matrix."""
    N = len(A)
    mix = np.diag(rho)
    np.add.at(mix, (np.arange(N), partner), 1 - rho)
    M, T = mix @ A, mix @ Y
    Z = M @ W + b
    top = Z.max(axis=1, keepdims=True)
    log_P = Z - top - np.log(np.exp(Z - top).sum(axis=1, keepdims=True))
    dZ = (np.exp(log_P) - T) / N
    return -np.sum(T * log_P) / N, mix.T @ dZ @ W.T


def by_autograd(A, Y, W, b, rho, partner):
    """The right program in PyTorch."""
    A = torch.tensor(A, requires_grad=True)
    own, Y, W, b = (torch.tensor(a) for a in (rho[:, None], Y, W, b))
    T = own * Y + (1 - own) * Y[partner]
    loss = F.cross_entropy((own * A + (1 - own) * A[partner]) @ W + b, T)
    return loss.detach(), *torch.autograd.grad(loss, A)


ANSWERS = "loss", "dA"


def agree_on(name, found, given, parts):
    """Check these parts of an answer against the right program.

    Among logits of some hundreds, finite differences are off by more than this allows.
    """
    for part, wanted in zip(ANSWERS, run(*given), strict=True):
        if part in parts:
            one = plain(found[ANSWERS.index(part)])
            assert one.shape == np.shape(wanted), f"{name}: shape of {part}"
            assert np.allclose(one, wanted, rtol=1e-9, atol=1e-11), f"{name}: {part}"


def altered(**changes):
    """Return a program whose answers are changed: name=change(answer)."""

    def program(*given):
        return tuple(
            changes.get(part, lambda one: one)(one)
            for part, one in zip(ANSWERS, run(*given), strict=True)
        )

    return program


def fed(change):
    """Return a program that misreads its arguments."""
    return lambda *given: run(*change(*given))


def last_owner_only(A, Y, W, b, rho, partner):
    """Return dA with one share of the gradient where an example is partner of several."""
    loss = run(A, Y, W, b, rho, partner)[0]
    own = rho[:, None] * A + (1 - rho)[:, None] * A[partner]
    T = rho[:, None] * Y + (1 - rho)[:, None] * Y[partner]
    dM = run(own, T, W, b, np.ones(len(A)), partner)[1]
    dA = rho[:, None] * dM
    dA[partner] += (1 - rho)[:, None] * dM
    return loss, dA


def wrong_way_round(A, Y, W, b, rho, partner):
    """Return dA that takes from the partner what the partner should receive."""
    loss = run(A, Y, W, b, rho, partner)[0]
    own = rho[:, None] * A + (1 - rho)[:, None] * A[partner]
    T = rho[:, None] * Y + (1 - rho)[:, None] * Y[partner]
    dM = run(own, T, W, b, np.ones(len(A)), partner)[1]
    dA = rho[:, None] * dM + ((1 - rho)[:, None] * dM)[partner]
    return loss, dA


def last_entry(change):
    """Return a function that changes the last entry of an array, by its largest one."""

    def function(one):
        one = one.copy()
        one.flat[-1] += change * abs(one).max()
        return one

    return function


WRONG_VALUES = {
    "a loss 0.1 % too large": altered(loss=lambda one: 1.001 * one),
    "dA: half of it": altered(dA=lambda one: one / 2),
    "dA: the other sign": altered(dA=lambda one: -one),
    "dA: one entry is off by 0.1 % of the largest": altered(dA=last_entry(1e-3)),
    "loss: an array with one entry": altered(loss=lambda one: np.array([one])),
    "dA: an axis too many": altered(dA=lambda one: one[None]),
    "loss: nan": altered(loss=lambda one: one * np.nan),
    "dA: one nan": altered(dA=last_entry(np.nan)),
}
RIGHT_BY_CHANCE = {
    "no two examples have the same partner": last_owner_only,
    "each example is its partner's partner": wrong_way_round,
    "one rho for all": fed(
        lambda A, Y, W, b, rho, j: (A, Y, W, b, np.full_like(rho, rho.mean()), j)
    ),
    "one-hot targets": fed(
        lambda A, Y, W, b, rho, j: (A, np.eye(len(b))[Y.argmax(axis=1)], W, b, rho, j)
    ),
}


class Watched:
    """A network and its Adam that note what they are trained on."""

    def __init__(self, initial):
        self.initial, self.steps, self.seen, self.nets = initial, [], [], []

    def __call__(self, seed):
        net, adam = self.initial(seed)
        self.nets.append(net)
        net[0].register_forward_hook(self.enter)
        net[2].register_forward_hook(self.leave)
        adam.register_step_post_hook(self.step)
        self.adam, self.inputs = adam, None
        return net, adam

    def enter(self, layer, given, out):
        self.inputs = given[0].detach().clone()

    def leave(self, layer, given, Z):
        if Z.requires_grad:
            notes = self.inputs, given[0].detach().clone(), Z.detach().softmax(dim=1)
            Z.register_hook(lambda dZ: self.seen.append((*notes, dZ.detach().clone())))

    def step(self, adam, *_):
        """Note the inputs of a step, and the targets that its gradient tells."""
        assert self.seen, "train: a step in which the network has no gradient"
        X, _, P, _ = self.seen[0]
        assert X.dtype == torch.float32, "train: float32"
        assert all(X.shape == x.shape and torch.equal(X, x) for x, *_ in self.seen), (
            "train: the inputs of a step differ"
        )
        last = self.nets[-1][2]
        wanted = sum(dZ.T @ hidden for _, hidden, _, dZ in self.seen)
        assert torch.allclose(last.weight.grad, wanted, rtol=1e-3, atol=1e-5), (
            "train: Adam gets another gradient than that of this step's mean loss"
        )
        T = P - len(X) * sum(dZ for *_, dZ in self.seen)
        self.steps.append((X.numpy().astype(float), T.numpy().astype(float)))
        self.after = reading(self.nets[-1])
        self.seen.clear()


def reading(net):
    """Return accuracy and mean confidence of a network on TEST."""
    with torch.no_grad():
        P = net(torch.tensor(TEST[0])).softmax(dim=1).numpy()
    return [float(np.mean(P.argmax(axis=1) == TEST[1])), float(P.max(axis=1).mean())]


def watched(mixed, seed, known):
    """Train with a network that takes notes; return the notes and the network."""
    notes = Watched(initial)
    with standing_in(train, initial=notes):
        return notes, train(*mixed, seed, known)


def shares(X, mixed):
    """For each mixed row, find the partner and its share that fit it best."""
    ways = X[None] - X[:, None]  # from n to j
    lengths = (ways**2).sum(axis=2)
    share = (ways * (mixed - X)[:, None]).sum(axis=2) / np.where(
        lengths > 0, lengths, 1
    )
    left = (((mixed - X)[:, None] - share[..., None] * ways) ** 2).sum(axis=2)
    j, rows = left.argmin(axis=1), np.arange(len(X))
    return j, share[rows, j], np.sqrt(left[rows, j].max())


def spread_right(other, what):
    """Check the shares of partners in one step: uniform on [0, ½]."""
    assert other.min() > -0.01 and other.max() < 0.51, f"train: rho for {what}"
    assert 0.19 < np.mean(other) < 0.32, f"train: rho uniform, for {what}"
    assert 0.1 < np.std(other) < 0.19, f"train: a rho for each example, for {what}"


def drawn_again(first, second, partners, itself):
    """Check two steps: partners and, where an example has another one, shares are new."""
    assert np.mean(partners[0] != partners[1]) > 0.5, "train: new partners each step"
    both = ~(itself[0] | itself[1])
    same = abs(np.corrcoef(first[both], second[both])[0, 1])
    assert same < 0.5, "train: a new rho for each example in each step"


def budget_kept(pixels, targets):
    """Check what a training is shown, step by step, and what it returns."""
    known = typed(21)
    X, Y = known[0].astype(float), np.eye(10)[known[1]]
    notes, net = watched((pixels, targets), 4, known)
    assert len(notes.nets) == 1, "train: one network, that of `initial`"
    assert len(notes.steps) == 100, f"train: {len(notes.steps)} steps"
    assert notes.adam.param_groups[0]["lr"] == 0.03, "train: another Adam"
    seen = [notes.steps[k] for k in (0, 1, 57, 99)]
    found, partners, itself = [], [], []
    for inputs, aims in seen:
        assert inputs.shape == X.shape, "train: each step takes all examples"
        assert np.allclose(aims.sum(axis=1), 1, atol=1e-2), "train: targets, mean loss"
        if not pixels:
            assert np.allclose(inputs, X, atol=1e-5), "train: the pictures are mixed"
        if not targets:
            assert np.allclose(aims, Y, atol=1e-2), "train: the labels are mixed"
        if pixels:
            j, other, off = shares(X, inputs)
            assert off < 1e-3, "train: a picture is no mix of two, its own first"
            found.append(other)
            partners.append(j)
            itself.append(j == np.arange(len(X)))
            if targets:
                wanted = Y + other[:, None] * (Y[j] - Y)
                assert np.allclose(aims, wanted, atol=1e-2), (
                    "train: the label is mixed in another proportion than the picture"
                )
        elif targets:
            rows = np.arange(len(X))
            own = aims[rows, known[1]]
            assert own.min() > 0.49, "train: rho is at least 1/2"
            second = np.sort(aims, axis=1)[:, -2]
            assert np.allclose(np.maximum(own, 1 - second) + second, 1, atol=2e-2), (
                "train: a label is a mix of two"
            )
            apart = own < 0.98  # the partner has another label
            assert 0.7 < np.mean(apart) < 0.98, "train: partners among all examples"
            found.append(1 - own)
            itself.append(~apart)
            partners.append(np.argsort(aims, axis=1)[:, -2])
    if pixels or targets:
        for other, own in zip(found, itself, strict=True):
            spread_right(other[~own], "pictures" if pixels else "labels")
        if pixels:
            assert len(set(partners[0].tolist())) > 80, "train: partners among all"
        drawn_again(*found[:2], partners, itself)
    assert np.allclose(reading(net), notes.after, atol=1e-5), (
        "train: the network is not that after the last step"
    )


def ends(line):
    """Return the points of a line; of one without ends, those where it leaves its axes."""
    xy = np.asarray(line.get_xydata(), dtype=float)
    if isinstance(line, AxLine):
        shown = line.get_transform().transform(xy)
        xy = line.axes.transData.inverted().transform(shown)
    return xy


def named_and_crossed(fig):
    """Check for a legend and the line y = x."""
    legends = [ax.get_legend() for ax in fig.axes] + list(fig.legends)
    assert any(one is not None for one in legends), "fig: a legend"
    lines = [ends(line) for ax in fig.axes for line in ax.lines]
    assert any(
        len(xy) > 1 and np.allclose(xy[:, 0], xy[:, 1]) and np.ptp(xy[:, 0]) > 0.1
        for xy in lines
    ), "fig: the line y = x"


def blend_right(X, Y, rho, partner):
    own, other = rho[:, None], 1 - rho[:, None]
    return own * X + other * X[partner], own * Y + other * Y[partner]


def blend_rounded(X, Y, rho, partner):
    other = (1 - rho)[:, None]
    return X - other * (X - X[partner]), Y - other * (Y - Y[partner])


def blend_in_place(X, Y, rho, partner):
    other = (1 - rho)[:, None]
    X += other * (X[partner] - X)
    return X, Y + other * (Y[partner] - Y)


def slope_right(P, T):
    return (P - T) / len(P)


def slope_rounded(P, T):
    return (P / 3 - T / 3) * 3 / len(P)


def slope_of_any(P, T):
    return (P - (T > 0)) / len(P)


def blend_mended():
    for seed in (0, 1):
        rng = np.random.default_rng(60 + seed)
        X, Y = rng.normal(size=(6 + seed, 3)), rng.dirichlet(np.ones(4), 6 + seed)
        rho, partner = rng.uniform(0.5, 1, len(X)), rng.integers(0, len(X), len(X))
        given = X, Y, rho, partner
        handed = [a.copy() for a in given]
        found = blend(*handed)
        assert all(map(np.array_equal, given, handed)), "blend: a given array changed"
        for a, wanted in zip(found, blend_right(*given), strict=True):
            assert np.shape(a) == wanted.shape, "blend: shape"
            assert np.allclose(a, wanted), "blend: values"


def slope_mended():
    for seed in (0, 1):
        rng = np.random.default_rng(70 + seed)
        P, T = rng.dirichlet(np.ones(4), (2, 5 + seed))
        handed = P.copy(), T.copy()
        found = np.asarray(slope(*handed))
        assert found.shape == P.shape, "slope: shape"
        assert np.allclose(found, (P - T) / len(P)), "slope: values"


def accepted(blend, slope):
    """Return whether `sound` finds the two functions in order, without `learn`."""
    with standing_in(sound, learn=uncalled):
        return accepts(sound, blend, slope)


def in_order():
    """Check that correct functions are accepted."""
    for blend, slope in ((blend_right, slope_right), (blend_rounded, slope_rounded)):
        assert accepted(blend, slope), "sound: correct functions are refused"
