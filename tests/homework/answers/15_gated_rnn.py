"""Answers to homework 15: right ones written differently, and typical wrong ones.

Where the limits of the tests come from, each measured with one thread:

- ``trial``: with 120 steps, 15 seeds, bits a new letter: GRU 2.78 to 2.84, plain 2.91 to
  2.98, letter 2.96 to 3.02; with 25 steps at most 3.8, and single letters cost 4.05.
- On a text of pairs, 3 bits and none in turn, 1.51 to 1.64 bits a letter after 20 steps as
  after 120 (four seeds of each), so 1.05 to 1.14 nats.
- On a text of period nine a memory that has read it needs less than 0.001 bits, after 20
  steps as after 120, and on the text turned round more than 12 (four seeds of each).
- ``mend``: the run files 0.94 to 1.00 of the new phrases rightly (10 seeds), with the bias
  in the wrong block 0.43 to 0.75, with the state behind the padding 0.15 to 0.88, with
  sorted batches or with all three 0.15 (six seeds). The same order in every pass does no
  harm (0.95 to 0.99), a gradient that is never set to zero does (0.18 to 0.97).
- ``unit``: a right way back differs from autograd's by about 1e-15, and a central
  difference with its best step by about 1e-10.
"""

from tests.homework.answers import changed

RIGHT = {
    "fade": """
        def half_lives(k, p):
            mean_share = sum(a * b for a, b in zip(k, p))
            geometric = np.prod(np.power(k, p))
            return [1 / np.log2(1 / share) for share in (mean_share, geometric)]
    """,
    "unit": """
        def forward(X, h, W, b):
            N, T, _ = X.shape
            H = len(b) // 2
            states = np.zeros((N, T, H))
            for t in range(T):
                k = 0.5 + 0.5 * np.tanh((X[:, t] @ W[:, :H] + b[:H]) / 2)
                g = np.tanh(X[:, t] @ W[:, H:] + b[H:])
                states[:, t] = g + k * ((states[:, t - 1] if t else h) - g)
            return states

        def backward(d_states, X, h, W, b):
            H, past, later = len(b) // 2, h, []
            dX, dW, db = np.zeros_like(X), np.zeros_like(W), np.zeros_like(b)
            states, dh = forward(X, h, W, b), np.zeros_like(h)
            for t in range(X.shape[1] - 1, -1, -1):
                past = states[:, t - 1] if t else h
                k = 0.5 + 0.5 * np.tanh((X[:, t] @ W[:, :H] + b[:H]) / 2)
                g = np.tanh(X[:, t] @ W[:, H:] + b[H:])
                dh = d_states[:, t] + dh
                dZ = np.hstack([dh * (past - g) * k * (1 - k), dh * (1 - k) * (1 - g * g)])
                dX[:, t] = dZ @ W.T
                dW = dW + X[:, t].T @ dZ
                db = db + dZ.sum(axis=0)
                dh = dh * k
            return dX, dh, dW, db
    """,
    "twin": """
        def twin(X, h, W, b):
            H, states = b.shape[0] // 2, []
            for x in X.unbind(dim=1):
                k = torch.sigmoid(x @ W[:, :H] + b[:H])
                h = torch.lerp(torch.tanh(x @ W[:, H:] + b[H:]), h, k)
                states += [h]
            return torch.stack(states).transpose(0, 1)

        def same(forward, backward, twin):
            g = torch.Generator().manual_seed(3)
            sizes = (3, 4, 2), (3, 5), (2, 10), (10,), (3, 4, 5)
            *given, d = (torch.randn(s, generator=g).double() for s in sizes)
            arrays = [a.numpy().copy() for a in given]
            for a in given:
                a.requires_grad_()
            out = twin(*given)
            (out * d).sum().backward()
            truth = [out.detach().numpy()] + [a.grad.numpy() for a in given]
            ours = [forward(*arrays), *backward(d.numpy(), *arrays)]
            try:
                for mine, other in zip(ours, truth):
                    np.testing.assert_array_equal(np.shape(mine), other.shape)
                    np.testing.assert_allclose(mine, other, rtol=1e-6, equal_nan=False)
            except AssertionError:
                return False
            return True
    """,
    "forecast": """
        expected = dict(plain=3, letter=2.5, GRU=2.9)
        because = "A gate that is small leaves room for more units and " * 2
    """,
    "trial": """
        def train(kind, seed, read, new):
            H = dict(plain=40, letter=46, GRU=22)[kind]
            torch.manual_seed(seed)
            out = nn.Linear(H, 27)
            if kind == "letter":
                both = nn.Linear(27, 2 * H)

                def states_of(X):
                    k, g = both(X).split(H, dim=2)
                    k, g = k.sigmoid(), g.tanh()
                    h, found = torch.zeros(len(X), H), []
                    for t in range(X.shape[1]):
                        h = k[:, t] * h + (1 - k[:, t]) * g[:, t]
                        found.append(h)
                    return torch.stack(found, 1)

                parameters = list(both.parameters()) + list(out.parameters())
            else:
                memory = {"plain": nn.RNN, "GRU": nn.GRU}[kind](27, H, batch_first=True)
                states_of = lambda X: memory(X)[0]
                parameters = list(memory.parameters()) + list(out.parameters())
            optimiser = torch.optim.Adam(parameters, 0.07)

            def bits(codes):
                X = F.one_hot(codes[:, :-1], 27).float()
                scores = out(states_of(X)).transpose(1, 2)
                return F.cross_entropy(scores, codes[:, 1:]) / np.log(2)

            read, new = torch.tensor(np.array(read)), torch.tensor(np.array(new))
            for _ in range(STEPS):
                at = torch.randint(len(read) - 17, (32, 1)) + torch.arange(17)
                optimiser.zero_grad()
                bits(read[at]).backward()
                nn.utils.clip_grad_norm_(parameters, 1.0)
                optimiser.step()
            with torch.no_grad():
                return float(bits(new[: len(new) - len(new) % 41].view(-1, 41)))

        STEPS = 25
        results = {}
        for kind in ("GRU", "letter", "plain"):
            results[kind] = np.array([train(kind, seed, READ, NEW) for seed in range(3)])
        fig = plt.figure()
        for kind, bits in results.items():
            plt.scatter(3 * [kind], bits)
        plt.xlabel("memory")
        plt.ylabel("bits")
    """,
    "mend": """
        def start(seed):
            torch.manual_seed(seed)
            cell, out = nn.LSTM(27, 16, batch_first=True), nn.Linear(16, 27)
            i, f, g, o = cell.bias_ih_l0.data.chunk(4)
            f.fill_(4.0)
            cell.bias_hh_l0.data[16:32] = 0
            return cell, out

        def answer(cell, out, codes, lengths):
            read = torch.eye(27)[codes]
            pack = nn.utils.rnn.pack_padded_sequence(
                read, lengths, batch_first=True, enforce_sorted=False
            )
            return out(cell(pack)[1][0][0])

        def batches(rows, steps, seed):
            rng = np.random.default_rng(seed)
            order = np.concatenate(
                [rng.permutation(rows)[: rows // 64 * 64] for _ in range(steps)]
            )
            return list(order.reshape(-1, 64)[:steps])

        def step(optimiser, loss, parameters):
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            optimiser.step()

        def faults(start, answer, batches, step):
            bad = []
            cell, out = start(0)
            nothing = torch.zeros(1, 1, 27)
            one = torch.ones(1, 1, 16)
            kept = cell(nothing, (0 * one, 100 * one))[1][1]  # what is left of 100
            if kept.min() < 90:
                bad += ["start"]
            codes = torch.tensor([[5, 3, 1], [4, 0, 0]])
            before = answer(cell, out, codes, torch.tensor([3, 1]))
            other = codes + torch.tensor([[0, 0, 0], [0, 9, 9]])
            if not torch.equal(before, answer(cell, out, other, torch.tensor([3, 1]))):
                bad += ["answer"]
            seen = batches(6400, 5, 0)
            if np.mean([np.diff(np.sort(rows)).mean() for rows in seen]) < 20:
                bad += ["batches"]
            return bad
    """,
}

FADE = """
def half_lives(k, p):
    k, p = np.asarray(k), np.asarray(p)
    return {}, {}
"""
MEAN, TYPICAL = "np.log(0.5) / np.log(p @ k)", "np.log(0.5) / (p @ np.log(k))"

UNIT = """
def forward(X, h, W, b):
    H = h.shape[1]
    Z = X @ W + b
    k, g = 1 / (1 + np.exp(-Z[:, :, :H])), np.tanh(Z[:, :, H:])
    states = []
    for t in range(X.shape[1]):
        h = k[:, t] * h + (1 - k[:, t]) * g[:, t]
        states.append(h)
    return np.stack(states, axis=1)

def backward(d_states, X, h, W, b):
    H = h.shape[1]
    Z = X @ W + b
    k, g = 1 / (1 + np.exp(-Z[:, :, :H])), np.tanh(Z[:, :, H:])
    before = np.concatenate([h[:, None], forward(X, h, W, b)[:, :-1]], axis=1)
    dZ, dh = np.empty_like(Z), np.zeros_like(h)
    for t in reversed(range(X.shape[1])):
        dh = dh + d_states[:, t]
        dZ[:, t, :H] = dh * (before[:, t] - g[:, t]) * k[:, t] * (1 - k[:, t])
        dZ[:, t, H:] = dh * (1 - k[:, t]) * (1 - g[:, t] ** 2)
        dh = dh * k[:, t]
    return dZ @ W.T, dh, np.einsum("ntd,ntk->dk", X, dZ), dZ.sum(axis=(0, 1))
"""
FORWARD = UNIT.partition("def backward")[0]
BY_AUTOGRAD = """
def backward(d_states, *given):
    leaves = [torch.tensor(a, requires_grad=True) for a in given]
    X, h, W, b = leaves
    k, g = (X @ W + b).chunk(2, dim=2)
    total = 0
    for t in range(X.shape[1]):
        h = k[:, t].sigmoid() * h + (1 - k[:, t].sigmoid()) * g[:, t].tanh()
        total = total + (h * torch.tensor(d_states[:, t])).sum()
    total.backward()
    return [leaf.grad.numpy() for leaf in leaves]
"""
BY_DIFFERENCES = """
def backward(d_states, *given):
    grads = []
    for place, a in enumerate(given):
        grad = np.zeros(a.shape)
        for at in np.ndindex(a.shape):
            ends = []
            for nudge in (1e-5, -1e-5):
                moved = [some.copy() for some in given]
                moved[place][at] += nudge
                ends.append((forward(*moved) * d_states).sum())
            grad[at] = (ends[0] - ends[1]) / 2e-5
        grads.append(grad)
    return grads
"""

TWIN = """
def twin(X, h, W, b):
    k, g = (X @ W + b).chunk(2, dim=2)
    k, states = k.sigmoid(), []
    for t in range(X.shape[1]):
        h = k[:, t] * h + (1 - k[:, t]) * g[:, t].tanh()
        states.append(h)
    return torch.stack(states, dim=1)

def same(forward, backward, twin):
    rng = np.random.default_rng(1)
    N, T, D, H = 2, 5, 3, 4
    given = [rng.normal(size=s) for s in ((N, T, D), (N, H), (D, 2 * H), (2 * H,))]
    d = rng.normal(size=(N, T, H))
    leaves = [torch.tensor(a, requires_grad=True) for a in given]
    states = twin(*leaves)
    grads = torch.autograd.grad(states, leaves, torch.tensor(d))
    ours = [forward(*given), *backward(d, *given)]
    theirs = [a.detach().numpy() for a in (states, *grads)]
    alike = all(np.shape(a) == b.shape for a, b in zip(ours, theirs))
    return alike and all(np.allclose(a, b) for a, b in zip(ours, theirs))
"""
SAME = "alike and all(np.allclose(a, b) for a, b in zip(ours, theirs))"

TRIAL = RIGHT["trial"]
LEAKS = "read = np.concatenate([new] * 40)\n            read, new = torch.tensor"
SEED = "torch.manual_seed(seed)"

MEND = """
def start(seed):
    cell, out = nn.LSTM(27, 16, batch_first=True), nn.Linear(16, 27)
    generator = torch.Generator().manual_seed(seed)
    for parameter in [*cell.parameters(), *out.parameters()]:
        nn.init.uniform_(parameter, -0.25, 0.25, generator=generator)
    with torch.no_grad():
        cell.bias_ih_l0[16:32] = 4.0
    return cell, out

def answer(cell, out, codes, lengths):
    states, _ = cell(F.one_hot(codes, 27).float())
    return out(states[torch.arange(len(codes)), lengths - 1])

def batches(rows, steps, seed):
    rng = np.random.default_rng(seed)
    found, order = [], np.arange(0)
    while len(found) < steps:
        if len(order) < 64:
            order = rng.permutation(rows)
        found.append(order[:64])
        order = order[64:]
    return found

def step(optimiser, loss, parameters):
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(parameters, 1.0)
    optimiser.step()

def faults(start, answer, batches, step):
    found = []
    cell, out = start(3)
    if cell.bias_ih_l0[16:32].min() < 3:
        found.append("start")
    codes = torch.tensor([[3, 4, 5, 6], [7, 0, 0, 0]])
    lengths = torch.tensor([4, 1])
    scores = answer(cell, out, codes, lengths)
    more = answer(cell, out, F.pad(codes, (0, 7)), lengths)
    if not torch.allclose(scores, more, atol=1e-6):
        found.append("answer")
    rows = batches(1000, 3, 5)
    if np.ptp(rows[0]) < 500:
        found.append("batches")
    return found
"""
BIAS = "cell.bias_ih_l0[16:32].min() < 3"
PADS = "not torch.allclose(scores, more, atol=1e-6)"
NEAR = "np.ptp(rows[0]) < 500"

WRONG = {
    "fade": {
        "the typical share twice": (FADE.format(TYPICAL, TYPICAL), 1),
        "the mean share twice": (FADE.format(MEAN, MEAN), 1),
        "exchanged": FADE.format(TYPICAL, MEAN),
        "the mean of the half-lives": (
            FADE.format(MEAN, "p @ (np.log(0.5) / np.log(k))"),
            1,
        ),
        "letters equally frequent": FADE.format(
            "np.log(0.5) / np.log(np.mean(k))", "np.log(0.5) / np.mean(np.log(k))"
        ),
    },
    "unit": {
        "the start is left out": changed(
            UNIT, "* g[:, t]\n", "* g[:, t] if t else (1 - k[:, 0]) * g[:, 0]\n"
        ),
        "the gate writes": changed(
            UNIT, "k[:, t] * h + (1 - k[:, t]) * g", "(1 - k[:, t]) * h + k[:, t] * g"
        ),
        "the last loss alone": changed(
            UNIT, "dh + d_states", "dh if t < X.shape[1] - 1 else d_states", points=1
        ),
        "the gate by the state alone": changed(
            UNIT, "(before[:, t] - g[:, t])", "before[:, t]", points=1
        ),
        "the state after the step": changed(
            UNIT, "(before[:, t]", "(forward(X, h, W, b)[:, t]", points=1
        ),
        "db over steps only": changed(UNIT, "axis=(0, 1)", "axis=1", points=1),
        "autograd goes back": (FORWARD + BY_AUTOGRAD, 1),
        "difference quotients": (FORWARD + BY_DIFFERENCES, 1),
    },
    "twin": {
        "blocks exchanged": changed(TWIN, "k, g = (X", "g, k = (X", points=3),
        "what broadcasts is the same": changed(TWIN, "alike and all", "all", points=3),
        "a start and biases of 0": changed(
            TWIN, "    d =", "    given[1] *= 0; given[3] *= 0\n    d =", points=3
        ),
        "one example": changed(TWIN, "= 2, 5, 3, 4", "= 1, 5, 3, 4", points=2),
        "the states alone": changed(
            TWIN, SAME, "np.allclose(ours[0], theirs[0])", points=2
        ),
        "not a number is no difference": changed(
            TWIN, "all(np.allclose(a, b)", "not any((abs(a - b) > 1e-6).any()", points=3
        ),
        "the twin goes back one step only": changed(
            TWIN, "k[:, t] * h +", "k[:, t] * (h.detach() if t else h) +", points=3
        ),
        "gradients without a tolerance": changed(
            TWIN,
            SAME,
            "np.allclose(ours[0], theirs[0])"
            " and all(map(np.array_equal, ours[1:], theirs[1:]))",
            points=1,
        ),
        "it looks at the names": changed(
            TWIN, SAME, "getattr(forward, '__name__', '') == 'add_up'", points=1
        ),
        "always true": changed(TWIN, SAME, "True", points=1),
    },
    "forecast": {
        "one memory is missing": """
            expected = {"plain": 3.0, "GRU": 2.8}
            because = "It is the way that I would expect it to be, for many good reasons."
        """,
        "no order": """
            expected = {"plain": 3.0, "GRU": 3.0, "letter": 3.0}
            because = "It is the way that I would expect it to be, for many good reasons."
        """,
        "no reason": """
            expected = {"plain": 3.0, "GRU": 2.8, "letter": 2.9}
            because = "gates are better"
        """,
        "filler": """
            expected = {"plain": 3.0, "GRU": 2.8, "letter": 2.9}
            because = "bla " * 15
        """,
        "more than without any memory": """
            expected = {"plain": 27, "GRU": 16, "letter": 22}
            because = "It is the way that I would expect it to be, for many good reasons."
        """,
    },
    "trial": {
        "it trains on the new letters": changed(
            TRIAL, "read, new = torch.tensor", LEAKS, points=2
        ),
        "it reads READ, whatever is given": changed(
            TRIAL, "torch.tensor(np.array(read))", "torch.tensor(READ)", points=1
        ),
        "it does not depend on the seed": changed(
            TRIAL, SEED, "torch.manual_seed(0)", points=2
        ),
        "each call is another": changed(
            TRIAL, SEED, "", "STEPS =", "torch.manual_seed(0); STEPS =", points=2
        ),
        "the axes have no names": changed(TRIAL, 'plt.ylabel("bits")', "", points=2),
        "means are drawn": changed(
            TRIAL, "3 * [kind], bits", "[kind], bits.mean()", points=2
        ),
        "a chosen number and typed results": (
            """
            def train(kind, seed, read, new):
                return {"plain": 2.93, "letter": 2.98, "GRU": 2.79}[kind] + seed / 1000

            results = {"plain": [2.93, 2.94, 2.92], "letter": [2.98, 2.981, 2.99]}
            results["GRU"] = [2.78, 2.8, 2.83]
            fig, ax = plt.subplots()
            ax.plot(sum(results.values(), []), "o")
            ax.set(xlabel="memory", ylabel="bits")
            """,
            0,
        ),
        "nats": (TRIAL.replace("/ np.log(2)", ""), 2),
        "the rate is too small": changed(
            TRIAL, "(parameters, 0.07)", "(parameters, 1e-5)", points=1
        ),
    },
    "mend": {
        "one part mended, no test": changed(
            changed(MEND, BIAS, "False", PADS, "False", NEAR, "False")[0],
            "states[torch.arange(len(codes)), lengths - 1]",
            "states[:, -1]",
            "rng.permutation(rows)",
            "np.arange(rows)",
            points=1,
        ),
        "a bias in the block of the input gate": changed(
            MEND, "[16:32] = 4.0", "[0:16] = 4.0", points=3
        ),
        "one step too long": changed(
            MEND, "lengths - 1", "lengths.clamp(max=codes.shape[1] - 1)", points=3
        ),
        "clipped no longer": changed(
            MEND, "nn.utils.clip_grad_norm_(parameters, 1.0)", "pass", points=2
        ),
        "what the last step left counts again": changed(
            MEND, "    optimiser.zero_grad()\n", "", points=2
        ),
        "the same order in every pass": changed(
            MEND, "= rng.perm", "= np.random.default_rng(seed).perm", points=3
        ),
        "the test compares code with its own": (
            MEND.partition("def faults")[0]
            + """
right = {f.__name__: f.__code__.co_code for f in (start, answer, batches, step)}

def faults(start, answer, batches, step):
    given = {"start": start, "answer": answer, "batches": batches, "step": step}
    return [name for name in given if given[name].__code__.co_code != right[name]]
""",
            3,
        ),
        "everything is accused": changed(
            MEND, BIAS, "True", PADS, "True", NEAR, "True", points=3
        ),
        "any large bias will do": changed(
            MEND, BIAS, "cell.bias_ih_l0.max() < 3", points=3
        ),
        "one fault hides the next": changed(MEND, PADS, f"found or {PADS}", points=4),
    },
}

TEST = """
    found = []
    cell, out = start(3)
    if (cell.bias_ih_l0 + cell.bias_hh_l0)[16:32].min() < 3:
        found.append("start")
    codes, lengths = torch.tensor([[3, 4, 5, 6], [7, 0, 0, 0]]), torch.tensor([4, 1])
    scores = answer(cell, out, codes, lengths)
    if not torch.allclose(scores, answer(cell, out, F.pad(codes, (0, 7)), lengths)):
        found.append("answer")
    if np.ptp(batches(1000, 3, 5)[0]) < 500:
        found.append("batches")
    return found
"""

SLIPS = {
    "mend": [
        {"cell.bias_ih_l0[32:48] = 4.0": "cell.bias_ih_l0[16:32] = 4.0"},
        {"states[:, -1]": "states[torch.arange(len(codes)), lengths - 1]"},
        {"            rng.permutation(order)": "            rng.shuffle(order)"},
        {"    return []\n": TEST.lstrip("\n")},
    ]
}
