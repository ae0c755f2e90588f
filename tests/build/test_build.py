"""What has not changed is not executed again; what a notebook may use and do."""

import pytest
from jupyter_cache import get_cache
from jupyter_cache.cache.db import NbCacheRecord
from nbformat import v4

from press.execution import cache, record
from press.execution.execute import execute
from tests.build.small_book import build, executed, write


def test_only_what_has_changed_is_executed_and_written_again(tmp_path):
    texts = {
        "01_ink": ["# Chapter 1 · Ink", ("print('ink')",)],
        "02_paper": ["# Chapter 2 · Paper", ("print('paper')",)],
    }
    write(tmp_path, **texts)
    assert executed(build(tmp_path)) == {"01_ink", "02_paper", "index"}
    texts["01_ink"] = ["# Chapter 1 · Ink", ("print('blue')",)]
    texts["02_paper"][0] += "\n\nOne word of markdown."
    write(tmp_path, **texts)
    assert executed(build(tmp_path)) == {"01_ink"}
    pages = tmp_path / "_build" / "html" / "book"
    assert "One word of markdown" in (pages / "02_paper.html").read_text()
    assert "blue" in (pages / "01_ink.html").read_text()
    notebooks = sorted((tmp_path / "book").glob("*.ipynb"))
    assert None not in cache.records(notebooks, tmp_path).values()
    (tmp_path / "utils" / "ink.py").write_text("colour = 1")
    cache.digest.cache_clear()
    assert {*cache.records(notebooks, tmp_path).values()} == {None}


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("utils/deep/live.py", True),
        ("utils/datasets/words.txt", True),
        ("press/figures/figure.html", True),
        ("press/figures/static/figure.js", False),
        ("book/references.bib", True),
        ("requirements.lock", True),
        ("press/decks/deck.css", False),
        ("utils/__pycache__/live.pyc", False),
    ],
)
def test_the_digest_names_what_a_notebook_may_use(tmp_path, name, counts):
    before = cache.digest.__wrapped__(tmp_path)
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("new")
    assert (cache.digest.__wrapped__(tmp_path) != before) == counts


CONNECTS = "import socket\nsocket.create_connection(('192.0.2.1', 80), timeout=1)"
OVERFLOWS = "import numpy as np\nnp.exp(np.array([1000.0]))"


@pytest.mark.parametrize(
    ("code", "sign"),
    [(CONNECTS, "expected no network"), (OVERFLOWS, "overflow encountered in exp")],
)
def test_a_network_and_a_wrong_number_are_errors(tmp_path, code, sign):
    write(tmp_path, **{"01_wrong": ["# Chapter 1 · Wrong", (code,)]})
    path = tmp_path / "book" / "01_wrong.ipynb"
    execute([path], tmp_path)
    ((name, failure),) = cache.failed_cells([path], tmp_path)
    assert name == "01_wrong" and sign in failure.got
    (record,) = cache.records([path], tmp_path).values()
    assert cache.is_waiting(record, retry_failed=True)
    assert not cache.is_waiting(record, retry_failed=False)


def test_what_another_process_keeps_meanwhile_stays(tmp_path, monkeypatch):
    """jupyter-cache lists what is too old in two steps, and others write between them."""
    first, second = (
        v4.new_notebook(cells=[v4.new_code_cell(code)]) for code in ("x = 1", "x = 2")
    )
    record.put(first, tmp_path / "first.ipynb", tmp_path / "cache", [[]], [])
    monkeypatch.setattr(NbCacheRecord, "records_to_delete", lambda keep, db: [1])
    record.put(second, tmp_path / "second.ipynb", tmp_path / "cache", [[]], [])
    for notebook in (first, second):
        assert record.find(notebook, get_cache(tmp_path / "cache"))
