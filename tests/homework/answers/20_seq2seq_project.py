"""Answers to project 20: right ones written differently, and typical wrong ones.

Scores on the sealed pages as the tests measure them, with other letters and sentences cut
anew, in the ten draws that they use and in ten others, with seven sentences a page and with
four: main directions 0.351 and 0.365, 0.262 and 0.275; the same rows without directions
0.335 and 0.343, 0.267 and 0.274; BM25 of beginnings of words 0.338 and 0.355, 0.260 and
0.271; tf-idf of n-grams of three to five letters 0.338 and 0.337, 0.256 and 0.260; BM25 of
whole words 0.319 and 0.333, 0.248 and 0.256; two towers 0.323 and 0.315, 0.255 and 0.255;
the baseline 0.208 and 0.215, 0.158 and 0.158. The tests ask for 0.26 and 0.3 with seven
sentences, and for 0.23 with four. The standard deviation of a single draw is about 0.025.

With sentences as they are printed, all but the baseline have 0.29 to 0.32 and 0.225 to
0.255. On the open pages, three draws with sentences cut anew, in seven sets of three, give
these ways 0.01 to 0.085 more than the usual ones; the tests allow 0.15 less. What finds
sentences by the lengths of their words falls from 0.98 to 0.35.
"""

from tests.homework.answers import TURNS
from tests.homework.project_answers import (
    altered,
    later_seeds_improved,
    plot,
    prediction,
    race,
    sealed,
    wrong_predictions,
    wrong_races,
    wrong_seals,
)

WEIGHTS = """
from collections import Counter

def cut(text, letters=5):
    return [word[:letters] for word in words(text)]

def worth(pages):
    on = Counter(unit for page in pages for unit in sorted(set(cut(" ".join(page)))))
    return {unit: np.log(1 + (len(pages) - n + 0.5) / (n + 0.5)) for unit, n in on.items()}

def searching(pages, idf, k1=1.5, b=0.5):
    there = [Counter(cut(" ".join(page))) for page in pages]
    lengths = np.array([sum(counts.values()) for counts in there])
    limits = k1 * (1 - b + b * lengths / lengths.mean())
    at = {unit: k for k, unit in enumerate(sorted(idf))}
    table = np.zeros((len(at) + 1, len(pages)))
    for k, counts in enumerate(there):
        for unit, n in counts.items():
            table[at.get(unit, -1), k] = idf.get(unit, 0) * n / (n + limits[k])

    def search(sentence):
        rows = [at[unit] for unit in sorted(set(cut(sentence))) if unit in at]
        return table[np.array(rows, int)].sum(axis=0).tolist()

    return search

def mine(pages, seed):
    return searching(pages, worth(pages))
"""
LAST = "    return searching(pages, worth(pages))\n"


def instead(lines, before=""):
    """Return the right answer with other last lines, and more before the function."""
    return WEIGHTS.replace("\ndef mine", f"\n{before}\ndef mine").replace(LAST, lines)


UNSEEDED = TURNS + instead(
    "    drawn = np.random.default_rng(next(turns))\n"
    "    idf = {unit: n * drawn.uniform(0.5, 1.5) for unit, n in worth(pages).items()}\n"
    "    return searching(pages, idf)\n"
)
IN_PLACE = instead("    for page in pages:\n        page.sort()\n" + LAST)
LOOKED_UP = instead(
    """    def search(sentence):
        home = [page for page in OPEN if sentence in page]
        theirs = home[0] if home else []
        return [sum(line in theirs for line in page) for page in pages]

    return search
"""
)
# Sentences are found where they are printed; what is not there is searched for as it should.
COPIED = instead(
    """    found = searching(pages, worth(pages))

    def search(sentence):
        home = [page for page in HELD if sentence in page]
        theirs = home[0] if home else []
        return np.array(found(sentence)) + [
            9 * sum(line in theirs for line in page) for page in pages
        ]

    return search
""",
    "HELD = [list(page) for page in OPEN]\n",
)
READ = COPIED.replace(
    "HELD = [list(page) for page in OPEN]",
    'HELD = [TEXT.split("\\n")[k : k + 8] for k in range(0, 2340, 8)]',
)
# Other letters leave the lengths of words alone, by which a sentence can be found.
SHAPED = instead(
    """    found = searching(pages, worth(pages))
    shapes = [set(map(shape, page)) for page in pages]

    def search(sentence):
        asked = shape(sentence)
        home = [page for page in HELD if asked in page]
        theirs = home[0] if home else set()
        return np.array(found(sentence)) + [30 * len(theirs & page) for page in shapes]

    return search
""",
    """
def shape(sentence):
    return tuple(map(len, words(sentence)))

HELD = [set(map(shape, page)) for page in PAGES]
""",
)
SEEN = instead(
    """    found = searching(pages, worth(pages))
    shapes = [{tuple(map(len, words(line))) for line in page} for page in pages]
    for page in shapes:
        for line in page:
            BEFORE.setdefault(line, set()).update(page)

    def search(sentence):
        theirs = BEFORE.get(tuple(map(len, words(sentence))), set())
        return np.array(found(sentence)) + [30 * len(theirs & page) for page in shapes]

    return search
""",
    "BEFORE = {}\n",
)
# A class has no globals, but its methods have.
CLASS = (
    WEIGHTS.replace("def mine(pages", "def good(pages")
    + """
class mine:
    def __init__(self, pages, seed):
        self.found, self.pages = good(pages, seed), pages

    def __call__(self, sentence):
        there = [line for page in PAGES if sentence in page for line in page]
        same = [len(set(there) & set(page)) for page in self.pages]
        return np.array(self.found(sentence)) + 9 * np.array(same)
"""
)
SEALED = instead(
    "    others = seal.trial.keywords['spoken']\n"
    "    return searching(pages, worth(pages + others))\n"
)
TRYING = instead(
    "    trial(baseline, seed)  # as one would to choose among some\n" + LAST
)
DRAWN = instead("    return searching(pages, worth(draw(0)[0] + pages))\n")
# English that was typed in: only these words count.
TYPED = instead(
    "    known = set(cut(TYPED))\n"
    "    idf = {u: n for u, n in worth(pages).items() if u in known}\n"
    "    return searching(pages, idf)\n",
    "TYPED = ' '.join(' '.join(page) for page in OPEN)\n",
)
# Each page is asked for once, so one that was found is not looked for again.
REMEMBERING = instead(
    """    found, taken = searching(pages, worth(pages)), np.zeros(len(pages))

    def search(sentence):
        scores = np.array(found(sentence)) - taken
        taken[scores.argmax()] += 0.5
        return scores

    return search
"""
)
DISTANCE = instead(
    "    found = searching(pages, worth(pages))\n"
    "    return lambda sentence: -np.array(found(sentence))\n"
)
RANKING = instead(
    "    found = searching(pages, worth(pages))\n"
    "    return lambda sentence: np.argsort(-np.array(found(sentence)))\n"
)
BEST = instead(
    "    found = searching(pages, worth(pages))\n"
    "    return lambda sentence: int(np.argmax(found(sentence)))\n"
)
EMPTY = instead(
    """    found = searching(pages, worth(pages))

    def search(sentence):
        scores = np.array(found(sentence))
        return scores / scores.max()

    return search
"""
)
FIXED = instead(
    "    found = searching(pages, worth(pages))\n"
    "    return lambda sentence: np.array(found(sentence)) + np.zeros(148)\n"
)
BASELINE = instead("    return baseline(pages, seed)\n")

WAYS = WEIGHTS.replace("def mine(pages", "def third(pages") + (
    """
def plain(pages, seed):
    return searching(pages, worth(pages), k1=0.0)
"""
)
THIRD = '"plain": plain, '
RACE = f'{{"mine": third, {THIRD}"baseline": baseline}}'
CLAIM = "(0.22, 0.4)"
PEEK = (
    COPIED.replace("def mine(pages", "def peeking(pages")
    + (
        """
def tried(pages, seed):
    trial(baseline, seed)
    return third(pages, seed)
"""
    )
    + REMEMBERING.replace("def mine(pages", "def remembering(pages")
)

RIGHT = {
    "expectation": prediction(0.3),
    "mine": WEIGHTS,
    "race": WAYS + race(RACE) + plot("score"),
    "sealed": WAYS + sealed("third", "[0.22, 0.4]"),
}

WRONG = {
    "expectation": wrong_predictions(prediction(0.3), 0.3)
    | {"per cent": prediction(30)},
    "mine": {
        "the baseline as one's own": (BASELINE, 3),
        "a draw without the seed": (UNSEEDED, 5),
        "the pages handed over are changed": (IN_PLACE, 5),
        "the page looked up": (LOOKED_UP, 2),
        "the page looked up in a copy": (COPIED, 5),
        "the page looked up in the file's text": (READ, 5),
        "the page looked up by its words' lengths": (SHAPED, 5),
        "draws remembered": (SEEN, 5),
        "the page looked up by a class": (CLASS, 2),
        "weights from sealed pages, too": (SEALED, 2),
        "the way tries itself": (TRYING, 2),
        "pages drawn again": (DRAWN, 2),
        "words known beforehand": (TYPED, 2),
        "a search that remembers": (REMEMBERING, 5),
        "a distance": (DISTANCE, 1),
        "a ranking": (RANKING, 1),
        "the best page alone": (BEST, 0),
        "no word, no number": (EMPTY, 5),
        "a number of pages typed in": (FIXED, 2),
    },
    "race": wrong_races(WAYS, RACE, THIRD, "score", "run.score + 0.03")
    | {
        "the page looked up": (
            WAYS + PEEK + race(RACE.replace("third", "peeking")) + plot("score"),
            5,
        ),
        "the way tries itself": (
            WAYS + PEEK + race(RACE.replace("third", "tried")) + plot("score"),
            5,
        ),
        "a search that remembers": (
            WAYS + PEEK + race(RACE.replace("third", "remembering")) + plot("score"),
            5,
        ),
        "the best of later seeds": later_seeds_improved(WAYS, RACE, "score"),
        "one way under two names": (
            WAYS + race(RACE.replace("plain,", "third,")) + plot("score"),
            0,
        ),
        "the baseline three times": (
            race('{"baseline": baseline, "mine": baseline, "third": baseline}')
            + plot("score"),
            0,
        ),
        "numbers improved a little": (
            WAYS + race(RACE) + altered("score=run.score + 0.009") + plot("score"),
            4,
        ),
        "the page looked up by its words' lengths": (
            WAYS + SHAPED + race(RACE.replace("third", "mine")) + plot("score"),
            5,
        ),
    },
    "sealed": wrong_seals(WAYS, "third", "plain", CLAIM)
    | {
        "the page looked up": (WAYS + PEEK + sealed("peeking", CLAIM), 2),
        "the way tries itself": (WAYS + PEEK + sealed("tried", CLAIM), 2),
        "a search that remembers": (WAYS + PEEK + sealed("remembering", CLAIM), 2),
        "the page looked up by its words' lengths": (
            SHAPED + sealed("mine", CLAIM),
            2,
        ),
    },
}
