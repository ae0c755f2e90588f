"""Answers to homework 18: right ones written differently, and typical wrong ones."""

RIGHT = {
    "one-pair": """
        odds = np.array([1, 2, 4, 3])
        q = odds / odds.sum()
        du = q - np.array([0, 0, 1, 0])
        sigma = lambda s: 1 / (1 + np.exp(-s))
        loss = -np.log(sigma(np.log(4)) * sigma(0) * sigma(-np.log(3)))
        best = torch.tensor(3.0).log()
    """,
    "near-words": """
        def near_counts(sentences, m, size):
            X = np.zeros((size, size))
            for s in sentences:
                for k in range(1, m + 1):
                    for left, right in zip(s, s[k:], strict=False):
                        X[left, right] += 1 / k
                        X[right, left] += 1 / k
            return X
    """,
    "shared-table": """
        def shared_skipgram(V, X):
            loss, dV = 0.0, np.zeros_like(V)
            for i, j in np.argwhere(X > 0):
                s = V @ V[i]
                q = np.exp(s - s.max())
                q /= q.sum()
                loss -= X[i, j] * (s[j] - s.max() - np.log(np.exp(s - s.max()).sum()))
                q[j] -= 1
                dV[i] += X[i, j] * (q @ V)
                dV += X[i, j] * np.outer(q, V[i])
            return loss, dV
    """,
    "mend-tree": """
        def code_lengths(counts):
            nodes = {(word,): count for word, count in enumerate(counts)}
            lengths = np.zeros(len(counts), dtype=int)
            while len(nodes) > 1:
                first = min(nodes, key=nodes.get)
                count = nodes.pop(first)
                second = min(nodes, key=nodes.get)
                count += nodes.pop(second)
                lengths[list(first + second)] += 1
                nodes[first + second] = count
            return lengths.tolist()

        def tree_probability(v, U, path):
            signs = np.array([1 if left else -1 for _, left in path])
            s = U[[node for node, _ in path]] @ v
            return np.exp(-np.log1p(np.exp(-signs * s)).sum())
    """,
}

PAIR = "q, du = [0.1, 0.2, 0.4, 0.3], [0.1, 0.2, -0.6, 0.3]\n"
LOSS = "loss = np.log(10)\n"
NEAR = """
def near_counts(sentences, m, size):
    X = np.zeros((size, size))
    for s in sentences:
        for n, centre in enumerate(s):
            for k in range(1, m + 1):
                if n + k < len(s):
                    X[centre, s[n + k]] += 1 / k
                if n - k >= 0:
                    X[centre, s[n - k]] += 1 / k
    return X
"""
SHARED = """
def shared_skipgram(V, X):
    S = V @ V.T
    S = S - S.max(axis=1, keepdims=True)
    log_Q = S - np.log(np.exp(S).sum(axis=1, keepdims=True))
    dS = X.sum(axis=1, keepdims=True) * np.exp(log_Q) - X
    return -(X * log_Q).sum(), (dS + dS.T) @ V
"""
TREE = """
def code_lengths(counts):
    nodes = [(count, [word]) for word, count in enumerate(counts)]
    lengths = [0] * len(counts)
    while len(nodes) > 1:
        nodes.sort(key=lambda node: node[0])
        (one, words), (other, more) = nodes[0], nodes[1]
        for word in words + more:
            lengths[word] += 1
        nodes = [*nodes[2:], (one + other, words + more)]
    return lengths

def tree_probability(v, U, path):
    total = 1.0
    for node, left in path:
        s = U[node] @ v
        total *= 1 / (1 + np.exp(-s)) if left else 1 / (1 + np.exp(s))
    return total
"""

WRONG = {
    "one-pair": {
        "scores divided by their sum": (
            "s = np.log([1, 2, 4, 3])\nq = s / s.sum()\n"
            "du = q - [0, 0, 1, 0]\n" + LOSS + "best = np.log(3)",
            2,
        ),
        "the other words do not move": (
            "q, du = [0.1, 0.2, 0.4, 0.3], [0, 0, -0.6, 0.6]\n"
            + LOSS
            + "best = np.log(3)",
            3,
        ),
        "noise as if it were true": (
            PAIR + "loss = -np.log(0.8) - np.log(0.5) - np.log(0.75)\nbest = np.log(3)",
            3,
        ),
        "the optimum without K": (PAIR + LOSS + "best = np.log(15)", 3),
    },
    "near-words": {
        "every word counts 1": NEAR.replace("1 / k", "1"),
        "only to the right": NEAR.replace("if n - k >= 0", "if False"),
        "wraps around": (NEAR.replace("if n - k >= 0", "if True"), 2),
        "on into the next sentence": (
            NEAR.replace("for s in sentences", "for s in [sum(sentences, [])]"),
            2,
        ),
        "the middle word as well": NEAR.replace(
            "for k in range(1", "X[centre, centre] += 1\n            for k in range(1"
        ),
    },
    "shared-table": {
        "only as a centre": (SHARED.replace("(dS + dS.T) @ V", "dS @ V"), 1),
        "twice the centre": (SHARED.replace("(dS + dS.T) @ V", "2 * dS @ V"), 1),
        "the logarithm of a softmax that is 0": (
            SHARED.replace(
                "S - np.log(np.exp(S).sum(axis=1, keepdims=True))",
                "np.log(np.exp(S) / np.exp(S).sum(axis=1, keepdims=True))",
            ),
            3,
        ),
        "unstable softmax": (
            SHARED.replace("S = S - S.max(axis=1, keepdims=True)", "S = 1.0 * S"),
            3,
        ),
        "over the columns": SHARED.replace("axis=1", "axis=0"),
    },
    "mend-tree": {
        "the most frequent first": (TREE.replace("node: node[0]", "node: -node[0]"), 2),
        "one deep": (TREE.replace("[word] += 1", "[word] = 1"), 2),
        "a sum": (TREE.replace("total *= ", "total += "), 2),
        "left for both": (
            TREE.replace("1 / (1 + np.exp(s))", "1 / (1 + np.exp(-s))"),
            2,
        ),
    },
}

SLIPS = {
    "mend-tree": [
        {"key=lambda node: -node[0]": "key=lambda node: node[0]"},
        {"lengths[word] = 1": "lengths[word] += 1"},
        {"total = 0.0": "total = 1.0", "total +=": "total *="},
        {"np.exp(s + 1)": "np.exp(s)"},
    ]
}
