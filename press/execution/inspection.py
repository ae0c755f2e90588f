"""Where a cell failed, and what it got there: asked in its kernel, right after.

IPython keeps the last error with the frames that it came through.
"""

import ast
import json
import linecache
import sys
import traceback
from types import FrameType

from IPython import get_ipython

MAX_LINES = 12  # of a statement as it is shown
MAX_CHARACTERS = 200  # characters of a value as it is shown


def print_last_error() -> None:
    """Print the last error as JSON: its name, what it says, the line, the statement."""
    print(json.dumps(inspect(sys.last_value, get_ipython().user_ns)))


def inspect(error: BaseException, names: dict) -> dict:
    """Collect what ``print_last_error`` prints of an error of a cell that was run with ``names``.

    ``name`` and ``message`` are the error's, ``line`` counts in the cell from 1, ``statement``
    is the one at that line, ``is_assertion`` says whether the error is one, and ``values`` what
    the sides of its comparison were.
    """
    steps = list(traceback.walk_tb(error.__traceback__))
    files = [f.f_code.co_filename for f, _ in steps if f.f_globals is names]
    own_steps = [
        i for i, (f, _) in enumerate(steps) if files[:1] == [f.f_code.co_filename]
    ]
    notes = getattr(error, "__notes__", [])
    report = {
        "name": type(error).__name__,
        "message": "\n".join(filter(None, [str(error), *notes])),
    }
    if not own_steps:  # it was not even compiled
        line, text = getattr(error, "lineno", None), getattr(error, "text", None)
        return report | {"line": line, "statement": (text or "").strip()}
    frame, line = steps[own_steps[-1]]
    lines = [text.rstrip("\n") for text in linecache.getlines(files[0])]
    statement = _statement("\n".join(lines), line)
    report |= {"line": line, "statement": _text(statement, lines, line)}
    report["is_assertion"] = isinstance(error, AssertionError)
    if isinstance(statement, ast.Assert) and steps[-1][0] is frame:
        report["values"] = _values(statement.test, frame)
    return report


def _statement(code, line):
    """Find the innermost statement of the code that has the line; None if none has it."""
    try:
        statements = [n for n in ast.walk(ast.parse(code)) if isinstance(n, ast.stmt)]
    except SyntaxError:
        return None
    statements = [n for n in statements if n.lineno <= line <= n.end_lineno]
    return min(statements, key=lambda n: n.end_lineno - n.lineno, default=None)


def _text(statement, lines, line):
    """Return the source of a statement, of a compound one its head alone."""
    start, end = line, line
    if statement is not None:
        body = getattr(statement, "body", None)
        start = statement.lineno
        end = body[0].lineno - 1 if body else statement.end_lineno
    excerpt = [text for text in lines[start - 1 : max(start, end)]][:MAX_LINES]
    margin = min((len(t) - len(t.lstrip()) for t in excerpt if t.strip()), default=0)
    return "\n".join(text[margin:] for text in excerpt)


def _values(test: ast.expr, frame: FrameType) -> list[str]:
    """Compute the sides of a comparison again; give none if it holds now."""
    names, values = frame.f_globals | frame.f_locals, []
    try:
        for side in _sides(test):
            values.append(f"{ast.unparse(side)} is {_short(_value(side, names))}")
        return [] if _value(test, names) else values
    except Exception:  # what it needs may be gone: what the error says must do
        return []


def _sides(test):
    if isinstance(test, ast.BoolOp):
        return [side for value in test.values for side in _sides(value)]
    if isinstance(test, ast.Compare):
        return [
            side for side in (test.left, *test.comparators) if not _is_literal(side)
        ]
    return [test]


def _is_literal(node):
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def _value(node, names):
    return eval(compile(ast.Expression(node), "<again>", "eval"), names)


def _short(value):
    """Write a value in a line: numbers as they are read, whatever holds them."""
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        value = value.item()
    text = (
        f"{value:.10g}" if isinstance(value, float) else " ".join(repr(value).split())
    )
    return text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS] + " …"
