"""Small data that needs no network, each with its source and licence; larger on demand."""

import gzip
import hashlib
import os
import sys
import tarfile
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

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


def two_moons(n, *, noise, rng):
    """Two interleaved half circles of ``n`` points each: X (2n, 2), y (2n,)."""
    if n < 1 or noise < 0:
        raise ValueError(f"two_moons: expected n ≥ 1 and noise ≥ 0, got {n}, {noise}")
    angle = np.linspace(0, np.pi, n)
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    X = np.concatenate([upper, [1.0, 0.5] - upper])
    return X + noise * rng.normal(size=X.shape), np.repeat([0, 1], n)


# Full-size data, for readers with a network: fetched once, checked, kept in a cache folder.
# The MD5 sums are those the publishers and torchvision or torchtext give; they guard
# against a broken or exchanged file, not against an adversary.
_MNIST = {
    "train-images-idx3-ubyte.gz": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
    "train-labels-idx1-ubyte.gz": "d53e105ee54ea40749a09fcbcd1e9432",
    "t10k-images-idx3-ubyte.gz": "9fb629c4189551a2d022fa330f9573f3",
    "t10k-labels-idx1-ubyte.gz": "ec29112dd5afa0611ce80d1b7f02629c",
}
_FASHION_MNIST = {
    "train-images-idx3-ubyte.gz": "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
    "train-labels-idx1-ubyte.gz": "25c81989df183df01b3e8a0aad5dffbe",
    "t10k-images-idx3-ubyte.gz": "bef4ecab320f06d8554ea6380940ec79",
    "t10k-labels-idx1-ubyte.gz": "bb300cfdad3c16e7a12a480ee83cd310",
}
_IMDB_MD5 = "7c2ac02c03563afcf9b574c7e56c153a"


def load_mnist(
    *, url="https://ossci-datasets.s3.amazonaws.com/mnist/", cache=None, checksums=None
):
    """70,000 digits of 28 × 28: (X_train, y_train), (X_test, y_test); X (N, 784) in 0…1."""
    return _idx_pairs("mnist", url, checksums or _MNIST, cache)


def load_fashion_mnist(
    *,
    url="http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
    cache=None,
    checksums=None,
):
    """70,000 articles of clothing, in the format of ``load_mnist``."""
    return _idx_pairs("fashion-mnist", url, checksums or _FASHION_MNIST, cache)


def load_imdb(
    *,
    url="https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",
    cache=None,
    checksum=_IMDB_MD5,
):
    """50,000 film reviews: {"train": (texts, labels), "test": (texts, labels)}, 1 = positive."""
    reviews = {"train": ([], []), "test": ([], [])}
    with tarfile.open(_fetch(url, checksum, _cache(cache) / "imdb")) as archive:
        for member in archive:
            match Path(member.name).parts:
                case (_, ("train" | "test") as part, ("pos" | "neg") as label, _) if (
                    member.isfile()
                ):
                    texts, labels = reviews[part]
                    texts.append(archive.extractfile(member).read().decode("utf-8"))
                    labels.append(int(label == "pos"))
    return reviews


def _idx_pairs(name, url, checksums, cache):
    files = [
        _fetch(url + file, md5, _cache(cache) / name) for file, md5 in checksums.items()
    ]
    X_train, y_train, X_test, y_test = map(_read_idx, files)
    X_train, X_test = (X.reshape(len(X), -1) / 255.0 for X in (X_train, X_test))
    return (X_train, y_train.astype(int)), (X_test, y_test.astype(int))


def _read_idx(file):
    """The IDX format: two zero bytes, type, number of axes, sizes (big-endian), values."""
    raw = gzip.decompress(file.read_bytes())
    axes = raw[3]
    shape = np.frombuffer(raw, ">i4", count=axes, offset=4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * axes).reshape(shape)


def _cache(folder):
    default = os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")
    return Path(folder) if folder else Path(default) / "neural-networks-derived"


def _fetch(url, md5, folder):
    """The file at ``url`` in ``folder``; downloaded with a progress bar if not there yet."""
    file = folder / url.rpartition("/")[2]
    if file.exists() and hashlib.md5(file.read_bytes()).hexdigest() == md5:
        return file
    folder.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(file.suffix + ".part")
    try:
        with (
            urllib.request.urlopen(url, timeout=30) as response,
            partial.open("wb") as out,
        ):
            total, done = int(response.headers.get("Content-Length") or 0), 0
            while block := response.read(1 << 16):
                done += out.write(block)
                _progress(file.name, done, total)
    except (urllib.error.URLError, TimeoutError) as error:
        partial.unlink(missing_ok=True)
        raise ConnectionError(
            f"{file.name}: expected a network to fetch {url} once, got {error}. "
            f"Offline? Put the file into {folder}."
        ) from error
    got = hashlib.md5(partial.read_bytes()).hexdigest()
    if got != md5:
        partial.unlink()
        raise ValueError(
            f"{file.name}: expected MD5 {md5}, got {got}; nothing was kept"
        )
    partial.rename(file)
    return file


def _progress(name, done, total):
    share = done / total if total else 0
    bar = ("█" * round(30 * share)).ljust(30, "·") if total else ""
    end = "\n" if done == total else ""
    print(f"\r{name} {bar} {done / 1e6:.1f} MB", end=end, file=sys.stderr, flush=True)
