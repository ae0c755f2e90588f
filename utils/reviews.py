"""Short reviews of films, books, meals and trips, with negation, contrast and irony."""

import re
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

KINDS = ("plain", "negation", "contrast", "irony")
_SHARES = (0.45, 0.25, 0.15, 0.15)


@dataclass(frozen=True)
class Review:
    """A text in lower case with spaces between all tokens, its label and its kind.

    ``label`` is 1 if the writer is pleased and 0 if not; ``kind`` is one of ``KINDS``.
    ``core`` is the sentence that makes the kind.
    """

    text: str
    label: int
    kind: str
    core: str


def reviews(
    n: int, *, rng: np.random.Generator, without: Collection[str | Review] = ()
) -> list[Review]:
    """Draw ``n`` different reviews: a list of Review, about half of them positive.

    45 % are plain, 25 % hold a negated adjective, 15 % a contrast of which the main clause
    decides, 15 % an ironic adjective, as what happened shows. Neutral sentences around these
    hold "not", "never" and "but" as well.

    Parameters
    ----------
    n : int
        At most 20,000; else a ValueError.
    rng : numpy.random.Generator
    without : collection of str or of Review
        Texts that must not be drawn, those of a training set, say.
    """
    if not 1 <= n <= 20_000:
        raise ValueError(f"reviews: expected 1 ≤ n ≤ 20000, got {n}")
    taken = {getattr(review, "text", review) for review in without}
    reviews_by_text = {}
    while len(reviews_by_text) < n:
        review = _review(rng)
        if review.text not in taken:
            reviews_by_text.setdefault(review.text, review)
    return list(reviews_by_text.values())


@cache
def _words():
    file = resources.files("utils") / "datasets" / "reviews.toml"
    return tomllib.loads(file.read_text("utf-8"))


def _review(rng):
    words, label = _words(), int(rng.integers(2))
    kind = KINDS[rng.choice(4, p=_SHARES)]
    often_first = lambda options: options[int(len(options) * rng.random() ** 1.5)]
    thing = ("film", "book", "meal", "trip")[rng.integers(4)]
    vocabulary = words[thing]
    a, b = rng.permutation(vocabulary["aspects"])[:2]

    def sentence(pattern):
        (y, x), (f, e) = (
            [often_first(alternatives[side]) for side in (1 - label, label)]
            for alternatives in (words["adjectives"], vocabulary["events"])
        )
        x2 = often_first([w for w in words["adjectives"][label] if w != x])
        filled = pattern.format(a=a, b=b, x=x, y=y, e=e, f=f, x2=x2, thing=thing)
        return re.sub(r"\ba (?=[aeiou])", "an ", filled)

    table = "clause" if kind == "plain" else kind
    sentences = [sentence(often_first(words["patterns"][table]))]
    core = sentences[0]
    more = 0.6 if kind == "plain" else 0.25
    if rng.random() < more:
        sentences.append(sentence(often_first(words["patterns"]["clause"])))
    fillers = rng.permutation(vocabulary["filler"])[: rng.integers(3)]
    for filler in fillers:
        sentences.insert(rng.integers(len(sentences) + 1), str(filler))
    return Review(" . ".join(sentences) + " .", label, kind, core)
