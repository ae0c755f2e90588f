"""What several hidden tests of homework 10 share; `%run -i` in a test puts it there.

Names that it does not define are those of ``assignment.py``, the student's or the setup
cell's.
"""

import copy

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

WALKS = [
    (0.3, 2.0, 0.9),
    (0.7, 0.4, 0.35),
    (0.25, 7.0, 0.8),
    (1e-3, 0.1, 0.9999),
    (0.9, 2.1, 0.0),
]
RATES_OF_A_WALK = [0.3, 0.3, 0.1, 0.1, 0.5, 0.2]
NIGHTS = [("constant", 0.5, 11), ("averaged", 0.9, 12), ("falling", 1.1, 13)]


def met(eta, lam, beta):
    """The mean of average times iterate: the iterates' covariances, summed up."""
    return (1 - beta) * eta / lam / (2 - eta * lam) / (1 - beta + beta * eta * lam)


def settled(eta, lam, beta):
    """The variance of the moving average: the independent noises' weights, summed up."""
    keep = 1 - eta * lam
    V = eta / (lam * (2 - eta * lam))
    return V * (1 - beta) * (1 + beta * keep) / ((1 + beta) * (1 - beta * keep))


def drawn(seed, steps):
    """Parameters, gradients for each step, and the shapes, all generic."""
    rng = np.random.default_rng(100 + seed)
    shapes = {"0.weight": (3, 5), "0.bias": (5,), "2.bias": (5,), "3.scale": (1,)}
    draw = lambda: {name: rng.normal(size=shape) for name, shape in shapes.items()}
    return draw(), [draw() for _ in range(steps)], shapes


def weights_of(P, Gs, rates, momentum):
    """Return the weights after each step, a list of dicts."""
    v = {name: 0.0 for name in P}
    walk = [P]
    for G, lr in zip(Gs, rates, strict=True):
        v = {name: momentum * v[name] + G[name] for name in P}
        walk.append({name: walk[-1][name] - lr * v[name] for name in P})
    return walk[1:]


def mean_of(iterates, beta):
    """Return the averages of a list of dicts, as one weighted sum."""
    c = float(beta) ** np.arange(len(iterates))[::-1]
    c = c / c.sum()
    return {
        name: sum(share * w[name] for share, w in zip(c, iterates, strict=True))
        for name in iterates[0]
    }


def copied(arrays):
    return {name: np.array(one, dtype=float) for name, one in arrays.items()}


def own_weights(P, Gs, momentum, beta):
    """The student's weights after each step; `step` keeps to what it may change."""
    own, M, buffers, iterates = copied(P), {}, copied(Gs[0]), []
    arrays = dict(own)
    with NumPyAlone():
        for G, lr in zip(Gs, RATES_OF_A_WALK, strict=True):
            for name in P:
                buffers[name][...] = G[name]
            step(own, buffers, M, lr, momentum, beta)
            for name in P:
                assert own[name] is arrays[name], "step: change the arrays in place"
                assert (buffers[name] == G[name]).all(), "step: G was changed"
                buffers[name][...] = np.nan  # the caller may write into them
            iterates.append(copied(own))
    return iterates


def own_averages_of(P, Gs, momentum, beta):
    """The student's weights after each step, and the averages, also before the first."""
    own, M, iterates, averages = copied(P), {}, [], []
    with NumPyAlone():
        for t in range(len(Gs) + 1):
            if t:
                step(own, copied(Gs[t - 1]), M, RATES_OF_A_WALK[t - 1], momentum, beta)
                iterates.append(copied(own))
            before = copied(own)
            found = average(own, M)
            averages.append(copied(found))
            for name in P:
                assert (own[name] == before[name]).all(), "average: P was changed"
                found[name][...] = np.nan  # a new array, so this changes nothing else
                assert (own[name] == before[name]).all(), "average: not a new array"
    moved = [np.abs(iterates[-1][name] - P[name]).min() for name in P]
    assert min(moved) > 0, "step: weights that do not move have no average"
    return iterates, averages


def size_of(memory):
    """How many numbers a dict holds, at any depth."""
    if isinstance(memory, dict):
        return sum(size_of(part) for part in memory.values())
    if isinstance(memory, list | tuple):
        return sum(size_of(part) for part in memory)
    return np.size(memory)


def small_memory():
    """The memory does not grow with the number of steps."""
    P, Gs, _ = drawn(19, 1)
    own, M, sizes = copied(P), {}, []
    for t in range(40):
        step(own, Gs[0], M, 0.01, 0.5, 0.9)
        sizes.append(size_of(M) if t in (9, 39) else 0)
    assert sizes[39] == sizes[9], "step: the memory grows with the number of steps"


# Programs that are called like `twin`.


def summed(P, Gs, lr, momentum, beta):
    """The right program, with the average as one weighted sum."""
    iterates = weights_of(P, Gs, [lr] * len(Gs), momentum)
    return iterates[-1], mean_of(iterates, beta)


def recursive(P, Gs, lr, momentum, beta):
    """The right program once more, by the recursion and in PyTorch; rounds differently."""
    weights, averages = {}, {}
    for name in P:
        w = torch.tensor(P[name], dtype=torch.float64)
        v, a, whole = torch.zeros_like(w), torch.zeros_like(w), 0.0
        for G in Gs:
            v = momentum * v + lr * torch.tensor(G[name])
            w, whole = w - v, beta * whole + 1
            a = a + (w - a) / whole
        weights[name], averages[name] = w.numpy(), a.numpy()
    return weights, averages


def altered(change):
    """A program whose answer is changed by change(weights, averages, given)."""

    def program(*given):
        weights, averages = summed(*given)
        return change(dict(weights), dict(averages), given)

    return program


def each(change):
    """Change one array of a dict: that of the last name."""
    return lambda some: {**some, list(some)[-1]: change(some[list(some)[-1]])}


def over_iterates(mean):
    """A program whose averages are mean(first weights, iterates, beta) of the iterates."""

    def program(P, Gs, lr, momentum, beta):
        iterates = weights_of(P, Gs, [lr] * len(Gs), momentum)
        return iterates[-1], mean(P, iterates, beta)

    return program


def uncorrected(first, iterates, beta, scale=1.0):
    """The moving average that begins at `first`, without a correction."""
    a = {name: scale * w for name, w in first.items()}
    for w in iterates:
        a = {name: beta * a[name] + (1 - beta) * w[name] for name in a}
    return a


def over_one_minus_beta(P, iterates, beta):
    """Divided by 1 − β at each step count, which is right after one step."""
    a = uncorrected(P, iterates, beta, 0.0)
    return {name: one / (1 - beta) for name, one in a.items()}


WRONG_PROGRAMS = {
    "averages 1 % too large": altered(
        lambda w, a, _: (w, {name: 1.01 * one for name, one in a.items()})
    ),
    "one average wrong": altered(lambda w, a, _: (w, each(lambda one: one + 0.1)(a))),
    "one array of weights wrong": altered(
        lambda w, a, _: (each(lambda one: 1.1 * one)(w), a)
    ),
    "one entry wrong": altered(
        lambda w, a, _: (
            w,
            each(lambda one: one + 0.1 * (np.arange(one.size) == 0).reshape(one.shape))(
                a
            ),
        )
    ),
    "no bias correction": over_iterates(lambda P, ws, b: uncorrected(P, ws, b, 0.0)),
    "the average lags by a step": over_iterates(
        lambda P, ws, b: mean_of([P, *ws[:-1]], b)
    ),
    "a row too many": altered(lambda w, a, _: (w, each(lambda one: one[None])(a))),
    "weights: a row too many": altered(
        lambda w, a, _: (each(lambda one: one[None])(w), a)
    ),
    "an average is missing": altered(
        lambda w, a, _: (w, {name: a[name] for name in list(a)[:-1]})
    ),
    "nan among the weights": altered(
        lambda w, a, _: (each(lambda one: one * np.nan)(w), a)
    ),
    "no momentum": lambda P, Gs, lr, mu, b: summed(P, Gs, lr, 0.0, b),
    "dampened momentum": lambda P, Gs, lr, mu, b: summed(P, Gs, lr * (1 - mu), mu, b),
    "the plain mean": lambda P, Gs, lr, mu, b: summed(P, Gs, lr, mu, 1.0),
    "the last weights": lambda P, Gs, lr, mu, b: summed(P, Gs, lr, mu, 0.0),
    "divided by 1 − β": over_iterates(over_one_minus_beta),
    "the first gradients in each step": lambda P, Gs, lr, mu, b: summed(
        P, Gs[:1] * len(Gs), lr, mu, b
    ),
    "begins at zero": lambda P, Gs, lr, mu, b: summed(
        {name: 0 * p for name, p in P.items()}, Gs, lr, mu, b
    ),
    "the average begins at the first weights": over_iterates(uncorrected),
}


def leaves_of(P, dtype):
    return {
        name: torch.tensor(p, dtype=dtype, requires_grad=True) for name, p in P.items()
    }


def own_steps(optimiser, leaves, Gs):
    for G in Gs:
        for name, leaf in leaves.items():
            one = G[name]
            leaf.grad = None if one is None else torch.tensor(one, dtype=leaf.dtype)
        optimiser.step()


def own_averages(optimiser, leaves):
    return {name: plain(optimiser.average(leaf)) for name, leaf in leaves.items()}


def in_groups(seed, beta, dtype):
    """Two groups, a schedule, and a parameter without a gradient in three of six steps."""
    P, Gs, _ = drawn(seed, 6)
    gone = (0, 3, 4)
    given = [{**G, "2.bias": None} if t in gone else G for t, G in enumerate(Gs)]
    leaves = leaves_of(P, dtype)
    ordinary = [leaves[name] for name in ("0.weight", "0.bias", "2.bias")]
    other = {"momentum": 0.2, "beta": 0.4}
    groups = [{"params": ordinary}, {"params": [leaves["3.scale"]], **other}]
    optimiser = Averaged(groups, lr=1.0, momentum=0.7, beta=beta)
    close = {"rtol": 1e-9, "atol": 1e-11}
    close = {"rtol": 1e-4, "atol": 1e-5} if dtype == torch.float32 else close
    for name, found in own_averages(optimiser, leaves).items():
        assert np.allclose(found, P[name], **close), "average: before the first step"
    for G, lr in zip(given, RATES_OF_A_WALK, strict=True):
        for group in optimiser.param_groups:
            group["lr"] = lr
        own_steps(optimiser, leaves, [G])
    for name, leaf in leaves.items():
        stays = [t for t in range(6) if name != "2.bias" or t not in gone]
        walk = weights_of(
            {name: P[name]},
            [Gs[t] for t in stays],
            [RATES_OF_A_WALK[t] for t in stays],
            0.2 if name == "3.scale" else 0.7,
        )
        found = optimiser.average(leaf)
        assert torch.is_tensor(found), "average: a tensor"
        assert found.dtype == dtype and leaf.dtype == dtype, f"Averaged: {found.dtype}"
        assert found.shape == leaf.shape, f"average: shape of {name}"
        assert np.allclose(plain(leaf), walk[-1][name], **close), f"step: {name}"
        wanted = mean_of(walk, 0.4 if name == "3.scale" else beta)[name]
        assert np.allclose(plain(found), wanted, **close), f"average: {name}"
        with torch.no_grad():
            found.fill_(7)
        assert np.allclose(plain(optimiser.average(leaf)), wanted, **close), (
            "average: not a new tensor"
        )
        assert np.allclose(plain(leaf), walk[-1][name], **close), "average: not a copy"


def interrupted(seed):
    """Save after three steps, load into a new optimiser, go on; and the same in one go."""
    P, Gs, _ = drawn(seed, 7)
    settings = {"lr": 0.3, "momentum": 0.8, "beta": 0.7}
    leaves = leaves_of(P, torch.float64)
    whole = Averaged(leaves.values(), **settings)
    own_steps(whole, leaves, Gs[:3])
    saved = copy.deepcopy(whole.state_dict())
    others = leaves_of({n: plain(leaf) for n, leaf in leaves.items()}, torch.float64)
    later = Averaged(others.values(), **settings)
    later.load_state_dict(saved)
    one, two = own_averages(whole, leaves), own_averages(later, others)
    for name in P:
        assert np.allclose(one[name], two[name]), "the averages are not restored"
    own_steps(whole, leaves, Gs[3:])
    own_steps(later, others, Gs[3:])
    one, two = own_averages(whole, leaves), own_averages(later, others)
    for name in P:
        assert np.allclose(plain(leaves[name]), plain(others[name])), "other weights"
        assert np.allclose(one[name], two[name]), "other averages"
    # what was compared has a velocity, and an average that is neither end of the walk
    plainer = leaves_of(P, torch.float64)
    own_steps(Averaged(plainer.values(), **{**settings, "momentum": 0.0}), plainer, Gs)
    for name, leaf in leaves.items():
        assert not np.allclose(plain(leaf), plain(plainer[name])), "no momentum"
        assert not np.allclose(one[name], plain(leaf)), (
            "the average is the last weights"
        )
        assert not np.allclose(one[name], P[name]), "the average is the first weights"


class RightAveraged(torch.optim.Optimizer):
    def __init__(self, params, lr, momentum=0.0, beta=0.9):
        super().__init__(params, {"lr": lr, "momentum": momentum, "beta": beta})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                state["v"] = group["momentum"] * state.get("v", 0.0) + p.grad
                p -= group["lr"] * state["v"]
                state["whole"] = group["beta"] * state.get("whole", 0.0) + 1
                a = state.get("a", torch.zeros_like(p))
                state["a"] = a + (p - a) / state["whole"]

    def average(self, p):
        return self.state.get(p, {}).get("a", p).detach().clone()


def one_night(way, lr, seed):
    """The test loss of one network, by the right program."""
    net, batches = night(seed)
    optimiser = RightAveraged(net.parameters(), lr, beta=0.96)
    for t, rows in enumerate(batches):
        if way == "falling":
            optimiser.param_groups[0]["lr"] = lr * (1 - t / len(batches))
        optimiser.zero_grad()
        F.cross_entropy(net(TRAIN[0][rows]), TRAIN[1][rows]).backward()
        optimiser.step()
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(optimiser.average(p) if way == "averaged" else p)
        return F.cross_entropy(net(TEST[0]), TEST[1]).item()


def a_right_night(way, lr, seed):
    """The loss of `train` is right, with the student's own optimiser or the right one."""
    wanted, seen = one_night(way, lr, seed), []
    for optimiser in (globals().get("Averaged"), RightAveraged):
        try:
            with standing_in(train, Averaged=optimiser):
                found = float(train(way, lr, seed))
        except Exception as error:
            seen.append(repr(error))
            continue
        if abs(found / wanted - 1) < 5e-4:
            return
        seen.append(f"{found:.5f}")
    raise AssertionError(
        f"train: {way}, {lr}, seed {seed}: {' and '.join(seen)}, expected {wanted:.5f}"
    )


def all_drawn(fig, results):
    """All 27 losses stand above their learning rates, and the legend names the ways."""
    axes = [ax for ax in fig.axes if ax.has_data()]
    assert any(ax.get_xlabel() and ax.get_ylabel() for ax in axes), (
        "fig: name both axes"
    )
    legends = [ax.get_legend() for ax in axes if ax.get_legend()] + fig.legends
    named = [text.get_text().lower() for one in legends for text in one.get_texts()]
    for way in results:
        assert any(way in label for label in named), f"fig: {way} is not in the legend"
    assert any(ax.get_xscale() == "log" for ax in axes), "fig: a logarithmic axis"
    found = points(fig)
    assert len(found) <= 60, f"fig: {len(found)} points, more than 60"
    table = {way: np.asarray(rows, dtype=float) for way, rows in results.items()}
    for way in ("constant", "averaged", "falling"):
        assert table[way].shape == (3, 3), f"results: the shape of {way}"
        assert np.ptp(table[way]) > 0, "fig: results that are all alike"
        for lr, row in zip((0.2, 0.8, 2.0), table[way], strict=True):
            for loss in row:
                near = np.abs(found / [lr, loss] - 1) < [0.12, 5e-3]
                assert near.all(axis=1).any(), (
                    f"fig: {loss:.3f} of {way} is not drawn at {lr}"
                )


# The two functions of the run that learns badly.


def in_steps(average, net, beta):
    with torch.no_grad():
        for k, p in enumerate(net.parameters()):
            average[k] = beta * average[k] + (1 - beta) * p.detach()


def in_place(average, net, beta):
    with torch.no_grad():
        for a, p in zip(average, net.parameters(), strict=True):
            a.mul_(beta).add_(p, alpha=1 - beta)


def nearly_the_last(average, net, beta):
    with torch.no_grad():
        for a, p in zip(average, net.parameters(), strict=True):
            a.lerp_(p, beta)


def in_turn(net, average, score):
    kept = copy.deepcopy(net.state_dict())
    nn.utils.vector_to_parameters(
        nn.utils.parameters_to_vector(average), net.parameters()
    )
    found = score(net)
    net.load_state_dict(kept)
    return found


def on_another(net, average, score):
    other = copy.deepcopy(net)
    with torch.no_grad():
        for p, a in zip(other.parameters(), average, strict=True):
            p.copy_(a)
    return score(other)


def puts_nothing_back(net, average, score):
    with torch.no_grad():
        for p, a in zip(net.parameters(), average, strict=True):
            p.copy_(a)
    return score(net)


def tensors(some):
    return [plain(one).copy() for one in some]


def alike(some, others):
    return len(some) == len(others) and all(map(np.allclose, some, others))


def some_net(seed):
    torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)).double()
    return net, [torch.randn_like(p) for p in net.parameters()]


def follow_right():
    for seed, beta in ((0, 0.9), (1, 0.3), (2, 0.97)):
        net, average = some_net(seed)
        weights, before = tensors(net.parameters()), tensors(average)
        for _ in range(2):
            follow(average, net, beta)
            before = [
                beta * a + (1 - beta) * w for a, w in zip(before, weights, strict=True)
            ]
            assert alike(tensors(average), before), "follow: averages"
            assert alike(tensors(net.parameters()), weights), "follow: weights changed"


class Score:
    """Returns a number, and keeps the weights that it was called with."""

    def __init__(self, value):
        self.value, self.seen = value, None

    def __call__(self, net):
        self.seen = tensors(net.parameters())
        return self.value


def scored_right():
    net, average = some_net(3)
    weights, before = tensors(net.parameters()), tensors(average)
    for value in (0.25, 1.5):
        score = Score(value)
        assert float(scored(net, average, score)) == value, "scored: not the score"
        assert score.seen is not None, "scored: score is not called"
        assert alike(score.seen, before), "scored: not with the averages"
        assert alike(tensors(net.parameters()), weights), "scored: weights changed"
        assert alike(tensors(average), before), "scored: averages changed"


def found_sound(follow, scored):
    with standing_in(sound, idris=uncalled):
        return accepts(sound, follow, scored)


def in_order():
    """Whether the student's `sound` accepts pairs in order, one by one."""
    pairs = [(f, s) for f in (in_steps, in_place) for s in (in_turn, on_another)]
    return [found_sound(*pair) for pair in pairs]
