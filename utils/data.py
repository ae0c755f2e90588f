"""Small data that needs no network, each with its source and licence.

Full-size data (MNIST, Fashion-MNIST, IMDB) are fetched by ``utils.downloads``.
"""

from dataclasses import dataclass
from importlib import resources

import numpy as np

_UCI = "UCI Machine Learning Repository, shipped with scikit-learn"
_DATASETS = resources.files("utils") / "datasets"


@dataclass(frozen=True)
class Dataset:
    """X (N, D) in float64, y (N,), the names of the columns and classes, and their origin."""

    X: np.ndarray
    y: np.ndarray
    feature_names: tuple[str, ...]
    target_names: tuple[str, ...]
    source: str
    licence: str


def _shipped():
    """Import what comes with scikit-learn, which takes most of a second to load."""
    from sklearn import datasets

    return datasets


def load_diabetes() -> Dataset:
    """Load 442 patients, 10 measurements in their own units, progression after one year."""
    raw = _shipped().load_diabetes(scaled=False)
    names = tuple(raw.feature_names), ("progression",)
    source = "Efron et al., Least Angle Regression, 2004, shipped with scikit-learn"
    return Dataset(raw.data, raw.target, *names, source, "free to use with citation")


def load_breast_cancer() -> Dataset:
    """Load 569 tumours, 30 features of cell nuclei; y = 0 malignant, 1 benign."""
    raw = _shipped().load_breast_cancer()
    names = (tuple(map(str, n)) for n in (raw.feature_names, raw.target_names))
    source = f"Wisconsin Diagnostic Breast Cancer, {_UCI}"
    return Dataset(raw.data, raw.target, *names, source, "CC BY 4.0")


def load_digits() -> Dataset:
    """Load 1797 handwritten digits of 8 × 8 pixels scaled to 0…1; X (1797, 64), y 0…9."""
    raw = _shipped().load_digits()
    names = (tuple(map(str, n)) for n in (raw.feature_names, raw.target_names))
    source = f"Optical Recognition of Handwritten Digits, {_UCI}"
    return Dataset(raw.data / 16.0, raw.target, *names, source, "CC BY 4.0")


def photograph(name: str) -> np.ndarray:
    """Load the photograph "china" or "flower" of scikit-learn: (427, 640, 3), 0…1."""
    if name not in ("china", "flower"):
        raise ValueError(f"photograph: expected 'china' or 'flower', got {name!r}")
    return _shipped().load_sample_image(f"{name}.jpg") / 255.0


def load_prose() -> str:
    """Load this book's own prose, frozen: 2,307 English sentences, 37,318 words, CC BY 4.0.

    A sentence a line, in reading order, with an empty line between two notebooks: the
    chapters 1 to 12, 16 and 20, their errata, their homework. Sentences with long formulas,
    references and Chinese terms are left out. Later editions of the book do not change it.
    """
    return (_DATASETS / "prose.txt").read_text("utf-8")


def load_series(name: str) -> dict[str, np.ndarray]:
    """Load a real series, oldest first: a dictionary of columns, all of one length.

    "sunspots": ``year`` 1700…2008, ``sunspots`` (mean number in that year); NOAA, public domain.
    "us_economy": ``year``, ``quarter`` from 1959 to 2009, ``gdp`` (thousand million dollars of
    2005), ``unemployment`` (%); Federal Reserve Bank of St. Louis, public domain.
    """
    if name not in ("sunspots", "us_economy"):
        expected = "'sunspots' or 'us_economy'"
        raise ValueError(f"load_series: expected {expected}, got {name!r}")
    with (_DATASETS / f"{name}.csv").open(encoding="utf-8") as file:
        table = np.genfromtxt(file, delimiter=",", names=True)
    return {column: table[column] for column in table.dtype.names}


def split(
    X: np.ndarray, y: np.ndarray, *, test: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Shuffle and part the rows: X_train, X_test, y_train, y_test.

    ``test`` is the share of the rows that is held out, 0 < test < 1.
    """
    if len(X) != len(y):
        raise ValueError(
            f"split: expected as many y as rows, got {len(y)} and {len(X)}"
        )
    n_test = round(test * len(X)) if 0 < test < 1 else 0
    if not 0 < n_test < len(X):
        raise ValueError(f"split: expected rows on both sides, got {test=} of {len(X)}")
    order = rng.permutation(len(X))
    train, held_out = order[n_test:], order[:n_test]
    return X[train], X[held_out], y[train], y[held_out]


def standardise(
    X_train: np.ndarray, *others: np.ndarray
) -> np.ndarray | tuple[np.ndarray, ...]:
    """Give columns mean 0 and standard deviation 1, with the statistics of X_train throughout.

    A constant column becomes 0. Returns as many arrays as it is given.
    """
    mean, std = X_train.mean(axis=0), X_train.std(axis=0)
    std = np.where(np.ptp(X_train, axis=0) > 0, std, 1.0)
    scaled = tuple((X - mean) / std for X in (X_train, *others))
    return scaled if others else scaled[0]


def blobs(
    n: int, *, centres: np.ndarray | list, std: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw ``n`` Gaussian points a centre: X (n·C, D), y (n·C,), ordered as ``centres (C, D)``."""
    centres = np.asarray(centres, dtype=float)
    if centres.ndim != 2 or n < 1 or std < 0:
        got = f"{n}, {centres.shape}, {std}"
        raise ValueError(f"blobs: expected n ≥ 1, centres (C, D), std ≥ 0, got {got}")
    y = np.repeat(np.arange(len(centres)), n)
    return centres[y] + std * rng.normal(size=(len(y), centres.shape[1])), y
