"""What turns pages into paper, without the engine."""

import pytest
from docutils import nodes

from press.paper import back, engine
from press.paper.writer import columns


def a_table(*rows):
    table = nodes.table("", nodes.tgroup("", nodes.tbody()))
    for texts in rows:
        row = nodes.row()
        for text in texts:
            row += nodes.entry("", nodes.paragraph("", text))
        table[0][0] += row
    return table


def test_a_table_that_fits_keeps_its_columns():
    assert columns(a_table(["a", "b"], ["c", "d"])) == "ll"


def test_a_wide_table_breaks_its_longest_column():
    found = columns(a_table(["symbol", "meaning " * 40], ["x", "short"]))
    narrow, wide = (
        float(part.partition("}")[0])
        for part in found.split("p{")[1:]
        for part in [part.split("\\tablewidth")[0]]
    )
    assert 0.05 < narrow < 0.12 and narrow + wide == pytest.approx(1, abs=0.01)


def test_no_column_is_narrower_than_its_longest_word():
    word = "x" * 24
    found = columns(a_table([word, "meaning " * 40]))
    assert float(found.split("p{")[1].split("\\tablewidth")[0]) * 88 >= 23


UNDEFINED = (
    "LaTeX Warning: Reference `figure:10_optimization:steepest' on page 41 undefined"
    " on input line 4711."
)
LOG = f"""This is XeTeX
Missing character: There is no 岭 in font [texgyrepagella]!
{UNDEFINED[:79]}
{UNDEFINED[79:]}
Overfull \\hbox (0.3pt too wide) in paragraph at lines 1--2
Overfull \\hbox (31.0pt too wide) in paragraph at lines 3--4
! Undefined control sequence.
"""


def test_the_log_says_what_is_wrong():
    found = engine.faults_of(LOG)
    assert len(found) == 4, found
    assert UNDEFINED in found
    assert any("31.0pt" in fault for fault in found)


@pytest.mark.parametrize(
    ("term", "letter"),
    [("岭回归", "L"), ("注意力", "Z"), ("阿达马积", "A"), ("0-1 损失", "")],
)
def test_chinese_terms_stand_under_their_pinyin(term, letter):
    assert back.pinyin(term) == letter


def test_places_of_the_index_are_those_of_latex():
    row = {"slug": "10_optimization", "label": "eq-10-gd"}
    assert back.label(row) == "equation:book/10_optimization:eq-10-gd"
    assert back.label(row | {"label": "ex-10-fit"}) == "exercise:ex-10-fit"
    assert (
        back.label(row | {"label": "sec-10-adam"}) == "book/10_optimization:sec-10-adam"
    )
