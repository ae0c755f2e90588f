"""Words, vocabularies, batches; and corpora that keep the grammar they promise."""

import itertools
from collections import Counter

import numpy as np
import pytest

from utils.text import (
    BOS,
    EOS,
    PAD,
    UNK,
    Vocabulary,
    batches,
    pad,
    parallel_corpus,
    tokenise,
)


@pytest.fixture(scope="module", params=["French", "Chinese"])
def corpus(request):
    rng = np.random.default_rng(0)
    return request.param, parallel_corpus(3000, language=request.param, rng=rng)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The cats sleep.", ["the", "cats", "sleep", "."]),
        ("Don't stop, 3 times!", ["don't", "stop", ",", "3", "times", "!"]),
        ("梯度下降 is GD。", ["梯", "度", "下", "降", "is", "gd", "。"]),
        ("étoile x_1  \n(a)", ["étoile", "x_1", "(", "a", ")"]),
        ("  ", []),
    ],
)
def test_tokenise(text, tokens):
    assert tokenise(text) == tokens


def test_vocabulary_numbers_words_by_frequency_and_back():
    v = Vocabulary([["b", "a", "b"], ["c", "a", "b", "<bos>"]])
    assert v.words == ("<pad>", "<bos>", "<eos>", "<unk>", "b", "a", "c")
    assert v.encode(["a", "b", "z"]) == [5, 4, UNK] and len(v) == 7
    assert v.decode([BOS, 4, PAD, 6, EOS, 5]) == ["b", "c"]
    assert v.decode(np.array([5, UNK])) == ["a", "<unk>"] and v.decode([]) == []
    assert "a" in v and "z" not in v
    assert Vocabulary([["b", "a", "b"]], min_count=2).words[4:] == ("b",)


def test_pad_fills_behind():
    assert pad([[1, 2, 3], [4], []]).tolist() == [[1, 2, 3], [4, 0, 0], [0, 0, 0]]


def test_batches_hold_every_row_once_and_keep_pairs():
    sources = [[i] * (1 + i % 4) for i in range(1, 11)]
    targets = [[10 * i] for i in range(1, 11)]
    seen = []
    for X, Y in batches(sources, targets, size=4, rng=np.random.default_rng(0)):
        assert len(X) == len(Y) <= 4
        assert X.shape[1] == max(len(sources[i - 1]) for i in X[:, 0])
        assert (Y[:, 0] == 10 * X[:, 0]).all()
        seen += X[:, 0].tolist()
    assert sorted(seen) == list(range(1, 11)) and seen != sorted(seen)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Vocabulary([]), ValueError, "expected sentences .* got none"),
        (lambda: Vocabulary(["a b"]), ValueError, "got a string; tokenise it first"),
        (
            lambda: Vocabulary([["a"]]).encode("a"),
            TypeError,
            "expected a list of words",
        ),
        (
            lambda: Vocabulary([["a"]]).decode([9]),
            ValueError,
            "expected numbers in 0…4",
        ),
        (lambda: pad([]), ValueError, "expected at least one sequence"),
        (
            lambda: next(batches([[1]], [], size=1, rng=None)),
            ValueError,
            r"equally long columns .* got \[1, 0\]",
        ),
        (
            lambda: parallel_corpus(5, language="Latin", rng=None),
            ValueError,
            "expected French or Chinese .* got 'Latin' and 5",
        ),
        (lambda: parallel_corpus(0, language="French", rng=None), ValueError, "and 0"),
    ],
)
def test_bad_use_says_what_was_expected_and_what_came(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_corpora_are_reproducible_without_doubles(corpus):
    language, pairs = corpus
    again = parallel_corpus(3000, language=language, rng=np.random.default_rng(0))
    assert pairs == again
    assert len({p.source for p in pairs}) == 3000


def test_each_word_is_aligned_with_a_word(corpus):
    _, pairs = corpus
    for p in pairs:
        assert 3 <= len(p.source) <= 15 and p.source[-1] == "."
        assert len(p.alignment) == len(p.target)
        assert all(0 <= i < len(p.source) for i in p.alignment)
    reordered = [p for p in pairs if list(p.alignment) != sorted(p.alignment)]
    assert len(reordered) > 0.8 * len(pairs)


def test_one_english_sentence_has_one_translation(corpus):
    """No choice of the grammar is lost in English, else no model could be exact."""
    language, _ = corpus
    rendered = {}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        for p in parallel_corpus(20_000, language=language, rng=rng):
            assert rendered.setdefault(p.source, p.target) == p.target


def test_the_notes_sentence_is_in_the_french_corpus():
    pairs = parallel_corpus(20_000, language="French", rng=np.random.default_rng(0))
    by_source = {" ".join(p.source): p for p in pairs}
    watching = by_source["they are watching ."]
    assert watching.target == ("ils", "regardent", ".")
    assert watching.alignment == (0, 2, 3)


def test_french_words_agree(corpus):
    language, pairs = corpus
    if language == "Chinese":
        measures = {"书": "本", "苹果": "个", "车": "辆", "树": "棵", "猫": "只"}
        for p in pairs:
            for noun, measure in measures.items():
                for at in (i for i, w in enumerate(p.target) if w == noun):
                    mine = [w for w, i in zip(p.target, p.alignment, strict=True)
                            if i == p.alignment[at]]  # fmt: skip
                    assert mine in ([measure, noun], [noun]), p
        return
    feminine = {"petite", "grande", "verte", "blanche", "la", "une", "cette", "ma"}
    nouns = {"pomme", "maison", "voiture", "étoile", "fille", "amie"}
    follows = Counter()
    for p in pairs:
        for a, b in itertools.pairwise(p.target):
            follows[a, b] += 1
            assert a not in {"le", "la", "je", "ne", "ce", "ma"} or b[0] not in "aeé"
            assert a not in {"un", "le", "ce", "petit", "grand"} or b not in nouns
            assert a not in feminine or b not in {"chat", "chien", "livre", "arbre"}
            assert (
                a != "ils"
                or b.endswith("nt")
                or b in {"ne", "n'", "le", "la", "l'", "les"}
            )
    assert (
        follows["l'", "étoile"] and follows["cet", "arbre"] and follows["mon", "amie"]
    )
    assert follows["étoiles", "blanches"] and follows["n'", "admire"]
