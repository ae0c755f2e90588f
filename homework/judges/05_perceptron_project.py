"""What hidden tests of project 5 share; `%run -i` in a test puts it there.

It needs ``judges/project.py`` above it.
"""

LOOKED_UP = "CARDS", "NAMES", "X_val", "y_val"  # what no way may use


def otherwise(way, swap):
    """A way that is told other digits; its columns are put back afterwards."""

    def back(board):
        cells, W, b = board
        return cells, np.asarray(W)[:, swap], np.asarray(b)[swap]

    return renamed(way, swap, back)


def learns_the_names_it_is_handed(way, seed, noted):
    swap = np.random.default_rng(6).permutation(10)
    share = trial(otherwise(way, swap), seed).share
    assert share > number_of(noted) - 0.15, "knows names that it was not handed"
    looks_nothing_up(way, seed, noted, *LOOKED_UP, cells=0.5)
