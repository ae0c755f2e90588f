"""Stories hold the relations that they promise, and without ``planted`` they do not."""

import re
from collections import Counter

import numpy as np
import pytest

from utils.stories import stories


def marks(planted):
    """Return how often king and queen stand in a sentence with his, her, throne."""
    sentences, _ = stories(6000, rng=np.random.default_rng(1), planted=planted)
    seen = Counter()
    for s in sentences:
        for word in {"king", "queen"} & set(s):
            seen.update((word, mark) for mark in {"his", "her", "throne"} & set(s))
    return seen


def test_a_word_keeps_its_topics_and_its_marks():
    seen = marks(planted=True)
    assert seen["king", "his"] > 10 < seen["queen", "her"]
    assert seen["king", "her"] == seen["queen", "his"] == 0
    assert seen["king", "throne"] > 5 < seen["queen", "throne"]


def test_without_planting_the_marks_say_nothing_and_the_topics_stay():
    seen = marks(planted=False)
    assert (
        min(seen[w, m] for w in ("king", "queen") for m in ("his", "her", "throne")) > 5
    )


def test_the_same_generator_tells_the_same_stories():
    one, two = (stories(50, rng=np.random.default_rng(3)) for _ in range(2))
    assert one == two and len(one[0]) == 50
    assert stories(50, rng=np.random.default_rng(4))[0] != one[0]


def test_sentences_are_words_and_each_related_word_occurs():
    sentences, relations = stories(8000, rng=np.random.default_rng(0))
    assert all(re.fullmatch("[a-z]+", word) for s in sentences for word in s)
    assert 3 <= min(map(len, sentences)) and max(map(len, sentences)) <= 20
    words = Counter(word for s in sentences for word in s)
    assert 7 < sum(words.values()) / 8000 < 10
    related = [w for rows in relations.values() for row in rows for w in row]
    assert len(related) - len(set(related)) == 1  # polish
    assert min(words[w] for w in related) > 10
    for rows in relations.values():
        assert len({len(row) for row in rows}) == 1
        assert words[rows[0][0]] > words[rows[-1][0]]


@pytest.mark.parametrize("n", [0, -1, 100_001])
def test_bad_numbers_are_named(n):
    with pytest.raises(ValueError, match=f"1 ≤ n ≤ 100000, got {n}"):
        stories(n, rng=np.random.default_rng(0))
