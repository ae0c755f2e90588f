"""Answers to homework 9: right ones written differently, and typical wrong ones.

What the marks of ``four-ways`` allow was measured. They look at the inputs and targets of
each step and at the network after the last one, so they rest on no accuracy. The one
number, in the visible check, is that mixup with seed 0 reads more than 0.55 of the test
digits: twenty seeds of the model answer gave 0.69 to 0.77. ``sure-run`` has an accuracy of
0.80 to 0.86 if mended, of 0.09 to 0.12 with both faults or with the slope alone, of 0.08 to
0.30 with pictures mixed in place alone (twelve seeds each); the visible check asks for 0.6.
"""

from tests.homework.answers import TURNS, changed

SLOPES = """
def slope_factor(pixels, targets, m, q):
    variance = 2 * q - 2 * m + 1 if pixels else 1
    covariance = (m if pixels or targets else 1) if pixels != targets else variance
    return covariance / variance
"""
DRAWN = """
def slope_factor(pixels, targets, m, q):
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    rho = m + np.sqrt(max(q - m**2, 0)) * rng.choice([-1, 1], 400_000)
    n, j = rng.integers(0, 200, (2, 400_000))
    a = rho * x[n] + (1 - rho) * x[j] if pixels else x[n]
    b = rho * x[n] + (1 - rho) * x[j] if targets else x[n]
    return np.polyfit(a, b, 1)[0]
"""

MIXED = """
def mixed_loss(A, Y, W, b, rho, partner):
    N, r = len(A), rho.reshape(-1, 1)
    M, T = (r * one + (1 - r) * one[partner] for one in (A, Y))
    Z = M @ W + b
    top = Z.max(1, keepdims=True)
    sums = np.log(np.exp(Z - top).sum(1, keepdims=True)) + top
    P = np.exp(Z - sums)
    loss = (T * (sums - Z)).sum(1).mean()
    dM = (P - T) @ W.T / N
    dA = r * dM
    for n, j in enumerate(partner):
        dA[j] += (1 - rho[n]) * dM[n]
    return float(loss), dA
"""
TWIN = """
def twin(A, Y, W, b, rho, partner):
    A, W, b = torch.from_numpy(A.copy()).requires_grad_(), *map(torch.tensor, (W, b))
    r, Y, j = torch.tensor(rho).reshape(-1, 1), torch.tensor(Y), torch.tensor(partner)
    logs = torch.log_softmax((r * A + (1 - r) * A[j]) @ W + b, 1)
    loss = -((r * Y + (1 - r) * Y[j]) * logs).sum() / len(A)
    loss.backward()
    return loss, A.grad
"""
SAME = """
def same(ours, theirs):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        N, H, C = 9, 2, 5
        A, W, b = rng.normal(size=(N, H)), rng.normal(size=(H, C)), rng.normal(size=C)
        Y = rng.random((N, C))
        Y = Y / Y.sum(axis=1, keepdims=True)
        rho, partner = rng.uniform(0.5, 1, N), rng.integers(0, N, N)
        for a, d in zip(
            ours(A, Y, W, b, rho, partner), theirs(A, Y, W, b, rho, partner), strict=True
        ):
            a, d = (torch.as_tensor(one).detach().numpy() for one in (a, d))
            if a.shape != d.shape or not np.allclose(a, d, atol=1e-10):
                return False
    return True
"""
LAYER = MIXED + TWIN + SAME
SCATTER = """for n, j in enumerate(partner):
        dA[j] += (1 - rho[n]) * dM[n]"""
FINITE = """
def twin(A, Y, W, b, rho, partner):
    at, slope = A.copy(), np.zeros(A.shape)
    loss = lambda: mixed_loss(at, Y, W, b, rho, partner)[0]
    for k in np.ndindex(A.shape):
        kept = at[k]
        at[k] = kept + 1e-5
        up = loss()
        at[k] = kept - 1e-5
        slope[k] = (up - loss()) / 2e-5
        at[k] = kept
    return loss(), slope
"""

REASON = (
    'reason = """Pictures that were never written might keep the network from learning wrong '
    "labels by heart, while softened labels only make every answer less certain than it "
    'should be."""\n'
)
BET = "bet = {name: [0.7, 0.8] for name in ('plain', 'targets', 'pixels', 'both')}\n"

TRAIN = """
def train(pixels, targets, seed, known):
    net, adam = initial(seed)
    rng = np.random.default_rng(seed)
    X, labels = torch.from_numpy(known[0]), torch.from_numpy(known[1])
    for _ in range(100):
        rho = torch.tensor(rng.uniform(0.5, 1, len(X)), dtype=torch.float32)
        j = torch.tensor(rng.integers(0, len(X), len(X)))
        mixed = X + (1 - rho)[:, None] * (X[j] - X)
        Z = net(mixed if pixels else X)
        loss = F.cross_entropy(Z, labels, reduction="none")
        if targets:
            other = F.cross_entropy(Z, labels[j], reduction="none")
            loss = rho * loss + (1 - rho) * other
        net.zero_grad()
        loss.mean().backward()
        adam.step()
    return net.eval()
"""
RESULTS = """
results = {}
for name in WAYS:
    results[name] = [measured(train(*WAYS[name], s, typed(s))) for s in (0, 1, 2)]
"""
FIGURE = """
fig = plt.figure()
for name in WAYS:
    plt.scatter(*zip(*results[name]), label=name)
    plt.scatter(*np.resize(bet[name], 2), marker="x")
plt.axline((0.6, 0.6), slope=1)
plt.xlabel("accuracy")
plt.ylabel("confidence")
plt.legend()
"""
EXPERIMENT = TRAIN + RESULTS + FIGURE
BY_LAYERS = TRAIN.replace(
    "net(mixed if pixels else X)", "net[2](net[1](net[0](mixed if pixels else X)))"
)
RHO = "rho = torch.tensor(rng.uniform(0.5, 1, len(X)), dtype=torch.float32)"

SOUND = """for seed in range(2):
        rng = np.random.default_rng(seed)
        X, Y = rng.normal(size=(8, 2)), rng.dirichlet([1, 1, 1], 8)
        rho, j = rng.uniform(0.5, 1, 8), rng.permutation(8)
        before = X.copy(), Y.copy()
        M, T = blend(X, Y, rho, j)
        if (X != before[0]).any() or (Y != before[1]).any():
            return False
        for n in range(8):
            for mixed, one in ((M, X), (T, Y)):
                told = rho[n] * one[n] + (1 - rho[n]) * one[j[n]]
                if not np.allclose(mixed[n], told):
                    return False
        P = rng.dirichlet([1, 1, 1], 8)
        if not np.allclose(8 * np.array(slope(P, Y)), P - Y):
            return False
    return True"""
RUN = f"""
def blend(X, Y, rho, partner):
    other = (1 - rho)[:, None]
    X = X + other * (X[partner] - X)
    return X, Y + other * (Y[partner] - Y)


def slope(P, T):
    return (P - T) / P.shape[0]


def sound(blend, slope):
    {SOUND}
"""
IN_PLACE = ("X = X + other", "X += other")
ANY = ("(P - T) / P.shape[0]", "(P - (T > 0)) / len(P)")
UNTOUCHED = """        if (X != before[0]).any() or (Y != before[1]).any():
            return False
"""

RIGHT = {
    "slopes": SLOPES,
    "through-the-mix": LAYER,
    "bet": BET + REASON,
    "four-ways": EXPERIMENT,
    "sure-run": RUN,
}

WRONG = {
    "slopes": {
        "the partner's part of the variance forgotten": changed(
            SLOPES, "2 * q - 2 * m + 1 if", "q if", points=1
        ),
        "the square of the mean for the mean of the square": changed(
            SLOPES, "2 * q - 2 * m + 1 if", "m**2 + (1 - m) ** 2 if", points=1
        ),
        "mixup flattens, too": changed(
            SLOPES,
            "(m if pixels or targets else 1) if pixels != targets else variance",
            "m if pixels or targets else 1",
            points=1,
        ),
        "the variance of rho for that of the mixed input, in a table": (
            "def slope_factor(pixels, targets, m, q):\n"
            "    table = {(0, 0): 1.0, (0, 1): m, (1, 1): 1.0, (1, 0): m / (q - m**2)}\n"
            "    return table[int(pixels), int(targets)]\n",
            1,
        ),
        "400,000 draws in place of the derivation": DRAWN,
        "the factors of one distribution": (
            "slope_factor = lambda pixels, targets, m, q: "
            "{(0, 1): m, (1, 0): 9 / 8}.get((pixels, targets), 1.0)",
            1,
        ),
    },
    "through-the-mix": {
        "a partner of several gets the last share": changed(
            LAYER, SCATTER, "dA[partner] += (1 - r) * dM", points=4
        ),
        "partners that all differ": changed(
            LAYER,
            "partner = rng.uniform(0.5, 1, N), rng.integers(0, N, N)",
            "partner = rng.uniform(0.5, 1, N), rng.permutation(N)",
            points=4,
        ),
        "one-hot targets in the comparison": changed(
            LAYER,
            "Y = rng.random((N, C))",
            "Y = np.eye(C)[rng.integers(0, C, N)]",
            points=4,
        ),
        "shapes are not looked at": changed(
            LAYER, "a.shape != d.shape or ", "", points=4
        ),
        "no care for large logits": changed(
            LAYER, "top = Z.max(1, keepdims=True)", "top = 0 * Z[:, :1]", points=3
        ),
        "finite differences by name of twin": (MIXED + FINITE + SAME, 4),
        "finite differences by name of mixed_loss": (
            MIXED.replace("def mixed", "def _mixed")
            + FINITE.replace("mixed_loss", "_mixed_loss").replace(
                "def twin", "def mixed_loss"
            )
            + TWIN
            + SAME,
            4,
        ),
        "always content": (
            MIXED
            + TWIN.replace("loss, A.grad", "loss.item(), A.grad")
            + "same = lambda ours, theirs: True",
            3,
        ),
        "agreement to half a per cent": changed(
            LAYER, "atol=1e-10", "rtol=5e-3", points=4
        ),
        "nan only where everything is": changed(
            LAYER,
            "not np.allclose(a, d, atol=1e-10)",
            "np.isnan(a).all() or np.isnan(d).all() or np.nanmax(abs(a - d)) > 1e-9",
            points=4,
        ),
        "partners that swap in pairs": changed(
            LAYER,
            "N, H, C = 9, 2, 5",
            "N, H, C = 8, 2, 5",
            "rng.integers(0, N, N)",
            "np.arange(N) ^ 1",
            points=4,
        ),
        "the gradient does not reach the partner": changed(
            LAYER, SCATTER, "pass", points=4
        ),
        "the activations are overwritten": changed(
            LAYER,
            "    Z = M @ W + b\n    top",
            "    A *= 1.01\n    Z = M @ W + b\n    top",
            points=4,
        ),
    },
    "bet": {
        "per cent": BET.replace("0.7, 0.8", "70, 80") + REASON,
        "one number each": BET.replace("[0.7, 0.8]", "0.7") + REASON,
        "no reason": BET + "reason = 'I feel it'",
        "one word twenty times": BET + "reason = 'mixing ' * 20",
    },
    "four-ways": {
        "one seed three times": changed(
            BY_LAYERS + RESULTS + FIGURE, "s, typed(s)", "0, typed(0)", points=2
        ),
        "five times the steps": changed(
            EXPERIMENT, "range(100)", "range(500)", points=2
        ),
        "one rho for all examples": changed(
            EXPERIMENT,
            "rng.uniform(0.5, 1, len(X))",
            "rng.uniform(0.5, 1, 1)",
            points=2,
        ),
        "rho from 0 to 1": changed(
            EXPERIMENT, "uniform(0.5, 1", "uniform(0, 1", points=2
        ),
        "labels and pictures with other partners": changed(
            EXPERIMENT, "labels[j]", "labels[j.flip(0)]", points=2
        ),
        "gradients are never set to zero": changed(
            EXPERIMENT, "        net.zero_grad()\n", "", points=2
        ),
        "rho drawn once": changed(
            EXPERIMENT,
            f"        {RHO}\n",
            "",
            "    for _ in range(100):\n",
            f"    {RHO}\n    for _ in range(100):\n",
            points=2,
        ),
        "a penalty": changed(
            EXPERIMENT,
            "loss.mean().backward()",
            "(loss.mean() + 1e-3 * (net[2].weight**2).sum()).backward()",
            points=2,
        ),
        "the weights of the step that is best on TEST": changed(
            EXPERIMENT,
            "        adam.step()\n",
            """        adam.step()
        if measured(net)[0] > best:
            best = measured(net)[0]
            kept = {name: one.clone() for name, one in net.state_dict().items()}
    net.load_state_dict(kept)
""",
            "    net, adam = initial(seed)\n",
            "    net, adam = initial(seed)\n    best = 0\n",
            points=2,
        ),
        "nothing is seeded": changed(
            TURNS + EXPERIMENT, "initial(seed)", "initial(next(turns))", points=2
        ),
        "accuracy and confidence swapped in the figure": changed(
            EXPERIMENT,
            "*zip(*results[name])",
            "*list(zip(*results[name]))[::-1]",
            points=2,
        ),
        "no bets in the figure": changed(
            EXPERIMENT,
            "    plt.scatter(*np.resize",
            "    # plt.scatter(*np.resize",
            points=2,
        ),
        "no line": changed(EXPERIMENT, "plt.axline", "# plt.axline", points=2),
        "a level line": changed(
            EXPERIMENT,
            "axline((0.6, 0.6), slope=1)",
            "axline((0, 0.5), slope=0)",
            points=2,
        ),
        "nothing learned, and the numbers typed in": "train = lambda pixels, targets, "
        "seed, known: initial(seed)[0]\n"
        "results = {name: [(0.7 + s / 50, 0.6 + s / 60) for s in range(3)] for name in WAYS}\n"
        + FIGURE.replace("plt.axline", "# "),
    },
    "sure-run": {
        "both faults left": changed(RUN, *IN_PLACE, *ANY, points=2),
        "arguments are not looked at": changed(
            RUN,
            UNTOUCHED,
            "",
            "((M, X), (T, Y))",
            "((M, before[0]), (T, before[1]))",
            points=3,
        ),
        "one-hot targets are tried": changed(
            RUN,
            "rng.dirichlet([1, 1, 1], 8)\n        rho",
            "np.eye(3)[[0, 1, 2, 0, 1, 2, 0, 0]]\n        rho",
            points=3,
        ),
        "mended, nothing proved": changed(RUN, SOUND, "return True", points=2),
        "mended, and Luan's test kept": changed(
            RUN,
            SOUND,
            """X, Y = np.array([[0.0, 4.0], [8.0, 0.0]]), np.eye(2)
    M, T = blend(X.copy(), Y, np.array([0.5, 0.75]), np.array([1, 0]))
    P = np.array([[0.9, 0.1], [0.4, 0.6]])
    return np.allclose(M, [[4, 2], [6, 1]]) and np.allclose(slope(P, Y), (P - Y) / 2)""",
            points=2,
        ),
        "only the slope mended": changed(RUN, *IN_PLACE, points=3),
        "the same to the last bit": changed(
            RUN,
            "np.allclose(8 * np.array(slope(P, Y)), P - Y)",
            "np.array_equal(slope(P, Y), (P - Y) / 8)",
            points=2,
        ),
    },
}

SLIPS = {
    "sure-run": [
        {"    X += other * (X[partner] - X)": "    X = X + other * (X[partner] - X)"},
        {"(P - (T > 0))": "(P - T)"},
        {
            "blend(X.copy(), Y.copy(), rho, partner)": "blend(X, Y, rho, partner)\n"
            "    if not np.array_equal(X, [[0, 4], [8, 0]]):\n"
            "        return False",
            "slope(P, Y), [[-0.05, 0.05], [0.2, -0.2]]": "slope(P, Y_mixed), (P - Y_mixed) / 2",
        },
    ]
}
