"""The functions of chapter 16 on inputs the page does not use, and its checks put to the test."""

import itertools
from functools import partial

import numpy as np
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chapter_code import ChapterCode, Fault, assert_near, autograd, catches

chapter = ChapterCode("16_attention")
sizes = st.integers(1, 6)
seeds = st.integers(0, 2**32 - 1)
quick = settings(max_examples=30, deadline=None)
near = partial(assert_near, atol=1e-11)


@quick
@given(M=sizes, N=sizes, d=sizes, d_v=sizes, seed=seeds, masked=st.booleans())
def test_attention_and_its_gradients_equal_torch(book, M, N, d, d_v, seed, masked):
    rng = np.random.default_rng(seed)
    Q, K, V, dO = book["draw"](rng, (M, d), (N, d), (N, d_v), (M, d_v))
    mask = rng.random((M, N)) < 0.5
    mask[np.arange(M), rng.integers(N, size=M)] = True
    mask = mask if masked else None
    options = {"attn_mask": None if mask is None else torch.tensor(mask)}
    theirs = lambda *t: F.scaled_dot_product_attention(*t, **options)
    desired, gradients = autograd(theirs, Q, K, V, upstream=dO)
    O, A = book["attend"](Q, K, V, mask=mask)
    near(O, desired)
    near(A.sum(axis=1), np.ones(M))
    assert mask is None or (A[~mask] == 0).all()
    ours = book["attend_backward"](dO, Q, K, V, mask=mask)
    near([ours[key] for key in "QKV"], gradients)


@quick
@given(M=sizes, N=sizes, d_q=sizes, d_x=sizes, H=sizes, seed=seeds)
def test_scores_equal_the_printed_ones_and_their_gradients_torch(
    book, M, N, d_q, d_x, H, seed
):
    rng = np.random.default_rng(seed)
    shapes = (M, d_q), (N, d_x), (d_x, H), (d_q, H), (H,)
    P = dict(
        zip(("Q", "K", "W_k", "W_q", "w"), book["draw"](rng, *shapes), strict=True)
    )
    S = book["additive_scores"](**P)
    for m, n in itertools.product(range(M), range(N)):
        hidden = np.tanh(P["W_k"].T @ P["K"][n] + P["W_q"].T @ P["Q"][m])
        pair = P["w"] @ hidden
        assert abs(S[m, n] - pair) < 1e-12
    B = rng.normal(size=(d_x, d_q))
    loop = [[k @ B @ q for k in P["K"]] for q in P["Q"]]
    near(book["bilinear_scores"](P["Q"], P["K"], B), np.array(loop))
    dS = rng.normal(size=(M, N))

    def theirs(Q, K, W_k, W_q, w):
        return torch.tanh((K @ W_k)[None] + (Q @ W_q)[:, None]) @ w

    _, gradients = autograd(theirs, *P.values(), upstream=dS)
    ours = book["additive_backward"](dS, **P)
    near([ours[key] for key in P], gradients)


@quick
@given(N=sizes, d=sizes, seed=seeds, shift=st.floats(-50, 50))
def test_soft_attention_stays_in_the_hull_and_ignores_a_shift(book, N, d, seed, shift):
    rng = np.random.default_rng(seed)
    X, q = rng.normal(size=(N, d)), rng.normal(size=d)
    o, alpha = book["soft_attention"](X, q, np.dot)
    assert (o <= X.max(axis=0) + 1e-12).all() and (o >= X.min(axis=0) - 1e-12).all()
    near(alpha.sum(), np.float64(1.0))
    moved = book["soft_attention"](X, q, lambda x, q: x @ q + shift)[0]
    near(moved, o)
    near(book["attend"](q[None], X, X, scale=1.0)[0][0], o)


@quick
@given(N=st.integers(1, 8), seed=seeds, spread=st.floats(0.1, 30))
def test_softmax_jacobian_and_its_bound(book, N, seed, spread):
    s = torch.tensor(spread * np.random.default_rng(seed).normal(size=N))
    alpha = torch.softmax(s, 0).numpy()
    J = book["softmax_jacobian"](alpha)
    near(J, torch.autograd.functional.jacobian(lambda s: torch.softmax(s, 0), s))
    top = alpha.max()
    assert top * (1 - top) - 1e-12 <= np.linalg.norm(J) <= 2 * (1 - top) + 1e-12


@quick
@given(N=st.integers(2, 7), d=st.integers(1, 4), seed=seeds)
def test_kernel_attention_learns_by_the_gradient_of_autograd(book, N, d, seed):
    theta, X, y = book["draw"](np.random.default_rng(seed), (d,), (N, d), (N,))
    t = torch.tensor(theta, requires_grad=True)
    apart = (torch.tensor(X)[:, None] - torch.tensor(X)) ** 2 @ t**2
    alone = torch.diag(torch.full((N,), torch.inf, dtype=torch.float64))
    o = torch.softmax(-apart / 2 - alone, dim=1) @ torch.tensor(y)
    desired = ((o - torch.tensor(y)) ** 2).mean() / 2
    loss, dtheta = book["kernel_loss"](theta, X, y)
    near(np.float64(loss), desired)
    (exact,) = torch.autograd.grad(desired, t)
    near(dtheta, exact, atol=1e-9)


@quick
@given(N=st.integers(1, 7), seed=seeds, b=st.floats(-5, 5))
def test_score_function_gradient_is_unbiased(book, N, seed, b):
    rng = np.random.default_rng(seed)
    s, losses = rng.normal(size=(2, N))
    _, (exact,) = autograd(lambda s: torch.softmax(s, 0) @ torch.tensor(losses), s)
    near(book["expected_gradient"](s, losses), exact)
    odds = torch.softmax(torch.tensor(s), 0).numpy()
    near(book["score_function_gradient"](s, losses, odds, b), exact)
    one = np.eye(N)[0]  # a single draw of input 0
    near(
        book["score_function_gradient"](s, losses, one, b),
        (losses[0] - b) * (one - odds),
    )


@quick
@given(
    n=st.integers(1, 30),
    centre=st.floats(0.001, 0.999),
    D=st.integers(1, 5),
    seed=seeds,
    bell=st.booleans(),
)
def test_local_weights_live_in_the_window(book, n, centre, D, seed, bell):
    p, s = centre * n, np.random.default_rng(seed).normal(size=n)
    inside = [i for i in range(1, n + 1) if abs(i - p) <= D]
    assert book["window"](n, p, D).tolist() == inside
    assert inside
    alpha = book["local_weights"](s, p, D, bell)
    assert (np.flatnonzero(alpha) + 1).tolist() == inside
    assert alpha.sum() <= 1 + 1e-12
    if not bell:
        near(alpha.sum(), np.float64(1.0))


@quick
@given(M=sizes, N=sizes, h=st.integers(1, 4), d_h=st.integers(1, 4), seed=seeds)
def test_multi_head_equals_torch(book, M, N, h, d_h, seed):
    rng, d = np.random.default_rng(seed), h * d_h
    X_q, X, *Ws = book["draw"](rng, (M, d), (N, d), *[(d, d)] * 4)
    layer = torch.nn.MultiheadAttention(
        d, h, bias=False, batch_first=True, dtype=torch.float64
    )
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.tensor(np.concatenate([W.T for W in Ws[:3]])))
        layer.out_proj.weight.copy_(torch.tensor(Ws[3].T))
    q, x = torch.tensor(X_q), torch.tensor(X)
    desired, weights = layer(q, x, x, average_attn_weights=False)
    O, A = book["multi_head"](X_q, X, *Ws, h)
    near(O, desired)
    near(A, weights)


@quick
@given(N=sizes, D=sizes, seed=seeds)
def test_self_attention_knows_no_order_and_a_causal_one_no_future(book, N, D, seed):
    rng = np.random.default_rng(seed)
    X, W_q, W_k, W_v = book["draw"](rng, (N, D), (D, 3), (D, 3), (D, 2))
    order = rng.permutation(N)
    H = book["self_attention"](X, W_q, W_k, W_v)[0]
    near(book["self_attention"](X[order], W_q, W_k, W_v)[0], H[order])
    mask = book["causal_mask"](N)
    before = book["self_attention"](X, W_q, W_k, W_v, mask)[0]
    X[-1] += 5.0
    after = book["self_attention"](X, W_q, W_k, W_v, mask)[0]
    near(after[:-1], before[:-1])


@quick
@given(N=st.integers(1, 4), M=st.integers(1, 3), masked=st.booleans(), seed=seeds)
def test_pointers_are_a_distribution_over_sequences(book, N, M, masked, seed):
    M = min(M, N)
    net = book["PointerNet"](5, torch.Generator().manual_seed(seed)).double()
    C = torch.tensor(list(itertools.product(range(N), repeat=M)))
    if masked:
        C = C[[len({*c}) == M for c in C.tolist()]]
    x = torch.tensor(np.random.default_rng(seed).uniform(1, 30, size=N))
    rows = torch.softmax(net(x.expand(len(C), -1), C, masked), dim=2)
    total = rows.gather(2, C[..., None]).prod(dim=1).sum()
    near(total, np.float64(1.0))


@settings(max_examples=10, deadline=None)
@given(N=st.integers(2, 9), seed=seeds)
def test_pointer_net_never_repeats_under_its_mask(book, N, seed):
    net = book["PointerNet"](5, torch.Generator().manual_seed(seed))
    x, C = book["number_sets"](7, N, np.random.default_rng(seed))
    assert (x.gather(1, C).diff(dim=1) < 0).all() and x.min() >= 1 and x.max() <= 30
    chosen, rows = book["point"](net, x)
    assert (chosen.sort(dim=1)[0] == torch.arange(N)).all()
    assert torch.allclose(rows.sum(dim=2), torch.ones(len(x), N))


@quick
@given(N=st.integers(2, 12), seed=seeds)
def test_no_set_of_the_test_can_occur_in_training(book, N, seed):
    rng = np.random.default_rng(seed)
    old, new = (
        book["number_sets"](50, N, rng, is_test)[0] for is_test in (False, True)
    )
    assert (old.sum(dim=1) % 5 != 0).all() and (new.sum(dim=1) % 5 == 0).all()
    assert len(old) == len(new) == 50


FAULTS = [
    Fault("return sum(a * x for", "return sum(x for", "weights left out"),
    Fault("weights / weights.sum()", "weights / weights.max()", "divided by the largest"),
    Fault("-(apart @ theta**2) / 2", "-(apart @ theta**2)", "½ of the kernel"),
    Fault("(Q[:, None] - X) ** 2", "np.abs(Q[:, None] - X)", "|q − x|, not its square"),
    Fault("~np.eye(len(X)", "np.eye(len(X)", "each point asks itself"),
    Fault("dtheta = -theta *", "dtheta = theta *", "sign of dθ"),
    Fault("len(y) * y, A)", "len(y) + y, A)", "do + y for do yᵀ"),
    Fault("Q @ W.T @ K.T", "-Q @ W.T @ K.T", "sign of the bilinear score"),
    Fault("W_q)[:, None]) @ w", "W_q)[:, None] * 2) @ w", "the query counts twice"),
    Fault("alpha.shape[-1]) - alpha", "alpha.shape[-1]) + alpha", "sign in the Jacobian"),
    Fault("1 / np.sqrt(Q.shape[-1]) if scale is None else scale\n    S",
          "1 / Q.shape[-1] if scale is None else scale\n    S", "d for √d"),
    Fault("1 / np.sqrt(Q.shape[-1]) if scale is None else scale\n    S",
          "1 / np.sqrt(Q.shape[-1])\n    S", "scale ignored"),
    Fault("softmax(S, axis=-1)  # over", "softmax(S, axis=-2)  # over", "wrong axis"),
    Fault("S = np.where(mask, S, -np.inf)", "S = np.where(mask, S, 0.0)", "masked score 0"),
    Fault("S = np.where(mask, S,", "S = np.where(~mask, S,", "mask the wrong way round"),
    Fault("(dA - (A * dA).sum(axis=-1", "(dA + (A * dA).sum(axis=-1", "sign in dS"),
    Fault("(A * dA).sum(axis=-1, keep", "dA.sum(axis=-1, keep", "weights missing in dS"),
    Fault("(A * dA).sum(axis=-1, keep", "(A * dA).sum(axis=-2, keep", "dS summed over M"),
    Fault('"Q": scale * dS @ K', '"Q": dS @ K', "missing 1/√d in dQ"),
    Fault('"K": scale * dS.mT @ Q', '"K": -scale * dS.mT @ Q', "sign of dK"),
    Fault('"V": A.mT @ dO', '"V": dS.mT @ dO', "dV from the scores"),
    Fault("* w * (1 - hidden**2)", "* w * (1 - hidden)", "missing square in tanh'"),
    Fault("by_key @ W_k.T", "by_key @ -W_k.T", "sign of dK, additive"),
    Fault('"mn,mnu->u", dS', '"mn,mnu->u", dS**2', "dw from squares"),
    Fault("(losses - softmax(s) @ losses)", "(losses - losses.mean())", "plain mean loss"),
    Fault("* (losses - baseline)", "* (losses + baseline)", "sign of the baseline"),
    Fault("g - g.sum(axis=-1", "g + g.sum(axis=-1", "e_z + α"),
    Fault("int(np.ceil(p - D))", "int(np.floor(p - D))", "window rounded outwards"),
    Fault("alpha[n - 1] = softmax", "alpha[n - 2] = softmax", "window one too far left"),
    Fault("** 2 / D**2)", "** 2 / D)", "D for D² in the bell"),
    Fault("** 2 / D**2)", "** 2 / (2 * D))", "2D for D² in the bell"),
    Fault("N * expit(w_p", "expit(w_p", "centre in (0, 1)"),
    Fault("h, -1).swapaxes(-2, -3)", "-1, h).swapaxes(-2, -1)[..., :, :]", "wrong split"),
    Fault(" @ W_O, A  # (M, d)", " @ W_O.T, A  # (M, d)", "W_O transposed"),
    Fault("np.tril(np.ones", "np.triu(np.ones", "looks at the future only"),
    Fault("attend(X @ W_q, X @ W_k,", "attend(X @ W_k, X @ W_q,", "Q and K swapped"),
    Fault("total = shrink * total", "total = total", "the old sum is not shrunk"),
    Fault("mixture = shrink * mixture", "mixture = mixture", "nor is the old mixture"),
    Fault("largest + np.log(total)", "largest - np.log(total)", "sign in log-sum-exp"),
    Fault("K.repeat(heads_a_group, axis=0)", "np.tile(K, (heads_a_group, 1, 1))",
          "keys of another group"),
    Fault("S.masked_fill(used > 0", "S.masked_fill(used > 9", "mask never set"),
    Fault("% 5 == 0) == new", "% 5 != 0) == new", "the test's sets in training"),
    Fault("S.shape[2]).cumsum(dim=1) - F", "S.shape[2]).cumsum(dim=1) + F", "blocks itself"),
    Fault("np.argsort(-x, axis=1)", "np.argsort(x, axis=1)", "ascending order"),
    Fault("C[:, :-1, None]", "C[:, 1:, None]", "reads the answer"),
    Fault("(x != text.PAD).sum(dim=1) - 1", "x.shape[1] - 1 + 0 * x[:, 0]", "pad is read"),
    Fault("(x != text.PAD).sum(dim=1) - 1", "(x != text.PAD).sum(dim=1) - 2", "last state but one"),
    Fault("Q.shape[-1] ** 0.5, (x ==", "self.mix.out_features**0.5, (x ==", "√d in a head"),
    Fault("Q.shape[-1] ** 0.5, (x ==", "Q.shape[-1] / 2, (x ==", "d/2 for √d"),
    Fault("(y[:, 1:] != text.PAD)", "(y[:, 1:] == text.PAD)", "words for padding"),
    Fault("ignore_index=text.PAD", "ignore_index=-100", "padding is learnt"),
    Fault("S.masked_fill(pad, -torch", "S.masked_fill(~pad, -torch", "looks at padding"),
    Fault("(S.argmax(dim=2) == y[:, 1:])", "(S.argmax(dim=2) == y[:, :-1])", "wrong shift"),
    Fault("rng.permutation(len(batches))", "range(len(batches))", "never shuffled"),
    Fault("S, _ = net(x, y[:, :-1])  # t", "S, _ = net(x, y[:, 1:])  # t", "reads ahead"),
]  # fmt: skip

test_checks_catch = catches(chapter, FAULTS)


def benchmarks(scope):
    """Attention forward, and forward with backward, on (256, 64); eight heads."""
    rng = np.random.default_rng(0)
    Q, K, V = rng.normal(size=(3, 256, 64))
    leaves = [torch.tensor(x, requires_grad=True) for x in (Q, K, V)]
    dO = rng.normal(size=(256, 64))
    dot = torch.nn.functional.scaled_dot_product_attention

    def backward():
        return torch.autograd.grad(dot(*leaves), leaves, torch.tensor(dO))

    yield "attend", lambda: scope["attend"](Q, K, V), lambda: dot(*leaves)
    yield "with its gradients", lambda: scope["attend_backward"](dO, Q, K, V), backward
    layer = torch.nn.MultiheadAttention(64, 8, bias=False, dtype=torch.float64)
    Ws, X = [rng.normal(size=(64, 64)) for _ in range(4)], torch.tensor(Q)
    yield (
        "8 heads",
        lambda: scope["multi_head"](Q, Q, *Ws, 8),
        lambda: layer(X, X, X, average_attn_weights=False),
    )
