"""Words, vocabularies and batches."""

import numpy as np
import pytest

from utils.text import BOS, EOS, PAD, UNK, Vocabulary, batches, pad, tokenise


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
    ],
)
def test_bad_use_says_what_was_expected_and_what_came(call, error, message):
    with pytest.raises(error, match=message):
        call()
