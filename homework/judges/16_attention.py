"""What several hidden tests of homework 16 share; `%run -i` in a test puts it there.

Names that it does not define are the student's, the setup cell's or `assignment.py`'s.
"""

import sys
import tracemalloc

import numpy as np
import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

SIZES = [(6, 3, 2), (1, 4, 3), (5, 2, 4), (9, 5, 1)]  # pairs, key, value
NAMES = "O", "dQ", "dK", "dV", "dbeta"


def drawn(seed, N, d, d_v):
    """Q, K, V, beta and dO; keys of many lengths, all about 1."""
    rng = np.random.default_rng(100 + seed)
    Q, K = rng.normal(size=(2, N, d)) / np.sqrt(d)
    V, dO = rng.normal(size=(2, N, d_v))
    return Q, K, V, rng.uniform(0.1, 1.0, N), dO


def copies(given):
    return [one.copy() for one in given]


def unchanged(kept, given):
    return all((one == other).all() for one, other in zip(kept, given, strict=True))


def right_at_once(Q, K, V, beta, whole=True):
    """The delta rule for tensors, as a triangular system; or the rows that it writes."""
    G = (K @ K.transpose(-1, -2)).tril(-1) * beta.unsqueeze(-1)
    A = G + torch.eye(G.shape[-1], dtype=G.dtype)
    U = torch.linalg.solve_triangular(A, beta.unsqueeze(-1) * V, upper=False)
    return (Q @ K.transpose(-1, -2)).tril() @ U if whole else U


def twin_of(program):
    """A function that is called like `twin`, with another `at_once`."""

    def twin(*given):
        leaves = [torch.tensor(a, requires_grad=True) for a in given[:4]]
        O = program(*leaves)
        found = torch.autograd.grad(O, leaves, torch.tensor(given[4]))
        return O.detach(), *found

    return twin


def truth(*given):
    """The output and the four gradients, by autograd."""
    return [np.asarray(one) for one in twin_of(right_at_once)(*given)]


torched = twin_of(right_at_once)


def run(Q, K, V, beta, dO, through=1.0):
    """The right program in NumPy; the way from an error to the old memory may be cut."""
    N, d_v = V.shape
    S, O = np.zeros((N + 1, K.shape[1], d_v)), np.zeros((N, d_v))
    for t in range(N):
        S[t + 1] = S[t] + beta[t] * np.outer(K[t], V[t] - K[t] @ S[t])
        O[t] = Q[t] @ S[t + 1]
    dQ, dK, dV, dbeta = (np.zeros(a.shape) for a in (Q, K, V, beta))
    dS = np.zeros_like(S[0])
    for t in reversed(range(N)):
        dQ[t] = S[t + 1] @ dO[t]
        dS = dS + np.outer(Q[t], dO[t])
        error = V[t] - K[t] @ S[t]
        dV[t] = beta[t] * (K[t] @ dS)
        dK[t] = beta[t] * (dS @ error) - through * (S[t] @ dV[t])
        dbeta[t] = K[t] @ dS @ error
        dS = dS - through * np.outer(K[t], dV[t])
    return O, dQ, dK, dV, dbeta


def gradients_right(names):
    """The student's gradients of these names are right, from arrays left as they were."""
    for seed, sizes in enumerate(SIZES):
        Q, K, V, beta, dO = given = drawn(10 + seed, *sizes)
        kept = copies((dO, Q, K, V, beta))
        with NumPyAlone():
            found = dict(zip(NAMES[1:], backward(*kept), strict=True))
        right = dict(zip(NAMES, truth(*given), strict=True))
        for name in names:
            one = np.asarray(found[name], dtype=float)
            assert one.shape == right[name].shape, f"backward: shape of {name}"
            assert np.allclose(one, right[name]), f"backward: {name}"
        assert unchanged(kept, (dO, Q, K, V, beta)), "backward: an array is changed"
    assert growth(backward) < 12, "backward: the work grows faster than N"
    for limit, *sizes in (6, 100, 16, 16), (8, 1200, 3, 2):
        Q, K, V, beta, dO = drawn(9, *sizes)
        assert megabytes(backward, dO, Q, K, V, beta) < limit, (
            f"backward: more than {limit} MB for N, d and d_v = {sizes}"
        )


def growth(backward):
    """How many times more lines of Python run for a list four times as long."""
    short, long = (lines(backward, *drawn(8, N, 4, 4)) for N in (30, 120))
    return long / short


def lines(backward, Q, K, V, beta, dO):
    """The lines of Python that a call runs."""
    count, before = 0, sys.gettrace()

    def noted(frame, event, argument):
        nonlocal count
        count += event == "line"
        return noted

    sys.settrace(noted)
    try:
        backward(dO, Q, K, V, beta)
    finally:
        sys.settrace(before)
    return count


def megabytes(function, *given):
    """The most memory that a call holds at a time."""
    tracemalloc.start()
    try:
        function(*given)
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


class Counted(TorchFunctionMode):
    """Counts what PyTorch is asked to do here."""

    def __init__(self):
        super().__init__()
        self.made = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.made += 1
        return func(*args, **(kwargs or {}))


def calls(program, N):
    """How often PyTorch is called for N pairs."""
    given = [torch.tensor(a) for a in drawn(N, N, 3, 2)[:4]]
    with Counted() as counted:
        program(*given)
    return counted.made


def many_at_once(program):
    """Several lists at once, in either type."""
    for dtype, axes in ((torch.float32, (3,)), (torch.float64, (2, 4))):
        lists = [drawn(50 + k, 6, 3, 2)[:4] for k in range(np.prod(axes))]
        stacks = [np.stack(a) for a in zip(*lists, strict=True)]
        given = [
            torch.tensor(a.reshape(*axes, *a.shape[1:]), dtype=dtype) for a in stacks
        ]
        found = program(*given)
        assert found.dtype == dtype, f"at_once: {found.dtype} from {dtype}"
        wanted = plain(right_at_once(*(a.double() for a in given)))
        assert found.shape == wanted.shape, "at_once: shape for several lists"
        assert np.allclose(plain(found), wanted, rtol=1e-3, atol=1e-4), (
            "at_once: several lists"
        )


def altered(**changes):
    """A program whose answers are changed: name=change(answer, given)."""

    def program(*given):
        found = dict(zip(NAMES, run(*given), strict=True))
        return tuple(changes.get(n, lambda a, _: a)(found[n], given) for n in NAMES)

    return program


def fed(change):
    """A program that misreads its arguments: change(Q, K, V, beta, dO) in their place."""
    return lambda *given: run(*change(*given))


def only_added(Q, K, V, beta, dO):
    """Linear attention without the correction."""
    return tuple(plain(a) for a in twin_of(added)(Q, K, V, beta, dO))


def added(Q, K, V, beta):
    return (Q @ K.mT).tril() @ (beta[:, None] * V)


def neighbours_only(Q, K, V, beta, dO):
    """Corrects by the pair before and by no earlier one."""

    def program(Q, K, V, beta):
        G = beta[:, None] * (K @ K.mT).tril(-1).triu(-1)
        A = torch.eye(len(K), dtype=K.dtype) + G
        U = torch.linalg.solve_triangular(A, beta[:, None] * V, upper=False)
        return (Q @ K.mT).tril() @ U

    return tuple(plain(a) for a in twin_of(program)(Q, K, V, beta, dO))


def longer(Q, K, V, beta, dO):
    """Divides by the square of the length of a key, as if all had the length 1."""

    def program(Q, K, V, beta):
        return right_at_once(Q, K, V, beta / (K * K).sum(dim=1).detach())

    return tuple(plain(a) for a in twin_of(program)(Q, K, V, beta, dO))


WRONG_VALUES = {
    "outputs larger by a ten-thousandth": altered(O=lambda O, _: 1.0001 * O),
    "dQ: smaller by a ten-thousandth": altered(dQ=lambda dQ, _: 0.9999 * dQ),
    "dV: half of it": altered(dV=lambda dV, _: dV / 2),
    "dbeta: the other sign": altered(dbeta=lambda dbeta, _: -dbeta),
    "dQ and dK exchanged": lambda *given: tuple(
        run(*given)[k] for k in (0, 2, 1, 3, 4)
    ),
    "dK: the last row alone is wrong": altered(
        dK=lambda dK, _: np.concatenate([dK[:-1], dK[-1:] + 0.01])
    ),
    "dbeta: a row in place of a vector": altered(dbeta=lambda dbeta, _: dbeta[None]),
    "dbeta: one number": altered(dbeta=lambda dbeta, _: dbeta.sum()),
    "O: an axis too many": altered(O=lambda O, _: O[None]),
    "nan in dK": altered(dK=lambda dK, _: dK * np.nan),
    "an answer too few": lambda *given: run(*given)[:4],
}
RIGHT_BY_CHANCE = {
    "the pairs are only added": only_added,
    "corrected by the pair before alone": neighbours_only,
    "keys taken for vectors of length 1": longer,
    "strength 1 for all": fed(lambda Q, K, V, beta, dO: (Q, K, V, 1 + 0 * beta, dO)),
    "one strength for all": fed(
        lambda Q, K, V, beta, dO: (Q, K, V, 0 * beta + beta.mean(), dO)
    ),
    "asked with the keys": fed(lambda Q, K, V, beta, dO: (K, K, V, beta, dO)),
    "one dO for all": fed(lambda Q, K, V, beta, dO: (Q, K, V, beta, 0 * dO + dO[0])),
    "the error taken for a constant": lambda *given: run(*given, through=0.0),
}

STEPS, DRAWN, EXAMS = [], [], []  # what the student's training did


def wanted_logits(memory, E, C, strokes, words, asked):
    """Logits of the 200 words, as the task describes the three memories."""
    K, V = by_length(E)[strokes], C[words]
    scores = (K @ by_length(E)[asked].unsqueeze(-1)).squeeze(-1)
    if memory == "softmax":
        scores = torch.softmax(8 * scores, dim=1)
    if memory == "delta":
        V = right_at_once(0 * K, K, V, torch.ones(strokes.shape), whole=False)
    return (scores.unsqueeze(1) @ V).squeeze(1) @ C.T


def trained(memory, seed, known, unknown):
    """What the student's training gives with the right `at_once`: it has its own marks."""
    names = getattr(train, "__globals__", None)
    assert names is not None, "train: a function that is written with def"
    inner = {name: names[name] for name in ("dictation", "initial", "exam")}
    tables, model = [], np.random.default_rng(seed)

    def dictation(source, n, count, rng):
        found = inner["dictation"](source, n, count, rng)
        wanted = inner["dictation"](known, 32, 32, model)
        DRAWN.append((len(source), n, count, torch.equal(found[1], wanted[1])))
        return found

    def initial(seed):
        *both, adam = inner["initial"](seed)
        tables[:] = both
        adam.register_step_post_hook(lambda *_: STEPS.append(seed))
        return *both, adam

    def exam(logits, source):
        pairs = inner["dictation"](source, 9, 7, np.random.default_rng(3))[:3]
        with torch.no_grad():
            found = plain(logits(*pairs)), plain(wanted_logits(memory, *tables, *pairs))
        EXAMS.append((len(source), *found))
        return inner["exam"](logits, source)

    for noted in (STEPS, DRAWN, EXAMS):
        noted.clear()
    others = {"dictation": dictation, "initial": initial, "exam": exam}
    with standing_in(train, at_once=right_at_once, **others):
        found = np.asarray(train(memory, seed, known, unknown), dtype=float)
    assert found.shape == (3,), f"train: shape {found.shape} where three were expected"
    return found


def trained_right():
    """Each memory is trained with the budget, on the known words alone."""
    known, unknown = TRAIN[:9000].copy(), TEST[:3000].copy()
    rates = {}
    for memory in ("softmax", "sum", "delta"):
        rates[memory] = trained(memory, 5, known, unknown)
        assert STEPS == [5] * 100, f"train: {len(STEPS)} steps of Adam for {memory}"
        assert [one[:3] for one in DRAWN[:100]] == [(9000, 32, 32)] * 100, (
            "train: 100 times 32 passages of 32 words of known"
        )
        assert all(one[3] for one in DRAWN[:100]), (
            "train: other passages than those of default_rng(seed)"
        )
        assert len(EXAMS) == 1 and EXAMS[0][0] == 3000, "train: one exam, on unknown"
        shown, wanted = EXAMS[0][1:]
        assert shown.shape == wanted.shape, "train: shape of the logits"
        assert np.allclose(shown, wanted, rtol=1e-3, atol=1e-2), (
            f"train: other logits than those of {memory}"
        )
    assert max(rate[0] for rate in rates.values()) < 0.2, "train: it does not learn"
    assert rates["delta"][1] < rates["sum"][1] - 0.04, "train: delta and sum"


def by_length(E):
    return E / (E**2).sum(dim=-1, keepdim=True).sqrt()


def over_the_batch(E):
    return F.normalize(E, dim=0)


def last_only(strokes):
    """The positions in each row at which a stroke stands for the last time."""
    rows = [
        [one not in row[k + 1 :] for k, one in enumerate(row)]
        for row in strokes.tolist()
    ]
    return torch.tensor(rows)


def first_only(strokes):
    return last_only(strokes.flip(1)).flip(1)


def faults_left():
    left = []
    generator = torch.Generator().manual_seed(4)
    for shape in ((6, 5, 4), (1, 7, 3), (3, 1, 18)):
        E = 3 * torch.randn(shape, generator=generator)
        K = keys(E.clone())
        if K.shape != E.shape or not np.allclose(
            plain_array(K), by_length(E), atol=1e-5
        ):
            left.append(f"keys: shape {shape}")
    for shape in ((6, 9), (1, 5), (4, 1)):
        strokes = torch.randint(4, shape, generator=generator)
        found = plain_array(current(strokes.clone()))
        if found.dtype != bool or not np.array_equal(found, last_only(strokes)):
            left.append(f"current: shape {shape}")
    return left


def plain_array(one):
    return np.asarray(one.detach())


def accepted(keys, current):
    """Return whether `sound` finds the two functions in order, without `rehearse`."""
    with standing_in(sound, rehearse=uncalled):
        return accepts(sound, keys, current)


def in_order():
    for right in (by_length, lambda E: F.normalize(E, dim=2)):
        assert accepted(right, last_only), "sound: functions in order are refused"
