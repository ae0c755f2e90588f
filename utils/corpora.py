"""Small parallel corpora, English with French or Chinese, made by grammars.

The words stand in ``datasets/lexicon.toml``. A *piece* of a sentence is a list of English
words and a list of pairs (word of the translation, position of the English word that it
renders).
"""

import tomllib
from collections import namedtuple
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np


@dataclass(frozen=True)
class SentencePair:
    """A sentence, its translation, and for each of its words the source word it renders."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: tuple[int, ...]


def parallel_corpus(
    n: int, *, language: str, rng: np.random.Generator
) -> list[SentencePair]:
    """Draw ``n`` different English sentences with their translations: a list of SentencePair.

    They are in lower case, end in "." or "。" and have 3 to 15 words.

    Parameters
    ----------
    n : int
        At most 20,000; else a ValueError.
    language : {"French", "Chinese"}
        French: articles, adjectives and verbs agree; colours follow the noun; object
        pronouns and "ne" precede the verb. Chinese: nouns have their measure words; time
        and place precede the verb. Words are separate tokens, in Chinese too.
    rng : numpy.random.Generator
    """
    makers = {"French": _french, "Chinese": _chinese}
    if language not in makers or not 1 <= n <= 20_000:
        got = f"{language!r} and {n}"
        raise ValueError(f"expected French or Chinese and 1 ≤ n ≤ 20000, got {got}")
    choose = lambda options: options[rng.integers(len(options))]
    pairs = {}
    while len(pairs) < n:
        words, rendering = makers[language](choose)
        target, alignment = zip(*rendering, strict=True)
        pairs[tuple(words)] = SentencePair(tuple(words), target, alignment)
    return list(pairs.values())


@cache
def _words(table, *beginning):
    """Return the rows of a table of the lexicon, those that begin so, with named columns."""
    lexicon = resources.files("utils") / "datasets" / "lexicon.toml"
    columns, rows = tomllib.loads(lexicon.read_text("utf-8"))[table].values()
    Row = namedtuple(table, columns)
    return tuple(Row(*r) for r in rows if tuple(r[: len(beginning)]) == beginning)


def _piece(english, rendering):
    """Pair words with their rendering, which is of the last of them, or of the last before them."""
    words = english.split()
    return words, [(word, len(words) - 1) for word in rendering.split()]


def _word(row, column):
    """Return a row of the lexicon rendered by one of its columns; nothing for None."""
    return _piece(row.english, getattr(row, column)) if row else ([], [])


def _arrange(order, **pieces):
    """Join pieces that are given in English order, and rendered in ``order``."""
    words, rendered = [], {}
    for name, (english, rendering) in pieces.items():
        rendered[name] = [(word, len(words) + at) for word, at in rendering]
        words += english
    return words, [pair for name in order.split() for pair in rendered[name]]


def _subject(choose, language, phrase):
    """Return a pronoun or a noun phrase, and its person, named by the French pronoun."""
    if choose((True, False)):
        pronoun = choose(_words("subjects"))
        return _word(pronoun, language), pronoun.person
    piece, many = phrase(choose, "people")
    return piece, "ils" if many else "il"


def _predicate(choose, person):
    """Return a verb, its English form and auxiliaries; whether negated, whether going on."""
    verb = choose(_words("verbs"))
    negated, ongoing = choose((False, False, True)), choose((False, False, True))
    form = verb.third if person == "il" and not negated else verb.base
    auxiliary = ("does" if person == "il" else "do") * negated
    if ongoing:
        form, auxiliary = verb.ongoing, {"je": "am", "il": "is"}.get(person, "are")
    return verb, form, auxiliary + " not" * negated, negated, ongoing


def _object(choose, verb, language, phrase):
    """Return what follows the verb, if anything; and whether it is a pronoun."""
    what = choose(("pronoun", "people", "things", "things") + (None,) * verb.alone)
    if what == "pronoun":
        return _word(choose(_words("objects")), language), True
    return phrase(choose, what)[0] if what else ([], []), False


def _french(choose):
    subject, person = _subject(choose, "french", _french_phrase)
    verb, form, auxiliary, negated, _ = _predicate(choose, person)
    adverb = choose((None, None, *_words("adverbs")))
    thing, pronoun = _object(choose, verb, "french", _french_phrase)
    before, after = ("object", "") if pronoun else ("", "object")
    words, target = _arrange(
        f"subject negation {before} verb pas adverb {after} stop",
        subject=subject,
        negation=_piece(auxiliary, "ne" * negated),
        pas=_piece("", "pas" * negated),
        adverb=_word(adverb, "french"),
        verb=_piece(form, getattr(verb, person)),
        object=thing,
        stop=_piece(".", "."),
    )
    # le, la, je, ne, ce, ma before a vowel
    short = {"le": "l'", "la": "l'", "je": "j'", "ne": "n'", "ce": "cet", "ma": "mon"}
    for i, (word, at) in enumerate(target[:-1]):
        if target[i + 1][0][0] in "aeé":
            target[i] = short.get(word, word), at
    return words, target


def _french_phrase(choose, kind):
    """Return an article, up to two adjectives and a noun that agree; and whether plural."""
    noun, article = choose(_words("nouns", kind)), choose(_words("articles"))
    front = choose((None, None, *_words("adjectives", kind, "before")))
    back = choose((None, None, *_words("adjectives", kind, "after")))
    many = choose((False, True))
    form = noun.gender + "_plural" * many
    the = article.english_plural if many else article.english
    les = getattr(article, form)
    cats = noun.english_plural if many else noun.english
    chats = noun.french_plural if many else noun.french
    return _arrange(
        "article front noun back",
        article=_piece(the, "de" if front and les == "des" else les),
        front=_word(front, form),
        back=_word(back, form),
        noun=_piece(cats, chats),
    ), many


def _chinese(choose):
    subject, person = _subject(choose, "chinese", _chinese_phrase)
    verb, form, auxiliary, negated, ongoing = _predicate(choose, person)
    thing, _ = _object(choose, verb, "chinese", _chinese_phrase)
    place = choose((None, None, *_words("places")))
    time = choose((None, *_words("times")))
    return _arrange(
        "subject time at place within negation ongoing verb object stop",
        subject=subject,
        negation=_piece(auxiliary, ("没" if ongoing else "不") * negated),
        verb=_piece(form, verb.chinese),
        ongoing=_piece("", "在" * ongoing),
        object=thing,
        at=_piece("in", "在") if place else _piece("", ""),
        within=_piece("", "里" if place else ""),
        place=_word(place, "chinese"),
        time=_word(time, "chinese"),
        stop=_piece(".", "。"),
    )


def _chinese_phrase(choose, kind):
    """Return a number, a measure word, an adjective and a noun; and whether plural."""
    noun, number = choose(_words("nouns", kind)), choose(_words("numbers"))
    adjective = choose((None, None, *_words("adjectives", kind)))
    joined = adjective and adjective.place == "after"
    return _arrange(
        "number measure adjective de noun",
        number=_word(number, "chinese"),
        adjective=_word(adjective, "chinese"),
        de=_piece("", "的" if joined else ""),
        noun=_piece(noun.english_plural if number.many else noun.english, noun.chinese),
        measure=_piece("", noun.measure * number.measured),
    ), number.many
