"""The grid of pictures of an interactive figure: its controls and their values."""

import inspect
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from urllib.parse import quote, unquote

import ipywidgets as widgets

MAX_CONTROLS = 3
MAX_FRAMES = 150

SLIDERS = widgets.IntSlider, widgets.FloatSlider
LISTS = widgets.Dropdown, widgets.RadioButtons, widgets.Select, widgets.ToggleButtons
CHOICES = *LISTS, widgets.SelectionSlider
SWITCHES = widgets.Checkbox, widgets.ToggleButton


@dataclass(frozen=True)
class Control:
    """A named axis of the grid of pictures: the values it takes and how they read."""

    name: str
    label: str
    kind: str  # "range", "choice" or "switch"
    values: tuple
    texts: tuple
    start: int
    plays: bool = False

    @classmethod
    def of(cls, name, label, abbreviation, default=inspect.Parameter.empty):
        """The control of an abbreviation; see ``interact`` for what it may be."""
        first = abbreviation if isinstance(abbreviation, bool) else None
        if isinstance(abbreviation, (*SLIDERS, *CHOICES, *SWITCHES)):
            first, abbreviation = abbreviation.value, _plain(abbreviation)
        kind, values, texts = _values(name, abbreviation)
        if default is inspect.Parameter.empty:
            default = values[0] if first is None else first
        return cls(name, label, kind, values, texts, _start(name, values, default))

    @property
    def keys(self):
        """What the address of a position writes for each value."""
        if self.kind == "range":
            return tuple(map(str, self.values))
        return tuple(quote(text, safe="") for text in self.texts)

    def index_of(self, key):
        """Where a value stands that an address names."""
        try:
            if self.kind == "range":
                return self.values.index(float(key))
            return self.texts.index(unquote(key))
        except ValueError:
            grid = ", ".join(self.keys)
            raise ValueError(
                f"{self.name}: expected one of {grid}, got {key!r}"
            ) from None


def controls_of(function, abbreviations, labels, play):
    """The controls of a drawing function, or an error that says what is wrong."""
    if not inspect.isfunction(function):
        raise TypeError(
            f"interact: expected a function made by def, got {type(function).__name__}"
        )
    name = function.__name__
    if not 1 <= len(abbreviations) <= MAX_CONTROLS:
        raise ValueError(
            f"{name}: expected one to {MAX_CONTROLS} controls, got {len(abbreviations)}"
        )
    if not inspect.getdoc(function):
        raise ValueError(
            f"{name}: expected a docstring that describes the picture in words, got none"
        )
    parameters = inspect.signature(function).parameters
    for unknown in [*abbreviations, *labels]:
        if unknown not in parameters:
            raise TypeError(
                f"{name}: expected controls among its arguments ({', '.join(parameters)}), "
                f"got {unknown!r}"
            )
    for parameter in parameters.values():
        if parameter.default is parameter.empty and parameter.name not in abbreviations:
            raise TypeError(
                f"{name}: expected a control or a default for each argument, "
                f"got neither for {parameter.name!r}"
            )
    controls = {
        key: Control.of(
            key, labels.get(key, key.replace("_", " ")), value, parameters[key].default
        )
        for key, value in abbreviations.items()
    }
    if play is not None:
        if play not in controls or controls[play].kind != "range":
            raise ValueError(f"{name}: expected play to name a range, got {play!r}")
        controls[play] = replace(controls[play], plays=True)
    controls = tuple(controls.values())
    sizes = [len(control.values) for control in controls]
    if math.prod(sizes) > MAX_FRAMES:
        raise ValueError(
            f"{name}: expected at most {MAX_FRAMES} frames, got "
            f"{' × '.join(map(str, sizes))} = {math.prod(sizes)}; {coarsen(controls)}"
        )
    return controls


def coarsen(controls):
    longest = max(controls, key=lambda control: len(control.values))
    return f"coarsen {longest.name!r} ({len(longest.values)} values)"


def grid(controls):
    """The indices of all positions, the last control's running fastest."""
    return list(itertools.product(*(range(len(c.values)) for c in controls)))


def starts(controls):
    return tuple(control.start for control in controls)


def arguments_at(controls, indices):
    return {c.name: c.values[i] for c, i in zip(controls, indices, strict=True)}


def state(controls, indices):
    """What the controls say at a position: "lr = 0.10, momentum = 0.00"."""
    pairs = zip(controls, indices, strict=True)
    return ", ".join(f"{c.label} = {c.texts[i]}" for c, i in pairs)


def indices_of(controls, text):
    """Indices of "lr=0.21,momentum=0.9"; a control that is not named is at its default."""
    chosen = dict(pair.partition("=")[::2] for pair in text.split(",") if pair)
    names = [control.name for control in controls]
    for name in chosen:
        if name not in names:
            raise ValueError(f"expected a control of {', '.join(names)}, got {name!r}")
    return tuple(
        c.index_of(chosen[c.name]) if c.name in chosen else c.start for c in controls
    )


def _plain(widget):
    """What a widget says as an abbreviation without one."""
    if isinstance(widget, SLIDERS):
        return widget.min, widget.max, widget.step
    if isinstance(widget, SWITCHES):
        return widget.value
    if isinstance(widget.options, Mapping):
        return dict(widget.options)
    return dict(o if isinstance(o, tuple) else (str(o), o) for o in widget.options)


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
        raise ValueError(
            f"{name}: expected min + step <= max and step > 0, got {(low, high, step)!r}"
        )
    steps = (high - low) / step + 1e-9
    if steps >= MAX_FRAMES:  # before anything of that length is made
        raise ValueError(
            f"{name}: expected at most {MAX_FRAMES} frames, got {steps + 1:.0f} values; "
            f"coarsen the step {step!r}"
        )
    # Digits after the point: 2 of 0.25, 11 of 1e-11.
    exponents = [
        Decimal(f"{x:.10g}").normalize().as_tuple().exponent for x in (low, step)
    ]
    digits = max(0, *(-exponent for exponent in exponents))
    values = tuple(round(low + i * step, digits) for i in range(int(steps) + 1))
    return "range", values, tuple(f"{v:.{digits}f}".replace("-", "−") for v in values)


def _start(name, values, default):
    for i, value in enumerate(values):
        if value is default or (type(value) is type(default) and value == default):
            return i
        numbers = isinstance(value, int | float) and isinstance(default, int | float)
        if numbers and math.isclose(value, default, rel_tol=1e-9):
            return i
    shown = f"{values[0]!r} … {values[-1]!r}" if len(values) > 6 else repr(list(values))
    raise ValueError(f"{name}: expected a default on the grid {shown}, got {default!r}")
