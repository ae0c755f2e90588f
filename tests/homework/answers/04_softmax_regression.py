"""Answers to homework 4: right ones written differently, and typical wrong ones."""

RIGHT = {
    "three-logits": """
        p_third, loss, dz_second, p_cold = 0.625, 1.3863, -0.75, 0.8333
    """,
    "weighted-classes": """
        def weighted_cross_entropy(W, X, labels, u):
            leaf = torch.tensor(W, requires_grad=True)
            loss = torch.nn.functional.cross_entropy(
                torch.tensor(X) @ leaf, torch.tensor(labels), weight=torch.tensor(u)
            )
            loss.backward()
            return loss.item(), leaf.grad.numpy()
    """,
    "focal": """
        def focal(z, y, gamma):
            loss, dz = np.empty(len(z)), np.empty(len(z))
            for i, (score, label) in enumerate(zip(z, y)):
                p = 1 / (1 + np.exp(-score))
                q = p if label == 1 else 1 - p
                loss[i] = -((1 - q) ** gamma) * np.log(q)
                dq = -((1 - q) ** gamma) / q
                if gamma:
                    dq = dq + gamma * (1 - q) ** (gamma - 1) * np.log(q)
                dz[i] = dq * q * (1 - q) * (1 if label == 1 else -1)
            return loss, dz
    """,
    "mend-softmax": """
        def fit_softmax(X, labels, C, lr, steps):
            rows = torch.tensor(np.column_stack([np.ones(len(X)), X]))
            W = torch.zeros(rows.shape[1], C, dtype=rows.dtype)
            Y = torch.eye(C, dtype=rows.dtype)[torch.tensor(labels)]
            for _ in range(steps):
                P = torch.softmax(rows @ W, dim=1)
                W = W - lr * rows.T @ (P - Y) / len(rows)
            return W.numpy()
    """,
    "recoded": """
        thrice = 1.5 * np.log(2)
        zero_one, exchanged = 2 * thrice, -1.04
    """,
}

LOGITS = "p_third, loss, dz_second, p_cold = "
WEIGHTED = """
def weighted_cross_entropy(W, X, labels, u):
    Z = X @ W
    Z = Z - Z.max(axis=1, keepdims=True)
    logs = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
    Y = np.eye(len(u))[labels]
    c = u[labels] / u[labels].sum()
    return -(c * (Y * logs).sum(axis=1)).sum(), X.T @ (c[:, None] * (np.exp(logs) - Y))
"""
FOCAL = """
def focal(z, y, gamma):
    sign = 2 * y - 1
    s = sign * z
    q = 1 / (1 + np.exp(-s))
    loss = -((1 - q) ** gamma) * np.log(q)
    ds = gamma * (1 - q) ** gamma * q * np.log(q) - (1 - q) ** (gamma + 1)
    return loss, sign * ds
"""
FIT = """
def fit_softmax(X, labels, C, lr, steps):
    X = np.column_stack([np.ones(len(X)), X])
    Y, W = np.eye(C)[labels], np.zeros((X.shape[1], C))
    for _ in range(steps):
        Z = X @ W
        E = np.exp(Z - Z.max(axis=1, keepdims=True))
        P = E / E.sum(axis=1, keepdims=True)
        W = W - lr * X.T @ (P - Y) / len(X)
    return W
"""

WRONG = {
    "three-logits": {
        "logits shared out": (LOGITS + "0.699, 1.2, -0.75, 25 / 30", 2),
        "the first class right": (LOGITS + "5 / 8, np.log(8), 1 / 4, 25 / 30", 0),
        "sign of the gradient": (LOGITS + "5 / 8, np.log(4), 3 / 4, 25 / 30", 1),
        "T multiplied": (LOGITS + "5 / 8, np.log(4), -3 / 4, 0.4809", 1),
        "logarithm to base 2": (LOGITS + "5 / 8, 2, -3 / 4, 25 / 30", 2),
    },
    "weighted-classes": {
        "divided by N": WEIGHTED.replace("u[labels].sum()", "len(X)"),
        "weights forgotten": WEIGHTED.replace("u[labels] /", "1 + 0 * u[labels] /"),
        "gradient without weights": (
            WEIGHTED.replace("X.T @ (c[:, None] * ", "X.T / len(X) @ ("),
            1,
        ),
        "sign of the gradient": (
            WEIGHTED.replace("np.exp(logs) - Y", "Y - np.exp(logs)"),
            1,
        ),
        "softmax over the examples": WEIGHTED.replace(
            "axis=1, keepdims", "axis=0, keepdims"
        ),
        "transposed": (
            WEIGHTED.replace("X.T @ (c", "(X.T @ (c").replace("- Y))", "- Y))).T"),
            1,
        ),
    },
    "focal": {
        "power of q": FOCAL.replace(
            "(1 - q) ** gamma) * np.log", "q**gamma) * np.log"
        ).replace("gamma * (1 - q) ** gamma * q", "gamma * q ** gamma * q"),
        "power taken for constant": (
            FOCAL.replace("gamma * (1 - q) ** gamma * q * np.log(q) - ", "-"),
            2,
        ),
        "sign of the label forgotten": (FOCAL.replace("sign * ds", "ds"), 2),
        "a mean": FOCAL.replace(
            "return loss, sign * ds", "return loss.mean(), sign * ds / len(z)"
        ),
        "p for q": FOCAL.replace("s = sign * z", "s = z"),
    },
    "mend-softmax": {
        "wrong axis": FIT.replace("axis=1", "axis=0"),
        "a sum for the mean": FIT.replace(" / len(X)", ""),
        "overflow": (
            FIT.replace("np.exp(Z - Z.max(axis=1, keepdims=True))", "np.exp(Z)"),
            2,
        ),
        "one maximum for all": (
            FIT.replace("Z.max(axis=1, keepdims=True)", "Z.max()"),
            2,
        ),
        "uphill": FIT.replace("W - lr", "W + lr"),
    },
    "recoded": {
        "three times as sure": ("thrice, zero_one, exchanged = 3.12, 2.0794, -1.04", 1),
        "nothing changes": ("thrice = zero_one = exchanged = 1.0397", 0),
        "half as long": ("thrice, zero_one, exchanged = 1.0397, 0.52, -1.0397", 2),
        "exchanged without sign": (
            "thrice, zero_one, exchanged = 1.0397, 2.0794, 1.0397",
            1,
        ),
    },
}

SLIPS = {
    "mend-softmax": [
        {"np.exp(X @ W)": "np.exp(X @ W - (X @ W).max(axis=1, keepdims=True))"},
        {"E.sum(axis=0)": "E.sum(axis=1, keepdims=True)"},
        {"(P - Y)": "(P - Y) / len(X)"},
    ]
}
