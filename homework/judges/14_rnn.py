"""What several hidden tests of homework 14 share; `%run -i` in a test puts it there.

Names that it does not define are from ``assignment.py``, the setup cell or the student.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def drawn(seed, T, N, D, H):
    rng = np.random.default_rng(seed)
    shapes = {"W_x": (D, H), "W_h": (H, H), "b": (H,), "a": (H,), "h_0": (H,)}
    P = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    return rng.normal(size=(T, N, D)), P, rng.normal(size=(T, N, H))


def truth(X, P, G):
    X, G = (torch.tensor(a, dtype=torch.float64) for a in (X, G))
    leaves = {k: torch.tensor(p, dtype=torch.float64) for k, p in P.items()}
    for leaf in leaves.values():
        leaf.requires_grad_()
    alpha, h, states = torch.sigmoid(leaves["a"]), leaves["h_0"], []
    for X_t in X:
        Z = X_t @ leaves["W_x"] + h @ leaves["W_h"] + leaves["b"]
        h = (1 - alpha) * h + alpha * torch.tanh(Z)
        states.append(h)
    states = torch.stack(states)
    found = torch.autograd.grad((states * G).sum(), list(leaves.values()))
    return states.detach().numpy(), {
        k: g.numpy() for k, g in zip(leaves, found, strict=True)
    }


def run(X, P, G, keep=lambda t: 1.0, way_back=True):
    """The cell in NumPy; with a way back that may be cut."""
    alpha = 1 / (1 + np.exp(-P["a"]))
    h, before, candidates, states = P["h_0"] + 0 * G[0], [], [], []
    for X_t in X:
        before.append(h)
        candidates.append(np.tanh(X_t @ P["W_x"] + h @ P["W_h"] + P["b"]))
        h = (1 - alpha) * h + alpha * candidates[-1]
        states.append(h)
    grads, back = {name: 0 * p for name, p in P.items()}, 0 * G[0]
    for t in reversed(range(len(X))):
        dh = G[t] + back
        dZ = dh * alpha * (1 - candidates[t] ** 2)
        grads["W_x"] = grads["W_x"] + X[t].T @ dZ
        grads["W_h"] = grads["W_h"] + before[t].T @ dZ
        grads["b"] = grads["b"] + dZ.sum(axis=0)
        slope = (dh * (candidates[t] - before[t])).sum(axis=0)
        grads["a"] = grads["a"] + slope * alpha * (1 - alpha)
        back = (dh * (1 - alpha) * way_back + dZ @ P["W_h"].T) * keep(t)
    grads["h_0"] = back.sum(axis=0)
    return np.stack(states), grads


def torched(X, P, G):
    """Do the same by autograd, as tensors, which rounds differently."""
    states, grads = truth(X, P, G)
    return torch.tensor(states), {k: torch.tensor(g) for k, g in grads.items()}


def altered(change):
    """A program whose answer is changed: change(states, grads, X, P, G)."""

    def program(X, P, G):
        states, grads = run(X, P, G)
        return change(states, dict(grads), X, P, G)

    return program


def fed(change):
    """A program that misreads its inputs: change(P) in place of P."""
    return lambda X, P, G: run(X, {**P, **change(P)}, G)


def cut(letters, ends, T, N, rng):
    places = rng.integers(0, len(letters) - T, N)
    both = [np.stack([a[p : p + T] for p in places], axis=1) for a in (letters, ends)]
    return torch.tensor(both[0]), torch.tensor(both[1], dtype=torch.float32)


def scrambled(letters, ends, T, N, rng):
    X, y = cut(letters, ends, T, N, rng)
    return X.T.reshape(T, N), y.T.reshape(T, N)


def late(scores, y, wait):
    return scores[wait:], y[: len(y) - wait]


def early(scores, y, wait):
    return scores[: len(y) - wait], y[wait:]


def stepping(pair, cleared=True, after=False):
    def step(net, adam, X, y, wait):
        scores, answers = pair(net(X), y, wait)
        loss = F.binary_cross_entropy_with_logits(scores, answers)
        if cleared:
            adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        adam.step()
        if after:
            adam.zero_grad()
        return loss.item()

    return step


def pieces_right():
    letters = np.random.default_rng(5).permutation(400)
    at = np.argsort(letters)
    X, y = pieces(letters, 2 * letters, 7, 5, np.random.default_rng(6))
    X, y = np.asarray(X), np.asarray(y)
    assert X.shape == y.shape == (7, 5), "pieces: shape"
    assert y.dtype == np.float32, "pieces: float32"
    assert (np.diff(at[X], axis=0) == 1).all(), "pieces: a piece is not in order"
    assert (y == 2 * X).all(), "pieces: ends of other letters"
    assert len(set(at[X[0]])) > 2, "pieces: places drawn at random"


def paired_right():
    for wait in (0, 1, 3):
        scores, y = torch.arange(30.0).reshape(10, 3), torch.arange(30.0).reshape(10, 3)
        found = [np.asarray(a) for a in paired(scores, 100 + y, wait)]
        wanted = np.arange(30.0).reshape(10, 3)
        assert np.array_equal(found[0], wanted[wait:]), "paired: scores"
        assert np.array_equal(found[1], 100 + wanted[: 10 - wait]), "paired: answers"


def step_right():
    nets, losses = [], []
    for one in (step, stepping(paired)):  # the pairing is the student's own
        torch.manual_seed(1)
        net, rng = Clerk(4), np.random.default_rng(7)
        adam = torch.optim.Adam(net.parameters(), lr=0.1)
        for _ in range(3):
            X = torch.tensor(rng.integers(0, 26, (6, 5)))
            y = torch.tensor(rng.integers(0, 2, (6, 5)), dtype=torch.float32)
            losses.append(float(one(net, adam, X, y, 1)))
        nets.append(torch.cat([p.detach().ravel() for p in net.parameters()]).numpy())
    assert np.allclose(losses[:3], losses[3:], atol=1e-5), "step: the loss"
    assert np.allclose(*nets, atol=1e-4), "step: the weights after three steps"


def accepted(pieces, paired, step):
    return accepts(sound, pieces, paired, at_most(20, step))


def accepts_right():
    """A run in order; whether its gradients are cleared after a step too is its affair."""
    return any(
        accepted(cut, late, stepping(late, after=again)) for again in (False, True)
    )
