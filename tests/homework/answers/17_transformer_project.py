"""Answers to project 17: right ones written differently, and typical wrong ones.

Share of pairs found among sealed cards as the tests measure it, on the draws that they use
and on ten others, among six cards, among ten, and among ten after 100 rows: with attention
0.883 and 0.893, 0.784 and 0.814, 0.735 and 0.724; the same network without it 0.891, 0.811
and 0.723 on the ten others; one wider layer 0.866 and 0.869, 0.756 and 0.769, 0.678 and
0.689; the network below 0.860 and 0.852, 0.748 and 0.748, 0.671 and 0.669; the baseline
0.724 and 0.723, 0.549 and 0.558, 0.515 and 0.518. Single draws are spread by 0.02, after 100
rows by 0.03 to 0.04. The tests ask for 0.80, 0.68 and 0.60. The wider layer without noise
on the pictures has 0.767, 0.616 and 0.485 on the draws of the tests.

Share of pairs found among eight turned cards of other kinds, and among eight cards as usual,
three draws each: baseline 0.66 to 0.68 and 0.61 to 0.65, attention 0.84 to 0.86 and 0.80 to
0.86, own card 0.83 to 0.87 and 0.81 to 0.84, the wider layer 0.80 to 0.85 and 0.75 to 0.83,
the network below 0.82 to 0.86 and 0.78 to 0.82, joined taps 0.89 to 0.92 and 0.85 to 0.88,
in float64 0.89 to 0.90 and 0.83 to 0.86, scikit-learn alone 0.65 to 0.68 and 0.63 to 0.67,
mirrored rows as well 0.85 to 0.89 and 0.69 to 0.76, moved pictures 0.48 to 0.57 and 0.56 to
0.63, with attention (nine draws) 0.43 to 0.54 and 0.48 to 0.60. A copy in both positions has
0.25 to 0.26 and 1.00 (with three neighbours 0.33 to 0.36), in eight positions 0.21 to 0.23
and 0.99, typed weights 0.45 to 0.46 and 0.98 to 0.99, those below 0.21 to 0.23 and 0.83 to
0.85. The tests allow 0.25 fewer than usual.
"""

from tests.homework.answers import TURNS
from tests.homework.project_answers import (
    later_seeds_improved,
    plot,
    prediction,
    race,
    sealed,
    wrong_predictions,
    wrong_races,
    wrong_seals,
)

TWINS = """
def embedded(weights, cards):
    A, a, B = weights
    return torch.relu(cards @ A + a) @ B

def gaps(weights, rows):
    E = embedded(weights, torch.as_tensor(rows, dtype=torch.float32))
    return ((E[:, :, None] - E[:, None]) ** 2).sum(-1)

def told(weights, rows):
    D, k = gaps(weights, rows).detach(), rows.shape[1]
    D = D + 1e9 * torch.eye(k)
    at = D.reshape(len(rows), -1).argmin(1)
    return np.stack([at % k, at // k], axis=1)

def twins(rows, pairs, seed, steps=180):
    rng = torch.Generator().manual_seed(int(seed))
    X, P = torch.tensor(rows, dtype=torch.float32), torch.tensor(pairs)
    shapes = (64, 120), (120,), (120, 24)
    weights = [torch.randn(*shape, generator=rng) / 8 for shape in shapes]
    for w in weights:
        w.requires_grad_()
    adam = torch.optim.Adam(weights, lr=0.008, foreach=True)
    for t in range(steps):
        adam.param_groups[0]["lr"] = 0.008 * (1 - t / steps)
        some = torch.randint(len(X), (32,), generator=rng)
        noisy = X[some] + 0.2 * torch.randn(32, *X.shape[1:], generator=rng)
        D = gaps(weights, noisy) + 1e9 * torch.eye(X.shape[1])
        logits = -D.reshape(32, -1)
        there = D[torch.arange(32), P[some, 0], P[some, 1]]
        loss = (there + torch.logsumexp(logits, 1)).mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
    return weights

def mine(rows, pairs, seed):
    weights = twins(rows, pairs, seed)
    return lambda rows: told(weights, rows)
"""
LAST = "    weights = twins(rows, pairs, seed)\n    return lambda rows: told(weights, rows)\n"


def instead(lines, before=""):
    """Return the right answer with other last lines, and more before the function."""
    return TWINS.replace("\ndef mine", f"\n{before}\ndef mine").replace(LAST, lines)


UNSEEDED = TURNS + instead("    seed = next(turns)\n" + LAST)
IN_PLACE = instead("    rows *= 1.0001\n" + LAST)
NEAREST = """
def nearest(rows):
    D = ((rows[:, :, None] - rows[:, None]) ** 2).sum(-1)
    D = D + 1e9 * np.eye(rows.shape[1])
    return np.stack(divmod(D.reshape(len(rows), -1).argmin(1), rows.shape[1]), 1)
"""
# Pictures as they are: nothing is learned.
UNLEARNED = instead("    return nearest\n", NEAREST)
# The digits of all cards, each card by its nearest neighbour.
NAMED = """
def named(rows, X, y):
    names = y[((X**2).sum(1) - 2 * rows @ X.T).argmin(-1)]
    return 1.0 * (names[..., None] == np.arange(10))

"""
LOOKED_UP = instead(
    "    return lambda rows: nearest(named(rows, PICTURES, NAMES))\n", NEAREST + NAMED
)
LOADED = instead(
    "    X, y = load_digits(return_X_y=True)\n"
    "    return lambda rows: nearest(named(rows, X / 16, y))\n",
    NEAREST + NAMED,
)
COPIED = instead(
    "    return lambda rows: nearest(named(rows, *HELD))\n",
    NEAREST + NAMED + "HELD = PICTURES[:700].copy(), NAMES[:700].copy()\n",
)
# Cards and digits in both positions, or two matrices made from them, as if typed in.
BOTH = instead(
    "    return lambda rows: nearest(named(rows, *KEPT))\n",
    NEAREST
    + NAMED
    + "KEPT = np.vstack([PICTURES, PICTURES[:, ::-1]]), np.hstack([NAMES, NAMES])\n",
)
TYPED = instead(
    "    right = [np.mean(np.sort(read(rows, W)) == pairs) for W in TYPED]\n"
    "    return lambda rows: read(rows, TYPED[np.argmax(right)])\n",
    NEAREST
    + """
def read(rows, W):
    return nearest(np.eye(10)[(rows @ W).argmax(-1)])

TYPED = [
    np.linalg.lstsq(X, np.eye(10)[NAMES], rcond=None)[0].round(2)
    for X in (PICTURES, PICTURES[:, ::-1])
]
""",
)
PEEKING = instead(
    "    more = dealt(*VALIDATION, 300, 6, np.random.default_rng(seed))\n"
    "    rows, pairs = np.vstack([rows, more[0]]), np.vstack([pairs, more[1]])\n" + LAST
)
UNSEALED = instead(
    "    more = dealt(*seal.trial.keywords['on'], 300, 6, np.random.default_rng(seed))\n"
    "    rows, pairs = np.vstack([rows, more[0]]), np.vstack([pairs, more[1]])\n" + LAST
)
DRAWN = instead("    rows, pairs = draw(seed, 900)\n" + LAST)
TRYING = instead("    trial(baseline, seed)  # as one would to choose\n" + LAST)
# Pictures are centred by the mean of all the rows: a row alone looks different.
TOGETHER = instead(
    "    weights = twins(rows - rows.mean(0), pairs, seed)\n"
    "    return lambda rows: told(weights, rows - rows.mean(0))\n"
)
# Each place has a number of its own, for as many places as there are in training.
PLACES = instead(
    "    weights = twins(rows - rows.mean((0, 2))[:, None], pairs, seed)\n"
    "    means = rows.mean((0, 2))[:, None]\n"
    "    return lambda rows: told(weights, rows - means)\n"
)
# The least similar two, by a sign.
FAR = TWINS.replace(".argmin(1)", ".argmax(1)").replace("1e9 * torch.eye(k)", "0")
# The pair is looked for among the first six cards of a row.
FIRST_SIX = instead(
    "    weights = twins(rows, pairs, seed)\n"
    "    return lambda rows: told(weights, rows[:, :6])\n"
)
BASELINE = instead("    return baseline(rows, pairs, seed)\n")
ONE = instead(
    "    weights = twins(rows, pairs, seed)\n"
    "    return lambda rows: told(weights, rows)[:, 0]\n"
)
FLOATS = instead(
    "    weights = twins(rows, pairs, seed)\n"
    "    return lambda rows: 1.0 * told(weights, rows)\n"
)
NETWORK = instead("    return twins(rows, pairs, seed)\n")

WAYS = TWINS.replace("def mine(rows", "def third(rows") + (
    NEAREST
    + """
def pixels(rows, pairs, seed):
    return nearest
"""
)
THIRD = '"pixels": pixels, '
RACE = f'{{"mine": third, {THIRD}"baseline": baseline}}'
CLAIM = "(0.6, 0.8)"
PEEK = (
    NAMED
    + """
def peeking(rows, pairs, seed):
    more = dealt(*VALIDATION, 300, 6, np.random.default_rng(seed))
    return third(np.vstack([rows, more[0]]), np.vstack([pairs, more[1]]), seed)

def known(rows, pairs, seed):
    return lambda rows: nearest(named(rows, PICTURES, NAMES))

HELD = [PICTURES[:700].copy(), NAMES[:700].copy()]

def copied(rows, pairs, seed):
    return lambda rows: nearest(named(rows, *HELD))

KEPT = np.vstack([PICTURES, PICTURES[:, ::-1]]), np.hstack([NAMES, NAMES])

def kept(rows, pairs, seed):
    return lambda rows: nearest(named(rows, *KEPT))
"""
)

RIGHT = {
    "expectation": prediction(0.8),
    "mine": TWINS,
    "race": WAYS + race(RACE) + plot("share"),
    "sealed": WAYS + sealed("third", "[0.6, 0.8]"),
}

WRONG = {
    "expectation": wrong_predictions(prediction(0.8), 0.8)
    | {"per cent": prediction(80)},
    "mine": {
        "the baseline as one's own": (BASELINE, 2),
        "a draw without the seed": (UNSEEDED, 5),
        "the rows handed over are changed": (IN_PLACE, 5),
        "nothing is learned": (UNLEARNED, 2),
        "the digits of all cards": (LOOKED_UP, 2),
        "the digits loaded again": (LOADED, 2),
        "a copy of cards and digits": (COPIED, 2),
        "a copy in both positions": (BOTH, 2),
        "typed weights": (TYPED, 2),
        "validation cards, too": (PEEKING, 2),
        "sealed cards, too": (UNSEALED, 2),
        "more rows drawn": (DRAWN, 2),
        "the way tries itself": (TRYING, 2),
        "centred by the other rows": (TOGETHER, 5),
        "numbers for six places": (PLACES, 1),
        "the two least similar": (FAR, 1),
        "looks at six cards only": (FIRST_SIX, 4),
        "one place": (ONE, 0),
        "places that are no whole numbers": (FLOATS, 0),
        "weights in place of a function": (NETWORK, 0),
    },
    "race": wrong_races(WAYS, RACE, THIRD, "share", "run.share + 0.03")
    | {
        "validation cards, too": (
            WAYS + PEEK + race(RACE.replace("third", "peeking")) + plot("share"),
            5,
        ),
        "a copy of cards and digits": (
            WAYS + PEEK + race(RACE.replace("third", "copied")) + plot("share"),
            5,
        ),
        "a copy in both positions": (
            WAYS + PEEK + race(RACE.replace("third", "kept")) + plot("share"),
            5,
        ),
        "the best of later seeds": later_seeds_improved(WAYS, RACE, "share"),
        "one way under two names": (
            WAYS + race(RACE.replace("pixels,", "third,")) + plot("share"),
            5,
        ),
    },
    "sealed": wrong_seals(WAYS, "third", "pixels", CLAIM)
    | {
        "a copy in both positions": (WAYS + PEEK + sealed("kept", CLAIM), 2),
        "the digits of all cards": (WAYS + PEEK + sealed("known", CLAIM), 2),
        "a copy of cards and digits": (WAYS + PEEK + sealed("copied", CLAIM), 2),
        "validation cards, too": (WAYS + PEEK + sealed("peeking", CLAIM), 2),
    },
}
