"""What the hidden tests of all projects share; `%run -i` in a test puts it there.

Names that it does not define are those of the setup cell. Each function asserts what its
name says; ``renamed`` and ``turned`` make a way that is told, or finds, something else.
"""

from contextlib import contextmanager
from inspect import unwrap


def number_of(run):
    """Return what the race is about, which an outcome begins with."""
    return float(getattr(run, Outcome._fields[0]))


def apart(one, two, limit=0.01):
    """Whether two numbers differ by 1 %, or two shares by 0.01."""
    return not abs(one - two) < limit * max(1.0, abs(two))


def differ(one, two, **also):
    """Whether two outcomes do; ``also`` has limits for further fields, as differences."""
    gaps = [
        abs(np.array(getattr(one, field), float) - np.array(getattr(two, field), float))
        for field in also
    ]
    beyond = [
        not np.all(gap < limit) for gap, limit in zip(gaps, also.values(), strict=True)
    ]
    return apart(number_of(one), number_of(two)) or any(beyond)


def average(way, run=None, seeds=(21, 22), **setting):
    """Return the mean of trials with seeds that students do not know."""
    run = run or seal.trial
    return np.mean([number_of(run(way, seed, **setting)) for seed in seeds])


def is_a_prediction(expected, because, most=1):
    numbers = [float(expected[name]) for name in expected]
    assert numbers[2:], "expected: a number for each way of your race"
    assert all(0 <= number <= most for number in numbers), f"expected: 0 to {most}"
    words = str(because).split()
    reason = words[24:] and sorted(set(words))[9:]
    assert reason, "because: a reason in 25 words or more"


def is_a_race(ways, seeds, results, most=1):
    names, each = sorted(map(str, ways)), [int(seed) for seed in seeds]
    assert len(set(each)) == len(each) >= 3, "seeds: three different ones at least"
    assert sorted(map(str, results)) == names, "results: a list for each of the ways"
    found = {name: tuple(map(number_of, results[name])) for name in names}
    for name, numbers in found.items():
        assert len(numbers) == len(each), f"{name}: a run for each seed"
        assert all(0 <= number <= most for number in numbers), f"{name}: 0 to {most}"
    assert len(set(found.values())) >= 3, "ways: some of them are the same"
    moved = [name for name in names if len(set(found[name])) > 1]
    assert moved, "the seeds change nothing in any of the ways"


def gives_its_numbers_again(ways, seeds, results, **also):
    """Mine with each of three seeds, every other way with one."""
    for k, name in enumerate(sorted(map(str, ways))):
        for at in range(len(seeds))[:3] if name == "mine" else [k % len(seeds)]:
            again, noted = trial(ways[name], int(seeds[at])), results[name][at]
            told = f"{number_of(noted):.3f} was recorded, again {number_of(again):.3f}"
            assert not differ(again, noted, **also), f"{name}: {told}"


def keeps_the_budget(ways, seeds, results):
    spent = [float(run.seconds) for name in ways for run in results[name]]
    assert min(spent) >= 0, "seconds below 0"
    assert max(spent) < 5 * BUDGET, f"a training of {max(spent):.0f} seconds"
    assert sum(spent) < 5 * TOTAL, f"a race of {sum(spent):.0f} seconds"
    again = trial(ways["mine"], int(seeds[0])).seconds
    noted = float(results["mine"][0].seconds)
    assert again < 5 * BUDGET, f"mine: {again:.0f} seconds"
    assert again < 10 * noted + 1, f"mine: {noted:.2f} s noted, {again:.1f} s spent"


def shows_every_run(fig, ways, results):
    numbers = [number_of(run) for name in ways for run in results[name]]
    expect_plot(fig, numbers, "the figure shows every run")


def gives_the_sealed_numbers_again(final, loose, **also):
    """Means within ``loose`` are enough where the way draws without its seed."""
    again = [seal.trial(final.way, seed) for seed in SEALED_SEEDS]
    noted = list(final.outcomes)
    pairs = zip(again, noted, strict=True)
    if any(differ(*pair, **also) for pair in pairs):
        one, two = (number_of(seal.trial(final.way, 901)) for _ in range(2))
        new, old = (np.mean(list(map(number_of, runs))) for runs in (again, noted))
        unsteady = abs(one - two) > 1e-3  # which costs points in `mine`
        close = unsteady and not apart(old, new, loose)
        assert close, "other numbers again, or it knows more than it may"


def renamed(way, swap, back=None):
    """A way whose classes have other names while it learns, and the old ones afterwards.

    ``back`` makes the old names of what the way returns; by default this is a function
    that tells names.
    """

    def other(X, y, *rest):
        read = way(X, swap[y], *rest)
        if back:
            return back(read)
        return lambda inputs: np.argsort(swap)[np.asarray(read(inputs))]

    return other


def namespaces_of(way):
    """Return the globals of a function, or of the methods of a class or an object."""
    way = unwrap(getattr(way, "func", way))
    kind = way if isinstance(way, type) else type(way)
    methods = [part for base in kind.__mro__ for part in vars(base).values()]
    found = [getattr(part, "__globals__", None) for part in (way, *methods)]
    return list({id(names): names for names in found if names}.values())


def students_namespaces(way):
    """Return those without the tests' own, which in a notebook are the student's too."""
    return [names for names in namespaces_of(way) if names is not trial.__globals__]


def was_opened_once(final):
    """The opening that is handed in is the only one, also of the seal that ways know."""
    seals = [names.get("seal") for names in namespaces_of(final.way)]
    noted = [seal.openings for seal in seals if hasattr(seal, "openings")]
    most = max(len(list(openings)) for openings in [final.openings, *noted])
    assert len(list(final.openings)) == most == 1, "the seal was opened more than once"


@contextmanager
def turned(way, *names):
    """Meanwhile, arrays of these names among the way's globals run backwards."""
    kept = [
        (theirs, {name: theirs[name] for name in names if name in theirs})
        for theirs in students_namespaces(way)
    ]
    for theirs, arrays in kept:
        theirs.update({name: np.flip(values) for name, values in arrays.items()})
    try:
        yield
    finally:
        for theirs, arrays in kept:
            theirs.update(arrays)


def looks_nothing_up(way, seed, noted, *names, **also):
    """The outcome is the one noted while arrays of these names are turned."""
    with turned(way, *names):
        found = trial(way, seed)
    if differ(found, noted, **also):
        one, two = (trial(way, seed) for _ in range(2))
        unsteady = abs(number_of(one) - number_of(two)) > 1e-3  # costs points elsewhere
        assert unsteady or not differ(found, one, **also), "knows more than it may"


def in_another_order(seeds, results):
    """Return seeds and results, so that tests that repeat the first do not know which."""
    order = np.random.default_rng(len(seeds)).permutation(len(seeds))
    mixed = {name: [runs[k] for k in order] for name, runs in results.items()}
    return [seeds[k] for k in order], mixed
