"""Answers to homework 6: right ones written differently, and typical wrong ones.

What the marks of ``wires`` allow was measured. With 12 units of one bit the model answer is
wrong on 0.055 to 0.090 of the test digits (ten seeds), with tanh on 0.044 to 0.069; with the
straight-through estimator on 0.099 to 0.112 (six seeds); the marks ask for less than 0.2.
Three units of one bit are wrong on 0.30 or more (six seeds); the marks ask for more than
0.15. ``deaf-run`` ends between 0.044 and 0.072 if mended, between 0.117 and 0.156 with
weights too large, between 0.226 and 0.280 with few examples, between 0.298 and 0.409 with
both, and between 0.166 and 0.243 if mended but with the slope 0 (twelve seeds each); the
visible check asks for 0.1, and it is the same computation on every computer but for the
last bits.
"""

from tests.homework.answers import TURNS, changed

STAIRS = """
def levels(t):
    t, y = list(t), []
    for a, b in zip([-40, *t], [*t, 40]):
        y.append((phi(a) - phi(b)) / (ndtr(b) - ndtr(a)))
    return np.array(y)


def lost(t):
    return 1 - (np.diff(levels(t)) * phi(t)).sum()  # by `mean-slope`
"""
MEANS = "y.append((phi(a) - phi(b)) / (ndtr(b) - ndtr(a)))"
LOST = "1 - (np.diff(levels(t)) * phi(t)).sum()"
DRAWN = (
    "(lambda z: np.mean((z - levels(t)[np.searchsorted(t, z)]) ** 2))"
    "(np.random.default_rng(0).normal(size=200_000))"
)

PRETEND = """
def stairs(Z, t, y):
    A = np.full(Z.shape, y[0])
    for k in range(len(t)):
        A = np.where(Z > t[k], y[k + 1], A)
    return A


def stairs_back(dA, Z, t, y, s):
    dZ, dt = np.zeros(Z.shape), np.zeros(len(t))
    for k in range(len(t)):
        u = (Z - t[k]) / s
        g = dA * (y[k + 1] - y[k]) * phi(u) / s
        dZ += g
        dt[k] = -g.sum()
    return dZ, dt
"""

TWIN = """
class Stairs(torch.autograd.Function):
    @staticmethod
    def forward(ctx, Z, t, y, s):
        ctx.save_for_backward(Z, t, y)
        ctx.width = s
        return y[(Z.unsqueeze(-1) > t).sum(-1)]

    @staticmethod
    def backward(ctx, dA):
        with torch.enable_grad():
            y = ctx.saved_tensors[2].detach()
            Z, t = (a.detach().requires_grad_() for a in ctx.saved_tensors[:2])
            above = torch.special.ndtr((Z.unsqueeze(-1) - t) / ctx.width)
            smooth = y[0] + (above * (y[1:] - y[:-1])).sum(-1)
        return *torch.autograd.grad(smooth, (Z, t), dA), None, None


def twin(Z, t, y, s, dA):
    Z, t = (torch.tensor(a, requires_grad=True) for a in (Z, t))
    A = Stairs.apply(Z, t, torch.tensor(y), s)
    A.backward(torch.tensor(dA))
    return A.detach(), Z.grad, t.grad
"""
SAME = """
def same(ours, theirs):
    rng = np.random.default_rng(1)
    t, y, s = np.array([-1.0, 0.0, 0.5]), np.array([0.3, -1.0, 2.0, 2.5]), 0.7
    Z = np.concatenate([t, rng.normal(size=5)]).reshape(4, 2)
    dA = rng.normal(size=Z.shape)
    for a, b in zip(ours(Z, t, y, s, dA), theirs(Z, t, y, s, dA), strict=True):
        a, b = np.array(a), np.array(b)
        if a.shape != b.shape or not np.allclose(a, b):
            return False
    return True
"""
CHANCES = "above = torch.special.ndtr((Z.unsqueeze(-1) - t) / ctx.width)"

REASON = (
    'reason = "'
    + "Twelve coarse units see more of a picture than three fine ones. " * 3
) + '"'
BET = "bet = dict.fromkeys(('tanh', '12 x 1', '6 x 2', '3 x 4'), 1 / 8)\n"

TRAIN = """
def train(units, bits, seed, known, unknown):
    W, b, out, adam = initial(units, seed)
    generator = torch.Generator().manual_seed(seed)
    table = [torch.tensor(a).float() for a in TABLES[bits or 1]]
    bend = (lambda Z: Stairs.apply(Z, *table, 1)) if bits else torch.tanh
    net = lambda X: out(bend(X @ W + b))
    X, y = torch.from_numpy(known[0]), torch.from_numpy(known[1])
    for _ in range(120):
        at = torch.randperm(len(y), generator=generator)[:50]
        adam.zero_grad()
        F.cross_entropy(net(X[at]), y[at]).backward()
        adam.step()
    named = net(torch.from_numpy(unknown[0])).argmax(-1).numpy()
    return np.mean(named != unknown[1])
"""
RESULTS = """
sizes = {"12 x 1": (12, 1), "6 x 2": (6, 2), "3 x 4": (3, 4)}
sizes["tanh"] = (12, 0)
results = {}
for name, (units, bits) in sizes.items():
    results[name] = [train(units, bits, seed, TRAIN, TEST) for seed in (0, 1, 2)]
"""
FIGURE = """
fig = plt.figure()
for name, shares in results.items():
    plt.scatter([name] * 3, shares)
plt.plot(list(results), [1 / 8] * 4, "x")
plt.xlabel("network")
plt.ylabel("wrong")
"""
EXPERIMENT = TRAIN + RESULTS + FIGURE

SOUND = """rng = np.random.default_rng(2)
    W = weights(100, 300, rng)
    if abs(W.std() - 0.1) > 0.02:
        return False
    seen = np.concatenate([batch(100, 10, rng) for _ in range(80)])
    if seen.max() < 50 or seen.min() > 50:
        return False
    return True"""
RUN = f"""
def weights(D, H, rng):
    return rng.normal(0, D**-0.5, (D, H))


def batch(n, size, rng):
    return rng.permutation(n)[:size]


def sound(weights, batch):
    {SOUND}
"""
LARGE = ("rng.normal(0, D**-0.5, (D, H))", "rng.normal(0, 1, (D, H))")
FEW = ("rng.permutation(n)[:size]", "rng.permutation(size)")
FALLS = """return descend(weights, batch, 0) < 0.15"""

RIGHT = {
    "best-stairs": STAIRS,
    "pretend": PRETEND,
    "twin": TWIN + SAME,
    "bet": BET + REASON,
    "wires": EXPERIMENT,
    "deaf-run": RUN,
}

WRONG = {
    "best-stairs": {
        "levels in the middle of the intervals": changed(
            STAIRS, MEANS, "y.append((max(a, -3) + min(b, 3)) / 2)"
        ),
        "lost: the sum of squares without the chances": changed(
            STAIRS, LOST, "1 - (levels(t) ** 2).mean()", points=1
        ),
        "lost: 200,000 draws in place of the derivation": changed(
            STAIRS, LOST, DRAWN, points=1
        ),
        "the factory's levels, whatever the thresholds": changed(
            STAIRS, "return np.array(y)", "return np.resize(TABLES[2][1], len(y))"
        ),
    },
    "pretend": {
        "without the width in front": changed(PRETEND, "phi(u) / s", "phi(u)"),
        "dt: a mean": changed(PRETEND, "-g.sum()", "-g.mean()", points=1),
        "dt: the same for all thresholds": changed(
            PRETEND, "dt[k] = -g.sum()", "dt -= g.sum() / len(t)", points=1
        ),
        "on a threshold: the level above": changed(
            PRETEND, "Z > t[k]", "Z >= t[k]", points=1
        ),
    },
    "twin": {
        "net inputs beside the thresholds alone": changed(
            TWIN + SAME, "[t, rng", "[t + 0.01, rng", points=2
        ),
        "shapes are not looked at": changed(
            TWIN + SAME, "a.shape != b.shape or ", "", points=2
        ),
        "the width forgotten, and dA of ones": changed(
            TWIN + SAME,
            CHANCES,
            CHANCES.replace(" / ctx.width", ""),
            "dA = rng.normal(size=Z.shape)",
            "dA = np.ones(Z.shape)",
            points=1,
        ),
        "a comparison without a tolerance": changed(
            TWIN + SAME, "not np.allclose(a, b)", "(a != b).any()", points=1
        ),
        "always content": (TWIN + "same = lambda ours, theirs: True", 1),
    },
    "bet": {
        "per cent": BET.replace("1 / 8", "12") + REASON,
        "one network forgotten": BET.replace("'tanh', ", "") + REASON,
        "no reason": BET + "reason = 'I feel it'",
        "one word twenty times": BET + "reason = 'word ' * 20",
    },
    "wires": {
        "one seed three times": changed(
            EXPERIMENT,
            "initial(units, seed)",
            "initial(units, 0)",
            "manual_seed(seed)",
            "manual_seed(0)",
            points=2,
        ),
        "five times the steps": changed(EXPERIMENT, "(120)", "(600)", points=2),
        "one bit for all": changed(
            EXPERIMENT, "TABLES[bits or 1]", "TABLES[1]", points=2
        ),
        "another width": changed(EXPERIMENT, "*table, 1)", "*table, 0.3)", points=2),
        "larger weights at the beginning": changed(
            EXPERIMENT, "X @ W", "X @ (8 * W)", points=2
        ),
        "trained on the unknown as well": changed(
            EXPERIMENT,
            "torch.from_numpy(known[0]), torch.from_numpy(known[1])",
            "(torch.tensor(np.concatenate([a, *[b] * 12])) "
            "for a, b in zip(known, unknown))",
            points=1,
        ),
        "nothing is seeded": changed(
            TURNS + EXPERIMENT,
            "initial(units, seed)",
            "initial(units, next(turns))",
            points=2,
        ),
        "typed in, and no bet in the figure": TRAIN
        + "train = lambda units, bits, seed, known, unknown: (seed + units) / 99\n"
        + RESULTS
        + FIGURE.replace("plt.plot(", "# plt.plot("),
    },
    "deaf-run": {
        "both faults left": changed(RUN, *LARGE, *FEW, points=2),
        "sound compares with numbers of its own": changed(
            RUN,
            "    if abs(W.std() - 0.1) > 0.02:",
            "    if ((W - np.random.default_rng(2).normal(0, 0.1, W.shape)) ** 2).sum() > 1:",
            points=2,
        ),
        "few examples, and a loss that falls": changed(
            RUN, *FEW, SOUND, FALLS, points=1
        ),
        "mended, nothing proved": changed(RUN, SOUND, "return True", points=2),
        "only the weights are tested": changed(
            RUN,
            SOUND,
            SOUND.partition("    seen")[0] + "    return True",
            points=3,
        ),
    },
}

SLIPS = {
    "deaf-run": [
        {"rng.normal(size=(D, H))": "rng.normal(size=(D, H)) / D**0.5"},
        {"rng.integers(0, size, size)": "rng.integers(0, n, size)"},
        {"    return True\n": f"    {SOUND}\n"},
    ]
}
