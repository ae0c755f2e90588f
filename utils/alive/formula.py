"""A function of x that a reader types, parsed and never evaluated as code.

The page's ``formula.js`` has the same grammar::

    sum      product, then + product or - product, any number of them
    product  signed, then * signed or / signed or, after a number, a power beside it
    signed   - signed, + signed, or power
    power    atom, or atom ^ signed (also **)
    atom     number, x, e, pi, ( sum ), or a function with its arguments in brackets

So ``-x^2`` is −(x²), ``2^-x`` is allowed, and ``2x`` is 2·x.
"""

import math
import re
from dataclasses import dataclass

import numpy as np
import torch
from scipy import special

MOST = 120  # characters
TOKEN = re.compile(
    r"\s*(\d+\.?\d*(?:e[-+]?\d+)?|\.\d+|[a-z]+|\*\*|[-+*/^(),])\s*", re.A
)
CONSTANTS = {"e": math.e, "pi": math.pi}
# By name: NumPy's, PyTorch's, and how many arguments.
FUNCTIONS = {
    "abs": (np.abs, torch.abs, 1),
    "cos": (np.cos, torch.cos, 1),
    "erf": (special.erf, torch.erf, 1),
    "exp": (np.exp, torch.exp, 1),
    "log": (np.log, torch.log, 1),
    "max": (np.maximum, torch.maximum, 2),
    "min": (np.minimum, torch.minimum, 2),
    "relu": (lambda x: np.maximum(x, 0), torch.relu, 1),
    "sigmoid": (special.expit, torch.sigmoid, 1),
    "sin": (np.sin, torch.sin, 1),
    "sqrt": (np.sqrt, torch.sqrt, 1),
    "tanh": (np.tanh, torch.tanh, 1),
}


@dataclass(frozen=True)
class Expression:
    """A parsed function of x: call it with a number, an array or a tensor."""

    text: str
    tree: tuple

    def __call__(self, x):
        """Return the values, of the shape of ``x``; nan or inf where there is none."""
        if torch.is_tensor(x):
            return _value(self.tree, x, 1) + torch.zeros_like(x)
        x = np.asarray(x, dtype=float)
        with np.errstate(all="ignore"):
            return _value(self.tree, x, 0) + np.zeros_like(x)


def parse(text: str) -> Expression:
    """Return the expression of a text; ValueError says what was expected, and where."""
    if len(text) > MOST:
        raise ValueError(f"expected at most {MOST} characters, got {len(text)}")
    reader = _Reader(text)
    tree = reader.sum()
    if reader.token:
        raise reader.error("an operator or the end")
    return Expression(text, tree)


class _Reader:
    """The tokens of a text, read from left to right."""

    def __init__(self, text):
        self.text, self.position, self.token = re.sub("[−–]", "-", text.lower()), 0, ""
        self.advance()

    def advance(self):
        """Return the present token, and go to the next; it is empty at the end."""
        before = self.token
        self.position += len(self.raw) if before else 0
        self.raw = self.token = ""
        if match := TOKEN.match(self.text, self.position):
            self.raw, self.token = match[0], match[1]
        elif self.text[self.position :].strip():
            raise self.error("numbers, x, functions and + - * / ^ ( )")
        return before

    def error(self, expected):
        rest = self.text[self.position :].strip()[:12]
        return ValueError(f"expected {expected}, got {rest or 'the end'}")

    def take(self, token, after=""):
        """Go past a token that has to be the next."""
        if self.token != token:
            raise self.error(f"“{token}”{after}")
        self.advance()

    def sum(self):
        tree = self.product()
        while self.token in ("+", "-"):
            tree = (self.advance(), tree, self.product())
        return tree

    def product(self):
        tree = self.signed()
        while True:
            if self.token in ("*", "/"):
                tree = (self.advance(), tree, self.signed())
            elif tree[0] == "number" and (self.token == "(" or self.token.isalpha()):
                tree = ("*", tree, self.power())
            else:
                return tree

    def signed(self):
        if self.token == "-":
            self.advance()
            return ("-", ("number", 0.0), self.signed())
        if self.token == "+":
            self.advance()
            return self.signed()
        return self.power()

    def power(self):
        tree = self.atom()
        if self.token in ("^", "**"):
            self.advance()
            return ("^", tree, self.signed())
        return tree

    def atom(self):
        token = self.token
        if token[:1].isdigit() or token[:1] == ".":
            return ("number", float(self.advance()))
        if token == "x":
            return (self.advance(),)
        if token in CONSTANTS:
            return ("number", CONSTANTS[self.advance()])
        if token in FUNCTIONS:
            return self.call()
        if token == "(":
            self.advance()
            tree = self.sum()
            self.take(")")
            return tree
        if token.isalpha():
            raise self.error(f"x, e, pi or one of {', '.join(FUNCTIONS)}")
        raise self.error("a number, x, a function or (")

    def call(self):
        name = self.advance()
        self.take("(", f" after {name}")
        arguments = [self.sum()]
        for _ in range(FUNCTIONS[name][2] - 1):
            self.take(",")
            arguments.append(self.sum())
        self.take(")")
        return (name, *arguments)


def _value(tree, x, library):
    """Return the value of a tree at x, by NumPy (0) or PyTorch (1)."""
    kind, *parts = tree
    if kind == "x":
        return x
    if kind == "number":
        number = parts[0]
        return torch.tensor(number, dtype=x.dtype) if library else np.float64(number)
    values = [_value(part, x, library) for part in parts]
    if kind in FUNCTIONS:
        return FUNCTIONS[kind][library](*values)
    a, b = values
    match kind:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return a / b
    return (np.power, torch.pow)[library](a, b)
