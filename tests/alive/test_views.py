"""The pictures of living figures in a browser, under the policy that a site may send."""

import json

import numpy as np
import pytest

from tests.chapter_code import ROOT

SITE = "http://book.test/"
POLICY = "default-src 'self'; img-src 'self' data:"
ALIVE = ROOT / "press" / "alive" / "static"
FILES = {
    "book.css": ROOT / "press" / "pages" / "static" / "book.css",
    "alive.css": ALIVE / "alive.css",
    "views.js": ALIVE / "views.js",
}
PAGE = """<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<title>Views</title><link rel="stylesheet" href="book.css">
<link rel="stylesheet" href="alive.css"><link rel="stylesheet" href="page.css">
</head><body><main></main><script src="views.js"></script></body></html>"""
CSS = "body { margin: 0; background: var(--pst-color-background); } p { margin: 0; }"
KINDS = {".css": "text/css", ".js": "text/javascript"}
PHONE, DESK = 340, 720

SENTENCES = [
    "my students watch this small apple .",
    "the neighbours of our grandmother are not eating the red strawberries .",
    "he sleeps .",
]
FRENCH = [
    "mes élèves regardent cette petite pomme .",
    "les voisins de notre grand-mère ne mangent pas les fraises rouges .",
    "il dort .",
]
NEAR = "banks money credit financial investment government administration loans".split()
TEXT = list("the cat sat on the mat and looked at the milk")

# Draws a view; a list stands for an array. What is drawn stays in window.drawn.
# Drawn, and drawn again once the fonts that it asks for have come or are known to be missing.
DRAW = """async ([kind, data]) => {
  const painted = () =>
    new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  window.drawn?.remove();
  window.drawn = alive.views[kind](...data);
  document.querySelector("main").append(window.drawn);
  await painted();
  await document.fonts.ready;
  await painted();
}"""
# Pairs of texts that meet, as turned boxes, and texts that stand out of their drawing.
# A box has a line's height: letters fill about two thirds of it.
CLASHES = """() => {
  const boxes = [...document.querySelectorAll(".view svg[role] text")]
    .filter((text) => text.textContent.trim()).map((text) => {
      const { x, y, width, height } = text.getBBox();
      const matrix = text.getScreenCTM();
      const [top, low] = [y + 0.2 * height, y + 0.85 * height];
      const corners = [[x, top], [x + width, top], [x + width, low], [x, low]];
      return {
        text: text.textContent,
        corners: corners.map(([a, b]) => new DOMPoint(a, b).matrixTransform(matrix)),
        across: new DOMPoint(matrix.a, matrix.b),
        svg: text.ownerSVGElement.getBoundingClientRect(),
      };
    });
  const apart = (one, other, { x, y }) => {
    const along = (box) => box.corners.map((corner) => corner.x * x + corner.y * y);
    const [a, b] = [along(one), along(other)];
    return Math.max(...a) < Math.min(...b) + 0.5 || Math.max(...b) < Math.min(...a) + 0.5;
  };
  const found = [];
  boxes.forEach((one, i) => {
    const { left, right } = one.svg;
    if (one.corners.some(({ x }) => x < left - 1 || x > right + 1)) found.push(one.text);
    for (const other of boxes.slice(i + 1)) {
      const turned = ({ across: { x, y } }) => [{ x, y }, { x: -y, y: x }];
      const axes = [...turned(one), ...turned(other)];
      if (!axes.some((axis) => apart(one, other, axis))) found.push(one.text + "|" + other.text);
    }
  });
  return found;
}"""
# Of each cell of a heat map the colour near its corner, and the darkest and the brightest
# pixel inside it, as bytes; of none where nothing is painted.
CELLS = """([rows, columns]) => {
  const canvas = drawn.querySelector("canvas.painted");
  const dense = canvas.width / parseFloat(canvas.style.width);
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) =>
    dense * Number(drawn.querySelector(".outline rect").getAttribute(name)));
  const pen = canvas.getContext("2d");
  const [wide, high] = [width / columns, height / rows];
  const light = ([r, g, b]) => 2 * r + 7 * g + b;
  return Array.from({ length: rows * columns }, (_, k) => {
    const [left, top] = [x + (k % columns) * wide, y + Math.floor(k / columns) * high];
    const size = [wide, high].map((length) => Math.max(length - 7, 1));
    const { data } = pen.getImageData(left + 3, top + 3, ...size);
    const pixels = Array.from({ length: data.length / 4 }, (_, i) =>
      [...data.slice(4 * i, 4 * i + 4)]);
    const sorted = [...pixels].sort((one, other) => light(one) - light(other));
    const found = [pixels[0], sorted[0], sorted.at(-1)].map((pixel) => pixel.slice(0, 3));
    return pixels[0][3] ? found : null;
  });
}"""
SIZES = """() => [...document.querySelectorAll(".view :is(text, p, span):not([hidden])")]
  .map((element) => parseFloat(getComputedStyle(element).fontSize))"""


@pytest.fixture(scope="module")
def browser(shared_reader):
    return shared_reader.browser


@pytest.fixture
def show(browser):
    """Draws a view on a page of a width and returns the page; any complaint fails."""
    contexts, complaints = [], []

    def serve(route):
        name = route.request.url.removeprefix(SITE)
        headers = {"Content-Security-Policy": POLICY}
        if name == "page.css":
            return route.fulfill(body=CSS, content_type="text/css")
        if name in FILES:
            kind = KINDS[FILES[name].suffix]
            return route.fulfill(body=FILES[name].read_text("utf-8"), content_type=kind)
        if name:
            return route.fulfill(status=404)
        return route.fulfill(body=PAGE, content_type="text/html", headers=headers)

    def draw(kind, *data, width=DESK, theme="light", **options):
        if not contexts:
            size = {"width": width, "height": 900}
            contexts.append(browser.new_context(viewport=size, **options))
            page = contexts[0].new_page()
            page.route("**/*", serve)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("console", lambda message: note(message))
            page.goto(SITE)
        page = contexts[0].pages[0]
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("(t) => { document.documentElement.dataset.theme = t; }", theme)
        page.evaluate(DRAW, [kind, plain(data)])
        return page

    def note(message):
        # The fonts of book.css are not served here.
        if message.type == "error" and "404" not in message.text:
            complaints.append(message.text)

    yield draw
    for context in contexts:
        context.close()
    assert not complaints


def plain(data):
    """Arrays as the page's {shape, values}, in what JSON can say."""
    if isinstance(data, np.ndarray):
        values = [None if np.isnan(v) else v for v in data.ravel().tolist()]
        return {"shape": list(data.shape), "values": values}
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [plain(value) for value in data]
    return data


def update(page, *data):
    """New data in the same view; whether the element and its drawing stayed the same."""
    return page.evaluate(
        """(data) => {
          const before = [drawn, ...drawn.querySelectorAll("svg[role], canvas")];
          const returned = drawn.update(...data);
          const after = [drawn, ...drawn.querySelectorAll("svg[role], canvas")];
          return returned === drawn && before.every((element, i) => element === after[i]);
        }""",
        plain(data),
    )


def count(page, selector):
    return page.locator(f".view {selector}").count()


def texts(page, layer):
    return page.locator(f".view svg .{layer} text").all_text_contents()


def said(page):
    return page.locator(".view [role=img]").first.get_attribute("aria-label")


def numbers(page, selector, attribute):
    script = "(all, name) => all.map((one) => Number(one.getAttribute(name)))"
    return np.array(
        page.locator(f".view {selector}").evaluate_all(script, attribute), dtype=float
    )


def softmax(scores):
    grown = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return grown / grown.sum(axis=-1, keepdims=True)


def attention(rows, columns, seed):
    rng = np.random.default_rng(seed)
    return softmax(2.5 * rng.normal(size=(len(rows), len(columns))))


def log_probabilities(rng, words):
    return np.log(softmax(2 * rng.normal(size=len(words))))


def searched(seed, k, steps, words):
    """A tree of a beam of width k over random scores, with a pruned node a step."""
    rng = np.random.default_rng(seed)
    live, nodes = [([], 0.0)], []
    for step in range(steps):
        grown = [
            ([*prefix, word], value + log_p)
            for prefix, value in live
            for word, log_p in zip(words, log_probabilities(rng, words), strict=True)
        ]
        grown.sort(key=lambda node: -node[1])
        live = []
        for rank, (prefix, value) in enumerate(grown[: k + 1]):
            over = prefix[-1] == "⟨eos⟩" or step == steps - 1
            fate = "pruned" if rank == k else "finished" if over else "kept"
            nodes.append({"words": prefix, "value": value, "fate": fate})
            if fate == "kept":
                live.append((prefix, value))
    best = max((n for n in nodes if n["fate"] == "finished"), key=lambda n: n["value"])
    return nodes, best["words"]


# ---------------------------------------------------------------------------- bars


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("direction", ["right", "up"])
def test_bars_have_the_lengths_of_their_values(show, seed, direction):
    rng = np.random.default_rng(seed)
    p = np.sort(softmax(2 * rng.normal(size=10)))[::-1]
    cut = (np.cumsum(p) - p >= 0.8).tolist()
    options = {"title": "Next", "direction": direction, "range": [0, 1], "cut": cut}
    options |= {"cutText": "left out by top-p", "marked": 0}
    page = show("bars", list("0123456789"), p, options)
    length = numbers(page, ".bars rect", "width" if direction == "right" else "height")
    np.testing.assert_allclose(length / length[0], p / p[0], atol=0.01)
    assert count(page, ".bars .hatched") == sum(cut)
    assert texts(page, "labels") == list("0123456789")
    assert texts(page, "numbers") == [f"{value:.2f}" for value in p]
    assert said(page).startswith(f"Next: 0 {p[0]:.2f}, marked; 1 {p[1]:.2f}")
    assert said(page).count("left out") == sum(cut)
    assert "left out by top-p" in page.locator(".view-legend").inner_text()


def test_bars_go_to_both_sides_of_zero_and_follow_new_data(show):
    page = show("bars", ["a", "b"], [0.5, -0.25], {"range": [-1, 1]})
    x, width = (numbers(page, ".bars rect", name) for name in ("x", "width"))
    assert x[1] + width[1] == pytest.approx(x[0], abs=0.2)
    assert texts(page, "numbers") == ["0.50", "−0.25"]
    assert update(page, ["a", "b", "c"], [1, 0.5, 0], {"range": [-1, 1]})
    assert count(page, ".bars rect") == 3
    assert numbers(page, ".bars rect", "width")[0] == pytest.approx(2 * width[0], 0.01)
    assert said(page) == "a 1.00; b 0.50; c 0.00"
    refused = (
        "() => { try { drawn.update(['a'], [1, 2]); } catch (e) { return e.message; } }"
    )
    assert "got 1 and 2" in page.evaluate(refused)


# ----------------------------------------------------------------------- heat maps


@pytest.mark.parametrize("seed", range(3))
def test_a_heat_map_has_cells_numbers_a_sentence_and_a_table(show, seed):
    rows, columns = FRENCH[0].split(), [*SENTENCES[0].split(), "⟨eos⟩"]
    A = attention(rows, columns, seed)
    options = {"title": "Head 1", "range": [0, 1], "struck": [4], "frames": [[0, 1]]}
    page = show("heatmap", rows, columns, A, options)
    painted = np.reshape(
        [bool(c) for c in page.evaluate(CELLS, list(A.shape))], A.shape
    )
    assert (painted == (np.arange(len(columns)) != 4)).all()
    assert texts(page, "labels") == columns
    assert texts(page, "row-labels") == rows
    assert page.locator(".labels .struck").inner_html() == columns[4]
    best = np.where(np.arange(len(columns)) == 4, -1, A).argmax(axis=1)
    first = f"{rows[0]}: {columns[best[0]]} {A[0, best[0]]:.2f}"
    start = "Head 1: 7 rows, 8 columns. hidden: small. largest in each row: "
    assert said(page).startswith(start + first)
    page.wait_for_selector("table", state="attached")
    assert page.locator("th[scope=col]").all_text_contents() == columns
    assert page.locator("td").nth(1 + 1).text_content() == f"{A[0, 1]:.2f}"
    before = page.evaluate(CELLS, list(A.shape))
    assert update(page, rows, columns, 0.5 * A, options)
    after = page.evaluate(CELLS, list(A.shape))
    assert before != after
    page.wait_for_timeout(300)
    assert page.locator("td").nth(1 + 1).text_content() == f"{A[0, 1] / 2:.2f}"


def test_many_cells_are_pixels_and_what_is_not_seen_is_blank(show):
    n = len(TEXT)
    A = np.where(np.tri(n) > 0, np.tri(n) / np.arange(1, n + 1)[:, None], np.nan)
    page = show("heatmap", TEXT, TEXT, A, {"range": [0, 1], "row": n - 1})
    seen = np.reshape([bool(c) for c in page.evaluate(CELLS, [n, n])], (n, n))
    assert (seen == np.tri(n)).all()
    assert " " not in texts(page, "labels")
    assert update(page, ["a"], ["b"], [[0.5]], {"range": [0, 1]})
    assert len(page.evaluate(CELLS, [1, 1])) == 1


def test_a_cell_is_read_out_under_the_pointer(show):
    page = show(
        "heatmap", ["un"], ["a", "b"], [[0.25, 0.75]], {"note": "Rows: French."}
    )
    box = page.locator(".outline rect").bounding_box()
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + box["height"] / 2)
    assert page.locator(".view-note").inner_text() == "un → b: 0.75"
    page.mouse.move(0, 800)
    assert page.locator(".view-note").inner_text() == "Rows: French."


# -------------------------------------------------------------------------- images

PIXELS = """(name) => [...drawn.querySelectorAll("canvas")].map((canvas) =>
  [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.slice(0, 8)])"""


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("shape", [(6, 28, 28), (16, 10, 10), (16, 5, 5)])
def test_the_maps_of_a_layer_have_whole_pixels_and_fit(show, width, shape):
    maps = np.random.default_rng(0).normal(size=shape)
    title = {"title": "C1", "centre": 0, "names": [str(i) for i in range(shape[0])]}
    page = show("images", maps, 8, title, width=width)
    assert count(page, "canvas") == shape[0]
    boxes = page.locator("canvas").evaluate_all(
        """(all) => all.map((one) =>
          [one.getBoundingClientRect().right, parseFloat(one.style.width)])"""
    )
    right, wide = np.array(boxes).T
    assert right.max() <= width
    assert (wide % shape[2] == 0).all()
    strongest = np.abs(maps).mean(axis=(1, 2)).argmax() + 1
    assert said(page).startswith(
        f"C1: {shape[0]} maps of {shape[1]} × {shape[2]}, map {strongest} the strongest"
    )
    assert update(page, maps[:, ::-1].copy(), 8, title)


def test_an_image_has_the_colours_of_the_book_in_both_themes(show):
    page = show("images", np.array([[0.0, 1.0]]), 1, {"range": [0, 1]})
    assert page.evaluate(PIXELS) == [[244, 248, 251, 255, 11, 74, 119, 255]]
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.wait_for_timeout(50)
    (dark,) = page.evaluate(PIXELS)
    assert sum(dark[:3]) < 150 < 600 < sum(dark[4:7])
    page = show("images", np.array([[-1.0, 1.0]]), 1, {"centre": 0})
    assert page.evaluate(PIXELS) == [[179, 86, 11, 255, 11, 74, 119, 255]]


# --------------------------------------------------------------------------- trees


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize(("k", "steps"), [(1, 3), (2, 7), (4, 10)])
def test_a_tree_has_its_prefixes_their_fates_and_the_output(show, width, k, steps):
    words = [*FRENCH[0].split(), "mangent", "⟨eos⟩"]
    nodes, best = searched(k, k, steps, words)
    page = show("tree", nodes, {"title": "Beam", "best": best}, width=width)
    assert texts(page, "labels") == ["start", *(node["words"][-1] for node in nodes)]
    values = [f"{node['value']:.2f}".replace("-", "−") for node in nodes]
    assert texts(page, "numbers") == [
        value.replace("−0.00", "0.00") for value in values
    ]
    for fate in ("kept", "finished", "pruned"):
        there = sum(node["fate"] == fate for node in nodes)
        assert count(page, f".edges .{fate}") == there
        assert bool(there) == (fate in page.locator(".view-legend").inner_text())
    assert count(page, ".edges .won") == len(best)
    bold = page.locator(".view .labels .won").all_text_contents()
    assert bold == ["start", *best]
    assert f"{' '.join(best)} " in said(page)
    assert said(page).count("the output") == 1
    assert update(page, nodes[:1], {"best": nodes[0]["words"]})
    assert count(page, ".labels text") == 2


def test_a_tree_that_shrinks_keeps_its_room_below_its_legend(show):
    nodes = [{"words": [word], "fate": "kept"} for word in NEAR]
    page = show("tree", nodes, {"best": [NEAR[0]]}, width=PHONE)
    parts = """() => [".view", ".view svg[role]", ".view-legend"].map((part) => {
      const { top, bottom } = document.querySelector(part).getBoundingClientRect();
      return [top, bottom];
    })"""
    tall = page.evaluate(parts)
    assert update(page, nodes[:1], {"best": [NEAR[0]]})
    view, tree, legend = page.evaluate(parts)
    assert tree[1] < tall[1][1] - 100
    assert legend[0] < tree[1] + 20
    assert abs(view[1] - tall[0][1]) < 2  # what follows has not moved


def test_a_tree_refuses_what_hangs_in_the_air(show):
    page = show("tree", [{"words": ["a"], "value": -1}], {})
    refused = """(nodes) => {
      try { drawn.update(nodes); } catch (error) { return error.message; }
    }"""
    lost = [{"words": ["b", "c"], "value": -1}]
    assert page.evaluate(refused, lost) == "tree: expected b among the nodes"
    odd = [{"words": ["b"], "value": -1, "fate": "gone"}]
    assert "got gone" in page.evaluate(refused, odd)


# -------------------------------------------------------------------------- curves


def test_curves_stand_in_their_axes_with_gaps_dots_and_flat_parts(show):
    x = np.linspace(-5, 5, 201)
    with np.errstate(divide="ignore"):
        y = np.where(x == 0, np.nan, 1 / x)
    series = [{"name": "1/z", "x": x, "y": y}, {"name": "z", "x": x, "y": x}]
    axes = {"x": [-5, 5], "y": [-4, 4], "xLabel": "z", "yLabel": "f(z)"}
    options = {"markers": [{"x": 1, "y": 1, "text": "at z = 1 the value 1"}]}
    options |= {"spans": [{"from": 3, "to": 5}], "spanText": "flat", "posts": [1]}
    page = show("curves", series, axes, {"title": "A hole", **options})
    paths = page.locator(".view .curves path")
    assert paths.count() == 2
    assert paths.first.get_attribute("d").count("M") == 2
    assert paths.nth(1).get_attribute("stroke-dasharray")
    at = numbers(page, ".x-numbers text", "x")
    ticks = dict(zip(texts(page, "x-numbers"), at, strict=True))
    zero, one = ticks["0"], (ticks["2"] - ticks["0"]) / 2
    at = numbers(page, ".dots circle", "cx")[0]
    assert at == pytest.approx(zero + one, abs=0.5)
    assert numbers(page, ".spans rect", "width")[0] == pytest.approx(2 * one, abs=0.5)
    assert "1/z from −20.00 to 20.00" in said(page)
    assert said(page).endswith("at z = 1 the value 1; flat from 3.00 to 5.00")
    legend = page.locator(".view-legend").inner_text().split("\n")
    assert [line.strip() for line in legend if line.strip()] == ["1/z", "z", "flat"]
    assert update(page, series[1:], axes, options)
    assert paths.count() == 1


def test_a_curve_over_decades_has_powers_of_ten(show):
    layers = list(range(31))
    series = [{"x": layers, "y": [10.0 ** (-n / 3) for n in layers]}]
    page = show("curves", series, {"scale": "log", "yLabel": "gradient"}, {})
    assert {"10⁻⁴", "10⁰"} <= set(texts(page, "numbers"))
    path = page.locator(".curves path").get_attribute("d")
    points = np.array([pair.split() for pair in path[1:].split("L")], float)
    np.testing.assert_allclose(
        np.diff(points[:, 1]), np.diff(points[:, 1])[0], atol=0.2
    )


# ------------------------------------------------------------------ texts and memories


def test_a_text_carries_its_weights(show):
    p = softmax(np.random.default_rng(1).normal(size=len(TEXT)))
    options = {"title": "Head 1", "at": len(TEXT) - 1, "struck": [2]}
    page = show("text", TEXT, p, options)
    height = numbers(page, ".bars rect", "height")
    np.testing.assert_allclose(height / height.max(), p / p.max(), atol=0.03)
    assert "".join(texts(page, "labels")) == "".join(TEXT).replace(" ", "␣")
    top = int(p.argmax())
    start = f"Head 1: from k at position {len(TEXT)}: "
    token = TEXT[top].replace(" ", "␣")
    assert said(page).startswith(f"{start}{token} at position {top + 1} {p[top]:.2f}")
    assert count(page, ".at rect") == 1
    assert update(page, TEXT[:3], p[:3], {})
    assert count(page, ".bars rect") == 3


def test_a_memory_says_what_is_kept_new_empty_and_dropped(show):
    states = ["dropped", "kept", "kept", "new"]
    columns = [*TEXT[:4], "·", "·"]
    page = show("cells", ["keys", "values"], columns, states, {"title": "Cache"})
    assert count(page, ".cells rect") == 12
    for state, how in (("kept", 4), ("new", 2), ("empty", 4), ("dropped", 2)):
        assert count(page, f".cells .cell-{state}") == how
    sentence = "Cache: 4 kept, 2 written in this step, 4 empty, 2 dropped"
    assert said(page) == sentence
    assert update(page, ["keys"], TEXT, ["kept"] * len(TEXT), {})
    assert count(page, ".cells rect") == len(TEXT)


# ------------------------------------------------------------------- what all views share


def realistic():
    """Each view with labels as the chapters have them: (kind, data)."""
    rng = np.random.default_rng(5)
    for english, french in zip(SENTENCES, FRENCH, strict=True):
        rows, columns = french.split(), [*english.split(), "⟨eos⟩"]
        A = attention(rows, columns, 1)
        yield "heatmap", (rows, columns, A, {"range": [0, 1], "struck": [1], "row": 1})
        yield "text", (columns, A[0], {"at": 1})
    n = len(TEXT)
    A = softmax(np.where(np.tri(n) > 0, rng.normal(size=(n, n)), -np.inf))
    yield "heatmap", (TEXT, TEXT, np.where(A > 0, A, np.nan), {"row": n - 1})
    yield "text", (TEXT, A[-1], {"at": n - 1})
    yield "cells", (["keys", "values"], TEXT, ["kept"] * (n - 1) + ["new"], {})
    p = softmax(rng.normal(size=10))
    yield "bars", (list("0123456789"), p, {"direction": "up", "range": [0, 1]})
    yield "bars", (NEAR, p[:8], {"direction": "up"})
    yield "bars", (NEAR, p[:8] - 0.1, {"range": [-1, 1], "marked": 3})
    for k, steps in ((1, 3), (2, 7), (3, 10), (4, 10)):
        words = [*FRENCH[1].split(), "⟨eos⟩"]
        nodes, best = searched(k, k, steps, words)
        yield "tree", (nodes, {"best": best})
    x = np.linspace(-5, 5, 101)
    for top in (1.1, 3.4, 80, 2e4):
        axes = {"y": [-0.1 * top, top], "xLabel": "z", "yLabel": "f(z)"}
        yield "curves", ([{"name": "tanh", "x": x, "y": np.tanh(x) * top}], axes, {})
    axes = {
        "scale": "log",
        "xLabel": "layers gone back",
        "yLabel": "RMS of the gradient",
    }
    yield "curves", ([{"x": x + 5, "y": np.exp(-3 * x)}], axes, {})


@pytest.mark.parametrize("width", [PHONE, 500, DESK])
def test_no_text_meets_another_or_stands_out_and_all_can_be_read(show, width):
    for kind, data in realistic():
        page = show(kind, *data, width=width)
        assert page.evaluate(CLASHES) == [], (kind, json.dumps(plain(data[0]))[:100])
        assert min(page.evaluate(SIZES)) >= 11, kind
        assert page.evaluate("document.documentElement.scrollWidth") <= width, kind


LUMINANCE = """(colour) => {
  const pen = document.createElement("canvas").getContext("2d");
  pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
}"""


def contrast(one, other):
    def luminance(colour):
        c = np.array(colour) / 255
        c = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
        return c @ [0.2126, 0.7152, 0.0722] + 0.05

    low, high = sorted([luminance(one), luminance(other)])
    return high / low


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_numbers_in_cells_can_be_read_on_every_colour(show, theme):
    A = np.linspace(0, 1, 60).reshape(6, 10)
    dense = {"device_scale_factor": 3}  # so that a stroke has a pixel of its own
    for values, options in ((A, {"range": [0, 1]}), (2 * A - 1, {"centre": 0})):
        data = list("abcdef"), TEXT[:10], values, options
        page = show("heatmap", *data, theme=theme, **dense)
        page.wait_for_timeout(50)
        cells = page.evaluate(CELLS, [6, 10])
        colours = {tuple(fill) for fill, *_ in cells}
        assert len(colours) > 50
        inks = [max(contrast(fill, ink) for ink in found) for fill, *found in cells]
        assert min(inks) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_can_be_read_on_the_page(show, theme):
    nodes, best = searched(2, 2, 5, [*FRENCH[0].split(), "⟨eos⟩"])
    page = show("tree", nodes, {"best": best}, theme=theme)
    script = """() => [...drawn.querySelectorAll("text, p")].map((one) =>
      getComputedStyle(one)[one.matches("text") ? "fill" : "color"])"""
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    paper = page.evaluate(LUMINANCE, paper)
    for ink in {*page.evaluate(script)}:
        assert contrast(page.evaluate(LUMINANCE, ink), paper) >= 4.5


def test_where_the_system_forces_its_colours_cells_have_bars_and_numbers(show):
    options = {"forced_colors": "active", "color_scheme": "dark"}
    A = np.array([[0.0, 0.5, 1.0]])
    page = show("heatmap", ["un"], ["a", "b", "c"], A, {"range": [0, 1]}, **options)
    bars = """() => {
      const canvas = drawn.querySelector("canvas.painted");
      const [x, y, width, height] = ["x", "y", "width", "height"].map((name) =>
        Number(drawn.querySelector(".outline rect").getAttribute(name)));
      const foot = y + height - 5;
      const { data } = canvas.getContext("2d").getImageData(x, foot, width, 1);
      const white = [...data].filter((_, i) => i % 4 === 0).map((red) => red > 200);
      return [0, 1, 2].map((k) => white.slice((k * width) / 3 + 2, ((k + 1) * width) / 3 - 2)
        .filter(Boolean).length);
    }"""
    none, half, full = page.evaluate(bars)
    assert none <= 1 and full > 40
    assert half == pytest.approx(full / 2, abs=2)
    script = "(t) => t.map((x) => getComputedStyle(x).fill)"
    inks = {*page.locator(".view svg text").evaluate_all(script)}
    assert inks == {"rgb(255, 255, 255)"}


def test_what_breaks_a_rule_of_axe(show):
    from tests.pages.accessibility import breaches

    for kind, data in list(realistic())[::3]:
        page = show(kind, *data)
        page.wait_for_timeout(300)  # its table
        found = [
            html for rule, html in breaches(page) if "view" in html or "svg" in html
        ]
        assert found == []


def test_a_picture_keeps_its_views(show):
    page = show("bars", ["a"], [1], {})
    same = page.evaluate(
        """() => {
          const picture = alive.views.picture(document.querySelector("main"));
          const draw = (p) => {
            picture.panel("all", `p = ${p}`);
            const top = picture.row("top");
            top.bars("left", ["a", "b"], [p, 1 - p], { title: "Left" });
            top.bars("right", ["a"], [p], { title: "Right" });
            return [...document.querySelectorAll(".view-row .view")];
          };
          const [first, second] = [draw(0.2), draw(0.7)];
          return first.length === 2 && first.every((view, i) => view === second[i]);
        }"""
    )
    assert same
    assert page.locator(".view-panel > .view-title").all_text_contents() == ["p = 0.7"]
    page.wait_for_timeout(50)
    row = page.locator(".view-row .view")
    tops = [box["y"] for box in (row.nth(i).bounding_box() for i in range(2))]
    assert tops[0] == tops[1]
    page.set_viewport_size({"width": PHONE, "height": 900})
    page.wait_for_timeout(50)
    tops = [box["y"] for box in (row.nth(i).bounding_box() for i in range(2))]
    assert tops[0] < tops[1]
    assert row.first.locator("[role=img]").get_attribute("aria-label") == (
        "Left: a 0.70; b 0.30"
    )


@pytest.mark.parametrize(("chosen", "shown"), [
    (None, ["Left", "Panel", "Deep", "Last"]),
    (["row"], ["Left", "Panel", "Deep"]),
    (["panel"], ["Panel", "Deep"]),
    (["deep"], ["Panel", "Deep"]),
    (["left", "last"], ["Left", "Last"]),
    (["last"], ["Last"]),
])  # fmt: skip
def test_of_a_picture_only_the_chosen_views_are_shown(show, chosen, shown):
    page = show("bars", ["a"], [1], {})
    page.evaluate(
        """(chosen) => {
          document.querySelector("main").replaceChildren();
          const picture = alive.views.picture(document.querySelector("main"), chosen ?? undefined);
          for (const p of [0.2, 0.7]) {
            const bars = (where, name, title) => where.bars(name, ["a"], [p], { title });
            const row = picture.row("row");
            bars(row, "left", "Left");
            bars(row.panel("panel", "Panel"), "deep", "Deep");
            bars(picture, "last", "Last");
          }
        }""",
        chosen,
    )
    titles = page.locator("main .view-title").all_text_contents()
    assert titles == shown
