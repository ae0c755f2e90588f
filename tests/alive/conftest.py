"""The browser of these tests, and pages in it that hold scripts of the alive figures."""

import base64
import json

import numpy as np
import pytest

from press.chapters import ROOT
from tests.browser import reading

STATIC = ROOT / "press/alive/static"
# What alive.js does with a program, without the figures.
REGISTRY = """globalThis.alive = { programs: {},
  program(name, program) { alive.programs[name] = program; } };"""


@pytest.fixture(scope="package")  # while it is open no other test may start one
def shared_reader():
    with reading() as reader:
        yield reader


@pytest.fixture
def scripts(reader, tmp_path_factory):
    """Opens, from the disk, a page that loads layers.js and the named program."""

    def open_page(program=None):
        files = ["layers.js"] + [f"programs/{program}.js"] * bool(program)
        sources = [(STATIC / file).as_uri() for file in files]
        folder = tmp_path_factory.mktemp("scripts")
        (folder / "registry.js").write_text(REGISTRY, encoding="utf-8")
        tags = "".join(
            f'<script src="{s}"></script>' for s in ["registry.js", *sources]
        )
        page = folder / "page.html"
        page.write_text(f"<!doctype html><meta charset=utf-8>{tags}", encoding="utf-8")
        return reader.open(page.as_uri())

    return open_page


def network(weights, **data):
    """A network as a page has it: {name: tensor or array} in float32, and its data."""
    tensors, parts, at = {}, [], 0
    for name, value in weights.items():
        value = np.asarray(value, dtype="<f4")
        tensors[name] = {"shape": list(value.shape), "at": at}
        parts.append(value.tobytes())
        at += value.nbytes
    text = base64.b64encode(b"".join(parts)).decode()
    return {"tensors": tensors, "bytes": text, "data": json.loads(json.dumps(data))}


def plain(value):
    """What a script can be given: arrays and tensors as {shape, values}."""
    if hasattr(value, "shape"):
        value = np.asarray(value, dtype=float)
        return {"shape": list(value.shape), "values": value.ravel().tolist()}
    return value


def computed(page, program, net, inputs):
    """The outputs of a program on each of the ``inputs``: dictionaries of arrays."""
    found = page.evaluate(
        """([name, network, inputs]) => inputs.map((each) => {
          const outputs = Object.entries(alive.programs[name].compute(network, each));
          return outputs.map(([key, { shape, values }]) => [key, shape, [...values]]);
        })""",
        [program, net, inputs],
    )
    return [
        {key: np.reshape(values, shape) for key, shape, values in outputs}
        for outputs in found
    ]


def assert_same(ours, theirs, tolerance=1e-5):
    """Assert that the arrays are equal, up to ``tolerance`` times the largest entry."""
    assert ours.keys() == theirs.keys()
    for name, array in theirs.items():
        array = np.asarray(array, dtype=float)
        assert ours[name].shape == array.shape, name
        finite = np.abs(array[np.isfinite(array)])
        largest = finite.max(initial=0) or 1
        np.testing.assert_allclose(
            ours[name], array, rtol=0, atol=tolerance * largest, err_msg=name
        )
