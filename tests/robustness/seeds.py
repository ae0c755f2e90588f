"""Sources of chance that move the seeds they are given.

Seeds are moved where they are used: ``default_rng(x)`` and the like get x plus the shift,
whichever way x has come (a literal, a list that a loop runs over, an argument). So equal seeds
stay equal, different ones different, and a result that is stored by its seed is found again.
What a function of ``utils`` fixes inside itself, such as a split of the data, stays.
"""

from collections.abc import Callable

import numpy as np

SOURCES = {"default_rng", "SeedSequence", "RandomState", "manual_seed", "seed"}
KEYWORDS = {"random_state"}


def moved(seed: object, shift: int) -> object:
    """Return a seed plus the shift; of several the first; what is no number stays as it is."""
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool):
        return int(seed) + shift
    if isinstance(seed, list | tuple | np.ndarray) and len(seed):
        return [moved(seed[0], shift), *seed[1:]]
    return seed


def moving(source: Callable, shift: int) -> Callable:
    """Return the same source of chance, which moves the seed that it is given.

    What is no source, such as an attribute that holds a seed, stays as it is.
    """
    if not callable(source):
        return source

    def seeded(*seeds, **options):
        seeds = [moved(seeds[0], shift), *seeds[1:]] if seeds else seeds
        options = {
            name: moved(value, shift) if name in ("seed", "entropy") else value
            for name, value in options.items()
        }
        return source(*seeds, **options)

    return seeded
