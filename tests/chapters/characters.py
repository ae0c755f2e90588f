"""Models of the characters of this book, against which chapters 15 and 17 hold their own."""

import re
from collections import Counter

import torch
from torch import nn

from utils import data

KEPT = "\n ,.0?abcdefghijklmnopqrstuvwxyz"


def characters():
    """Return this book's prose, as chapters 14 and 15 divide it, by the name of the part."""
    tidy = lambda s: re.sub(r"[^a-z0 .,?]", "", re.sub("[0-9]+", "0", s.lower()))
    every = dict.fromkeys(tidy(s) + "\n" for s in data.load_prose().split("\n"))
    lines = [s for s in every if s[1:]]
    return {
        name: "".join(s for i, s in enumerate(lines) if i // 20 % 10 in digits)
        for name, digits in (("train", range(8)), ("valid", [8]), ("test", [9]))
    }


def perplexity(kind, H, lr, seed, texts, passes=3, N=32, T=16):
    """Return validation and test perplexity of a network trained as Chapter 14 trains its own."""
    ids = {name: torch.tensor([KEPT.index(c) for c in s]) for name, s in texts.items()}
    code, C = lambda i: torch.nn.functional.one_hot(i, len(KEPT)).float(), len(KEPT)
    cell, out = getattr(nn, kind)(C, H), nn.Linear(H, C)
    parameters = [*cell.parameters(), *out.parameters()]
    generator = torch.Generator().manual_seed(seed)
    for p in parameters:
        nn.init.uniform_(p, -(H**-0.5), H**-0.5, generator=generator)
    if kind == "LSTM":
        cell.bias_ih_l0.data[H : 2 * H] += 1
    assert 15_500 < sum(p.numel() for p in parameters) < 15_700
    length = (len(ids["train"]) - 1) // N
    X, Y = (ids["train"][i : i + N * length].reshape(N, length).T for i in (0, 1))
    adam, steps = torch.optim.Adam(parameters, lr), passes * (length // T)
    slower = torch.optim.lr_scheduler.LambdaLR(adam, lambda k: 1 - k / steps)
    loss = lambda states, Y: nn.functional.cross_entropy(out(states).flatten(0, -2), Y)
    for _ in range(passes):
        h = None
        for t in range(0, length - T + 1, T):
            states, h = cell(code(X[t : t + T]), h)
            h = tuple(a.detach() for a in h) if kind == "LSTM" else h.detach()
            adam.zero_grad()
            loss(states, Y[t : t + T].flatten()).backward()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            adam.step()
            slower.step()
    with torch.no_grad():
        read = [
            (cell(code(i[:-1])[:, None])[0], i[1:]) for i in (ids["valid"], ids["test"])
        ]
        return tuple(loss(*pair).exp().item() for pair in read)


def kneser_ney(text, order, beta, V):
    """Return Chapter 13's interpolated Kneser-Ney on characters: log p of a character."""
    grams, levels = Counter(windows(text, order)), []
    for _ in range(order):
        table, sums = dict(grams), {}
        for gram, m in grams.items():
            total, kinds = sums.get(gram[:-1], (0, 0))
            sums[gram[:-1]] = total + m, kinds + 1
        levels.insert(0, (table, sums))
        grams = Counter(gram[1:] for gram in grams)  # different characters before

    def probability(gram):
        p = 1 / V
        for k, (table, sums) in enumerate(levels):
            short = gram[len(gram) - k - 1 :]
            if len(short) == k + 1 and short[:-1] in sums:
                total, kinds = sums[short[:-1]]
                p = (max(table.get(short, 0) - beta, 0) + beta * kinds * p) / total
        return p

    return probability


def windows(text, n):
    return [text[i : i + n] for i in range(len(text) - n + 1)]
