"""Answers to homework 3: right ones written differently, and typical wrong ones.

The miss of ``old-program`` was measured on the patients of its visible check with sixteen
orders of the batches: between 55.6 and 55.9 in order, at least 67.6 with any one of the
four faults, at least 80.7 with all, 72.3 for the mean; the check asks for less than 59.
The seeds of ``ten-dials`` are fixed, so every right program gives the same table; what
forty seeds give is in the model answer to ``ward-round``.
"""

from tests.homework.answers import changed

LEFT_OUT = """
def leverage(G, X):
    return np.diag(X @ G @ X.T) + 1 / X.shape[0]


def errors(G, X, r):
    return r + r * leverage(G, X) / (1 - leverage(G, X))


def weights(i, w, G, X, r):
    return w + errors(G, X, r)[i] * (G @ X.T)[:, i]
"""
ONES = " + 1 / X.shape[0]"

SCORE = """
def score(theta, X, y):
    penalties, N = np.exp(theta), len(y)
    Z, t = X - X.mean(axis=0, keepdims=True), y - np.mean(y)
    A = Z.T @ Z + np.diag(penalties)
    C = np.linalg.solve(A, Z.T)
    w = C @ t
    room = 1 - 1 / N - np.einsum("ij,ji->i", Z, C)
    e = (Z @ w - t) / room
    gradient = np.zeros(len(theta))
    for j in range(len(theta)):
        dr = -penalties[j] * C[j] * w[j]
        dh = -penalties[j] * C[j] ** 2
        gradient[j] = np.mean(e * (dr / room + e * dh / room))
    return 0.5 * np.mean(e**2), gradient
"""
MOVED = "dr / room + e * dh / room"

TWIN = """
def twin(theta, X, y):
    dials = torch.from_numpy(theta.copy()).requires_grad_()
    X, y, N = torch.from_numpy(X), torch.from_numpy(y), len(y)
    rows = torch.stack([torch.cat([X[:i], X[i + 1 :]]) for i in range(N)])
    goals = torch.stack([torch.cat([y[:i], y[i + 1 :]]) for i in range(N)])
    middle = rows.mean(dim=1, keepdim=True)
    Z = rows - middle
    A = Z.transpose(1, 2) @ Z + torch.diag_embed(torch.exp(dials))
    w = torch.linalg.solve(A, Z.transpose(1, 2) @ goals[:, :, None])
    forecasts = goals.mean(dim=1) + ((X[:, None] - middle) @ w)[:, 0, 0]
    S = 0.5 * ((forecasts - y) ** 2).mean()
    S.backward()
    return S.item(), dials.grad.numpy()
"""
AGREE = """
def agree(ours, theirs):
    rng = np.random.default_rng(5)
    for N, D in ((6, 3), (4, 5)):
        theta = rng.uniform(-1, 1, D)
        X, y = rng.normal(1, 1, (N, D)), rng.normal(-2, 1, N)
        (S, g), (T, f) = ours(theta, X, y), theirs(theta, X, y)
        for a, b in ((S, T), (g, f)):
            a, b = np.asarray(a), np.asarray(b)
            if a.shape != b.shape or not np.allclose(a, b):
                return False
    return True
"""
DRAW = "rng.normal(1, 1, (N, D)), rng.normal(-2, 1, N)"

REASON = (
    'reason = "'
    + "More dials can fit more, but twenty patients hardly show how to turn them. " * 2
    + '"'
)
GUESS = "guess = {(n, d): 90 + d for n in (160, 40, 20) for d in (10, 1)}\n"

TUNE = """
def tune(score, X, y, dials):
    N, D = X.shape
    theta = np.log(N) * np.ones(D)
    for _ in range(100):
        S, slopes = score(theta, X, y)
        step = 2 * np.asarray(slopes) / np.asarray(S)
        theta = theta - (step if dials == 10 else step.sum() * np.ones(D))
    return theta
"""
TRIAL = """
def trial(n, dials, seed, score):
    X, y, X_new, y_new = ward(n, seed)
    scale = lambda A: (A - np.mean(X, axis=0)) / np.std(X, axis=0)
    theta = tune(score, scale(X), y, dials)
    rows = np.vstack([scale(X), np.diag(np.exp(theta / 2))])
    w = np.linalg.lstsq(rows, np.append(y - y.mean(), 0 * theta), rcond=None)[0]
    S = float(score(theta, scale(X), y)[0])
    return (2 * S) ** 0.5, miss(y.mean() + scale(X_new) @ w, y_new)
"""
RESULTS = """
results = {}
for n, d in ((160, 10), (160, 1), (40, 10), (40, 1), (20, 10), (20, 1)):
    results[n, d] = [trial(n, d, seed, score) for seed in (0, 1, 2)]
"""
FIGURE = """
fig, ax = plt.subplots()
for (n, d), three in results.items():
    ax.scatter([n] * 3, [promised for promised, _ in three], marker="o" if d == 1 else "s")
    ax.scatter([n] * 3, [found for _, found in three], marker="x" if d == 1 else "+")
    ax.scatter([n], [90 + d], marker="*")
ax.set_xlabel("patients")
ax.set_ylabel("error")
"""
EXPERIMENT = TUNE + TRIAL + RESULTS + FIGURE

PREPARE = """
def prepare(known, new):
    both = np.concatenate([known, new])
    both = (both - np.mean(known, 0)) / np.std(known, 0)
    return both[: len(known)], both[len(known) :]
"""
BATCHES = """
def batches(X, y, size, rng):
    order = np.argsort(rng.random(len(y)))
    for part in np.array_split(order, np.arange(size, len(y), size)):
        yield torch.from_numpy(X[part]), torch.from_numpy(y[part])
"""
LOSS = """
def loss(layer, X, y, decay):
    fit = nn.functional.mse_loss(layer(X).squeeze(1), y)
    return (fit + decay * torch.sum(layer.weight**2)) / 2
"""
ON_SCALE = """known = np.random.default_rng(1).normal(3, [1, 5, 50], size=(9, 3))
    a, b = prepare(known, known[:2] + 1)
    if np.abs(a.mean(axis=0)).max() > 1e-9 or not np.allclose(a.std(axis=0), 1):
        return False
    if not np.allclose(b - a[:2], 1 / known.std(axis=0)):
        return False"""
IN_PAIRS = """
    rng, seen = np.random.default_rng(2), []
    for X, y in batches(np.eye(8), np.arange(8.0), 3, rng):
        if not np.array_equal(np.asarray(X).argmax(axis=1), np.asarray(y)):
            return False
        seen += list(np.asarray(y))
    if sorted(seen) != list(range(8)):
        return False"""
AS_SAID = """
    layer, X = nn.Linear(2, 1).double(), torch.arange(8.0).double().reshape(4, 2)
    y = torch.tensor([1.0, -1.0, 4.0, 2.0]).double()
    wanted = ((layer(X)[:, 0] - y) ** 2).mean() / 2 + 0.3 * (layer.weight**2).sum()
    return abs((loss(layer, X, y, 0.6) - wanted).item()) < 1e-9"""
SOUND = ON_SCALE + IN_PAIRS + AS_SAID
PROGRAM = (
    PREPARE
    + BATCHES
    + LOSS
    + f"""
def sound(prepare, batches, loss):
    {SOUND}
"""
)
ALL_COLUMNS = "np.std(known)"
APART = "torch.from_numpy(X[part]), torch.from_numpy(rng.permutation(y)[: len(part)])"
PARTNERS = "torch.from_numpy(X[part]), torch.from_numpy(y[part])"
WIDE = "((layer(X) - y) ** 2).mean()"
NARROW = "nn.functional.mse_loss(layer(X).squeeze(1), y)"
FALLS = "return old_run(prepare, batches, loss, 0) < 59"

RIGHT = {
    "left-out": LEFT_OUT,
    "dial-slopes": SCORE,
    "second-opinion": TWIN + AGREE,
    "prognosis": GUESS + REASON,
    "ten-dials": EXPERIMENT,
    "old-program": PROGRAM,
}

WRONG = {
    "left-out": {
        "the bias forgotten in the leverage": changed(LEFT_OUT, ONES, ""),
        "the residuals themselves": changed(
            LEFT_OUT, " + r * leverage(G, X) / (1 - leverage(G, X))", ""
        ),
        "the weights move by the residual": changed(
            LEFT_OUT, "errors(G, X, r)[i]", "r[i]", points=1
        ),
        "the weights move the other way": changed(LEFT_OUT, "w + e", "w - e", points=1),
    },
    "dial-slopes": {
        "the gradient by λ": changed(
            SCORE, "-penalties[j] * C[j] *", "-C[j] *", points=1
        ),
        "the leverage held fixed": changed(SCORE, MOVED, "dr / room", points=1),
        "only for centred targets": changed(SCORE, "y - np.mean(y)", "y", points=0),
        "automatic differentiation": TWIN + "score = twin\n",
    },
    "second-opinion": {
        "shapes are not looked at": changed(
            TWIN + AGREE, "a.shape != b.shape or ", "", points=3
        ),
        "everything has mean 0": changed(
            TWIN + AGREE,
            DRAW,
            "[a - a.mean(axis=0) for a in (rng.normal(size=(N, D)), rng.normal(size=N))]",
            points=3,
        ),
        "one dial, turned to 0": changed(
            TWIN + AGREE, "rng.uniform(-1, 1, D)", "np.zeros(D)", points=3
        ),
        "S alone, and in NumPy": (
            SCORE + "twin = score\n" + AGREE.replace("((S, T), (g, f))", "((S, T),)"),
            0,
        ),
    },
    "prognosis": {
        "one pair forgotten": changed(GUESS + REASON, "(160, 40, 20)", "(160, 40)"),
        "words where numbers belong": changed(GUESS + REASON, "90 + d", "'few'"),
        "no reason": GUESS + "reason = 'I feel it'",
        "one word twenty times": GUESS + "reason = 'word ' * 20",
    },
    "ten-dials": {
        "one dial moves by the mean of the slopes": changed(
            EXPERIMENT, "step.sum()", "step.mean()", points=2
        ),
        "standardised with the new patients": changed(
            EXPERIMENT,
            "(A - np.mean(X, axis=0)) / np.std(X, axis=0)",
            "(A - np.r_[X, X_new].mean(0)) / np.r_[X, X_new].std(0)",
            points=2,
        ),
        "one seed three times": changed(
            EXPERIMENT, "trial(n, d, seed, score)", "trial(n, d, 0, score)", points=2
        ),
        "downhill on S, and no prediction in the figure": changed(
            EXPERIMENT,
            " / np.asarray(S)",
            " / 2000",
            "[90 + d]",
            "[50]",
            points=1,
        ),
    },
    "old-program": {
        "one deviation, and pairs apart": changed(
            PROGRAM, "np.std(known, 0)", ALL_COLUMNS, PARTNERS, APART, points=2
        ),
        "differences of all pairs": changed(PROGRAM, NARROW, WIDE, points=3),
        "mended, nothing proved": changed(PROGRAM, SOUND, "return True", points=2),
        "a run that ends well": changed(PROGRAM, SOUND, FALLS, points=2),
    },
}

SLIPS = {
    "old-program": [
        {"spread = known.std()": "spread = known.std(axis=0)"},
        {
            "rows = rng.permutation(X)": (
                "order = rng.permutation(len(X))\n    rows = X[order]"
            ),
            "targets = rng.permutation(y)": "targets = y[order]",
        },
        {"layer(X) - y": "layer(X)[:, 0] - y"},
        {
            "sum((p**2).sum() for p in layer.parameters())": "(layer.weight**2).sum()",
        },
        {"    return True\n": f"    {SOUND}\n"},
    ]
}
