"""Answers to homework 1: right ones written differently, and typical wrong ones."""

RIGHT = {
    "by-hand": """
        J = np.array([[-1.0, 2], [1, -2], [3, 0]])
        numerator, denominator = J, J.T
        moved, dx = J @ [0.1, 0.2], [-2, -2]
    """,
    "normalise": """
        def normalise(X):
            return np.array([x / np.sqrt(x @ x) for x in X])

        def normalise_back(dY, X):
            rows = []
            for g, x in zip(dY, X):
                length = np.sqrt(x @ x)
                J = np.eye(len(x)) / length - np.outer(x, x) / length**3
                rows.append(J.T @ g)
            return np.array(rows)
    """,
    "log-logistic": """
        def log_logistic(z):
            z = np.asarray(z, dtype=float)
            top = np.maximum(0, -z)
            return -(top + np.log(np.exp(-top) + np.exp(-z - top)))
    """,
    "mend-checker": """
        def gradient_error(f, x, g):
            flat, claimed = np.array(x, dtype=np.float64).ravel(), np.ravel(g)
            worst = 0.0
            for i in range(flat.size):
                up, down = flat.copy(), flat.copy()
                up[i] += 3e-6
                down[i] -= 3e-6
                ends = f(up.reshape(np.shape(x))), f(down.reshape(np.shape(x)))
                worst = max(worst, abs((ends[0] - ends[1]) / 6e-6 - claimed[i]))
            return worst / np.max(np.abs(claimed))
    """,
    "spectrum": """
        longest, kappa, variance = 4.0, 4 / 2, 4
    """,
}

HAND = "J = np.array([[-1, 2], [1, -2], [3, 0]])\n"
NORMALISE = """
def normalise(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def normalise_back(dY, X):
    length = np.linalg.norm(X, axis=1, keepdims=True)
    Y = X / length
    return (dY - Y * (Y * dY).sum(axis=1, keepdims=True)) / length
"""
CHECKER = """
def gradient_error(f, x, g):
    eps, x = 1e-5, np.array(x, dtype=float)
    numeric = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        d = np.zeros(x.shape)
        d[i] = eps
        numeric[i] = (f(x + d) - f(x - d)) / (2 * eps)
    return np.abs(g - numeric).max() / np.abs(g).max()
"""
LOG = "def log_logistic(z):\n    return "

WRONG = {
    "by-hand": {
        "layouts exchanged": (
            HAND
            + "numerator, denominator = J.T, J\nmoved, dx = J @ [0.1, 0.2], [-2, -2]",
            2,
        ),
        "the same twice": (
            HAND + "numerator = denominator = J\nmoved, dx = J @ [0.1, 0.2], [-2, -2]",
            2,
        ),
        "the square without its 2": HAND
        + "J[1, 1] = -1\nnumerator, denominator = J, J.T\n"
        + "moved, dx = J @ [0.1, 0.2], J.T @ [1, 2, -1]",
        "gradient as a column of one": (
            HAND
            + "numerator, denominator, moved = J, J.T, J @ [0.1, 0.2]\ndx = [[-2], [-2]]",
            2,
        ),
        "the true step": (
            HAND
            + "numerator, denominator, dx = J, J.T, [-2, -2]\n"
            + "moved = [2.1 * -0.8 + 2, 2.1 + 0.64 - 3, 0.3]",
            2,
        ),
    },
    "normalise": {
        "along the wrong axis": NORMALISE.replace("axis=1", "axis=0"),
        "length held constant": (
            NORMALISE.replace("(dY - Y * (Y * dY).sum(axis=1, keepdims=True))", "dY"),
            2,
        ),
        "not divided by the length": (NORMALISE.replace(")) / length", "))"), 2),
        "one length for all": NORMALISE.replace(
            ", axis=1, keepdims=True)", ")", 1
        ).replace("np.linalg.norm(X, axis=1, keepdims=True)", "np.linalg.norm(X)"),
        "squares without the root": (
            NORMALISE.replace(
                "return X / np.linalg.norm(X, axis=1, keepdims=True)",
                "return X / (X**2).sum(axis=1, keepdims=True)",
            ),
            2,
        ),
    },
    "log-logistic": {
        "as it stands": (LOG + "-np.log(1 + np.exp(-z))", 1),
        "log of the logistic": (LOG + "np.log(1 / (1 + np.exp(-z)))", 1),
        "cut off": (LOG + "-np.log(1 + np.exp(-np.clip(z, -500, 500)))", 2),
        "a small number added": LOG + "np.log(1 / (1 + np.exp(-z)) + 1e-6)",
        "both branches computed": (
            LOG
            + "np.where(z > 0, -np.log1p(np.exp(-np.abs(z))), z - np.log1p(np.exp(z)))",
            2,
        ),
        "logistic itself": LOG + "1 / (1 + np.exp(-np.maximum(z, -700)))",
    },
    "mend-checker": {
        "step still too small": (CHECKER.replace("1e-5", "1e-13"), 0),
        "errors still cancel": (
            CHECKER.replace("np.abs(g - numeric).max()", "abs((g - numeric).sum())"),
            2,
        ),
        "one-sided": CHECKER.replace("f(x - d)) / (2 * eps)", "f(x)) / eps"),
        "x moved in place": (
            CHECKER.replace("np.array(x, dtype=float)", "x").replace(
                "d[i] = eps", "d[i] = eps\n        x[i] += 1e-300 + 1e-7"
            ),
            2,
        ),
        "relative to the numeric": (
            CHECKER.replace("/ np.abs(g).max()", "/ np.abs(numeric).max()"),
            2,
        ),
        "always content": (
            "def gradient_error(f, x, g):\n    return 1 / 13 if g.flat[0] == 13 else 0.0",
            2,
        ),
    },
    "spectrum": {
        "the largest entry": ("longest, kappa, variance = 3, 1, 4", 1),
        "the determinant": ("longest, kappa, variance = 8, 2, 4", 1),
        "variances added": ("longest, kappa, variance = 4, 2, 6", 2),
        "sum for difference": ("longest, kappa, variance = 4, 2, 8", 2),
        "κ of AᵀA": ("longest, kappa, variance = 4, 4, 4", 1),
    },
}

SLIPS = {
    "mend-checker": [
        {"eps = 1e-13": "eps = 1e-5"},
        {
            "    numeric =": "    x = np.array(x, dtype=float)\n    numeric =",
            "x[i] += eps": "d = np.where(np.arange(x.size).reshape(x.shape) == "
            "np.ravel_multi_index(i, x.shape), eps, 0.0)",
            "f(x)": "f(x + d)",
            "f(x - eps)": "f(x - d)",
        },
        {"abs((g - numeric).sum())": "np.abs(g - numeric).max()"},
    ]
}
