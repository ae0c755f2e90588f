"""Words, their numbers, and padded batches of them."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

PAD, BOS, EOS, UNK = range(4)
SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")
# A Chinese character stands alone; don't stays whole; other marks are tokens of their own.
_TOKEN = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+(?:['’][^\W]+)*|[^\w\s]")


def tokenise(text: str) -> list[str]:
    """List a text's lower-case words, Chinese characters and punctuation marks, in order."""
    return _TOKEN.findall(text.lower())


class Vocabulary:
    """Words and their numbers: 0 <pad>, 1 <bos>, 2 <eos>, 3 <unk>, then by frequency.

    Parameters
    ----------
    sentences : iterable of sequences of str
    min_count : int
        Rarer words become <unk>.
    """

    def __init__(self, sentences: Iterable[Sequence[str]], *, min_count: int = 1):
        sentences = list(sentences)
        if not sentences or any(isinstance(s, str) for s in sentences):
            got = "a string; tokenise it first" if sentences else "none"
            raise ValueError(f"Vocabulary: expected sentences of words, got {got}")
        counts = Counter(itertools.chain.from_iterable(sentences))
        for word in SPECIALS:
            counts.pop(word, None)
        frequent = sorted((-n, word) for word, n in counts.items() if n >= min_count)
        self.words = SPECIALS + tuple(word for _, word in frequent)
        self._index = {word: i for i, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._index

    def encode(self, words: Sequence[str]) -> list[int]:
        """Return the numbers of the words; nothing is put before or after them."""
        if isinstance(words, str):
            raise TypeError(f"encode: expected a list of words, got {words!r}")
        return [self._index.get(word, UNK) for word in words]

    def decode(self, indices: Iterable[int]) -> list[str]:
        """Return the words up to the first <eos>, without <pad> and <bos>."""
        ids = [int(i) for i in indices]
        if ids and not 0 <= min(ids) <= max(ids) < len(self):
            expected = f"numbers in 0…{len(self) - 1}"
            raise ValueError(f"decode: expected {expected}, got {ids}")
        ids = itertools.takewhile(lambda i: i != EOS, ids)
        return [self.words[i] for i in ids if i not in (PAD, BOS)]


def pad(sequences: Iterable[Iterable[int]]) -> np.ndarray:
    """Join lists of numbers in one array (N, T), <pad> behind the shorter ones."""
    sequences = [list(s) for s in sequences]
    if not sequences:
        raise ValueError("pad: expected at least one sequence, got none")
    padded = np.full((len(sequences), max(map(len, sequences))), PAD)
    for row, sequence in zip(padded, sequences, strict=True):
        row[: len(sequence)] = sequence
    return padded


def batches(
    *columns: Sequence[Sequence[int]], size: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, ...]]:
    """Shuffle once and yield padded arrays (N, T), one a column; the last may be smaller.

    ``columns`` are equally long lists of lists of numbers, as sources and targets.
    """
    lengths = [len(column) for column in columns]
    if len(set(lengths)) != 1 or size < 1:
        expected = "equally long columns and size ≥ 1"
        raise ValueError(f"batches: expected {expected}, got {lengths} and {size}")
    order = rng.permutation(lengths[0])
    for start in range(0, len(order), size):
        rows = order[start : start + size]
        yield tuple(pad(column[i] for i in rows) for column in columns)
