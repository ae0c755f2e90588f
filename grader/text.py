"""Decode text that another program has saved in an unknown encoding.

An encoding is accepted if the text then contains expected words, such as the names of the
class or words of the assignment. That the bytes can be decoded proves nothing, as most
encodings accept most bytes.
"""

import re
import unicodedata
from collections.abc import Iterable

# What spreadsheets and editors save; of two that find as many words the first is taken.
ENCODINGS = (
    *("GB18030", "Big5-HKSCS", "CP950", "CP932", "EUC-JP", "CP949"),
    *("CP1252", "Mac-Roman", "CP1250", "CP1251", "Mac-Cyrillic", "KOI8-R", "CP1253"),
    *("CP1254", "CP1255", "CP1256", "CP1257", "CP1258", "CP874", "CP850"),
)


class Undecided(ValueError):
    """The bytes are not UTF-8, and no word tells their encoding."""


def decode(
    data: bytes, expected_words: Iterable[str], guess: bool = False
) -> tuple[str, str]:
    """Return the text of a file that should be UTF-8, and the encoding that it has.

    Expected words in ASCII are ignored. ``guess`` takes the likeliest encoding if several
    contain equally many of the words: for code, where only comments may come out wrong, and
    not for text that people read. Raises Undecided if it is not UTF-8, and no other encoding
    contains one of the words, or several that give different texts do.
    """
    if data[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):  # before UTF-16, which begins so
        return _decoded(data, "UTF-32"), "UTF-32"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _decoded(data, "UTF-16"), "UTF-16"
    if data[:4].count(0) == 3:  # UTF-32 without the mark at its start
        encoding = "UTF-32-LE" if data[:1] != b"\0" else "UTF-32-BE"
        return _decoded(data, encoding), encoding
    if b"\0" in data[:4]:  # UTF-16 without it
        encoding = "UTF-16-LE" if data[1:2] == b"\0" else "UTF-16-BE"
        return _decoded(data, encoding), encoding
    words = {_composed(word) for word in expected_words if not word.isascii()}
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _best(data, words, guess)
    if text.isascii() or data.startswith(b"\xef\xbb\xbf") or _count(words, text):
        return text, "UTF-8"
    try:  # a few characters of GB18030 may be some in UTF-8, too
        longer = {w for w in words if sum(not c.isascii() for c in w) > 1}
        return _best(data, longer, guess)
    except Undecided:
        return text, "UTF-8"


def words_of(text: str) -> set[str]:
    """Return the words and signs of a text from which its encoding can be inferred."""
    words = {*re.findall(r"\w+", text), *re.findall(r"[^\x00-\x7f]+", text)}
    return {word for word in words if not word.isascii()}


def _texts(data):
    """Yield each encoding that accepts these bytes, with the text."""
    for encoding in ENCODINGS:
        try:
            yield encoding, data.decode(encoding)
        except UnicodeDecodeError:
            continue
    # A line with an accent that was pasted into UTF-8 by a program that knew none.
    text = data.decode("utf-8", errors="surrogateescape").removeprefix("\ufeff")
    foreign = lambda one: bytes([ord(one[0]) - 0xDC00]).decode("cp1252", "replace")
    yield "UTF-8 mixed with another", re.sub("[\udc80-\udcff]", foreign, text)


def _best(data, words, guess):
    """Return the text that contains most of the words, and its encoding."""
    most, best = 1, []
    for encoding, text in _texts(data):
        if (count := _count(words, text)) > most:
            most, best = count, []
        if count == most:
            best.append((text, encoding))
    # Of the encodings of East Asia that have a word China's is the likeliest.
    if best and (guess or best[0][1] == "GB18030"):
        return best[0]
    letters = {"".join(filter(str.isalnum, text)) for text, _ in best}
    if len(letters) != 1:  # a dash is no matter
        raise Undecided
    return best[0]


def _decoded(data, encoding):
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise Undecided from None


def _count(words, text):
    """Return how many of the words a text contains."""
    text = _composed(text)
    return sum(word in text for word in words)


def _composed(text):
    return unicodedata.normalize("NFC", text)
