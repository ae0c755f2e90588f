"""What hidden tests of project 5 share; `%run -i` in a test puts it there.

It needs ``judges/project.py`` above it.
"""

import sys

CLOSED = "seal", "trial", "load_digits"  # what no way may call
UNTOLD = "it uses names or validation cards that it was not handed"


class Closed:
    """Stands in for what a way may not use, and says so."""

    def __init__(self, name):
        self.name = name

    def __getattr__(self, _):
        raise AssertionError(f"{UNTOLD}, from {self.name}")

    def __call__(self, *_, **__):
        raise AssertionError(f"{UNTOLD}, from {self.name}")


def is_data(value):
    """Whether this is an array of many cards, or of their digits."""
    if not isinstance(value, np.ndarray) or not value.ndim or len(value) < 90:
        return False
    value = np.asarray(value)
    digits = value.ndim == 1 and value.dtype.kind in "iu"
    if digits:
        return bool(value.min() >= 0 and value.max() <= 9)
    return value.ndim > 1 and value[0].size == 64


def turn(value):
    """Data run backwards, which turns cards upside down; all else stays."""
    if type(value).__name__ == "Bunch":
        return Closed("the data set")
    if type(value) in (tuple, list) and any(map(is_data, value)):
        return type(value)(map(turn, value))
    return np.flip(np.asarray(value)) if is_data(value) else value


@contextmanager
def alone(way):
    """Meanwhile, data among the way's globals are turned, and the rest is closed."""
    kept = []
    for theirs in students_namespaces(way):
        new = {name: turn(value) for name, value in theirs.items()}
        new |= {name: Closed(name) for name in CLOSED if name in theirs}
        new = {name: value for name, value in new.items() if value is not theirs[name]}
        kept.append((theirs, {name: theirs[name] for name in new}))
        theirs.update(new)
    library = sys.modules["sklearn.datasets"]
    load, library.load_digits = library.load_digits, Closed("load_digits")
    try:
        yield
    finally:
        for theirs, names in kept:
            theirs.update(names)
        library.load_digits = load


def otherwise(way, swap):
    """A way that is told other digits; its columns are put back afterwards."""

    def back(board):
        cells, W, b = board
        return cells, np.asarray(W)[:, swap], np.asarray(b)[swap]

    return renamed(way, swap, back)


def learns_from_what_it_is_handed(way, seed, noted, run=None):
    """Other digits are learned, and nothing but the cards handed over is used."""
    run, swap = run or trial, np.random.default_rng(6).permutation(10)
    with alone(way):
        share, found = run(otherwise(way, swap), seed).share, run(way, seed)
    assert share > number_of(noted) - 0.15, UNTOLD
    if differ(found, noted, cells=0.5):
        one, two = (run(way, seed) for _ in range(2))
        unsteady = abs(number_of(one) - number_of(two)) > 1e-3  # costs points elsewhere
        assert unsteady or not differ(found, one, cells=0.5), UNTOLD


def upside_down(way):
    """A way that is handed cards upside down; its cells are put back afterwards.

    Cells that were typed in stay where they are, and are good no longer.
    """

    def other(X, y, seed):
        cells, W, b = way(X[:, ::-1].copy(), y, seed)
        return 63 - np.asarray(cells), W, b

    return other


def chooses_its_cells(way, seeds=(13, 14, 15)):
    for seed in seeds:
        X, y = draw(seed)
        pair = [way(cards.copy(), y.copy(), seed)[0] for cards in (X, X[:, ::-1])]
        one, two = ({int(cell) for cell in cells} for cells in pair)
        if one != two:
            return
    raise AssertionError("cards upside down give the same cells: were they typed in?")


def are_not_all_one_choice(results):
    """Some two ways have different cells in most draws; the others may train otherwise."""
    each = [[{int(c) for c in run.cells} for run in runs] for runs in results.values()]
    differing = [
        np.mean([a != b for a, b in zip(one, two, strict=True)])
        for one in each
        for two in each
    ]
    assert max(differing) > 0.5, "ways: all choose the same cells"


def gives_many_numbers_again(ways, seeds, results, most=10):
    """Each way with up to ten of the seeds, among them the last."""
    last = len(seeds) - 1
    drawn = np.random.default_rng(last).permutation(last)[: most - 1]
    for name in sorted(map(str, ways)):
        for at in map(int, [*drawn, last]):
            again, noted = trial(ways[name], int(seeds[at])), results[name][at]
            told = f"{number_of(noted):.3f} was recorded, again {number_of(again):.3f}"
            assert not differ(again, noted, cells=0.5), f"{name}: {told}"
