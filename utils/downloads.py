"""Full-size data for readers with a network: fetched once, checked, kept in a cache folder.

Each loader takes ``cache``, a folder to keep its files in (otherwise the user's cache folder
of the operating system), and raises a ConnectionError where a file can neither be found there
nor be fetched, a ValueError where it is not the file it should be. Pooch fetches and checks.
"""

import gzip
import tarfile
from os import PathLike
from pathlib import Path

import numpy as np
import pooch

# SHA-256 of each file, as TensorFlow Datasets lists them (url_checksums/*.txt), in the
# order: training images and labels, test images and labels.
_MNIST = {
    "train-images-idx3-ubyte.gz": (
        "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"
    ),
    "train-labels-idx1-ubyte.gz": (
        "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"
    ),
    "t10k-images-idx3-ubyte.gz": (
        "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"
    ),
    "t10k-labels-idx1-ubyte.gz": (
        "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"
    ),
}
_FASHION_MNIST = {
    "train-images-idx3-ubyte.gz": (
        "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"
    ),
    "train-labels-idx1-ubyte.gz": (
        "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"
    ),
    "t10k-images-idx3-ubyte.gz": (
        "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"
    ),
    "t10k-labels-idx1-ubyte.gz": (
        "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"
    ),
}
_IMDB = "c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe"

# Fashion-MNIST's own server speaks plain http only; its authors' repository has the files too.
_MNIST_URL = "https://ossci-datasets.s3.amazonaws.com/mnist/"
_FASHION_MNIST_URL = (
    "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/"
    "b2617bb6d3ffa2e429640350f613e3291e10b141/data/fashion/"
)
_IMDB_URL = "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz"


Pair = tuple[np.ndarray, np.ndarray]  # X (N, D), y (N,)


def load_mnist(
    *,
    url: str = _MNIST_URL,
    cache: str | PathLike | None = None,
    checksums: dict[str, str] = _MNIST,
) -> tuple[Pair, Pair]:
    """Load 70,000 handwritten digits of 28 × 28 pixels (LeCun, Cortes and Burges), 12 MB.

    Returns
    -------
    (X_train, y_train), (X_test, y_test)
        X (60000, 784) and (10000, 784), float64 in 0…1; y integers 0…9.
    """
    return _idx_pairs("mnist", url, checksums, cache)


def load_fashion_mnist(
    *,
    url: str = _FASHION_MNIST_URL,
    cache: str | PathLike | None = None,
    checksums: dict[str, str] = _FASHION_MNIST,
) -> tuple[Pair, Pair]:
    """Load 70,000 articles of clothing (Zalando Research, MIT), 31 MB, as ``load_mnist``."""
    return _idx_pairs("fashion-mnist", url, checksums, cache)


def load_imdb(
    *, url: str = _IMDB_URL, cache: str | PathLike | None = None, checksum: str = _IMDB
) -> dict[str, tuple[list[str], list[int]]]:
    """Load 50,000 film reviews (Maas et al., 2011; for research), 84 MB.

    Returns
    -------
    {"train": (texts, labels), "test": (texts, labels)}
        25,000 texts each as they were written, and their labels, 1 = positive, 0 = negative.
    """
    reviews = {"train": ([], []), "test": ([], [])}
    with tarfile.open(_fetch(url, checksum, "imdb", cache)) as archive:
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
    X_train, y_train, X_test, y_test = (
        _read_idx(_fetch(url + file, sha256, name, cache))
        for file, sha256 in checksums.items()
    )
    X_train, X_test = (X.reshape(len(X), -1) / 255.0 for X in (X_train, X_test))
    return (X_train, y_train.astype(int)), (X_test, y_test.astype(int))


def _read_idx(file):
    """Read the IDX format: two zero bytes, type, number of axes, sizes, values."""
    raw = gzip.decompress(file.read_bytes())
    axes = raw[3]
    shape = np.frombuffer(raw, ">i4", count=axes, offset=4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * axes).reshape(shape)


def _fetch(url, sha256, name, cache):
    """Return the path of the file at ``url``, fetched with a progress bar if need be."""
    file = url.rpartition("/")[2]
    folder = Path(cache or pooch.os_cache("neural-networks-derived")) / name
    try:
        return Path(
            pooch.retrieve(url, f"sha256:{sha256}", file, folder, progressbar=True)
        )
    except OSError as error:
        raise ConnectionError(
            f"{file}: expected a network to fetch {url} once, got {error}. "
            f"Offline? Put the file into {folder}."
        ) from error
