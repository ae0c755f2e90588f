"""What the pages' networks compute in a real browser, held against the chapters' own code."""

import contextlib
import itertools
import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy.special import softmax

from press.alive.files import views_of
from press.chapters import BOOK
from tests.alive.conftest import STATIC, assert_same, computed, network
from tests.chapter_code import ChapterCode
from utils.alive.formula import parse
from utils.text import EOS, SPECIALS

CASES = 12
# The pages compute in float64, with weights in float32; a notebook may compute in float32.
NEAR = {torch.float64: 1e-9, torch.float32: 1e-5}


def spread(net, seed, size=0.4):
    """The network with all parameters drawn, so that none is at 0 or 1."""
    generator = torch.Generator().manual_seed(seed)
    for p in net.parameters():
        p.data = size * torch.randn(p.shape, generator=generator)
    return net.eval().requires_grad_(False)


def vocabulary(size, letter):
    return [*SPECIALS, *(f"{letter}{i}" for i in range(size - len(SPECIALS)))]


def sentences(rng, words, longest, count=CASES):
    """Sentences of 1 to ``longest`` words, some of which are unknown."""
    drawn = [rng.choice([*words[3:], "qwxz"], rng.integers(1, longest + 1))
             for _ in range(count)]  # fmt: skip
    return [[str(word) for word in sentence] for sentence in drawn]


def numbers(sentence, words):
    return [words.index(word) if word in words else 3 for word in sentence]


def act(page, program, label, net, inputs, random):
    """What an action changes, where ``random`` is the number that is drawn."""
    return page.evaluate(
        """([name, label, network, inputs, random]) => {
          const { compute, actions } = alive.programs[name];
          const outputs = compute(network, inputs);
          return actions[label](inputs, outputs, () => random, network);
        }""",
        [program, label, net, inputs, random],
    )


# ---------------------------------------------------------------- chapter 6


@pytest.fixture(scope="module")
def scope_06():
    return ChapterCode("06_activations").namespace()


def activation_page(scripts):
    """A page whose program is given the text of f, as its figure would parse it."""
    page = scripts("activation")
    page.add_script_tag(path=STATIC / "formula.js")
    page.evaluate(
        """() => {
          const { compute } = alive.programs.activation;
          alive.program("activation", { compute(network, inputs) {
            return compute(network, { ...inputs, f: alive.parse(inputs.f) });
          } });
        }"""
    )
    return page


def test_activation(scripts, scope_06):
    """Also where the signal or the gradient ends, and where f has no value at 0."""
    typed = [text for text in scope_06["TYPED"] if text != "log(x)"]
    typed += (
        "abs(x)",
        "x/(1+exp(-x))",
        "-3",
        "0*x",
        "x^3 − 2x",
        "exp(x)",
        "x*log(abs(x))/2",
    )
    grid = itertools.product(typed, [(-1.5, 0.7), (0.0, 1.0), (3.5, 1.7)])
    cases = [{"f": text, "z": z, "s": s} for text, (z, s) in grid]
    page, net = activation_page(scripts), network(scope_06["THIRTY"])
    found = computed(page, "activation", net, cases)
    for case, ours in zip(cases, found, strict=True):
        theirs = scope_06["own_outputs"](**case | {"f": parse(case["f"])})
        theirs = {name: array.detach() for name, array in theirs.items()}
        assert_same(ours, theirs, 1e-6)
    reached = {tuple(ours["reached"]) for ours in found}
    assert {(30, 31), (30, 1)} < reached and any(down == 0 for _, down in reached)


@pytest.mark.parametrize("text", ["log(x)", "x^x", "x/0", "exp(exp(2x))", "sqrt(0*x)"])
def test_activation_refuses(scripts, scope_06, text):
    with pytest.raises(ValueError) as refused:
        scope_06["own_outputs"](parse(text), 1.0, 1.0)
    case = {"f": text, "z": 1.0, "s": 1.0}
    with pytest.raises(Exception, match=re.escape(str(refused.value))):
        given = network(scope_06["THIRTY"]), [case]
        computed(activation_page(scripts), "activation", *given)


# ---------------------------------------------------------------- chapter 16

ENGLISH, FRENCH = vocabulary(23, "e"), vocabulary(31, "f")


@pytest.fixture(scope="module")
def scope_16():
    """All that the chapter's ``reading_arrays`` computes with."""
    chapter = ChapterCode("16_attention")
    scope = dict(chapter.namespace())
    net = scope["Reader"](len(ENGLISH), len(FRENCH), 12, 4, torch.Generator())
    spread(net, 16, 0.8).out.bias[EOS] += 2  # so that some sentences end, some at once
    scope["V_en"] = SimpleNamespace(encode=lambda words: numbers(words, ENGLISH))
    scope["shown_net"] = net
    chapter.define("16-shown", scope, "looked", "of_head")
    chapter.define("16-written", scope, "LONGEST", "written", "reading_arrays")
    return scope


def attention_network(scope):
    data = {"english": ENGLISH, "french": FRENCH, "heads": 4, "most": scope["LONGEST"]}
    return network(scope["shown_net"].state_dict(), **data, true={})


@pytest.mark.parametrize("dtype", NEAR)
def test_attention(scripts, scope_16, dtype):
    rng = np.random.default_rng(16)
    cases = [
        {"sentence": s, "hide": int(rng.integers(0, len(s) + (len(s) > 1))),
         "head": int(rng.integers(0, 5))}
        for s in sentences(rng, ENGLISH, 16)
    ]  # fmt: skip
    scope_16["shown_net"].to(dtype)
    given = attention_network(scope_16), cases
    found = computed(scripts("attention"), "attention", *given)
    for case, ours in zip(cases, found, strict=True):
        assert_same(ours, scope_16["reading_arrays"](**case), NEAR[dtype])
    lengths = {len(ours["written"]) for ours in found}
    assert {1, scope_16["LONGEST"]} < lengths
    assert any(len(x["written"]) != len(x["with_all"]) for x in found)


@pytest.mark.parametrize(
    "case",
    [{"sentence": ["e1"] * 3, "hide": 4, "head": 0}, {"sentence": ["e1"], "hide": 1, "head": 0}],
)  # fmt: skip
def test_attention_refuses(scripts, scope_16, case):
    with pytest.raises(ValueError) as refused:
        scope_16["reading_arrays"](**case)
    with pytest.raises(Exception, match=re.escape(str(refused.value))):
        given = attention_network(scope_16), [case]
        computed(scripts("attention"), "attention", *given)


# ---------------------------------------------------------------- chapter 17

CHARACTERS = "\n ,.0?abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="module")
def scope_17():
    return ChapterCode("17_transformer").namespace()


@pytest.fixture(scope="module")
def writer_17(scope_17):
    """The model of the page, which its functions read as READER."""
    assert scope_17["KEPT"] == CHARACTERS
    net = scope_17["Transformer"](len(CHARACTERS), 32, 48, 4, 2, "rotary")
    scope_17["READER"] = spread(net, 17, 0.2).double()
    return scope_17["READER"]


def writer_network(net):
    tied = {k: p for k, p in net.state_dict().items() if k != "out.weight"}
    sizes = {"heads": 4, "blocks": 2, "trained": 32, "most": 60}
    return network(tied, characters=CHARACTERS, **sizes)


def test_continue(scripts, scope_17, writer_17):
    """From the start, behind what was read before, and with less than was read before."""
    rng = np.random.default_rng(17)
    long = "".join(rng.choice([*CHARACTERS[1:]], 60))
    texts = [long[:1], long[:2], long[:31], long, long[:40], long[:40], long[:39] + "q"]
    texts += ["".join(rng.choice([*CHARACTERS[1:]], n)) for n in rng.integers(1, 61, 8)]
    cases = [
        {
            "text": text,
            "temperature": float(rng.choice([0.2, 0.6, 1, 2])),
            "top_p": float(rng.choice([0.1, 0.5, 0.9, 1])),
            "head": int(rng.integers(1, 9)),
        }
        for text in texts
    ]
    packed = writer_network(writer_17)
    found = computed(scripts("continue"), "continue", packed, cases)
    top_p = ChapterCode("13_language_models").namespace()["top_p"]
    for case, ours in zip(cases, found, strict=True):
        assert_same(ours, scope_17["next_character"](**case), 1e-9)
        scores = writer_17(scope_17["ids_of"](case["text"])[None])[0, -1]  # no cache
        p = softmax(scores.numpy() / case["temperature"])
        theirs = {"scores": scores, "probabilities": top_p(p, case["top_p"])}
        assert_same({name: ours[name] for name in theirs}, theirs, 1e-9)


def test_continue_writes_as_the_chapter_does(scripts, scope_17, writer_17):
    start = scope_17["ids_of"]("the gradient ")[None]
    theirs, _ = scope_17["sample"](writer_17, start, 10, tau=0.0)
    case = {"text": "the gradient ", "temperature": 1, "top_p": 1, "head": 1}
    given = "continue", "Take the most probable", writer_network(writer_17)
    page = scripts("continue")
    for _ in range(10):
        case |= act(page, *given, case, 0.5)
    assert case["text"] == "".join(CHARACTERS[i] for i in theirs[0])


@pytest.mark.parametrize("drawn", [0.0, 0.3, 0.7, 1 - 1e-16])
def test_continue_draws_by_the_probabilities(scripts, scope_17, writer_17, drawn):
    page, net = scripts("continue"), writer_network(writer_17)
    case = {"text": "a", "temperature": 1, "top_p": 0.6, "head": 1}

    def choose(p):
        ends = np.cumsum(p)
        last = np.flatnonzero(p)[-1]
        return int(min(np.searchsorted(ends, drawn, side="right"), last))

    for label, count in (("Draw the next character", 1), ("Draw twenty", 20)):
        given = page, "continue", label, net, case, drawn
        try:
            wanted = scope_17["write_on"](case, count, choose)
        except ValueError as error:
            with pytest.raises(Exception, match=str(error)):
                act(*given)
        else:
            assert act(*given) == wanted


def test_continue_ends_a_line(scripts, writer_17):
    page, net = scripts("continue"), writer_network(writer_17)
    full = {"text": 60 * "a", "temperature": 1, "top_p": 1, "head": 1}
    one = page, "continue", "Draw the next character", net
    with pytest.raises(Exception, match="The line is full: it has 60 characters"):
        act(*one, full, 0.5)
    with pytest.raises(Exception, match="The line ends here: the next character is"):
        act(*one, full | {"text": "a"}, 0.0)  # the line break is the first one
    twenty = page, "continue", "Draw twenty", net
    assert len(act(*twenty, full | {"text": 55 * "a"}, 0.999)["text"]) == 60


# ---------------------------------------------------------------- chapter 18


@pytest.fixture(scope="module")
def scope_18():
    chapter = ChapterCode("18_word_vectors")
    scope = dict(chapter.namespace())
    with contextlib.chdir(BOOK):
        chapter.run("18-real-load", scope)
        chapter.run("18-ask-compute", scope)
    return scope


def terms(rng, words):
    """A sum of one to four words, at random: pairs of a sign and a word."""
    count = rng.integers(1, 5)
    drawn = zip(rng.choice([1, -1], count), rng.choice(words, count), strict=True)
    return [(int(sign), str(word)) for sign, word in drawn]


def test_vectors(scripts, scope_18):
    words, rng = scope_18["real_words"], np.random.default_rng(18)
    king = [(1, "king"), (-1, "man"), (1, "woman")]
    asked = [[(1, "bank")], king, [(1, "dogs"), (-1, "dog"), (1, "cow")]]
    asked += [terms(rng, words) for _ in range(4 * CASES)]
    cases = [
        {"words": each, "leave_out": out} for each in asked for out in (True, False)
    ]
    net = network({"vectors": scope_18["REAL"]}, words=words)
    found = computed(scripts("vectors"), "vectors", net, cases)
    for case, ours in zip(cases, found, strict=True):
        assert_same(ours, scope_18["ask_vectors"](**case), 1e-9)
    named = [[words[int(i)] for i in ours["nearest"]] for ours in found[:6]]
    assert named[0] == scope_18["neighbours"]("bank", scope_18["REAL"], words, 8)
    assert [row[0] for row in named[2:]] == ["queen", "king", "cows", "cow"]


def test_a_sum_is_the_rule_of_the_chapter_with_its_controls(scope_18):
    words, index = scope_18["real_words"], scope_18["real_index"]
    answers, rng = scope_18["answers"], np.random.default_rng(19)
    for _ in range(CASES):
        a, b, c = map(str, rng.choice(words, 3, replace=False))
        asked = np.array([[index[word] for word in (a, b, c)]])
        out = scope_18["ask_vectors"]([(1, b), (-1, a), (1, c)], True)
        assert out["nearest"][0] == answers(scope_18["REAL"], asked)[0]
        for k, weights in enumerate([(0, 0, 1), (0, 1, 1)]):
            control = answers(scope_18["REAL"], asked, weights=weights)[0]
            assert out["controls"][k, 0] == control


def test_vectors_refuses_words_that_cancel(scripts, scope_18):
    net = network({"vectors": scope_18["REAL"]}, words=scope_18["real_words"])
    case = {"words": [(1, "king"), (-1, "king")], "leave_out": True}
    with pytest.raises(Exception, match="no direction"):
        computed(scripts("vectors"), "vectors", net, [case])
    with pytest.raises(ValueError, match="no direction"):
        scope_18["ask_vectors"](**case)


# ---------------------------------------------------------------- chapter 20


@pytest.fixture(scope="module")
def scope_20():
    chapter = ChapterCode("20_seq2seq")
    scope = dict(chapter.namespace())
    chapter.define("e3443c39", scope, "tree_nodes")
    chapter.define("20-repaired-run", scope, "flattened")
    chapter.define("20-sentence-search", scope, "right_way", "searched")
    chapter.define("20-sentence-arrays", scope, "filled", "search_arrays")
    return scope


def translator_20(scope, V_x, V_y, size, **shape):
    """A network, with all that the chapter's ``search_arrays`` computes with but for RIGHT."""
    net = scope["translator"](V_x, V_y, attention=True, seed=20, **shape)
    english = vocabulary(V_x, "e")
    scope |= {"early": spread(net, 20, size).double(), "MOST": 10, "RIGHT": {}}
    scope["en"] = SimpleNamespace(encode=lambda words: numbers(words, english))
    return net, english


def assert_searches_agree(page, scope, net, english, cases):
    data = {"english": english, "most": scope["MOST"], "right": scope["RIGHT"]}
    found = computed(page, "translate", network(net.state_dict(), **data), cases)
    for case, ours in zip(cases, found, strict=True):
        assert_same(ours, scope["search_arrays"](**case), 1e-9)
    return found


@pytest.mark.parametrize("most", [10, 5, 1])
def test_translate(scripts, scope_20, most):
    net, english = translator_20(scope_20, 23, 11, 0.4, E=5, H=8)
    net["out"].bias[EOS] += 2  # so that sentences end before they are cut
    grid = itertools.product((1, 2, 4), (0, 0.5, 1), (1, 2, 4))
    cases = [
        {"source": s, "k": k, "alpha": alpha, "divisor": divisor}
        for s, (k, alpha, divisor) in zip(
            sentences(np.random.default_rng(20), english, 9, 27), grid, strict=True
        )
    ]
    scope_20["MOST"] = most
    for case in cases[::2]:  # a right translation that the beam may lose
        _, _, outputs, _ = scope_20["searched"](**case | {"k": 6, "alpha": 1})
        scope_20["RIGHT"][" ".join(case["source"])] = outputs[-1][0]
    found = assert_searches_agree(scripts("translate"), scope_20, net, english, cases)
    assert sum(ours["lost"][0] > 0 for ours in found) > 5
    assert any((ours["outputs"] == EOS).any() for ours in found)


def test_translate_at_the_size_of_the_chapter(scripts, scope_20):
    net, english = translator_20(scope_20, 80, 90, 0.2)
    (words,) = sentences(np.random.default_rng(21), english, 8, 1)
    case = {"source": words, "k": 6, "alpha": 1, "divisor": 2}
    assert_searches_agree(scripts("translate"), scope_20, net, english, [case])


# ---------------------------------------------------------------- views


def test_a_slide_can_name_the_views_of_each_program():
    assert views_of("continue") == "seen below left next cost map cache".split()
    for path in (STATIC / "programs").glob("*.js"):
        assert views_of(path.stem), path.name
