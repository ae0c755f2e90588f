"""Offline data with its origin; the loaders of larger data against files made here."""

import gzip
import hashlib
import tarfile

import numpy as np
import pytest

from utils import data


@pytest.mark.parametrize(
    ("load", "shape", "classes"),
    [
        (data.load_diabetes, (442, 10), None),
        (data.load_breast_cancer, (569, 30), 2),
        (data.load_digits, (1797, 64), 10),
    ],
)
def test_offline_data_names_its_origin(load, shape, classes):
    d = load()
    assert d.X.shape == shape and d.X.dtype == np.float64 and d.y.shape == shape[:1]
    assert len(d.feature_names) == shape[1] and d.source and d.licence
    assert classes is None or (
        set(d.y) == set(range(classes)) and len(d.target_names) == classes
    )


def test_digits_and_photographs_lie_in_the_unit_interval():
    for values in (
        data.load_digits().X,
        data.photograph("china"),
        data.photograph("flower"),
    ):
        assert values.min() >= 0 and values.max() <= 1 and values.max() > 0.9


def test_split_parts_the_rows_and_keeps_pairs():
    X, y = np.arange(20.0).reshape(10, 2), np.arange(10)
    X1, X2, y1, y2 = data.split(X, y, test=0.3, rng=np.random.default_rng(0))
    assert X1.shape == (7, 2) and X2.shape == (3, 2)
    assert sorted([*y1, *y2]) == list(range(10))
    assert (X1[:, 0] == 2 * y1).all() and (X2[:, 0] == 2 * y2).all()


def test_standardise_uses_the_training_statistics():
    rng = np.random.default_rng(0)
    A, B = rng.normal(3, 2, (50, 3)), rng.normal(0, 1, (9, 3))
    A[:, 2] = 4.0
    a, b = data.standardise(A, B)
    assert np.allclose(a.mean(0), 0) and np.allclose(a.std(0), [1, 1, 0])
    assert np.allclose(b[:, :2] * A[:, :2].std(0) + A[:, :2].mean(0), B[:, :2])
    assert np.array_equal(data.standardise(A), a)


def test_generators_are_reproducible_and_what_they_say():
    def rng():
        return np.random.default_rng(3)

    X, y = data.blobs(400, centres=[[0, 0, 5], [9, 0, 5]], std=0.5, rng=rng())
    assert X.shape == (800, 3) and np.allclose(X[y == 1].mean(0), [9, 0, 5], atol=0.1)
    assert np.array_equal(
        X, data.blobs(400, centres=[[0, 0, 5], [9, 0, 5]], std=0.5, rng=rng())[0]
    )
    X, y = data.two_moons(50, noise=0.0, rng=rng())
    assert np.allclose(np.linalg.norm(X[y == 0], axis=1), 1)
    assert np.allclose(np.linalg.norm(X[y == 1] - [1, 0.5], axis=1), 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda r: data.split(np.ones((3, 1)), np.ones(2), test=0.5, rng=r),
            "got 3 and 2",
        ),
        (
            lambda r: data.split(np.ones((3, 1)), np.ones(3), test=3, rng=r),
            "got test=3",
        ),
        (lambda r: data.blobs(5, centres=[1, 2], std=1, rng=r), r"centres \(C, D\)"),
        (lambda r: data.two_moons(0, noise=0.1, rng=r), "got 0, 0.1"),
        (
            lambda r: data.photograph("cat"),
            "expected one of .*'china', 'flower'.*got 'cat'",
        ),
    ],
)
def test_bad_input_says_what_was_expected(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.random.default_rng(0))


def md5(path):
    return hashlib.md5(path.read_bytes()).hexdigest()


@pytest.fixture
def idx_server(tmp_path):
    """A folder that stands in for the server, with two tiny IDX pairs."""
    folder, sums = tmp_path / "server", {}
    folder.mkdir()
    for part, n in (("train", 3), ("t10k", 2)):
        images = np.arange(n * 4, dtype=np.uint8).reshape(n, 2, 2)
        labels = np.arange(n, dtype=np.uint8)
        for kind, a in (("images-idx3", images), ("labels-idx1", labels)):
            head = bytes([0, 0, 8, a.ndim]) + np.array(a.shape, ">i4").tobytes()
            file = folder / f"{part}-{kind}-ubyte.gz"
            file.write_bytes(gzip.compress(head + a.tobytes()))
            sums[file.name] = md5(file)
    return folder.as_uri() + "/", sums


@pytest.mark.parametrize("load", [data.load_mnist, data.load_fashion_mnist])
def test_idx_loaders_fetch_once_and_read_in_order(load, idx_server, tmp_path, capsys):
    url, sums = idx_server
    for _ in range(2):
        (X, y), (X_test, _) = load(url=url, cache=tmp_path / "cache", checksums=sums)
        assert X.shape == (3, 4) and X_test.shape == (2, 4) and list(y) == [0, 1, 2]
        assert X[1, 0] == 4 / 255
    assert capsys.readouterr().err.count("\n") == 4  # one finished progress bar a file
    load(url="file:///nowhere/", cache=tmp_path / "cache", checksums=sums)


def test_a_broken_download_is_refused_and_not_kept(idx_server, tmp_path):
    url, sums = idx_server
    wrong = dict.fromkeys(sums, "0" * 32)
    with pytest.raises(ValueError, match="expected MD5 0000"):
        data.load_mnist(url=url, cache=tmp_path / "cache", checksums=wrong)
    assert not [p for p in (tmp_path / "cache").rglob("*") if p.is_file()]


def test_offline_the_error_says_what_to_do(tmp_path):
    with pytest.raises(
        ConnectionError, match=r"expected a network .* Offline\? Put the file into"
    ):
        data.load_mnist(url="http://127.0.0.1:9/", cache=tmp_path)


def test_imdb_reads_texts_and_labels(tmp_path):
    archive = tmp_path / "aclImdb_v1.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for part, label, text in (
            ("train", "pos", "Good."),
            ("train", "neg", "Bad…"),
            ("test", "pos", "Fine."),
            ("train", "unsup", "?"),
        ):
            file = tmp_path / f"{part}-{label}.txt"
            file.write_text(text, encoding="utf-8")
            tar.add(file, f"aclImdb/{part}/{label}/0_9.txt")
    reviews = data.load_imdb(
        url=archive.as_uri(), cache=tmp_path / "cache", checksum=md5(archive)
    )
    assert reviews == {"train": (["Good.", "Bad…"], [1, 0]), "test": (["Fine."], [1])}
