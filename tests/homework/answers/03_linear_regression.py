"""Answers to homework 3: right ones written differently, and typical wrong ones.

The miss of ``old-program`` was measured on the patients of its visible check with sixteen
orders of the batches: between 55.5 and 55.9 in order, at least 68.7 with any one of the
three faults, at least 80.2 with all, 72.3 for the mean; the check asks for less than 59.
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
REFITTED = """
def errors(G, X, r):
    return by_refits(G, X, r)[0]


def weights(i, w, G, X, r):
    return by_refits(G, X, r)[1][i]


def by_refits(G, X, r):
    penalties = np.linalg.inv(G) - X.T @ X
    t = X @ np.linalg.solve(penalties, -X.T @ r) - r
    errors, weights = [], []
    for i in range(len(X)):
        kept = np.arange(len(X)) != i
        middle = X[kept].mean(axis=0)
        Z = X[kept] - middle
        w = np.linalg.solve(Z.T @ Z + penalties, Z.T @ t[kept])
        errors.append(t[kept].mean() + (X[i] - middle) @ w - t[i])
        weights.append(w)
    return np.array(errors), np.array(weights)
"""

# it calls `errors` of `left-out`, whose mistakes must not cost twice
SCORE = """
def score(theta, X, y):
    penalties, N = np.exp(theta), len(y)
    Z, t = X - X.mean(axis=0, keepdims=True), y - np.mean(y)
    G = np.linalg.inv(Z.T @ Z + np.diag(penalties))
    C = G @ Z.T
    w = C @ t
    r = Z @ w - t
    e = errors(G, Z, r)
    room = 1 - 1 / N - np.einsum("ij,ji->i", Z, C)
    without = w + e[:, None] * C.T
    gradient = np.zeros(len(theta))
    for j in range(len(theta)):
        de = -penalties[j] * C[j] * without[:, j] / room
        gradient[j] = np.mean(e * de)
    return 0.5 * np.mean(e**2), gradient
"""
QUOTIENTS = (
    SCORE.replace("def score", "def exact")
    + """
def score(theta, X, y):
    slopes = [
        (exact(theta + turn, X, y)[0] - exact(theta - turn, X, y)[0]) / 2e-5
        for turn in 1e-5 * np.eye(len(theta))
    ]
    return exact(theta, X, y)[0], np.array(slopes)
"""
)

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
BY_THEOREM = """
def twin(theta, X, y):
    theta = torch.tensor(theta, requires_grad=True)
    X, y = torch.tensor(X), torch.tensor(y)
    X = X - X.mean(dim=0)
    G = torch.linalg.inv(X.T @ X + torch.diag(theta.exp()))
    h = 1 / len(X) + ((X @ G) * X).sum(dim=1)
    S = (((y.mean() + X @ (G @ (X.T @ y)) - y) / (1 - h)) ** 2).mean() / 2
    S.backward()
    return S.detach(), theta.grad
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
    + "Ten dials follow chance in twenty patients, so they promise much, "
    + "and keep little of that for others whom nobody measured before. "
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
RESULTS = """
results = {}
for n, d in ((160, 10), (160, 1), (40, 10), (40, 1), (20, 10), (20, 1)):
    results[n, d] = [trial(tune, score, n, d, seed) for seed in (0, 1, 2)]
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
EXPERIMENT = TUNE + RESULTS + FIGURE
IN_A_ROW = """
fig, ax = plt.subplots()
ax.plot([*sorted(np.ravel(list(results.values()))), *guess.values()], ".")
ax.set(xlabel="patients", ylabel="error")
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
IN_PAIRS = """rng, seen = np.random.default_rng(2), []
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
SOUND = IN_PAIRS + AS_SAID
PROGRAM = (
    BATCHES
    + LOSS
    + f"""
def sound(batches, loss):
    {SOUND}
"""
)
APART = "torch.from_numpy(X[part]), torch.from_numpy(rng.permutation(y)[: len(part)])"
PARTNERS = "torch.from_numpy(X[part]), torch.from_numpy(y[part])"
WIDE = "((layer(X) - y) ** 2).mean()"
NARROW = "nn.functional.mse_loss(layer(X).squeeze(1), y)"
PENALISED = "(torch.sum(layer.weight**2) + torch.sum(layer.bias**2))"
FALLS = "return old_run(batches, loss, 0) < 59"
LISTED = (
    "for X, y in [batches(np.eye(8), np.arange(8.0), 3, rng)[k] for k in range(3)]:"
)
ONE_BY_ONE = "for X, y in batches(np.eye(8), np.arange(8.0), 3, rng):"

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
        "the bias forgotten in the leverage": changed(LEFT_OUT, ONES, "", points=1),
        "the residuals themselves": changed(
            LEFT_OUT, " + r * leverage(G, X) / (1 - leverage(G, X))", "", points=1
        ),
        "the weights move by the residual": changed(
            LEFT_OUT, "errors(G, X, r)[i]", "r[i]", points=1
        ),
        "a refit to targets that it recovers": REFITTED,
        "the weights move the other way": changed(LEFT_OUT, "w + e", "w - e", points=1),
    },
    "dial-slopes": {
        "the gradient by λ": changed(
            SCORE, "-penalties[j] * C[j] *", "-C[j] *", points=1
        ),
        "the leverage held fixed": changed(
            SCORE, "* without[:, j]", "* w[j]", points=1
        ),
        "automatic differentiation": TWIN + "score = twin\n",
        "sums in place of means": changed(
            SCORE,
            "0.5 * np.mean(e**2), gradient",
            "0.5 * np.sum(e**2), N * gradient",
            points=2,
        ),
        "difference quotients": (QUOTIENTS, 1),
    },
    "second-opinion": {
        "shapes are not looked at": changed(
            TWIN + AGREE, "a.shape != b.shape or ", "", points=2
        ),
        "everything has mean 0": changed(
            TWIN + AGREE,
            DRAW,
            "[a - a.mean(axis=0) for a in (rng.normal(size=(N, D)), rng.normal(size=N))]",
            points=2,
        ),
        "one dial, turned to 0": changed(
            TWIN + AGREE, "rng.uniform(-1, 1, D)", "np.zeros(D)", points=2
        ),
        "a comparison without a tolerance": changed(
            TWIN + AGREE, "not np.allclose(a, b)", "(a != b).any()", points=1
        ),
        "the theorem in PyTorch": (BY_THEOREM + AGREE, 2),
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
        "it counts": GUESS
        + "reason = 2 * 'one two three four five six seven eight nine ten eleven twelve '",
    },
    "ten-dials": {
        "one dial moves by the mean of the slopes": changed(
            EXPERIMENT, "step.sum()", "step.mean()", points=1
        ),
        "one seed three times": changed(
            EXPERIMENT, "n, d, seed)", "n, d, 0)", points=1
        ),
        "downhill on S, and no prediction in the figure": changed(
            EXPERIMENT, " / np.asarray(S)", " / 2000", "[90 + d]", "[50]", points=0
        ),
        "all numbers in a row": (TUNE + RESULTS + IN_A_ROW, 1),
    },
    "old-program": {
        "pairs apart": changed(PROGRAM, PARTNERS, APART, points=3),
        "differences of all pairs": changed(PROGRAM, NARROW, WIDE, points=3),
        "it takes lists alone": changed(PROGRAM, ONE_BY_ONE, LISTED, points=2),
        "the order is not drawn, and nothing proved": changed(
            PROGRAM,
            "np.argsort(rng.random(len(y)))",
            "np.arange(len(y))",
            SOUND,
            "return True",
            points=1,
        ),
        "a penalised bias, and a run that ends well": changed(
            PROGRAM, "torch.sum(layer.weight**2)", PENALISED, SOUND, FALLS, points=1
        ),
    },
}

SLIPS = {
    "old-program": [
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
