"""Text that another program has saved in an encoding which nobody has noted down.

An encoding is taken where words are found that the text must hold: the names of the class,
the assignment's own. Trying alone decides nothing, as every bytes are some text in most.
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
    """The bytes are not UTF-8, and no word says what else they are."""


def decode(data: bytes, known: Iterable[str], guess: bool = False) -> tuple[str, str]:
    """Text of a file that should be UTF-8, and the name of the encoding that it has.

    Parameters
    ----------
    data : bytes
        The file.
    known : iterable of str
        Words that are expected in it; those of ASCII alone decide nothing.
    guess : bool
        Take the likeliest encoding where several have as many of the words: for code, of
        which comments alone may become other letters, and not for what is read by people.

    Raises
    ------
    Undecided
        If it is not UTF-8, and in no other encoding one of the words is found, or they
        are found in several that make another text of it.
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
    words = {_composed(word) for word in known if not word.isascii()}
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
    """Return the words and signs of a text by which its encoding can be told."""
    found = {*re.findall(r"\w+", text), *re.findall(r"[^\x00-\x7f]+", text)}
    return {word for word in found if not word.isascii()}


def _texts(data):
    """Give the text in each encoding that has all of these bytes."""
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
    """Return the text in which most of the words are found, and its encoding."""
    most, best = 1, []
    for encoding, text in _texts(data):
        if (found := _count(words, text)) > most:
            most, best = found, []
        if found == most:
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
    """How many of the words are there."""
    text = _composed(text)
    return sum(word in text for word in words)


def _composed(text):
    return unicodedata.normalize("NFC", text)
