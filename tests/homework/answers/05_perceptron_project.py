"""Answers to project 5: right ones written differently, and typical wrong ones.

Accuracy on the sealed cards of ways that are handed the cards upside down, on the draws
that the tests use and on as many others: ten draws of 100 cards, six of 200, and six of
200 with noise of 0.2. One cell after the other 0.72 and 0.70, 0.77 and 0.74, 0.69 and 0.67;
dropping cells from all 64 0.70 and 0.71, 0.76 and 0.75, 0.67 and 0.68; a penalty on the
weights of each cell 0.71 and 0.70, 0.74 and 0.74, 0.66 and 0.68; pictures without digits
0.70 and 0.70, 0.76 and 0.74, 0.68 and 0.66. The baseline has 0.64 and 0.67, 0.70 and 0.68,
0.63 and 0.61, a regular pattern about the same. Cells that were searched for on the
validation cards and typed in have 0.76, 0.81 and 0.72, and upside down 0.66, 0.71 and 0.64.
The tests ask for 0.67, 0.725 and 0.65.

Over 40 draws, accuracy on the sealed cards is within 0.01 of that on the validation cards,
for the baseline, for the search and without digits, after 100 cards and after 200.
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

DROPPED = """
def dropped(X, y):
    targets = np.eye(10)[y]
    Z, T, left = X - X.mean(axis=0), targets - targets.mean(axis=0), list(range(64))
    while len(left) > 8:
        A = Z[:, left]
        inverse = np.linalg.inv(A.T @ A + 0.01 * len(X) * np.eye(len(left)))
        worth = ((inverse @ A.T @ T) ** 2).sum(axis=1) / np.diag(inverse)
        left.pop(int(worth.argmin()))
    return np.array(left)

def board(cells, X, y, seed):
    return [list(cells), *softmax_regression(sense(X, cells, seed), y, steps=200)]

def mine(X, y, seed):
    return board(dropped(X, y), X, y, seed)
"""


def instead(line):
    """Return the right answer with another last line."""
    return DROPPED.replace("    return board(dropped(X, y), X, y, seed)\n", line)


UNSEEDED = TURNS + instead(
    "    rows = np.random.default_rng(next(turns)).permutation(len(X))[: int(0.9 * len(X))]\n"
    "    return board(dropped(X[rows], y[rows]), X, y, seed)\n"
)
IN_PLACE = instead("    X *= 1.0001\n    return board(dropped(X, y), X, y, seed)\n")
# The cells are chosen on the cards that judge them; the weights are learned as they should.
PEEKING = instead("    return board(dropped(X_val, y_val), X, y, seed)\n")
# Whoever looks for the digits in the data set knows more than was handed over.
LOOKED_UP = instead("    return board(dropped(X, y), CARDS, NAMES, seed)\n")
# The same with data found elsewhere.
LOADED = instead(
    "    X_all, y_all = load_digits(return_X_y=True)\n"
    "    return board(dropped(X_all / 16, y_all), X, y, seed)\n"
)
IMPORTED = instead(
    "    from sklearn import datasets\n\n    found = datasets.load_digits()\n"
    "    return board(dropped(found.data / 16, found.target), X, y, seed)\n"
)
UNSEALED = instead(
    "    return board(dropped(*seal.trial.keywords['on']), X, y, seed)\n"
)
DRAWN = instead("    return board(dropped(*draw(0, 1000)), X, y, seed)\n")
COPIED = "HELD = X_val.copy(), y_val.copy()\n" + instead(
    "    return board(dropped(*HELD), X, y, seed)\n"
)
TYPED = instead("    return board([26, 43, 61, 42, 21, 10, 27, 52], X, y, seed)\n")
# Of two choices the one that trial finds better, on validation cards.
TRIED = instead(
    "    cells = dropped(X, y), np.argsort(-X.var(axis=0))[:8]\n"
    "    tried = [lambda X, y, seed, c=c: board(c, X, y, seed) for c in cells]\n"
    "    best = max(tried, key=lambda way: trial(way, seed).share)\n"
    "    return best(X, y, seed)\n"
)
BASELINE = instead("    return baseline(X, y, seed)\n")
# The ratio of the variance to that within the digits, upside down: cells always empty.
RATIO = instead(
    "    within = sum(X[y == k].var(axis=0) for k in np.unique(y))\n"
    "    cells = np.argsort(X.var(axis=0) / (within + 1e-9))[:8]\n"
    "    return board(cells, X, y, seed)\n"
)
NINE = instead(
    "    cells = np.r_[dropped(X, y), 0]\n    return cells, np.ones((9, 10)), np.ones(10)\n"
)
TWICE = instead(
    "    cells = dropped(X, y)\n    cells[0] = cells[1]\n"
    "    return board(cells, X, y, seed)\n"
)

WAYS = DROPPED.replace("def mine(X", "def fewer(X") + (
    """
def spread(X, y, seed):
    return board([10, 13, 26, 29, 34, 37, 50, 53], X, y, seed)
"""
)
THIRD = '"pattern": spread, '
RACE = f'{{"mine": fewer, {THIRD}"baseline": baseline}}'
CLAIM = "(0.6, 0.78)"
PEEK = """
def peeking(X, y, seed):
    return board(dropped(X_val, y_val), X, y, seed)

def known(X, y, seed):
    return board(dropped(X, y), CARDS, NAMES, seed)

HELD = [X_val.copy(), y_val.copy()]

def copied(X, y, seed):
    return board(dropped(*HELD), X, y, seed)

def unsealed(X, y, seed):
    return board(dropped(*seal.trial.keywords["on"]), X, y, seed)
"""
# Three ways with the cells of the baseline, whose noise is drawn otherwise.
SEEDS = """
def later(X, y, seed):
    return baseline(X, y, seed + 1)

def latest(X, y, seed):
    return baseline(X, y, seed + 2)
"""

RIGHT = {
    "expectation": prediction(0.7),
    "mine": DROPPED,
    "race": WAYS + race(RACE) + plot("share"),
    "sealed": WAYS + sealed("fewer", "[0.6, 0.78]"),
}

WRONG = {
    "expectation": wrong_predictions(prediction(0.7), 0.7)
    | {"per cent": prediction(70)},
    "mine": {
        "the baseline as one's own": (BASELINE, 3),
        "a draw without the seed": (UNSEEDED, 5),
        "the cards handed over are changed": (IN_PLACE, 5),
        "cells chosen on the validation cards": (PEEKING, 2),
        "digits from the data set": (LOOKED_UP, 2),
        "digits loaded": (LOADED, 2),
        "digits imported": (IMPORTED, 2),
        "the sealed cards": (UNSEALED, 3),
        "a thousand cards drawn": (DRAWN, 2),
        "a copy of the validation cards": (COPIED, 2),
        "trial chooses": (TRIED, 5),
        "cells typed in": (TYPED, 2),
        "a ratio upside down": (RATIO, 1),
        "nine sensors": (NINE, 0),
        "a cell twice": (TWICE, 0),
    },
    "race": wrong_races(WAYS, RACE, THIRD, "share", "run.share + 0.03")
    | {
        "chooses on validation cards": (
            WAYS + PEEK + race(RACE.replace("fewer", "peeking")) + plot("share"),
            5,
        ),
        "a copy of the validation cards": (
            WAYS + PEEK + race(RACE.replace("fewer", "copied")) + plot("share"),
            5,
        ),
        "the baseline with other seeds": (
            WAYS
            + SEEDS
            + race('{"mine": later, "third": latest, "baseline": baseline}')
            + plot("share"),
            5,
        ),
        "the best of later seeds": later_seeds_improved(
            WAYS, RACE, "share", 'max(results["mine"], key=lambda run: run.share)'
        ),
        "one way under two names": (
            WAYS + race(RACE.replace("spread", "fewer")) + plot("share"),
            5,
        ),
    },
    "sealed": wrong_seals(WAYS, "fewer", "spread", CLAIM)
    | {
        "digits from the data set": (WAYS + PEEK + sealed("known", CLAIM), 2),
        "the sealed cards": (WAYS + PEEK + sealed("unsealed", CLAIM), 2),
        "a copy of the validation cards": (WAYS + PEEK + sealed("copied", CLAIM), 2),
        "cells chosen on the validation cards": (
            WAYS + PEEK + sealed("peeking", CLAIM),
            2,
        ),
    },
}
