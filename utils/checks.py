"""Assertions that look at shape, type and finiteness before they look at values.

Each prints one line when it holds, ``✓ dW (5, 7)  max rel err 2e-16``, and raises an
AssertionError with the worst entry when it does not. ``np.allclose`` is no substitute:
it broadcasts, so that shape (3,) "equals" shape (1, 3). Nor is
``np.testing.assert_allclose(strict=True)``: to it NaN equals NaN, two empty arrays agree, and
so do the integers 2⁵³ and 2⁵³ + 1.
"""

from collections.abc import Callable

import numpy as np
import torch

Numbers = np.ndarray | torch.Tensor | float | list


def assert_close(
    actual: Numbers,
    desired: Numbers,
    *,
    name: str,
    rtol: float = 1e-10,
    atol: float = 1e-12,
) -> None:
    """Assert that ``|actual − desired| ≤ atol + rtol · |desired|`` in every entry.

    Parameters
    ----------
    actual, desired : array, tensor, number or nested list of numbers
        Equal shapes are required; nothing is broadcast. Where both carry a dtype
        (arrays and tensors do, numbers and lists do not), the dtypes must agree too.
        Truth values must be equal, whatever the tolerance.
    name : str
        What is compared, for the printed line and for the error.
    rtol, atol : float
        Relative and absolute tolerance, both ≥ 0.

    Raises
    ------
    AssertionError
        Names the first of shape, dtype, finiteness, value that differs.
    TypeError, ValueError
        An entry is no number; a tolerance is out of range.
    """
    if not (0 <= rtol < 1 and 0 <= atol < np.inf):
        expected = "0 ≤ rtol < 1 and atol ≥ 0"
        raise ValueError(f"{name}: expected {expected}, got {rtol}, {atol}")
    (a, a_type), (d, d_type) = _numbers(actual, name), _numbers(desired, name)
    _require(a.shape == d.shape, f"{name}: expected shape {d.shape}, got {a.shape}")
    same = a_type == d_type or None in (a_type, d_type)
    _require(same, f"{name}: expected dtype {d_type}, got {a_type}")
    _require(a.size, f"{name}: nothing to compare, both are empty {a.shape}")
    for side, x in (("actual", a), ("desired", d)):
        at = _index(np.isfinite(x).argmin(), x)
        message = f"{name}: {side}{at} is {x[at]}, expected a finite number"
        _require(np.isfinite(x[at]), message)
    if a.dtype == d.dtype == bool:
        rtol = atol = 0.0
    dtype = np.result_type(a, d, np.float64)  # as unsigned bytes 0 − 255 is 1
    scale = np.abs(d.astype(dtype))
    error = np.abs(a.astype(dtype) - d)
    # Neighbouring integers over 2⁵³ are one number in float64.
    error = np.where((error == 0) & (a != d), 1, error)
    excess = error - (atol + rtol * scale)
    at = _index(excess.argmax(), a)
    _require(
        excess[at] <= 0,
        f"{name}: {(excess > 0).sum()} of {a.size} entries differ, worst at {[*at]}: "
        f"got {_text(a[at])}, expected {_text(d[at])}, difference {error[at]:.2g} "
        f"over the tolerance {atol:g} + {rtol:g}·|expected|",
    )
    print(f"✓ {name} {a.shape or 'scalar'}  {_summary(error, scale)}")


def check_gradients(
    f: Callable,
    params: dict[str, Numbers],
    grads: dict[str, Numbers],
    *,
    torch_f: Callable | None = None,
    eps: float = 1e-5,
    rtol: float = 1e-6,
    atol: float = 1e-8,
) -> None:
    """Assert that ``grads`` is the gradient of the scalar ``f(**params)``.

    Every entry of every parameter is moved by ±``eps`` (central difference, error of
    order ``eps²``), so that a wrong factor, sign, axis or transpose has nowhere to hide.
    A gradient that is zero in every entry proves nothing, and fails too.

    Parameters
    ----------
    f : callable
        Takes the parameters as keyword arguments, leaves them as they are, and returns a
        number.
    params, grads : dict of str to float64 array or float
        The same keys, and for each key the same shape; a TypeError says what is not in
        float64: a difference of 1e-5 drowns in float32.
    torch_f : callable, optional
        The same function on tensors; its autograd gradient is then compared at 1e-10.
    """
    message = f"expected gradients of {sorted(params)}, got {sorted(grads)}"
    _require(params and set(params) == set(grads), message)
    for key, value in params.items():
        kind = getattr(value, "dtype", type(value).__name__)
        if kind not in (np.float64, "float"):
            raise TypeError(f"{key}: expected a float64 array, got {kind}")
    params = {key: np.array(value) for key, value in params.items()}
    for key in params:
        _require_nonzero(grads[key], f"∂/∂{key}")
        numeric, name = _difference(f, params, key, eps), f"∂/∂{key} (differences)"
        assert_close(grads[key], numeric, name=name, rtol=rtol, atol=atol)
    if torch_f is not None:
        tensors = {k: torch.tensor(v, requires_grad=True) for k, v in params.items()}
        exact = torch.autograd.grad(torch_f(**tensors), list(tensors.values()))
        for key, value in zip(tensors, exact, strict=True):
            assert_close(grads[key], value, name=f"∂/∂{key} (autograd)")


def check_against_torch(
    forward: Callable,
    torch_forward: Callable,
    inputs: dict,
    *,
    rng: np.random.Generator,
    name: str,
    backward: Callable | None = None,
    rtol: float = 1e-10,
    atol: float = 1e-12,
) -> None:
    """Assert that a NumPy layer and its PyTorch counterpart agree, forward and backward.

    Parameters
    ----------
    forward, torch_forward : callable
        Take the inputs as keyword arguments, arrays and tensors respectively, and leave
        them as they are.
    inputs : dict
        Arrays of floating-point numbers get gradients; other arrays (labels, say), plain
        numbers and whatever else a layer is set with are passed along.
    rng : numpy.random.Generator
        Draws the upstream gradient: a random one, since ones forgive a wrong axis.
    name : str
        Name of the output, for the printed lines.
    backward : callable, optional
        ``backward(dY, **inputs)`` returns a dict of gradients by input name, none of them
        zero in every entry.
    """
    arrays = {k: v for k, v in inputs.items() if _is_array(v)}
    tensors = {
        k: torch.tensor(v, requires_grad=v.dtype.kind == "f") for k, v in arrays.items()
    }
    output = _call(forward, f"{name}: forward", **inputs)
    desired = torch_forward(**{**inputs, **tensors})
    assert_close(output, desired, name=name, rtol=rtol, atol=atol)
    if backward is None:
        return
    output = np.asarray(output)
    dY = np.asarray(rng.normal(size=output.shape), dtype=output.dtype)
    grads = _call(backward, f"{name}: backward", dY, **inputs)
    leaves = {k: t for k, t in tensors.items() if t.requires_grad}
    message = f"{name}: expected gradients of {sorted(leaves)}, got {sorted(grads)}"
    _require(set(grads) == set(leaves), message)
    exact = torch.autograd.grad(desired, list(leaves.values()), torch.tensor(dY))
    for key, value in zip(leaves, exact, strict=True):
        _require_nonzero(grads[key], f"∂{name}/∂{key}")
        assert_close(grads[key], value, name=f"∂{name}/∂{key}", rtol=rtol, atol=atol)


def _difference(f, params, key, eps):
    numeric = np.empty_like(params[key])
    for index in np.ndindex(numeric.shape):
        step = np.zeros_like(numeric)
        step[index] = eps
        shifted = (params | {key: params[key] + s} for s in (step, -step))
        values = [_call(f, "f", **inputs) for inputs in shifted]
        shape = np.shape(values[0])
        _require(shape == (), f"expected a scalar function, got shape {shape}")
        numeric[index] = (float(values[0]) - float(values[1])) / (2 * eps)
    return numeric


def _call(f, name, /, *dY, **inputs):
    """Return ``f(*dY, **inputs)``, which must leave its arrays as they are."""
    arguments = [*(("dY", x) for x in dY), *inputs.items()]
    contents = [(key, x, x.tobytes()) for key, x in arguments if _is_array(x)]
    value = f(*dY, **inputs)
    for key, x, content in contents:
        _require(x.tobytes() == content, f"{name} changes its input {key} in place")
    return value


def _require(holds, message):
    if not holds:
        raise AssertionError(message)


def _require_nonzero(grad, name):
    grad, _ = _numbers(grad, name)
    message = f"{name}: zero in every entry, a check at this point proves nothing"
    _require(grad.any() or not grad.size, message)


def _is_array(x):
    return isinstance(x, np.ndarray | np.generic)


def _numbers(x, name):
    """Return ``x`` as an array, and the name of the dtype that it carries, if it carries one."""
    if isinstance(x, torch.Tensor):
        kind, x = str(x.dtype).removeprefix("torch."), x.detach().cpu()
        # NumPy has no bfloat16; float64 holds every number of the shorter types.
        return (x.double() if x.is_floating_point() else x).numpy(force=True), kind
    array = np.asarray(x)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{name}: expected numbers, got {x!r:.60} ({array.dtype})")
    return array, array.dtype.name if _is_array(x) else None


def _index(flat, x):
    return tuple(map(int, np.unravel_index(flat, x.shape)))


def _text(x):
    return f"{x:.10g}" if x.dtype.kind in "fc" else str(x)


def _summary(error, scale):
    if not error.any():
        return "exact"
    if not scale.any():
        return f"max abs err {error.max():.0e}"
    return f"max rel err {(error[scale > 0] / scale[scale > 0]).max():.0e}"
