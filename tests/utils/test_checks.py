"""The checks must fail where they should: each fault below is one they exist to catch."""

import numpy as np
import pytest
import torch

from utils.checks import assert_close, check_against_torch, check_gradients

N, D, H = 5, 4, 3


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def layer(rng):
    return {
        "X": rng.normal(size=(N, D)),
        "W": rng.normal(size=(D, H)),
        "b": rng.normal(size=H),
    }


def affine(X, W, b):
    return X @ W + b


def affine_backward(dZ, X, W, b):
    return {"X": dZ @ W.T, "W": X.T @ dZ, "b": dZ.sum(axis=0)}


def mean_square(X, W, b):
    return 0.5 * np.mean(np.sum(affine(X, W, b) ** 2, axis=1))


def mean_square_gradients(X, W, b):
    return affine_backward(affine(X, W, b) / N, X, W, b)


def test_assert_close_accepts_and_prints_one_line(capsys):
    assert_close(np.array([1.0, 2.0]), [1.0, 2.0 + 1e-13], name="w")
    assert capsys.readouterr().out == "✓ w (2,)  max rel err 5e-14\n"
    assert_close(3, 3, name="n")
    assert capsys.readouterr().out == "✓ n scalar  exact\n"


@pytest.mark.parametrize(
    ("actual", "desired", "message"),
    [
        (np.ones(3), np.ones((1, 3)), r"w: expected shape \(1, 3\), got \(3,\)"),
        (np.ones((3, 1)), np.ones(3), r"expected shape \(3,\)"),
        (np.ones(3, np.float32), np.ones(3), "expected dtype float64, got float32"),
        (
            np.ones(3, int),
            torch.ones(3, dtype=torch.float64),
            "expected dtype float64, got int64",
        ),
        (np.array([1, np.nan]), np.array([1, np.nan]), r"actual\(1,\) is nan"),
        (np.array([1.0]), np.array([np.inf]), "desired.* is inf"),
        (np.array([]), np.array([]), "nothing to compare"),
        (2 * np.ones(3), np.ones(3), "3 of 3 entries differ"),
        (
            np.array([1.0, -2.0]),
            np.array([1.0, 2.0]),
            r"worst at \[1\]: got -2, expected 2",
        ),
        (
            np.arange(9.0).reshape(3, 3).T,
            np.arange(9.0).reshape(3, 3),
            "6 of 9 entries differ",
        ),
        (1.0 + 1e-9, 1.0, "over the tolerance"),
    ],
)
def test_assert_close_rejects(actual, desired, message):
    with pytest.raises(AssertionError, match=message):
        assert_close(actual, desired, name="w")


@pytest.mark.parametrize(
    ("actual", "desired", "message"),
    [
        (np.uint8([0]), np.uint8([255]), "got 0, expected 255, difference 2.6e"),
        (np.int8([-128]), np.int8([127]), "got -128, expected 127"),
        (np.uint64([0]), np.uint64([2**64 - 1]), "expected 18446744073709551615"),
        (np.array([True, False]), [True, True], r"\[1\]: got False, expected True"),
        (True, False, "got True, expected False"),
        (torch.tensor([True]), np.array([False]), "got True, expected False"),
        (torch.ones(2, dtype=torch.bfloat16), np.ones(2), "float64, got bfloat16"),
        (torch.ones(2, dtype=torch.bfloat16), [1.0, 1.1], "got 1, expected 1.1"),
        (1 + 2j, 1 - 2j, "difference 4"),
    ],
)
def test_assert_close_rejects_in_every_type(actual, desired, message):
    with pytest.raises(AssertionError, match=message):
        assert_close(actual, desired, name="w", rtol=0.01)


@pytest.mark.parametrize(
    "x",
    [
        np.uint8([0, 255]),
        np.array([True, False]),
        torch.tensor([True, False]),
        torch.tensor([0.1, 3e38], dtype=torch.bfloat16),
        torch.tensor([1 + 2j]).conj(),
        torch.tensor(2.0, requires_grad=True),
        True,
        3,
        0.1,
        [[1, 2.5]],
    ],
)
def test_assert_close_accepts_in_every_type(x):
    assert_close(x, x, name="w", rtol=0, atol=0)


def test_assert_close_tells_integers_apart_that_float64_cannot():
    big = np.array([2**53])
    with pytest.raises(AssertionError, match="got 9007199254740993, expected"):
        assert_close(big + 1, big, name="n", rtol=0, atol=0)
    assert_close(big + 1, big, name="n")  # the tolerance is 900,000


@pytest.mark.parametrize("x", [None, "1.0", np.array([1, None]), ["a", "b"]])
def test_assert_close_wants_numbers(x):
    with pytest.raises(TypeError, match="w: expected numbers, got"):
        assert_close(x, x, name="w")


def test_assert_close_refuses_a_tolerance_that_forgives_everything():
    with pytest.raises(ValueError, match="expected 0 ≤ rtol < 1"):
        assert_close(1.0, 2.0, name="w", rtol=1.0)


def test_check_gradients_accepts_the_right_ones(layer, capsys):
    def torch_loss(X, W, b):
        return 0.5 * ((X @ W + b) ** 2).sum(1).mean()

    check_gradients(
        mean_square, layer, mean_square_gradients(**layer), torch_f=torch_loss
    )
    assert capsys.readouterr().out.count("✓") == 6


@pytest.mark.parametrize(
    "fault",
    [
        lambda g: g | {"W": 2 * g["W"]},  # a factor 2
        lambda g: g | {"W": N * g["W"]},  # the missing 1/N
        lambda g: g | {"b": -g["b"]},  # a sign
        lambda g: g | {"b": g["b"][None]},  # a shape that would broadcast
        lambda g: (
            g | {"b": np.full(H, g["b"].sum())}
        ),  # a sum over the wrong axis, broadcast back
        lambda g: g | {"W": np.where(np.eye(D, H) > 0, np.nan, g["W"])},  # not a number
        lambda g: g | {"W": np.zeros((D, H))},  # zero everywhere
        lambda g: {"X": g["X"], "W": g["W"]},  # one missing
        lambda g: g | {"W": g["W"].astype(np.float32)},  # a wrong dtype
    ],
)
def test_check_gradients_rejects(layer, fault):
    with pytest.raises(AssertionError):
        check_gradients(mean_square, layer, fault(mean_square_gradients(**layer)))


def test_check_gradients_rejects_a_transposed_square_matrix(rng):
    A, x = rng.normal(size=(D, D)), rng.normal(size=D)
    with pytest.raises(AssertionError, match="∂/∂A"):
        check_gradients(
            lambda A: x @ A @ np.arange(D), {"A": A}, {"A": np.outer(np.arange(D), x)}
        )


def test_check_gradients_rejects_a_zero_gradient_even_where_it_is_right():
    with pytest.raises(AssertionError, match="zero in every entry"):
        check_gradients(lambda w: 0.0 * w.sum(), {"w": np.ones(2)}, {"w": np.zeros(2)})


def test_check_gradients_says_what_it_expected():
    with pytest.raises(TypeError, match="expected a float64 array, got float32"):
        check_gradients(np.sum, {"w": np.ones(2, np.float32)}, {"w": np.ones(2)})
    with pytest.raises(
        AssertionError, match=r"expected a scalar function, got shape \(2,\)"
    ):
        check_gradients(lambda w: w, {"w": np.ones(2)}, {"w": np.ones(2)})


def test_check_gradients_takes_plain_numbers(capsys):
    params, grads = {"a": 3.0, "b": np.float64(0.5)}, {"a": 0.5, "b": 3.0}
    check_gradients(lambda a, b: a * b, params, grads, torch_f=lambda a, b: a * b)
    assert capsys.readouterr().out.count("✓") == 4
    with pytest.raises(TypeError, match="a: expected a float64 array, got int"):
        check_gradients(lambda a: a**2, {"a": 3}, {"a": 6.0})


def test_check_gradients_takes_tensors_that_require_gradients(layer):
    grads = {k: torch.tensor(g) for k, g in mean_square_gradients(**layer).items()}
    grads["b"].requires_grad_()
    check_gradients(mean_square, layer, grads)
    with pytest.raises(AssertionError, match="expected dtype float64, got bfloat16"):
        check_gradients(mean_square, layer, grads | {"X": grads["X"].bfloat16()})


def test_check_gradients_rejects_a_function_that_writes_into_its_parameters(layer):
    def f(X, W, b):
        X -= X.mean(axis=0)  # in place: the next call sees other data
        return mean_square(X, W, b)

    grads = mean_square_gradients(**layer)
    with pytest.raises(AssertionError, match="changes its input X in place"):
        check_gradients(f, layer, grads)


def test_check_against_torch_accepts_the_right_layer(layer, rng, capsys):
    check_against_torch(
        affine, affine, layer, backward=affine_backward, rng=rng, name="Z"
    )
    assert capsys.readouterr().out.count("✓") == 4


@pytest.mark.parametrize(
    ("forward", "backward"),
    [
        (lambda X, W, b: X @ W - b, affine_backward),
        (lambda X, W, b: (X @ W + b).astype(np.float32), affine_backward),
        (
            affine,
            lambda dZ, X, W, b: affine_backward(dZ, X, W, b) | {"b": dZ.mean(axis=0)},
        ),
        (affine, lambda dZ, X, W, b: affine_backward(np.ones_like(dZ), X, W, b)),
        (
            affine,
            lambda dZ, X, W, b: affine_backward(dZ, X, W, b) | {"W": np.zeros_like(W)},
        ),
        (affine, lambda dZ, X, W, b: {"W": X.T @ dZ}),
    ],
)
def test_check_against_torch_rejects(layer, rng, forward, backward):
    with pytest.raises(AssertionError):
        check_against_torch(
            forward, affine, layer, backward=backward, rng=rng, name="Z"
        )


def rectify_in_place(X):
    np.maximum(X, 0, out=X)
    return X


def test_check_against_torch_rejects_a_forward_that_writes_into_its_input(rng):
    inputs = {"X": rng.normal(size=(N, D))}
    with pytest.raises(AssertionError, match="Z: forward changes its input X in place"):
        check_against_torch(rectify_in_place, torch.relu, inputs, rng=rng, name="Z")


@pytest.mark.parametrize("victim", ["dZ", "W", "mask"])
def test_check_against_torch_rejects_a_backward_that_writes(rng, victim):
    inputs = {"W": rng.normal(size=(N, D)), "mask": rng.random((N, D)) > 0.5}

    def backward(dZ, W, mask):
        grads = {"W": dZ * mask}
        {"dZ": dZ, "W": W, "mask": mask}[victim][0, 0] = 0
        {"dZ": dZ, "W": W, "mask": mask}[victim][0, 1] = 1
        return grads

    def forward(W, mask):
        return W * mask

    name = "dY" if victim == "dZ" else victim
    with pytest.raises(AssertionError, match=f"backward changes its input {name} in"):
        check_against_torch(
            forward, forward, inputs, rng=rng, name="Z", backward=backward
        )


def test_check_against_torch_passes_settings_along_and_takes_scalars(rng, capsys):
    def loss(x, y, gamma, mode):
        assert (gamma, mode) == (0.3, None)
        return gamma * (x * y).sum()

    check_against_torch(
        lambda x, **others: float(loss(x, **others)),
        loss,
        {"x": rng.normal(size=4), "y": np.arange(4), "gamma": 0.3, "mode": None},
        rng=rng,
        name="L",
        backward=lambda dL, x, y, gamma, mode: {"x": dL * gamma * y},
    )
    assert capsys.readouterr().out.count("✓") == 2
