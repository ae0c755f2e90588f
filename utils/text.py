"""Words, their numbers, padded batches; and two small parallel corpora made by grammars."""

import itertools
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

PAD, BOS, EOS, UNK = range(4)
SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")
# A Chinese character stands alone; don't stays whole; other marks are tokens of their own.
_TOKEN = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+(?:['’][^\W]+)*|[^\w\s]")


def tokenise(text):
    """Lower-case words, Chinese characters and punctuation marks of a text, in order."""
    return _TOKEN.findall(text.lower())


class Vocabulary:
    """Words and their numbers: 0 <pad>, 1 <bos>, 2 <eos>, 3 <unk>, then by frequency.

    Parameters
    ----------
    sentences : iterable of sequences of str
    min_count : int
        Rarer words become <unk>.
    """

    def __init__(self, sentences, *, min_count=1):
        sentences = list(sentences)
        if not sentences or any(isinstance(s, str) for s in sentences):
            raise ValueError(
                "Vocabulary: expected sentences as lists of words, got "
                f"{'none' if not sentences else 'a string; tokenise it first'}"
            )
        counts = Counter(itertools.chain.from_iterable(sentences))
        for word in SPECIALS:
            counts.pop(word, None)
        kept = sorted((-n, word) for word, n in counts.items() if n >= min_count)
        self.words = SPECIALS + tuple(word for _, word in kept)
        self._index = {word: i for i, word in enumerate(self.words)}

    def __len__(self):
        return len(self.words)

    def __contains__(self, word):
        return word in self._index

    def encode(self, words):
        """Numbers of the words; nothing is put before or after them."""
        if isinstance(words, str):
            raise TypeError(f"encode: expected a list of words, got {words!r}")
        return [self._index.get(word, UNK) for word in words]

    def decode(self, indices):
        """Words up to the first <eos>, without <pad> and <bos>."""
        ids = [int(i) for i in indices]
        if ids and not 0 <= min(ids) <= max(ids) < len(self):
            raise ValueError(
                f"decode: expected numbers in 0…{len(self) - 1}, got {ids}"
            )
        ids = itertools.takewhile(lambda i: i != EOS, ids)
        return [self.words[i] for i in ids if i not in (PAD, BOS)]


def pad(sequences):
    """Lists of numbers as one array (N, T), <pad> behind the shorter ones."""
    sequences = [list(s) for s in sequences]
    if not sequences:
        raise ValueError("pad: expected at least one sequence, got none")
    padded = np.full((len(sequences), max(map(len, sequences))), PAD)
    for row, sequence in zip(padded, sequences, strict=True):
        row[: len(sequence)] = sequence
    return padded


def batches(*columns, size, rng):
    """Shuffle once and yield padded arrays (N, T), one a column; the last may be smaller.

    ``columns`` are equally long lists of lists of numbers, as sources and targets.
    """
    lengths = {len(column) for column in columns}
    if len(lengths) != 1 or size < 1:
        raise ValueError(
            f"batches: expected equally long columns and size ≥ 1, got "
            f"{[len(c) for c in columns]} and {size}"
        )
    order = rng.permutation(lengths.pop())
    for start in range(0, len(order), size):
        rows = order[start : start + size]
        yield tuple(pad(column[i] for i in rows) for column in columns)


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
        Lower case, ending in "." or "。", 3 to 14 words.
    """
    makers = {"French": _french, "Chinese": _chinese}
    if language not in makers or not 1 <= n <= 20_000:
        raise ValueError(
            f"parallel_corpus: expected French or Chinese and 1 ≤ n ≤ 20000, "
            f"got {language!r} and {n}"
        )
    pairs = {}
    while len(pairs) < n:
        words, target = makers[language](
            lambda options: options[rng.integers(len(options))]
        )
        rendered, alignment = zip(*target, strict=True)
        pairs[tuple(words)] = SentencePair(tuple(words), rendered, alignment)
    return list(pairs.values())


# fmt: off
# English, plural; French, plural, gender; Chinese with its measure word
_PEOPLE = (
    ("cat", "cats", "chat", "chats", "m", "猫", "只"),
    ("dog", "dogs", "chien", "chiens", "m", "狗", "只"),
    ("girl", "girls", "fille", "filles", "f", "女孩", "个"),
    ("teacher", "teachers", "professeur", "professeurs", "m", "老师", "位"),
    ("friend", "friends", "amie", "amies", "f", "朋友", "位"),
    ("student", "students", "étudiant", "étudiants", "m", "学生", "个"),
)
_THINGS = (
    ("book", "books", "livre", "livres", "m", "书", "本"),
    ("apple", "apples", "pomme", "pommes", "f", "苹果", "个"),
    ("house", "houses", "maison", "maisons", "f", "房子", "座"),
    ("car", "cars", "voiture", "voitures", "f", "车", "辆"),
    ("tree", "trees", "arbre", "arbres", "m", "树", "棵"),
    ("star", "stars", "étoile", "étoiles", "f", "星星", "颗"),
)
# English; French singular m, f, plural m, f; Chinese: those of people, then of things.
# What French puts before the noun, Chinese joins without 的.
_FRONT = (
    (("small", ("petit", "petite", "petits", "petites"), "小"),
     ("young", ("jeune", "jeune", "jeunes", "jeunes"), "年轻")),
    (("small", ("petit", "petite", "petits", "petites"), "小"),
     ("big", ("grand", "grande", "grands", "grandes"), "大")),
)
_BACK = (
    (("tired", ("fatigué", "fatiguée", "fatigués", "fatiguées"), "疲倦"),
     ("strong", ("fort", "forte", "forts", "fortes"), "强壮")),
    (("red", ("rouge", "rouge", "rouges", "rouges"), "红色"),
     ("green", ("vert", "verte", "verts", "vertes"), "绿色"),
     ("white", ("blanc", "blanche", "blancs", "blanches"), "白色")),
)
# English, plural; French masculine, feminine, plural
_ARTICLES = (
    ("the", "the", "le", "la", "les"), ("a", "some", "un", "une", "des"),
    ("this", "these", "ce", "cette", "ces"), ("my", "my", "mon", "ma", "mes"),
)
_NUMBERS = (("a", "一"), ("two", "两"), ("three", "三"), ("this", "这"), ("my", "我"))
# Base, third person, -ing; French for I, we, he, they; Chinese
_VERBS = (
    ("watch", "watches", "watching",
     ("regarde", "regardons", "regarde", "regardent"), "看"),
    ("draw", "draws", "drawing", ("dessine", "dessinons", "dessine", "dessinent"), "画"),
    ("seek", "seeks", "seeking", ("cherche", "cherchons", "cherche", "cherchent"), "找"),
    ("describe", "describes", "describing",
     ("décris", "décrivons", "décrit", "décrivent"), "描写"),
    ("admire", "admires", "admiring", ("admire", "admirons", "admire", "admirent"), "欣赏"),
)
# English, French, Chinese; person as an index into the forms of a verb
_SUBJECTS = (
    ("i", "je", "我", 0), ("we", "nous", "我们", 1), ("he", "il", "他", 2),
    ("she", "elle", "她", 2), ("they", "ils", "他们", 3),
)
_OBJECTS = (("him", "le", "他"), ("her", "la", "她"), ("them", "les", "他们"))
_ADVERBS = (("often", "souvent"), ("always", "toujours"))
_PLACES = ((("in", "the", "garden"), "花园"), (("in", "the", "park"), "公园"))
_TIMES = ((("today",), "今天"), (("every", "day"), "每天"))
# fmt: on


def _french(choose):
    """One sentence: its English words, and the French ones with the position they render."""
    words, target = [], []
    if choose((True, False)):
        english, french, _, person = choose(_SUBJECTS)
        words.append(english)
        target.append((french, 0))
    else:
        person = 3 if _french_noun_phrase(choose, _PEOPLE, words, target) else 2
    verb, negated, ongoing = _predicate(choose)
    not_at = _auxiliary(words, person, negated, ongoing)
    adverb = choose((None, None, *_ADVERBS))
    words += adverb[:1] if adverb else []
    verb_at = len(words)
    words.append(_verb_form(verb, person, negated, ongoing))
    after = [("pas", not_at)] if negated else []
    after += [(adverb[1], verb_at - 1)] if adverb else []
    target += [("ne", not_at)] if negated else []
    what = _object(choose, verb)
    if what == "pronoun":
        english, french, _ = choose(_OBJECTS)
        target.append((french, len(words)))
        words.append(english)
    target += [(verb[3][person], verb_at), *after]
    if what in (_PEOPLE, _THINGS):
        _french_noun_phrase(choose, what, words, target)
    target.append((".", len(words)))
    return [*words, "."], _elide(target)


def _french_noun_phrase(choose, nouns, words, target):
    """An article, up to two adjectives and a noun that agree; returns whether plural."""
    singular, plural, un, plusieurs, gender, *_ = choose(nouns)
    the, these, masculine, feminine, both = choose(_ARTICLES)
    front = choose((None, None, *_FRONT[nouns is _THINGS]))
    back = choose((None, None, *_BACK[nouns is _THINGS]))
    many = choose((False, True))
    form = 2 * many + (gender == "f")
    article = (masculine, feminine, both, both)[form]
    target.append(("de" if article == "des" and front else article, len(words)))
    words.append(these if many else the)
    for adjective in (front, back):
        if adjective:
            words.append(adjective[0])
    noun_at = len(words)
    words.append(plural if many else singular)
    if front:
        target.append((front[1][form], noun_at - (2 if back else 1)))
    target.append((plusieurs if many else un, noun_at))
    if back:
        target.append((back[1][form], noun_at - 1))
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
    """One sentence: its English words, and the Chinese ones with the position they render."""
    words, target, action = [], [], []
    if choose((True, False)):
        english, _, chinese, person = choose(_SUBJECTS)
        words.append(english)
        target.append((chinese, 0))
    else:
        person = 3 if _chinese_noun_phrase(choose, _PEOPLE, words, target) else 2
    verb, negated, ongoing = _predicate(choose)
    not_at = _auxiliary(words, person, negated, ongoing)
    if negated:
        action.append(("没" if ongoing else "不", not_at))
    action += [("在", len(words))] if ongoing else []
    action.append((verb[4], len(words)))
    words.append(_verb_form(verb, person, negated, ongoing))
    what = _object(choose, verb)
    if what == "pronoun":
        english, _, chinese = choose(_OBJECTS)
        action.append((chinese, len(words)))
        words.append(english)
    elif what:
        _chinese_noun_phrase(choose, what, words, action)
    place, time = choose((None, None, *_PLACES)), choose((None, *_TIMES))
    where = []
    if place:
        where = [("在", len(words)), (place[1], len(words) + 2), ("里", len(words))]
        words += place[0]
    if time:
        words += time[0]
        target.append((time[1], len(words) - 1))
    return [*words, "."], [*target, *where, *action, ("。", len(words))]


def _chinese_noun_phrase(choose, nouns, words, target):
    """A number or determiner, a measure word, an adjective, a noun; returns whether plural."""
    singular, plural, *_, noun, measure = choose(nouns)
    english, number = choose(_NUMBERS)
    front, back = _FRONT[nouns is _THINGS], _BACK[nouns is _THINGS]
    adjective = choose((None, None, *front, *back))
    many, at = english in ("two", "three"), len(words)
    words += [english, *(adjective[:1] if adjective else ())]
    words.append(plural if many else singular)
    noun_at = len(words) - 1
    target += [(number, at), ("的", at) if english == "my" else (measure, noun_at)]
    if adjective:
        target.append((adjective[2], at + 1))
    if adjective in back:
        target.append(("的", at + 1))
    target.append((noun, noun_at))
    return many


def _predicate(choose):
    """A verb, whether it is negated, and whether it is going on."""
    return choose(_VERBS), choose((False, False, True)), choose((False, False, True))


def _object(choose, verb):
    """What follows the verb: "pronoun", a list of nouns, or None after watch and draw."""
    options = ("pronoun", _PEOPLE, _THINGS, _THINGS)
    return choose((*options, None) if verb in _VERBS[:2] else options)


def _auxiliary(words, person, negated, ongoing):
    """Append is, does not, are not … as the verb needs; the position of the last word."""
    if ongoing:
        words.append(("am", "are", "is", "are")[person])
    elif negated:
        words.append("does" if person == 2 else "do")
    if negated:
        words.append("not")
    return len(words) - 1


def _verb_form(verb, person, negated, ongoing):
    if ongoing:
        return verb[2]
    return verb[1] if person == 2 and not negated else verb[0]
