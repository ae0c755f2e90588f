"""Mutations of a figure: its checks have to fail once something else is drawn.

The checks are the cells after *What you should have seen*, tagged `seen`.

The checks run again with the names of their notebook, each time with one thing changed: the
figure, what it draws with, or a position to which the note under the figure links.
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
    errors = unnoticed(nbformat.read(path, 4), names)
    assert not errors, "\n".join(errors)


def unnoticed(notebook: NotebookNode, names: dict[str, Any]) -> list[str]:
    """List what the `seen` checks of a notebook do not notice, figure by figure.

    ``names`` are those that the notebook has bound. A figure is left out if it, or one of
    its checks, needs another name: the cell that binds it was not run.
    """
    foreign = imported(notebook) | {*dir(builtins)}
    errors = []
    for figure in figures(notebook):
        name, trees = figure.name, [ast.parse(check.source) for check in figure.checks]
        if name not in names or any(fails(tree, names) for tree in trees):
            continue
        changes = [{name: at_another_position(names[name])}]
        changes += [
            {read_name: changed_value(names[read_name], sign)}
            for read_name in sorted((figure.reads - foreign) & names.keys())
            for sign in (1, -1)
        ]
        if not any(fails(tree, names, change) for change in changes for tree in trees):
            errors.append(f"{name}: expected a check that sees what it draws, got none")
        for position in positions(figure):
            controls = names[name].controls
            if not any(
                fails_at_other_position(tree, names, controls, position)
                for tree in trees
            ):
                errors.append(f"{name}: expected a check at {position}, got none")
    return errors


def fails(
    tree: ast.Module, names: dict[str, Any], change: dict[str, Any] | None = None
) -> bool:
    """Tell whether code raises with these names, which it leaves as they are.

    ``change`` replaces names while the code runs. Data are replaced for the functions of
    the notebook too; functions are not, or a loop that waits for one might never end.
    """
    open_figures, scope = {*plt.get_fignums()}, names | (change or {})
    data = {k: v for k, v in (change or {}).items() if not callable(v)}
    original = {key: names[key] for key in data}
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
            names.update(original)
            for figure in {*plt.get_fignums()} - open_figures:
                plt.close(figure)
    return False


def fails_at_other_position(
    tree: ast.Module, names: dict[str, Any], controls: tuple, position: str
) -> bool:
    """Tell whether code raises when one of its mentions of a position is another."""
    ranges = {c.name: c.values for c in controls if c.kind == "range"}
    for name, value in values_of(position).items():
        ends = [abs(ranges[name][i]) for i in (0, -1)] if name in ranges else []
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant):
                original = node.value
                # Each replacement is put into the tree, and the code run.
                for node.value in replacements(original, name, value, ends):
                    if fails(tree, names):
                        node.value = original
                        return True
                node.value = original
    return False


def replacements(constant: Any, name: str, value: str, ends: list) -> list:
    """List what may stand for a constant that is, or mentions, the value of a control.

    A law that is asserted holds at each position, so besides the ``ends`` of a range there
    are values that no figure has. A constant has no sign: it may be that of a negative
    number.
    """
    match constant:
        case bool():
            return [not constant] if value == ("on" if constant else "off") else []
        case int() | float():
            size = number(value)
            if size is None or abs(size) != constant:
                return []
            others = [*ends, 2 * constant + 1, constant / 16 + 0.03]
            return [other for other in others if other != constant]
        case str() if constant == value:
            return [f"{constant}?"]
        case str():
            texts = (f"{name}={text}" for text in (value, quote(value, safe="")))
            return [constant.replace(t, f"{t}?") for t in texts if t in constant]
    return []


def at_another_position(figure: Callable) -> Callable:
    """Return the figure that draws another position than it is asked for."""

    @functools.wraps(figure)
    def draw(*args, **keywords):
        bound = inspect.signature(figure).bind(*args, **keywords)
        bound.apply_defaults()
        for control in figure.controls:
            value = bound.arguments[control.name]
            bound.arguments[control.name] = control.other(value)
        return figure(*bound.args, **bound.kwargs)

    return draw


def changed_value(value: Any, sign: int) -> Any:
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
            return _changed_array(value, sign)
        case torch.Tensor():
            return torch.as_tensor(_changed_array(value.numpy(force=True), sign))
        case tuple() if hasattr(value, "_fields"):
            return type(value)(*(changed_value(item, sign) for item in value))
        case list() | tuple():
            return type(value)(changed_value(item, sign) for item in value)
        case dict():
            return {key: changed_value(item, sign) for key, item in value.items()}
        case type():
            return value
        case _ if callable(value):
            return lambda *args, **keywords: changed_value(
                value(*args, **keywords), sign
            )
    return value


def _changed_array(array, sign):
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
