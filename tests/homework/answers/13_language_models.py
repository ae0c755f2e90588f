"""Answers to homework 13: right ones written differently, and typical wrong ones."""

RIGHT = {
    "by-hand": """
        p, unseen = 2 / 9, torch.tensor(0.6)
        perplexity = np.exp(np.log(4.5) / 3)
    """,
    "witten-bell": """
        def witten_bell(m, q):
            kinds = int((m > 0).sum())
            if not kinds:
                return 1.0 * q
            share = kinds / (kinds + m.sum())
            return (1 - share) * m / m.sum() + share * q
    """,
    "bag": """
        def bag(E, contexts):
            return sum(E[column] for column in contexts.T) / contexts.shape[1]

        def bag_backward(dX, E, contexts):
            hot = np.eye(len(E))[contexts].mean(axis=1)
            return hot.T @ dX
    """,
    "mend": """
        def perplexity_of(scores, words):
            log_p = torch.log_softmax(torch.tensor(scores), dim=2).numpy()
            n, t = np.nonzero(words)
            return np.exp(-log_p[n, t, words[n, t]].mean())
    """,
    "lengths": """
        plain, cold = 25.0, torch.tensor(2.5)
    """,
}

WITTEN = """
def witten_bell(m, q):
    types = {}
    return {}
"""
BAG = """
def bag(E, contexts):
    return E[contexts].{}(axis=1)

def bag_backward(dX, E, contexts):
    dE = np.zeros_like(E)
    {}
    return dE
"""
PERPLEXITY = """
def perplexity_of(scores, words):
    p = np.exp(scores{}) / np.exp(scores{}).sum(axis={}, keepdims=True)
    right = np.take_along_axis(p, words[..., None], axis=2)[..., 0]
    return {} ** -np.log(right{}).mean()
"""
STABLE = " - scores.max(axis=2, keepdims=True)"
ADD = "np.add.at(dE, contexts, dX[:, None] / contexts.shape[1])"

WRONG = {
    "by-hand": {
        "bird after red out of two": (
            "p, perplexity, unseen = 1 / 3, 3 ** (1 / 3), 0.6",
            1,
        ),
        "the root of two words": ("p, perplexity, unseen = 2 / 9, 4.5**0.5, 0.6", 2),
        "kinds for tokens": ("p, perplexity, unseen = 2 / 9, 4.5, 6 / 8", 1),
    },
    "witten-bell": {
        "0/0 after a new context": (
            WITTEN.format("np.count_nonzero(m)", "(m + types * q) / (m.sum() + types)"),
            3,
        ),
        "V for the kinds": (
            WITTEN.format("len(m)", "(m + types * q) / (m.sum() + types)"),
            2,
        ),
        "the counts are changed": (
            WITTEN.format(
                "np.count_nonzero(m)",
                "q.copy() if not types else np.add(m, types * q, out=m) / m.sum()",
            ),
            3,
        ),
    },
    "bag": {
        "no mean on the way back": (
            BAG.format("mean", "np.add.at(dE, contexts, dX[:, None])"),
            1,
        ),
        "the last place only": (
            BAG.format("mean", "dE[contexts] = dX[:, None] / contexts.shape[1]"),
            1,
        ),
        "a sum": (BAG.format("sum", ADD), 3),
    },
    "mend": {
        "overflow": (PERPLEXITY.format("", "", 2, "np.e", "[words != 0]"), 3),
        "overflow, and <pad> counts": (PERPLEXITY.format("", "", 2, "np.e", ""), 2),
        "bits with a natural logarithm": PERPLEXITY.format(
            STABLE, STABLE, 2, 2, "[words != 0]"
        ),
        "<pad> counts": (PERPLEXITY.format(STABLE, STABLE, 2, "np.e", ""), 3),
        "softmax over time": (
            PERPLEXITY.format(STABLE, STABLE, 1, "np.e", "[words != 0]"),
            1,
        ),
    },
    "lengths": {
        "one too few": "plain, cold = 24.0, 1.5",
        "not normalised": ("plain, cold = 25.0, 25.0", 1),
        "the wrong token stops": ("plain, cold = 25.0, 0.10 / 0.06", 1),
    },
}

SLIPS = {
    "mend": [
        {"sum(axis=1": "sum(axis=2"},
        {"np.exp(scores)": "np.exp(scores - scores.max(axis=2, keepdims=True))"},
        {"2 **": "np.e **"},
        {"right)": "right[words != 0])"},
    ]
}
