"""What hidden tests of project 10 share; `%run -i` in a test puts it there.

It needs ``judges/project.py`` above it.
"""

DATA = "PICTURES", "NAMES", "X_val", "y_val"  # what no way may use
UNTOLD = "it knows more than its message and what it was handed"


def shares(way, seeds, labels=600):
    """Accuracies on sealed pictures, upside down and with other names in each draw.

    All messages are learned before the first is read, and the last decoder reads them
    all: weights that are kept elsewhere belong to another draw, and what was typed in or
    looked up has other names and stands on its head.
    """
    pictures, names = seal.trial.keywords["on"]
    messages, swaps = [], []
    for seed in seeds:
        X, y = draw(seed, labels)
        swap = np.random.default_rng(seed).permutation(10)
        message, read = sent(*way(X[:, ::-1].copy(), swap[y], seed))
        messages.append(message)
        swaps.append(swap)
    told = [received(message, read, pictures[:, ::-1]) for message in messages]
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
    noted = trial(way, seed)
    share = shares(way, (seed, seed + 1, seed + 2)).mean()
    assert share > number_of(noted) - 0.15, UNTOLD
    reads_each_alone(way, seed)
    looks_nothing_up(way, seed, noted, *DATA)


def gives_its_message_again(way, seed):
    """The same bytes, or where a sum has other last bits, nearly the same answers."""
    pairs = [sent(*way(*(part.copy() for part in draw(seed)), seed)) for _ in range(2)]
    one, two = (message for message, _ in pairs)
    told = [received(message, read, PICTURES) for message, read in pairs]
    nearly = len(one) == len(two) and np.mean(told[0] == told[1]) > 0.995
    assert one == two or nearly, "the same call gives another message"


def in_another_order(seeds, results):
    """Seeds and results, so that tests that repeat the first do not know which."""
    order = np.random.default_rng(len(seeds)).permutation(len(seeds))
    mixed = {name: [runs[k] for k in order] for name, runs in results.items()}
    return [seeds[k] for k in order], mixed
