"""What a check asserts, and what in it proves nothing.

A figure's numbers are asserted only if they flow into a condition that can fail: through
assignments, loops, comprehensions and calls of the same cell. All is read from the code,
nothing is run, so a condition that is always true for a deeper reason passes here.
"""

import ast
from itertools import pairwise

from press.lint.cells import code

ASSERTING = {"assert_close", "check_gradients", "check_against_torch"}
# Arguments of those, of methods and of zip that say how, never what.
HOW = {"atol", "rtol", "equal_nan", "name", "axis", "strict"}
FOR_EFFECT = {"plt.close", "print"}
ALWAYS_EQUAL = ast.Eq | ast.Is | ast.LtE | ast.GtE
CONSTANTS = {"np.inf", "np.nan", "np.pi", "math.inf", "math.nan", "math.pi"}


def decoys(notebook):
    """Conditions of assertions that cannot fail."""
    drawn_by = figures(notebook)
    return [
        f"expected a condition that can fail, got {ast.unparse(leaf)}"
        for cell in code(notebook)
        for test in conditions(ast.parse(cell.source))
        for leaf in leaves(test)
        if proves_nothing(leaf, drawn_by)
    ]


def figures(notebook):
    """Names of the functions that draw the interactive figures."""
    return {
        node.name
        for cell in code(notebook)
        for node in ast.parse(cell.source).body
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        if ast.unparse(decorator).startswith("interact(")
    }


def conditions(tree):
    """The conditions of the ``assert`` statements in a piece of code."""
    return [node.test for node in ast.walk(tree) if isinstance(node, ast.Assert)]


def leaves(test):
    """The parts of a condition that ``and``, ``or``, ``not`` and ``if`` hold together."""
    match test:
        case ast.BoolOp(values=parts):
            pass
        case ast.UnaryOp(op=ast.Not(), operand=part) | ast.NamedExpr(value=part):
            parts = [part]
        case ast.IfExp(body=one, orelse=other):
            parts = [one, other]
        case _:
            return [test]
    return [leaf for part in parts for leaf in leaves(part)]


def proves_nothing(leaf, figures):
    """Whether a part of a condition has the same truth whatever the notebook computed.

    So have literals, tuples, figures, what is done for its effect, the values of a
    position that the code itself names, and comparisons of such things alone.
    """
    match leaf:
        case ast.Constant(value=False):  # assert False: here the code must not come
            return False
        case ast.Tuple() | ast.List() | ast.Set() | ast.Dict():
            return True
        case ast.Lambda() | ast.JoinedStr():
            return True
        case ast.Call(func=ast.Name("all" | "any"), args=[found]):
            return repeated(found, figures)
        case ast.Call(func=ast.Name("bool" | "isinstance"), args=[found, *_]):
            return is_fixed(found, figures)
        case ast.Compare(left=left, comparators=others, ops=signs):
            sides = [left, *others]
            return all(is_fixed(side, figures) for side in sides) or any(
                is_same(*pair) and isinstance(sign, ALWAYS_EQUAL)
                for pair, sign in zip(pairwise(sides), signs, strict=True)
            )
    return is_fixed(leaf, figures)


def repeated(found, figures):
    """Whether ``all`` or ``any`` asks only things that prove nothing."""
    match found:
        case ast.Call(func=ast.Name("map"), args=[ast.Name(asked), *_]):
            return asked in figures
        case ast.GeneratorExp(elt=element) | ast.ListComp(elt=element):
            return any(proves_nothing(leaf, figures) for leaf in leaves(element))
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            asked = [leaf for element in elements for leaf in leaves(element)]
            return any(proves_nothing(leaf, figures) for leaf in asked)
    return is_fixed(found, figures)


def is_fixed(node, figures):
    """Whether an expression is a literal, a figure, a named position or a mere effect."""
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(operand=part) | ast.Starred(value=part):
            return is_fixed(part, figures)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return all(is_fixed(part, figures) for part in parts)
        case ast.Dict(values=parts):
            return all(is_fixed(part, figures) for part in parts)
        case ast.Call(func=ast.Name("position")):
            return True
        case ast.Call(func=ast.Name(called)) if called in figures:
            return True
        case ast.Call(func=called) if ast.unparse(called) in FOR_EFFECT:
            return True
        case ast.Subscript(value=part, slice=index):
            return is_fixed(part, figures) and is_fixed(index, figures)
        case ast.Attribute(value=part, attr="axes"):
            return is_fixed(part, figures)
        case ast.Call(func=ast.Attribute(value=part, attr="values" | "items")):
            return is_fixed(part, figures)
    return ast.unparse(node) in CONSTANTS


def is_same(one, other):
    """Whether two expressions are one and the same, and no call that may be drawn anew."""
    calls = any(isinstance(node, ast.Call) for node in ast.walk(one))
    return not calls and ast.dump(one) == ast.dump(other)


def asserted(tree, figures):
    """The expressions of a check that its assertions rest on, nearest to them first."""
    sources = flows(tree)
    found = evidence(tree, figures)
    for expression in found:  # grows as it is read
        for node in parts(expression):
            if isinstance(node, ast.Name):
                found += sources.pop(node.id, [])
    return found


def bare_names(tree):
    """Names that a check asserts alone, so that it does not say what they hold."""
    tests = [leaf for test in conditions(tree) for leaf in leaves(test)]
    return [leaf.id for leaf in tests if isinstance(leaf, ast.Name)]


def evidence(tree, figures):
    """What is asserted itself: live conditions, and arguments of what asserts."""
    found = [
        leaf
        for test in conditions(tree)
        for leaf in leaves(test)
        if not isinstance(leaf, ast.Name) and not proves_nothing(leaf, figures)
    ]
    names = set(ASSERTING)
    for name, bodies in flows(tree).items():  # a helper of the cell may do it
        if any(asserts(body, ASSERTING) for body in bodies):
            names.add(name)
    found += [node for node in ast.walk(tree) if is_call(node, names)]
    for node in ast.walk(tree):  # what an ``if`` asserts depends on its question
        match node:
            case ast.If(test=question) if asserts(node, names):
                found.append(question)
            case ast.Assert(test=ast.IfExp(test=question)):
                found.append(question)
    return found


def asserts(tree, names):
    """Whether a piece of code asserts, by a statement or by a function of that name."""
    return any(isinstance(n, ast.Assert) or is_call(n, names) for n in ast.walk(tree))


def is_call(node, names):
    return isinstance(node, ast.Call) and ast.unparse(node.func) in names


def flows(tree):
    """By name the expressions that feed it: what it is set to, loops over, is given."""
    found = {}

    def feed(target, value):
        match target, value:
            case ast.Name(name), _:
                found.setdefault(name, []).append(value)
            case ast.Tuple(ones), ast.Tuple(others) if len(ones) == len(others):
                for pair in zip(ones, others, strict=True):
                    feed(*pair)
            case ((ast.Tuple(some) | ast.List(some)), _):
                for each in some:
                    feed(each, value)
            case ast.Subscript(value=changed, slice=where), _:
                feed(changed, value)
                feed(changed, where)
            case ((ast.Attribute(value=changed) | ast.Starred(value=changed)), _):
                feed(changed, value)

    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    feed(target, value)
            case ast.AugAssign(target=target, value=value):
                feed(target, value)
            case ast.NamedExpr(target=target, value=value):
                feed(target, value)
            case ast.For(target=target, iter=value):
                feed(target, value)
            case ast.comprehension(target=target, iter=value):
                feed(target, value)
            case ast.FunctionDef(name=name):
                feed(ast.Name(name), node)
            case ast.Expr(ast.Call(func=ast.Attribute(value=changed), args=values)):
                for value in values:  # errors.append(error)
                    feed(changed, value)
    return found


def parts(expression):
    """An expression and all in it, but for how it is compared and whose position it is."""
    yield expression
    children = list(ast.iter_child_nodes(expression))
    if isinstance(expression, ast.Call):
        if is_call(expression, {"position"}):
            children = expression.args[1:]
        if not isinstance(expression.func, ast.Name) or is_call(
            expression, ASSERTING | {"zip"}
        ):
            children = [c for c in children if getattr(c, "arg", None) not in HOW]
    for child in children:
        yield from parts(child)
