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
import sys
from types import ModuleType

import_ = builtins.__import__


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
        """The copy of a module, where there is one."""
        module = import_(name, globals, locals, fromlist, level)
        return self.modules.get(name if fromlist else name.split(".")[0], module)

    def beside(self, answers: dict) -> dict:
        """The names for a test: of the student's those that mean nothing else."""
        theirs = {k: v for k, v in answers.items() if k not in self.builtins}
        return theirs | self.names


def second_builtins() -> ModuleType:
    """Python's names, for the student to rebind; NumPy and PyTorch go on to use the first."""
    second = ModuleType("builtins")
    vars(second).update(vars(builtins))
    return second


def install(shell, setup: str, tests: list[str]) -> None:
    """Have an IPython shell run these test cells, known by their text, apart."""
    namespace, student = TestNamespace(setup, tests), shell.user_module
    student.__builtins__ = sys.modules["builtins"] = second_builtins()

    def choose(cell):
        shell.user_module = student
        if cell.raw_cell in tests:
            shell.user_module = ModuleType("__main__")
            vars(shell.user_module).update(namespace.beside(vars(student)))
        shell.user_ns = vars(shell.user_module)

    shell.events.register("pre_run_cell", choose)
