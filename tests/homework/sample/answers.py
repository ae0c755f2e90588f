"""Answers to the sample: right ones written differently, and typical wrong ones."""

RIGHT = {
    "saturation": """
        z_softsign, z_tanh = 9, np.log((1 + np.sqrt(0.99)) / (1 - np.sqrt(0.99))) / 2
        area = torch.tensor(2.0)
    """,
    "glu": """
        def glu(Z):
            signal, gate = np.split(np.array(Z), 2, axis=1)
            return signal * (0.5 + 0.5 * np.tanh(gate / 2))
    """,
    "glu-backward": """
        def glu_backward(dA, Z):
            N, H = dA.shape
            dZ = np.empty((N, 2 * H))
            for n in range(N):
                for j in range(H):
                    open_ = 1 / (1 + np.exp(-Z[n, H + j]))
                    dZ[n, j] = open_ * dA[n, j]
                    dZ[n, H + j] = dA[n, j] * Z[n, j] * (open_ - open_**2)
            return dZ
    """,
    "mend": """
        def prelu(Z, gamma):
            A = Z.copy()
            A *= np.where(Z > 0, 1.0, gamma)
            return A

        def prelu_backward(dA, Z, gamma):
            positive = (Z > 0).astype(float)
            dgamma = np.einsum("nj,nj->j", dA, (1 - positive) * Z)
            return dA * (positive + (1 - positive) * gamma), dgamma

        print("mended", file=__import__("sys").stderr)
    """,
    "active-share": """
        import warnings
        from statistics import NormalDist

        def share_active(m, s):
            warnings.warn("to stderr, which must not cost a point", stacklevel=2)
            return 1 - NormalDist(m, s).cdf(0)

        def mean_square_slope(m, s, gamma):
            left = NormalDist().cdf(-m / s)
            return 1 - left + left * gamma * gamma
    """,
}

GLU = """
def glu(Z):
    H = Z.shape[1] // 2
    return {}
"""
GLU_BACKWARD = """
def glu_backward(dA, Z):
    H = Z.shape[1] // 2
    P, s = Z[:, :H], expit(Z[:, H:])
    return {}
"""
MEND = """
def prelu(Z, gamma):
    return {}

def prelu_backward(dA, Z, gamma):
    return {}, {}
"""
A, DZ = "np.where(Z > 0, Z, gamma * Z)", "dA * np.where(Z > 0, 1.0, gamma)"
DGAMMA = "(dA * np.minimum(Z, 0)).sum(axis=0)"
SHARE = """
def share_active(m, s):
    return {}

def mean_square_slope(m, s, gamma):
    return {}
"""
PHI, SQUARE = "ndtr(m / s)", "ndtr(m / s) + gamma**2 * ndtr(-m / s)"

WRONG = {
    "saturation": {
        "the root is forgotten": (
            "z_softsign, z_tanh, area = 99.0, np.arctanh(np.sqrt(0.99)), 2.0",
            2,
        ),
        "the slope of tanh taken for 1 − tanh": (
            "z_softsign, z_tanh, area = 9.0, np.arctanh(0.99), 1.0",
            1,
        ),
        "values in place of slopes": "z_softsign, z_tanh, area = 1 / 99, 0.01, 0.5",
    },
    "glu": {
        "gate and signal swapped": GLU.format("Z[:, H:] * expit(Z[:, :H])"),
        "σ overflows": (
            GLU.format("Z[:, :H] * np.exp(Z[:, H:]) / (1 + np.exp(Z[:, H:]))"),
            2,
        ),
        "rows are split": "def glu(Z):\n    P, Q = np.split(Z, 2)\n    return P * expit(Q)",
        "the example hard-coded": (
            "def glu(Z):\n    return np.array([[0.5, -1.0], [3.0, 0.0]])"
        ),
    },
    "glu-backward": {
        "slope of σ lacks 1 − σ": (
            GLU_BACKWARD.format("np.concatenate([dA * s, dA * P * s], axis=1)"),
            2,
        ),
        "halves swapped": GLU_BACKWARD.format(
            "np.concatenate([dA * P * s * (1 - s), dA * s], axis=1)"
        ),
        "stacked as rows": GLU_BACKWARD.format(
            "np.concatenate([dA * s, dA * P * s * (1 - s)], axis=0)"
        ),
        "a 1/N that is not there": GLU_BACKWARD.format(
            "np.concatenate([dA * s, dA * P * s * (1 - s)], axis=1) / len(Z)"
        ),
    },
    "mend": {
        "dgamma averaged": (
            MEND.format(A, DZ, "(dA * np.minimum(Z, 0)).mean(axis=0)"),
            2,
        ),
        "dgamma summed over the wrong axis": (
            MEND.format(A, DZ, "(dA * np.minimum(Z, 0)).sum(axis=1)"),
            2,
        ),
        "maximum for any slope, mask by dA": MEND.format(
            "np.maximum(Z, gamma * Z)",
            "dA * np.where(dA > 0, 1.0, gamma)",
            "(dA * Z).sum(axis=0)",
        ),
        "Z is still changed": (
            f"def prelu(Z, gamma):\n    Z[...] = {A}\n    return Z\n"
            + MEND.format(A, DZ, DGAMMA).split("\n\n")[1],
            3,
        ),
    },
    "active-share": {
        "the variance for the deviation": SHARE.format(
            "ndtr(m / s**2)", "ndtr(m / s**2) + gamma**2 * ndtr(-m / s**2)"
        ),
        "the square of γ is forgotten": (
            SHARE.format(PHI, "ndtr(m / s) + gamma * ndtr(-m / s)"),
            1,
        ),
        "the wrong side": SHARE.format(
            "ndtr(-m / s)", "ndtr(-m / s) + gamma**2 * ndtr(m / s)"
        ),
        "the example hard-coded": SHARE.format(
            "0.159 if m else 0.5", "0.235 if m else 0.5"
        ),
    },
}
