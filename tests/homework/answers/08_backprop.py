"""Answers to homework 8: right ones written differently, and typical wrong ones."""

RIGHT = {
    "by-hand": """
        dx, dy, dot = 2 * (2 * -3 + 2) * (-3 + 1), np.float64(-16), 0
    """,
    "recursion": """
        def gradients(X, Y, W, b, lam):
            A = [np.asarray(X)]
            for k in range(len(W)):
                A.append(np.tanh(np.einsum("nd,dh->nh", A[k], W[k]) + b[k]))
            d, dW, db = (A[-1] - Y) / X.shape[0], [None] * len(W), [None] * len(W)
            for k in range(len(W) - 1, -1, -1):
                d = d * (1 - A[k + 1] * A[k + 1])
                dW[k], db[k] = np.einsum("nd,nh->dh", A[k], d) + lam * W[k], d.sum(0)
                d = d @ W[k].T
            return dW, db
    """,
    "norm": """
        def norm_backward(dY, X, eps):
            rows = []
            for d, x in zip(dY, X):
                H, s = len(x), np.sqrt(x.var() + eps)
                y = (x - x.mean()) / s
                J = (np.eye(H) - 1 / H - np.outer(y, y) / H) / s
                rows.append(d @ J)
            return np.array(rows)
    """,
    "count": """
        forward_walks, reverse_walks, arrays = 10**3, 2.0, 12 + 12
    """,
}

MEND = """
class Node:
    def __init__(self, data, parents=(), slopes=()):
        self.data, self.parents, self.slopes = data, parents, slopes

    def __add__(self, other):
        return Node(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        return Node(self.data * other.data, (self, other), ({mul}))


def backward(root):
    nodes, seen = [], set()

    def visit(node):
        if id(node) not in seen:
            seen.add(id(node))
            for parent in node.parents:
                visit(parent)
            nodes.append(node)

    visit(root)
    d = {{id(node): 0.0 for node in nodes}}
    d[id(root)] = 1.0
    for node in {loop}:
        for parent, slope in zip(node.parents, node.slopes, strict=True):
            d[id(parent)] {op} slope * d[id(node)]
    return d
"""
TIMES, LOOP = "other.data, self.data", "reversed(nodes)"
RIGHT["mend"] = MEND.format(mul=TIMES, loop=LOOP, op="+=")

RECURSION = """
def gradients(X, Y, W, b, lam):
    A = [X]
    for w, c in zip(W, b):
        A.append(np.tanh(A[-1] @ w + c))
    dZ = {}
    dW, db = [], []
    for l in reversed(range(len(W))):
        dW.insert(0, A[l].T @ dZ + {} * W[l])
        db.insert(0, {})
        dZ = (dZ @ W[l].T) * {}
    return dW, db
"""
BASE = "(A[-1] - Y) * (1 - A[-1] ** 2) / len(X)"
NORM = """
def norm_backward(dY, X, eps):
    sigma = np.sqrt(X.var(axis={axis}, keepdims=True) + eps)
    Y = (X - X.mean(axis={axis}, keepdims=True)) / sigma
    along = (dY * Y).mean(axis={axis}, keepdims=True)
    return (dY - {mean} - {last}) / sigma
"""
MEAN = "dY.mean(axis=1, keepdims=True)"

WRONG = {
    "by-hand": {
        "only one use of x": ("dx, dy, dot = 24.0, -16.0, 8.0", 1),
        "the factor 2 forgotten": ("dx, dy, dot = 8.0, -8.0, 0.0", 1),
        "a sign": ("dx, dy, dot = 16.0, 16.0, 0.0", 2),
    },
    "recursion": {
        "no slope in the base case": RECURSION.format(
            "(A[-1] - Y) / len(X)", "lam", "dZ.sum(axis=0)", "(1 - A[l] ** 2)"
        ),
        "a penalty without λ": (
            RECURSION.format(BASE, "0", "dZ.sum(axis=0)", "(1 - A[l] ** 2)"),
            2,
        ),
        "mean for a sum": (
            RECURSION.format(BASE, "lam", "dZ.mean(axis=0)", "(1 - A[l] ** 2)"),
            2,
        ),
        "no slope": RECURSION.format(BASE, "lam", "dZ.sum(axis=0)", "1"),
    },
    "norm": {
        "the mean held fixed": NORM.format(axis=1, mean="0", last="Y * along"),
        "the spread held fixed": (NORM.format(axis=1, mean=MEAN, last="0"), 2),
        "ε forgotten": NORM.format(axis=1, mean=MEAN, last="Y * along").replace(
            " + eps", ""
        ),
        "columns for rows": NORM.format(
            axis=0, mean="dY.mean(axis=0, keepdims=True)", last="Y * along"
        ),
        "only divided": NORM.format(axis=1, mean="0", last="0"),
    },
    "mend": {
        "factors swapped": MEND.format(mul="self.data, other.data", loop=LOOP, op="+="),
        "overwritten": MEND.format(mul=TIMES, loop=LOOP, op="="),
        "forwards": MEND.format(mul=TIMES, loop="nodes", op="+="),
    },
    "count": {
        "the two modes swapped": (
            "forward_walks, reverse_walks, arrays = 2, 1000, 24",
            1,
        ),
        "one checkpoint array for each layer": (
            "forward_walks, reverse_walks, arrays = 1000, 2, 145",
            2,
        ),
        "only the checkpoints": (
            "forward_walks, reverse_walks, arrays = 1000, 2, 12",
            2,
        ),
    },
}

SLIPS = {
    "mend": [
        {"(self.data, other.data)": "(other.data, self.data)"},
        {"in nodes:": "in reversed(nodes):"},
        {"d[id(parent)] = ": "d[id(parent)] += "},
    ]
}
