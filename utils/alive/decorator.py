"""The decorator of an alive figure: what it holds, checked before it is shown."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from utils.alive.inputs import Input, input_of
from utils.alive.live import live_bundle
from utils.interact.shown import show

MAX_BYTES = 500_000  # of the weights of a figure, four for each number


@dataclass(frozen=True)
class Network:
    """What an alive figure computes with."""

    program: str  # of the page: press/alive/static/programs/NAME.js
    weights: dict[str, np.ndarray]  # float32
    data: dict  # what else the program needs, as JSON can hold it
    compute: Callable  # (**inputs) -> {name: array}
    actions: dict[str, Callable]  # by label; (inputs, outputs, rng) -> {input: text}

    def outputs(self, **inputs) -> dict[str, np.ndarray]:
        """Return what ``compute`` gives, as arrays of NumPy."""
        return {name: _array(x) for name, x in self.compute(**inputs).items()}


def alive(
    program: str,
    *,
    compute: Callable,
    weights: Mapping | None = None,
    data: dict | None = None,
    labels: dict[str, str] | None = None,
    actions: dict[str, Callable] | None = None,
    **inputs,
) -> Callable:
    """Put a network under the reader's finger: it runs wherever the figure is shown.

    Parameters
    ----------
    program : str
        Name of the program of the page, ``press/alive/static/programs/NAME.js``.
    compute : callable
        Takes the inputs by name and returns a dict of arrays or tensors by name. A
        ValueError from it is a sentence for the reader, such as "Draw something first."
        The program of the page returns the same under the same names, or refuses with
        the same sentence; the tests compare the two.
    weights : mapping, optional
        Arrays or tensors by name, as of ``state_dict()``; float32 on the page.
    data : dict, optional
        What else the program of the page needs: words, settings; numbers, text, lists.
    labels : dict, optional
        Text beside an input, by its name; the name itself where absent.
    actions : dict, optional
        Buttons: by label a function ``(inputs, outputs, rng)`` that returns the inputs to
        change, as texts by name. ``rng`` is a ``numpy.random.Generator``.
    **inputs
        For each argument of the drawing function that a reader changes a ``Drawing``,
        ``Sentence``, ``Sum``, ``Line`` or ``Formula``, or what ``interact`` takes for
        a range, a choice or a switch.

    Returns
    -------
    decorator
        It shows the figure and returns the function unchanged but for the attributes
        ``controls`` and ``alive``, a ``Network``. The function takes the inputs, draws,
        and returns a matplotlib Figure; its docstring describes the picture in words.
        TypeError or ValueError say what was expected.
    """

    def decorate(function):
        _refuse(function, inputs, labels or {})
        parameters = inspect.signature(function).parameters
        function.controls = tuple(
            input_of(name, (labels or {}).get(name), given, parameters[name].default)
            for name, given in inputs.items()
        )
        function.alive = Network(
            program,
            _weights(program, weights or {}),
            data or {},
            compute,
            actions or {},
        )
        show(function, live_bundle)
        return function

    return decorate


def _refuse(function, inputs, labels):
    """Refuse what is no drawing function with these inputs."""
    if not inspect.isfunction(function):
        kind = type(function).__name__
        raise TypeError(f"alive: expected a function made by def, got {kind}")
    name = function.__name__
    if not inputs:
        raise ValueError(f"{name}: expected at least one input, got none")
    if not inspect.getdoc(function):
        raise ValueError(
            f"{name}: expected a docstring that describes the picture, got none"
        )
    parameters = inspect.signature(function).parameters
    for key in [*inputs, *labels]:
        if key not in parameters:
            names = ", ".join(parameters)
            raise TypeError(f"{name}: expected inputs among ({names}), got {key!r}")
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in inputs:
            raise TypeError(
                f"{name}: expected an input or a default for {key!r}, got neither"
            )
    for key, given in inputs.items():
        default = parameters[key].default
        if isinstance(given, Input) and default is not inspect.Parameter.empty:
            raise TypeError(
                f"{name}: expected no default for {key!r}, which has its start, "
                f"got {default!r}"
            )


def _weights(program, weights):
    """Return the weights as arrays of float32; ValueError where they are too many."""
    arrays = {name: _array(x).astype("<f4") for name, x in weights.items()}
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{program}: expected finite weights, got nan in {name!r}")
    size = sum(array.nbytes for array in arrays.values())
    if size > MAX_BYTES:
        raise ValueError(
            f"{program}: expected at most {MAX_BYTES} bytes of weights, got {size}"
        )
    return arrays


def _array(values):
    """Return an array of NumPy of an array, a tensor or numbers."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    return np.asarray(values)
