"""Answers to homework 9: right ones written differently, and typical wrong ones."""

RIGHT = {
    "by-hand": """
        w_new = -4 - 0.2 * (3 + 0.25 * -4)
        kept = 1 - 0.1 / 0.4
        variance = torch.tensor(3.25)
    """,
    "dropout": """
        def draw_keep(shape, p, rng):
            return ~(rng.random(shape) < p)

        def drop_forward(A, keep, p):
            return np.where(keep, A, 0.0) * (1 / (1 - p))

        def drop_backward(dA_out, keep, p):
            dA = np.zeros_like(dA_out)
            dA[keep] = dA_out[keep] / (1 - p)
            return dA
    """,
    "elastic": """
        def elastic(w_star, h, lam1, lam2):
            up = (h * w_star - lam1) / (h + lam2)
            down = (h * w_star + lam1) / (h + lam2)
            return np.where(up > 0, up, np.where(down < 0, down, 0.0))
    """,
    "mend": """
        def step(W1, b1, W2, b2, X, Y, keep, p, lr, lam):
            Z1 = X @ W1 + b1
            A = np.where(keep & (Z1 > 0), Z1, 0.0) / (1 - p)
            dZ = (A @ W2 + b2 - Y) / X.shape[0]
            dZ1 = np.where(keep & (Z1 > 0), dZ @ W2.T, 0.0) / (1 - p)
            return (
                W1 - lr * (X.T @ dZ1 + lam * W1), b1 - lr * dZ1.sum(axis=0),
                W2 - lr * (A.T @ dZ + lam * W2), b2 - lr * dZ.sum(axis=0),
            )
    """,
    "deep": """
        plain, relu = np.exp(39 * np.log(0.9)), np.prod([1.1] * 39)
        halved = torch.tensor(2.0, dtype=torch.float64) ** -39
    """,
}

DROPOUT = """
def draw_keep(shape, p, rng):
    return {}

def drop_forward(A, keep, p):
    return {}

def drop_backward(dA_out, keep, p):
    return {}
"""
KEEP, OUT, BACK = (
    "rng.random(shape) >= p",
    "A * keep / (1 - p)",
    "dA_out * keep / (1 - p)",
)
ELASTIC = """
def elastic(w_star, h, lam1, lam2):
    return {}
"""
STEP = """
def step(W1, b1, W2, b2, X, Y, keep, p, lr, lam):
    A = np.maximum(X @ W1 + b1, 0)
    mask = keep / {}
    A_out = A * mask
    dZ = (A_out @ W2 + b2 - Y) / {}
    dH = dZ @ W2.T * (A > 0) * {}
    decay = 1 - lr * lam
    W1, W2 = decay * W1 - lr * X.T @ dH, decay * W2 - lr * A_out.T @ dZ
    b1, b2 = {} * b1 - lr * dH.sum(axis=0), {} * b2 - lr * dZ.sum(axis=0)
    return W1, b1, W2, b2
"""

WRONG = {
    "by-hand": {
        "no rate in the decay": ("w_new, kept, variance = -3.6, 0.75, 3.25", 2),
        "nothing is done": ("w_new, kept, variance = -4.0, 0.75, 3.25", 2),
        "λ over h + λ": ("w_new, kept, variance = -4.4, 0.25, 3.25", 2),
        "p for p/(1 − p), slope added, λ forgotten": (
            "w_new, kept, variance = -3.4, 1.0, 2.6"
        ),
    },
    "dropout": {
        "the scale forgotten": (DROPOUT.format(KEEP, "A * keep", "dA_out * keep"), 2),
        "kept for dropped": (DROPOUT.format("rng.random(shape) < p", OUT, BACK), 3),
        "the same units for all examples": (
            DROPOUT.format(
                "np.broadcast_to(rng.random(shape[1]) >= p, shape)", OUT, BACK
            ),
            3,
        ),
        "no mask on the way back": (DROPOUT.format(KEEP, OUT, "dA_out / (1 - p)"), 3),
        "the given array is changed": (
            DROPOUT.format(KEEP, "np.multiply(A, keep / (1 - p), out=A)", BACK),
            3,
        ),
    },
    "elastic": {
        "first the threshold, then λ1 not over h": ELASTIC.format(
            "np.sign(w_star) * np.maximum(np.abs(w_star) - lam1, 0) * h / (h + lam2)"
        ),
        "no threshold": ELASTIC.format("h * w_star / (h + lam2)"),
        "beyond zero": ELASTIC.format(
            "(h * w_star - lam1 * np.sign(w_star)) / (h + lam2)"
        ),
        "the example hard-coded": ELASTIC.format("np.array([1.0, -1.0, 0.0])"),
    },
    "mend": {
        "the biases decay": (
            STEP.format("(1 - p)", "len(Y)", "mask", "decay", "decay"),
            2,
        ),
        "no mask on the way back": STEP.format(
            "(1 - p)", "len(Y)", "1.0", "1.0", "1.0"
        ),
        "the mean over all entries": STEP.format(
            "(1 - p)", "Y.size", "mask", "1.0", "1.0"
        ),
        "p for 1 − p": STEP.format("p", "len(Y)", "mask", "1.0", "1.0"),
    },
    "deep": {
        "forty layers": "plain, relu, halved = 0.9**40, 1.1**40, 0.5**40",
        "no half for ReLU": ("plain, relu, halved = 0.9**39, 2.2**39, 0.5**39", 2),
        "sizes for squares": ("plain, relu, halved = 0.9**19.5, 1.1**19.5, 0.5**19.5"),
    },
}

SLIPS = {
    "mend": [
        {"keep / p": "keep / (1 - p)"},
        {"Y.size": "len(Y)"},
        {"* (A > 0)": "* (A > 0) * keep / (1 - p)"},
        {"decay * b1": "b1", "decay * b2": "b2"},
    ]
}
