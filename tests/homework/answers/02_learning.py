"""Answers to homework 2: right ones written differently, and typical wrong ones.

`trial` in ``keep`` leaves nothing open, so the marks compare with numbers. What the model
answer of ``report`` says of the costs was measured with the seeds 0 to 11, each a mean
over twenty divisions: none kept 0.118 to 0.139; with the chosen threshold 6 kept 0.159 to
0.236, 12 kept 0.144 to 0.198, 24 kept 0.156 to 0.207, 36 kept 0.173 to 0.222; with the
threshold 0 in its place 0.120 to 0.150, 0.126 to 0.167, 0.149 to 0.172, 0.180 to 0.215.
In ``boat-run`` the mended program misjudges between 2 and 12 % of the women on the river
(twelve seeds, mean 4 %), as it is given between 27 and 68 % (eight seeds, mean of the
five in the visible check 55 %); the visible check asks for less than 15 % in the mean of
five. With one fault left the mean is 29 % (scaling), 7 % (labels) and 7 % (alias).
"""

from tests.homework.answers import changed

SPLIT = """
def _parts(c, s, a, b):
    return c * s * (a - a**2) ** 0.5, (1 - s) * (b - b**2) ** 0.5


def ill_share(miss, river, missed, alarmed):
    p, q = _parts(miss, river, missed, alarmed)
    return 1 / (1 + q / p)


def times_more(miss, river, missed, alarmed):
    p, q = _parts(miss, river, missed, alarmed)
    within = p**2 / river + q**2 / (1 - river)
    between = river * (1 - river) * (miss * missed - alarmed) ** 2
    return (within + between) / (p + q) ** 2
"""
SHARE = "return 1 / (1 + q / p)"

DEAR = """
def weight(miss, river, archive):
    odds = lambda s: s / (1 - s)
    return miss * odds(river) / odds(archive)


def chance(f, miss):
    return 1 / (1 + miss * np.exp(-f))


def dear(w, b, X, y, v, lam):
    f = X.dot(w) + b
    u = np.where(y > 0, v, 1.0)
    loss = (u * np.maximum(-y * f, 0) + u * np.log1p(np.exp(-np.abs(f)))).sum() / len(f)
    df = u * (expit(f) - (y > 0)) / len(f)
    return loss + 0.5 * lam * (w**2).sum(), df @ X + lam * w, np.sum(df)
"""

TWIN = """
def twin(w, b, X, y, v, lam):
    w, b = torch.tensor(w, requires_grad=True), torch.tensor(float(b), dtype=torch.float64)
    b.requires_grad_()
    X, y = torch.from_numpy(X), torch.from_numpy(y)
    u = 1 + (float(v) - 1) * (y > 0).double()
    loss = (u * F.softplus(-y * (X @ w + b))).mean() + lam * (w**2).sum() / 2
    return (loss.detach(), *torch.autograd.grad(loss, [w, b]))
"""
SAME = """
def same(ours, theirs):
    rng = np.random.default_rng(8)
    N, D = 11, 3
    w, b, v, lam = rng.normal(size=D), -0.6, 4.0, 0.9
    X, y = rng.normal(size=(N, D)), np.array([1.0, -1.0] * 4 + [-1.0] * 3)[:N]
    for a, b in zip(ours(w, b, X, y, v, lam), theirs(w, b, X, y, v, lam)):
        a, b = np.asarray(a), np.asarray(b)
        if a.shape != b.shape:
            return False
        if not np.abs(a - b).max() < 1e-6:
            return False
    return True
"""

REASON = """
reason = ("Women whom the program has never seen should tell better than a formula "
          "where the threshold ought to lie, unless they are too few for it.")
"""
GUESS = "guess = dict.fromkeys((36, 24, 12, 6, 0), 1 / 4)" + REASON

TRIAL = """
def trial(loss, kept, known, unknown):
    n = 60 - kept
    (X, y), (X_new, y_new) = known, unknown
    centre, width = np.mean(X[:n], axis=0), np.std(X[:n], axis=0)
    score = lambda X, w, b: ((X - centre) / width) @ w + b
    w, b = np.zeros(30), 0.0
    for _ in range(60):
        _, dw, db = loss(w, b, (X[:n] - centre) / width, y[:n], V, 0.1)
        w, b = w - 0.2 * dw, b - 0.2 * db
    f, t = score(X[n:], w, b), 0.0
    least = river_cost(f, y[n:], 0.0) if kept else 0.0
    for level in sorted(f, key=abs):
        cost = river_cost(f, y[n:], level)
        if cost < least:
            t, least = level, cost
    f = score(X_new, w, b)
    return river_cost(f, y_new, t), river_cost(f, y_new, 0.0)
"""
RESULTS = """
results = {kept: [] for kept in (0, 6, 12, 24, 36)}
for seed in (0, 1, 2):
    for kept, rows in results.items():
        costs = np.array([trial(dear, kept, *pair) for pair in divisions(seed)])
        rows.append(tuple(costs.mean(axis=0)))
"""
FIGURE = """
fig = plt.figure()
for kept, rows in results.items():
    plt.scatter([kept] * 3, [row[0] for row in rows], color="C0")
    plt.scatter([kept] * 3, [row[1] for row in rows], color="C1")
plt.plot(sorted(guess), [guess[kept] for kept in sorted(guess)], "x")
plt.xlabel("kept")
plt.ylabel("cost")
"""
EXPERIMENT = TRIAL + RESULTS + FIGURE

SOUND = """X = np.arange(60.0).reshape(20, 3) ** 1.5
    y = X.sum(axis=1)
    one = scaled(X, X[4:5])
    if not np.allclose(one[1][0], one[0][4]):
        return False
    parts = batches(X, y, 6, np.random.default_rng(5))
    if not all(np.allclose(a.sum(axis=1), b) for a, b in parts):
        return False
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(30, 4)), rng.choice([-1.0, 1.0], 30)
    X_val, y_val = rng.normal(size=(15, 4)), rng.choice([-1.0, 1.0], 15)
    for epochs in (1, 4, 20, 50):
        w, b, least = fit(
            X, y, X_val, y_val, batches, epochs, 0.05, np.random.default_rng(7)
        )
        if abs(np.mean((X_val @ w + b - y_val) ** 2) - least) > 1e-9:
            return False
    return True"""
RUN = f"""
def scaled(X, X_new):
    both = np.concatenate([X, X_new])
    both = (both - X.mean(axis=0)) / X.std(axis=0)
    return both[: len(X)], both[len(X) :]


def batches(X, y, size, rng):
    both = rng.permutation(np.column_stack([X, y]))
    cuts = range(size, len(y), size)
    return [(part[:, :-1], part[:, -1]) for part in np.split(both, cuts)]


def fit(X, y, X_val, y_val, batches, epochs, lr, rng):
    w, b, tried = np.zeros(X.shape[1]), 0.0, []
    for _ in range(epochs):
        for Xb, yb in batches(X, y, 10, rng):
            gap = Xb @ w + b - yb
            w -= 2 * lr * gap @ Xb / len(yb)
            b -= 2 * lr * np.mean(gap)
        loss = np.mean((X_val @ w + b - y_val) ** 2)
        tried.append((w.copy(), b, loss))
    return min(tried, key=lambda one: one[2])


def sound(scaled, batches, fit):
    {SOUND}
"""
ALIAS = "(w.copy(), b, loss)"
STACKED = "rng.permutation(np.column_stack([X, y]))"
APART = "np.column_stack([rng.permutation(X), rng.permutation(y)])"

RIGHT = {
    "split": SPLIT,
    "dear": DEAR,
    "twin": TWIN + SAME,
    "guess": GUESS,
    "keep": EXPERIMENT,
    "boat-run": RUN,
}

WRONG = {
    "split": {
        "variances where deviations belong": changed(
            SPLIT, "(a - a**2) ** 0.5", "(a - a**2)", "(b - b**2) ** 0.5", "(b - b**2)"
        ),
        "as many ill women as on the river": changed(
            SPLIT, SHARE, "return river", points=1
        ),
        "the test alone, without the river": changed(
            SPLIT,
            SHARE,
            "return 1 / (1 + q / p * miss * river / (1 - river))",
            points=1,
        ),
        "compared with the river's own division": changed(
            SPLIT, "(within + between)", "within", points=1
        ),
    },
    "dear": {
        "a weight for the archive, not for the river": changed(
            DEAR, "odds(river) / odds(archive)", "1", points=2
        ),
        "the logarithm of an overflow": changed(
            DEAR,
            "u * np.maximum(-y * f, 0) + u * np.log1p(np.exp(-np.abs(f)))",
            "u * np.log(1 + np.exp(-y * f))",
            points=2,
        ),
        "the weight on the well": changed(
            DEAR, "y > 0, v, 1.0", "y < 0, v, 1.0", points=1
        ),
        "the bias penalised": changed(
            DEAR, "np.sum(df)\n", "np.sum(df) + lam * b\n", points=2
        ),
    },
    "twin": {
        "shapes are not looked at": changed(
            TWIN + SAME, "a.shape != b.shape", "False", points=3
        ),
        "a weight of 1 and no bias": changed(
            TWIN + SAME, "-0.6, 4.0, 0.9", "0.0, 1.0, 0.9", points=3
        ),
        "always content": (TWIN + "same = lambda ours, theirs: True", 1),
        "a twin in NumPy": (TWIN + SAME + DEAR + "twin = dear\n", 3),
    },
    "guess": {
        "per cent": "guess = {0: 30, 6: 25, 12: 20, 24: 20, 36: 25}" + REASON,
        "one number forgotten": "guess = {0: 0.3, 6: 0.2, 12: 0.2, 24: 0.2}" + REASON,
        "no reason": "guess = dict.fromkeys((0, 6, 12, 24, 36), 0.2)\nreason = 'Why not'",
    },
    "keep": {
        "standardised with the kept, too": changed(
            EXPERIMENT,
            "np.mean(X[:n], axis=0), np.std(X[:n], axis=0)",
            "np.mean(X, axis=0), np.std(X, axis=0)",
            points=2,
        ),
        "the threshold chosen on the river": changed(
            EXPERIMENT,
            "for level in sorted(f, key=abs):\n"
            "        cost = river_cost(f, y[n:], level)",
            "least = 9.0\n"
            "    for level in sorted(f, key=abs):\n"
            "        cost = river_cost(score(X_new, w, b), y_new, level)",
            points=2,
        ),
        "one seed three times": changed(
            EXPERIMENT, "divisions(seed)", "divisions(0)", points=2
        ),
        "costs with the threshold 0 left out of the figure": changed(
            EXPERIMENT,
            '    plt.scatter([kept] * 3, [row[1] for row in rows], color="C1")\n',
            "",
            points=2,
        ),
    },
    "boat-run": {
        "weights of another epoch": changed(RUN, ALIAS, "(w, b, loss)", points=3),
        "mended, nothing proved": changed(RUN, SOUND, "return True", points=2),
        "two faults left": changed(
            RUN, ALIAS, "(w, b, loss)", STACKED, APART, points=2
        ),
        "only the scaling is tested": changed(
            RUN,
            SOUND,
            SOUND.partition("    parts = ")[0] + "    return True",
            points=3,
        ),
    },
}

SLIPS = {
    "boat-run": [
        {
            "(X_new - X_new.mean(axis=0)) / X_new.std(axis=0)": (
                "(X_new - X.mean(axis=0)) / X.std(axis=0)"
            )
        },
        {
            "    X, y = rng.permutation(X), rng.permutation(y)\n": (
                "    order = rng.permutation(len(y))\n    X, y = X[order], y[order]\n"
            )
        },
        {"best, least = (w, b), loss": "best, least = (w.copy(), b), loss"},
        {"    return True\n": f"    {SOUND}\n"},
    ]
}
