"""Answers to homework 3: right ones written differently, and typical wrong ones."""

RIGHT = {
    "one-weight": """
        inputs, targets = np.array([1, 2, 3]), np.array([2, 3, 7])
        slope = np.polynomial.polynomial.polyfit(inputs, targets, [1])[1]
        ridge_slope, lasso_slope, lam_zero = 1, 2, 29.0
        rate_limit = 0.143
    """,
    "weighted": """
        def weighted_least_squares(X, y, c):
            root = np.sqrt(c)
            best, *_ = np.linalg.lstsq(root.reshape(-1, 1) * X, root * y, rcond=None)
            return best
    """,
    "huber": """
        def huber(w, X, y, delta):
            N, dw, loss = len(y), np.zeros(len(w)), 0.0
            for features, target in zip(X, y):
                e = float(features @ w - target)
                if e > delta:
                    loss, slope = loss + delta * e - delta**2 / 2, delta
                elif e < -delta:
                    loss, slope = loss - delta * e - delta**2 / 2, -delta
                else:
                    loss, slope = loss + e * e / 2, e
                dw = dw + slope * features
            return loss / N, dw / N
    """,
    "mend-ridge": """
        def ridge_forecast(X, y, X_new, lam):
            centre, scale = np.mean(X, axis=0), np.std(X, axis=0)
            Z = torch.tensor((X - centre) / scale)
            bias = float(np.mean(y))
            left = Z.T @ Z + lam * torch.eye(Z.shape[1], dtype=Z.dtype)
            w = torch.linalg.solve(left, Z.T @ torch.tensor(y - bias))
            return bias + ((X_new - centre) / scale) @ w.numpy()
    """,
    "shrinkage": """
        ridge = lambda xx, xy: xy / (xx + 10)
        copied = 2 * ridge(2 * 40, 60)
        repeated = ridge(120, 180)
        rescaled = 1.41
    """,
}

ONE = "slope, ridge_slope, lasso_slope, lam_zero, rate_limit = "
WEIGHTED = "def weighted_least_squares(X, y, c):\n    C = np.diag(c)\n    return "
HUBER = """
def huber(w, X, y, delta):
    r = X @ w - y
    small = np.abs(r) <= delta
    h = np.where(small, r**2 / 2, delta * (np.abs(r) - delta / 2))
    slope = np.where(small, r, delta * np.sign(r))
    return h.mean(), X.T @ slope / len(y)
"""
RIDGE = """
def ridge_forecast(X, y, X_new, lam):
    mean, std = X.mean(axis=0), X.std(axis=0)
    Z = np.column_stack([np.ones(len(X)), (X - mean) / std])
    Z_new = np.column_stack([np.ones(len(X_new)), (X_new - mean) / std])
    penalty = lam * np.diag([0.0] + [1.0] * X.shape[1])
    return Z_new @ np.linalg.solve(Z.T @ Z + penalty, Z.T @ y)
"""

WRONG = {
    "one-weight": {
        "a bias fitted, too": (ONE + "2.5, 1, 2, 29, 1 / 7", 2),
        "penalties of a mean loss": (ONE + "29 / 14, 29 / 59, 26 / 14, 87, 1 / 7", 1),
        "1/λmax for 2/λmax": (ONE + "29 / 14, 1, 2, 29, 1 / 14", 2),
        "the lasso's threshold halved": (ONE + "29 / 14, 1, 28.5 / 14, 58, 1 / 7", 1),
        "shrunk as ridge": (ONE + "29 / 14, 1, 29 / 15, 1e9, 1 / 7", 1),
    },
    "weighted": {
        "weights on one side only": WEIGHTED + "np.linalg.solve(X.T @ X, X.T @ C @ y)",
        "weights squared": WEIGHTED + "np.linalg.lstsq(C @ X, C @ y, rcond=None)[0]",
        "square roots of the weights": WEIGHTED
        + "np.linalg.solve(X.T @ C**0.5 @ X, X.T @ C**0.5 @ y)",
        "weights ignored": WEIGHTED + "np.linalg.lstsq(X, y, rcond=None)[0]",
        "(D, 1) for (D,)": WEIGHTED
        + "np.linalg.solve(X.T @ C @ X, X.T @ C @ y[:, None])",
        "the visible answers": WEIGHTED
        + "np.array([3.75]) if X.shape[1] == 1 else np.array([0.25, 2.5])",
    },
    "huber": {
        "a sum for a mean": HUBER.replace("h.mean()", "h.sum()").replace(
            " / len(y)", ""
        ),
        "no −δ/2": (HUBER.replace("np.abs(r) - delta / 2", "np.abs(r)"), 2),
        "sign of the residual forgotten": HUBER.replace(
            "np.abs(r) <= delta", "r <= delta"
        ),
        "gradient against the residual": (
            HUBER.replace("X.T @ slope", "-X.T @ slope"),
            2,
        ),
        "slope ±1 for ±δ": (HUBER.replace("delta * np.sign(r)", "np.sign(r)"), 2),
        "the gradient of squares": (HUBER.replace("X.T @ slope", "X.T @ r"), 2),
    },
    "mend-ridge": {
        "new data by their own means": RIDGE.replace(
            "(X_new - mean) / std", "(X_new - X_new.mean(0)) / (X_new.std(0) + 1e-9)"
        ),
        "one mean for all columns": (
            RIDGE.replace("X.mean(axis=0), X.std(axis=0)", "X.mean(), X.std()"),
            2,
        ),
        "bias penalised": (RIDGE.replace("[0.0]", "[1.0]"), 2),
        "not standardised": (
            RIDGE.replace("X.mean(axis=0), X.std(axis=0)", "0.0, 1.0"),
            2,
        ),
        "λ times N": (RIDGE.replace("= lam *", "= lam * len(y) *"), 2),
        "along the wrong axis": RIDGE.replace("axis=0", "axis=1"),
    },
    "shrinkage": {
        "nothing changes": "copied = repeated = rescaled = 1.2",
        "weights of one twin": (
            "copied, repeated, rescaled = 60 / 90, 180 / 130, 240 / 170",
            1,
        ),
        "least squares": "copied = repeated = rescaled = 1.5",
        "λ multiplied along": "copied, repeated, rescaled = 120 / 100, 180 / 150, 1.2",
        "in the new units": (
            "copied, repeated, rescaled = 120 / 90, 180 / 130, 120 / 170",
            2,
        ),
    },
}

SLIPS = {
    "mend-ridge": [
        {"(X - X.mean()) / X.std()": "(X - X.mean(axis=0)) / X.std(axis=0)"},
        {
            "(X_new - X_new.mean(axis=0)) / X_new.std(axis=0)": (
                "(X_new - X.mean(axis=0)) / X.std(axis=0)"
            )
        },
        {"np.eye(Z.shape[1])": "np.diag([0.0] + [1.0] * X.shape[1])"},
    ]
}
