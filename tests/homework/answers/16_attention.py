"""Answers to homework 16: right ones written differently, and typical wrong ones."""

RIGHT = {
    "three-keys": """
        odds = np.array([1, 3, 4])
        alpha = odds / odds.sum()
        values = np.array([[0, 8], [8, 0], [4, 4]])
        o = tuple(alpha @ values)
        ds = (np.diag(alpha) - np.outer(alpha, alpha)) @ values @ [1, -1]
        cold = torch.tensor(odds**2 / (odds**2).sum())
    """,
    "sharpness": """
        def sharpness_backward(dO, Q, K, V, c):
            dc, dV = 0.0, np.zeros_like(V)
            for q, do in zip(Q, dO, strict=True):
                s = K @ q
                alpha = np.exp(c * (s - s.max()))
                alpha /= alpha.sum()
                gain = V @ do
                dc += alpha @ (s * gain) - (alpha @ s) * (alpha @ gain)  # a covariance
                dV += np.outer(alpha, do)
            return dc, dV
    """,
    "padding": """
        def padded_attention(Q, K, V, lengths):
            B, M, T = Q.shape[0], Q.shape[1], K.shape[1]
            A, O = np.zeros((B, M, T)), np.zeros((B, M, V.shape[2]))
            for b in range(B):
                n = int(lengths[b])
                for m in range(M):
                    s = [Q[b, m] @ K[b, t] / Q.shape[2] ** 0.5 for t in range(n)]
                    e = [np.exp(x - max(s)) for x in s]
                    A[b, m, :n] = [x / sum(e) for x in e]
                    O[b, m] = sum(A[b, m, t] * V[b, t] for t in range(n))
            return O, A
    """,
    "mend-heads": """
        def multi_head(X, W_Q, W_K, W_V, W_O, h):
            size, outputs, weights = X.shape[1] // h, 0.0, []
            for i in range(h):
                own = slice(i * size, (i + 1) * size)
                s = X @ W_Q[:, own] @ (X @ W_K[:, own]).T / size**0.5
                e = np.exp(s)
                weights.append(e / e.sum(axis=1)[:, None])
                outputs = outputs + weights[-1] @ X @ W_V[:, own] @ W_O[own]
            return outputs, np.stack(weights)
    """,
    "needle": """
        odds = np.exp(5.0) / 999
        weight, gap = odds / (1 + odds), np.float32(9.104)
        gap_scattered = gap + 1 / 2
    """,
}

SHARPNESS = """
def sharpness_backward(dO, Q, K, V, c):
    S = Q @ K.T
    E = np.exp(c * (S - S.max(axis=1, keepdims=True)))
    A = E / E.sum(axis=1, keepdims=True)
    dA = dO @ V.T
    dS = A * (dA - (A * dA).sum(axis=1, keepdims=True))
    return (dS * S).sum(), A.T @ dO
"""
PADDING = """
def padded_attention(Q, K, V, lengths):
    S = np.einsum("bmd,btd->bmt", Q, K) / np.sqrt(Q.shape[-1])
    real = (np.arange(K.shape[1]) < lengths[:, None])[:, None, :]
    S = np.where(real, S, -np.inf)
    E = np.exp(S - S.max(axis=2, keepdims=True))
    A = E / E.sum(axis=2, keepdims=True)
    return A @ V, A
"""
HEADS = """
def multi_head(X, W_Q, W_K, W_V, W_O, h):
    N, d = X.shape
    split = lambda Z: Z.reshape(N, h, d // h).transpose(1, 0, 2)
    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    S = Q @ K.transpose(0, 2, 1) / np.sqrt(d // h)
    E = np.exp(S - S.max(axis=2, keepdims=True))
    A = E / E.sum(axis=2, keepdims=True)
    return (A @ V).transpose(1, 0, 2).reshape(N, d) @ W_O, A
"""
KEYS = "alpha, o, ds, cold = [1 / 8, 3 / 8, 1 / 2], [5, 3], "
COLD = "[1 / 26, 9 / 26, 16 / 26]"

WRONG = {
    "three-keys": {
        "scores divided by their sum": (
            "s = np.array([0, np.log(3), np.log(4)])\n"
            "alpha = cold = s / s.sum()\n"
            "V = np.array([[0, 8], [8, 0], [4, 4]])\n"
            "o, ds = alpha @ V, alpha * (V @ [1, -1] - alpha @ V @ [1, -1])"
        ),
        "ds without the mixture": (KEYS + "[-1, 3, 0], " + COLD, 2),
        "ds without the weight": (KEYS + "[-10, 6, -2], " + COLD, 2),
        "ds upside down": (KEYS + "[1.25, -2.25, 1], " + COLD, 2),
        "scores halved by τ = ½": (
            KEYS + "[-1.25, 2.25, -1], np.array([1, 3**0.5, 2]) / (3 + 3**0.5)",
            2,
        ),
    },
    "sharpness": {
        "the softmax taken for independent exponentials": (
            SHARPNESS.replace(" - (A * dA).sum(axis=1, keepdims=True))", ")"),
            1,
        ),
        "a mean over the queries": (SHARPNESS.replace(").sum(), A", ").mean(), A"), 1),
        "times c once more": (SHARPNESS.replace("dS * S", "c * dS * S"), 1),
        "rows and columns of A confused": SHARPNESS.replace("axis=1", "axis=0"),
        "the weights without c": SHARPNESS.replace("np.exp(c *", "np.exp(1 *"),
        "dc from a second softmax, unstable": (
            SHARPNESS.replace(
                "    return",
                "    B = np.exp(c * S)\n    B = B / B.sum(axis=1, keepdims=True)\n"
                "    dS = B * (dA - (B * dA).sum(axis=1, keepdims=True))\n    return",
            ),
            3,
        ),
        "unstable softmax": (
            SHARPNESS.replace("(S - S.max(axis=1, keepdims=True))", "S"),
            3,
        ),
    },
    "padding": {
        "mask after the softmax": PADDING.replace(
            "np.where(real, S, -np.inf)", "S"
        ).replace("A = E /", "A = real * E /"),
        "masked scores of 0": PADDING.replace("-np.inf", "0.0"),
        "over the queries": PADDING.replace("axis=2", "axis=1").replace(
            "-np.inf", "-1e9"
        ),
        "a softmax over everything, cut and renormalised": (
            PADDING.replace("np.where(real, S, -np.inf)", "S").replace(
                "return",
                "A = real * A\n    A = A / A.sum(axis=2, keepdims=True)\n    return",
            ),
            2,
        ),
        "one word too many": PADDING.replace("< lengths", "<= lengths"),
        "equal weights, as in the visible examples": PADDING.replace(
            "np.where(real, S, -np.inf)", "np.where(real, 0 * S, -np.inf)"
        ),
        "the longest length for all": PADDING.replace(
            "lengths[:, None]", "lengths.max() + 0 * lengths[:, None]"
        ),
    },
    "mend-heads": {
        "heads cut without turning": HEADS.replace(
            "reshape(N, h, d // h).transpose(1, 0, 2)", "reshape(h, N, d // h)"
        ),
        "heads joined without turning": (
            HEADS.replace("(A @ V).transpose(1, 0, 2)", "(A @ V)"),
            2,
        ),
        "scale of the model": HEADS.replace("np.sqrt(d // h)", "np.sqrt(d)"),
        "over the queries": HEADS.replace("axis=2", "axis=1"),
        "no output projection": (HEADS.replace(" @ W_O", ""), 2),
        "every h-th column": HEADS.replace(
            "reshape(N, h, d // h).transpose(1, 0, 2)",
            "reshape(N, d // h, h).transpose(2, 0, 1)",
        ),
    },
    "needle": {
        "one straw for 999": ("weight, gap, gap_scattered = 0.993, 2.197, 2.697", 0),
        "only the scattered hay by one straw": (
            "weight, gap, gap_scattered = 0.1294, 9.104, np.log(9) + 0.5",
            1,
        ),
        "scatter has mean 0, so nothing changes": (
            "weight, gap, gap_scattered = 0.1294, 9.104, 9.104",
            1,
        ),
        "e to the variance, not half of it": (
            "weight, gap, gap_scattered = 0.1294, 9.104, 10.104",
            1,
        ),
        "scores for weights": "weight = 5 / (5 + 999)\ngap = gap_scattered = 9 * 999",
    },
}

SLIPS = {
    "mend-heads": [
        {"Z.reshape(h, N, d // h)": "Z.reshape(N, h, d // h).swapaxes(0, 1)"},
        {"np.sqrt(d)": "np.sqrt(d // h)"},
        {"E.sum(axis=1": "E.sum(axis=2"},
        {"(A @ V).reshape": "(A @ V).swapaxes(0, 1).reshape"},
    ]
}
