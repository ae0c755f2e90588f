"""The loaders of full-size data, against files and a server made here."""

import gzip
import hashlib
import socket
import struct
import tarfile
import threading
from pathlib import Path

import numpy as np
import pytest

from utils import downloads


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def files_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


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
            sums[file.name] = sha256(file)
    return folder.as_uri() + "/", sums


@pytest.fixture
def breaking_server():
    """An address that promises 1000 bytes, sends 10 and then resets or closes."""
    listener = socket.create_server(("127.0.0.1", 0))
    how = {}

    def serve():
        connection, _ = listener.accept()
        connection.recv(1 << 16)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n0123456789")
        if how["reset"]:  # no waiting for what is not sent: the other side gets RST
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/", how
    thread.join()
    listener.close()


@pytest.mark.parametrize("load", [downloads.load_mnist, downloads.load_fashion_mnist])
def test_idx_loaders_fetch_once_and_read_in_order(load, idx_server, tmp_path, capsys):
    url, sums = idx_server
    for _ in range(2):
        (X, y), (X_test, _) = load(url=url, cache=tmp_path / "cache", checksums=sums)
        assert X.shape == (3, 4) and X_test.shape == (2, 4) and list(y) == [0, 1, 2]
        assert X[1, 0] == 4 / 255
    assert capsys.readouterr().err.count("\n") == 4  # one finished progress bar a file
    load(url="file:///nowhere/", cache=tmp_path / "cache", checksums=sums)


def test_a_wrong_file_is_refused_and_not_kept(idx_server, tmp_path):
    url, sums = idx_server
    wrong = dict.fromkeys(sums, "0" * 64)
    with pytest.raises(ValueError, match="expected SHA-256 0000"):
        downloads.load_mnist(url=url, cache=tmp_path / "cache", checksums=wrong)
    assert not files_in(tmp_path / "cache")


def test_a_damaged_file_of_the_cache_is_fetched_again(idx_server, tmp_path):
    url, sums = idx_server
    for _ in range(2):
        downloads.load_mnist(url=url, cache=tmp_path / "cache", checksums=sums)
        for file in files_in(tmp_path / "cache"):
            assert sha256(file) == sums[file.name]
            file.write_bytes(b"damaged")


@pytest.mark.parametrize("reset", [True, False])
def test_a_connection_that_breaks_leaves_nothing(breaking_server, tmp_path, reset):
    url, how = breaking_server
    how["reset"] = reset
    with pytest.raises(ConnectionError, match="expected a network to fetch"):
        downloads.load_mnist(url=url, cache=tmp_path)
    assert not files_in(tmp_path)


def test_offline_the_error_says_what_to_do(tmp_path):
    with pytest.raises(
        ConnectionError, match=r"expected a network .* Offline\? Put the file into"
    ):
        downloads.load_mnist(url="http://127.0.0.1:9/", cache=tmp_path)


@pytest.mark.parametrize("value", [None, "", "relative"])
def test_without_a_cache_folder_set_it_is_the_users_own(monkeypatch, tmp_path, value):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if value is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", value)
    assert downloads._cache(None) == tmp_path / ".cache" / "neural-networks-derived"


def test_the_cache_folder_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert downloads._cache(None) == tmp_path / "neural-networks-derived"
    assert downloads._cache("here") == Path("here")


def test_publishers_are_asked_over_https_and_files_known_by_sha256():
    urls = downloads._MNIST_URL, downloads._FASHION_MNIST_URL, downloads._IMDB_URL
    assert all(url.startswith("https://") for url in urls)
    known = [*downloads._MNIST.values(), *downloads._FASHION_MNIST.values()]
    assert {len(bytes.fromhex(s)) for s in [*known, downloads._IMDB]} == {32}
    assert len(set(known)) == 8


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
    reviews = downloads.load_imdb(
        url=archive.as_uri(), cache=tmp_path / "cache", checksum=sha256(archive)
    )
    assert reviews == {"train": (["Good.", "Bad…"], [1, 0]), "test": (["Fine."], [1])}
