"""Answers to homework 15: right ones written differently, and typical wrong ones."""

RIGHT = {
    "by-hand": """
        c_new = 0.3 - 1.5
        left = 0.5 ** 0.1
        bias = torch.tensor(float(np.log(left / (1 - left))))
        numbers = 2 * sum(4 * (20 * d + 20 * 20 + 20) for d in (10, 40))
    """,
    "minimal": """
        def minimal_step(x, h, W_x, W_h, b):
            (A_f, A_h), (U_f, U_h) = np.split(W_x, 2, axis=1), np.split(W_h, 2, axis=1)
            b_f, b_h = np.split(b, 2)
            f = 0.5 + 0.5 * np.tanh((x @ A_f + h @ U_f + b_f) / 2)
            return h + f * (np.tanh(x @ A_h + (f * h) @ U_h + b_h) - h)

        def minimal_back(dh_new, x, h, W_x, W_h, b):
            H = h.shape[1]
            leaf = torch.tensor(h, requires_grad=True)
            Z = torch.tensor(x @ W_x + b)
            U = torch.tensor(W_h)
            f = (Z[:, :H] + leaf @ U[:, :H]).sigmoid()
            out = (1 - f) * leaf + f * (Z[:, H:] + (f * leaf) @ U[:, H:]).tanh()
            return torch.autograd.grad(out, leaf, torch.tensor(dh_new))[0].numpy()
    """,
    "counter": """
        W_x = [[40, 0, 0, 0], [0, -80, 0, 0]]
        W_h = [[0, 0, 0, 0]]
        b = [-20, 40, 40, 0]
    """,
    "padded": """
        def run_padded(step, X, lengths, h):
            states = np.empty((*X.shape[:2], h.shape[1]))
            for t in range(X.shape[1]):
                new, h = step(X[:, t], h), h.copy()
                h[lengths > t] = new[lengths > t]
                states[:, t] = h
            return states

        def turn(X, lengths):
            t = np.arange(X.shape[1])
            order = np.where(t < lengths[:, None], lengths[:, None] - 1 - t, t)
            return np.take_along_axis(X, order[:, :, None], axis=1)
    """,
    "mend": """
        def gru_step(x, h, W_x, W_h, b):
            H = h.shape[1]
            logistic = lambda z: 0.5 + 0.5 * np.tanh(z / 2)
            A, U, c = (np.split(w, 3, axis=-1) for w in (W_x, W_h, b))
            r, u = (logistic(x @ A[k] + h @ U[k] + c[k]) for k in (0, 1))
            new = np.tanh(x @ A[2] + (r * h) @ U[2] + c[2])
            return new + u * (h - new)
    """,
}

MINIMAL = """
def minimal_step(x, h, W_x, W_h, b):
    H = h.shape[1]
    f = 1 / (1 + np.exp(-(x @ W_x[:, :H] + h @ W_h[:, :H] + b[:H])))
    new = np.tanh(x @ W_x[:, H:] + {} @ W_h[:, H:] + b[H:])
    return {}

def minimal_back(dh_new, x, h, W_x, W_h, b):
    H = h.shape[1]
    f = 1 / (1 + np.exp(-(x @ W_x[:, :H] + h @ W_h[:, :H] + b[:H])))
    new = np.tanh(x @ W_x[:, H:] + (f * h) @ W_h[:, H:] + b[H:])
    through = (dh_new * f * (1 - new**2)) @ W_h[:, H:].T
    dZ_f = {} * f * (1 - f)
    return dh_new * (1 - f) + through * f + dZ_f @ W_h[:, :H].T
"""
SEEN, MIXED = "(f * h)", "(1 - f) * h + f * new"
SLOPE = "(dh_new * (new - h) + through * h)"
COUNTER = "W_x, W_h, b = np.array({}), np.zeros((1, 4)), np.array({})"
PADDED = """
def run_padded(step, X, lengths, h):
    states = []
    for t in range(X.shape[1]):
        h = {}
        states.append(h)
    return np.stack(states, axis=1)

def turn(X, lengths):
    return {}
"""
HOLDS = "np.where((t < lengths)[:, None], step(X[:, t], h), h)"
TURNS = "np.stack([np.concatenate([x[:k][::-1], x[k:]]) for x, k in zip(X, lengths)])"
GRU = """
def gru_step(x, h, W_x, W_h, b):
    H = h.shape[1]
    Z = x @ W_x + {}
    r = 1 / (1 + np.exp(-(Z[:, :H] + h @ W_h[:, :H])))
    u = 1 / (1 + np.exp(-(Z[:, H : 2 * H] + h @ W_h[:, {}])))
    new = np.tanh(Z[:, 2 * H :] + {} @ W_h[:, 2 * H :])
    return {}
"""
OWN, RESET, KEEPS = "H : 2 * H", "(r * h)", "u * h + (1 - u) * new"

WRONG = {
    "by-hand": {
        "f and i exchanged": ("c_new, bias, numbers = -0.55, 2.63424, 14720", 2),
        "the logistic function forgotten": (
            "c_new, bias, numbers = -1.2, 0.933, 14720",
            2,
        ),
        "one direction below, two biases": "c_new, bias, numbers = 1.2, 2.3, 13440",
    },
    "minimal": {
        "no reset": (MINIMAL.format("h", MIXED, SLOPE), 3),
        "kept for written": (MINIMAL.format(SEEN, "f * h + (1 - f) * new", SLOPE), 3),
        "the way through the reset forgotten": (
            MINIMAL.format(SEEN, MIXED, "(dh_new * (new - h))"),
            2,
        ),
    },
    "counter": {
        "a reset that loses its own bit": (
            COUNTER.format("[[0, 0, 50, 0], [-100, -100, 0, 0]]", "[50, 50, 0, 50]"),
            2,
        ),
        "no reset": (
            COUNTER.format("[[0, 0, 50, 0], [0, 0, 0, 0]]", "[50, 50, 0, 50]"),
            2,
        ),
        "an entry of −200": COUNTER.format(
            "[[0, 0, 50, 0], [0, -200, 0, 0]]", "[50, 50, 0, 50]"
        ),
        "too soft": COUNTER.format("[[0, 0, 1, 0], [0, -4, 0, 0]]", "[2, 2, 0, 2]"),
    },
    "padded": {
        "padding is read": (PADDED.format("step(X[:, t], h)", TURNS), 2),
        "the padding comes first": (PADDED.format(HOLDS, "X[:, ::-1]"), 2),
        "one step too long": (
            PADDED.format(
                "np.where((t <= lengths)[:, None], step(X[:, t], h), h)", TURNS
            ),
            2,
        ),
    },
    "mend": {
        "the bias missing": GRU.format("0", OWN, RESET, KEEPS),
        "a block read twice": (GRU.format("b", ":H", RESET, KEEPS), 2),
        "no reset": (GRU.format("b", OWN, "h", KEEPS), 2),
    },
}

SLIPS = {
    "mend": [
        {"x @ W_x\n": "x @ W_x + b\n"},
        {"Z[:, H : 2 * H] + h @ W_h[:, :H]": "Z[:, H : 2 * H] + h @ W_h[:, H : 2 * H]"},
        {"r * (h @ W_h[:, 2 * H :])": "(r * h) @ W_h[:, 2 * H :]"},
        {"(1 - u) * h + u * new": "u * h + (1 - u) * new"},
    ]
}
