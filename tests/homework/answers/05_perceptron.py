"""Answers to homework 5: right ones written differently, and typical wrong ones."""

RIGHT = {
    "by-hand": """
        w_first, mistakes, bound = np.array([-2, 3]), 4.0, 10
    """,
    "insist": """
        def insist(X, y, m, epochs):
            Z = np.asarray(y)[:, None] * X
            w, made = 0.0 * Z[0], 0
            for _ in range(epochs):
                quiet = True
                for z in Z:
                    if z @ w > m:
                        continue
                    w, made, quiet = w + z, made + 1, False
                if quiet:
                    return w, made
            return w, made

        def insist_bound(R, gamma, m):
            return (R / gamma) ** 2 + 2 * m / gamma / gamma
    """,
    "lazy": """
        def lazy_average(steps, changes, n):
            kept = (n - steps) / n
            return np.einsum("k,kd->d", kept, changes)
    """,
    "mend": """
        def multiclass(X, labels, M, epochs):
            W, U, t = np.zeros((X.shape[1], M)), np.zeros((X.shape[1], M)), 0
            for _ in range(epochs):
                for x, label in zip(X, labels):
                    answer = int(np.argmax(W.T @ x))
                    change = np.outer(x, np.eye(M)[label] - np.eye(M)[answer])
                    W, U, t = W + change, U + t * change, t + 1
            return W, W - U / t
    """,
    "count": """
        xor, unit, twice = 4 * 250, np.eye(12).sum(), 2.0 * 100
    """,
}

INSIST = """
def insist(X, y, m, epochs):
    w, mistakes = np.zeros(X.shape[1]), 0
    for _ in range(epochs):
        before = mistakes
        for x, label in zip(X, y):
            if {}:
                w, mistakes = w + {}, mistakes + 1
        if mistakes == before:
            break
    return w, mistakes

def insist_bound(R, gamma, m):
    return {}
"""
TEST, CHANGE, BOUND = "label * (w @ x) <= m", "label * x", "(R**2 + 2 * m) / gamma**2"
LAZY = "def lazy_average(steps, changes, n):\n    return {}"
MEND = """
def multiclass(X, labels, M, epochs):
    W, total = np.zeros((X.shape[1], M)), 0
    for _ in range(epochs):
        for x, label in zip(X, labels):
            answer = (x @ W).{}()
            if answer != label:
                W[:, label] += x
                W[:, answer] {} x
                {}
            {}
    return W, total / {}
"""
SUM = "total = total + W"
STOPS = (
    MEND.format("argmax", "-=", "quiet = False", SUM, "(epochs * len(X))")
    .replace(
        "for _ in range(epochs):", "for epoch in range(epochs):\n        quiet = True"
    )
    .replace("    return", "        if quiet:\n            break\n    return")
)

WRONG = {
    "by-hand": {
        "stops after the first epoch": (
            "w_first, mistakes, bound = [-2.0, 3.0], 3, 10.0",
            2,
        ),
        "the last weights for the first": (
            "w_first, mistakes, bound = [1.0, 4.0], 4, 10.0",
            2,
        ),
        "R without its square": (
            "w_first, mistakes, bound = [-2.0, 3.0], 3, 10**0.5",
            1,
        ),
    },
    "insist": {
        "strict": (INSIST.format("label * (w @ x) < m", CHANGE, BOUND), 1),
        "the bound without a 2": (
            INSIST.format(TEST, CHANGE, "(R**2 + m) / gamma**2"),
            3,
        ),
        "the bound rounded down": (
            INSIST.format(TEST, CHANGE, f"np.floor({BOUND})"),
            3,
        ),
        "m forgotten": INSIST.format(
            "label * (w @ x) <= 0", CHANGE, "(R / gamma) ** 2"
        ),
        "the label forgotten": (INSIST.format(TEST, "x", BOUND), 1),
    },
    "lazy": {
        "the counter begins at 1": LAZY.format(
            "changes.sum(axis=0) - (steps + 1) @ changes / n"
        ),
        "the mean of the changes": LAZY.format("changes.sum(axis=0) / n"),
        "all steps written out": (
            LAZY.format(
                "changes.sum(axis=0) - steps @ changes / n + 0 * np.ones(n).mean()"
            ),
            2,
        ),
        "divided by the number of changes": LAZY.format(
            "changes.sum(axis=0) - steps @ changes / len(steps)"
        ),
    },
    "mend": {
        "summed at mistakes only": (
            MEND.format("argmax", "-=", SUM, "pass", "(epochs * len(X))"),
            2,
        ),
        "divided by one epoch": (MEND.format("argmax", "-=", "pass", SUM, "len(X)"), 2),
        "the lowest score": MEND.format(
            "argmin", "-=", "pass", SUM, "(epochs * len(X))"
        ),
        "both columns rise": MEND.format(
            "argmax", "+=", "pass", SUM, "(epochs * len(X))"
        ),
        "stops after an epoch without a mistake": (STOPS, 2),
        "stops, and divides by the steps so far": (
            STOPS.replace("(epochs * len(X))", "((epoch + 1) * len(X))"),
            2,
        ),
    },
    "count": {
        "three mistakes an epoch of XOR": ("xor, unit, twice = 750, 12, 200", 2),
        "minus one is right at zero": ("xor, unit, twice = 1000, 0, 100", 1),
        "all forgotten": "xor, unit, twice = 0, 0, 0",
    },
}

SLIPS = {
    "mend": [
        {"argmin": "argmax"},
        {"W[:, answer] = -x": "W[:, answer] -= x"},
        {"                total = total + W": "            total = total + W"},
        {"total / len(X)": "total / (epochs * len(X))"},
    ]
}
