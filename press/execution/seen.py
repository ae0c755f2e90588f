"""What the `seen` checks of a figure notice: they fail once something else is drawn.

The checks run again with the names of their notebook, each time with one thing moved: a
position to which the note under the figure links, the figure, or what it draws with.
"""

import ast
import builtins
import contextlib
import functools
import inspect
import io
import warnings
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import torch
from nbformat import NotebookNode

from press.lint.sliders import figures, imported, positions
from utils.interact.positions import number, values_of


def assert_noticed(path: str, names: dict[str, Any]) -> None:
    """Assert that the `seen` checks of a notebook, which has run, notice what is moved.

    The kernel calls it with the names that the notebook has bound.
    """
    lacks = unnoticed(nbformat.read(path, 4), names)
    assert not lacks, "\n".join(lacks)


def unnoticed(notebook: NotebookNode, names: dict[str, Any]) -> list[str]:
    """List what the `seen` checks of a notebook do not notice, figure by figure.

    ``names`` are those that the notebook has bound. A figure is left out if it, or one of
    its checks, needs another name: the cell that binds it was not run.
    """
    foreign = imported(notebook) | {*dir(builtins)}
    lacks = []
    for figure in figures(notebook):
        name, trees = figure.name, [ast.parse(check.source) for check in figure.checks]
        if name not in names or any(fails(tree, names) for tree in trees):
            continue
        moved = [{name: elsewhere(names[name])}]
        moved += [
            {read: another(names[read], sign)}
            for read in sorted((figure.reads - foreign) & names.keys())
            for sign in (1, -1)
        ]
        if not any(fails(tree, names, change) for change in moved for tree in trees):
            lacks.append(f"{name}: expected a check that sees what it draws, got none")
        for position in positions(figure):
            controls = names[name].controls
            if not any(
                fails_elsewhere(tree, names, controls, position) for tree in trees
            ):
                lacks.append(f"{name}: expected a check that sees {position}, got none")
    return lacks


def fails(
    tree: ast.Module, names: dict[str, Any], change: dict[str, Any] | None = None
) -> bool:
    """Tell whether code raises with these names, which it leaves as they are.

    What is changed meanwhile is changed for the code; data also for the functions that it
    calls. A function is not, or a loop that waits for it might never end.
    """
    before, scope = {*plt.get_fignums()}, names | (change or {})
    data = {k: v for k, v in (change or {}).items() if not callable(v)}
    kept = {key: names[key] for key in data}
    with (
        warnings.catch_warnings(action="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        try:
            names.update(data)
            exec(compile(tree, "<seen again>", "exec"), scope)
        except Exception:
            return True
        finally:
            names.update(kept)
            for figure in {*plt.get_fignums()} - before:
                plt.close(figure)
    return False


def fails_elsewhere(
    tree: ast.Module, names: dict[str, Any], controls: tuple, position: str
) -> bool:
    """Tell whether code raises when one of its mentions of a position is moved."""
    axes = {control.name: control for control in controls}
    for name, value in values_of(position).items():
        texts = other_values(axes[name], value)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant):
                kept = node.value
                for text in (texts[0], texts[-1]):
                    node.value = replaced(kept, name, value, text)
                    failed = node.value != kept and fails(tree, names)
                    node.value = kept
                    if failed:
                        return True
    return False


def other_values(control: Any, value: str) -> list[str]:
    """List the other values of a control, of numbers those of another size if there are."""
    if control.kind == "switch":
        return ["off", "on"]
    values = control.values if control.kind == "range" else control.texts
    others = [text for text in map(str, values) if text != value]
    size = abs(number(value) or 0)
    return [text for text in others if abs(number(text) or 0) != size] or others


def replaced(constant: Any, name: str, old: str, new: str) -> Any:
    """Put one value of a control for another, where a constant is it or mentions it.

    A constant has no sign: it may be the size of a negative number.
    """
    if isinstance(constant, bool):
        return not constant if old == ("on" if constant else "off") else constant
    if isinstance(constant, int | float):
        value, other = number(old), number(new)
        if value is None or abs(value) != constant:
            return constant
        return (
            2 * constant + 1 if other is None or abs(other) == constant else abs(other)
        )
    if not isinstance(constant, str):
        return constant
    if constant == old:
        return new
    for written in (old, quote(old, safe="")):
        constant = constant.replace(
            f"{name}={written}", f"{name}={quote(new, safe='')}"
        )
    return constant


def elsewhere(figure: Callable) -> Callable:
    """Return the figure that draws another position than it is asked for."""

    @functools.wraps(figure)
    def draw(*args, **named):
        asked = inspect.signature(figure).bind(*args, **named)
        asked.apply_defaults()
        for control in figure.controls:
            ends = control.values[0], control.values[-1]
            at_start = asked.arguments[control.name] == ends[0]
            asked.arguments[control.name] = ends[1] if at_start else ends[0]
        return figure(*asked.args, **asked.kwargs)

    return draw


def another(value: Any, sign: int) -> Any:
    """Return another value of the same kind: numbers moved, also in what holds them.

    With the sign −1 they are turned round, so that they do not only grow.
    """
    match value:
        case bool() | np.bool_():
            return not value
        case int() | np.integer():
            return sign * (value + 1)
        case float() | np.floating():
            return sign * (1.5 * value + 0.4)
        case str():
            return f"{value}?"
        case np.ndarray():
            return _moved(value, sign)
        case torch.Tensor():
            return torch.as_tensor(_moved(value.numpy(force=True), sign))
        case tuple() if hasattr(value, "_fields"):
            return type(value)(*(another(held, sign) for held in value))
        case list() | tuple():
            return type(value)(another(held, sign) for held in value)
        case dict():
            return {key: another(held, sign) for key, held in value.items()}
        case type():
            return value
        case _ if callable(value):
            return lambda *args, **named: another(value(*args, **named), sign)
    return value


def _moved(array, sign):
    """Return an array of other numbers, its entries shuffled."""
    shuffled = np.random.default_rng(0).permuted(np.atleast_1d(array))
    shuffled = shuffled.reshape(array.shape)
    match array.dtype.kind:
        case "b":
            return ~shuffled
        case "u":
            return shuffled + array.dtype.type(1)
        case "i" | "f" | "c":
            return sign * (shuffled + 1)
    return shuffled
