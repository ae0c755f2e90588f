"""What several hidden tests of homework 8 share; `%run -i` in a test puts it there.

Names that it does not define are the student's, the setup cell's or those of
``assignment.py``.
"""

import numpy as np
import torch


def drawn(seed, N, units):
    """C, W of the norm 0.9 and dZ."""
    rng = np.random.default_rng(100 + seed)
    W = rng.normal(size=(units, units))
    W *= 0.9 / np.linalg.norm(W, 2)
    return rng.normal(size=(N, units)), W, rng.normal(size=(N, units))


def ticked(C, W, ticks=400):
    Z = np.zeros_like(C)
    for _ in range(ticks):
        Z = np.tanh(C + Z @ W)
    return Z


def settled(seed, N, units, norm=0.9):
    """dZ, Z and W of the norm: each Z is settled for some input."""
    C, W, dZ = drawn(seed, N, units)
    Z = ticked(C, W) if norm < 1 else np.tanh(C)
    return dZ, Z, W * (norm / 0.9)


LAYERS = [
    settled(20, 4, 3),
    settled(21, 1, 5),
    settled(22, 2, 1),
    settled(23, 5, 4, norm=3.0),
    settled(24, 3, 5, norm=6.0),
]


def truth(dZ, Z, W):
    """DC and dW from the Jacobian of z − tanh(c + z W), which autograd finds."""
    dC, dW = np.zeros_like(Z), np.zeros_like(W)
    for n, (d, z) in enumerate(zip(dZ, Z, strict=True)):
        wires = torch.tensor(W, requires_grad=True)
        state = torch.tensor(z)
        c = (torch.atanh(state) - state @ wires).detach().requires_grad_()
        left = torch.autograd.functional.jacobian(
            lambda a, c=c, wires=wires: a - torch.tanh(c + a @ wires), state
        )
        weight = torch.linalg.solve(left.T, torch.tensor(d))
        pair = torch.autograd.grad(torch.tanh(c + state @ wires) @ weight, (c, wires))
        dC[n], dW = pair[0].numpy(), dW + pair[1].numpy()
    return dC, dW


def close(found, right):
    return bool(np.abs(found - right).max() <= 1e-7 * max(1e-3, np.abs(right).max()))


def own_adjoint(dZ, Z, W, kept=False):
    """The student's dC and dW, by NumPy and from copies, which are to be kept."""
    given = [a.copy() for a in (dZ, Z, W)]
    with NumPyAlone():
        found = adjoint(*given)
    assert len(found) == 2, "adjoint: it returns dC and dW"
    if kept:
        same_still = map(np.array_equal, given, (dZ, Z, W))
        assert all(same_still), "adjoint: it changes an array that is given"
    return [np.asarray(plain(one), dtype=float) for one in found]


def from_own(dC, dW, dZ, Z, W):
    """Whether dW follows from the student's dC, which is wrong but can be a gradient."""
    fits = dC.shape == Z.shape and np.isfinite(dC).all() and dC.any()
    return bool(fits and close(dW, np.einsum("ni,nj->ij", Z, dC)))


def cheap(dZ, Z, W, k):
    """What k backward ticks give in place of dC."""
    slope = 1 - Z**2
    delta = slope * dZ
    for _ in range(k):
        delta = slope * (dZ + np.einsum("nj,ij->ni", delta, W))
    return delta


def right_layer(seed, dtype, k):
    """The student's layer gives the state and both gradients, with k backward ticks."""
    C, W, dZ = drawn(seed, *((4, 3), (1, 5), (6, 2), (3, 4), (2, 3))[seed % 5])
    given = C, W, dZ = [torch.tensor(a, dtype=dtype) for a in (C, W, dZ)]
    C.requires_grad_(), W.requires_grad_()
    Z = Settled.apply(C, W, 400, k)
    assert Z.dtype == dtype, f"Settled: {Z.dtype} from {dtype}"
    (Z * dZ).sum().backward()
    c, w, d = (a.detach().double().numpy() for a in given)
    z = ticked(c, w)
    delta = cheap(d, z, w, k)
    right = {"Z": (Z, z), "dC": (C.grad, delta), "dW": (W.grad, z.T @ delta)}
    for what, (found, wanted) in right.items():
        assert found is not None, f"Settled: no {what}"
        found = plain(found)
        assert found.shape == wanted.shape, f"Settled: shape of {what}"
        off = np.abs(found - wanted).max() / np.abs(wanted).max()
        assert off < (1e-3 if dtype == torch.float32 else 1e-8), f"Settled: {what}"


def by_solving(C, W, dZ, ticks=1000):
    """A right program: ticks forward, a linear equation back."""
    Z = ticked(C, W, ticks)
    slope = 1 - Z**2
    systems = np.eye(len(W)) - slope[:, :, None] * W
    dC = np.linalg.solve(systems, (slope * dZ)[:, :, None])[:, :, 0]
    return Z, dC, Z.T @ dC


def by_ticks(C, W, dZ):
    """Another: autograd goes back through 500 ticks."""
    leaves = [torch.tensor(np.array(a), requires_grad=True) for a in (C, W)]
    Z = torch.zeros_like(leaves[0])
    for _ in range(500):
        Z = torch.tanh(leaves[0] + Z @ leaves[1])
    found = torch.autograd.grad((Z * torch.tensor(np.array(dZ))).sum(), leaves)
    return Z.detach().numpy(), *(one.numpy() for one in found)


def altered(**changes):
    """A program whose answers are changed: name=change(answer, Z, dC)."""

    def program(C, W, dZ):
        found = dict(zip(("Z", "dC", "dW"), by_solving(C, W, dZ), strict=True))
        Z, dC = found["Z"], found["dC"]
        return tuple(
            changes[n](found[n], Z, dC) if n in changes else found[n] for n in found
        )

    return program


def going_back(back):
    """A program with another way back: back(dZ, Z, W) in place of dC."""

    def program(C, W, dZ):
        Z = by_solving(C, W, dZ)[0]
        dC = back(dZ, Z, W)
        return Z, dC, Z.T @ dC

    return program


def not_transposed(dZ, Z, W):
    return cheap(dZ, Z, W.T, 400)


def solved_with(slope):
    """A way back with slopes (1, H) that all examples share."""

    def back(dZ, Z, W):
        s = slope(Z)
        return (dZ * (1 - Z**2)) @ np.linalg.inv(np.eye(len(W)) - W.T * s)

    return back


WRONG_VALUES = {
    "states 1 % too large": altered(Z=lambda Z, *_: 1.01 * Z),
    "dC: half of it": altered(dC=lambda dC, *_: dC / 2),
    "dC: one entry": altered(dC=lambda dC, *_: dC + 0.1 * (dC == dC.max())),
    "dW: the other sign": altered(dW=lambda dW, *_: -dW),
    "dW: transposed": altered(dW=lambda dW, *_: dW.T),
    "dW: a product for each example": altered(
        dW=lambda dW, Z, dC: np.einsum("ni,nj->nij", Z, dC)
    ),
    "Z: a row too many around it": altered(Z=lambda Z, *_: Z[None]),
    "nan in dW": altered(dW=lambda dW, *_: dW * np.nan),
}
RIGHT_BY_CHANCE = {
    "W in place of its transpose": going_back(not_transposed),
    "three backward ticks": going_back(lambda *given: cheap(*given, 3)),
    "four ticks": lambda C, W, dZ: by_solving(C, W, dZ, 4),
    "one slope for all": going_back(lambda dZ, Z, W: cheap(dZ, 0 * Z, W, 400)),
    "the slopes of the first example": going_back(
        solved_with(lambda Z: 1 - Z[:1] ** 2)
    ),
    "dW: a mean over the examples": altered(dW=lambda dW, Z, dC: dW / len(Z)),
    "one dZ for all": lambda C, W, dZ: by_solving(C, W, np.full_like(dZ, dZ.mean())),
}
STEPS, FORWARD, BACKWARD = [], [], []  # what a training did


class RightSettled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, C, W, ticks, k):
        FORWARD.append((tuple(C.shape), C.dtype, int(ticks)))
        Z = torch.zeros_like(C)
        for _ in range(int(ticks)):
            Z = torch.tanh(C + Z @ W)
        ctx.save_for_backward(Z, W)
        ctx.k = int(k)
        return Z

    @staticmethod
    def backward(ctx, dZ):
        BACKWARD.append((tuple(dZ.shape), ctx.k))
        Z, W = ctx.saved_tensors
        slope = 1 - Z**2
        delta = slope * dZ
        for _ in range(ctx.k):
            delta = slope * (dZ + delta @ W.T)
        return delta, Z.T @ delta, None, None


def right_unrolled(C, W, k):
    return RightSettled.apply(C, W, TICKS, k)


def counted(board):
    """The board with Adam that `initial` drew; Adam notes its steps."""
    *board, adam = board
    step = adam.step

    def noted(*args, **settings):
        STEPS.append(float(torch.linalg.matrix_norm(board[0].detach(), 2)))
        return step(*args, **settings)

    adam.step = noted
    return *board, adam


def trained(*given):
    """What the student's training gives with the right `Settled`: it has its own marks."""
    draw = initial
    others = {
        "Settled": RightSettled,
        "unrolled": right_unrolled,
        "initial": lambda seed: counted(draw(seed)),
    }
    for notes in (STEPS, FORWARD, BACKWARD):
        notes.clear()
    with standing_in(train, **others):
        return float(train(*given))


def keeps_the_budget(k, steps):
    trained(k, 8, TRAIN, (TEST[0][:80].copy(), TEST[1][:80].copy()))
    assert len(STEPS) == steps, f"train: {len(STEPS)} steps with k = {k}"
    assert max(STEPS) < 0.91, "train: `hold` after each step"
    assert BACKWARD, "train: in each step `Settled.apply` or `unrolled`"
    assert BACKWARD == [((50, H), k)] * steps, "train: 50 digits, k backward ticks"
    for _, dtype, ticks in FORWARD:
        assert dtype == torch.float32, "train: float32"
        assert ticks == TICKS, "train: 20 ticks to settle"


def figure_right(fig, table):
    """The numbers of one k stand above each other, in the order of k."""
    shown = points(fig)
    assert len(shown) <= 100, "fig: more than was asked"
    columns = []
    for k, values in enumerate(table):
        at = [x for x in set(shown[:, 0]) if all(near(shown, x, y) for y in values)]
        assert at, f"fig: the results for k = {(0, 1, 3, 20)[k]}"
        columns.append(at)
    low = -np.inf
    for at in columns:  # the smallest position that is right of the one before
        right = [x for x in at if x > low]
        assert right, "fig: the columns in the order of k"
        low = min(right)


def near(shown, x, y):
    return bool((np.abs(shown - (x, y)) < (0.45, 2e-3)).all(axis=1).any())


def scaled(W, limit):
    norm = np.sqrt(np.linalg.eigvalsh(W @ W.T)[-1])
    return W.copy() if norm <= limit else limit / norm * W


def ticking(dZ, Z, W, k):
    return cheap(dZ, Z, W, k)


def summed(dZ, Z, W, k):
    """The same as a sum: each tick adds what has passed through one wire more."""
    term = total = dZ * (1 - Z**2)
    for _ in range(k):
        term = (term @ W.T) * (1 - Z**2)
        total = total + term
    return total


def by_all_entries(W, limit):
    return W * min(1.0, limit / np.sqrt((W**2).sum()))


def slope_once(dZ, Z, W, k):
    start = delta = (1 - Z**2) * dZ
    for _ in range(k):
        delta = start + delta @ W.T
    return delta


def tame_right():
    for seed, units in enumerate((3, 6, 1)):
        W = drawn(40 + seed, 1, units)[1]  # of the norm 0.9
        for norm, limit in ((0.5, 0.8), (2.0, 0.8), (1.1, 1.0), (0.99, 1.0)):
            given = W * (norm / 0.9)
            found = plain(tame(given.copy(), limit))
            assert found.shape == W.shape, "tame: shape"
            wanted = given * min(1, limit / norm)
            assert np.allclose(found, wanted, rtol=1e-6, atol=1e-9), "tame: values"


def back_right():
    for seed, k in enumerate((0, 1, 4, 30)):
        dZ, Z, W = settled(50 + seed, 4, 3)
        found = plain(back(dZ.copy(), Z.copy(), W.copy(), k))
        assert found.shape == Z.shape, "back: shape"
        assert np.allclose(found, cheap(dZ, Z, W, k), atol=1e-9), f"back: k = {k}"


def accepted(tame, back):
    """Return whether `sound` finds the two functions in order, without `descend`."""
    with standing_in(sound, descend=uncalled):
        return accepts(sound, tame, back)


def in_order():
    for back in (ticking, summed):
        assert accepted(scaled, back), "sound: functions in order are refused"
