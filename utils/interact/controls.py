"""The grid of pictures of an interactive figure: its controls and their values."""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from urllib.parse import quote

import ipywidgets as widgets

from utils.interact.positions import index_of

MAX_CONTROLS = 3
MAX_FRAMES = 150

SLIDERS = widgets.IntSlider, widgets.FloatSlider
LISTS = widgets.Dropdown, widgets.RadioButtons, widgets.Select
CHOICES = *LISTS, widgets.SelectionSlider, widgets.ToggleButtons


@dataclass(frozen=True)
class Control:
    """A named axis of the grid of pictures: the values it takes and how they read."""

    name: str
    label: str
    kind: str  # "range", "choice" or "switch"
    values: tuple
    texts: tuple[str, ...]
    default_index: int
    plays: bool = False

    @classmethod
    def of(
        cls, name: str, label: str, abbreviation, default=inspect.Parameter.empty
    ) -> "Control":
        """Return the control of an abbreviation; see ``interact`` for what it may be."""
        kind, values, texts = _values(name, _plain(abbreviation))
        if default is inspect.Parameter.empty:
            own = abbreviation if kind == "switch" else values[0]
            default = getattr(abbreviation, "value", own)
        return cls(
            name, label, kind, values, texts, _default_index(name, values, default)
        )

    @property
    def keys(self) -> tuple[str, ...]:
        """How each value is written in the address of a position."""
        if self.kind == "range":
            return tuple(map(str, self.values))
        return tuple(quote(text, safe="") for text in self.texts)

    @property
    def default(self):
        """The value at which it starts."""
        return self.values[self.default_index]

    def read(self, text: str):
        """Return the value that an address names; ValueError says which there are."""
        return self.values[index_of(self, text)]

    def other(self, value):
        """Return another value, at an end."""
        first, last = self.values[0], self.values[-1]
        return last if value == first else first


def controls_of(
    function: Callable, abbreviations: dict, labels: dict[str, str], play: str | None
) -> tuple[Control, ...]:
    """Make the controls of a drawing function, or raise an error that says what is wrong."""
    if not inspect.isfunction(function):
        kind = type(function).__name__
        raise TypeError(f"interact: expected a function made by def, got {kind}")
    name, count = function.__name__, len(abbreviations)
    if not 1 <= count <= MAX_CONTROLS:
        raise ValueError(
            f"{name}: expected one to {MAX_CONTROLS} controls, got {count}"
        )
    if not inspect.getdoc(function):
        raise ValueError(
            f"{name}: expected a docstring that describes the picture, got none"
        )
    parameters = inspect.signature(function).parameters
    for key in [*abbreviations, *labels]:
        if key not in parameters:
            names = ", ".join(parameters)
            raise TypeError(f"{name}: expected controls among ({names}), got {key!r}")
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in abbreviations:
            raise TypeError(
                f"{name}: expected a control or a default for {key!r}, got neither"
            )
    controls = []
    for key, abbreviation in abbreviations.items():
        label = labels.get(key, key.replace("_", " "))
        control = Control.of(key, label, abbreviation, parameters[key].default)
        controls.append(replace(control, plays=key == play))
    if play is not None and (play, "range") not in [(c.name, c.kind) for c in controls]:
        raise ValueError(f"{name}: expected play to name a range, got {play!r}")
    sizes = [len(control.values) for control in controls]
    if math.prod(sizes) > MAX_FRAMES:
        product = f"{' × '.join(map(str, sizes))} = {math.prod(sizes)}"
        raise ValueError(
            f"{name}: expected at most {MAX_FRAMES} frames, got {product}; {coarsen(controls)}"
        )
    return tuple(controls)


def coarsen(controls: Sequence[Control]) -> str:
    """Say what an author of too many frames or bytes may do: the end of an error."""
    longest = max(controls, key=lambda control: len(control.values))
    return f"coarsen {longest.name!r} ({len(longest.values)} values)"


def default_indices(controls: Sequence[Control]) -> tuple[int, ...]:
    """Return the indices of the defaults."""
    return tuple(control.default_index for control in controls)


def arguments_at(controls: Sequence[Control], indices: Sequence[int]) -> dict:
    """Return the arguments of the drawing function at a position."""
    return {c.name: c.values[i] for c, i in zip(controls, indices, strict=True)}


def state(controls: Sequence[Control], indices: Sequence[int]) -> str:
    """Say how the controls are set at a position: "lr = 0.10, momentum = 0.00"."""
    pairs = zip(controls, indices, strict=True)
    return ", ".join(f"{c.label} = {c.texts[i]}" for c, i in pairs)


def _plain(abbreviation):
    """Return a widget as the range, choices or bool that it offers; all else as it is."""
    if isinstance(abbreviation, SLIDERS):
        return abbreviation.min, abbreviation.max, abbreviation.step
    if isinstance(abbreviation, widgets.Checkbox | widgets.ToggleButton):
        return abbreviation.value
    if isinstance(abbreviation, CHOICES):
        options = abbreviation.options
        pairs = options.items() if isinstance(options, Mapping) else options
        return dict(o if isinstance(o, tuple) else (str(o), o) for o in pairs)
    return abbreviation


def _values(name, abbreviation):
    match abbreviation:
        case bool():
            return "switch", (False, True), ("off", "on")
        case dict() if abbreviation:
            return "choice", tuple(abbreviation.values()), tuple(map(str, abbreviation))
        case list() if abbreviation:
            return "choice", tuple(abbreviation), tuple(map(str, abbreviation))
        case list() | dict():
            raise ValueError(
                f"{name}: expected at least one choice, got {abbreviation!r}"
            )
        case tuple((int() as low, int() as high)):
            return _range(name, low, high, 1)
        case tuple((int() | float(), int() | float(), int() | float())):
            return _range(name, *abbreviation)
    raise TypeError(
        f"{name}: expected (min, max, step), a list or dict of choices, True or False, "
        f"or a slider, selection or checkbox of one value, got {abbreviation!r}"
    )


def _range(name, low, high, step):
    if not all(map(math.isfinite, (low, high, step))) or step <= 0 or high < low + step:
        got = (low, high, step)
        raise ValueError(f"{name}: expected min + step <= max and step > 0, got {got}")
    steps = (high - low) / step + 1e-9
    if steps >= MAX_FRAMES:  # asked before a list of so many values is made
        got = f"{steps + 1:.0f} values; coarsen the step {step}"
        raise ValueError(f"{name}: expected at most {MAX_FRAMES} frames, got {got}")
    # Digits after the point: 2 of 0.25, 11 of 1e-11.
    exact = [Decimal(f"{x:.10g}").normalize().as_tuple() for x in (low, step)]
    digits = max(0, *(-number.exponent for number in exact))
    values = tuple(round(low + i * step, digits) for i in range(int(steps) + 1))
    return "range", values, tuple(f"{v:.{digits}f}".replace("-", "−") for v in values)


def _default_index(name, values, default):
    numbers = (int, float)
    for i, value in enumerate(values):
        if value is default or (type(value) is type(default) and value == default):
            return i
        if isinstance(value, numbers) and isinstance(default, numbers):
            if math.isclose(value, default, rel_tol=1e-9):
                return i
    shown = f"{values[0]!r} … {values[-1]!r}" if len(values) > 6 else repr(list(values))
    raise ValueError(f"{name}: expected a default on the grid {shown}, got {default!r}")
