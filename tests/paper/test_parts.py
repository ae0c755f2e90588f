"""What turns pages into paper, without the engine."""

import os
from itertools import groupby

import pytest
from docutils import nodes

from press.figures.bundle import static_bundle
from press.paper import back, engine, figures
from press.paper.writer import _unicode_math, columns
from press.tables import appendices
from tests.figures import line, shown_with
from utils.interact import interact


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
    widths = columns(a_table(["symbol", "meaning " * 40], ["x", "short"]))
    narrow, wide = (
        float(part.partition("}")[0])
        for part in widths.split("p{")[1:]
        for part in [part.split("\\tablewidth")[0]]
    )
    assert 0.05 < narrow < 0.12 and narrow + wide == pytest.approx(1, abs=0.01)


def test_no_column_is_narrower_than_its_longest_word():
    word = "x" * 24
    widths = columns(a_table([word, "meaning " * 40]))
    assert float(widths.split("p{")[1].split("\\tablewidth")[0]) * 88 >= 23


def test_a_formula_within_another_makes_no_column_wide():
    letters = nodes.paragraph("", "")
    letters += [nodes.math("", "L"), nodes.Text(", ")]
    letters += nodes.math("", r"\Delta_\ell=\partial\mathcal L/\partial x")
    table = a_table(["x", "meaning " * 40])
    table[0][0][0][0].children[:] = [letters]
    assert float(columns(table).split("p{")[1].split("\\tablewidth")[0]) < 0.22


def test_fractions_in_neighbouring_rows_of_a_matrix_do_not_touch():
    matrix = r"\begin{pmatrix}\frac25\\\frac15\end{pmatrix}"
    assert r"\\[4pt]\frac15" in _unicode_math(matrix)
    assert "4pt" not in _unicode_math(matrix.replace("frac", "sqrt"))


@pytest.mark.parametrize("points", [302, 360, 432, 468, 490, 504, 590])
def test_numbers_in_small_pictures_are_large_enough_to_read(points):
    beside, width = figures.row_layout(points)
    assert beside * width <= 1
    assert 10 * width * figures.LINE_WIDTH / points > 4.75  # points of type


@pytest.fixture(scope="module")
def frames():
    """The frames of a figure of two controls, as paper reads them from its page."""
    with shown_with(static_bundle) as shown:
        interact(shift=(-1, 1, 0.5), dashed=False)(line)
    return figures.Frames(shown[0]["text/html"])


def test_the_positions_of_the_text_stand_under_a_figure_each_once(frames):
    text = (
        "[a](#line:shift=-0.5) [b](#line:dashed=on) [c](#line:shift=-.50) [d](#f:x=1)"
    )
    places = figures.named_positions(frames, text + "[e](#line:shift=0.0,dashed=off)")
    assert places == [(1, 0), (2, 1)]
    assert [*map(frames.setting, places)] == ["shift = −0.5", "dashed = on"]
    assert frames.setting(frames.start) == ""
    pictures = [frames.picture(indices) for indices in (frames.start, *places)]
    assert len({picture.tobytes() for picture in pictures}) == 3


@pytest.mark.parametrize(
    "position", ["speed=1", "shift=-0.5,speed=1", "shift=7", "dashed", "dashed=1"]
)
def test_a_position_that_a_figure_does_not_have_is_not_its_default(frames, position):
    text = f"[a](#line:{position}) [b](#line:dashed=on)"
    with pytest.raises(ValueError, match=r"^line: expected "):
        figures.named_positions(frames, text)
    assert figures.named_positions(frames, text, lenient=True) == [(2, 1)]


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
Overfull \\vbox (90.5pt too high) has occurred while \\output is active
! Undefined control sequence.
"""


def test_the_log_says_what_is_wrong():
    faults = engine.faults_of(LOG)
    assert len(faults) == 5, faults
    assert UNDEFINED in faults
    assert any("31.0pt" in fault for fault in faults)
    assert any("90.5pt" in fault for fault in faults)


@pytest.mark.parametrize(
    "ending", ["kill -9 $$", "exit 3", "exit 1", "touch book.log; exit 1"]
)
def test_a_latex_that_is_stopped_leaves_no_pages(ending, tmp_path, monkeypatch):
    program = tmp_path / "bin" / "xelatex"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{ending}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    (tmp_path / "book.pdf").write_text("of the last run")
    (tmp_path / "book.log").write_text("of the last run")
    with pytest.raises(engine.Failed, match="ended with"):
        engine.typeset(tmp_path, "book", lambda text: None)
    assert not (tmp_path / "book.pdf").exists()


@pytest.mark.parametrize(
    ("term", "letter"),
    [
        ("岭回归", "L"),
        ("熵", "S"),  # GB 2312 orders its rarer characters by their strokes
        ("行列式", "H"),
        ("重置门", "C"),
        ("0-1 损失", ""),
    ],
)
def test_chinese_terms_stand_under_their_pinyin(term, letter):
    assert back.pinyin_letter(term) == letter


def test_chinese_terms_are_sorted_so_that_each_letter_comes_once():
    terms = {row["chinese"] for row in appendices.rows("glossary")}
    terms = sorted(terms, key=back.pinyin_key)
    letters = [letter for letter, _ in groupby(terms, back.pinyin_letter)]
    assert letters == sorted(set(letters)) and letters[0] == ""


def test_places_of_the_index_are_those_of_latex():
    row = {"slug": "10_optimization", "label": "eq-10-gd"}
    assert back.label(row) == "equation:book/10_optimization:eq-10-gd"
    assert back.label(row | {"label": "ex-10-fit"}) == "exercise:ex-10-fit"
    assert (
        back.label(row | {"label": "sec-10-adam"}) == "book/10_optimization:sec-10-adam"
    )
