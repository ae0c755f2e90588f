"""Answers to homework 7: right ones written differently, and typical wrong ones."""

RIGHT = {
    "by-hand": """
        output, dW_1, parameters = 5, np.array([[8, 0], [4, 0]]), 9.0
    """,
    "adder": """
        def adder():
            W_1 = np.full((3, 3), 2.0)
            b_1 = np.array([-4.0, 4.0, 0.0])
            W_2 = np.array([[0, 3], [0, 3], [1, -3]])
            return W_1, b_1, W_2, np.array([0.5, 1.0])
    """,
    "shapes": """
        def bump(left, right, height):
            return [[2, 1]], [-2 * left, -right], [[height], [-height]], [0]

        def hat(left, peak, right):
            b = np.array([left, peak, right])
            up, down = 1 / (peak - left), 1 / (right - peak)
            W_2 = np.array([up, -(up + down), down]) / 3
            return 3 * np.ones((1, 3)), -3 * b, W_2[:, None], np.zeros(1)
    """,
    "mend": """
        def gradients(W_1, b_1, W_2, b_2, X, Y):
            T = [torch.tensor(p, requires_grad=True) for p in (W_1, b_1, W_2, b_2)]
            Z = torch.tanh(torch.tensor(X) @ T[0] + T[1]) @ T[2] + T[3]
            loss = -(torch.tensor(Y) * torch.log_softmax(Z, dim=1)).sum() / len(X)
            return [g.numpy() for g in torch.autograd.grad(loss, T)]
    """,
    "count": """
        parameters, twins, units = 220 + 420 + 63, 4 * 3 * 2 * 16.0, 15
    """,
}

ADDER = """
def adder():
    W_1, b_1 = np.ones((3, 3)), np.array({})
    W_2 = np.array({})
    return W_1, b_1, W_2, np.array({})
"""
SHAPES = """
def bump(left, right, height):
    W_2 = np.array([[height], [{}height]])
    return np.ones((1, 2)), np.array([-left, -right]), W_2, np.zeros(1)

def hat(left, peak, right):
    up, down = 1 / (peak - left), 1 / (right - peak)
    W_2 = np.array([[up], [{}], [down]])
    return np.ones((1, 3)), -np.array([left, peak, right]), W_2, np.zeros(1)
"""
MEND = """
def gradients(W_1, b_1, W_2, b_2, X, Y):
    A_1 = np.tanh(X @ W_1 + b_1)
    E = np.exp(A_1 @ W_2 + b_2)
    dZ_2 = (E / E.sum(axis={}, keepdims=True) - Y) / {}
    dZ_1 = (dZ_2 @ W_2.T) * (1 - {})
    return X.T @ dZ_1, dZ_1.{}(axis=0), A_1.T @ dZ_2, dZ_2.sum(axis=0)
"""
TURNED = "-np.ones((1, 2)), np.array([left, right])"
COUNTS = "[2.0, 0.0, -2.0]"
BOTH = "[[0.0, 1.0], [1.0, -1.0], [0.0, 1.0]]"

WRONG = {
    "by-hand": {
        "the second unit not stopped": (
            "output, dW_1, parameters = 0.0, [[8.0, 0.0], [4.0, 0.0]], 9",
            2,
        ),
        "the gradient transposed": (
            "output, dW_1, parameters = 5.0, [[8.0, 4.0], [0.0, 0.0]], 9",
            2,
        ),
        "biases forgotten": (
            "output, dW_1, parameters = 5.0, [[8.0, 0.0], [4.0, 0.0]], 6",
            2,
        ),
    },
    "adder": {
        "all signs the same": (
            ADDER.format(COUNTS, BOTH.replace("-", ""), "[0, 0]"),
            1,
        ),
        "a carry of three ones only": (
            ADDER.format(COUNTS, "[[0, 1], [0, -1], [1, 1]]", "[0.0, 0.0]"),
            2,
        ),
        "zeros and ones for signs": ADDER.format("[-1.0, -2.0, -3.0]", BOTH, "[0, 0]"),
    },
    "shapes": {
        "the second step added": (SHAPES.format("", "-up - down"), 2),
        "only one slope taken back": (SHAPES.format("-", "-up"), 2),
        "both": SHAPES.format("", "-up"),
        "left inside, right outside": (
            SHAPES.format("-", "-up - down")
            .replace("[[height], [-height]]", "[[-height], [height]]")
            .replace("np.ones((1, 2)), np.array([-left, -right])", TURNED),
            2,
        ),
    },
    "mend": {
        "softmax over the examples": MEND.format(0, "len(X)", "A_1**2", "sum"),
        "no mean": MEND.format(1, "1", "A_1**2", "sum"),
        "the slope without its square": (MEND.format(1, "len(X)", "A_1", "sum"), 2),
        "the mean of the biases": (MEND.format(1, "len(X)", "A_1**2", "mean"), 2),
    },
    "count": {
        "biases forgotten": ("parameters, twins, units = 660, 384, 15", 2),
        "permutations alone": ("parameters, twins, units = 703, 24, 15", 2),
        "at least two": ("parameters, twins, units = 703, 384, 57", 2),
    },
}

SLIPS = {
    "mend": [
        {"E.sum(axis=0)": "E.sum(axis=1, keepdims=True)"},
        {"dZ_2 = E": "dZ_2 = 1 / len(X) * (E", "- Y": "- Y)"},
        {"(1 - A_1)": "(1 - A_1**2)"},
        {"dZ_1.mean": "dZ_1.sum"},
    ]
}
