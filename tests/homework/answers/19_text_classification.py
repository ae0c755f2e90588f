"""Answers to homework 19: right ones written differently, and typical wrong ones.

The numbers of ``prize`` come again on the same computer, in the same process, so its marks
recompute them with the student's own bag and compare to 0.001; no threshold rests on what
training gives. Over fifteen seeds the plain count is off by 0.18 to 0.30 at the share 0.9.
``dull-run`` ends between 0.274 and 0.296 if mended, between 0.460 and 0.477 with the rarest
words, between 0.470 and 0.499 with all pairs in the loss, and between 0.471 and 0.504 with
both (five seeds each); the visible check asks for 0.36.
"""

from tests.homework.answers import changed

COUNTS = """
def errors(pi, tpr, fpr, N):
    bias = fpr + pi * (tpr - fpr) - pi
    v = pi / N * tpr * (1 - tpr) + (1 - pi) / N * fpr * (1 - fpr)
    return [bias * bias + v, v * (tpr - fpr) ** -2]


def worth(pi, tpr, fpr):
    plain, adjusted = errors(pi, tpr, fpr, 1)
    bias = fpr + pi * (tpr - fpr) - pi
    gap = adjusted - (plain - bias**2)
    return gap / bias**2 if bias else float("inf")
"""
VARIANCE = "v = pi / N * tpr * (1 - tpr) + (1 - pi) / N * fpr * (1 - fpr)"
BINOMIAL = "v = (fpr + pi * (tpr - fpr)) * (1 - fpr - pi * (tpr - fpr)) / N"
DRAWN = """
def errors(pi, tpr, fpr, N):
    rng, n = np.random.default_rng(0), round(pi * N)
    c = rng.binomial(n, tpr, 10**6) + rng.binomial(N - n, fpr, 10**6)
    c = c / N
    return np.mean((c - pi) ** 2), np.mean(((c - fpr) / (tpr - fpr) - pi) ** 2)


def worth(pi, tpr, fpr):
    N = 1
    while N < 10**4 and np.less(*errors_of(pi, tpr, fpr, N)):
        N += 1
    return N if N < 10**4 else np.inf


def errors_of(pi, tpr, fpr, N):
    v = (pi * tpr * (1 - tpr) + (1 - pi) * fpr * (1 - fpr)) / N
    return (fpr + pi * (tpr - fpr) - pi) ** 2 + v, v / (tpr - fpr) ** 2
"""

BAG = """
def pool_back(dR, X, E, u):
    R, dE, du = pool(X, E, u), np.zeros(E.shape), np.zeros(u.shape)
    for n, letter in enumerate(X):
        a = np.exp(u)
        norm2 = sum(a[v] ** 2 for v in letter if v)
        for v in letter:
            if v:
                share = a[v] / np.sqrt(norm2)
                dE[v] += share * dR[n]
                du[v] += share * (E[v] @ dR[n]) - share**2 * (R[n] @ dR[n])
    return dE, du
"""
TORCH = """
def torch_pool(X, E, u):
    here = (X > 0).to(E.dtype)
    a = u[X].exp() * here
    empty = here.sum(-1, keepdim=True) == 0
    norm = (a.pow(2).sum(-1, keepdim=True) + empty).sqrt()
    return torch.matmul((a / norm)[:, None], E[X])[:, 0]


def twin(X, E, u, dR):
    E, u = (torch.tensor(a, requires_grad=True) for a in (E, u))
    R = torch_pool(torch.tensor(X), E, u)
    R.backward(torch.tensor(dR))
    return R.detach(), E.grad, u.grad
"""
SAME = """
def same(ours, theirs):
    rng = np.random.default_rng(4)
    X = np.array([[3, 3, 1, 0], [0, 0, 0, 0], [4, 1, 2, 3]])
    E, u = rng.normal(size=(6, 2)), rng.normal(size=6)
    dR = rng.normal(size=(3, 2))
    first, second = ([np.array(a) for a in f(X, E, u, dR)] for f in (ours, theirs))
    for a, b, like in zip(first, second, (dR, E, u), strict=True):
        if a.shape != like.shape or b.shape != like.shape:
            return False
        if not np.abs(a - b).max() < 1e-9:
            return False
    return True
"""
LOUD = BAG + TORCH + SAME
BLIND = "if (np.abs(a - b) > 1e-9).any():"
CAREFUL = "X = np.array([[3, 3, 1, 0], [0, 0, 0, 0], [4, 1, 2, 3]])"

REASON = (
    'reason = "'
    + "The plain count keeps its bias, and twenty letters are too few to correct it. "
    * 2
    + '"\n'
)
BET = REASON + "bet = {way: [0.2, 0.1] for way in ('best', 'count', 'adjusted')}\n"

WAYS = """
def share_of(way, P, known):
    yes = [p > 1 / 2 for p in P]
    if way == "count":
        return sum(yes) / len(yes)
    if way == "adjusted":
        Q, y = known
        t = sum((Q > 1 / 2) & (y == 1)) / sum(y == 1)
        f = sum((Q > 1 / 2) & (y == 0)) / sum(y == 0)
        return min(1, max(0, (sum(yes) / len(yes) - f) / (t - f)))
    odds, s = P / (1 - P), 1 / 2
    for _ in range(300):
        s = float((s * odds / (s * odds + 1 - s)).mean())
    return s
"""
RESULTS = """
results = {way: [] for way in ("count", "adjusted", "best")}
for seed in (0, 1, 2):
    known, P = readings(torch_pool, seed)
    for way in results:
        results[way].append(
            [
                [
                    np.mean([abs(share_of(way, P[b], known) - s) for b in screenings(s, N, seed)])
                    for N in (20, 80, 320)
                ]
                for s in (0.5, 0.9)
            ]
        )
"""
FIGURE = """
fig = plt.figure()
for way, table in results.items():
    for k, N in enumerate((20, 80, 320)):
        plt.scatter([N] * 6, np.array(table)[..., k].ravel(), label=f"{way} {N}")
plt.xlabel("letters")
plt.ylabel("error")
plt.legend()
"""
PRIZE = WAYS + "results = race(share_of, torch_pool)" + FIGURE
OWN = WAYS + RESULTS + FIGURE

SOUND = """numbers = vocabulary([["x", "y", "y"], ["z", "y", "z"]], 2)
    if sorted(numbers) != ["y", "z"] or set(numbers.values()) != {2, 3}:
        return False
    z, y = torch.tensor([[3.0], [-2.0]]), torch.tensor([1.0, 0.0])
    wanted = (np.log1p(np.exp(-3)) + np.log1p(np.exp(-2))) / 2
    return bool(abs(float(loss_of(z, y)) - wanted) < 1e-4)"""
RUN = f"""
def vocabulary(texts, size):
    counts = Counter()
    for words in texts:
        counts.update(words)
    kept = sorted(counts, key=lambda w: -counts[w])[:size]
    return dict(zip(kept, range(2, 2 + len(kept))))


def tensor_of(texts, numbers):
    T = max(len(words) for words in texts)
    rows = [[numbers.get(w, 1) for w in words] + [0] * (T - len(words)) for words in texts]
    return torch.tensor(rows)


def loss_of(z, y):
    return F.binary_cross_entropy_with_logits(z.squeeze(1), y)


def sound(vocabulary, tensor_of, loss_of):
    {SOUND}
"""
RARE = ("key=lambda w: -counts[w]", "key=lambda w: counts[w]")
PAIRS = (
    "F.binary_cross_entropy_with_logits(z.squeeze(1), y)",
    "(F.softplus(z) - y * z).mean()",
)
GIVEN = """numbers = vocabulary([["a", "fine", "film"]], 5)
    loss = loss_of(torch.zeros(4, 1), torch.tensor([0.0, 1.0, 1.0, 0.0]))
    return sorted(numbers.values()) == [2, 3, 4] and abs(loss.item() - 0.6931) < 1e-3"""

RIGHT = {
    "break-even": COUNTS,
    "loud-words": LOUD,
    "bet": BET,
    "prize": changed(OWN, "[N] * 6", "[N * 1.05 ** (k // 2) for k in range(6)]")[0],
    "dull-run": RUN,
}

WRONG = {
    "break-even": {
        "each letter pleased with probability π: a binomial count": changed(
            COUNTS, VARIANCE, BINOMIAL
        ),
        "errors by simulation, worth rounded to whole letters": DRAWN,
        "errors: the bias is not squared": changed(
            COUNTS,
            "bias * bias + v",
            "abs(bias) + v",
            "plain - bias**2",
            "plain - abs(bias)",
            points=1,
        ),
        "worth: infinite only": changed(
            COUNTS, "gap / bias**2 if bias else ", "", points=1
        ),
        "worth: the variance of the plain count forgotten": changed(
            COUNTS, "adjusted - (plain - bias**2)", "adjusted", points=1
        ),
    },
    "loud-words": {
        "a mean in place of the square root": changed(
            LOUD,
            "share = a[v] / np.sqrt(norm2)",
            "share = a[v] / sum(a[v] for v in letter if v)",
            points=3,
        ),
        "dE: only the last of equal words": changed(
            LOUD, "dE[v] += share * dR[n]", "dE[v] = share * dR[n]", points=4
        ),
        "du: the square root as a constant": changed(
            LOUD, " - share**2 * (R[n] @ dR[n])", "", points=4
        ),
        "PyTorch: nan from a letter without a word": changed(
            LOUD, " + empty)", " + 0 * empty)", points=4
        ),
        "padding is a word, in PyTorch": changed(
            LOUD, "(X > 0).to(E.dtype)", "(X > -1).to(E.dtype)", points=4
        ),
        "compared without padding and without an empty letter": changed(
            LOUD,
            CAREFUL,
            "X = np.array([[3, 3, 1, 2], [1, 5, 5, 2], [4, 1, 2, 3]])",
            points=4,
        ),
        "compared with words that come once": changed(
            LOUD, CAREFUL, "X = np.array([[1, 2, 0], [0, 0, 0], [4, 3, 0]])", points=4
        ),
        "compared with equal weights": changed(
            LOUD, "rng.normal(size=6)", "np.ones(6)", points=4
        ),
        "compared with dR of ones": changed(
            LOUD, "dR = rng.normal(size=(3, 2))", "dR = np.ones((3, 2))", points=4
        ),
        "shapes are not looked at": changed(
            LOUD,
            "a.shape != like.shape or b.shape != like.shape",
            "a.ndim > 9",
            points=4,
        ),
        "a comparison without a tolerance": changed(
            LOUD, "not np.abs(a - b).max() < 1e-9", "(a != b).any()", points=3
        ),
        "PyTorch in place of NumPy": (
            "def pool_back(dR, X, E, u):\n    return twin(X, E, u, dR)[1:]\n"
            + TORCH
            + SAME,
            3,
        ),
        "a comparison that overlooks nan": changed(
            LOUD, "if not np.abs(a - b).max() < 1e-9:", BLIND, points=4
        ),
    },
    "bet": {
        "per cent": changed(BET, "[0.2, 0.1]", "[20, 10]")[0],
        "one number a way": changed(BET, "[0.2, 0.1]", "[0.2]")[0],
        "no reason": BET + "reason = 'I feel it'",
        "one word twenty times": BET + "reason = 'word ' * 20",
        "letters for words": BET + f"reason = {' '.join('abcdefghijklmnopqrst')!r}",
        "the same number for all": changed(BET, "[0.2, 0.1]", "[0.5, 0.5]")[0],
    },
    "prize": {
        "adjusted is not cut off": changed(PRIZE, "min(1, max(0, ", "((", points=2),
        "precision in place of tpr": changed(
            PRIZE, "(y == 1)) / sum(y == 1)", "(y == 1)) / sum(Q > 1 / 2)", points=2
        ),
        "best: one step only": changed(PRIZE, "range(300)", "range(1)", points=2),
        "best: the mean of the probabilities": changed(
            PRIZE, "float((s * odds / (s * odds + 1 - s)).mean())", "P.mean()", points=2
        ),
        "best: always 1, which is a mean of its own scores": changed(
            PRIZE, "    return s\n", "    return 1.0\n", points=2
        ),
        "one seed three times": changed(
            OWN, "for seed in (0, 1, 2):", "for seed in (0, 0, 0):", points=2
        ),
        "the screenings of one seed for all": changed(
            OWN, "screenings(s, N, seed)", "screenings(s, N, 0)", points=2
        ),
        "drawn at 0, 1, 2 and without a legend": changed(
            PRIZE, "[N] * 6", "[k] * 6", "plt.legend()", "", points=2
        ),
        "no legend": changed(PRIZE, "plt.legend()", "", points=2),
        "all errors of a way at each number of letters": changed(
            PRIZE,
            "[N] * 6, np.array(table)[..., k].ravel()",
            "[N] * 18, np.array(table).ravel()",
            points=2,
        ),
    },
    "dull-run": {
        "both faults left": changed(RUN, *RARE, *PAIRS, points=2),
        "mended, nothing proved": changed(RUN, SOUND, GIVEN, points=2),
        "only the loss is tested": changed(
            RUN, SOUND.partition("z, y = torch")[0], "", points=3
        ),
        "the rarest words kept": changed(RUN, *RARE, points=3),
        "all pairs in the loss, and a sound that wants its own numbers": changed(
            RUN,
            *PAIRS,
            "or set(numbers.values()) != {2, 3}",
            'or numbers != {"y": 2, "z": 3}',
            points=1,
        ),
    },
}

SLIPS = {
    "dull-run": [
        {"key=counts.get)": "key=counts.get, reverse=True)"},
        {"F.softplus(z) - y * z)": "F.softplus(z[:, 0]) - y * z[:, 0])"},
        {GIVEN: SOUND},
    ]
}
