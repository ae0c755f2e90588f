"""Small stories in which words are related: king to queen, dog to dogs, France to Paris.

The words stand in ``datasets/stories.toml``. Two words of a row share its topics (king and
queen the throne), and two words of a role its marks (king and man the word "his").
"""

import re
import tomllib
from functools import cache
from importlib import resources

import numpy as np


def stories(
    n: int, *, rng: np.random.Generator, planted: bool = True
) -> tuple[list[list[str]], dict[str, tuple[tuple[str, ...], ...]]]:
    """Draw sentences of about nine words, and the related words in them.

    Parameters
    ----------
    n : int
        Number of sentences, 1 to 100,000; else a ValueError.
    rng : numpy.random.Generator
    planted : bool
        If False, the word of a sentence is any of its row, whatever the marks: then the
        words of a row keep their topics, but nothing in the text tells their roles.

    Returns
    -------
    sentences : list of lists of str
    relations : dict of str to tuple of tuples of str
        By name of the relation its rows, such as ("king", "queen", "prince", "princess").
    """
    if not 1 <= n <= 100_000:
        raise ValueError(f"stories: expected 1 ≤ n ≤ 100000, got {n}")
    relations = {name: _rows(name) for name in _tables()}
    names, choose = list(relations), lambda options: options[rng.integers(len(options))]
    sentences = []
    for _ in range(n):
        rows = relations[name := choose(names)]
        share = 1 / (np.arange(len(rows)) + 4)  # the first rows are more frequent
        row = rng.choice(len(rows), p=share / share.sum())
        role, other = rng.integers(len(rows[row]), size=2)
        table = _tables()[name]
        slots = {k: texts[role].split("|") for k, texts in table["marks"].items()}
        t, u = rng.permutation(table["rows"][row][1].split())[:2]
        slots |= {"w": [rows[row][role if planted else other]], "t": [t], "u": [u]}
        fill = lambda match, slots=slots: choose(slots[match[1]])
        sentences.append(re.sub(r"\{(\w+)\}", fill, choose(table["templates"])).split())
    return sentences, {k: tuple(map(tuple, rows)) for k, rows in relations.items()}


@cache
def _tables():
    file = resources.files("utils") / "datasets" / "stories.toml"
    return tomllib.loads(file.read_text("utf-8"))


def _rows(name):
    return [words.split() for words, _ in _tables()[name]["rows"]]
