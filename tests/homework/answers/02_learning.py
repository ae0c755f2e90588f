"""Answers to homework 2: right ones written differently, and typical wrong ones."""

RIGHT = {
    "ten-mails": """
        T = np.array([[3, 1, 1], [1, 2, 0], [1, 0, 1]])
        spam_precision = T[2, 2] / T[:, 2].sum()
        spam_recall = 0.5
        macro_recall = np.mean(np.diag(T) / T.sum(axis=1))
        micro_f1, work_f1 = 0.6, 0.667
    """,
    "cheapest": """
        def cheapest(score, y, miss, alarm):
            best, least = None, np.inf
            for t in [-1e9, *score]:
                cost = 0.0
                for f, side in zip(score, y):
                    cost += miss if side > 0 and f <= t else 0
                    cost += alarm if side < 0 and f > t else 0
                if cost < least:
                    best, least = t, cost
            return best, least / len(y)
    """,
    "smooth-hinge": """
        def smooth_hinge(w, X, y):
            dw, loss = np.zeros(len(w)), 0.0
            for x, side in zip(X, y):
                m = side * float(x @ w)
                if m >= 1:
                    continue
                loss += 0.5 - m if m <= 0 else (1 - m) ** 2 / 2
                dw = dw + (-1 if m <= 0 else m - 1) * side * x
            return loss / len(y), dw / len(y)
    """,
    "mend-validation": """
        def validate(X, y, folds):
            blocks, wrong = np.array_split(np.arange(len(y)), folds), []
            for block in blocks:
                keep = np.ones(len(y), bool)
                keep[block] = False
                centre, spread = np.mean(X[keep], axis=0), np.std(X[keep], axis=0)
                A, B = (X[keep] - centre) / spread, (X[block] - centre) / spread
                up = np.linalg.norm(B - A[y[keep] > 0].mean(0), axis=1)
                down = np.linalg.norm(B - A[y[keep] < 0].mean(0), axis=1)
                wrong += list(np.where(up < down, 1, -1) != y[block])
            return np.mean(wrong)
    """,
    "coins": "own, new, doubled, best = 0.0, 0.5, 0.25, 0.5",
}

MAILS = "spam_precision, spam_recall, macro_recall, micro_f1, work_f1 = "
CHEAP = """
def cheapest(score, y, miss, alarm):
    levels = np.append(score.min() - 1, np.unique(score))
    missed = (score[y > 0][:, None] <= levels).sum(axis=0)
    alarms = (score[y < 0][:, None] > levels).sum(axis=0)
    costs = (miss * missed + alarm * alarms) / len(y)
    return levels[costs.argmin()], costs.min()
"""
HINGE = """
def smooth_hinge(w, X, y):
    m = y * (X @ w)
    loss = np.where(m <= 0, 0.5 - m, np.clip(1 - m, 0, 1) ** 2 / 2)
    slope = -np.clip(1 - m, 0, 1)
    return loss.mean(), X.T @ (slope * y) / len(y)
"""
VALIDATE = """
def validate(X, y, folds):
    errors = 0
    for held in np.array_split(np.arange(len(y)), folds):
        kept = np.setdiff1d(np.arange(len(y)), held)
        Z = (X - X[kept].mean(axis=0)) / X[kept].std(axis=0)
        plus = Z[kept][y[kept] > 0].mean(axis=0)
        minus = Z[kept][y[kept] < 0].mean(axis=0)
        up = ((Z[held] - plus) ** 2).sum(axis=1)
        down = ((Z[held] - minus) ** 2).sum(axis=1)
        errors += (np.where(up < down, 1.0, -1.0) != y[held]).sum()
    return errors / len(y)
"""

WRONG = {
    "ten-mails": {
        "rows and columns changed": (MAILS + "1/2, 1/2, 0.589 + 0.02, 0.6, 2/3", 1),
        "macro and micro changed": (MAILS + "1/2, 1/2, 0.6, 0.589, 2/3", 1),
        "accuracy for precision": (MAILS + "0.6, 1/2, 0.589, 0.6, 2/3", 2),
        "recall of the false class": (MAILS + "1/2, 1/5, 0.589, 0.6, 0.5", 0),
    },
    "cheapest": {
        "the prices changed": CHEAP.replace(
            "miss * missed + alarm * alarms", "alarm * missed + miss * alarms"
        ),
        "a sum for a mean": (CHEAP.replace(" / len(y)", ""), 2),
        "a score at the threshold is positive": (
            CHEAP.replace("<= levels", "< levels")
            .replace("> levels", ">= levels")
            .replace("score.min() - 1", "score.max() + 1"),
            2,
        ),
        "everything positive is not tried": CHEAP.replace(
            "np.append(score.min() - 1, np.unique(score))", "np.unique(score)"
        ),
        "all errors alike": CHEAP.replace(
            "miss * missed + alarm * alarms", "missed + alarms"
        ),
    },
    "smooth-hinge": {
        "the kinked hinge": (
            HINGE.replace(
                "np.where(m <= 0, 0.5 - m, np.clip(1 - m, 0, 1) ** 2 / 2)",
                "np.maximum(0, 1 - m)",
            ),
            2,
        ),
        "a line that does not meet": (HINGE.replace("0.5 - m", "1 - m"), 2),
        "the label forgotten in the gradient": (
            HINGE.replace("(slope * y)", "slope"),
            2,
        ),
        "a sum for a mean": HINGE.replace("loss.mean()", "loss.sum()").replace(
            " / len(y)", ""
        ),
        "the squared loss": HINGE.replace("np.clip(1 - m, 0, 1)", "(1 - m)").replace(
            "np.where(m <= 0, 0.5 - m, (1 - m) ** 2 / 2)", "(1 - m) ** 2 / 2"
        ),
        "sign of the slope": (HINGE.replace("slope = -np", "slope = np"), 2),
    },
    "mend-validation": {
        "the centres know the fold": VALIDATE.replace(
            "Z[kept][y[kept] > 0]", "Z[y > 0]"
        ).replace("Z[kept][y[kept] < 0]", "Z[y < 0]"),
        "some are never judged": VALIDATE.replace(
            "np.array_split(np.arange(len(y)), folds)",
            "np.arange(len(y) // folds * folds).reshape(folds, -1)",
        ),
        "not standardised": VALIDATE.replace(
            "(X - X[kept].mean(axis=0)) / X[kept].std(axis=0)", "X"
        ),
        "the mean of the folds": VALIDATE.replace(
            "errors += (np.where(up < down, 1.0, -1.0) != y[held]).sum()",
            "errors += (np.where(up < down, 1.0, -1.0) != y[held]).mean() * len(y) / folds",
        ),
    },
    "coins": {
        "memory helps": ("own, new, doubled, best = 0, 0.25, 0.25, 0.5", 1),
        "all one half": "own, new, doubled, best = 0.5, 0.5, 0.5, 0.4",
        "about, where the number is exact": (
            "own, new, doubled, best = 0.01, 0.48, 0.2, 0.45"
        ),
        "new and best not quite": "own, new, doubled, best = 0, 0.49, 0.25, 0.49",
        "the best rule knows": ("own, new, doubled, best = 0, 0.5, 0.25, 0", 1),
        "the test is new": ("own, new, doubled, best = 0, 0.5, 0.5, 0.5", 1),
    },
}

SLIPS = {
    "mend-validation": [
        {
            "    Z = (X - X.mean(axis=0)) / X.std(axis=0)\n": "",
            "        plus": "        kept = np.setdiff1d(np.arange(len(y)), held)\n"
            "        Z = (X - X[kept].mean(axis=0)) / X[kept].std(axis=0)\n"
            "        plus",
        },
        {
            "np.arange(i * size, (i + 1) * size)": (
                "np.array_split(np.arange(len(y)), folds)[i]"
            )
        },
        {
            "plus, minus = Z[y > 0]": "own = np.isin(np.arange(len(y)), held)\n"
            "        plus, minus = Z[(y > 0) & ~own]",
            "Z[y < 0]": "Z[(y < 0) & ~own]",
        },
    ]
}
