"""What several test files of a chapter begin with: its names and more, texts, drawn inputs."""

import csv

import numpy as np

from press import chapters
from utils.stories import stories


def with_digits(chapter, book):
    """Add to the names of chapter 12 its digits and the rows of its two files."""
    chapter.run("12-digits-run", book)
    for name, file in (("SEARCHED", "run_12_depth"), ("RACES", "run_12_networks")):
        path = chapters.BOOK / "data" / f"{file}.csv"
        with path.open(encoding="utf-8", newline="") as rows:
            book[name] = list(csv.DictReader(rows))
    return book


def with_trainings(chapter, book):
    """Add to the names of chapter 17 the functions that train in its other cells."""
    chapter.define("17-backwards-run", book, "learn_backwards", "as_ids", "SHOWN")
    chapter.define("17-broken-code", book, "learn_deep")
    return book


def with_relations(book):
    """Add to the names of chapter 18 the rows that its questions are made of."""
    book["RELATIONS"] = stories(1, rng=np.random.default_rng(0))[1]
    return book


def texts_without_labels(book):
    """Draw 16,000 texts of chapter 19, none of the page's test, and number their words."""
    reviews = book["reviews"](
        16_000, rng=np.random.default_rng(77), without=book["TEST"]
    )
    texts = [review.text for review in reviews]
    return texts, book["number_words"](texts)


def decoder_step(rng, N, T, E, H, C, A):
    """Draw the parameters, the inputs and the mask of a decoder's step of chapter 20."""
    shapes = {"W_s": (H, A), "W_h": (C, A), "v": (A,)}
    for gate in "rus":
        shapes |= {f"W_x{gate}": (E + C, H), f"W_s{gate}": (H, H), f"b_{gate}": (H,)}
    sizes = {"y": (N, E), "s": (N, H), "h": (N, T, C)}
    w, inputs = (
        {key: rng.normal(size=shape) for key, shape in each.items()}
        for each in (shapes, sizes)
    )
    return w, inputs, np.arange(T) < rng.integers(1, T + 1, size=(N, 1))
