"""Answers to homework 7: right ones written differently, and typical wrong ones.

What the marks of ``depth`` allow was measured: on the line that they train, 2 |x + 0.2|, the
model answer ends below 0.02 (eight seeds, both shapes; a constant has 0.6), and the marks
ask for less than 0.15. A tent, which the visible check trains, ends below 0.003 (eight
seeds); it asks for 0.1. ``flat-run`` ends between 0.079 and 0.166 if mended (sixty runs),
between 0.095 and 0.224 with one corner for all units (thirty seeds) and at 0.63 with N²
differences. The larger of the seeds 2k and 2k + 1 is at least 0.184 with one corner; the
visible check asks for 0.175.
"""

from tests.homework.answers import changed

FEWEST = """
def fewest(slopes):
    from itertools import product

    changes = np.diff(slopes)
    for chosen in product((0, 1), repeat=len(changes)):
        if np.dot(chosen, changes) == -slopes[0]:
            return len(changes)
    return len(changes) + 1
"""

CORNERS = """
def corners(Ws, bs, low, high):
    def net_inputs(x, k):
        z = np.array([x]) @ Ws[0] + bs[0]
        for W, b in zip(Ws[1 : k + 1], bs[1 : k + 1]):
            z = np.where(z > 0, z, 0.0) @ W + b
        return z

    cuts = [float(low), float(high)]
    for k in range(len(Ws) - 1):
        more = []
        for a, z in zip(cuts, cuts[1:]):
            for p, q in zip(net_inputs(a, k), net_inputs(z, k)):
                if min(p, q) < 0 < max(p, q):
                    more.append(a + (z - a) * p / (p - q))
        cuts = sorted(cuts + more)
    spaced = [cuts[0]]
    for x in cuts[1:]:
        if x - spaced[-1] > 1e-7:
            spaced.append(x)
    spaced[-1] = cuts[-1]
    y = [net_inputs(x, len(Ws) - 1)[0] for x in spaced]
    slopes = np.diff(y) / np.diff(spaced)
    kept = [0, *(np.flatnonzero(abs(np.diff(slopes)) > 1e-5) + 1), len(y) - 1]
    return np.array(spaced)[kept], np.array(y)[kept]
"""
KEPT = "kept = [0, *(np.flatnonzero(abs(np.diff(slopes)) > 1e-5) + 1), len(y) - 1]"

TWIN = """
def by_autograd(Ws, bs, x):
    x = torch.from_numpy(x).clone().requires_grad_()
    A = x.reshape(-1, 1)
    for k in range(len(Ws)):
        A = A @ torch.from_numpy(Ws[k]) + torch.from_numpy(bs[k])
        if k + 1 < len(Ws):
            A = A.clamp(min=0)
    A.sum().backward()
    return A.squeeze(1), x.grad
"""
SAME = """
def same(ours, theirs):
    rng = np.random.default_rng(3)
    Ws = [rng.normal(size=s) for s in ((1, 5), (5, 4), (4, 1))]
    bs = [rng.normal(size=H) for H in (5, 4, 1)]
    x = rng.normal(size=50)
    for a, b in zip(ours(Ws, bs, x), theirs(Ws, bs, x), strict=True):
        a, b = (torch.as_tensor(one).detach().numpy() for one in (a, b))
        if not a.shape == b.shape == x.shape or not np.allclose(a, b):
            return False
    return True
"""
DIFFERENCES = """
def by_autograd(Ws, bs, x):
    def at(x):
        A = x[:, None]
        for W, b in zip(Ws[:-1], bs[:-1]):
            A = np.maximum(A @ W + b, 0)
        return (A @ Ws[-1] + bs[-1])[:, 0]

    return at(x), (at(x + 1e-6) - at(x - 1e-6)) / 2e-6
"""

REASON = (
    'reason = "'
    + "Every layer folds what came before, hence depth multiplies corners, while width "
    + 'merely adds some; training should place them near walls and roofs of this palace."'
)
BET = "bet = {'four': (90, 80, 0.2), 'one': [60, 60, 0.1], 'two': (70, 9e1, 0.1)}\n"

TRAIN = """
def train(widths, seed, x, y):
    net, adam = initial(widths, seed)
    first = len(corners(*layers(net), -1.0, 1.0)[1]) - 1
    net.double()
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    for _ in range(600):
        loss = nn.functional.mse_loss(net(x.unsqueeze(1)).squeeze(1), y)
        net.zero_grad()
        loss.backward()
        adam.step()
    last = len(corners(*layers(net), -1.0, 1.0)[1]) - 1
    off = net(x.unsqueeze(1)).squeeze(1) - y
    return first, last, torch.sqrt((off**2).mean()).detach()
"""
RESULTS = """
results = {}
for name in ("four", "two", "one"):
    results[name] = [tuple(map(float, train(SHAPES[name], k, X, Y))) for k in (0, 1, 2)]
"""
FIGURE = """
fig = plt.figure()
for name, runs in results.items():
    plt.scatter([run[1] for run in runs], [run[2] for run in runs], label=name)
for name, numbers in bet.items():
    plt.scatter(*numbers[1:], marker="x", label="bet: " + name)
plt.xlabel("pieces")
plt.ylabel("error")
fig.legend()
"""
EXPERIMENT = TRAIN + RESULTS + FIGURE

SOUND = """rng = np.random.default_rng(5)
    w, b = draw(60, rng)[:2]
    corners_at = -b / w
    if corners_at.min() > -0.5 or corners_at.max() < 0.5:
        return False
    out, y = torch.tensor(rng.normal(size=(6, 1))), torch.tensor(rng.normal(size=6))
    return bool(torch.isclose(loss(out, y), ((out[:, 0] - y) ** 2).mean()))"""
RUN = f"""
def draw(H, rng):
    w = np.where(rng.random(H) < 0.5, 1.0, -1.0)
    b = rng.uniform(-1, 1, H)
    return w, b, rng.normal(0, H**-0.5, H), 0


def loss(out, y):
    return (out - y[:, None]).square().mean()


def sound(draw, loss):
    {SOUND}
"""
ONE = ("rng.uniform(-1, 1, H)", "-w * rng.uniform(-1, 1)")
PAIRS = ("(out - y[:, None])", "(out - y)")

RIGHT = {
    "fewest": FEWEST,
    "corners": CORNERS,
    "twin": TWIN + SAME,
    "bet": BET + REASON,
    "depth": EXPERIMENT,
    "flat-run": RUN,
}

WRONG = {
    "fewest": {
        "one unit for each corner, always": changed(
            FEWEST, "return len(changes) + 1", "return len(changes)"
        ),
        "one more unless the line is flat at an end": changed(
            FEWEST,
            "np.dot(chosen, changes) == -slopes[0]",
            "slopes[0] * slopes[-1] == 0",
        ),
        "the change at a single corner": changed(
            FEWEST,
            "np.dot(chosen, changes) == -slopes[0]",
            "sum(chosen) < 2 and np.dot(chosen, changes) == -slopes[0]",
        ),
        "the line is flat somewhere": changed(
            FEWEST,
            "np.dot(chosen, changes) == -slopes[0]",
            "0 in slopes",
        ),
        "the wrong sign": FEWEST.replace("-slopes[0]", "slopes[0]"),
    },
    "corners": {
        "a thousand dots joined": """
def corners(Ws, bs, low, high):
    x = np.linspace(low, high, 1001)
    A = x[:, None]
    for W, b in zip(Ws[:-1], bs[:-1]):
        A = np.maximum(A @ W + b, 0)
    return x, (A @ Ws[-1] + bs[-1])[:, 0]
""",
        "forty thousand cells, and where their lines meet": """
def corners(Ws, bs, low, high):
    def height(x):
        A = np.asarray(x)[:, None]
        for W, b in zip(Ws[:-1], bs[:-1]):
            A = np.maximum(A @ W + b, 0)
        return (A @ Ws[-1] + bs[-1])[:, 0]

    x = np.linspace(low, high, 40001)
    y = height(x)
    slopes, found = np.diff(y) / np.diff(x), [low]
    bent = np.abs(np.diff(slopes)) > 1e-5
    for k in np.flatnonzero(bent) + 1:
        i = k - 2 if k > 1 and bent[k - 2] else k - 1
        j = k + 1 if k < len(bent) and bent[k] else k
        if abs(slopes[j] - slopes[i]) > 1e-5:
            cut = (y[i] - y[j] + slopes[j] * x[j] - slopes[i] * x[i]) / (
                slopes[j] - slopes[i]
            )
            if low + 1e-7 < cut < high - 1e-7 and cut - found[-1] > 1e-7:
                found.append(cut)
    found = np.array([*found, high], dtype=float)
    return found, height(found)
""",
        "the first layer alone": changed(
            CORNERS, "range(len(Ws) - 1)", "range(1)", points=1
        ),
        "false corners are left": changed(CORNERS, KEPT, "kept = ...", points=2),
        "the ends forgotten": changed(CORNERS, "kept = [0, *(", "kept = [*("),
        "rounded to three digits": changed(
            CORNERS, "np.array(spaced)[kept]", "np.round(spaced, 3)[kept]"
        ),
        "it adds to the biases that are given": changed(
            CORNERS,
            "    cuts = [float",
            "    for b in bs:\n        b += 0.1\n    cuts = [float",
        ),
    },
    "twin": {
        "always content": (TWIN + "same = lambda ours, theirs: True", 1),
        "shapes are not looked at": changed(
            TWIN + SAME, "not a.shape == b.shape == x.shape or ", "", points=2
        ),
        "positions in rising order": changed(
            TWIN + SAME,
            "x = rng.normal(size=50)",
            "x = np.linspace(-2, 2, 50)",
            points=2,
        ),
        "biases of zero": changed(
            TWIN + SAME, "rng.normal(size=H) for", "np.zeros(H) for", points=2
        ),
        "one hidden layer": changed(
            TWIN + SAME,
            "((1, 5), (5, 4), (4, 1))",
            "((1, 5), (5, 1))",
            "(5, 4, 1)]",
            "(5, 1)]",
            points=2,
        ),
        "no tolerance": changed(
            TWIN + SAME, "not np.allclose(a, b)", "not np.array_equal(a, b)", points=1
        ),
        "difference quotients": (DIFFERENCES + SAME, 2),
        "a coarse tolerance": changed(
            TWIN + SAME, "np.allclose(a, b)", "np.allclose(a, b, atol=5e-3)", points=2
        ),
        "heights alone are compared": changed(
            TWIN + SAME,
            "theirs(Ws, bs, x), strict=True",
            "theirs(Ws, bs, x)[:1]",
            points=1,
        ),
    },
    "bet": {
        "centimetres": BET.replace("0.1", "12") + REASON,
        "one network forgotten": BET.replace("'four': (90, 80, 0.2), ", "") + REASON,
        "no reason": BET + "reason = 'I feel it'",
        "one word twenty times": BET + "reason = 'word ' * 20",
    },
    "depth": {
        "one seed three times": changed(
            EXPERIMENT, "SHAPES[name], k,", "SHAPES[name], 0 * k,", points=2
        ),
        "half of the steps": changed(EXPERIMENT, "range(600)", "range(300)", points=2),
        "corners in place of pieces": changed(
            EXPERIMENT, ")[1]) - 1", ")[1])", points=2
        ),
        "the root forgotten": changed(
            EXPERIMENT, "torch.sqrt((off**2).mean())", "(off**2).mean()", points=2
        ),
        "a broadcast loss": changed(
            EXPERIMENT,
            "mse_loss(net(x.unsqueeze(1)).squeeze(1), y)",
            "mse_loss(net(x.unsqueeze(1)), y)",
            points=2,
        ),
        "every second point": changed(
            EXPERIMENT,
            "mse_loss(net(x.unsqueeze(1)).squeeze(1), y)",
            "mse_loss(net(x[::2].unsqueeze(1)).squeeze(1), y[::2])",
            points=2,
        ),
        "pieces before in the figure": changed(
            EXPERIMENT, "[run[1] for run", "[run[0] for run", points=2
        ),
        "a legend without names": changed(
            EXPERIMENT, ", label=name", "", ', label="bet: " + name', "", points=2
        ),
        "typed in, and no bet in the figure": (
            "train = lambda widths, seed, x, y: (40 + seed, 50, (seed + len(widths)) / 99)\n"
            + RESULTS
            + FIGURE.replace(
                "for name, numbers in bet.items", "for name, numbers in {}.items"
            )
        ),
    },
    "flat-run": {
        "both faults left": changed(RUN, *ONE, *PAIRS, points=2),
        "one corner, and a loss that falls": changed(
            RUN, *ONE, SOUND, "return fit(draw, loss, 0) < 0.4", points=1
        ),
        "N² differences, and nothing proved": changed(
            RUN, *PAIRS, SOUND, "return True", points=1
        ),
        "only the loss is tested": changed(
            RUN,
            SOUND,
            "rng = np.random.default_rng(5)\n    out" + SOUND.partition("    out")[2],
            points=3,
        ),
        "sound compares with numbers of its own": changed(
            RUN,
            "    if corners_at.min() > -0.5 or corners_at.max() < 0.5:",
            "    if corners_at[0] != np.random.default_rng(5).uniform(-1, 1, 60)[0]:",
            points=2,
        ),
        "corners on a grid": changed(
            RUN, "rng.uniform(-1, 1, H)", "-w * np.linspace(-1, 1, H)", points=3
        ),
        "v is uniform": changed(
            RUN,
            "rng.normal(0, H**-0.5, H)",
            "rng.uniform(-1, 1, H) * (3 / H) ** 0.5",
            points=3,
        ),
        "zero biases": changed(RUN, "rng.uniform(-1, 1, H)", "np.zeros(H)", points=3),
    },
}

SLIPS = {
    "flat-run": [
        {"rng.uniform(-1, 1)": "rng.uniform(-1, 1, size=H)"},
        {"((out - y) ** 2)": "((out[:, 0] - y) ** 2)"},
        {
            "same_height = loss(torch.ones(1, 1), torch.ones(1))\n"
            "    return w.shape == b.shape == v.shape and c == same_height == 0": SOUND
        },
    ]
}
