"""The small reviews keep what they promise, and stay what they were for a seed."""

import hashlib
import itertools
import tomllib
from collections import Counter
from importlib import resources

import numpy as np
import pytest

from utils.reviews import KINDS, reviews

DRAWN = "1cb597559151bb4482ddc22f043334e6bc8f463cd5431dc4336030182d643c33"


@pytest.fixture(scope="module")
def corpus():
    return reviews(4000, rng=np.random.default_rng(0))


def test_what_a_seed_draws_does_not_change(corpus):
    plain = repr([(r.text, r.label, r.kind) for r in corpus])
    assert hashlib.sha256(plain.encode()).hexdigest() == DRAWN


def test_no_doubles_both_labels_and_all_kinds(corpus):
    assert len({r.text for r in corpus}) == 4000
    assert abs(np.mean([r.label for r in corpus]) - 0.5) < 4 * 0.5 / 4000**0.5
    shares = Counter(r.kind for r in corpus)
    assert set(shares) == set(KINDS)
    assert all(0.1 < n / 4000 < 0.5 for n in shares.values())


def test_a_text_has_one_label():
    labels = {}
    for seed in range(3):
        for r in reviews(8000, rng=np.random.default_rng(seed)):
            assert labels.setdefault(r.text, r.label) == r.label, r


def test_what_is_excluded_is_not_drawn(corpus):
    others = reviews(2000, rng=np.random.default_rng(0), without=corpus)
    assert not {r.text for r in others} & {r.text for r in corpus}
    excluded = {r.text for r in corpus[:500]}
    others = reviews(2000, rng=np.random.default_rng(0), without=excluded)
    assert not {r.text for r in others} & excluded


def test_texts_are_tokens_in_lower_case(corpus):
    for r in corpus:
        assert r.text == r.text.lower() and r.text.endswith(" .")
        assert "  " not in r.text and "{" not in r.text
        words = r.text.split()
        assert 2 <= len(words) <= 60 and " ".join(words) == r.text
        for a, b in itertools.pairwise(words):
            assert a != "a" or b[0] not in "aeiou", r.text
            assert a != "an" or b[0] in "aeiou" or b == "hour", r.text


def test_mirrored_contrasts_have_the_other_label():
    words = tomllib.loads(
        resources.files("utils").joinpath("datasets/reviews.toml").read_text("utf-8")
    )
    good = set(words["adjectives"][1])
    for r in reviews(4000, rng=np.random.default_rng(1)):
        if r.kind == "contrast" and " , but the " in r.text:
            after = r.text.split(" , but the ")[1].split(" . ")[0].split()
            judged = [w for w in after if w in good or w in words["adjectives"][0]]
            assert (judged[0] in good) == r.label, r


@pytest.mark.parametrize("n", [0, -1, 20_001])
def test_bad_use_says_what_was_expected_and_what_came(n):
    with pytest.raises(ValueError, match=f"expected 1 ≤ n ≤ 20000, got {n}"):
        reviews(n, rng=np.random.default_rng(0))


def test_no_word_but_although_gives_the_kind_away(corpus):
    seen = {kind: Counter() for kind in KINDS}
    for r in corpus:
        seen[r.kind].update(set(r.text.split()))
    elsewhere = {w for kind in KINDS[1:] for w in seen[kind]} - set(seen["plain"])
    assert elsewhere == {"although"}
    for w in ("not", "never", "hardly", "very", "all", "oh", "how", "indeed", "true"):
        assert seen["plain"][w] > 40, w
    assert all(r.core in r.text for r in corpus)
