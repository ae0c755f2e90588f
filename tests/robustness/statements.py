"""A cell's code, statement by statement, with its checks recorded instead of raised.

Where chance and products enter, the code calls what ``names`` gives it, so that seeds and
last bits can be moved.
"""

import ast
import inspect
import operator
from collections.abc import Callable

import numpy as np

from tests.robustness.seeds import KEYWORDS, SOURCES, moved, moving
from utils import checks

CHECKS = {
    name
    for name, value in vars(checks).items()
    if inspect.isfunction(value) and not name.startswith("_")
}
LONGEST = 60  # characters of a value as it is told


def watched(code: str, name: str) -> list:
    """Return the code's statements, each compiled alone, to be run with the names of ``names``."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            child.parent = node
    tree = ast.fix_missing_locations(_Watched().visit(tree))
    return [
        compile(ast.Module([statement], []), name, "exec") for statement in tree.body
    ]


def names(
    fell: Callable[[int, str], None],
    shift: int = 0,
    product: Callable = operator.matmul,
) -> dict:
    """Return what the code of ``watched`` calls.

    ``fell(line, what was got)`` hears of each check that falls; ``shift`` is added to every
    seed, and ``product`` computes ``a @ b``.
    """

    def __fell__(line, error, *sides):
        fell(line, told(error, sides))

    return {
        "__moving__": lambda source: moving(source, shift),
        "__moved__": lambda seed: moved(seed, shift),
        "__product__": product,
        "__fell__": __fell__,
    }


def told(error: BaseException, sides: tuple = ()) -> str:
    """Return what was got instead: both sides of a comparison, else what the error says."""
    values = []
    for source, value in sides:
        try:
            values.append(f"{source} = {_short(value())}")
        except Exception:  # its names may be gone: what the error says must do
            values = []
            break
    if values and isinstance(error, AssertionError):
        return ", ".join(values)
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[: 4 * LONGEST]


def checks_in(code: str) -> int:
    """Return how many statements of the code are checks."""
    return sum(
        isinstance(node, ast.Assert) or _is_check(node)
        for node in ast.walk(ast.parse(code))
    )


def _is_check(node):
    call = node.value if isinstance(node, ast.Expr) else None
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in CHECKS
    )


def _short(value):
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    array = np.asarray(value.detach() if hasattr(value, "detach") else value)
    if array.ndim and array.size > 6 and array.dtype.kind in "fiu":
        return f"{array.shape} from {array.min():.4g} to {array.max():.4g}"
    text = " ".join(np.array2string(array, precision=4).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


class _Watched(ast.NodeTransformer):
    """Sources of chance and products wrapped; what follows a check that falls goes on."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult):
            return _call("__product__", node.left, node.right)
        return node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        is_read = isinstance(node.ctx, ast.Load)
        return _call("__moving__", node) if is_read and node.attr in SOURCES else node

    def visit_Name(self, node):
        is_read = isinstance(node.ctx, ast.Load)
        is_source = is_read and node.id in SOURCES - {"seed"}
        return _call("__moving__", node) if is_source else node

    def visit_keyword(self, node):
        self.generic_visit(node)
        if node.arg in KEYWORDS:
            node.value = _call("__moved__", node.value)
        return node

    def visit_Dict(self, node):  # arguments that are handed on: f(**settings)
        self.generic_visit(node)
        are_keywords = [
            isinstance(k, ast.Constant) and k.value in KEYWORDS for k in node.keys
        ]
        node.values = [
            _call("__moved__", value) if seed else value
            for value, seed in zip(node.values, are_keywords, strict=True)
        ]
        return node

    def visit_Assert(self, node):
        sides = [_side(side) for side in _sides(node.test)]
        self.generic_visit(node)
        return node if _is_expected_to_fall(node) else _recorded(node, sides)

    def visit_Expr(self, node):
        is_check = _is_check(node) and not _is_expected_to_fall(node)
        self.generic_visit(node)
        return _recorded(node, []) if is_check else node


def _call(name, *arguments):
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _sides(test):
    """Return what the comparisons of a condition compare, or the condition; without constants."""
    if isinstance(test, ast.BoolOp):
        return [side for value in test.values for side in _sides(value)]
    sides = [test]
    if isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
    return [side for side in sides if not isinstance(side, ast.Constant)]


def _side(part):
    """Return a side of a comparison as ``(its source, a function that computes it again)``."""
    arguments = ast.arguments([], [], None, [], [], None, [])
    copy = ast.parse(ast.unparse(part), mode="eval").body
    later = ast.Lambda(arguments, _Watched().visit(copy))
    return ast.Tuple([ast.Constant(ast.unparse(part)), later], ast.Load())


def _is_expected_to_fall(node):
    """Return whether the notebook itself may catch what this check raises.

    As around it, or where the function that it is in is called.
    """
    while node := getattr(node, "parent", None):
        if isinstance(node, ast.FunctionDef) or getattr(node, "handlers", None):
            return True
    return False


def _recorded(node, sides):
    error = ast.Name("__error__", ast.Load())
    call = _call("__fell__", ast.Constant(node.lineno), error, *sides)
    handler = ast.ExceptHandler(
        ast.Name("Exception", ast.Load()), "__error__", [ast.Expr(call)]
    )
    guarded = ast.Try([node], [handler], [], [])
    return ast.copy_location(guarded, node)
