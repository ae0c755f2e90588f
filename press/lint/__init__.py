"""What a notebook must keep to: each rule is a function that lists what breaks it.

cells        what a cell is, and how large it may be
prose        words, sentences and formulas of the text
questions    what readers ask, and how it is answered
sliders      each figure is predicted before, explained after and checked
claim_cells  each general sentence about what was measured has a cell that may fail
evidence     conditions that prove nothing
"""

from press.lint.cells import MAX_COLUMNS, cell_sizes
from press.lint.claim_cells import claims, long_checks, long_notation
from press.lint.evidence import decoys, fixed_conditions
from press.lint.prose import (
    swallowed_brackets,
    too_many_words,
    two_sentences,
    weasel_words,
)
from press.lint.questions import questions
from press.lint.sliders import globals_read, seen, sliders, unknown_positions
