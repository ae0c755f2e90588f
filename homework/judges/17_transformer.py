"""What several hidden tests of homework 17 share; `%run -i` in a test puts it there.

Names that it does not define are the student's, the setup cell's or `assignment.py`'s.
"""

import math

import numpy as np
import torch

SIZES = [(6, 2, 7, 3, 4), (4, 4, 5, 2, 2), (3, 1, 6, 4, 9), (4, 2, 1, 3, 1)]
SIZES += [(6, 3, 8, 5, 1)]  # query heads, key-value heads, positions, width, window
NAMES = "O", "dQ", "dK", "dV"
MODELS = "4 x 4", "2 x 8", "1 x 16", "4 x 16"


def moved_right(seed, T, d_v, lift, ahead=0.0):
    """The change is exact, with scores that are higher by `lift`, the kept ones `ahead`."""
    rng = np.random.default_rng(seed)
    keep = np.arange(T) < rng.integers(1, T)
    rng.shuffle(keep)
    scores = rng.normal(size=T) + lift + ahead * keep
    V = rng.normal(size=(T, d_v)) + 1
    found = np.asarray(moved(scores.copy(), V.copy(), keep.copy()), dtype=float)
    assert found.shape == (d_v,), f"moved: shape {found.shape}"
    a = np.exp(scores - scores.max())
    share = math.fsum(a[~keep]) / math.fsum(a)
    means = [a[some] @ V[some] / math.fsum(a[some]) for some in (keep, ~keep)]
    wanted = share * (means[0] - means[1])
    assert np.allclose(found, wanted, rtol=1e-9, atol=0), (
        f"moved: {found} where {wanted} was expected; the dropped weight is {share:.2g}"
    )


def drawn(seed, h, g, T, width, W):
    """The arguments dO, Q, K, V and W."""
    rng = np.random.default_rng(100 + seed)
    dO, Q = rng.normal(size=(2, h, T, width))
    return [dO, Q, *rng.normal(size=(2, g, T, width)), W]


def unchanged(given, kept):
    return all(np.array_equal(a, b) for a, b in zip(given, kept, strict=True))


def right_attend(Q, K, V, W):
    """Grouped-query attention, a head and a position at a time."""
    h, T, width = Q.shape[-3:]
    heads = []
    for i in range(h):
        j, rows = i * K.shape[-3] // h, []
        for t in range(T):
            past = slice(max(0, t - W + 1), t + 1)
            keys, values = K[..., j, past, :], V[..., j, past, :]
            S = (keys @ Q[..., i, t, :, None])[..., 0] / width**0.5
            rows.append((torch.softmax(S, dim=-1)[..., None, :] @ values)[..., 0, :])
        heads.append(torch.stack(rows, dim=-2))
    return torch.stack(heads, dim=-3)


def torched(dO, Q, K, V, W):
    """O, dQ, dK, dV by autograd, as tensors."""
    leaves = [torch.tensor(a, requires_grad=True) for a in (Q, K, V)]
    O = right_attend(*leaves, W)
    return O.detach(), *torch.autograd.grad(O, leaves, torch.tensor(dO))


def truth(*given):
    return [np.asarray(one) for one in torched(*given)]


def seen_by(h, T, W):
    """The mask of the window, causal (T, T)."""
    back = np.subtract.outer(np.arange(T), np.arange(T))
    return (back >= 0) & (back < W)


def run(dO, Q, K, V, W, reads=lambda i, h, g: i * g // h, seen=None, scale=None):
    """The right program in NumPy; head i reads another head, or other positions."""
    (h, T, width), g = Q.shape, len(K)
    mask = seen_by(h, T, W) if seen is None else seen(T, W)
    scale = width**-0.5 if scale is None else scale(width)
    O, dQ, dK, dV = (np.zeros(a.shape) for a in (Q, Q, K, V))
    for i in range(h):
        j = reads(i, h, g)
        E = np.where(mask, np.exp(scale * np.einsum("tc,sc->ts", Q[i], K[j])), 0.0)
        A = E / E.sum(axis=1)[:, None]
        O[i] = np.einsum("ts,sc->tc", A, V[j])
        dA = np.einsum("tc,sc->ts", dO[i], V[j])
        dS = scale * A * (dA - np.einsum("tc,tc->t", dO[i], O[i])[:, None])
        dQ[i] = np.einsum("ts,sc->tc", dS, K[j])
        dK[j] += np.einsum("ts,tc->sc", dS, Q[i])
        dV[j] += np.einsum("ts,tc->sc", A, dO[i])
    return O, dQ, dK, dV


def gradients_right(names):
    """The student's gradients of these names are right, from arrays left as they were."""
    for seed, sizes in enumerate(SIZES):
        given, kept = drawn(10 + seed, *sizes), drawn(10 + seed, *sizes)
        with NumPyAlone():
            found = dict(zip(NAMES[1:], backward(*given), strict=True))
        right = dict(zip(NAMES, truth(*kept), strict=True))
        for name in names:
            one = np.asarray(found[name], dtype=float)
            assert one.shape == right[name].shape, f"backward: shape of {name}"
            assert np.allclose(one, right[name], rtol=1e-10, atol=1e-12), (
                f"backward: {name}, sizes {sizes}"
            )
        assert unchanged(given, kept), "backward: an array was changed"


def tensors(seed, axes, sizes, dtype):
    """Tensors dO, Q, K and V with these axes in front."""
    lists = [drawn(30 + 9 * seed + k, *sizes)[:4] for k in range(math.prod(axes))]
    stacks = [np.stack(a).reshape(*axes, *a[0].shape) for a in zip(*lists, strict=True)]
    return [torch.tensor(a, dtype=dtype) for a in stacks]


def attend_right():
    """The layer of PyTorch and its gradients, in either type, with axes in front."""
    for seed, (axes, sizes) in enumerate(
        zip([(), (3,), (2, 4), (2,), ()], SIZES, strict=True)
    ):
        for dtype, atol in ((torch.float64, 1e-8), (torch.float32, 1e-4)):
            dO, *leaves = tensors(seed, axes, sizes, dtype)
            leaves, W = [leaf.requires_grad_() for leaf in leaves], sizes[-1]
            O = attend(*leaves, W)
            wanted = right_attend(*leaves, W)
            assert O.dtype == dtype, f"attend: {O.dtype} from {dtype}"
            assert O.shape == wanted.shape, f"attend: shape {tuple(O.shape)}"
            assert np.allclose(plain(O), plain(wanted), atol=atol), f"attend: {sizes}"
            found = torch.autograd.grad(O, leaves, dO)
            exact = torch.autograd.grad(wanted, leaves, dO)
            for name, one, other in zip(NAMES[1:], found, exact, strict=True):
                assert np.allclose(plain(one), plain(other), atol=atol), (
                    f"attend: {name} by autograd, sizes {sizes}"
                )


def altered(**changes):
    """A program whose answers are changed: name=change(answer)."""

    def program(*given):
        found = dict(zip(NAMES, run(*given), strict=True))
        return tuple(changes.get(name, lambda a: a)(found[name]) for name in NAMES)

    return program


def fed(change):
    """A program that misreads its arguments: change(dO, Q, K, V, W) in their place."""
    return lambda *given: run(*change(*given))


def other(**settings):
    """A program for another layer."""
    return lambda *given: run(*given, **settings)


def averaged(dO, Q, K, V, W):
    """The mean over a group in place of the sum."""
    O, dQ, dK, dV = run(dO, Q, K, V, W)
    return O, dQ, dK * len(K) / len(Q), dV * len(K) / len(Q)


def last_of_group(dO, Q, K, V, W):
    """The gradient of a shared head from the last query head of its group."""
    O, dQ = run(dO, Q, K, V, W)[:2]
    alone = np.zeros_like(dO)
    size = len(Q) // len(K)
    alone[size - 1 :: size] = dO[size - 1 :: size]
    return O, dQ, *run(alone, Q, K, V, W)[2:]


WRONG_VALUES = {
    "outputs larger by a thousandth": altered(O=lambda O: 1.001 * O),
    "dQ: smaller by a thousandth": altered(dQ=lambda dQ: 0.999 * dQ),
    "dK: the other sign": altered(dK=lambda dK: -dK),
    "dV: half of it": altered(dV=lambda dV: dV / 2),
    "dK and dV exchanged": lambda *given: tuple(run(*given)[k] for k in (0, 1, 3, 2)),
    "dV: the last position alone is wrong": altered(
        dV=lambda dV: np.concatenate([dV[:, :-1], dV[:, -1:] + 0.01], axis=1)
    ),
    "scores that are not divided by the root of the width": other(scale=lambda n: 1.0),
    "O: an axis too many": altered(O=lambda O: O[None]),
    "dK: one row for all positions": altered(
        dK=lambda dK: dK.mean(axis=1, keepdims=True)
    ),
    "nan in dQ": altered(dQ=lambda dQ: dQ * np.nan),
}
RIGHT_BY_CHANCE = {
    "a window longer by one": fed(lambda dO, Q, K, V, W: (dO, Q, K, V, W + 1)),
    "a window shorter by one": fed(lambda dO, Q, K, V, W: (dO, Q, K, V, max(1, W - 1))),
    "no window": fed(lambda dO, Q, K, V, W: (dO, Q, K, V, Q.shape[1])),
    "windows side by side": other(
        seen=lambda T, W: (
            np.equal.outer(np.arange(T) // W, np.arange(T) // W) & seen_by(1, T, T)
        )
    ),
    "query heads dealt out in turn": other(reads=lambda i, h, g: i % g),
    "the first key-value head for all": other(reads=lambda i, h, g: 0),
    "the mean over a group in place of the sum": averaged,
    "the last head of a group alone": last_of_group,
    "values in place of keys": fed(lambda dO, Q, K, V, W: (dO, Q, V, V, W)),
    "keys in place of values": fed(lambda dO, Q, K, V, W: (dO, Q, K, K, W)),
    "one dO for all heads": fed(lambda dO, Q, K, V, W: (0 * dO + dO[0], Q, K, V, W)),
    "one dO for all positions": fed(
        lambda dO, Q, K, V, W: (0 * dO + dO[:, :1], Q, K, V, W)
    ),
}


def mixed_right():
    """The attention of the model, with the right `attend`: that has its own marks."""
    with standing_in(mixed, attend=right_attend):
        for seed, (N, T, g, W) in enumerate([(3, 7, 2, 4), (2, 5, 1, 9), (1, 6, 4, 1)]):
            torch.manual_seed(40 + seed)
            P = {name: torch.randn(32, 32) / 4 for name in ("W_q", "W_o")}
            P |= {name: torch.randn(32, 8 * g) / 4 for name in ("W_k", "W_v")}
            Z = torch.randn(N, T, 32)
            found = mixed(Z.clone(), {name: p.clone() for name, p in P.items()}, g, W)
            Q, K, V = (
                torch.stack((Z @ P[name]).split(8, dim=2), dim=1)
                for name in ("W_q", "W_k", "W_v")
            )
            O = right_attend(rotate(Q), rotate(K), V, W)
            wanted = torch.cat([O[:, i] for i in range(4)], dim=2) @ P["W_o"]
            assert found.shape == wanted.shape, f"mixed: shape {tuple(found.shape)}"
            assert np.allclose(plain(found), plain(wanted), atol=1e-3), (
                f"mixed: {g} key-value heads, the window {W}"
            )


def figure_right():
    """All twelve numbers and the bet are drawn, at x = 0, 1, 2, 3, with a legend."""
    table = np.array([[float(bits) for bits in results[name]] for name in MODELS])
    assert table.shape == (4, 3) and np.ptp(table) > 0, "fig: twelve results"
    expect_plot(fig, table, "fig")
    wanted = [(k, bits) for k, row in enumerate(table) for bits in row]
    try:
        guesses = [(k, float(bet[name])) for k, name in enumerate(MODELS)]
    except Exception:
        guesses = []  # `bet` has its own marks
    if all(0 < bits < 10 for _, bits in guesses):
        wanted += guesses
    shown = points(fig)
    for k, bits in wanted:
        near = np.isclose(shown[:, 0], k, atol=0.35) & np.isclose(
            shown[:, 1], bits, rtol=0, atol=6e-3
        )
        assert near.any(), f"fig: {bits:.3f} is not drawn at x = {k}"
    assert len(shown) <= 60, "fig: more than was asked"
    legends = [ax.get_legend() for ax in fig.axes] + list(fig.legends)
    named = [t.get_text() for one in legends if one for t in one.get_texts()]
    assert len(set(named)) >= 2 and any("bet" in name.lower() for name in named), (
        "fig: a legend in which the word bet tells it from the results"
    )


def after(text, T, N):
    start = torch.randint(len(text) - T, (N,))
    windows = text.unfold(0, T + 1, 1)[start]
    return windows[:, :-1], windows[:, 1:]


def spread(text, T, N):
    """As `after`, with all positions different as long as that is possible."""
    order = torch.randperm(len(text) - T).repeat(N)[:N]
    rows = [text[s : s + T + 1] for s in order.tolist()]
    return torch.stack(rows)[:, :T].clone(), torch.stack(rows)[:, 1:].clone()


def before(text, T, N):
    at = torch.randint(1, len(text) - T, (N, 1)) + torch.arange(T)
    return text[at], text[at - 1]


def newest(cache, new, W):
    both = torch.cat([cache, new], dim=1)
    return both[:, max(0, both.shape[1] - W) :]


def copied(cache, new, W):
    """As `newest`, into a tensor that is new."""
    rows = [*cache.unbind(1), *new.unbind(1)][-W:]
    return torch.stack(rows, dim=1)


def oldest(cache, new, W):
    return torch.cat([cache, new], dim=1)[:, :W]


def pairs_right():
    torch.manual_seed(6)
    text = torch.randperm(400)
    at, first = torch.argsort(text), []
    for T, N in ((7, 12), (1, 12), (5, 9)):
        x, y = (plain(one) for one in pairs(text.clone(), T, N))
        assert x.shape == y.shape == (N, T), f"pairs: shapes {x.shape} and {y.shape}"
        x, y = at[x].numpy(), at[y].numpy()
        assert (np.diff(x, axis=1) == 1).all(), "pairs: a piece is not in order"
        assert (y == x + 1).all(), "pairs: not the next character"
        assert len(set(x[:, 0].tolist())) > 3, "pairs: positions drawn at random"
        first.append(tuple(x[:9, 0]))
    assert len(set(first)) == 3, "pairs: new positions at each call"


def push_right():
    generator = torch.Generator().manual_seed(8)
    for N, T, width, W in ((3, 7, 2, 4), (2, 5, 3, 1), (1, 4, 5, 9)):
        entries = torch.randn(N, T, width, generator=generator)
        cache = entries[:, :0]
        for n in range(T):
            cache = push(cache, entries[:, n : n + 1], W)
            wanted = entries[:, max(0, n + 1 - W) : n + 1]
            assert cache.shape == wanted.shape, f"push: shape {tuple(cache.shape)}"
            assert np.array_equal(plain(cache), wanted), "push: the last entries"
        longer = push(entries[:, :-1], entries[:, -1:], 2)  # more than one too many
        assert np.array_equal(plain(longer), entries[:, -2:]), "push: to the last W"


def accepted(pairs, push):
    """Return whether `sound` finds the two functions in order, without `send`."""
    with standing_in(sound, send=uncalled):
        return accepts(sound, pairs, push)


def in_order():
    for right in ((after, newest), (spread, copied)):
        assert accepted(*right), "sound: functions in order are refused"
