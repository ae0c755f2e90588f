"""State that a program can change without rebinding a name: modes, paths, random states.

``torch.set_grad_enabled(False)`` rebinds nothing, and every later cell computes without
gradients. So isolation.py reads the settings before the student's code runs and puts them
back for the tests.

The kernel runs this file as it does isolation.py: it imports nothing of this repository.
"""

import decimal
import gc
import locale
import os
import random
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple


class Setting(NamedTuple):
    """One setting: its name in words, and how it is read and put."""

    name: str
    read: Callable[[], Any]
    put: Callable[[Any], Any]
    affects_results: bool = False  # and not only their display: worth a remark
    is_random: bool = False  # the state of random numbers, which goes on by itself


# A setting that affects results, so that a test must not find it changed.
Rule = partial(Setting, affects_results=True)


class Settings:
    """The settings of Python and of the libraries that are loaded when this is made."""

    def __init__(self):
        self.all = _of_python()
        for library, settings in [
            ("numpy", _of_numpy),
            ("torch", _of_torch),
            ("matplotlib", _of_matplotlib),
            ("sklearn", _of_sklearn),
        ]:
            if library in sys.modules:
                self.all += settings()
        self.before = self.read()

    def read(self) -> list:
        """Return the current values; None for a setting that cannot be read."""
        return [_read(setting) for setting in self.all]

    def put(self, values: list, with_random: bool = True) -> None:
        """Set the values that ``read`` has returned; random states only ``with_random``."""
        for setting, value in zip(self.all, values, strict=True):
            if with_random if setting.is_random else _differ(value, _read(setting)):
                with suppress(Exception):  # a working folder that is gone
                    setting.put(value)

    def changed(self) -> list[str]:
        """Return the names of the settings that have changed and affect results."""
        triples = zip(self.all, self.read(), self.before, strict=True)
        return [
            s.name
            for s, v, before in triples
            if s.affects_results and _differ(before, v)
        ]


def _read(setting):
    try:
        return setting.read()
    except Exception:  # os.getcwd, where the folder has been removed
        return None


def _differ(expected, actual):
    """Return whether a value has to be set again; not if it could not be read."""
    try:
        return expected is not None and bool(expected != actual)
    except Exception:  # arrays among them, which have no one answer
        return True


def _of_python():
    modules = [name for name in sys.modules if name not in ("__main__", "builtins")]
    settings = [
        Rule("the working folder", os.getcwd, os.chdir),
        Setting("the environment", lambda: dict(os.environ), _put_environment),
        Rule("sys.path", lambda: list(sys.path), _put_path(sys.path)),
        Setting(
            "sys.modules",
            lambda: {n: sys.modules[n] for n in modules if n in sys.modules},
            lambda value: _put_modules(modules, value),
        ),
        Setting("sys.stdout", lambda: sys.stdout, lambda v: _put(sys, stdout=v)),
        Setting("sys.stderr", lambda: sys.stderr, lambda v: _put(sys, stderr=v)),
        Rule("the recursion limit", sys.getrecursionlimit, sys.setrecursionlimit),
        Setting("warning filters", lambda: list(warnings.filters), _put_filters),
        Setting(
            "the locale",
            lambda: locale.setlocale(locale.LC_ALL),
            lambda value: locale.setlocale(locale.LC_ALL, value),
        ),
        Rule(
            "the decimal context",
            lambda: {
                **{name: getattr(decimal.getcontext(), name) for name in DECIMAL},
                "traps": dict(decimal.getcontext().traps),
            },
            lambda value: _put(decimal.getcontext(), **value),
        ),
        Setting(
            "garbage collection",
            gc.isenabled,
            lambda on: gc.enable() if on else gc.disable(),
        ),
        Setting("signal handlers", _handlers, _put_handlers),
        Setting("random", random.getstate, random.setstate, is_random=True),
    ]
    if hasattr(signal, "setitimer"):  # an alarm that a cell has set waits for a test
        clock = signal.ITIMER_REAL
        read = lambda: signal.getitimer(clock)
        settings.append(
            Setting("the alarm", read, lambda v: signal.setitimer(clock, *v))
        )
    return settings


DECIMAL = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")


def _put(owner, **values):
    for name, value in values.items():
        setattr(owner, name, value)


def _put_path(path):
    def put(value):
        path[:] = value
        sys.path = path  # the same list, which the tests' copy of sys has, too

    return put


def _put_environment(value):
    os.environ.clear()
    os.environ.update(value)


def _put_modules(names, value):
    """Restore these modules; those imported since then stay, and go on working."""
    for name in names:
        if name in value:
            sys.modules[name] = value[name]
        else:
            sys.modules.pop(name, None)


def _put_filters(value):
    warnings.resetwarnings()  # which also forgets for what line it has warned already
    warnings.filters[:] = value


def _handlers():
    """Return all signal handlers but SIGINT's, which the kernel sets for each cell."""
    numbers = signal.valid_signals() - {signal.SIGINT}
    handlers = {number: signal.getsignal(number) for number in numbers}
    return {n: handler for n, handler in handlers.items() if handler is not None}


def _put_handlers(value):
    for number, handler in value.items():
        if signal.getsignal(number) != handler:
            signal.signal(number, handler)


def _of_numpy():
    import numpy as np

    seterr, set_printoptions = np.seterr, np.set_printoptions
    generator = np.random.mtrand._rand  # what np.random.seed seeds
    return [
        Rule("NumPy's errors", np.geterr, lambda v: seterr(**v)),
        Setting(
            "NumPy's print options",
            np.get_printoptions,
            lambda value: set_printoptions(**value),
        ),
        Setting("np.random", generator.get_state, generator.set_state, is_random=True),
    ]


def _of_torch():
    import torch

    default = torch.get_default_device()
    set_device, set_autocast = torch.set_default_device, torch.set_autocast_enabled
    set_printoptions, set_anomaly = torch.set_printoptions, torch.set_anomaly_enabled
    set_deterministic = torch.use_deterministic_algorithms
    rules = [
        (
            "inference mode",
            torch.is_inference_mode_enabled,
            _put_inference(torch.inference_mode),
        ),
        ("gradient mode", torch.is_grad_enabled, torch.set_grad_enabled),
        ("default dtype", torch.get_default_dtype, torch.set_default_dtype),
        (
            "default device",
            torch.get_default_device,
            lambda device: set_device(None if device == default else device),
        ),
        (
            "autocast",
            lambda: torch.is_autocast_enabled("cpu"),
            lambda on: set_autocast("cpu", on),
        ),
        (
            "deterministic mode",
            lambda: (
                torch.are_deterministic_algorithms_enabled(),
                torch.is_deterministic_algorithms_warn_only_enabled(),
            ),
            lambda value: set_deterministic(value[0], warn_only=value[1]),
        ),
        (
            "anomaly mode",
            lambda: (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()),
            lambda value: set_anomaly(*value),
        ),
    ]
    return [
        *(Rule(f"PyTorch's {n}", r, put) for n, r, put in rules),
        Setting("PyTorch's threads", torch.get_num_threads, torch.set_num_threads),
        Setting(
            "PyTorch's precision of products",
            torch.get_float32_matmul_precision,
            torch.set_float32_matmul_precision,
        ),
        Setting(
            "PyTorch's print options",
            torch._tensor_str.get_printoptions,
            lambda value: set_printoptions(**value),
        ),
        Setting(
            "torch.random", torch.get_rng_state, torch.set_rng_state, is_random=True
        ),
    ]


def _put_inference(mode):
    """Return a setter that enters a context or leaves it: this mode has no switch."""
    entered = []

    def put(on):
        if entered:
            return entered.pop().__exit__(None, None, None)
        entered.append(mode(on))
        return entered[-1].__enter__()

    return put


def _of_matplotlib():
    from matplotlib import rcParams

    def read():
        return {key: value for key, value in dict.items(rcParams) if key != "backend"}

    put = lambda value: dict.update(rcParams, value)
    return [Setting("matplotlib's rcParams", read, put)]


def _of_sklearn():
    import sklearn

    put = sklearn.set_config
    return [
        Rule(
            "scikit-learn's configuration",
            sklearn.get_config,
            lambda value: put(**value),
        )
    ]
