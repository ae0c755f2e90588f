"""Assertions that look at shape, type and finiteness before they look at values.

Each prints one line when it holds, ``✓ dW (5, 7)  max rel err 2e-16``, and raises an
AssertionError with the worst entry when it does not. ``np.allclose`` is no substitute:
it broadcasts, so that shape (3,) "equals" shape (1, 3).
"""

import numpy as np
import torch


def assert_close(actual, desired, *, name, rtol=1e-10, atol=1e-12):
    """Assert that ``|actual − desired| ≤ atol + rtol · |desired|`` in every entry.

    Parameters
    ----------
    actual, desired : array, tensor, number or nested list of numbers
        Equal shapes are required; nothing is broadcast. Where both carry a dtype
        (arrays and tensors do, numbers and lists do not), the dtypes must agree too.
    name : str
        What is compared, for the printed line and for the error.
    rtol, atol : float
        Relative and absolute tolerance, both ≥ 0.

    Raises
    ------
    AssertionError
        Names the first of shape, dtype, finiteness, value that differs.
    """
    if not (0 <= rtol < 1 and 0 <= atol < np.inf):
        raise ValueError(
            f"{name}: expected 0 ≤ rtol < 1 and atol ≥ 0, got {rtol}, {atol}"
        )
    has_dtype = all(
        isinstance(x, np.ndarray | np.generic | torch.Tensor) for x in (actual, desired)
    )
    actual, desired = _array(actual), _array(desired)
    if actual.shape != desired.shape:
        raise AssertionError(
            f"{name}: expected shape {desired.shape}, got {actual.shape}"
        )
    if has_dtype and actual.dtype != desired.dtype:
        raise AssertionError(
            f"{name}: expected dtype {desired.dtype}, got {actual.dtype}"
        )
    if actual.size == 0:
        raise AssertionError(
            f"{name}: nothing to compare, both are empty {actual.shape}"
        )
    for side, x in (("actual", actual), ("desired", desired)):
        if not np.isfinite(x).all():
            where = _index(np.argmin(np.isfinite(x)), x.shape)
            raise AssertionError(
                f"{name}: {side}{where} is {x[where]}, expected a finite number"
            )
    error = np.abs(actual - desired)
    excess = error - (atol + rtol * np.abs(desired))
    if (excess > 0).any():
        where = _index(np.argmax(excess), error.shape)
        raise AssertionError(
            f"{name}: {int((excess > 0).sum())} of {error.size} entries differ, worst at "
            f"{list(where)}: got {actual[where]:.10g}, expected {desired[where]:.10g}, "
            f"difference {error[where]:.2g} over the tolerance "
            f"{atol:g} + {rtol:g}·|expected|"
        )
    print(f"✓ {name} {_shape(actual)}{_relative(error, desired)}")


def check_gradients(f, params, grads, *, torch_f=None, eps=1e-5, rtol=1e-6, atol=1e-8):
    """Assert that ``grads`` is the gradient of the scalar ``f(**params)``.

    Every entry of every parameter is moved by ±``eps`` (central difference, error of
    order ``eps²``), so that a wrong factor, sign, axis or transpose has nowhere to hide.

    Parameters
    ----------
    f : callable
        Takes the parameters as keyword arguments and returns a number.
    params, grads : dict of str to float64 ndarray
        The same keys, and for each key the same shape.
    torch_f : callable, optional
        The same function on tensors; its autograd gradient is then compared at 1e-10.
    eps, rtol, atol : float
        Step of the difference and tolerances of its comparison.

    Raises
    ------
    AssertionError
        A gradient is missing, misshapen, not finite, zero in every entry, or wrong.
    TypeError
        A parameter is no float64 array: a difference of 1e-5 drowns in float32.
    """
    if set(params) != set(grads) or not params:
        raise AssertionError(
            f"expected gradients of {sorted(params)}, got {sorted(grads)}"
        )
    for key, value in params.items():
        if not isinstance(value, np.ndarray) or value.dtype != np.float64:
            kind = getattr(value, "dtype", type(value).__name__)
            raise TypeError(f"{key}: expected a float64 array, got {kind}")
    for key in params:
        grad = np.asarray(grads[key])
        if grad.size and not np.any(grad):
            raise AssertionError(
                f"∂/∂{key}: zero in every entry, a check at this point proves nothing"
            )
        numeric = _central_difference(f, params, key, eps)
        assert_close(
            grad, numeric, name=f"∂/∂{key} (differences)", rtol=rtol, atol=atol
        )
    if torch_f is not None:
        tensors = {k: torch.tensor(v, requires_grad=True) for k, v in params.items()}
        exact = torch.autograd.grad(torch_f(**tensors), list(tensors.values()))
        for key, value in zip(tensors, exact, strict=True):
            assert_close(np.asarray(grads[key]), value, name=f"∂/∂{key} (autograd)")


def check_against_torch(
    forward, torch_forward, inputs, *, rng, name, backward=None, rtol=1e-10, atol=1e-12
):
    """Assert that a NumPy layer and its PyTorch counterpart agree, forward and backward.

    Parameters
    ----------
    forward, torch_forward : callable
        Take the inputs as keyword arguments, arrays and tensors respectively.
    inputs : dict of str to ndarray
        Floating-point entries get gradients; others (labels, say) are passed along.
    rng : numpy.random.Generator
        Draws the upstream gradient: a random one, since ones forgive a wrong axis.
    name : str
        Name of the output, for the printed lines.
    backward : callable, optional
        ``backward(dY, **inputs)`` returns a dict of gradients by input name.
    """
    tensors = {
        k: torch.tensor(v, requires_grad=v.dtype.kind == "f") for k, v in inputs.items()
    }
    output, desired = forward(**inputs), torch_forward(**tensors)
    assert_close(output, desired, name=name, rtol=rtol, atol=atol)
    if backward is None:
        return
    dY = rng.normal(size=output.shape).astype(output.dtype)
    grads = backward(dY, **inputs)
    wanted = {k: t for k, t in tensors.items() if t.requires_grad}
    if set(grads) != set(wanted):
        raise AssertionError(
            f"{name}: expected gradients of {sorted(wanted)}, got {sorted(grads)}"
        )
    exact = torch.autograd.grad(desired, list(wanted.values()), torch.tensor(dY))
    for key, value in zip(wanted, exact, strict=True):
        if not np.any(grads[key]):
            raise AssertionError(
                f"∂{name}/∂{key}: zero in every entry, the check proves nothing"
            )
        assert_close(grads[key], value, name=f"∂{name}/∂{key}", rtol=rtol, atol=atol)


def _central_difference(f, params, key, eps):
    numeric = np.empty_like(params[key])
    for where in np.ndindex(params[key].shape):
        ends = []
        for sign in (1, -1):
            moved = params[key].copy()
            moved[where] += sign * eps
            value = np.asarray(f(**{**params, key: moved}))
            if value.shape != ():
                raise AssertionError(
                    f"expected a scalar function, got shape {value.shape}"
                )
            ends.append(float(value))
        numeric[where] = (ends[0] - ends[1]) / (2 * eps)
    return numeric


def _array(x):
    return x.detach().cpu().numpy() if isinstance(x, torch.Tensor) else np.asarray(x)


def _index(flat, shape):
    return tuple(int(i) for i in np.unravel_index(flat, shape))


def _shape(x):
    return str(x.shape) if x.shape else "scalar"


def _relative(error, desired):
    scale = np.abs(desired)
    if not error.any():
        return "  exact"
    if not scale.any():
        return f"  max abs err {error.max():.0e}"
    return f"  max rel err {(error[scale > 0] / scale[scale > 0]).max():.0e}"
