"""Answers to homework 2: right ones written differently, and typical wrong ones.

`trial` in ``keep`` leaves nothing open, so the marks compare with numbers. What the model
answer of ``report`` says of the costs was measured with the seeds 0 to 11 and 100 to 111,
each a mean over twenty divisions: none kept 0.118 to 0.156; with the chosen threshold
6 kept 0.128 to 0.236, 12 kept 0.140 to 0.199, 24 kept 0.151 to 0.242, 36 kept 0.173 to
0.237; with the threshold 0 in its place 0.120 to 0.154, 0.126 to 0.167, 0.149 to 0.197,
0.180 to 0.237.
In ``boat-run`` the mended program misjudges between 1 and 15 % of the women on the river
(twelve seeds, mean 5 %), as it is given between 25 and 39 % (mean 33 %). In the visible
check nothing is drawn but the women, and its mean of five is 3.0 % mended, 28 % with the
scaling left, 8.5 % with the alias left; it asks for less than 5 %.
"""

from tests.homework.answers import changed

SPLIT = """
def _parts(c, s, a, b):
    return c * s * (a - a**2) ** 0.5, (1 - s) * (b - b**2) ** 0.5


def ill_share(miss, river, missed, alarmed):
    p, q = _parts(miss, river, missed, alarmed)
    return 1 / (1 + q / p)

"""
SHARE = "return 1 / (1 + q / p)"

DEAR = """
def weight(miss, river, archive):
    odds = lambda s: s / (1 - s)
    return miss * odds(river) / odds(archive)


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

RETURN = "(loss.detach(), *torch.autograd.grad(loss, [w, b]))"
BACKWARD = TWIN.replace(
    f"return {RETURN}",
    """loss.backward()
    return loss.item(), w.grad.numpy(), b.grad.item()""",
)
ATTACHED = TWIN.replace("loss.detach()", "loss")

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
    one = scaled(X, X[4:5])
    if not np.allclose(one[1][0], one[0][4]):
        return False
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(30, 4)), rng.choice([-1.0, 1.0], 30)
    X_val, y_val = rng.normal(size=(15, 4)), rng.choice([-1.0, 1.0], 15)
    for epochs in (0, 1, 4, 20, 50):
        w, b, least = fit(X, y, X_val, y_val, epochs, 0.05)
        if not epochs:
            if np.any(w) or b:
                return False
        elif abs(np.mean((X_val @ w + b - y_val) ** 2) - least) > 1e-9:
            return False
    return True"""
RUN = f"""
def scaled(X, X_new):
    both = np.concatenate([X, X_new])
    both = (both - X.mean(axis=0)) / X.std(axis=0)
    return both[: len(X)], both[len(X) :]


def fit(X, y, X_val, y_val, epochs, lr):
    w, b, tried = np.zeros(X.shape[1]), 0.0, []
    for _ in range(epochs):
        gap = X @ w + b - y
        w -= 2 * lr * gap @ X / len(y)
        b -= 2 * lr * np.mean(gap)
        loss = np.mean((X_val @ w + b - y_val) ** 2)
        tried.append((w.copy(), b, loss))
    return min(tried, key=lambda one: one[2]) if tried else (w, b, np.inf)


def sound(scaled, fit):
    {SOUND}
"""
ALIAS = "(w.copy(), b, loss)"
OWN = "(both - X.mean(axis=0)) / X.std(axis=0)"
ALL = "(both - both.mean(axis=0)) / both.std(axis=0)"

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
        "as many ill women as on the river": changed(SPLIT, SHARE, "return river"),
        "the test alone, without the river": changed(
            SPLIT, SHARE, "return 1 / (1 + q / p * miss * river / (1 - river))"
        ),
        "the cost of a miss forgotten": changed(SPLIT, "return c * s", "return s"),
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
        "the weight on the well, in the loss and its gradient": changed(
            DEAR, "y > 0, v, 1.0", "y < 0, v, 1.0", points=2
        ),
        "the bias penalised in the gradient": changed(
            DEAR, "np.sum(df)\n", "np.sum(df) + lam * b\n", points=2
        ),
        "divided by the sum of the weights, twice": changed(
            DEAR,
            ".sum() / len(f)",
            ".sum() / u.sum()",
            "/ len(f)",
            "/ u.sum()",
            points=2,
        ),
        "nothing learned: zeros": changed(
            DEAR,
            "return loss + 0.5 * lam * (w**2).sum(), df @ X + lam * w, np.sum(df)",
            "return 0.0, 0 * w, 0.0",
            points=1,
        ),
    },
    "twin": {
        "shapes are not looked at": changed(
            BACKWARD + SAME, "a.shape != b.shape", "False", points=2
        ),
        "a weight of 1 and no bias": changed(
            ATTACHED + SAME, "-0.6, 4.0, 0.9", "0.0, 1.0, 0.9", points=2
        ),
        "always content": (TWIN + "same = lambda ours, theirs: True", 1),
        "a twin in NumPy": (TWIN + SAME + DEAR + "twin = dear\n", 2),
        "compared without tolerance": changed(
            TWIN + SAME, "np.abs(a - b).max() < 1e-6", "np.array_equal(a, b)", points=1
        ),
        "gradients by hand, in PyTorch": changed(
            TWIN + SAME,
            f"return {RETURN}",
            "g = -u * y * torch.sigmoid(-y * (X @ w + b)) / len(y)\n"
            "    torch.zeros(1).expand(3)\n"
            "    gradients = (X.T @ g + lam * w).detach(), g.sum().detach()\n"
            "    return loss.detach(), *gradients",
            points=2,
        ),
    },
    "guess": {
        "per cent": "guess = {0: 30, 6: 25, 12: 20, 24: 20, 36: 25}" + REASON,
        "one number forgotten": "guess = {0: 0.3, 6: 0.2, 12: 0.2, 24: 0.2}" + REASON,
        "letters for words": (
            "guess = dict.fromkeys((0, 6, 12, 24, 36), 0.2)\n"
            "reason = 'a b c d e f g h i j k l m n o p q r s t'"
        ),
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
        "all in one place and one colour": (
            TRIAL
            + RESULTS
            + FIGURE.replace("[kept] * 3", "[0] * 3").replace("C1", "C0"),
            2,
        ),
        "two rows invented": (
            TRIAL
            + RESULTS
            + "results[6] = results[24] = [(0.2, 0.1), (0.3, 0.1), (0.2, 0.2)]\n"
            + FIGURE,
            2,
        ),
    },
    "boat-run": {
        "weights of another epoch": changed(RUN, ALIAS, "(w, b, loss)", points=3),
        "mended, nothing proved": changed(RUN, SOUND, "return True", points=2),
        "nothing mended": changed(RUN, ALIAS, "(w, b, loss)", OWN, ALL, points=2),
        "all women standardised together": changed(RUN, OWN, ALL, points=3),
        "only the scaling is tested": changed(
            RUN,
            SOUND,
            SOUND.partition("    rng = ")[0] + "    return True",
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
        {"best, least = (w, b), loss": "best, least = (w.copy(), b), loss"},
        {"    return True\n": f"    {SOUND}\n"},
    ]
}
