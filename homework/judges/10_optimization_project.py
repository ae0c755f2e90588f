"""What hidden tests of project 10 share; `%run -i` in a test puts it there.

It needs ``judges/project.py`` above it.
"""

import sys

DATA = "PICTURES", "NAMES", "X_val", "y_val", "seal"  # what no way may use
UNTOLD = "it knows more than its message and what it was handed"


class Letter(bytes):
    """A message under which no dictionary finds again what was kept there."""

    def __hash__(self):
        return id(self)


@contextmanager
def shut(doors, told):
    """Meanwhile, functions raise an error; a door is a dictionary and a name in it."""

    def refused(*_, **__):
        raise RuntimeError(told)

    kept = [(names, name, names[name]) for names, name in doors if name in names]
    for names, name, _ in kept:
        names[name] = refused
    try:
        yield
    finally:
        for names, name, function in kept:
            names[name] = function


def without_digits():
    """Nobody loads the digits, by whatever name the function is called."""
    names = unwrap(load_digits).__globals__
    return shut([(names, "load_gzip_compressed_csv_data")], "the digits, loaded again")


def without_files(read):
    """Nobody opens a file: neither the decoder nor NumPy, PyTorch or pathlib."""
    student = globals_of(read), vars(sys.modules["builtins"])  # IPython adds its own
    others = np.load.__globals__["__builtins__"], vars(sys.modules["io"])
    doors = [(names, "open") for names in [*student, *others]]
    return shut(doors, "a decoder that opens a file")


def letter(way, X, y, seed):
    """The message and its decoder, learned while the data of the notebook are away."""
    theirs = globals_of(way)
    away = {name: theirs.pop(name) for name in DATA if name in theirs}
    try:
        with without_digits():
            message, read = sent(*way(X, y, seed))
    finally:
        theirs.update(away)
    return Letter(message), read


def answers(message, read, pictures):
    with without_digits(), without_files(read):
        return received(message, read, pictures)


def shares(way, seeds, labels=600):
    """Accuracies on sealed pictures, turned and with other names in each draw.

    All messages are learned before the first is read, and the last decoder reads them
    all: of weights that it keeps elsewhere, it does not know which belong to a message,
    and what was typed in has other names and is turned by 180 degrees.
    """
    pictures, names = seal.trial.keywords["on"]
    messages, swaps = [], []
    for seed in seeds:
        X, y = draw(seed, labels)
        swap = np.random.default_rng(seed).permutation(10)
        message, read = letter(way, X[:, ::-1].copy(), swap[y], seed)
        messages.append(message)
        swaps.append(swap)
    told = [answers(message, read, pictures[:, ::-1]) for message in messages]
    return np.array(
        [np.mean(some == swap[names]) for some, swap in zip(told, swaps, strict=True)]
    )


def reads_each_alone(way, seed):
    """Up to rounding: between two equal logits another product may choose otherwise."""
    message, read = sent(*way(*(part.copy() for part in draw(seed)), seed))
    together = received(message, read, X_val)[:40]
    alone = [received(message, read, X_val[k : k + 1])[0] for k in range(40)]
    same = np.mean(together == np.array(alone))
    assert same > 0.9, "a picture is read otherwise when it comes alone"


def knows_the_message_alone(way, seed):
    share = shares(way, (seed, seed + 1, seed + 2)).mean()
    assert share > number_of(trial(way, seed)) - 0.15, UNTOLD
    reads_each_alone(way, seed)


def gives_its_message_again(way, seed):
    """The same bytes, or where a sum has other last bits, nearly the same answers."""
    pairs = [sent(*way(*(part.copy() for part in draw(seed)), seed)) for _ in range(2)]
    one, two = (message for message, _ in pairs)
    told = [received(message, read, PICTURES) for message, read in pairs]
    nearly = len(one) == len(two) and np.mean(told[0] == told[1]) > 0.995
    assert one == two or nearly, "the same call gives another message"
