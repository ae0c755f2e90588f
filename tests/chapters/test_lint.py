"""The rules of a chapter on a small one: they pass what is right and name what is not."""

import re

import nbformat
import pytest

from press import lint as rules

PREDICT = "```{admonition} Predict first\n:class: tip\nWhere is it lowest?\n```"
ANSWER = """```{{admonition}} What you should have seen
:class: dropdown note
{}
```"""
ANSWERED = ANSWER.format("It is lowest [at −0.5](#curve:a=-0.5,ink=dark%20red,log=on).")
WIDGET = '''@interact(a=(-1, 1, 0.5), ink=["blue", "dark red"], log=True)
def curve(a=0.0, ink="blue", log=False):
    """A curve."""
    return draw(xs, a)'''


def text(source):
    return nbformat.v4.new_markdown_cell(source)


def code(source, *tags):
    return nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)})


def chapter(*, predict=PREDICT, answer=ANSWERED, tags=("seen",)):
    return nbformat.v4.new_notebook(
        cells=[
            text("# Chapter 1 · Lines\n\n" + predict),
            code(WIDGET, "widget"),
            text(answer),
            code("assert xs.min() == -1", "check", *tags),
            text(PREDICT),
            code(WIDGET.replace("curve", "other"), "widget"),
            text(ANSWER.format("The same.")),
            code("assert xs.max() == 1", "check", "seen"),
        ]
    )


def test_a_slider_with_all_that_belongs_to_it_passes():
    assert rules.seen(chapter()) == []


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"predict": ""}, "Predict first"),
        ({"predict": "Predict first: where is it lowest?"}, "Predict first"),
        ({"answer": "No box."}, "What you should have seen"),
        ({"tags": ()}, "`seen` check"),
    ],
)
def test_what_a_slider_lacks_is_named(changes, missing):
    (lack,) = rules.seen(chapter(**changes))
    assert lack.startswith("curve: expected") and missing in lack


def test_a_check_belongs_to_the_slider_before_it():
    notebook = chapter()
    notebook.cells.append(notebook.cells.pop(3))
    assert [x for x in rules.seen(notebook) if x.startswith("curve")]


def test_a_position_names_a_figure_and_its_controls():
    assert rules.unknown_positions(chapter()) == []
    for wrong in (
        *("#line:a=0.5", "#curve:b=0.5", "#curve:a=0.5,b=1", "#curve:play=a"),
        *("#curve:a=0,a=1", "#curve:a", "#curve: a=1", "#curve:a=f(1", "#curve:"),
    ):
        answer = ANSWER.format(f"See [there]({wrong}).")
        (error,) = rules.unknown_positions(chapter(answer=answer))
        assert wrong in error


def sized(*, words=10, lines=5, width=5):
    source = "\n".join(["x" * width] * lines)
    return nbformat.v4.new_notebook(
        cells=[
            text("## One\n" + "word " * (words - 2 - 4)),
            text("## Two *\nword"),
            code(source, "run"),
        ]
    )


def test_a_chapter_has_at_most_so_many_words():
    assert rules.too_many_words(sized(words=12_000)) == []
    (error,) = rules.too_many_words(sized(words=12_001))
    assert error == "expected at most 12000 words, got 12001"


@pytest.mark.parametrize(
    ("sizes", "sign"),
    [
        ({"lines": 30, "width": 88}, None),
        ({"lines": 1}, None),
        ({"lines": 31}, "got 31"),
        ({"lines": 0}, "got 0"),
        ({"lines": 1, "width": 89}, "expected 88 columns"),
    ],
)
def test_a_code_cell_has_at_most_so_many_lines_and_columns(sizes, sign):
    errors = rules.cell_sizes(sized(**sizes))
    assert len(errors) == (sign is not None)
    assert sign is None or sign in errors[0]


@pytest.mark.parametrize(("before", "count", "wrong"), [
    (9, 1, 0), (9, 4, 0), (10, 1, 1), (0, 0, 1),
])  # fmt: skip
def test_a_slider_stands_within_the_first_ten_cells(before, count, wrong):
    cells = [text("Text.") for _ in range(before)]
    cells += [code(WIDGET, "widget") for _ in range(count)]
    assert len(rules.sliders(nbformat.v4.new_notebook(cells=cells))) == wrong


ONE = """
# A title. And more
It holds.
It holds, e.g. For small steps, i.e. If η is small (cf. Kingma, eq. 3, by D. E. Knuth).
**Before you start.** Matrix products.
*Proof.* By symmetry.
1. First.
- A list of **one**.
●●○ **Derive.** Show that it holds for $a. B$ and `x. Y`.
So [Kingma et al. (2015). Adam](references.bib#kingma2015) says "No."
| a. B | c. D |
$$
a. B
$$ (eq-01-a)
A number like 1.5 and 2. 5 is none.
```python
x = 1. # A comment. And another
```
"""


def test_a_line_has_one_sentence():
    assert rules.two_sentences(nbformat.v4.new_notebook(cells=[text(ONE)])) == []


@pytest.mark.parametrize("line", [
    "It computes. Can it learn?",
    "Does it? It does.",
    "It holds for $x$. So does the other.",
    "(It does. Really.)",
    "**Why.** It holds. So does the other.",
    "```{admonition} Title\nIt holds. **So** does the other.\n```",
    "- One. “Two” is another.",
    "1. First. Second.",
])  # fmt: skip
def test_two_sentences_on_a_line_are_found(line):
    (error,) = rules.two_sentences(nbformat.v4.new_notebook(cells=[text(line)]))
    assert re.search(r"[.?!]\S* \S", error)


@pytest.mark.parametrize(
    ("formula", "swallowed"),
    [
        (r"\begin{aligned}" + "\n" + r"{}[a\;b] &= c \\[2pt] d", 0),
        (r"\begin{aligned}" + "\n" + r"[a\;b] &= c", 1),
        (r"x \\ [a\;b] &= c", 1),
    ],
)
def test_a_bracket_that_tex_would_swallow_is_found(formula, swallowed):
    notebook = nbformat.v4.new_notebook(cells=[text(f"$$\n{formula}\n$$")])
    assert len(rules.swallowed_brackets(notebook)) == swallowed


def asked(
    count=8, *, label="(q-01-n{})=", shape="dropdown question", answer=70 * "so "
):
    boxes = "\n\n".join(
        f"{label.format(i)}\n:::{{admonition}} Why {i}?\n:class: {shape}\n{answer}\n:::"
        for i in range(count)
    )
    section = (
        f"(sec-01-questions)=\n## Questions readers ask\n\n{boxes}\n\n(sec-01-ex)="
    )
    return nbformat.v4.new_notebook(
        cells=[text("# Chapter 1 · Lines"), text(section), text("## Exercises")]
    )


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"count": 1},
        {"count": 30},
        {"answer": 150 * "so "},
        {"answer": "See {ref}`sec-01-why`."},
    ],
)
def test_questions_with_labels_and_answers_pass(changes):
    assert rules.questions(asked(**changes)) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"count": 0}, "expected a question under 'Questions readers ask', got none"),
        ({"label": "(sec-01-n{})="}, "Why 3?: expected a label (q-NN-name)="),
        ({"shape": "question"}, "expected :class: dropdown question"),
        ({"answer": ""}, "expected an answer of at most 150 words, got 0"),
        ({"answer": 151 * "so "}, "got 151"),
    ],
)
def test_a_question_without_what_belongs_to_it_is_named(changes, message):
    assert any(message in error for error in rules.questions(asked(**changes)))


def test_questions_stand_right_before_the_exercises():
    notebook = asked()
    notebook.cells.insert(2, text("## Summary"))
    (error,) = rules.questions(notebook)
    assert "right before the exercises" in error


HOLDS = text("We try.\n\n**What holds.** The mean is near 0.")
CLAIM = code("assert mean < 1", "check", "claim")
RUN = code("mean = 0", "run")


def pairs(count):
    """Sentences, each with its claim cell."""
    for _ in range(count):
        yield text(HOLDS.source)
        yield code(CLAIM.source, "check", "claim")


@pytest.mark.parametrize(
    "cells",
    [[HOLDS, CLAIM], [HOLDS, RUN, RUN, CLAIM, code("assert 1 < mean", "check")]],
)
def test_a_claim_after_its_sentence_passes(cells):
    assert rules.claims(nbformat.v4.new_notebook(cells=cells)) == []


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([text("It is near 0."), CLAIM], "expected a text before it"),
        ([HOLDS], "expected a claim cell after 'The mean is near 0.'"),
        ([HOLDS, text("So."), CLAIM], "expected a claim cell after"),
        ([HOLDS, code("def f(): pass", "define"), CLAIM], "or runs and then it"),
        ([*pairs(1), CLAIM], "expected a text before it"),
        (
            [HOLDS, code("mean = 0", "run", "claim")],
            "expected a check, got ['claim', 'run']",
        ),
        ([text(f"{HOLDS.source}\n\n**What holds.** Too."), CLAIM], "one claim a cell"),
        (
            [text("## One"), *pairs(13)],
            "at most 12 claims in the core, got 13",
        ),
    ],
)
def test_a_claim_apart_from_its_sentence_is_named(cells, message):
    assert any(
        message in error
        for error in rules.claims(nbformat.v4.new_notebook(cells=cells))
    )


def test_claims_outside_the_core_are_not_counted():
    for title in ("Flows *", "Exercises", "Questions readers ask"):
        cells = [text(f"## {title}"), *pairs(13)]
        assert rules.claims(nbformat.v4.new_notebook(cells=cells)) == []


def test_a_chapter_with_claims_has_short_checks_and_few_letters():
    table = (
        "## Notation\n\n| symbol | meaning |\n|---|---|\n" + "| $x$ | input |\n" * 16
    )
    cells = [text(table), HOLDS, CLAIM, code("\n".join(["assert x < 1"] * 16), "check")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    (error,) = rules.long_checks(notebook)
    assert "expected 15 lines, got 16" in error
    (error,) = rules.long_notation(notebook)
    assert "at most 15 rows, got 16" in error
    notebook.cells = [cells[0], cells[3]]  # without the claim
    assert not rules.long_checks(notebook) + rules.long_notation(notebook)


@pytest.mark.parametrize(
    "condition",
    [
        "True",
        "1",
        '"drawn"',
        "3 == 3",
        "(1, 2) == (1, 2)",
        "x < 3 and not 0",
        "x or [1]",
    ],
)
def test_a_condition_that_computes_nothing_is_named(condition):
    notebook = nbformat.v4.new_notebook(cells=[code(f"assert {condition}", "run")])
    (lack,) = rules.decoys(notebook)
    assert lack.startswith("expected a condition that can fail, got ")


@pytest.mark.parametrize("condition", ["x < 3", "2**5 - 1 == 31", "2 < 3 < x", "False"])
def test_a_condition_that_can_fail_passes(condition):
    notebook = nbformat.v4.new_notebook(cells=[code(f"assert {condition}", "run")])
    assert rules.decoys(notebook) == []
