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


def expect_words(text, least, what):
    """A text of at least so many words; its content is for a person to judge."""
    if not isinstance(text, str):
        raise AssertionError(f"{what}: {type(text).__name__} where text was expected")
    if len(text.split()) < least:
        raise AssertionError(
            f"{what}: {len(text.split())} words where at least {least} were expected"
        )
    print(f"✓ {what}")


def expect_plot(fig, values, what):
    """A figure with named axes in which these values are drawn, at any place."""
    axes = [ax for ax in getattr(fig, "axes", []) if ax.has_data()]
    if not axes:
        raise AssertionError(
            f"{what}: {type(fig).__name__} where a figure was expected"
        )
    if not any(ax.get_xlabel() and ax.get_ylabel() for ax in axes):
        raise AssertionError(f"{what}: name both axes (set_xlabel, set_ylabel)")
    drawn = []
    for ax in axes:
        drawn += [y for line in ax.lines for y in line.get_ydata()]
        drawn += [y for marks in ax.collections for y in marks.get_offsets()[:, 1]]
        drawn += [bar.get_height() for bar in ax.patches if hasattr(bar, "get_height")]
        drawn += [bar.get_width() for bar in ax.patches if hasattr(bar, "get_width")]
    drawn, values = (np.asarray(y, dtype=float).ravel() for y in (drawn, values))
    if len(drawn) < len(values):
        raise AssertionError(f"{what}: {len(drawn)} points for {len(values)} numbers")
    for value in values:
        if not np.isclose(drawn, value, rtol=5e-3, atol=1e-9).any():
            raise AssertionError(f"{what}: {value:.4g} is not drawn")
    print(f"✓ {what}")
