"""The checker of every assignment: the setup cell runs this file, `%run ../../expect.py`.

Students get its text in place of that line, so that their notebook needs no other file.
See *Adapt* in ``book/teaching.md``.
"""

import numpy as np
import torch


def expect(actual, desired, what):
    """Compare shape, then kind of number, then values, and say what differs."""
    if actual is None or actual is ...:
        raise AssertionError(f"{what}: there is no answer yet ({actual})")
    if isinstance(actual, torch.Tensor):
        actual = actual.detach().numpy()
    actual, desired = np.asarray(actual), np.asarray(desired)
    if actual.dtype.kind not in "bifu":
        raise AssertionError(f"{what}: {actual.dtype} where numbers were expected")
    if actual.shape != desired.shape:
        raise AssertionError(
            f"{what}: shape {actual.shape} where {desired.shape} was expected"
        )
    if desired.dtype.kind == "f" and actual.dtype.kind in "iu" and desired.ndim:
        raise AssertionError(
            f"{what}: whole numbers ({actual.dtype}) where {desired.dtype} was expected"
        )
    if not np.isfinite(actual).all():
        at = tuple(map(int, np.argwhere(~np.isfinite(actual))[0]))
        raise AssertionError(
            f"{what}: {actual[at]} at {list(at)} where a finite number was expected"
        )
    wrong = ~np.isclose(actual, desired, rtol=1e-5, atol=1e-7)
    if wrong.any():
        at = tuple(map(int, np.argwhere(wrong)[0]))
        raise AssertionError(
            f"{what}: {actual[at]:.6g} at {list(at)} where {desired[at]:.6g} was "
            f"expected ({wrong.sum()} of {wrong.size} entries differ)"
        )
    print(f"✓ {what}")


def agrees(typed, exact):
    """Whether numbers agree: to three significant digits, and whole ones exactly.

    Whole are those that ``exact`` holds as integers; zeros are exact in any case.
    """
    typed, exact = np.asarray(typed, dtype=float), np.asarray(exact)
    if typed.shape != exact.shape:
        return False
    share = 1e-9 if exact.dtype.kind in "iu" else 5e-3  # rounding moves it by 0.5 %
    limit = np.where(exact == 0, 1e-9, share * np.abs(exact))
    return bool((np.abs(typed - exact) <= limit).all())
