"""Small parallel corpora, English with French or Chinese, made by grammars.

The words stand in ``lexicon.toml``; here stands how a sentence is put together. A sentence
is built as a list of English words and a list of pairs: a word of the translation, and the
position of the English word that it renders.
"""

import tomllib
from collections import namedtuple
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class SentencePair:
    """A sentence, its translation, and for each of its words the source word it renders."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: tuple[int, ...]


def parallel_corpus(n, *, language, rng):
    """``n`` different English sentences with their translations, made by a grammar.

    Parameters
    ----------
    n : int
        At most 20,000.
    language : {"French", "Chinese"}
        French: articles, adjectives and verbs agree; colours follow the noun; object
        pronouns and "ne" precede the verb. Chinese: nouns have their measure words; time
        and place precede the verb. Words are separate tokens, in Chinese too.
    rng : numpy.random.Generator

    Returns
    -------
    list of SentencePair
        Lower case, ending in "." or "。", 3 to 15 words.

    Raises
    ------
    ValueError
        Another language, or a number out of range.
    """
    makers = {"French": _french, "Chinese": _chinese}
    if language not in makers or not 1 <= n <= 20_000:
        raise ValueError(
            f"parallel_corpus: expected French or Chinese and 1 ≤ n ≤ 20000, "
            f"got {language!r} and {n}"
        )
    choose = lambda options: options[rng.integers(len(options))]
    pairs = {}
    while len(pairs) < n:
        words, target = makers[language](choose)
        rendered, alignment = zip(*target, strict=True)
        pairs[tuple(words)] = SentencePair(tuple(words), rendered, alignment)
    return list(pairs.values())


@cache
def _words(table, *beginning):
    """The rows of a table of the lexicon, those that begin so, with named columns."""
    lexicon = resources.files(__package__).joinpath("lexicon.toml").read_text("utf-8")
    columns, rows = tomllib.loads(lexicon)[table].values()
    Word = namedtuple(table, columns)
    return tuple(Word(*r) for r in rows if tuple(r[: len(beginning)]) == beginning)


def _subject(choose, language, words, target):
    """A pronoun or a noun phrase; returns the person, named by its French pronoun."""
    if choose((True, False)):
        subject = choose(_words("subjects"))
        words.append(subject.english)
        target.append((getattr(subject, language), 0))
        return subject.person
    noun_phrase = {"french": _french_noun_phrase, "chinese": _chinese_noun_phrase}
    many = noun_phrase[language](choose, "people", words, target)
    return "ils" if many else "il"


def _predicate(choose, person, words):
    """A verb; appends is, does not, are not … as it needs. Returns it and its English form."""
    verb = choose(_words("verbs"))
    negated, ongoing = choose((False, False, True)), choose((False, False, True))
    if ongoing:
        words.append({"je": "am", "il": "is"}.get(person, "are"))
    elif negated:
        words.append("does" if person == "il" else "do")
    if negated:
        words.append("not")
    third = person == "il" and not negated
    form = verb.ongoing if ongoing else verb.third if third else verb.base
    return verb, form, negated, ongoing


def _object(choose, verb):
    """What follows the verb: a pronoun, a kind of noun, or None where it can stand alone."""
    options = ("pronoun", "people", "things", "things")
    return choose((*options, None) if verb.alone else options)


def _french(choose):
    words, target = [], []
    person = _subject(choose, "french", words, target)
    verb, form, negated, _ = _predicate(choose, person, words)
    not_at = len(words) - 1
    adverb = choose((None, None, *_words("adverbs")))
    words += [adverb.english, form] if adverb else [form]
    verb_at = len(words) - 1
    target += [("ne", not_at)] if negated else []
    what = _object(choose, verb)
    if what == "pronoun":
        pronoun = choose(_words("objects"))
        target.append((pronoun.french, len(words)))
        words.append(pronoun.english)
    target.append((getattr(verb, person), verb_at))
    target += [("pas", not_at)] if negated else []
    target += [(adverb.french, verb_at - 1)] if adverb else []
    if what in ("people", "things"):
        _french_noun_phrase(choose, what, words, target)
    target.append((".", len(words)))
    return [*words, "."], _elide(target)


def _french_noun_phrase(choose, kind, words, target):
    """An article, up to two adjectives and a noun that agree; returns whether plural."""
    noun, article = choose(_words("nouns", kind)), choose(_words("articles"))
    front = choose((None, None, *_words("adjectives", kind, "before")))
    back = choose((None, None, *_words("adjectives", kind, "after")))
    many = choose((False, True))
    form = noun.gender + "_plural" * many
    first = getattr(article, form)
    target.append(("de" if first == "des" and front else first, len(words)))
    words.append(article.english_plural if many else article.english)
    words += [adjective.english for adjective in (front, back) if adjective]
    noun_at = len(words)
    words.append(noun.english_plural if many else noun.english)
    if front:
        target.append((getattr(front, form), noun_at - (2 if back else 1)))
    target.append((noun.french_plural if many else noun.french, noun_at))
    if back:
        target.append((getattr(back, form), noun_at - 1))
    return many


def _elide(target):
    """le, la, je, ne, ce, ma before a vowel."""
    short = {"le": "l'", "la": "l'", "je": "j'", "ne": "n'", "ce": "cet", "ma": "mon"}
    following = [word for word, _ in target[1:]] + [""]
    return [
        (short.get(word, word) if after[:1] in set("aeé") else word, at)
        for (word, at), after in zip(target, following, strict=True)
    ]


def _chinese(choose):
    words, target, action, where = [], [], [], []
    person = _subject(choose, "chinese", words, target)
    verb, form, negated, ongoing = _predicate(choose, person, words)
    if negated:
        action.append(("没" if ongoing else "不", len(words) - 1))
    action += [("在", len(words))] if ongoing else []
    action.append((verb.chinese, len(words)))
    words.append(form)
    what = _object(choose, verb)
    if what == "pronoun":
        pronoun = choose(_words("objects"))
        action.append((pronoun.chinese, len(words)))
        words.append(pronoun.english)
    elif what:
        _chinese_noun_phrase(choose, what, words, action)
    place = choose((None, None, *_words("places")))
    time = choose((None, *_words("times")))
    if place:
        at = len(words)
        words += place.english.split()
        where = [("在", at), (place.chinese, len(words) - 1), ("里", at)]
    if time:
        words += time.english.split()
        target.append((time.chinese, len(words) - 1))
    return [*words, "."], [*target, *where, *action, ("。", len(words))]


def _chinese_noun_phrase(choose, kind, words, target):
    """A number, a measure word, an adjective and a noun; returns whether plural."""
    noun, number = choose(_words("nouns", kind)), choose(_words("numbers"))
    adjective = choose((None, None, *_words("adjectives", kind)))
    at = len(words)
    words += [number.english, adjective.english] if adjective else [number.english]
    noun_at = len(words)
    words.append(noun.english_plural if number.many else noun.english)
    target.append((number.chinese, at))
    target.append(("的", at) if number.english == "my" else (noun.measure, noun_at))
    if adjective:
        target.append((adjective.chinese, at + 1))
        target += [("的", at + 1)] if adjective.place == "after" else []
    target.append((noun.chinese, noun_at))
    return number.many
