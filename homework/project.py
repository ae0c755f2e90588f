"""What students of every project get: the clock, the seal, and checks of form.

The setup cell runs this file below ``expect.py``, ``%run -i ../../project.py``, and
defines what differs from project to project: ``BUDGET`` and ``TOTAL``, seconds for a
training and for the race; ``Outcome``, a named tuple that begins with the number that the
race is about and ends with ``seconds``; ``trial(way, seed)``, which returns an outcome;
and ``seal``.
See *A project* in ``homework/README.md``.
"""

from functools import partial
from time import process_time
from types import SimpleNamespace

import numpy as np

SEALED_SEEDS = 901, 902, 903


def timed(work, budget):
    """What ``work()`` returns, and the processor time that it took."""
    start = process_time()
    result = work()
    seconds = process_time() - start
    if seconds > budget:
        print(f"{seconds:.1f} seconds are more than the budget of {budget}")
    return result, seconds


class Seal:
    """Holds the data of a trial that are read once."""

    def __init__(self, trial, **held):
        self.trial, self.openings = partial(trial, **held), []

    def open(self, way):
        """Train with three seeds, try each on the sealed data, and note that it was."""
        self.openings.append("opened")
        print(f"opening number {len(self.openings)}")
        outcomes = [self.trial(way, seed) for seed in SEALED_SEEDS]
        return SimpleNamespace(way=way, outcomes=outcomes, openings=self.openings)


def check_prediction(expected, because, most=1):
    """Three ways, for each a number from 0 to ``most``, and a reason."""
    for name in expected:
        number = float(expected[name])
        assert 0 <= number <= most, f"{name}: {number} is not from 0 to {most}"
    assert len(expected) >= 3, "expected: a third way is missing"
    expect_words(because, 25, "a reason")


def check_race(ways, seeds, results, fig):
    """Three ways and seeds, an outcome for each pair, and a figure of all."""
    assert {"baseline", "mine"} <= set(ways), "ways: baseline and mine are among them"
    assert len(set(seeds)) >= 3, "seeds: three different ones at least"
    assert len(ways) >= 3, "ways: a third one is missing"
    for name in ways:
        told = all(hasattr(run, "seconds") for run in results[name])
        assert told, f"{name}: keep what trial returns"
        expect(len(results[name]), len(seeds), f"as many runs of {name} as seeds")
    runs = [run for name in ways for run in results[name]]
    spent = sum(run.seconds for run in runs)
    print(f"the race took {spent:.0f} seconds of {TOTAL}")
    numbers = [getattr(run, Outcome._fields[0]) for run in runs]
    expect_plot(fig, numbers, "figure")


def check_claim(claim, final, found):
    """A narrow range and one opening; ``found`` are the numbers that it is about."""
    low, high = map(float, claim)
    narrow = 0 <= low < high <= min(1, low + 0.2 + 1e-9)
    assert narrow, f"claim: {claim} is no range within 0 and 1, at most 0.2 wide"
    expect(len(final.openings), 1, "the seal was opened once")
    print(f"it gave {np.mean(found):.3f}; you claimed {low:.2f} to {high:.2f}")
