"""What chapter 2 tells of more test sets than its page draws."""

import numpy as np

from tests.chapter_code import ChapterCode

chapter = ChapterCode("02_learning")


def test_the_bootstrap_interval_promises_a_little_too_much():
    """What ex-4 tells of 4,000 test sets: it covers about 93 % and not 95 %."""
    book = chapter.namespace()
    chapter.define("cv-run", book, "train", "X10")
    chapter.define("interval-check", book, "taught", "crowd")
    chapter.run("ex-bootstrap", book)
    f1_of, rng, inside = book["f1_of"], np.random.default_rng(80), []
    truth = f1_of(np.arange(455))
    for _ in range(4000):
        sample = rng.integers(0, 455, 114)
        values = f1_of(sample[rng.integers(0, 114, (200, 114))])
        low, high = np.percentile(values, [2.5, 97.5])
        inside.append(low <= truth <= high)
    error = np.sqrt(0.93 * 0.07 / 4000)
    assert abs(np.mean(inside) - 0.93) < 4 * error
    assert np.mean(inside) < 0.95 - 2 * error
