"""A namespace of their own for the test cells, which the student's code cannot change.

A test compares with ``np.allclose``, ``abs``, ``expect``, and a student can rebind each of
them, by accident (``from math import *``) or not (``np.allclose = lambda *_, **__: True``).
So a test runs in a namespace of its own. It holds the answers, and beside them Python's
names, the setup cell's and copies of the modules as they were before the student's code
ran; the code of the answers goes on to use what the student has made of them.

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
FULL = 3 / 4  # of the memory: beyond this the cells that follow may lack some
SHARED = re.compile(r"""(?<=["'])/tmp(?=[/"'])""")  # not a division by tmp
SHARED_IN_SHELL = re.compile(r"(?<![\w.~/])/tmp\b")  # in a line that begins with ! or %


class TestNamespace:
    """Setup and imports of an assignment; to be made before the student's code runs."""

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
        """Return the copy of a module, where there is one."""
        module = import_(name, globals, locals, fromlist, level)
        return self.modules.get(name if fromlist else name.split(".")[0], module)

    def beside(self, answers: dict) -> dict:
        """Return the names for a test: of the student's those that mean nothing else."""
        theirs = {k: v for k, v in answers.items() if k not in self.builtins}
        return theirs | self.names


def second_builtins() -> ModuleType:
    """Python's names, for the student to rebind; NumPy and PyTorch go on to use the first."""
    second = ModuleType("builtins")
    vars(second).update(vars(builtins))
    return second


def install(shell, setup: str, tests: list[str], journal: str) -> None:
    """Have an IPython shell run these test cells, known by their text, apart.

    ``journal`` is a file to which the shell writes what execute.py has to know.
    """
    shell.ask_exit = _end_cell  # what exit and quit call
    shell.unobserve_all("exit_now")  # by which kernel.do_shutdown ends Python later
    shell.input_transformers_cleanup.append(_own_tmp)
    for name in INSTALLERS:
        shell.register_magic_function(partial(_as_command, shell, name), "line", name)
    namespace, student = TestNamespace(setup, tests), shell.user_module
    student.__builtins__ = sys.modules["builtins"] = second_builtins()
    cells = Cells(shell, namespace, tests, Path(journal))
    shell.events.register("pre_run_cell", cells.begin)
    shell.events.register("post_run_cell", cells.end)


def _end_cell():
    raise SystemExit("this ends the cell, not the notebook")


def _as_command(shell, name, line):
    """Run a magic as the command of this name: IPython's own look for the program first."""
    shell.system(f"{name} {line}")


def _own_tmp(lines):
    """Lines of a cell that write to the submission's own folder in place of /tmp."""
    own = Path(tempfile.gettempdir()).as_posix()
    if any(mark in own for mark in "'\"\\"):
        return lines
    places = [
        SHARED_IN_SHELL if line.startswith(("!", "%")) else SHARED for line in lines
    ]
    return [p.sub(own, line) for p, line in zip(places, lines, strict=True)]


class Cells:
    """What is done before and after each cell, with lines in the journal.

    A test runs with the settings as they were before the student's code. Where it fails,
    and the student has changed some, execute.py has it run again with the student's.
    """

    def __init__(self, shell, namespace, tests, journal):
        self.shell, self.namespace, self.tests = shell, namespace, tests
        self.student, self.journal, self.number = shell.user_module, journal, 0
        self.process, self.request, self.cell = os.getpid(), None, None
        self.settings = run_path(str(SETTINGS))["Settings"]()
        self.theirs = self.again = None  # settings put away; a test to be repeated
        self.said = []  # names of settings
        self.threads, self.started = set(threading.enumerate()), {}

    def begin(self, cell):
        """Choose names and settings for a cell."""
        request = self.shell.get_parent()["header"]["msg_id"]
        if request == self.request:  # a cell within a cell, as %%capture runs one
            return
        self.request, self.cell, self.number = request, cell, self.number + 1
        self.shell.user_module, test = self.student, cell.raw_cell in self.tests
        if test:
            self.shell.user_module = ModuleType("__main__")
            names = self.namespace.beside(vars(self.student))
            vars(self.shell.user_module).update(names)
        self.shell.user_ns = vars(self.shell.user_module)
        self.alarm = _alarm_is_set()
        running = [number for number, found in self.started.items() if _any(found)]
        self._write({"running": running})
        if test and cell.raw_cell != self.again:
            self.theirs = self.settings.read()
            self.settings.put(self.settings.before, luck=False)
        self.again = None

    def end(self, result):
        """Give the student's settings back, and write down what has happened."""
        if result.info is not self.cell:
            return
        error, theirs, self.theirs = result.error_in_exec, self.theirs, None
        if theirs:
            self.settings.put(theirs)
        changed = self.settings.changed()
        found = {"exit": isinstance(error, SystemExit), "full": _memory_is_full(error)}
        found["settings"] = [name for name in changed if name not in self.said]
        self.said = changed
        if theirs and changed and isinstance(error, Exception):
            self.again, found["again"] = result.info.raw_cell, changed
        threads = set(threading.enumerate())
        self.started[self.number] = [t.is_alive for t in threads - self.threads]
        self.threads |= threads
        if _alarm_is_set() and not self.alarm:
            self.started[self.number].append(_alarm_is_set)
        self._write({what: value for what, value in found.items() if value})

    def _write(self, found):
        if os.getpid() != self.process:  # a fork of the kernel, which runs cells, too
            return
        with suppress(OSError), self.journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"cell": self.number} | found) + "\n")


def _any(questions):
    return any(is_so() for is_so in questions)


def _alarm_is_set():
    return hasattr(signal, "getitimer") and signal.getitimer(signal.ITIMER_REAL)[0] > 0


def _memory_is_full(error):
    """Whether a cell, after an error in it or None, leaves the others too little."""
    if _memory() < FULL:
        return False
    if error:  # its traceback holds what its functions have made
        traceback.clear_frames(error.__traceback__)
        for frame, _ in traceback.walk_tb(error.__traceback__):
            _ = frame.f_locals  # a copy, until Python 3.13, which is renewed by this
    gc.collect()
    return _memory() >= FULL


def _memory():
    """Return the share that is used of what ``Limits.memory`` allows, on Linux."""
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_DATA)[0]
        pages = int(Path("/proc/self/statm").read_text("utf-8").split()[5])
    except (ImportError, OSError):
        return 0
    return pages * resource.getpagesize() / most if most > 0 else 0
