"""Answers to homework 20: right ones written differently, and typical wrong ones."""

RIGHT = {
    "small-tree": """
        p_greedy, p_best = np.exp(np.log([0.5, 0.4]).sum()), 0.36
        perplexity = 5 / 3
        count = len([1, 2, 4, 8, 16]) + 26 + 32.0
    """,
    "smoothed-loss": """
        def smoothed_loss(Z, Y, eps, pad=0):
            N, L, V = Z.shape
            loss, dZ, words = 0.0, np.zeros((N, L, V)), 0
            for n in range(N):
                for t in range(L):
                    if Y[n, t] == pad:
                        continue
                    words += 1
                    z = Z[n, t] - max(Z[n, t])
                    norm = np.log(sum(np.exp(c) for c in z))
                    for c in range(V):
                        q = eps / V + (1 - eps if c == Y[n, t] else 0)
                        loss -= q * (z[c] - norm)
                        dZ[n, t, c] = np.exp(z[c] - norm) - q
            return loss / words, dZ / words
    """,
    "nucleus": """
        def nucleus(P, mass):
            out = []
            for p in P.tolist():
                ranking, total = sorted(p, reverse=True), 0
                for limit in ranking:
                    total += limit
                    if total >= mass:
                        break
                out.append([x / total if x >= limit else 0 for x in p])
            return torch.tensor(out)
    """,
    "mend-beam": """
        def beam_search(log_probs, k, max_length, eos, alpha):
            prefixes, totals, best = [[]], np.zeros(1), (None, -np.inf)
            while prefixes:
                rows = np.array([log_probs(tuple(y)) for y in prefixes])
                joint = rows + totals[:, None]
                order = np.argsort(joint, axis=None)[::-1][:k]
                kept = [prefixes[i // rows.shape[1]] + [i % rows.shape[1]] for i in order]
                values = joint.ravel()[order]
                prefixes, totals = [], []
                for y, value in zip(kept, values):
                    if y[-1] == eos or len(y) == max_length:
                        if value / len(y) ** alpha > best[1]:
                            best = (y, value / len(y) ** alpha)
                    else:
                        prefixes.append(y)
                        totals.append(value)
                totals = np.array(totals)
            return best
    """,
    "stutterer": """
        greedy_length = normalised_length = 20.0
        best_length = 1
        mean_length = (1 - 0.8**20) / 0.2
    """,
}

TREE = "p_greedy, p_best, perplexity, count = "
LOSS = """
def smoothed_loss(Z, Y, eps, pad=0):
    V = Z.shape[-1]
    real = (Y != pad)[:, :, None]
    low = Z - Z.max(axis=-1, keepdims=True)
    log_p = low - np.log(np.exp(low).sum(axis=-1, keepdims=True))
    q = (1 - eps) * np.eye(V)[Y] + eps / V
    M = real.sum()
    loss = -(real * q * log_p).sum() / M
    return loss, real * (np.exp(log_p) - q) / M
"""
NUCLEUS = """
def nucleus(P, mass):
    order = np.argsort(-P, axis=1)
    ranked = np.take_along_axis(P, order, axis=1)
    keep = np.cumsum(ranked, axis=1) - ranked < mass
    kept = np.zeros_like(P)
    np.put_along_axis(kept, order, keep * ranked, axis=1)
    return kept / kept.sum(axis=1, keepdims=True)
"""
BEAM = """
def beam_search(log_probs, k, max_length, eos, alpha):
    live, complete = [((), 0.0)], []
    while live:
        grown = []
        for y, log_p in live:
            row = log_probs(y)
            grown += [((*y, w), log_p + row[w]) for w in range(len(row))]
        grown.sort(key=lambda h: h[1], reverse=True)
        live = []
        for y, log_p in grown[:k]:
            done = y[-1] == eos or len(y) == max_length
            (complete if done else live).append((y, log_p))
    score, y = max((log_p / len(y) ** alpha, y) for y, log_p in complete)
    return y, score
"""
STUTTER = "greedy_length, best_length, normalised_length, mean_length = "

WRONG = {
    "small-tree": {
        "greedy taken for the best": (TREE + "0.2, 0.2, 5**0.5, 63", 1),
        "the first word alone": TREE + "0.5, 0.5, 2, 3**5",
        "perplexity without the root": (TREE + "0.2, 0.36, 1 / 0.36, 63", 2),
        "only what ends in ⟨eos⟩ counted": (TREE + "0.2, 0.36, 5 / 3, 31", 2),
        "all strings counted": (TREE + "0.2, 0.36, 5 / 3, 243", 2),
        "⟨eos⟩ not multiplied": (TREE + "0.5, 0.5, 5 / 3, 63", 2),
    },
    "smoothed-loss": {
        "missing 1/M": LOSS.replace("M = real.sum()", "M = 1"),
        "mean over the padding, too": LOSS.replace("real.sum()", "real.size"),
        "logarithm of a softmax that is 0": (
            LOSS.replace(
                "low - np.log(np.exp(low).sum(axis=-1, keepdims=True))",
                "np.log(np.exp(low) / np.exp(low).sum(axis=-1, keepdims=True))",
            ),
            2,
        ),
        "ε shared by the V − 1 others": LOSS.replace(
            "(1 - eps) * np.eye(V)[Y] + eps / V",
            "np.where(np.eye(V)[Y] > 0, 1 - eps, eps / (V - 1))",
        ),
        "gradient without smoothing": (
            LOSS.replace("np.exp(log_p) - q)", "np.exp(log_p) - np.eye(V)[Y])"),
            2,
        ),
        "padding is always 0": (LOSS.replace("Y != pad", "Y != 0"), 2),
    },
    "nucleus": {
        "the word that reaches the mass dropped": NUCLEUS.replace(
            " - ranked < mass", " <= np.maximum(mass, ranked[:, :1])"
        ),
        "not divided by its sum": NUCLEUS.replace(
            " / kept.sum(axis=1, keepdims=True)", ""
        ),
        "left in the order of rank": NUCLEUS.replace(
            "    return", "    kept = keep * ranked\n    return"
        ),
        "one word more than needed": NUCLEUS.replace(
            "- ranked < mass", "- ranked <= mass + 1e-12"
        ),
        "words above 1 − mass": "def nucleus(P, mass):\n"
        "    kept = np.where(P >= min(1 - mass, P.max(axis=1).min()), P, 0)\n"
        "    return kept / kept.sum(axis=1, keepdims=True)",
        "the visible answers": "def nucleus(P, mass):\n"
        "    return {0.6: [[0, 0.625, 0.375], [1, 0, 0]], 0.8: [[0, 2 / 3, 1 / 3]]}.get(\n"
        "        mass, [[0, 1, 0], [1, 0, 0]])",
    },
    "mend-beam": {
        "ranked by the last word": BEAM.replace("log_p + row[w]", "row[w]"),
        "complete by eos alone": BEAM.replace(" or len(y) == max_length", "").replace(
            "while live:", "for _ in range(max_length):"
        ),
        "stops at the first complete one": BEAM.replace(
            "while live:", "while not complete:"
        ),
        "multiplied by the length": (BEAM.replace("/ len(y) **", "* len(y) **"), 2),
        "score not divided": (
            BEAM.replace("return y, score", "return y, score * len(y) ** alpha"),
            2,
        ),
        "one step too long": BEAM.replace(
            "len(y) == max_length", "len(y) > max_length"
        ),
    },
    "stutterer": {
        "the best is greedy's": (STUTTER + "20, 20, 20, 4.942", 2),
        "never cut off": (STUTTER + "20, 1, 20, 5", 2),
        "normalising changes nothing": (STUTTER + "20, 1, 1, 4.942", 2),
        "⟨eos⟩ not counted": STUTTER + "19, 1, 19, 3.954",
        "all like the model": STUTTER + "5, 5, 5, 5",
    },
}

SLIPS = {
    "mend-beam": [
        {"row[word])": "h[1] + row[word])"},
        {
            "for _ in": "for t in",
            "== eos]": "== eos or t == max_length - 1]",
            "!= eos]": "!= eos and t < max_length - 1]",
        },
        {"if complete:": "if not live:"},
        {"* len(y) ** alpha": "/ len(y) ** alpha"},
    ]
}
