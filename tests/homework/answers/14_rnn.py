"""Answers to homework 14: right ones written differently, and typical wrong ones."""

RIGHT = {
    "by-hand": """
        h = [0.0]
        for x in (1, 0, 3):
            h.append(2 * x - h[-1])
        h_3, dw_h = h[3], h[2] - h[1] + h[1]
        cut = torch.tensor(h[1] + h[2])
    """,
    "jordan": """
        def forward(X, W_x, W_b, b, W_o):
            h, O = np.empty((*X.shape[:2], len(b))), np.zeros((*X.shape[:2], W_o.shape[1]))
            for t in range(len(X)):
                h[t] = np.tanh(X[t] @ W_x + (O[t - 1] @ W_b if t else 0) + b)
                O[t] = h[t] @ W_o
            return h, O

        def backward(dO, X, W_x, W_b, b, W_o):
            h, O = forward(X, W_x, W_b, b, W_o)
            dO, dZ = dO.copy(), np.empty_like(h)
            for t in range(len(X) - 1, -1, -1):
                dZ[t] = dO[t] @ W_o.T * (1 - h[t] ** 2)
                if t:
                    dO[t - 1] += dZ[t] @ W_b.T
            return (
                np.einsum("tnd,tnh->dh", X, dZ), np.einsum("tnc,tnh->ch", O[:-1], dZ[1:]),
                dZ.sum(axis=(0, 1)), np.einsum("tnh,tnc->hc", h, dO),
            )
    """,
    "mend": """
        def step(X, y, P, lr, theta):
            leaves = [torch.tensor(p, requires_grad=True) for p in P]
            h = torch.zeros(y.shape, dtype=torch.float64)
            for X_t in torch.tensor(X):
                h = torch.tanh(X_t @ leaves[0] + h @ leaves[1] + leaves[2])
            (((h - torch.tensor(y)) ** 2).sum() / 2).backward()
            grads = [leaf.grad.numpy() for leaf in leaves]
            length = np.linalg.norm(np.concatenate([g.ravel() for g in grads]))
            return [p - lr * theta / max(theta, length) * g for p, g in zip(P, grads)]
    """,
    "window": """
        def strips(ids, N):
            L = (len(ids) - 1) // N
            at = np.arange(L)[:, None] + L * np.arange(N)
            return ids[at], ids[at + 1]

        def pieces(ids, N, T):
            X, Y = strips(ids, N)
            cuts = range(T, len(X), T)
            return list(zip(np.split(X, cuts), np.split(Y, cuts)))
    """,
    "products": """
        corner = lambda W: np.linalg.matrix_power(np.array(W), 101)[0, -1]
        a, c = ["explodes", corner(np.full((6, 6), 0.2))], ("holds", -1.0)
        b, d = ("fades", corner([[0.9, 100], [0, 0.9]])), ("explodes", torch.tensor(101))
    """,
}

JORDAN = """
def forward(X, W_x, W_b, b, W_o):
    h, O, last = [], [], np.zeros((X.shape[1], W_o.shape[1]))
    for X_t in X:
        h.append(np.tanh(X_t @ W_x + last @ W_b + b))
        O.append(h[-1] @ W_o)
        last = {}
    return np.stack(h), np.stack(O)

def backward(dO, X, W_x, W_b, b, W_o):
    h, O = forward(X, W_x, W_b, b, W_o)
    dW_x, dW_b, db, dW_o = (np.zeros_like(p) for p in (W_x, W_b, b, W_o))
    back = np.zeros_like(dO[0])
    for t in reversed(range(len(X))):
        whole = dO[t] + back
        dZ = whole @ W_o.T * (1 - h[t] ** 2)
        dW_o += h[t].T @ {}
        dW_x += X[t].T @ dZ
        db += dZ.sum(axis=0)
        if t > 0:
            dW_b += O[{}].T @ dZ
        back = {}
    return dW_x, dW_b, db, dW_o
"""
STEP = """
def step(X, y, P, lr, theta):
    W_x, W_h, b = P
    states = [np.zeros((X.shape[1], len(b)))]
    for X_t in X:
        states.append(np.tanh(X_t @ W_x + states[-1] @ W_h + b))
    dh, grads = states[-1] - y, [np.zeros_like(p) for p in P]
    for t in reversed(range(len(X))):
        dZ = dh * (1 - states[{}] ** 2)
        grads[0] += X[t].T @ dZ
        grads[1] += states[t].T @ dZ
        grads[2] += dZ.sum(axis=0)
        dh = dZ @ {}
    length = {}
    return [p - lr * min(1, theta / length) * g for p, g in zip(P, grads)]
"""
WHOLE = "np.sqrt(sum((g**2).sum() for g in grads))"
WINDOW = """
def strips(ids, N):
    L = {}
    return ids[: N * L].reshape({}), ids[1 : N * L + 1].reshape({})

def pieces(ids, N, T):
    X, Y = strips(ids, N)
    return [(X[t : t + T], Y[t : t + T]) for t in range(0, {}, T)]
"""
L = "(len(ids) - 1) // N"
WORDS = """
a, b = ("{}", 0.2 * 1.2**100), ("{}", 101 * 100 * 0.9**100)
c, d = ("{}", -1), ("{}", 101)
"""

WRONG = {
    "by-hand": {
        "only the last loss": ("h_3, dw_h, cut = 8.0, -4.0, -2.0", 1),
        "sign of w_h": "h_3, dw_h, cut = 10.0, 6.0, 4.0",
        "nothing cut": ("h_3, dw_h, cut = 8.0, -2.0, -2.0", 2),
    },
    "jordan": {
        "only the own loss": (
            JORDAN.format("O[-1]", "dO[t]", "t - 1", "dZ @ W_b.T"),
            2,
        ),
        "no way back": (JORDAN.format("O[-1]", "whole", "t - 1", "0 * back"), 2),
        "the present output": (JORDAN.format("O[-1]", "whole", "t", "dZ @ W_b.T"), 2),
        "nothing is fed back": JORDAN.format("last", "whole", "t - 1", "dZ @ W_b.T"),
    },
    "mend": {
        "the norm of one gradient": (
            STEP.format("t + 1", "W_h.T", "np.sqrt((grads[1] ** 2).sum())"),
            2,
        ),
        "slope of the state before": STEP.format("t", "W_h.T", WHOLE),
        "no transpose": STEP.format("t + 1", "W_h", WHOLE),
    },
    "window": {
        "strips as rows": WINDOW.format(L, "N, L", "N, L", "len(X)"),
        "no room for the last target": WINDOW.format(
            "len(ids) // N", "N, L).T.reshape(L, N", "N, L).T.reshape(L, N", "len(X)"
        ),
        "the text across": WINDOW.format(L, "L, N", "L, N", "len(X)"),
        "the rest dropped": (
            WINDOW.format(
                L, "N, L).T.reshape(L, N", "N, L).T.reshape(L, N", "len(X) - T + 1"
            ),
            2,
        ),
    },
    "products": {
        "by the entries": (WORDS.format("fades", "explodes", "holds", "holds"), 1),
        "by the norm": (WORDS.format("explodes", "explodes", "holds", "explodes"), 3),
        "by the radius alone": (WORDS.format("explodes", "fades", "holds", "holds"), 3),
        "words without a reason": (
            'a, b, c, d = [(w, 0.0) for w in ("explodes", "fades", "holds", "explodes")]'
        ),
        "one factor too many": (
            'a, b = ("explodes", 0.2 * 1.2**101), ("fades", 102 * 100 * 0.9**101)\n'
            'c, d = ("holds", 0), ("explodes", 102)'
        ),
        "words alone": 'a, b, c, d = "explodes", "fades", "holds", "explodes"',
    },
}

SLIPS = {
    "mend": [
        {"1 - states[t] ** 2": "1 - states[t + 1] ** 2"},
        {"states[t + 1].T": "states[t].T"},
        {"dZ @ W_h\n": "dZ @ W_h.T\n"},
        {"(grads[1] ** 2).sum()": "sum((g**2).sum() for g in grads)"},
    ]
}
