"""The loaders of full-size data, against files and a server made here."""

import gzip
import hashlib
import tarfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from utils import downloads


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def files_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


class Handler(SimpleHTTPRequestHandler):
    def copyfile(self, source, outputfile):
        breaks = self.path.startswith("/breaking/")  # sends less than it has promised
        outputfile.write(source.read(5 if breaks else -1))

    def log_message(self, *_):
        self.server.asked.append(self.path)


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server of the folder ``files``: its address, and what it was asked for."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    (tmp_path / "files").mkdir()
    handler = partial(Handler, directory=tmp_path / "files")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.asked = []
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}/", server.asked
        server.shutdown()


@pytest.fixture
def checksums(server, tmp_path):
    """Two tiny IDX pairs are served; their SHA-256 by name."""
    sums = {}
    for part, n in (("train", 3), ("t10k", 2)):
        images = np.arange(n * 4, dtype=np.uint8).reshape(n, 2, 2)
        labels = np.arange(n, dtype=np.uint8)
        for kind, a in (("images-idx3", images), ("labels-idx1", labels)):
            start = bytes([0, 0, 8, a.ndim]) + np.array(a.shape, ">i4").tobytes()
            file = tmp_path / "files" / f"{part}-{kind}-ubyte.gz"
            file.write_bytes(gzip.compress(start + a.tobytes()))
            sums[file.name] = sha256(file)
    return sums


@pytest.mark.parametrize("load", [downloads.load_mnist, downloads.load_fashion_mnist])
def test_idx_loaders_fetch_once_and_read_in_order(
    load, server, checksums, tmp_path, capsys
):
    url, requests = server
    for _ in range(2):
        (X, y), (X_test, _) = load(url=url, cache=tmp_path, checksums=checksums)
        assert X.shape == (3, 4) and X_test.shape == (2, 4) and list(y) == [0, 1, 2]
        assert X[1, 0] == 4 / 255
    assert len(requests) == 4
    assert capsys.readouterr().err.count("100%") >= 4  # a progress bar for each file


def test_a_wrong_file_is_refused_and_not_kept(server, checksums, tmp_path):
    wrong = dict.fromkeys(checksums, "0" * 64)
    with pytest.raises(ValueError, match=r"SHA256 hash .* expected sha256:0000"):
        downloads.load_mnist(url=server[0], cache=tmp_path / "cache", checksums=wrong)
    assert not files_in(tmp_path / "cache")


@pytest.mark.parametrize(
    ("path", "message"), [("missing/", "404"), ("breaking/", "5 bytes read, 5 more")]
)
def test_a_download_that_fails_leaves_nothing(server, tmp_path, path, message):
    (tmp_path / "files" / "breaking").mkdir()
    for name in downloads._MNIST:
        (tmp_path / "files" / "breaking" / name).write_bytes(b"0123456789")
    with pytest.raises(ConnectionError, match=f"a network to fetch .* got .*{message}"):
        downloads.load_mnist(url=server[0] + path, cache=tmp_path / "cache")
    assert not files_in(tmp_path / "cache")


def test_offline_the_error_says_what_to_do(server, checksums, tmp_path):
    offline = r"train-images.*expected a network .* Offline\? Put the file into (.*)\."
    load = partial(downloads.load_mnist, cache=tmp_path / "cache", checksums=checksums)
    with pytest.raises(ConnectionError, match=offline) as caught:
        load(url="http://127.0.0.1:9/")
    folder = tmp_path / "cache" / "mnist"
    assert f"Put the file into {folder}." in str(caught.value)
    for name in checksums:  # and then it is read from there
        (tmp_path / "files" / name).rename(folder / name)
    assert len(load(url="http://127.0.0.1:9/")[0][0]) == 3


def test_imdb_reads_texts_and_labels(server, tmp_path):
    archive = tmp_path / "files" / "aclImdb_v1.tar.gz"
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
        url=server[0] + archive.name, cache=tmp_path, checksum=sha256(archive)
    )
    assert reviews == {"train": (["Good.", "Bad…"], [1, 0]), "test": (["Fine."], [1])}
