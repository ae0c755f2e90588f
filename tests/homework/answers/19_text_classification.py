"""Answers to homework 19: right ones written differently, and typical wrong ones."""

RIGHT = {
    "count-words": """
        one, zero = "warm bread warm warm soup soup".split(), "cold soup cold".split()
        part = lambda words, w: (words.count(w) + 1) / (len(words) + 4)
        theta_warm = np.array([part(one, "warm"), part(zero, "warm")])
        w_soup = np.log(part(one, "soup")) - np.log(part(zero, "soup"))
        odds = 1.5 * theta_warm[0] / theta_warm[1] * np.exp(w_soup)
    """,
    "gated-mean": """
        def gated_mean(H, q, mask):
            R = np.zeros((len(H), H.shape[2]))
            for i, (words, here) in enumerate(zip(H, mask, strict=True)):
                for h, m in zip(words, here, strict=True):
                    R[i] += m * h / (1 + np.exp(-h @ q)) / here.sum()
            return R


        def gated_mean_back(dR, H, q, mask):
            dH, dq = np.zeros_like(H), np.zeros_like(q)
            for i, t in np.argwhere(mask):
                h, d = H[i, t], dR[i] / mask[i].sum()
                g = 1 / (1 + np.exp(-h @ q))
                slope = (d @ h) * g * (1 - g)
                dH[i, t] = g * d + slope * q
                dq += slope * h
            return dH, dq
    """,
    "best-two": """
        def best_two(U, lengths, k):
            found = []
            for u, n in zip(U, lengths, strict=True):
                found.append(np.array([sorted(c)[::-1][:2] for c in u[: n - k + 1].T]).T)
            return np.array(found)
    """,
    "mend-mean": """
        def bag(X, table):
            rows = [table[row[row > 0]] for row in X]
            zero = np.zeros(table.shape[1])
            return np.array([r.mean(axis=0) if len(r) else zero for r in rows])
    """,
    "windows": """
        convs = [torch.nn.Conv1d(50, 100, k) for k in (3, 4, 5)]
        widths = [conv(torch.zeros(50, 20)).shape[1] for conv in convs]
        pooled = sum(conv.out_channels for conv in convs)
        layers = [*convs, torch.nn.Linear(pooled, 2)]
        parameters = sum(p.numel() for layer in layers for p in layer.parameters())
    """,
}

GATED = """
def gated_mean(H, q, mask):
    g = mask / (1 + np.exp(-(H @ q)))
    return (g[..., None] * H).sum(axis=1) / mask.sum(axis=1)[:, None]


def gated_mean_back(dR, H, q, mask):
    g = 1 / (1 + np.exp(-(H @ q)))
    share = mask / mask.sum(axis=1)[:, None]
    ds = share * np.einsum("nk,ntk->nt", dR, H) * g * (1 - g)
    dH = (share * g)[..., None] * dR[:, None] + ds[..., None] * q
    return dH, np.einsum("nt,ntk->k", ds, H)
"""

BEST = """
def best_two(U, lengths, k):
    inside = np.arange(U.shape[1]) < (lengths - k + 1)[:, None]
    U = np.where(inside[..., None], U, -np.inf)
    return np.sort(U, axis=1)[:, :-3:-1]
"""

BAG = """
def bag(X, table):
    mask = X != 0
    E = table[X] * mask[..., None]
    return E.sum(axis=1) / np.maximum(mask.sum(axis=1), 1)[:, None]
"""

WRONG = {
    "count-words": {
        "no smoothing": (
            "theta_warm = [3 / 6, 1e-9]\nw_soup = np.log(2 / 6 / (1 / 3)) + 0.0\nodds = 4.0",
            0,
        ),
        "presence in place of counts": (
            "theta_warm = [3 / 9, 1 / 7]\nw_soup = np.log(3 / 9 / (2 / 7))\nodds = 4.08",
            0,
        ),
        "the prior left out": (
            "theta_warm = [0.4, 1 / 7]\nw_soup = np.log(1.05)\nodds = 2.94",
            2,
        ),
    },
    "gated-mean": {
        "divided by the gates": (
            GATED.replace(
                "/ mask.sum(axis=1)[:, None]\n\n", "/ g.sum(axis=1)[:, None]\n\n"
            ),
            3,
        ),
        "the gate's slope left out": (GATED.replace(" * g * (1 - g)", ""), 2),
        "the gate's gradient by the words left out": (
            GATED.replace(" + ds[..., None] * q", ""),
            2,
        ),
        "the padding counts": GATED.replace("mask /", "1 /").replace(
            "mask.sum(axis=1)[:, None]", "mask.shape[1]"
        ),
    },
    "best-two": {
        "padding counts": (BEST.replace("lengths - k + 1", "lengths + 99"), 2),
        "one window too many": (BEST.replace("k + 1", "k + 2"), 2),
        "second best first": BEST.replace("[:, :-3:-1]", "[:, -2:]"),
        "0 for the padding": (BEST.replace("-np.inf", "0.0"), 2),
        "no tie": BEST.replace("[:, :-3:-1]", "[:, [-1, -3]]"),
    },
    "mend-mean": {
        "divided by T": (
            BAG.replace("np.maximum(mask.sum(axis=1), 1)[:, None]", "X.shape[1]"),
            0,
        ),
        "no words: nan": (
            BAG.replace("np.maximum(mask.sum(axis=1), 1)", "mask.sum(axis=1)"),
            2,
        ),
        "one number of words for all": (
            BAG.replace("mask.sum(axis=1), 1)[:, None]", "mask.sum(), 1)"),
            1,
        ),
        "the padding's row": (BAG.replace(" * mask[..., None]", ""), 0),
    },
    "windows": {
        "same width": (
            "widths = [20, 20, 20]\npooled = 300\nparameters = 60000 + 300 + 602",
            3,
        ),
        "no biases": (
            "widths = [18, 17, 16]\npooled = 300\nparameters = 60000 + 600",
            2,
        ),
        "pooled over the windows": (
            "widths = [18, 17, 16]\npooled = 5100\nparameters = 60902",
            3,
        ),
    },
}

SLIPS = {
    "mend-mean": [
        {"table[X]": "table[X] * (X != 0)[..., None]"},
        {".sum(keepdims=True)": ".sum(axis=1, keepdims=True)"},
        {"/ words": "/ np.maximum(words, 1)"},
    ]
}
