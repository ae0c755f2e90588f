"""What several hidden tests of homework 1 share; `%run -i` in a test puts it there.

Names that it does not define are from ``assignment.py``, the setup cell or the student.
"""

import numpy as np
import torch
from torch.overrides import TorchFunctionMode


def drawn(seed, N, K):
    """Poses (N, 3), masts and corners (K, 2), and a gradient by the lengths (N, K)."""
    rng = np.random.default_rng(seed)
    shapes = (N, 3), (K, 2), (K, 2), (N, K)
    return tuple(rng.normal(size=shape) for shape in shapes)


def truth(pose, masts, corners, G):
    x, m, a = (torch.tensor(a, dtype=torch.float64) for a in (pose, masts, corners))
    leaves = [leaf.requires_grad_() for leaf in (x, m, a)]
    c, s = torch.cos(x[:, 2]), torch.sin(x[:, 2])
    R = torch.stack([torch.stack([c, -s], 1), torch.stack([s, c], 1)], 1)
    held = x[:, None, :2] + torch.einsum("nij,kj->nki", R, a)
    lengths = torch.linalg.vector_norm(held - m, dim=2)
    found = torch.autograd.grad((lengths * torch.tensor(G)).sum(), leaves)
    names = "pose", "masts", "corners"
    slopes = {name: g.numpy() for name, g in zip(names, found, strict=True)}
    return lengths.detach().numpy(), slopes


def differentiated(one):
    """Whether PyTorch differentiates by this number, through `torch.func` or without."""
    functorch = getattr(
        torch._C, "_functorch", None
    )  # not part of the public interface
    wrapped = getattr(functorch, "is_functorch_wrapped_tensor", lambda _: True)
    return isinstance(one, torch.Tensor) and (one.requires_grad or wrapped(one))


class Turns(TorchFunctionMode):
    """Notes whether PyTorch turns something here by which it differentiates."""

    turned = False

    def __torch_function__(self, func, types, args=(), kwargs=None):
        turns = {"cos", "sin", "cos_", "sin_", "exp", "polar", "matrix_exp"}
        if getattr(func, "__name__", "") in turns:
            given = *args, *(kwargs or {}).values()
            self.turned |= any(map(differentiated, given))
        return func(*args, **(kwargs or {}))


def backward_right(name):
    """The gradient by one variable, up to rounding; differences are 1e-11 off and more."""
    for seed, sizes in enumerate([(5, 4), (2, 3), (1, 6)]):
        *variables, G = drawn(seed, *sizes)
        given = [a.copy() for a in (G, *variables)]
        with NumPyAlone():
            found = np.asarray(backward(*given)[name])
        wanted = truth(*variables, G)[1][name]
        assert found.shape == wanted.shape, f"backward: shape of {name}"
        assert np.allclose(found, wanted), f"backward: {name}"
        assert np.allclose(found, wanted, rtol=1e-12, atol=1e-12), (
            f"backward: {name} up to rounding"
        )
        for before, after in zip((G, *variables), given, strict=True):
            assert (before == after).all(), "backward: an array was changed"


def run(pose, masts, corners, G, turn_back=True):
    """The rig in NumPy; its gradient of the corners may be wrong."""
    c, s = np.cos(pose[:, 2:]), np.sin(pose[:, 2:])
    right = c * corners[:, 0] - s * corners[:, 1]
    up = s * corners[:, 0] + c * corners[:, 1]
    x = pose[:, :1] + right - masts[:, 0]
    y = pose[:, 1:2] + up - masts[:, 1]
    lengths = np.hypot(x, y)
    dx, dy = G * x / lengths, G * y / lengths
    back = (c * dx + s * dy, c * dy - s * dx) if turn_back else (dx, dy)
    return lengths, {
        "pose": np.stack([dx.sum(1), dy.sum(1), (right * dy - up * dx).sum(1)], 1),
        "masts": -np.stack([dx.sum(0), dy.sum(0)], 1),
        "corners": np.stack([back[0].sum(0), back[1].sum(0)], 1),
    }


def torched(*given):
    """The truth, as tensors: not `run` in the last digits."""
    lengths, grads = truth(*given)
    return torch.tensor(lengths), {k: torch.tensor(g) for k, g in grads.items()}


def altered(change):
    """A program whose answer is changed: change(lengths, grads, pose, masts, …)."""

    def program(*given):
        lengths, grads = run(*given)
        return change(lengths, dict(grads), *given)

    return program


def fed(change):
    """A program that misreads its inputs: change(pose, masts, corners)."""
    return lambda pose, masts, corners, G: run(*change(pose, masts, corners), G)


def chosen(pairs, tape, n, rng):
    at = rng.choice(len(pairs), size=n, replace=False)
    return pairs[at], tape[at]


def shuffled(pairs, tape, n, rng):
    return rng.permutation(pairs)[:n], rng.permutation(tape)[:n]


def summed(P, pairs, tape):
    dP = np.zeros(P.shape)
    for (a, b), length in zip(pairs, tape, strict=True):
        way = P[a] - P[b]
        distance = np.sqrt(way @ way)
        dP[a] += (distance - length) / distance * way
        dP[b] -= (distance - length) / distance * way
    return dP


def last_alone(P, pairs, tape):
    a, b = pairs.T
    way = P[a] - P[b]
    distance = np.linalg.norm(way, axis=1)
    pull = ((distance - tape) / distance)[:, None] * way
    dP = np.zeros(P.shape)
    dP[a] += pull
    dP[b] -= pull
    return dP


def stepping(gradient, whole=False):
    def step(P, pairs, tape, free, lr):
        dP = gradient(P, pairs, tape)
        new = P.copy() if whole else np.array(P, dtype=float)
        new[free] = P[free] - lr * dP[free]
        return new

    return step


def fields():
    """Small fields: positions, pairs, lengths, which may move."""
    for seed in (3, 4):
        rng = np.random.default_rng(seed)
        a, b = np.triu_indices(7, 1)
        pairs = np.stack([a, b], axis=1)[rng.permutation(len(a))[:15]]
        P = np.stack([100 * np.arange(7), rng.integers(0, 900, size=7)], axis=1)
        yield P, pairs, rng.uniform(100, 700, size=15), rng.permutation(7) > 2


def draw_right():
    a, b = np.triu_indices(9, 1)
    pairs, firsts = np.stack([a, b], axis=1), set()
    for seed in range(4):
        few, lengths = draw(
            pairs.copy(), 100.0 * a + b, 11, np.random.default_rng(seed)
        )
        few, lengths = np.asarray(few), np.asarray(lengths)
        assert few.shape == (11, 2) and lengths.shape == (11,), "draw: shapes"
        assert (100 * few[:, 0] + few[:, 1] == lengths).all(), "draw: other pairs"
        assert len(set(lengths.tolist())) == 11, "draw: a distance twice"
        firsts.add(tuple(lengths.tolist()))
    assert len(firsts) > 1, "draw: always the same"


def gradient_right():
    for P, pairs, tape, _ in fields():
        found = np.asarray(gradient(P.astype(float), pairs.copy(), tape.copy()))
        assert found.shape == P.shape, "gradient: shape"
        assert np.allclose(found, summed(P, pairs, tape)), "gradient: values"


def step_right():
    for P, pairs, tape, free in fields():
        for given in (P.copy(), P.astype(float)):
            kept = given.copy()
            found = step(given, pairs.copy(), tape.copy(), free.copy(), 0.013)
            assert (given == kept).all(), "step: P was changed"
            dP = gradient(P.astype(float), pairs, tape)  # the student's own
            wanted = P - 0.013 * np.asarray(dP) * free[:, None]
            assert np.allclose(np.asarray(found), wanted, rtol=1e-9), "step: positions"


def accepted(*functions):
    return accepts(sound, *(at_most(20, function) for function in functions))


def accepts_right():
    """Correct functions, and others."""

    def matrix(P, pairs, tape):
        ends = np.zeros((len(pairs), len(P)))
        ends[np.arange(len(pairs)), pairs[:, 0]] = 1
        ends[np.arange(len(pairs)), pairs[:, 1]] = -1
        way = ends @ P
        distance = np.sqrt((way**2).sum(axis=1, keepdims=True))
        return ends.T @ (way - np.asarray(tape)[:, None] * way / distance)

    def other_draw(pairs, tape, n, rng):
        order = np.argsort(rng.random(len(tape)))[:n]
        return pairs[order], tape[order]

    return accepted(chosen, summed, stepping(summed)) and accepted(
        other_draw, matrix, stepping(matrix)
    )


CELLS = np.array([[1.0, 2.0], [0.0, 1.0], [-1.0, 3.0], [2.0, 0.5], [1.0, -1.0]])


def straight_look(at, noise, rng):
    return CELLS @ np.asarray(at) + noise * rng.normal(size=len(CELLS))


def bent(x):
    return x + x**2 / 10 + x**3 / 20


def bent_look(at, noise, rng):
    return CELLS @ bent(np.asarray(at, dtype=float)) + noise * rng.normal(size=5)


def bent_error(h):
    """The mean squared error of the gusts on the bent map, over all gusts."""
    d = np.arange(-4.0, 5.0)
    slope = (bent(h) - bent(-h)) / (2 * h)
    return 2 * np.mean((bent(d) / slope - d) ** 2)


class Watched:
    """A camera that notes the noise of every picture."""

    def __init__(self, look):
        self.look, self.noises = look, []

    def __call__(self, at, noise, rng):
        self.noises.append(float(noise))
        return self.look(at, noise, rng)


def own_sway(look, h, noise, seed):
    rng = np.random.default_rng(seed)
    steps = h * np.eye(2, dtype=int)
    J = np.stack([look(e, noise, rng) - look(-e, noise, rng) for e in steps], 1) / 2 / h
    rest = look(np.zeros(2, dtype=int), noise, rng)
    gusts = rng.integers(-4, 5, size=(40, 2))
    changes = np.stack([look(d, noise, rng) - rest for d in gusts], axis=1)
    found = np.linalg.solve(J.T @ J, J.T @ changes).T
    return np.sqrt(((found - gusts) ** 2).sum(axis=1).mean())


def figure_right(fig, results):
    """Check that results[h] are points above h (or log h), and that noises are named."""
    axes = [ax for ax in fig.axes if ax.has_data()]
    x, y = points(fig).T
    assert len(x) <= 200, "fig: more than was asked"
    shown = np.zeros(len(x), dtype=bool)
    for h, values in results.items():
        above = (np.abs(x - h) <= h / 4) | (np.abs(x - np.log2(h)) <= 0.4)
        for value in np.ravel(values):
            drawn = above & np.isclose(y, float(value), rtol=5e-3, atol=1e-9)
            assert drawn.any(), f"fig: {value} is not drawn above the step {h}"
            shown |= drawn
    assert shown.sum() >= 54, "fig: 54 points were asked for"
    legends = [ax.get_legend() for ax in axes] + list(fig.legends)
    names = {text.get_text() for one in legends if one for text in one.get_texts()}
    panels = {(ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) for ax in axes}
    texts = {text.get_text() for ax in axes for text in ax.texts}
    bar = any(ax.get_label() == "<colorbar>" for ax in fig.axes)
    assert bar or max(map(len, (names, panels, texts))) >= 3, (
        "fig: which noise is which?"
    )
