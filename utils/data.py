"""Small data that needs no network, each with its source and licence.

Full-size data (MNIST, Fashion-MNIST, IMDB) are fetched by ``utils.downloads``.
"""

from dataclasses import dataclass

import numpy as np
from sklearn import datasets

_UCI = "UCI Machine Learning Repository, shipped with scikit-learn"


@dataclass(frozen=True)
class Dataset:
    """X (N, D) in float64, y (N,), the names of the columns and classes, and their origin."""

    X: np.ndarray
    y: np.ndarray
    feature_names: tuple[str, ...]
    target_names: tuple[str, ...]
    source: str
    licence: str


def load_diabetes():
    """442 patients, 10 measurements in their own units, progression after one year."""
    raw = datasets.load_diabetes(scaled=False)
    return Dataset(
        X=raw.data.astype(float),
        y=raw.target.astype(float),
        feature_names=tuple(raw.feature_names),
        target_names=("progression",),
        source="Efron et al., Least Angle Regression, 2004, shipped with scikit-learn",
        licence="free to use with citation",
    )


def load_breast_cancer():
    """569 tumours, 30 features of cell nuclei; y = 0 malignant, 1 benign."""
    raw = datasets.load_breast_cancer()
    return Dataset(
        X=raw.data.astype(float),
        y=raw.target.astype(int),
        feature_names=tuple(map(str, raw.feature_names)),
        target_names=tuple(map(str, raw.target_names)),
        source=f"Wisconsin Diagnostic Breast Cancer, {_UCI}",
        licence="CC BY 4.0",
    )


def load_digits():
    """1797 handwritten digits of 8 × 8 pixels scaled to 0…1; X (1797, 64), y 0…9."""
    raw = datasets.load_digits()
    return Dataset(
        X=raw.data / 16.0,
        y=raw.target.astype(int),
        feature_names=tuple(raw.feature_names),
        target_names=tuple(map(str, raw.target_names)),
        source=f"Optical Recognition of Handwritten Digits, {_UCI}",
        licence="CC BY 4.0",
    )


def photograph(name):
    """The photograph "china" or "flower" of scikit-learn: (427, 640, 3), 0…1."""
    names = {"china": "china.jpg", "flower": "flower.jpg"}
    if name not in names:
        raise ValueError(f"photograph: expected one of {sorted(names)}, got {name!r}")
    return datasets.load_sample_image(names[name]) / 255.0


def split(X, y, *, test, rng):
    """Shuffle and part the rows: X_train, X_test, y_train, y_test.

    ``test`` is the share of the rows that is held out, 0 < test < 1.
    """
    if len(X) != len(y):
        raise ValueError(
            f"split: expected as many rows in X as in y, got {len(X)} and {len(y)}"
        )
    n_test = round(test * len(X)) if 0 < test < 1 else 0
    if not 0 < n_test < len(X):
        raise ValueError(
            f"split: expected a share that leaves rows on both sides, got test={test}"
        )
    order = rng.permutation(len(X))
    train, held_out = order[n_test:], order[:n_test]
    return X[train], X[held_out], y[train], y[held_out]


def standardise(X_train, *others):
    """Mean 0 and standard deviation 1 by column, with the statistics of X_train throughout.

    A constant column becomes 0. Returns as many arrays as it is given.
    """
    mean, std = X_train.mean(axis=0), X_train.std(axis=0)
    std = np.where(std > 0, std, 1.0)
    scaled = tuple((X - mean) / std for X in (X_train, *others))
    return scaled if others else scaled[0]


def blobs(n, *, centres, std, rng):
    """``n`` Gaussian points a centre: X (n·C, D), y (n·C,), in the order of ``centres (C, D)``."""
    centres = np.asarray(centres, dtype=float)
    if centres.ndim != 2 or n < 1 or std < 0:
        raise ValueError(
            f"blobs: expected n ≥ 1, centres (C, D), std ≥ 0, got {n}, {centres.shape}, {std}"
        )
    y = np.repeat(np.arange(len(centres)), n)
    return centres[y] + std * rng.normal(size=(len(y), centres.shape[1])), y
