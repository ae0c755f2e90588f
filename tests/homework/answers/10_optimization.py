"""Answers to homework 10: right ones written differently, and typical wrong ones."""

RIGHT = {
    "flatter-valley": """
        spectrum = np.linalg.eigvals(np.diag([1, 9, 99]) + np.eye(3))
        low, high = min(spectrum), max(spectrum)
        rate_limit, kappa, best_rate = 0.02, high / low, np.float32(0.0196)
        factor = np.array(0.961)
    """,
    "clip-norm": """
        def clip_gradients(grads, limit):
            length = np.linalg.norm(np.concatenate([np.ravel(a) for a in grads]))
            out = []
            for a in grads:
                out.append(a.copy() if length <= limit else a / length * limit)
            return tuple(out)
    """,
    "adamw": """
        def adamw_step(
            w, g, memory, *, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.01
        ):
            if not memory:
                memory.update(steps=0, mean=np.zeros_like(w), square=np.zeros_like(w))
            memory["steps"] += 1
            memory["mean"] = memory["mean"] + (1 - beta1) * (g - memory["mean"])
            memory["square"] *= beta2
            memory["square"] += (1 - beta2) * g**2
            weight = [1 - b ** memory["steps"] for b in (beta1, beta2)]
            shrunk = (1 - lr * decay) * w
            below = np.sqrt(memory["square"] / weight[1]) + eps
            return shrunk - lr / weight[0] * memory["mean"] / below
    """,
    "mend-nesterov": """
        def nesterov_path(grad, start, *, lr, momentum, steps):
            path = np.empty((steps + 1, len(start)))
            path[0], velocity = start, 0.0
            for t in range(steps):
                ahead = path[t] - momentum * velocity
                velocity = momentum * velocity + lr * np.asarray(grad(ahead))
                path[t + 1] = path[t] - velocity
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
CLIP = "def clip_gradients(grads, limit):\n    "
ADAMW = """
def adamw_step(
    w, g, memory, *, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-8, decay=0.01
):
    t = memory["t"] = memory.get("t", 0) + 1
    v = memory["v"] = beta1 * memory.get("v", 0.0) + (1 - beta1) * g
    s = memory["s"] = beta2 * memory.get("s", 0.0) + (1 - beta2) * g * g
    v_hat, s_hat = v / (1 - beta1**t), s / (1 - beta2**t)
    return w - lr * (decay * w + v_hat / (np.sqrt(s_hat) + eps))
"""
NESTEROV = """
def nesterov_path(grad, start, *, lr, momentum, steps):
    w, v = np.array(start, dtype=float), np.zeros(len(start))
    path = [w]
    for _ in range(steps):
        v = momentum * v + lr * grad(w - momentum * v)
        w = w - v
        path.append(w)
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
    "clip-norm": {
        "each array by itself": (
            CLIP + "return [g * min(1, limit / (np.linalg.norm(g) + 1e-300))"
            " for g in grads]",
            1,
        ),
        "each entry by itself": (
            CLIP + "return [np.clip(g, -limit, limit) for g in grads]",
            1,
        ),
        "short ones stretched, too": (
            CLIP + "G = np.sqrt(sum((g**2).sum() for g in grads))\n"
            "    return [g * limit / G for g in grads]",
            2,
        ),
        "no square root": CLIP + "G = sum((g**2).sum() for g in grads)\n"
        "    return [g * (limit / G if limit < G else 1.0) for g in grads]",
        "in place": (
            CLIP + "G = np.sqrt(sum((g**2).sum() for g in grads))\n"
            "    for g in grads:\n        g *= limit / G if limit < G else 1.0\n"
            "    return grads",
            2,
        ),
        "the visible answer": CLIP + "return [np.array([0.6]), np.array([[0.0, 0.8]])]",
    },
    "adamw": {
        "the penalty through Adam": (
            ADAMW.replace("    t =", "    g = g + decay * w\n    t =", 1).replace(
                "decay * w + v_hat", "v_hat"
            ),
            1,
        ),
        "no bias correction": ADAMW.replace("(1 - beta1**t)", "1").replace(
            "(1 - beta2**t)", "1"
        ),
        "penalty without the rate": (
            ADAMW.replace(
                "w - lr * (decay * w + v_hat / (np.sqrt(s_hat) + eps))",
                "w - decay * w - lr * v_hat / (np.sqrt(s_hat) + eps)",
            ),
            1,
        ),
        "ε under the root": (
            ADAMW.replace("np.sqrt(s_hat) + eps", "np.sqrt(s_hat + eps)"),
            3,
        ),
        "t stands still": ADAMW.replace('memory.get("t", 0) + 1', "1"),
        "memory outside": (
            "SHARED = {}\n"
            + ADAMW.replace("    t =", "    memory = SHARED\n    t =", 1)
        ),
    },
    "mend-nesterov": {
        "the sign left": (NESTEROV.replace("grad(w - m", "grad(w + m"), 1),
        "in place, start copied": NESTEROV.replace("w = w - v", "w -= v"),
        "one row missing": NESTEROV.replace("range(steps)", "range(1, steps)"),
        "no look ahead": (NESTEROV.replace("w - momentum * v)", "w)"), 1),
        "the memory lost": (NESTEROV.replace("    v = mom", "    v = 0 * mom"), 1),
        "the caller's start moves": (
            NESTEROV.replace("np.array(start", "np.asarray(start")
            .replace("w = w - v", "w -= v")
            .replace("path = [w]", "path = [w.copy()]")
            .replace("append(w)", "append(w.copy())"),
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
        {"range(1, steps)": "range(steps)"},
        {"w -= v": "w = w - v"},
        {"w + momentum * v": "w - momentum * v"},
    ]
}
