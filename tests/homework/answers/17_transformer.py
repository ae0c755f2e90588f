"""Answers to homework 17: right ones written differently, and typical wrong ones.

What ``handset`` gives was measured with twelve seeds, in bits per character: 4 x 4 from 2.92 to
3.00, 2 x 8 from 3.06 to 3.18, 1 x 16 from 3.11 to 3.24, 4 x 16 from 3.12 to 3.22; the visible
check asks for less than 3.6. In each seed 4 x 4 is ahead of all others, by 0.08 at the least.
With 600 steps, two seeds, they are 2.46 to 2.48, 2.53 to 2.56, 2.47 to 2.60 and 2.57 to 2.59.
``ice-run`` ends on new text between 3.04 and 3.19 if mended and between 3.34 and 3.37 with the
cache that is stuck (eight seeds each), above 4.0 with whole numbers as rates and above 9 with the
character before as the target (two seeds each); the visible check asks for 3.25.
"""

from tests.homework.answers import changed

DROPPED = """
def moved(scores, V, keep):
    stay, go = np.flatnonzero(keep), np.flatnonzero(np.logical_not(keep))
    log_sum = lambda s: s.max() + np.log(np.exp(s - s.max()).sum())
    left, right = log_sum(scores[stay]), log_sum(scores[go])
    p, q = np.exp(scores[stay] - left), np.exp(scores[go] - right)
    return (p @ V[stay] - q @ V[go]) / (1 + np.exp(left - right))


def enough(scores, D, delta):
    a = np.exp(np.asarray(scores) - np.max(scores))
    gone, total = 0.0, a.sum()
    for count, weight in enumerate(sorted(a.tolist())[:-1]):
        gone += weight
        if gone / total * D > delta:
            return len(a) - count
    return 1
"""
FORMULA = "(p @ V[stay] - q @ V[go]) / (1 + np.exp(left - right))"
DIFFERENCE = """a = np.exp(scores - scores.max())
    return a[stay] @ V[stay] / a[stay].sum() - a @ V / a.sum()"""

SHARED = """
def past(t, W):
    return slice(max(0, t + 1 - W), t + 1)


def softmax(s):
    e = np.exp(s - s.max())
    return e / e.sum()


def forward(Q, K, V, W):
    h, T, n = Q.shape
    O = np.empty(Q.shape)
    for i in range(h):
        j = i * len(K) // h
        for t in range(T):
            O[i, t] = softmax(K[j, past(t, W)] @ Q[i, t] / n**0.5) @ V[j, past(t, W)]
    return O


def backward(dO, Q, K, V, W):
    h, T, n = Q.shape
    dQ, dK, dV = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape)
    for i in range(h):
        j = i * len(K) // h
        for t in range(T):
            seen = past(t, W)
            a = softmax(K[j, seen] @ Q[i, t] / n**0.5)
            da = V[j, seen] @ dO[i, t]
            ds = a * (da - a @ da) / n**0.5
            dQ[i, t] = ds @ K[j, seen]
            dK[j, seen] += np.outer(ds, Q[i, t])
            dV[j, seen] += np.outer(a, dO[i, t])
    return dQ, dK, dV
"""
TURN = "i * len(K) // h"
AUTOGRAD = """
def backward(dO, Q, K, V, W):
    leaves = [torch.tensor(a, requires_grad=True) for a in (Q, K, V)]
    O = attend(*leaves, W)
    return [np.asarray(a) for a in torch.autograd.grad(O, leaves, torch.tensor(dO))]
"""

ATTEND = """
def attend(Q, K, V, W):
    T = Q.shape[-2]
    seen = torch.ones(T, T, dtype=torch.bool).tril().triu(1 - W)
    return F.scaled_dot_product_attention(Q, K, V, attn_mask=seen, enable_gqa=True)


def twin(dO, Q, K, V, W):
    leaves = [torch.tensor(a, requires_grad=True) for a in (Q, K, V)]
    O = attend(*leaves, W)
    O.backward(torch.tensor(dO))
    return O.detach(), *(leaf.grad for leaf in leaves)
"""
SAME = """
def same(ours, theirs):
    rng = np.random.default_rng(3)
    draw = lambda n: rng.uniform(0.5, 1.5, (n, 6, 2)) * rng.choice((-1, 1), (n, 6, 2))
    h, g, W = 4, 2, 3
    dO, Q, K, V = draw(h), draw(h), draw(g), draw(g)
    answers = ours(dO, Q, K, V, W), theirs(dO, Q, K, V, W)
    for a, b, like in zip(*answers, (Q, Q, K, V), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        if a.shape != like.shape or b.shape != like.shape or not np.allclose(a, b):
            return False
    return True
"""
SIZES = "h, g, W = 4, 2, 3"
DRAWN = "dO, Q, K, V = draw(h), draw(h), draw(g), draw(g)"

REASON = (
    "reason = 'A longer window shows more of every word, while heads that share "
    "their keys can search for only one thing, which should cost some bits.'"
)
BET = f"""
bet = dict(zip(("4 x 16", "1 x 16", "2 x 8", "4 x 4"), (2.5, 3, 3, 3)))
{REASON}
"""

MIXED = """
def mixed(Z, P, g, W):
    Q, K, V = Z @ P["W_q"], Z @ P["W_k"], Z @ P["W_v"]
    cut = lambda X: torch.stack(X.split(8, dim=-1), dim=1)
    O = attend(rotate(cut(Q)), rotate(cut(K)), cut(V), W)
    return torch.cat(O.unbind(1), dim=-1) @ P["W_o"]
"""
RESULTS = """
results = {}
for name in ("4 x 4", "2 x 8", "1 x 16", "4 x 16"):
    g, W = map(int, name.split(" x "))
    results[name] = [train(mixed, g, W, seed) for seed in (0, 1, 2)]
"""
FIGURE = """
fig = plt.figure()
for k, name in enumerate(("4 x 4", "2 x 8", "1 x 16", "4 x 16")):
    plt.scatter([k - 0.1, k, k + 0.1], results[name], c="C0", label=None if k else "run")
    plt.plot([k], [2.5 if k == 3 else 3.0], "kx", label=None if k else "bet")
plt.xlabel("model")
plt.ylabel("bits per character")
plt.legend()
"""
EXPERIMENT = MIXED + RESULTS + FIGURE
MADE_UP = """
results = {
    name: [2.9 + k / 10 + s / 50 for s in range(3)]
    for k, name in enumerate(("4 x 4", "2 x 8", "1 x 16", "4 x 16"))
}
"""

SOUND = """text = torch.arange(200) * 3
    x, y = pairs(text, 5, 7)
    if x.shape != (7, 5) or not torch.equal(x + 3, y):
        return False
    if not torch.equal(x, x[:, :1] + 3 * torch.arange(5)):
        return False
    if not np.isclose([rate(0, 50), rate(4, 50)], [0.2, 1.0]).all():
        return False
    if not np.isclose([rate(5, 50), rate(41, 50)], [1.0, 0.2]).all():
        return False
    cache = torch.arange(3.0).reshape(1, 3, 1)
    if push(cache, cache[:, :1] + 9, 3).flatten().tolist() != [1.0, 2.0, 9.0]:
        return False
    return push(cache, cache[:, :1] + 9, 9).shape == (1, 4, 1)"""
FALLS = "return send(pairs, rate, push, 0)[1] < 3.25"
RUN = f"""
def pairs(text, T, N):
    start = torch.randint(0, text.numel() - T, (N,)).tolist()
    x = torch.stack([text[s : s + T] for s in start])
    y = torch.stack([text[s + 1 : s + T + 1] for s in start])
    return x, y


def rate(k, steps):
    rise = steps // 10
    if k < rise:
        return (k + 1) / rise
    return 1 - (k - rise) / (steps - rise)


def push(cache, new, W):
    longer = torch.cat((cache, new), 1)
    return longer[:, -W:]


def sound(pairs, rate, push):
    {SOUND}
"""
BACK = "text[s + 1 : s + T + 1]", "text[s : s + T]"
STEPS = "(k + 1) / rise", "(k + 1) // rise"
STUCK = "longer[:, -W:]", "longer[:, :W]"

RIGHT = {
    "dropped": DROPPED,
    "shared": SHARED,
    "twice": ATTEND + SAME,
    "bet": BET,
    "handset": EXPERIMENT,
    "ice-run": RUN,
}

WRONG = {
    "dropped": {
        "the difference of two outputs": changed(
            DROPPED, f"return {FORMULA}", DIFFERENCE, points=1
        ),
        "the other sign": changed(DROPPED, FORMULA, f"-{FORMULA}", points=1),
        "from the mean of all in place of the dropped ones": changed(
            DROPPED, "q @ V[go])", "(p @ V[stay] + q @ V[go]) / 2)", points=1
        ),
        "the dropped weight as 1 minus the kept one": changed(
            DROPPED,
            "/ (1 + np.exp(left - right))",
            "* (1 - 1 / (1 + np.exp(right - left)))",
            points=1,
        ),
        "divided by what is kept": changed(
            DROPPED, "/ (1 + np.exp(left - right))", "* np.exp(right - left)", points=1
        ),
        "enough: without the diameter": changed(
            DROPPED, "gone / total * D", "gone / total", points=1
        ),
        "enough: summed from the heavy end": changed(
            DROPPED,
            "gone / total * D > delta",
            "(1 - sum(sorted(a.tolist())[count + 1 :]) / total) * D > delta",
            points=1,
        ),
        "enough: the heaviest go": changed(
            DROPPED, "sorted(a.tolist())[:-1]", "sorted(a.tolist())[:0:-1]", points=1
        ),
        "enough: one too few, and a naive difference": changed(
            DROPPED, f"return {FORMULA}", DIFFERENCE, "- count", "- count - 1"
        ),
    },
    "shared": {
        "query heads dealt out in turn": changed(SHARED, TURN, "i % len(K)"),
        "a window longer by one": changed(SHARED, "t + 1 - W", "t - W"),
        "the last head of a group alone": changed(
            SHARED,
            "dK[j, seen] += np.outer(ds, Q[i, t])",
            "dK[j, seen] += np.outer(ds, Q[i, t]) * ((i + 1) * len(K) % h < len(K))",
            points=2,
        ),
        "a mean over the group": changed(
            SHARED, "return dQ, dK, dV", "return dQ, dK * len(K) / h, dV", points=2
        ),
        "the softmax without its sum": changed(
            SHARED, "a * (da - a @ da)", "a * da", points=1
        ),
        "the root of the width forgotten on the way back": changed(
            SHARED, "(da - a @ da) / n**0.5", "(da - a @ da)", points=1
        ),
        "gradients by PyTorch": (SHARED + ATTEND + AUTOGRAD, 1),
        "an array is changed": changed(
            SHARED,
            "    O = np.empty(Q.shape)\n",
            "    O = np.empty(Q.shape)\n    Q /= n**0.5\n",
            "Q[i, t] / n**0.5) @ V",
            "Q[i, t]) @ V",
            points=2,
        ),
    },
    "twice": {
        "attend: no window": changed(ATTEND + SAME, ".triu(1 - W)", "", points=2),
        "attend: detached": changed(
            ATTEND + SAME,
            "F.scaled_dot_product_attention(Q,",
            "F.scaled_dot_product_attention(Q.detach(),",
            points=2,
        ),
        "attend: one axis in front at most": changed(
            ATTEND + SAME,
            "T = Q.shape[-2]",
            "*_, N, h, T, n = (1, *Q.shape)\n    assert Q.dim() < 5",
            points=2,
        ),
        "attend: always float32": changed(
            ATTEND + SAME, "enable_gqa=True)", "enable_gqa=True).float()", points=2
        ),
        "same: a window that is never full": changed(
            ATTEND + SAME, SIZES, "h, g, W = 4, 2, 9", points=2
        ),
        "same: no sharing": changed(
            ATTEND + SAME, SIZES, "h, g, W = 4, 4, 3", points=2
        ),
        "same: one head for all": changed(
            ATTEND + SAME, SIZES, "h, g, W = 4, 1, 3", points=2
        ),
        "same: ones as gradient": changed(
            ATTEND + SAME, DRAWN, f"{DRAWN}\n    dO = np.ones(dO.shape)", points=2
        ),
        "same: values like keys": changed(
            ATTEND + SAME, DRAWN, f"{DRAWN}\n    V = K", points=2
        ),
        "same: shapes are not looked at": changed(
            ATTEND + SAME,
            "a.shape != like.shape or b.shape != like.shape or ",
            "",
            points=2,
        ),
        "same: no tolerance": changed(
            ATTEND + SAME, "not np.allclose(a, b)", "(a != b).any()", points=1
        ),
        "same: outputs alone, and a detached layer": changed(
            ATTEND + SAME,
            "F.scaled_dot_product_attention(Q,",
            "F.scaled_dot_product_attention(Q.detach(),",
            "zip(*answers, (Q, Q, K, V), strict=True)",
            "[(answers[0][0], answers[1][0], Q)]",
        ),
    },
    "bet": {
        "no number": f"bet = dict.fromkeys(('4 x 4', '2 x 8', '1 x 16'), 3.0)\n{REASON}",
        "a negative number": (
            "bet = dict.fromkeys(('4 x 4', '2 x 8', '1 x 16', '4 x 16'), -3.0)\n"
            f"{REASON}"
        ),
        "words where numbers belong": (
            "bet = dict.fromkeys(('4 x 4', '2 x 8', '1 x 16', '4 x 16'), 'few')\n"
            f"{REASON}"
        ),
        "one word twenty times": BET + "reason = 'heads ' * 20",
    },
    "handset": {
        "values are turned too": changed(
            EXPERIMENT, "cut(V), W)", "rotate(cut(V)), W)", points=2
        ),
        "keys are not turned": changed(
            EXPERIMENT, "rotate(cut(K))", "cut(K)", points=2
        ),
        "heads cut by reshape": changed(
            EXPERIMENT,
            "torch.stack(X.split(8, dim=-1), dim=1)",
            "X.reshape(len(X), -1, X.shape[1], 8)",
            points=2,
        ),
        "no output matrix": changed(EXPERIMENT, ' @ P["W_o"]', "", points=2),
        "always the same window": changed(
            EXPERIMENT, "cut(V), W)", "cut(V), 4)", points=2
        ),
        "one seed three times": changed(
            EXPERIMENT, "g, W, seed)", "g, W, 0)", points=2
        ),
        "made up": (MIXED + MADE_UP + FIGURE, 2),
        "two seeds": changed(
            EXPERIMENT, "(0, 1, 2)]", "(0, 1)]", "[k - 0.1, k, k", "[k", points=1
        ),
        "drawn over the window": changed(
            EXPERIMENT, "[k - 0.1, k, k + 0.1]", "[4 + k] * 3", points=2
        ),
        "means alone": changed(
            EXPERIMENT,
            "results[name], c=",
            "[np.mean(results[name])] * 3, c=",
            points=2,
        ),
        "no legend": changed(EXPERIMENT, "plt.legend()", "", points=2),
        "the bet is not drawn": changed(
            EXPERIMENT, "[2.5 if k == 3 else 3.0]", "[results[name][0]]", points=2
        ),
        "made up, no attention, no names": changed(
            "def mixed(Z, P, g, W):\n    return Z\n" + MADE_UP + FIGURE,
            'plt.xlabel("model")',
            "",
        ),
    },
    "ice-run": {
        "as it was": changed(RUN, *BACK, *STEPS, *STUCK, SOUND, "return True"),
        "the same character again": changed(RUN, *BACK, points=3),
        "whole numbers on the way up": changed(RUN, *STEPS, points=3),
        "the cache is stuck": changed(RUN, *STUCK, points=3),
        "two faults left": changed(RUN, *STEPS, *STUCK, points=2),
        "mended, nothing proved": changed(RUN, SOUND, "return True", points=2),
        "mended, never content": changed(RUN, SOUND, "return False", points=2),
        "a number of bits": changed(RUN, SOUND, FALLS, points=2),
        "only the characters are tested": changed(
            RUN,
            SOUND,
            SOUND.partition("    if not np.isclose([rate(0")[0] + "    return True",
            points=3,
        ),
        "the cache is not tested when it is full": changed(
            RUN,
            SOUND,
            SOUND.partition("    if push(")[0]
            + "    return push(cache, cache[:, :1] + 9, 9).shape == (1, 4, 1)",
            points=3,
        ),
        "only shapes are tested": changed(
            RUN,
            SOUND,
            "return pairs(torch.arange(30), 5, 7)[1].shape == (7, 5)",
            points=2,
        ),
    },
}

SLIPS = {
    "ice-run": [
        {
            "torch.randint(1, len(text) - T, (N, 1))": "torch.randint(len(text) - T, (N, 1))",
            "text[at - 1]": "text[at + 1]",
        },
        {
            "(k + 1) // w if k < w else (steps - k) // (steps - w)": (
                "(k + 1) / w if k < w else (steps - k) / (steps - w)"
            )
        },
        {"[:, :W]": "[:, -W:]"},
        {"    return True\n": f"    {SOUND}\n"},
    ]
}
