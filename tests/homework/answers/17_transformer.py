"""Answers to homework 17: right ones written differently, and typical wrong ones."""

RIGHT = {
    "size": """
        d, C, L, T = 8, 100, 3, 10
        layer = torch.nn.TransformerEncoderLayer(d, 2, 4 * d)
        parameters = C * d + L * sum(p.numel() for p in layer.parameters()) + 2 * d
        adds = C * d * T + L * (12 * T * d * d + 2 * T * T * d)
        cached = 2 * L * T * d
    """,
    "rms-norm": """
        def rms_norm(X, g, eps):
            return np.array([g * x / (x @ x / len(x) + eps) ** 0.5 for x in X])

        def rms_backward(dY, X, g, eps):
            dX, dg = np.zeros_like(X), np.zeros_like(g)
            for t, (dy, x) in enumerate(zip(dY, X, strict=True)):
                r = (x @ x / len(x) + eps) ** 0.5
                J = np.eye(len(x)) / r - np.outer(x, x) / (len(x) * r**3)
                dX[t] = J @ (g * dy)
                dg += dy * x / r
            return dX, dg
    """,
    "slopes": """
        def sloped_attention(Q, K, V, slopes):
            h, T, d = Q.shape
            A, O = np.zeros((h, T, T)), np.zeros((h, T, d))
            for i in range(h):
                for t in range(T):
                    s = [Q[i, t] @ K[i, u] / d**0.5 - slopes[i] * (t - u) for u in range(t + 1)]
                    e = [np.exp(a - max(s)) for a in s]
                    A[i, t, : t + 1] = [a / sum(e) for a in e]
                    O[i, t] = A[i, t] @ V[i]
            return O, A
    """,
    "mend-block": """
        def block(X, P):
            norm = lambda z: torch.nn.functional.layer_norm(z, z.shape[1:])
            W, x = {k: torch.as_tensor(w) for k, w in P.items()}, torch.as_tensor(X)
            z = norm(x)
            s = (z @ W["W_q"]) @ (z @ W["W_k"]).T / x.shape[1] ** 0.5
            s = s.masked_fill(~torch.ones(s.shape).tril().bool(), -torch.inf)
            y = x + s.softmax(1) @ z @ W["W_v"] @ W["W_o"]
            return (y + (norm(y) @ W["W_1"]).relu() @ W["W_2"]).numpy()
    """,
}

RMS = """
def rms_norm(X, g, eps):
    return g * X / np.sqrt((X**2).mean(axis=1, keepdims=True) + eps)


def rms_backward(dY, X, g, eps):
    r = np.sqrt((X**2).mean(axis=1, keepdims=True) + eps)
    X_hat, dX_hat = X / r, dY * g
    dX = (dX_hat - X_hat * (X_hat * dX_hat).mean(axis=1, keepdims=True)) / r
    return dX, (dY * X_hat).sum(axis=0)
"""
SLOPES = """
def sloped_attention(Q, K, V, slopes):
    T, d_h = Q.shape[1:]
    apart = np.arange(T)[:, None] - np.arange(T)
    S = Q @ K.transpose(0, 2, 1) / np.sqrt(d_h) - slopes[:, None, None] * apart
    S = np.where(apart >= 0, S, -np.inf)
    E = np.exp(S - S.max(axis=2, keepdims=True))
    A = E / E.sum(axis=2, keepdims=True)
    return A @ V, A
"""
BLOCK = """
def block(X, P):
    norm = lambda Z: (Z - Z.mean(axis=1, keepdims=True)) / np.sqrt(
        Z.var(axis=1, keepdims=True) + 1e-5
    )
    Z = norm(X)
    S = (Z @ P["W_q"]) @ (Z @ P["W_k"]).T / np.sqrt(X.shape[1])
    S = np.where(np.tril(np.ones(S.shape)) == 1, S, -np.inf)
    E = np.exp(S - S.max(axis=1, keepdims=True))
    A = E / E.sum(axis=1, keepdims=True)
    Y = X + A @ (Z @ P["W_v"]) @ P["W_o"]
    return Y + np.maximum(norm(Y) @ P["W_1"], 0) @ P["W_2"]
"""

WRONG = {
    "size": {
        "no biases": ("parameters, adds, cached = 3120, 35840, 480", 3),
        "head not tied": ("parameters, adds, cached = 4232, 35840, 480", 3),
        "no head counted": ("parameters, adds, cached = 3432, 27840, 480", 2),
        "keys only": ("parameters, adds, cached = 3432, 35840, 240", 3),
    },
    "rms-norm": {
        "the root held fixed": (
            RMS.replace(" - X_hat * (X_hat * dX_hat).mean(axis=1, keepdims=True)", ""),
            2,
        ),
        "sum for mean on the way back": (
            RMS.replace("dX_hat).mean(", "dX_hat).sum("),
            2,
        ),
        "a mean over words for g": (
            RMS.replace("X_hat).sum(axis=0)", "X_hat).mean(axis=0)"),
            4,
        ),
    },
    "slopes": {
        "no mask": SLOPES.replace("np.where(apart >= 0, S, -np.inf)", "S"),
        "a reward for distance": SLOPES.replace(
            "np.sqrt(d_h) - slopes", "np.sqrt(d_h) + slopes"
        ),
        "unstable softmax": (
            SLOPES.replace("S - S.max(axis=2, keepdims=True)", "S"),
            3,
        ),
        "one slope for all": SLOPES.replace("slopes[:, None, None]", "slopes[0]"),
    },
    "mend-block": {
        "late mask": (
            BLOCK.replace(
                "S = np.where(np.tril(np.ones(S.shape)) == 1, S, -np.inf)\n", ""
            )
            .replace("    E = np.exp", "E = np.exp")
            .replace(
                "A = E / E.sum(axis=1, keepdims=True)",
                "A = np.tril(E / E.sum(axis=1, keepdims=True))",
            ),
            2,
        ),
        "the norm of X in the second half": (
            BLOCK.replace("norm(Y) @", "norm(X) @"),
            2,
        ),
        "the stream goes through the norm": (
            BLOCK.replace("Y = X + A", "Y = Z + A"),
            2,
        ),
        "X as it came": "def block(X, P):\n    return X",
        "over the batch": BLOCK.replace(
            "Z.mean(axis=1, keepdims=True)", "Z.mean(axis=0)"
        ),
    },
}

SLIPS = {
    "mend-block": [
        {
            "X.mean(axis=0)": "X.mean(axis=1, keepdims=True)",
            "X.var(axis=0)": "X.var(axis=1, keepdims=True)",
        },
        {
            "    E = ": "    S = np.where(np.tril(np.ones(S.shape)) == 1, S, -np.inf)\n    E = ",
            "np.tril(E / E.sum(axis=1, keepdims=True))": "E / E.sum(axis=1, keepdims=True)",
        },
        {"Y = Z +": "Y = X +"},
        {"norm(X) @": "norm(Y) @"},
    ]
}
