"""A separate namespace for the test cells, which the student's code cannot change.

A test compares with ``np.allclose``, ``abs``, ``expect``, and a student can rebind each of
them, by accident (``from math import *``) or not (``np.allclose = lambda *_, **__: True``).
So a test runs in a separate namespace. It holds the answers, Python's names, those of the
setup cell, and copies of the modules as they were before the student's code ran. The
answers themselves go on using what the student has made of these names.

The kernel runs this file, and has no path to this repository: it imports nothing of it.
"""

import ast
import builtins
import gc
import json
import os
import re
import signal
import sys
import tempfile
import threading
import traceback
from contextlib import suppress
from functools import partial
from pathlib import Path
from runpy import run_path
from types import ModuleType

import_ = builtins.__import__
INSTALLERS = ("conda", "mamba", "micromamba", "uv")  # IPython's, besides %pip
SETTINGS = Path(__file__).with_name("settings.py")
FULL_MEMORY = 3 / 4  # of the memory: beyond this the cells that follow may lack some
SHARED_TMP = re.compile(r"""(?<=["'])/tmp(?=[/"'])""")  # not a division by tmp
SHARED_TMP_IN_SHELL = re.compile(r"(?<![\w.~/])/tmp\b")  # of a line with ! or %


class TestNamespace:
    """Setup and imports of an assignment; create it before the student's code runs."""

    __test__ = False  # the name means no test of pytest's

    def __init__(self, setup: str, tests: list[str]):
        packages = set()
        for node in ast.walk(ast.parse("\n".join([setup, *tests]))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                exec(ast.unparse(node), {})
                plain = isinstance(node, ast.Import)
                names = [n.name for n in node.names] if plain else [node.module]
                packages |= {name.split(".")[0] for name in names}
        copies = {
            module: ModuleType(name)
            for name, module in list(sys.modules.items())
            if name.split(".")[0] in packages and type(module) is ModuleType
        }
        for module, copy in copies.items():
            for name, value in vars(module).items():
                inner = type(value) is ModuleType
                vars(copy)[name] = copies.get(value, value) if inner else value
        self.modules = {
            name: copies[module]
            for name, module in list(sys.modules.items())
            if type(module) is ModuleType and module in copies
        }
        self.builtins = vars(builtins) | {"__import__": self._import}
        self.names = {"__name__": "__main__", "__builtins__": self.builtins}
        exec(setup, self.names)

    def _import(self, name, globals=None, locals=None, fromlist=(), level=0):
        """Import a module; return its copy, if there is one."""
        module = import_(name, globals, locals, fromlist, level)
        return self.modules.get(name if fromlist else name.split(".")[0], module)

    def names_for_test(self, answers: dict) -> dict:
        """Return the names for a test; of the student's, those that hide no other."""
        student_names = {k: v for k, v in answers.items() if k not in self.builtins}
        return student_names | self.names


def copied_builtins() -> ModuleType:
    """Return a copy of Python's names to rebind; NumPy and PyTorch keep the original."""
    copied = ModuleType("builtins")
    vars(copied).update(vars(builtins))
    return copied


def install(shell, setup: str, tests: list[str], journal: str) -> None:
    """Make an IPython shell run these test cells, given by their text, separately.

    ``journal`` is a file in which the shell leaves notes for execute.py.
    """
    shell.ask_exit = _end_cell  # what exit and quit call
    shell.unobserve_all("exit_now")  # by which kernel.do_shutdown ends Python later
    shell.input_transformers_cleanup.append(_replace_tmp)
    for name in INSTALLERS:
        shell.register_magic_function(partial(_as_command, shell, name), "line", name)
    namespace, student = TestNamespace(setup, tests), shell.user_module
    student.__builtins__ = sys.modules["builtins"] = copied_builtins()
    cells = Cells(shell, namespace, tests, Path(journal))
    shell.events.register("pre_run_cell", cells.begin)
    shell.events.register("post_run_cell", cells.end)


def _end_cell():
    raise SystemExit("this ends the cell, not the notebook")


def _as_command(shell, name, line):
    """Run a magic as the command of this name; IPython's own magics look for the program."""
    shell.system(f"{name} {line}")


def _replace_tmp(lines):
    """Return the lines of a cell with the submission's own folder in place of /tmp."""
    folder = Path(tempfile.gettempdir()).as_posix()
    if any(mark in folder for mark in "'\"\\"):
        return lines
    patterns = [
        SHARED_TMP_IN_SHELL if line.startswith(("!", "%")) else SHARED_TMP
        for line in lines
    ]
    return [p.sub(folder, line) for p, line in zip(patterns, lines, strict=True)]


class Cells:
    """Hooks before and after each cell, which also write the journal.

    A test runs with the settings as they were before the student's code. If it fails and
    the student has changed some, execute.py runs it again with the student's.
    """

    def __init__(self, shell, namespace, tests, journal):
        self.shell, self.namespace, self.tests = shell, namespace, tests
        self.student, self.journal, self.number = shell.user_module, journal, 0
        self.process, self.request, self.cell = os.getpid(), None, None
        self.settings = run_path(str(SETTINGS))["Settings"]()
        self.student_settings = None  # put away
        self.repeated_test = None  # one to be repeated
        self.reported = []  # names of settings
        self.threads, self.started = set(threading.enumerate()), {}

    def begin(self, cell):
        """Choose the namespace and the settings for a cell."""
        request = self.shell.get_parent()["header"]["msg_id"]
        if request == self.request:  # a cell within a cell, as %%capture runs one
            return
        self.request, self.cell, self.number = request, cell, self.number + 1
        self.shell.user_module, test = self.student, cell.raw_cell in self.tests
        if test:
            self.shell.user_module = ModuleType("__main__")
            names = self.namespace.names_for_test(vars(self.student))
            vars(self.shell.user_module).update(names)
        self.shell.user_ns = vars(self.shell.user_module)
        self.alarm = _alarm_is_set()
        running = [number for number, checks in self.started.items() if _any(checks)]
        self._write({"running": running})
        if test and cell.raw_cell != self.repeated_test:
            self.student_settings = self.settings.read()
            self.settings.put(self.settings.before, with_random=False)
        self.repeated_test = None

    def end(self, result):
        """Restore the student's settings, and record what has happened."""
        if result.info is not self.cell:
            return
        error = result.error_in_exec
        student_settings, self.student_settings = self.student_settings, None
        if student_settings:
            self.settings.put(student_settings)
        changed = self.settings.changed()
        note = {"exit": isinstance(error, SystemExit), "full": _memory_is_full(error)}
        note["settings"] = [name for name in changed if name not in self.reported]
        self.reported = changed
        if student_settings and changed and isinstance(error, Exception):
            self.repeated_test, note["again"] = result.info.raw_cell, changed
        threads = set(threading.enumerate())
        self.started[self.number] = [t.is_alive for t in threads - self.threads]
        self.threads |= threads
        if _alarm_is_set() and not self.alarm:
            self.started[self.number].append(_alarm_is_set)
        self._write({key: value for key, value in note.items() if value})

    def _write(self, note):
        if os.getpid() != self.process:  # a fork of the kernel, which runs cells, too
            return
        with suppress(OSError), self.journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"cell": self.number} | note) + "\n")


def _any(checks):
    return any(check() for check in checks)


def _alarm_is_set():
    return hasattr(signal, "getitimer") and signal.getitimer(signal.ITIMER_REAL)[0] > 0


def _memory_is_full(error):
    """Return whether a cell has left too little memory; ``error`` is its error or None."""
    if _memory() < FULL_MEMORY:
        return False
    if error:  # its traceback holds what its functions have made
        traceback.clear_frames(error.__traceback__)
        for frame, _ in traceback.walk_tb(error.__traceback__):
            _ = frame.f_locals  # a copy, until Python 3.13, which is renewed by this
    gc.collect()
    return _memory() >= FULL_MEMORY


def _memory():
    """Return the fraction in use of ``Limits.memory``; 0 on other systems than Linux."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_DATA)[0]
        pages = int(Path("/proc/self/statm").read_text("utf-8").split()[5])
    except (ImportError, OSError):
        return 0
    return pages * resource.getpagesize() / limit if limit > 0 else 0
