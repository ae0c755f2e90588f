"""What several hidden tests of homework 13 share; `%run -i` in a test puts it there.

Names that it does not define are from ``assignment.py``, the setup cell or the student.
"""


def right(W, b, X, P):
    Z = X @ W + b
    shares = np.exp(Z - Z.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    p = (shares * P).sum(axis=1)
    dZ = (shares - shares * P / p[:, None]) / len(X)
    return -np.log(p).mean(), X.T @ dZ, dZ.sum(axis=0)


def partner(W, b, X, P, dim=1):
    shares = torch.softmax(X @ W + b, dim=dim)
    return -(shares * P).sum(dim=1).log().mean()


def changed(change):
    def ours(W, b, X, P):
        return change(*right(W, b, X, P), len(X), len(b))

    return ours


def scores(params, contexts):
    E, W_x, b, W_o, b_o = [np.asarray(param, dtype=float) for param in params]
    h = np.tanh(E[contexts].reshape(len(contexts), -1) @ W_x + b)
    Z = h @ W_o + b_o
    return Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))


def keyboard(gap=0, lost=False, early=False, plain=False):
    def windows(letters, n):
        if plain:
            every = range(len(letters) - n)
            contexts = np.array([letters[t : t + n] for t in every])
            return contexts, np.array([letters[t + n] for t in every])
        at = np.arange(len(letters) - n - gap)
        return letters[at[:, None] + np.arange(n)], letters[at + n + gap]

    def gradients(params, contexts, following):
        E, W_x, b, W_o, b_o = params
        X = E[contexts].reshape(len(contexts), -1)
        h = np.tanh(X @ W_x + b)
        Z = h @ W_o + b_o
        p = np.exp(Z - Z.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        row = np.arange(len(following))
        loss = -np.log(p[row, following]).mean()
        dZ = (p - np.eye(p.shape[1])[following]) / len(following)
        dh = dZ @ W_o.T * (1 - h**2)
        dX, dE = (dh @ W_x.T).reshape(*contexts.shape, -1), np.zeros_like(E)
        if lost:
            dE[contexts] += dX
        else:
            np.add.at(dE, contexts, dX)
        return loss, [dE, X.T @ dh, dh.sum(axis=0), h.T @ dZ, dZ.sum(axis=0)]

    def fit(letters, n, kinds, seed, steps=300):
        rng = np.random.default_rng(seed)
        sizes = (kinds, 6), (n * 6, 32), (32,), (32, kinds), (kinds,)
        params = [rng.normal(size=size) * 0.3 for size in sizes]
        speeds = [np.zeros(size) for size in sizes]
        contexts, following = windows(letters, n)
        for step in range(steps):
            rows = rng.integers(len(following), size=200)
            slopes = gradients(params, contexts[rows], following[rows])[1]
            rate = 0.3 / (1 + step) if early else 0.3 * (1 - step / steps)
            rate = 0.15 if plain else rate
            for param, speed, g in zip(params, speeds, slopes, strict=True):
                speed[:] = 0.9 * speed + g
                param -= rate * speed
        return params

    return SimpleNamespace(windows=windows, gradients=gradients, fit=fit)


def silent(**faults):
    other = np.random.default_rng(0).integers(0, 28, 50_000)  # another language
    with standing_in(alarm, LETTERS=other, READ=other, UNREAD=other):
        try:
            alarm(keyboard(**faults))
        except AssertionError:
            return False
    return True
