"""Offline data with its origin, its splits, and points that are drawn."""

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
    A[:, 2] = 0.1  # its mean is not 0.1 to the last digit, its deviation not 0
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


def test_the_prose_is_the_frozen_one_sentence_a_line():
    parts = [part.splitlines() for part in data.load_prose().strip().split("\n\n")]
    sentences = [sentence for part in parts for sentence in part]
    assert (len(sentences), sum(len(s.split()) for s in sentences)) == (2307, 37318)
    assert len(set(sentences)) == len(sentences) and len(parts) == 42
    assert all(s[0] in '"“' or s[0].isupper() for s in sentences)


def test_the_series_are_whole_and_in_order():
    spots, economy = map(data.load_series, ("sunspots", "us_economy"))
    np.testing.assert_array_equal(spots["year"], np.arange(1700, 2009))
    assert spots["sunspots"].min() == 0
    assert spots["year"][spots["sunspots"].argmax()] == 1957
    quarters = economy["year"] * 4 + economy["quarter"] - 1
    np.testing.assert_array_equal(np.diff(quarters), np.ones(202))
    assert economy["gdp"][0] == 2710.349 and economy["unemployment"].max() == 10.7


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda r: data.split(np.ones((3, 1)), np.ones(2), test=0.5, rng=r),
            "got 2 and 3",
        ),
        (
            lambda r: data.split(np.ones((3, 1)), np.ones(3), test=3, rng=r),
            "got test=3 of 3",
        ),
        (lambda r: data.blobs(5, centres=[1, 2], std=1, rng=r), r"centres \(C, D\)"),
        (lambda r: data.photograph("cat"), "expected .china. or .flower., got .cat."),
        (
            lambda r: data.load_series("moon"),
            "expected .sunspots. or .us_economy., got .moon.",
        ),
    ],
)
def test_bad_input_says_what_was_expected(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.random.default_rng(0))
