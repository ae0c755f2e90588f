"""What a reader can change of an alive figure, its decorator, and the figure with widgets."""

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.alive_figure import WORDS, probe_figure
from tests.figures import shown_with
from utils.alive import Drawing, Formula, Line, Sentence, Sum, alive, decorator, inputs
from utils.alive.formula import MOST, parse
from utils.alive.live import live_bundle
from utils.interact import position


@pytest.fixture
def shown():
    with shown_with(live_bundle) as shown:
        yield shown


@pytest.fixture
def boxes(monkeypatch, shown):
    """What is shown, as widgets."""
    vbox, boxes = widgets.VBox, []
    monkeypatch.setattr(
        widgets, "VBox", lambda children: boxes.append(vbox(children)) or boxes[-1]
    )
    return boxes


def test_a_drawing_is_read_from_strokes():
    image = np.zeros((8, 8))
    image[7, 7] = 0.5
    drawing = Drawing(8, image)
    assert (drawing.read("start") == image).all() and not drawing.read("empty").any()
    stroke = drawing.read("2:2-6:2")
    assert stroke[1, 2:6].min() == 1 and not stroke[5:].any()
    assert stroke[3, 3] == pytest.approx(2.5 / 2 + 0.5 - 1.5)  # its rim
    both = drawing.read("start;2:2-6:2;1:7")
    assert both[7, 7] == 0.5 and both[1, 3] == 1 and both[6, 0] == 1
    rng = np.random.default_rng(0)
    assert all(drawing.read(drawing.sample(rng)).any() for _ in range(20))


@pytest.mark.parametrize("text", ["one", "2:2-", "2:2-3", "-1:2", "2:2-x:3"])
def test_what_is_no_drawing_is_refused(text):
    with pytest.raises(ValueError, match="expected start, empty or strokes such as"):
        Drawing(8, np.zeros((8, 8))).read(text)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (np.zeros((8, 7)), r"start \(8, 8\), got \(8, 7\)"),
        (np.full((8, 8), 2), "0 to 1"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(start, message):
    with pytest.raises(ValueError, match=message):
        Drawing(8, start)


def test_a_sentence_reads_unknown_words_and_says_so():
    sentence = Sentence(WORDS, "the cat", 4)
    assert sentence.read(" the  dog ") == ["the", "<unk>"]
    assert "“dog”" in sentence.notice("the dog dog <unk>")
    assert sentence.notice("the cat") == ""
    for text in ("", "the " * 5):
        with pytest.raises(ValueError, match="expected 1 to 4 words, got"):
            sentence.read(text)


def test_a_sum_has_signs_and_known_words():
    terms = Sum(WORDS, "cat - the", 3)
    for text in ("cat - the", "+ Cat−the", "cat – the", " cat  -the "):
        assert terms.read(text) == [(1, "cat"), (-1, "the")]
    assert terms.read("cat the") == [(1, "cat"), (1, "the")]
    for text, message in [
        ("", "1 to 3 words, got 0"),
        ("the " * 4, "1 to 3 words, got 4"),
        ("cat -", "a word after a sign, got the end"),
        ("cat - + the", r"a word after a sign, got \+"),
        ("hat", "“hat” is not among the 4 words; .* “cat”, “sat” and “mat”"),
    ]:
        with pytest.raises(ValueError, match=message):
            terms.read(text)


@given(one=st.text("abc", max_size=6), other=st.text("abc", max_size=6))
def test_edits_are_counted(one, other):
    assert inputs.edits(one, other) == inputs.edits(other, one)
    assert (inputs.edits(one, other) == 0) == (one == other)
    assert abs(len(one) - len(other)) <= inputs.edits(one, other)
    assert inputs.edits(one, other) <= max(len(one), len(other))
    assert inputs.edits(one + "x", other) <= inputs.edits(one, other) + 1


def test_a_line_has_known_characters():
    line = Line("abc ", "a b", 6)
    assert line.read("b ") == line.read("B ") == "b "
    assert Line("aA", "a", 6).read("Aa") == "Aa"
    for text, message in [("", "got 0"), ("a" * 7, "got 7"), ("a!", "got “!”")]:
        with pytest.raises(ValueError, match=message):
            line.read(text)


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("-x^2", lambda x: -(x**2)),
        ("−x – 1", lambda x: -x - 1),  # with the minus of the page, and a dash
        ("2x^2 - 3(x + 1)/4", lambda x: 2 * x**2 - 3 * (x + 1) / 4),
        ("2^-x * 1e1", lambda x: 10 * 2**-x),
        ("max(0.1*x, X)", lambda x: torch.maximum(0.1 * x, x)),
        ("x/(1+exp(-x))", lambda x: x * torch.sigmoid(x)),
        ("x*(1+erf(x/sqrt(2)))/2", torch.nn.functional.gelu),
        ("pi - e", lambda x: 0 * x + torch.pi - np.e),
    ],
)
def test_a_formula_is_its_function_with_arrays_and_tensors(text, function):
    x = torch.linspace(-3, 3, 13, dtype=torch.float64, requires_grad=True)
    expression, expected = parse(text), function(x)
    torch.testing.assert_close(expression(x), expected)
    np.testing.assert_allclose(expression(x.detach().numpy()), expected.detach())
    if "pi" not in text:
        slopes = [torch.autograd.grad(y.sum(), x)[0] for y in (expression(x), expected)]
        torch.testing.assert_close(*slopes)


@pytest.mark.parametrize(
    "text",
    ["", "x +", "(x", "x)", "sin x", "x y", "__import__", "x.real", "1/2x", "x=1"],
)
def test_what_is_no_formula_is_refused(text):
    with pytest.raises(ValueError, match=r"^expected .*, got "):
        parse(text)


def test_a_formula_has_an_end():
    with pytest.raises(ValueError, match=f"at most {MOST} characters"):
        parse("+" * (MOST + 1))
    assert parse("(" * 59 + "x" + ")" * 59)(2) == 2


def test_a_position_names_texts(shown):
    probe = probe_figure()
    at = position(probe, "words=the%20dog,k=3,digit=1:1-6:6,twice=on,f=2x%2B1")
    assert at["words"] == ["the", "<unk>"] and at["k"] == 3 and at["twice"] is True
    assert at["line"] == "a b" and at["f"](2.0) == 5 and at["digit"][3, 3] == 1
    for text, message in [("k=9", "k in 1, 2, 3, 4"), ("a=1", "expected a control of")]:
        with pytest.raises(
            ValueError, match=f"probe: expected.*{message}|probe: {message}"
        ):
            position(probe, text)


def test_each_input_has_another_value(shown):
    for control in probe_figure().controls:
        other = control.other(control.default)
        if control.kind == "drawing":
            assert (other != control.default).any()
        elif control.kind == "formula":
            assert other(1.3) != control.default(1.3)
        else:
            assert other != control.default


def draw(digit, k=1):
    """A picture."""
    return plt.figure(figsize=(1, 1))


GOOD = {"compute": lambda **inputs: {}, "digit": Drawing(4, np.zeros((4, 4)))}


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"k": (3, 1)}, ValueError, "k: expected min"),
        ({"speed": (1, 3)}, TypeError, r"inputs among \(digit, k\), got 'speed'"),
        ({"labels": {"x": "y"}}, TypeError, "inputs among .* got 'x'"),
        (
            {"k": Line("a", "a", 1)},
            TypeError,
            "no default for 'k', which has its start",
        ),
        (
            {"digit": Sentence(WORDS, "", 3)},
            ValueError,
            "digit: its start: expected 1 to",
        ),
        ({"weights": {"W": np.zeros(200_000)}}, ValueError, "at most 500000 bytes"),
        ({"weights": {"W": np.array([np.nan])}}, ValueError, "nan in 'W'"),
    ],
)
def test_bad_use_says_what_was_expected_and_what_came(shown, given, error, message):
    with pytest.raises(error, match=message):
        alive("probe", **(GOOD | given))(draw)


def test_what_describes_nothing_or_has_no_input_is_refused(shown):
    with pytest.raises(ValueError, match="expected a docstring"):
        alive("probe", **GOOD)(lambda digit: None)
    with pytest.raises(ValueError, match="expected at least one input"):
        alive("probe", compute=GOOD["compute"])(draw)
    with pytest.raises(TypeError, match="a default for 'digit', got neither"):
        alive("probe", compute=GOOD["compute"], k=(1, 2))(draw)
    with pytest.raises(TypeError, match="expected a function made by def"):
        alive("probe", **GOOD)(3)


def test_the_figure_with_widgets_follows_its_inputs(boxes, shown):
    probe = probe_figure()
    assert set(shown[0]) >= {"application/vnd.jupyter.widget-view+json", "image/png"}
    *handles, buttons, words, trouble, picture, _ = boxes[0].children
    digit, sentence, line, _, k, *_ = handles
    before = picture.value
    handles[3].value = "x^2"
    assert picture.value != before and trouble.value == ""
    sentence.value = "the dog"
    assert "“dog”" in words.value
    line.value = "ab"
    assert "Not that one." in trouble.value and "ValueError" not in trouble.value
    line.value = "a"
    assert trouble.value == ""
    k.value = "3"
    digit.value = "1:1-6:6"
    (button,) = buttons.children
    button.click()
    assert line.value == "ac" and trouble.value == ""
    assert [c.name for c in probe.controls] == list(
        probe.alive.compute.__code__.co_varnames[:8]
    )


def test_weights_are_float32(shown):
    weights = probe_figure().alive.weights
    assert weights["W"].dtype == np.dtype("<f4") and weights["W"].shape == (8, 8)
    assert decorator.MAX_BYTES == 500_000


def test_a_formula_reads_its_start():
    assert Formula("tanh(x)").default(0.5) == pytest.approx(np.tanh(0.5))
