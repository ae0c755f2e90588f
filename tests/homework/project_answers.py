"""Wrong answers that every project gets: its own right ones, with one thing changed.

The names of ways and fields are the project's. What remains of the points is 5 of 6 for a
race and 2 of 3 for the seal unless something else is noted.
"""

REASON = "I expect a little more from a comparison of all of them, since " + 20 * "so "


def prediction(mine, other="other", more=""):
    """Return the code of a prediction; ``more`` are lines of the project's own."""
    return (
        f'expected = {{"baseline": 0.6, "mine": {mine}, "{other}": 0.5}}\n'
        f'{more}because = "{REASON}"\n'
    )


def wrong_predictions(right, mine, other="other"):
    """Return wrong predictions: a right one, changed."""
    number = f'"mine": {mine}'
    return {
        "no number": right.replace(number, '"mine": None'),
        "a number below 0": right.replace(number, '"mine": -0.1'),
        "no reason": right.replace(REASON, "it is better"),
        "one word 25 times": right.replace(REASON, "because " * 25),
        "two ways only": right.replace(f', "{other}": 0.5', ""),
    }


def race(ways, seeds="[5, 6, 8]"):
    """Return the code of a race between ways, the text of a dictionary."""
    return f"""
ways = {ways}
seeds = {seeds}
results = {{name: [trial(ways[name], seed) for seed in seeds] for name in ways}}
"""


def plot(field):
    """Return code for a figure that shows every run."""
    return f"""
fig = plt.figure()
ax = fig.add_subplot()
for name in results:
    ax.scatter([name] * len(seeds), [run.{field} for run in results[name]])
ax.set_xlabel("way")
ax.set_ylabel("{field}")
"""


def altered(change):
    """Return code that changes what ``trial`` returned for mine."""
    return f'\nresults["mine"] = [run._replace({change}) for run in results["mine"]]\n'


def wrong_races(definitions, ways, third, field, better):
    """Return wrong races.

    ``ways`` is the text of a right dictionary, ``third`` its entry beside mine and the
    baseline, with the comma, and ``better`` a flattering expression of ``run``.
    """
    good, shown = definitions + race(ways), plot(field)
    means = f"np.mean([run.{field} for run in results[name]])"
    return {
        "two seeds": (definitions + race(ways, "[5, 6]") + shown, 5),
        "one seed three times": (definitions + race(ways, "[5, 5, 5]") + shown, 5),
        "the figure shows means": (
            f"{good}\nfig, ax = plt.subplots()\n"
            f"ax.bar(list(results), [{means} for name in results])\n"
            'ax.set(xlabel="way", ylabel="mean")\n',
            5,
        ),
        "numbers improved afterwards": (good + altered(f"{field}={better}") + shown, 4),
        "seconds made up": (good + altered("seconds=-1.0") + shown, 5),
        "two ways": (definitions + race(ways.replace(third, "")) + shown, 0),
    }


def later_seeds_improved(definitions, ways, field, better=None):
    """Return a race of six seeds, its three last runs of mine exchanged, and what it keeps."""
    better = better or f'results["mine"][k]._replace({field}=0.99)'
    exchanged = f'\nfor k in (3, 4, 5):\n    results["mine"][k] = {better}\n'
    return definitions + race(ways, "[5, 6, 8, 9, 10, 11]") + exchanged + plot(field), 4


def sealed(way, claim):
    """Return the code that opens the seal."""
    return f"\nclaim = {claim}\nfinal = seal.open({way})\n"


def wrong_seals(definitions, way, other, claim):
    """Return wrong ways with the seal, for a way and another one."""
    right = definitions + sealed(way, claim)
    return {
        "opened twice": (right + f"final = seal.open({other})\n", 2),
        "opened twice, the first kept": (right + f"seal.open({other})\n", 2),
        "the better of two openings": (
            f"{right}better = lambda one: one.outcomes[0][0]\n"
            f"final = max(final, seal.open({other}), key=better)\n"
            'final.openings = ["opened"]\n',
            2,
        ),
        "claims everything": (definitions + sealed(way, "(0.0, 1.0)"), 2),
        "claims nothing": (definitions + sealed(way, "None"), 2),
        "another way behind the numbers": (right + f"final.way = {other}\n", 2),
        "not the sealed data": (
            definitions
            + f"""
claim = {claim}
outcomes = [trial({way}, seed) for seed in SEALED_SEEDS]
final = SimpleNamespace(way={way}, outcomes=outcomes, openings=["opened"])
""",
            2,
        ),
    }
