"""Answers to project 12: right ones written differently, and typical wrong ones.

Thresholds, over ten draws of the hundred names, on the validation and the sealed digits:
the baseline names 0.55 to 0.70 right (twenty draws; 0.67 with the seeds of the test), 256
units with 2000 steps and a falling rate 0.80 to 0.88 (3 s), three convolutions with 400
steps and a rate that rises and falls 0.85 to 0.90 (2.7 s, eight draws), the nearest digit
at any place 0.83 to 0.93, and with names shared among the spare digits 0.92 to 0.97. The
tests ask for 0.70 and 0.80, and for 0.60 with noise of 0.3, where the last two name 0.80
and 0.89. Processor time varies threefold on a machine that others use, so five times the
budget is allowed.
"""

NEAREST = """
def everywhere(X):
    wide = np.pad(X, ((0, 0), (2, 2), (2, 2)))
    moved = [np.roll(wide, (i, j), axis=(1, 2)) for i in range(-2, 3) for j in range(-2, 3)]
    return np.concatenate(moved).reshape(-1, 144)

def mine(X, y, spare, seed):
    frames, names = everywhere(X), np.tile(y, 25)
    def read(scans):
        flat = scans.reshape(len(scans), -1)
        return names[((frames ** 2).sum(axis=1) - 2 * flat @ frames.T).argmin(axis=1)]
    return read
"""
BEFORE = "    frames, names"
IN_PLACE = NEAREST.replace(BEFORE, "    X += 0.01\n    frames, names")
UNSEEDED = NEAREST.replace(
    BEFORE,
    "    rows = np.random.default_rng().permutation(len(X))[:60]\n"
    "    X, y = X[rows], y[rows]\n    frames, names",
)
# Whoever looks for the digits in the data set knows more than he was handed.
LOOKED_UP = NEAREST.replace("(X), np.tile(y, 25)", "(NEAT), np.tile(NAMES, 25)")
# The validation digits are for choosing; here they are learned.
PEEKING = NEAREST.replace(
    BEFORE,
    "    X, y = np.concatenate([X, X_val]), np.concatenate([y, y_val])\n    frames, names",
)
BASELINE = """
def mine(X, y, spare, seed):
    return baseline(X, y, spare, seed)
"""
ONE_PLACE = """
def mine(X, y, spare, seed):
    frames = np.pad(X, ((0, 0), (2, 2), (2, 2))).reshape(-1, 144)
    def read(scans):
        flat = scans.reshape(len(scans), -1)
        return y[((frames ** 2).sum(axis=1) - 2 * flat @ frames.T).argmin(axis=1)]
    return read
"""
LOGITS = NEAREST.replace(
    "names[((frames ** 2).sum(axis=1) - 2 * flat @ frames.T).argmin(axis=1)]",
    "np.eye(10)[names[(-2 * flat @ frames.T).argmin(axis=1)]]",
)
ALWAYS_THREE = """
def mine(X, y, spare, seed):
    return lambda scans: np.full(len(scans), 3)
"""

EXPECTATION = """
expected = {{"baseline": 0.6, "mine": {}, "other": 0.5}}
because = "{}"
"""
REASON = "I expect a little more from a comparison at every place, since " + 20 * "so "

WAYS = """
def plain(X, y, spare, seed):
    frames = np.pad(X, ((0, 0), (2, 2), (2, 2))).reshape(-1, 144)
    return lambda scans: y[
        ((frames ** 2).sum(axis=1) - 2 * scans.reshape(-1, 144) @ frames.T).argmin(axis=1)
    ]

def fewer(X, y, spare, seed):
    return plain(X[:50], y[:50], spare, seed)

def nearby(X, y, spare, seed):
    wide = np.pad(X, ((0, 0), (2, 2), (2, 2)))
    moved = [np.roll(wide, (i, j), axis=(1, 2)) for i in range(-2, 3) for j in range(-2, 3)]
    frames, names = np.concatenate(moved).reshape(-1, 144), np.tile(y, 25)
    return lambda scans: names[
        ((frames ** 2).sum(axis=1) - 2 * scans.reshape(-1, 144) @ frames.T).argmin(axis=1)
    ]
"""
RACE = (
    WAYS
    + """
ways = {"mine": nearby, "at one place": plain, "baseline": baseline}
seeds = [5, 6, 8]
results = {name: [trial(ways[name], seed) for seed in seeds] for name in ways}
"""
)
PLOT = """
fig = plt.figure()
ax = fig.add_subplot()
for name in results:
    ax.scatter([name] * len(seeds), [run.share for run in results[name]])
ax.set_xlabel("way")
ax.set_ylabel("share")
"""
CHEAP = RACE.replace('"baseline": baseline', '"baseline": fewer')
SAME = CHEAP.replace('"at one place": plain', '"at one place": nearby')
MEANS = """
fig, ax = plt.subplots()
ax.bar(list(results), [np.mean([run.share for run in results[name]]) for name in results])
ax.set(xlabel="way", ylabel="share")
"""
BETTER = """
results["mine"] = [run._replace(share=min(1, run.share + 0.03)) for run in results["mine"]]
"""
NO_TIME = """
results["mine"] = [run._replace(seconds=-1.0) for run in results["mine"]]
"""
VALIDATION = WAYS + (
    """
def peeking(X, y, spare, seed):
    return nearby(np.concatenate([X, X_val]), np.concatenate([y, y_val]), spare, seed)
"""
)

SEALED = (
    WAYS
    + """
claim = {}
final = seal.open(nearby)
"""
)

RIGHT = {
    "expectation": EXPECTATION.format(0.9, REASON),
    "mine": NEAREST,
    "race": RACE + PLOT,
    "sealed": SEALED.format("[0.8, 0.95]"),
}

WRONG = {
    "expectation": {
        "per cent": EXPECTATION.format(90, REASON),
        "no reason": EXPECTATION.format(0.9, "it is better"),
        "no number": EXPECTATION.format(None, REASON),
        "two ways only": EXPECTATION.format(0.9, REASON).replace(', "other": 0.5', ""),
        "a share below 0": EXPECTATION.format(-0.1, REASON),
    },
    "mine": {
        "the digits handed over are changed": (IN_PLACE, 5),
        "a draw without the seed": (UNSEEDED, 5),
        "names from the data set": (LOOKED_UP, 5),
        "compares in the middle only": (ONE_PLACE, 2),
        "ten numbers for each scan": (LOGITS, 0),
        "always a three": (ALWAYS_THREE, 1),
        "learns the validation digits": (PEEKING, 5),
        "the baseline as one's own": (BASELINE, 3),
    },
    "race": {
        "two seeds": (CHEAP.replace("[5, 6, 8]", "[5, 6]") + PLOT, 5),
        "one seed three times": (CHEAP.replace("[5, 6, 8]", "[5, 5, 5]") + PLOT, 5),
        "the figure shows means": (CHEAP + MEANS, 5),
        "numbers improved afterwards": (CHEAP + BETTER + PLOT, 4),
        "learns from validation digits": (
            VALIDATION + CHEAP.replace('"mine": nearby', '"mine": peeking') + PLOT,
            4,
        ),
        "seconds made up": (CHEAP + NO_TIME + PLOT, 5),
        "one way under two names": (SAME + PLOT, 5),
        "two ways": (CHEAP.replace('"at one place": plain, ', "") + PLOT, 0),
    },
    "sealed": {
        "opened twice": (SEALED.format("(0.8, 0.95)") + "final = seal.open(plain)", 2),
        "opened twice, the first kept": (
            SEALED.format("(0.8, 0.95)") + "seal.open(plain)",
            2,
        ),
        "claims everything": (SEALED.format("(0.0, 1.0)"), 2),
        "claims nothing": (SEALED.format("None"), 2),
        "another way behind the numbers": (
            SEALED.format("(0.8, 0.95)") + "final.way = plain",
            2,
        ),
        "numbers typed in": (
            WAYS
            + """
claim = (0.8, 0.95)
outcomes = [Outcome(0.9, 1.0)] * 3
final = SimpleNamespace(way=nearby, outcomes=outcomes, openings=["opened"])
""",
            2,
        ),
        "names from the data set": (
            WAYS
            + """
def known(X, y, spare, seed):
    return nearby(NEAT, NAMES, spare, seed)

claim = (0.8, 1.0)
final = seal.open(known)
""",
            2,
        ),
        "the validation digits": (
            WAYS
            + """
claim = (0.8, 0.95)
outcomes = [trial(nearby, seed) for seed in (901, 902, 903)]
final = SimpleNamespace(way=nearby, outcomes=outcomes, openings=["opened"])
""",
            2,
        ),
    },
}
