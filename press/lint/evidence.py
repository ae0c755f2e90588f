"""Conditions that are decided before any cell runs, and so prove nothing.

ruff finds those that compare a name with itself, or assert a tuple or a text. Whether a check
can fail at all shows when it is run: see ``tests.chapter_code`` and
``press.execution.figure_mutations``.
"""

import ast

from press.lint.cells import code


def decoys(notebook):
    """List the conditions of a notebook that cannot fail."""
    return [
        f"expected a condition that can fail, got {condition}"
        for cell in code(notebook)
        for condition in fixed_conditions(cell.source)
    ]


def fixed_conditions(source):
    """List the parts of conditions that compute nothing, such as ``1 != 3``.

    ``assert False`` says that the code must not come here, ``while True`` that it goes on.
    """
    return [
        ast.unparse(part)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Assert | ast.If | ast.IfExp)
        for part in parts(node.test)
        if not any(isinstance(n, ast.Name | ast.BinOp) for n in ast.walk(part))
        and not (isinstance(part, ast.Constant) and part.value is False)
    ]


def parts(condition):
    """List the parts of a condition that ``and``, ``or`` and ``not`` hold together."""
    match condition:
        case ast.BoolOp(values=inner):
            return [part for each in inner for part in parts(each)]
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return parts(inner)
    return [condition]
