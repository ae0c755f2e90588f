"""Positions of figures as links and addresses name them: the one reader in Python.

    [it swings](#descent:lr=0.21,momentum=0.9)

names a figure by its function, then its controls; those not named stand at their defaults.
A number is as on the grid, a text percent-encoded, a switch ``on`` or ``off``. In the built
page ``press/figures/static/figure.js`` reads the same.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Protocol
from urllib.parse import unquote

FORM = "control=value,control=value"
# In the words of a link a formula may have brackets. Its groups: words, figure, position.
LINK = re.compile(
    r"(?<![\\!])\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\(#([^\W\d]\w*):([^\s()<>]+)\)"
)
NUMBER = re.compile(r"[-+−]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)
SHOWN = 8  # values that an error lists


class Axis(Protocol):
    """What is asked of a control: ``Control`` has it, and the data of a built figure."""

    name: str
    kind: str  # "range", "choice" or "switch"
    keys: Sequence[str]
    start: int


def linked(markdown: str) -> Iterator[tuple[str, str]]:
    """Give the figure and the position of each link to one in a text, in its order."""
    return ((figure, text) for _, figure, text in LINK.findall(markdown))


def values_of(text: str) -> dict[str, str]:
    """Return the value of each control that a position names, decoded.

    ``lr=0.21,kind=dark%20red`` gives ``{"lr": "0.21", "kind": "dark red"}``. ValueError
    where a part is no ``control=value``, or a control is named twice.
    """
    values = {}
    for pair in filter(None, map(str.strip, text.split(","))):
        name, sign, value = pair.partition("=")
        if not (name and sign):
            raise ValueError(f"expected {FORM}, got {pair!r}")
        if unquote(name) in values:
            raise ValueError(f"expected each control once, got {text!r}")
        values[unquote(name)] = unquote(value)
    return values


def chosen(figure: str, controls: Sequence, text: str) -> dict:
    """Return the value of each control of a figure that a position names.

    ValueError where the position is not written as one, or names a control that the figure
    does not have, or a value that the control cannot have; it says which there are.
    """
    return _named(figure, controls, text, lambda control, value: control.read(value))


def indices_of(figure: str, controls: Sequence[Axis], text: str) -> tuple[int, ...]:
    """Return the index of each control of a figure on a grid at a position.

    ValueError as ``chosen`` says.
    """
    indices = _named(figure, controls, text, index_of)
    return tuple(indices.get(c.name, c.default_index) for c in controls)


def _named(figure, controls, text, read):
    """Read what a position names, with the figure's name in each error."""
    by_name = {control.name: control for control in controls}
    try:
        values = values_of(text)
        for name in values:
            if name not in by_name:
                raise ValueError(
                    f"expected a control of {', '.join(by_name)}, got {name!r}"
                )
        return {name: read(by_name[name], value) for name, value in values.items()}
    except ValueError as error:
        raise ValueError(f"{figure}: {error}") from None


def number(text: str) -> float | None:
    """Return the number that the value of a range is written as; None if it is none."""
    return float(text.replace("−", "-")) if NUMBER.fullmatch(text) else None


def index_of(control: Axis, value: str) -> int:
    """Return the index of a decoded value, which may be written otherwise than its key."""
    for i, key in enumerate(control.keys):
        if control.kind == "range" and float(key) == number(value):
            return i
        if unquote(key) == value:
            return i
    keys = list(control.keys)
    if len(keys) > SHOWN:
        keys[3:-1] = ["…"]
    raise ValueError(f"expected {control.name} in {', '.join(keys)}, got {value!r}")
