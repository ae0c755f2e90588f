"""Answers to project 10: right ones written differently, and typical wrong ones.

Accuracy on the sealed pictures as the tests measure it, upside down and with swapped
digits, on the draws that they use and on ten others, after 600 pictures and after 200:
a drawn hidden layer 0.965 and 0.962, 0.935 and 0.935; no hidden layer, three bits 0.962 and
0.960, 0.932 and 0.929; the same with two bits 0.948 and 0.949, 0.921 and 0.918; a learned
hidden layer of one bit 0.950 and 0.947, 0.921 and 0.917; no hidden layer, one bit 0.914 and
0.912, 0.886 and 0.884; the baseline 0.860 and 0.859, 0.841 and 0.837. The tests ask for
0.90 and 0.93 after 600, and for 0.90 after 200. The sealed pictures are easier than the
validation pictures: of the latter these ways read between 0.01 and 0.03 fewer.
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

HALVES = """
from functools import lru_cache

GAP, LOWEST, KIND = np.float64(0.6), np.arange(-4, 4)[0], torch.float64

def softmax(logits):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)

def told(W, b, pictures):
    logits = torch.as_tensor(pictures @ (GAP * (W + 0.5)) + b, dtype=KIND)
    return logits.argmax(axis=1).numpy()

@lru_cache
def opened(message):
    W = unpacked(message[10:], 3, 640).reshape(64, 10) + LOWEST
    return W, np.frombuffer(message[:10], dtype=np.int8) / 16

def read_halves(message, pictures):
    return told(*opened(message), pictures)

def rounded(W):
    return np.clip(np.floor(W / GAP), -4, 3)

def coarse(X, y, seed, steps=150):
    W, b = GAP * np.random.default_rng(seed).normal(size=(64, 10)), np.zeros(10)
    for _ in range(steps):
        error = (softmax(X @ (GAP * (rounded(W) + 0.5)) + b) - np.eye(10)[y]) / len(y)
        W = np.clip(W - 3 * X.T @ error, -4 * GAP, 3.99 * GAP)
        b = b - 0.3 * error.sum(axis=0)
    return rounded(W), np.clip(np.round(16 * b), -128, 127).astype(np.int8)

def in_bytes(W, b):
    return b.tobytes() + packed(W + 4, 3)

def mine(X, y, seed):
    return in_bytes(*coarse(X, y, seed)), read_halves
"""
LAST = "    return in_bytes(*coarse(X, y, seed)), read_halves\n"


def instead(lines, before=""):
    """Return the right answer with other last lines, and more before the function."""
    return HALVES.replace("\ndef mine", f"\n{before}\ndef mine").replace(LAST, lines)


UNSEEDED = TURNS + instead("    seed = next(turns)\n" + LAST)
IN_PLACE = instead("    X *= 1.0001\n" + LAST)
# The decoder reads a variable, and the message is empty.
GLOBAL = instead(
    "    global HELD\n    HELD = coarse(X, y, seed)\n    return b'', read_held\n",
    "def read_held(message, pictures):\n    return told(*HELD, pictures)\n",
)
ATTRIBUTE = instead(
    "    read_kept.held = coarse(X, y, seed)\n    return b'', read_kept\n",
    "def read_kept(message, pictures):\n    return told(*read_kept.held, pictures)\n",
)
CLOSURE = instead(
    "    held = coarse(X, y, seed)\n"
    "    return b'', lambda message, pictures: told(*held, pictures)\n"
)
# Learned before the message is, and kept as a default value: the decoder is the network.
DEFAULT = instead(
    "    return b'', read_default\n",
    "def read_default(message, pictures, held=coarse(PICTURES, NAMES, 0)):\n"
    "    return told(*held, pictures)\n",
)
LOADED = instead(
    "    return b'', nearest\n",
    """
def nearest(message, pictures):
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    X = X[:500] / 16
    return y[:500][((X**2).sum(axis=1) - 2 * pictures @ X.T).argmin(axis=1)]
""",
)
NEAREST = """
from io import BytesIO
from pathlib import Path

def distances(pictures, X):
    return (X**2).sum(axis=1) - 2 * pictures @ X.T

def nearest(pictures, X, y):
    return y[distances(pictures, X).argmin(axis=1)]

def stored():
    pass

stored.table = {}
"""
# The pictures are kept where the decoder finds them, by the message.
STORED = instead(
    "    message = bytes(y[:99].tolist())\n"
    "    stored.table[message] = X.copy(), y.copy()\n"
    "    return message, read_stored\n",
    NEAREST
    + "def read_stored(message, pictures):\n"
    + "    return nearest(pictures, *stored.table[message])\n",
)
FILED = instead(
    "    np.savez(Path(bytes(y[:99].tolist()).hex() + '.npz'), X=X, y=y)\n"
    "    return bytes(y[:99].tolist()), read_file\n",
    NEAREST
    + "def read_file(message, pictures):\n"
    + "    with np.load(message.hex() + '.npz') as kept:\n"
    + "        return nearest(pictures, **kept)\n",
)
READ_AS_BYTES = FILED.replace(
    "np.load(message.hex() + '.npz')",
    "np.load(BytesIO(Path(message.hex() + '.npz').read_bytes()))",
)
# The message says how all the digits that there are, loaded again, were turned and named.
TURNED = instead(
    """    others, digits = load_digits(return_X_y=True)
    ways_round = [others / 16, others[:, ::-1] / 16]
    k = np.argmin([distances(X, some).min(axis=1).sum() for some in ways_round])
    told = nearest(X, ways_round[k], digits)
    names = [np.bincount(y[told == name]).argmax() for name in range(10)]
    return bytes([k, *names]), read_turned
""",
    NEAREST
    + """
def read_turned(message, pictures):
    others, digits = load_digits(return_X_y=True)
    names = np.array(list(message[1:]))
    return nearest(pictures, others[:, :: 1 - 2 * message[0]] / 16, names[digits])
""",
)
TAUGHT = instead(
    "    others, digits = load_digits(return_X_y=True)\n"
    "    X, y = np.vstack([X, others / 16]), np.concatenate([y, digits])\n" + LAST
)
LOOKED_UP = instead("    X, y = PICTURES, NAMES\n" + LAST)
SEALED = instead(
    "    others, digits = seal.trial.keywords['on']\n"
    "    X, y = np.vstack([X, others[:100]]), np.concatenate([y, digits[:100]])\n"
    + LAST
)
TRYING = instead(
    "    trial(baseline, seed)  # as one would to choose among some\n" + LAST,
)
PEEKING = instead(
    "    X, y = np.vstack([X, X_val]), np.concatenate([y, y_val])\n" + LAST
)
# The pictures to read are centred by their own mean: alone, each would be empty.
TOGETHER = instead(
    "    W, b = coarse(X - X.mean(axis=0), y, seed)\n"
    "    return in_bytes(W, b), read_together\n",
    "def read_together(message, pictures):\n"
    "    return read_halves(message, pictures - pictures.mean(axis=0))\n",
)
LONG = instead("    return in_bytes(*coarse(X, y, seed)) + bytes(7), read_halves\n")
ARRAY = instead(
    "    message, read = in_bytes(*coarse(X, y, seed)), read_halves\n"
    "    return np.frombuffer(message, dtype=np.uint8), read\n"
)
LOGITS = instead(
    "    return in_bytes(*coarse(X, y, seed)), read_logits\n",
    "def read_logits(message, pictures):\n"
    "    return np.eye(10)[read_halves(message, pictures)]\n",
)
BASELINE = instead("    return baseline(X, y, seed)\n")

WAYS = HALVES.replace("def mine(X", "def third(X") + (
    """
def read_means(message, pictures):
    means = np.frombuffer(message[:160], dtype=np.uint8).reshape(10, 16) / 255
    far = ((shrunk(pictures)[:, None, :16] - means) ** 2).sum(axis=2)
    return far.argmin(axis=1)

def means(X, y, seed):
    small = shrunk(X)[:, :16]
    found = np.array([small[y == k].mean(axis=0) for k in range(10)])
    return np.round(255 * found).astype(np.uint8).tobytes(), read_means
"""
)
THIRD = '"means": means, '
RACE = f'{{"mine": third, {THIRD}"baseline": baseline}}'
CLAIM = "(0.88, 0.99)"
PEEK = """
def peeking(X, y, seed):
    return third(np.vstack([X, X_val]), np.concatenate([y, y_val]), seed)

def known(X, y, seed):
    return third(PICTURES, NAMES, seed)

def read_kept(message, pictures):
    return told(*read_kept.held, pictures)

def kept(X, y, seed):
    read_kept.held = coarse(X, y, seed)
    return b"", read_kept
"""

RIGHT = {
    "expectation": prediction(0.9),
    "mine": HALVES,
    "race": WAYS + race(RACE) + plot("share"),
    "sealed": WAYS + sealed("third", "[0.88, 0.99]"),
}

WRONG = {
    "expectation": wrong_predictions(prediction(0.9), 0.9)
    | {"per cent": prediction(90)},
    "mine": {
        "the baseline as one's own": (BASELINE, 3),
        "a draw without the seed": (UNSEEDED, 5),
        "the pictures handed over are changed": (IN_PLACE, 5),
        "weights in a variable": (GLOBAL, 0),
        "weights in an attribute of the decoder": (ATTRIBUTE, 2),
        "weights that the decoder carries along": (CLOSURE, 2),
        "weights in a default value": (DEFAULT, 2),
        "the decoder loads digits": (LOADED, 2),
        "the decoder loads digits, turned and named by the message": (TURNED, 2),
        "learned from digits that are loaded again": (TAUGHT, 2),
        "weights in a table, by the message": (STORED, 2),
        "weights in a file, by the message": (FILED, 2),
        "weights in a file that is read as bytes": (READ_AS_BYTES, 2),
        "learned from some sealed pictures, too": (SEALED, 2),
        "the way tries itself on validation pictures": (TRYING, 2),
        "learned from all pictures": (LOOKED_UP, 2),
        "learned from validation pictures, too": (PEEKING, 2),
        "a decoder that compares the pictures": (TOGETHER, 5),
        "a message of 257 bytes": (LONG, 0),
        "an array as message": (ARRAY, 0),
        "logits in place of digits": (LOGITS, 0),
    },
    "race": wrong_races(WAYS, RACE, THIRD, "share", "run.share + 0.03")
    | {
        "learns from validation pictures": (
            WAYS + PEEK + race(RACE.replace("third", "peeking")) + plot("share"),
            5,
        ),
        "weights beside the message": (
            WAYS + PEEK + race(RACE.replace("third", "kept")) + plot("share"),
            5,
        ),
        "the best of later seeds": later_seeds_improved(WAYS, RACE, "share"),
        "one way under two names": (
            WAYS + race(RACE.replace("means,", "third,")) + plot("share"),
            5,
        ),
    },
    "sealed": wrong_seals(WAYS, "third", "means", CLAIM)
    | {
        "learned from all pictures": (WAYS + PEEK + sealed("known", CLAIM), 2),
        "learns from validation pictures": (
            WAYS + PEEK + sealed("peeking", CLAIM),
            2,
        ),
        "weights beside the message": (WAYS + PEEK + sealed("kept", CLAIM), 2),
    },
}
