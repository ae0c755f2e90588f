"""What a check asserts: decoys are named, their honest neighbours pass."""

import ast

import nbformat
import pytest

from press.lint import decoys, seen
from press.lint.evidence import asserted, parts
from press.lint.sliders import literals
from tests.chapters.test_lint import ANSWER, PREDICT, code, text

WIDGET = '''@interact(a=(0, 9), ink=["blue", "red"])
def curve(a=0, ink="blue"):
    """A curve."""
    return plt.draw(xs, a)'''


def notebook(check, answer="It is [high](#curve:a=7,ink=red).", setup=""):
    return nbformat.v4.new_notebook(
        cells=[
            code(setup or "import numpy as np", "setup"),
            text(PREDICT),
            code(WIDGET, "widget"),
            text(ANSWER.format(answer)),
            code(check, "check", "seen"),
        ]
    )


@pytest.mark.parametrize(
    "condition",
    [
        "True",
        "1",
        '"drawn"',
        'f"drawn {x}"',
        "(x < 3, 'a message')",
        "[x]",
        "{x}",
        "{x: 1}",
        "(lambda: x)",
        "curve(7)",
        "curve(7).axes",
        "curve(7).axes[0]",
        "curve(7) is not None",
        "isinstance(curve(7), plt.Figure)",
        "bool(curve(7))",
        "(fig := curve(7))",
        'not plt.close("all")',
        "not print(x)",
        "3 == 3",
        "-3 < 3",
        "(1, 2) == (1, 2)",
        "[1.0, np.inf] != []",
        "x == x",
        "x[0] <= x[0] < 3",
        'position(curve, "a=7")',
        'position(curve, "a=7")["a"]',
        'position(curve, "a=7") == {"a": 7, "ink": np.inf}',
        '[*position(curve, "a=7").values()] == [7, "blue"]',
        "all(map(curve, (1, 2)))",
        "all(curve(a) for a in (1, 2))",
        "any([curve(a) and x < 3 for a in (1, 2)])",
        "all((x < 3, curve(7)))",
        'all(position(curve, f"a={a}") for a in (1, 2))',
    ],
)
@pytest.mark.parametrize("place", ["{}", "y > 3 and {}", "({} or y > 3) and not y < 2"])
def test_a_condition_that_cannot_fail_is_named(condition, place):
    (found,) = decoys(notebook("assert " + place.format(condition)))
    got = found.removeprefix("expected a condition that can fail, got ")
    assert ast.unparse(ast.parse(got)) in ast.unparse(ast.parse(condition))


@pytest.mark.parametrize(
    "condition",
    [
        "x < 3",
        "x == 3 == y",
        "3 < 4 < x",
        "x",
        "not missing",
        "x & y",
        "x[0] == x[1]",
        "x != x",
        "draw(3) == draw(3)",
        "bool(x)",
        "isinstance(x, int)",
        "np.allclose(x, 3)",
        "(x == y).all()",
        "all(x < 3 for x in xs)",
        "all(np.isfinite(x) for x in xs)",
        "all(xs)",
        "all(map(np.isfinite, xs))",
        "len(curve(7).axes[0].lines) == 3",
        "curve(7).axes[0].lines[0].get_ydata()[-1] > 3",
        'curve(**position(curve, "a=7")).axes[1].get_title() == "high"',
        'xs[position(curve, "a=7")["a"]] == 3',
        "[1, 2, 3][x] == 3",
        "2**5 - 1 == 31",
        "plt.fignum_exists(1)",
    ],
)
def test_a_condition_that_can_fail_passes(condition):
    assert decoys(notebook(f"assert {condition}, 'a message'")) == []


def test_code_that_must_not_be_reached_says_so():
    assert decoys(notebook("for x in xs:\n    assert False, x")) == []


def test_decoys_are_sought_in_every_code_cell():
    book = notebook("assert xs[7] == 3")
    book.cells += [code("assert 3 == 3", tag) for tag in ("check", "run", "solution")]
    assert len(decoys(book)) == 3


FLOWS = {
    "at once": 'assert height(xs, 7, "red") == 3',
    "names": 'a, ink = 7, "red"\nshown = height(xs, a, ink)\nassert shown == 3',
    "a loop": "for a, ink, told in ((7, 'red', 3),):\n    assert height(xs, a, ink) == told",
    "a comprehension": "assert all(height(xs, *at) > 3 for at in [(7, 'red')])",
    "a lambda": 'at = lambda a: height(xs, a, "red")\nassert at(7) == 3',
    "a function": (
        'def at(a, ink="red"):\n    return height(xs, a, ink)\n\n\nassert at(7) == 3'
    ),
    "a list that grows": (
        "found = []\nfor a in (7,):\n    found.append(height(xs, a, 'red'))\n"
        "assert min(found) > 3"
    ),
    "a table": 'found = {}\nfound[7] = height(xs, "red")\nassert found["all"] == 3',
    "a sum": 'total = 0\ntotal += height(xs, 7, "red")\nassert total == 3',
    "a walrus": 'assert (drawn := height(xs, 7, "red")) > 3',
    "a picture": (
        'shown = curve(7, "red")\nplt.close(shown)\nassert shown.axes[0].lines[0].y == 3'
    ),
    "a position": (
        'shown = curve(**position(curve, "a=7,ink=red"))\nassert height(shown) == 3'
    ),
    "our assertion": 'assert_close(height(xs, 7, "red"), 3, name="height")',
    "a helper that asserts": (
        'close = lambda x: assert_close(x, 3, name="x")\nclose(height(xs, 7, "red"))'
    ),
    "a question": (
        "for ink, y in xs.items():\n"
        '    if ink == "red":\n        assert y[7] == 3, "a message"'
    ),
    "one or the other": 'assert xs[7] > 3 if ink == "red" else xs[7] < 3',
}


@pytest.mark.parametrize("check", FLOWS.values(), ids=FLOWS)
def test_what_flows_into_an_assertion_counts(check):
    assert seen(notebook(check)) == []


NOWHERE = {
    "printed": 'print(curve(7, "red"), xs)\nassert y == 3',
    "computed": 'shown = height(xs, 7, "red")\nassert y == 3',
    "a figure's truth": 'assert y == 3 and curve(7, "red")',
    "a picture closed": 'assert y == 3 and not plt.close(curve(7, "red"))',
    "a message": 'assert y == 3, height(xs, 7, "red")',
    "a name of the line": 'assert_close(y, 3, name=f"{xs} a=7,ink=red")',
    "beside it in a tuple": 'shown, y = height(xs, 7, "red"), 5\nassert y == 3',
    "the position alone": (
        'assert position(curve, "a=7,ink=red") == {"a": 7, "ink": "red"}'
    ),
}


@pytest.mark.parametrize("check", NOWHERE.values(), ids=NOWHERE)
def test_what_flows_nowhere_does_not_count(check):
    found = "\n".join(seen(notebook(check)))
    assert found.count("\n") == 2
    assert all(sign in found for sign in ("of what it draws", "a=7", "ink=red")), found


def test_a_position_without_what_it_shows_does_not_count():
    at = 'at = position(curve, "a=7,ink=red")\nassert at["a"] < y'
    (found,) = seen(notebook(at))
    assert "of what it draws" in found


def test_an_import_that_the_figure_reads_says_nothing_of_it():
    check = 'assert np.exp(7) > len("red")'
    drawn = WIDGET.replace("plt.draw(xs, a)", "np.exp(len(xs))")
    book = notebook(check)
    book.cells[2].source = drawn
    (found,) = seen(book)
    assert "of what it draws" in found


def test_a_bare_name_is_no_comparison():
    found = seen(notebook('holds = xs[7] > len("red")\nassert holds'))
    assert found[0] == "curve: expected a comparison, got holds"
    assert len(found) == 4


def test_how_it_is_compared_is_not_what():
    tree = ast.parse("assert_close(x.sum(axis=1), 2, name='three', rtol=4)")
    found = [v for e in asserted(tree, set()) for n in parts(e) for v in literals(n)]
    assert found == [2]
