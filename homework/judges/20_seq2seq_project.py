"""What hidden tests of project 20 share; `%run -i` in a test puts it there.

It needs ``judges/project.py`` above it.
"""

DATA = "TEXT", "LINES", "PAGES", "OPEN", "draw", "trial", "seal"  # what no way may use
UNTOLD = "it knows more than the pages that it was handed"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@contextmanager
def alone(way):
    """Meanwhile, the text, the draw and the seal are away from the way's globals."""
    away = [
        (theirs, {name: theirs.pop(name) for name in DATA if name in theirs})
        for theirs in namespaces_of(way)
    ]
    try:
        yield
    finally:
        for theirs, names in away:
            theirs.update(names)


def swapped(seed):
    """A function that writes a sentence with other letters, a for each b, and so on."""
    other = "".join(np.random.default_rng(seed).permutation(list(LETTERS)))
    table = str.maketrans(LETTERS + LETTERS.upper(), other + other.upper())
    return lambda sentence: sentence.translate(table)


def woven(spoken, seed):
    """The same words on each page, but a sentence goes on with another one's end."""
    rng, pages = np.random.default_rng([seed, 7]), []
    for page in spoken:
        step, part = rng.integers(1, len(page)), rng.uniform(0.3, 0.7)
        halves = []
        for line in page:
            said = line.split()
            cut = round(part * len(said))
            halves.append((said[:cut], said[cut:]))
        ends = [end for _, end in halves]
        ends = ends[step:] + ends[:step]
        pages.append(
            [" ".join(one + end) for (one, _), end in zip(halves, ends, strict=True)]
        )
    return pages


def found(way, seed, printed, spoken):
    """Return the score with other letters, pages in another order, and no data around.

    The sentences are asked in another order, too. Also return the search, and what it
    answered to the first sentence that was asked, with this sentence.
    """
    pages, quoted = draw(seed, printed, spoken)
    order = np.random.default_rng(seed + 1).permutation(len(pages))
    write = swapped(seed)
    handed = [[write(sentence) for sentence in pages[k]] for k in order]
    asked = [write(quoted[k]) for k in order]
    ranks = np.zeros(len(order))
    with alone(way):
        search = way(handed, seed)
        for home in np.random.default_rng(seed + 2).permutation(len(order)):
            ranks[home] = rank(answer(search, asked[home], len(order)), home)
        late = np.array(
            [answer(search, sentence, len(order)) for sentence in asked[:20]]
        )
        again = way(handed, seed)
        early = [answer(again, sentence, len(order)) for sentence in asked[19::-1]]
    scale = np.abs(late).max() + 1e-12
    same = np.mean(np.abs(late - np.array(early)[::-1]) < 1e-3 * scale)
    return float(np.mean(1 / ranks)), same


def scores_elsewhere(way, seeds, printed=7):
    """Scores on the sealed pages, with other letters and other cuts in each draw."""
    spoken = seal.trial.keywords["spoken"]
    return np.array(
        [found(way, seed, printed, woven(spoken, seed))[0] for seed in seeds]
    )


def knows_its_pages_alone(way, seed):
    """Three draws of the open pages find as much with other letters, to 0.05.

    With sentences cut anew they find no less than 0.15 below that.
    """
    seeds = seed, seed + 1, seed + 2
    usual = np.mean([trial(way, k).score for k in seeds])
    pairs = [found(way, k, 7, OPEN) for k in seeds]
    score = np.mean([pair[0] for pair in pairs])
    assert abs(score - usual) < 0.05, f"{UNTOLD}: {usual:.3f} before, {score:.3f} now"
    anew = np.mean([found(way, k, 7, woven(OPEN, k))[0] for k in seeds])
    assert usual - anew < 0.15, f"{UNTOLD}: {usual:.3f} before, {anew:.3f} cut anew"
    one, two = (trial(way, seed).score for _ in range(2))
    unsteady = abs(one - two) > 1e-3  # costs points elsewhere
    alike = min(pair[1] for pair in pairs)
    assert unsteady or alike > 0.98, "an answer depends on the sentences before it"


def three_ways_differ(ways, results):
    """Three ways at least, and three of them have different scores."""
    assert len(ways) >= 3, "ways: three at least"
    scores = {tuple(map(number_of, results[name])) for name in ways}
    assert len(scores) >= 3, "ways: some of them are the same"
