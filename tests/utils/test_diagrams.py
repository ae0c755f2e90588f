"""Drawings of networks: what is drawn is what is said, and nothing lies on another."""

import io

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter

from utils import plots
from utils.diagrams import Diagram, geometry, ink, words


@pytest.fixture(autouse=True)
def style():
    with mpl.rc_context():
        plots.use_style()
        yield
        plt.close("all")


def cell():
    """A recurrent step: a state and an input join, a gate, a sum, the state by a bow."""
    d = Diagram("A cell")
    d.circle("h_{t-1}", (0, 1))
    d.circle("x_t", (0.7, 0), role="input")
    d.joint("both", (0.7, 1))
    d.gate("f", (1.6, 2))
    d.op("sum", (2.6, 2), "+")
    d.box("h_t", (4, 2), note="new")
    d.arrows({"both": ("h_{t-1}", "x_t")})
    d.arrow("both", "f", route="-|")
    d.arrow("f", "sum", "$f$", kind="strong")
    d.arrow("h_{t-1}", "sum", via=[(0, 3), (2.6, 3)])
    d.arrow("sum", "h_t")
    d.arrow("h_t", "f", bend=0.4, kind="gradient")
    d.arrow("x_t", "x_t", "again", kind="dashed")
    d.group(["both", "f", "sum"], "the cell")
    return d


def drawn(d, ax=None):
    d.draw(ax)
    return plt.gcf()


def pixels(figure):
    file = io.BytesIO()
    figure.savefig(file, format="rgba")
    return file.getvalue()


def test_edges_pass_through_joints_and_leave_out_gradients():
    d = cell()
    expected = {("h_{t-1}", "f"), ("x_t", "f"), ("f", "sum"), ("h_{t-1}", "sum")}
    assert d.edges == expected | {("sum", "h_t"), ("x_t", "x_t")}
    assert d.between(["h_{t-1}", "h_t"]) == {("h_{t-1}", "h_t")}


def test_arrows_begin_and_end_at_borders():
    d = cell()
    assert len(d.routes) == 8
    for route in d.routes:
        for name, end, gap in ((route.start, 0, 0), (route.end, -1, geometry.GAP)):
            node, point = d.nodes[name], route.points[[end]]
            gap = 0 if node.shape == "joint" else gap
            assert not node.holds(route.points, -1e-9).any(), route
            assert not node.holds(point, gap - 1e-9).any(), route
            near = gap + 2 * geometry.FINE
            assert node.holds(point, near).all() or (point == node.at).all(), route


@pytest.mark.parametrize(
    ("route", "before_the_end"), [("-|", [1, 0]), ("|-", [0, 1]), ("--", [1, 1])]
)
def test_a_route_goes_across_and_up_as_it_says(route, before_the_end):
    d = Diagram("Two")
    d.circle("a", (0, 0))
    d.circle("b", (2, 2))
    d.arrow("a", "b", route=route)
    direction = np.sign(np.diff(d.routes[0].points[:2], axis=0)[0])
    assert direction.tolist() == before_the_end
    if route != "--":
        assert np.sign(np.diff(d.routes[0].points[-2:], axis=0)[0]) @ direction == 0


def test_an_arrow_to_a_wide_box_runs_straight():
    d = Diagram("A stack", dy=1)
    d.box("below", (0.4, 0))
    d.box("wide", (1, 1), width=3)
    d.arrow("below", "wide")
    x = d.routes[0].points[:, 0]
    assert np.ptp(x) == 0 and x[0] == d.nodes["below"].at[0]


def test_words_name_each_node_and_each_edge():
    assert cell().alt == (
        "A cell: itself by again leads to x_t; h_t-1 and x_t lead to f (σ); "
        "h_t-1 and f (σ) lead to sum (+); sum (+) leads to h_t new; "
        "a gradient goes from h_t new to f (σ). A frame (the cell) holds f (σ), sum (+)."
    )


def test_a_figure_says_its_words_where_it_is_shown():
    figure, d = drawn(cell()), cell()
    data, metadata = DisplayFormatter().format(figure)
    assert data["text/plain"] == metadata["image/png"]["alt"] == d.alt
    _, (left, right) = plt.subplots(1, 2, figsize=(12, 5))
    for ax in (left, right):
        cell().draw(ax)
    assert DisplayFormatter().format(left.figure)[0]["text/plain"] == f"{d.alt} {d.alt}"


def test_the_same_picture_when_drawn_twice():
    assert pixels(drawn(cell())) == pixels(drawn(cell()))
    d = cell()
    assert pixels(drawn(d)) == pixels(drawn(d))


def test_one_unit_is_an_inch_on_whatever_axes():
    _, ax = plt.subplots(figsize=(9, 6))
    for figure in (drawn(cell(), ax), drawn(cell())):
        figure.canvas.draw()
        (ax,) = figure.axes
        size = ax.get_position().size * figure.get_size_inches()
        spans = np.ptp([ax.get_xlim(), ax.get_ylim()], axis=1)
        np.testing.assert_allclose(spans, size, rtol=1e-6)


def test_texts_are_as_large_as_they_are_measured():
    d = Diagram("Words")
    d.row(d.text, ["a long word", "h_t"], step=3)
    figure = drawn(d)
    figure.canvas.draw()
    for text, node in zip(figure.axes[0].texts, d.nodes.values(), strict=True):
        wide = text.get_window_extent().width / figure.dpi
        assert abs(wide + 0.04 - 2 * node.size[0]) < 0.03


def test_names_are_set_as_mathematics_where_they_look_like_it():
    names = ["c", "h_t", r"\hat y", "h'", "c_{t-1}", "ils", "⟨eos⟩", "conv 3 × 3"]
    typeset = [words.typeset(name) for name in names]
    assert typeset == [*(f"${name}$" for name in names[:5]), *names[5:]]
    assert words.spoken(r"$\hat y_{t-1}$ and $\mathrm{tanh}$") == "y-hat_t-1 and tanh"


def test_a_row_takes_texts_or_keeps_a_gap():
    d = Diagram("A row")
    assert d.row(d.circle, {"a": "A", "b": "B"}, (1, 2), step=2) == ["a", "b"]
    assert d.nodes["b"].text == "B" and d.nodes["b"].at.tolist() == [3.0, 1.5]
    names = d.row(d.maps, {"wide": (4, 80, 20), "small": (64, 5, 5)}, gap=0.3)
    left, right = (d.nodes[name] for name in names)
    assert right.at[0] - right.size[0] - left.at[0] - left.size[0] == pytest.approx(0.3)
    assert left.note == "80 × 20\n4" and left.size[1] > left.size[0]
    assert right.sheets == 4 > left.sheets


def test_a_tree_joins_parts_to_wholes():
    d = Diagram("A tree")
    parts = ("S", ("NP", "the", "dog"), ("VP", "sees", ("NP", "the", "cat")))
    assert d.tree(parts, leaf=d.text, inner=d.circle, kind="line") == "S"
    assert d.edges == {
        ("the", "NP"), ("dog", "NP"), ("the 4", "NP the cat"), ("cat", "NP the cat"),
        ("sees", "VP"), ("NP the cat", "VP"), ("NP", "S"), ("VP", "S"),
    }  # fmt: skip
    assert d.nodes["NP the cat"].text == "NP"
    assert d.nodes["S"].at[1] > d.nodes["VP"].at[1] > d.nodes["NP"].at[1]
    d.draw()


def two(dx=2.0, dy=0.75):
    d = Diagram("Two", dx=dx, dy=dy)
    d.row(d.box, ["first", "last"])
    return d


def crossed():
    d = two()
    d.circle("between", (0.5, 0))
    d.arrow("first", "last")
    d.draw()


def on_a_label():
    d = two()
    d.arrow("first", "last", "a label")
    d.circle("here", (0.5, 0.4))
    d.draw()


def framed():
    d = two()
    d.circle("between", (0.5, 0))
    d.group(["first", "last"])
    d.draw()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: two().arrow("first", "lost"),
            "expected one of first, last, got 'lost'",
        ),
        (
            lambda: two().arrows({"first": "no"}),
            "expected one of first, last, got 'no'",
        ),
        (lambda: two().group(["no"]), "expected one of first, last, got 'no'"),
        (lambda: two().box("first", (0, 3)), "expected a new name, got 'first' again"),
        (lambda: two().box("b", (0, 3), role="x"), "a role of layer, .*, got 'x'"),
        (
            lambda: two().arrow("first", "last", kind="x"),
            "a kind of plain, .*, got 'x'",
        ),
        (lambda: two().arrow("first", "last", route="/"), "a route --.*, got .* '/'"),
        (lambda: two(0.56).arrow("first", "last"), "a straight way .* before 'last'"),
        (
            lambda: two().arrow("first", "last", via=[(0.5, 1), (0.86, 1), (0.86, 0)]),
            "a straight way of 0.10 inches before 'last'",
        ),
        (lambda: two(0.2).draw(), "expected room between 'first' and 'last'"),
        (lambda: two(7).draw(), "expected at most 6.5 inches, got 7"),
        (crossed, "expected a free way from 'first' to 'last', got 'between'"),
        (on_a_label, "expected room between 'here' and 'a label'"),
        (framed, "expected a frame around .*, got 'between' too"),
        (
            lambda: two().draw(plt.subplots(figsize=(2, 2))[1]),
            "expected axes of at least",
        ),
    ],
)
def test_bad_drawings_say_what_was_expected(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_each_role_and_kind_is_drawn():
    d = Diagram("All", dx=0.7)
    roles = [d.circle(role, (i, 0), "a", role=role) for i, role in enumerate(ink.ROLES)]
    others = d.row(d.op, {f"op {role}": "⊙" for role in ink.ROLES}, (0, 1))
    for kind, (a, b) in zip(ink.KINDS, zip(roles, others, strict=True), strict=False):
        d.arrow(a, b, kind=kind)
    figure = drawn(d)
    heads = [p for p in figure.axes[0].patches if isinstance(p, mpl.patches.Polygon)]
    assert len(heads) == len(ink.KINDS) - 1  # a line has none
    edges = {p.get_edgecolor()[:3] for p in figure.axes[0].patches}
    expected = {mpl.colors.to_rgb(color) for color, _ in ink.ROLES.values()}
    assert expected <= edges
