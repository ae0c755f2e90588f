"""Answers to homework 10: right ones written differently, and typical wrong ones."""

RIGHT = {
    "flatter-valley": """
        spectrum = np.linalg.eigvals(np.diag([1, 9, 99]) + np.eye(3))
        low, high = min(spectrum), max(spectrum)
        rate_limit, kappa, best_rate = 0.02, high / low, np.float32(0.0196)
        factor = np.array(0.961)
    """,
    "clip-examples": """
        def clipped_mean(X, dZ, limit):
            total = np.zeros((X.shape[1], dZ.shape[1]))
            for x, delta in zip(X, dZ):
                G = np.outer(x, delta)
                length = np.sqrt((G * G).sum())
                total += G if length <= limit else G / length * limit
            return total / len(X)
    """,
    "adafactor": """
        def adafactor_step(
            w, g, memory, *, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.01
        ):
            if not memory:
                memory.update(steps=0, mean=np.zeros_like(w), rows=0, columns=0)
            memory["steps"] += 1
            memory["mean"] = memory["mean"] + (1 - beta1) * (g - memory["mean"])
            for name, axis in (("rows", 1), ("columns", 0)):  # sums, not means
                new = (g**2).sum(axis=axis, keepdims=True)
                memory[name] = beta2 * memory[name] + (1 - beta2) * new
            weight = [1 - b ** memory["steps"] for b in (beta1, beta2)]
            whole = memory["rows"].sum() or 1e-300
            square = memory["rows"] * (memory["columns"] / whole) / weight[1]
            shrunk = w - lr * decay * w
            return shrunk - lr / weight[0] * memory["mean"] / (np.sqrt(square) + eps)
    """,
    "mend-nesterov": """
        def nesterov_path(grad, start, *, lr, momentum, steps):
            path = np.empty((steps + 1, len(start)))
            path[0], velocity = start, 0.0
            w = path[0].copy()
            for t in range(steps):
                slope = np.asarray(grad(path[t].copy()))
                velocity = momentum(t + 1) * velocity + lr * slope
                w = w - velocity
                path[t + 1] = w - momentum(t + 2) * velocity
            return path
    """,
    "noise-floor": """
        level = lambda lr, B: lr / (2 - lr) * 8 / B * (65 - B) / (65 - 1)
        floor = round(level(0.4, 16), 4)
        halved_rate = 2.25
        doubled_batch = level(0.4, 16) / level(0.4, 32)
    """,
}

VALLEY = "rate_limit, kappa, best_rate, factor = "
CLIP = """
def clipped_mean(X, dZ, limit):
    lengths = np.linalg.norm(X, axis=1) * np.linalg.norm(dZ, axis=1)
    factor = limit / np.maximum(lengths, limit)
    return X.T @ (factor[:, None] * dZ) / len(X)
"""
ADAFACTOR = """
def adafactor_step(
    w, g, memory, *, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.01
):
    t = memory["t"] = memory.get("t", 0) + 1
    rows, columns = (g * g).mean(axis=1), (g * g).mean(axis=0)
    v = memory["v"] = beta1 * memory.get("v", 0.0) + (1 - beta1) * g
    r = memory["r"] = beta2 * memory.get("r", 0.0) + (1 - beta2) * rows
    c = memory["c"] = beta2 * memory.get("c", 0.0) + (1 - beta2) * columns
    s_hat = np.outer(r, c) / (r.mean() if r.any() else 1.0) / (1 - beta2**t)
    v_hat = v / (1 - beta1**t)
    return w - lr * (decay * w + v_hat / (np.sqrt(s_hat) + eps))
"""
NESTEROV = """
def nesterov_path(grad, start, *, lr, momentum, steps):
    z, v = np.array(start, dtype=float), np.zeros(len(start))
    path = [z]
    for t in range(1, steps + 1):
        g = grad(z)
        v = momentum(t) * v + lr * g
        step = lr * g + momentum(t + 1) * v
        z = z - step
        path.append(z)
    return np.array(path)
"""

WRONG = {
    "flatter-valley": {
        "the penalty forgotten": VALLEY + "2 / 99, 99, 2 / 100, 98 / 100",
        "1/λmax for 2/λmax": (VALLEY + "1 / 100, 50, 2 / 102, 49 / 51", 2),
        "half of the penalty, α/2": VALLEY + "2 / 99.5, 99.5 / 1.5, 2 / 101, 98 / 101",
        "the limit taken for the best": (VALLEY + "0.02, 50, 0.02, 0.96", 1),
        "rate of momentum": (VALLEY + "0.02, 50, 4 / (10 + 2**0.5) ** 2, 0.7522", 1),
    },
    "clip-examples": {
        "the whole batch clipped": CLIP[: CLIP.index("    lengths")]
        + "    G = X.T @ dZ / len(X)\n"
        "    return G * min(1, limit / max(np.linalg.norm(G), 1e-300))",
        "rows of dZ alone": (
            CLIP.replace("np.linalg.norm(X, axis=1) * np", "np"),
            1,
        ),
        "no guard where there is no gradient": (
            CLIP.replace(
                "limit / np.maximum(lengths, limit)", "np.minimum(1, limit / lengths)"
            ),
            2,
        ),
        "every gradient in full": (
            CLIP[: CLIP.index("    lengths")]
            + "    G = X[:, :, None] * dZ[:, None, :]\n"
            "    lengths = np.sqrt((G**2).sum(axis=(1, 2)))\n"
            "    factor = limit / np.maximum(lengths, limit)\n"
            "    return (G * factor[:, None, None]).mean(axis=0)",
            2,
        ),
        "in place": (
            CLIP.replace("    return", "    dZ *= factor[:, None]\n    return").replace(
                "(factor[:, None] * dZ)", "dZ"
            ),
            2,
        ),
        "short ones stretched, too": CLIP.replace(
            "np.maximum(lengths, limit)", "lengths"
        ),
        "the sum": CLIP.replace(" / len(X)", ""),
        "the visible answer": "clipped_mean = lambda *_, **__: np.array([[1.75], [2.0]])",
    },
    "adafactor": {
        "all squares kept, as AdamW does": (
            ADAFACTOR.replace("(g * g).mean(axis=1)", "g * g").replace(
                "np.outer(r, c) / (r.mean() if r.any() else 1.0)", "r"
            ),
            1,
        ),
        "all squares kept, and their means taken": (
            ADAFACTOR.replace("(g * g).mean(axis=1)", "g * g").replace(
                "    s_hat", "    r = r.mean(axis=1)\n    s_hat"
            ),
            1,
        ),
        "not divided by the mean": ADAFACTOR.replace(
            " / (r.mean() if r.any() else 1.0)", ""
        ),
        "the mean of a row's and a column's": ADAFACTOR.replace(
            "np.outer(r, c) / (r.mean() if r.any() else 1.0)",
            "(r[:, None] + c) / 2",
        ),
        "0/0 without a gradient": (
            ADAFACTOR.replace("(r.mean() if r.any() else 1.0)", "r.mean()"),
            1,
        ),
        "the penalty through the averages": ADAFACTOR.replace(
            "    t =", "    g = g + decay * w\n    t =", 1
        ).replace("decay * w + v_hat", "v_hat"),
        "no bias correction": ADAFACTOR.replace("(1 - beta1**t)", "1").replace(
            "(1 - beta2**t)", "1"
        ),
        "ε under the root": ADAFACTOR.replace(
            "np.sqrt(s_hat) + eps", "np.sqrt(s_hat + eps)"
        ),
        "t stands still": ADAFACTOR.replace('memory.get("t", 0) + 1', "1"),
        "memory outside": (
            "SHARED = {}\n"
            + ADAFACTOR.replace("    t =", "    memory = SHARED\n    t =", 1)
        ),
    },
    "mend-nesterov": {
        "the old momentum looks ahead": (NESTEROV.replace("(t + 1) * v", "(t) * v"), 1),
        "the path of w": (
            NESTEROV.replace("append(z)", "append(z + momentum(t + 1) * v)"),
            1,
        ),
        "in place, start copied": NESTEROV.replace("z = z - step", "z -= step"),
        "one row missing": NESTEROV.replace("range(1, steps + 1)", "range(1, steps)"),
        "no look ahead": (
            NESTEROV.replace("step = lr * g + momentum(t + 1) *", "step ="),
            1,
        ),
        "momentum counted from 0": (
            NESTEROV.replace("momentum(t) * v", "momentum(t - 1) * v").replace(
                "momentum(t + 1)", "momentum(t)"
            ),
            1,
        ),
        "the caller's start moves": (
            NESTEROV.replace("np.array(start", "np.asarray(start")
            .replace("z = z - step", "z -= step")
            .replace("path = [z]", "path = [z.copy()]")
            .replace("append(z)", "append(z.copy())"),
            3,
        ),
    },
    "noise-floor": {
        "drawn with replacement": (
            "floor, halved_rate, doubled_batch = 0.4 / 1.6 * 8 / 16, 2.25, 2"
        ),
        "no batch size": (
            "floor, halved_rate, doubled_batch = 0.4 / 1.6 * 8, 2.25, 49 * 2 / 33",
            2,
        ),
        "proportional to the rate": (
            "floor, halved_rate, doubled_batch = 0.0957, 2, 2.97",
            1,
        ),
        "read off the run": (
            "floor, halved_rate, doubled_batch = 0.0957, 2.24, 3.0",
            1,
        ),
        "the reciprocals": (
            "floor, halved_rate, doubled_batch = 0.0957, 1 / 2.25, 1 / 2.97",
            1,
        ),
    },
}

SLIPS = {
    "mend-nesterov": [
        {"range(1, steps)": "range(1, steps + 1)"},
        {"z -= step": "z = z - step"},
        {"lr * g + momentum(t) * v": "lr * g + momentum(t + 1) * v"},
    ]
}
