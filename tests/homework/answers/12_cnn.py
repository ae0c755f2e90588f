"""Answers to homework 12: right ones written differently, and typical wrong ones."""

NORM = """
def norm(X, gamma, beta, state, training, eps=1e-5):
    mean, var = state
    if training:
        mean = X.mean(axis={axes}, keepdims=True)
        var = X.var(axis={axes}, keepdims=True)
        m = {m}
        state[0] = {keep} * state[0] + {add} * mean
        state[1] = {keep} * state[1] + {add} * {var}
    return gamma * (X - mean) / {root} + beta
"""
AXES, ALL, UNBIASED = "(0, 2, 3)", "X.size // mean.size", "var * m / (m - 1)"
ROOT = "np.sqrt(var + eps)"


def norm(axes=AXES, m=ALL, keep="0.9", add="0.1", var=UNBIASED, root=ROOT):
    return NORM.format(axes=axes, m=m, keep=keep, add=add, var=var, root=root)


RIGHT = {
    "by-hand": """
        params = (5 * 5 * 8 + 1) * 12
        work = torch.tensor(5 * 5 * 8 * 12 * 10 * 10)
        dx = 2 / np.sqrt(6.0) * -2.0
    """,
    "group": """
        def group_norm(X, gamma, beta, groups, eps=1e-5):
            out, width = np.empty_like(X), X.shape[1] // groups
            for n in range(len(X)):
                for i in range(groups):
                    at = slice(i * width, (i + 1) * width)
                    part = X[n, at]
                    out[n, at] = (part - part.mean()) / (part.var() + eps) ** 0.5
            return out * gamma.reshape(1, -1, 1, 1) + beta.reshape(1, -1, 1, 1)
    """,
    "field": """
        def field(layers):
            width = 1
            for k, stride in reversed(layers):
                width = (width - 1) * stride + k
            return width, int(np.prod([1] + [s for _, s in layers]))
    """,
    "mend": """
        def norm(X, gamma, beta, state, training, eps=1e-5):
            if not training:
                return gamma * (X - state[0]) * (state[1] + eps) ** -0.5 + beta
            rows = np.moveaxis(X, 1, 0).reshape(X.shape[1], -1)
            mean, var = rows.mean(axis=1), rows.var(axis=1)
            shape = (1, -1, 1, 1)
            state[0] = 0.9 * state[0] + 0.1 * mean.reshape(shape)
            state[1] = 0.9 * state[1] + 0.1 * rows.var(axis=1, ddof=1).reshape(shape)
            X_hat = (X - mean.reshape(shape)) / np.sqrt(var.reshape(shape) + eps)
            return gamma * X_hat + beta
    """,
    "growth": """
        dense, side, saved = sum([48] + [12] * 6), -(-75 // 8), 9 / 4
    """,
}

GROUP = """
def group_norm(X, gamma, beta, groups, eps=1e-5):
    N, C, H, W = X.shape
    parts = X.reshape({})
    mean, var = parts.mean(axis={}, keepdims=True), parts.var(axis={}, keepdims=True)
    X_hat = ((parts - mean) / np.sqrt(var + eps)).reshape(X.shape)
    return {} * X_hat + {}
"""
GAMMA, BETA = "gamma[:, None, None]", "beta[:, None, None]"
FIELD = """
def field(layers):
    width, apart = 1, 1
    for k, stride in layers:
        {}
    return width, apart
"""

WRONG = {
    "by-hand": {
        "no biases": ("params, work, dx = 2400, 240_000, -1.633", 2),
        "work with biases": ("params, work, dx = 2412, 241_200, -1.633", 2),
        "weights of one channel, one place, no mean": (
            "params, work, dx = 312, 2400, 0.0"
        ),
    },
    "group": {
        "over the batch": (
            GROUP.format("N, groups, -1", "(0, 2)", "(0, 2)", GAMMA, BETA)
        ),
        "all channels in one group": (
            GROUP.format("N, 1, -1", 2, 2, GAMMA, BETA),
            2,
        ),
        "the given array is changed": (
            GROUP.format("N, groups, -1", 2, 2, GAMMA, BETA).replace(
                "return", "X[:] = 0.0\n    return"
            ),
            3,
        ),
    },
    "field": {
        "the stride first": (
            FIELD.format("apart *= stride; width += (k - 1) * apart"),
            1,
        ),
        "strides forgotten": FIELD.format("width += k - 1"),
        "k for k − 1": (
            FIELD.format("width, apart = width + k * apart, apart * stride"),
            1,
        ),
    },
    "mend": {
        "the biased variance stored": (norm(var="var"), 2),
        "ε outside the root": (norm(root="(np.sqrt(var) + eps)"), 2),
        "the momentum turned": (norm(keep="0.1", add="0.9"), 2),
        "over the places of one example": norm(axes="(2, 3)", m="X[0, 0].size"),
    },
    "growth": {
        "growth counted once": ("dense, side, saved = 60, 10, 2.25", 2),
        "halved exactly, and rounded down": ("dense, side, saved = 120, 9, 2.25", 2),
        "the factor for three layers": ("dense, side, saved = 120, 10, 49 / 27", 2),
    },
}

SLIPS = {
    "mend": [
        {"axis=(2, 3)": "axis=(0, 2, 3)"},
        {
            "0.1 * state": "0.9 * state",
            "0.9 * mean": "0.1 * mean",
            "0.9 * var": "0.1 * var",
        },
        {"(m - 1) / m": "m / (m - 1)"},
        {"np.sqrt(var) + eps": "np.sqrt(var + eps)"},
    ]
}
