"""The tape of chapter 8 on hundreds of random programs, beside PyTorch's."""

from hypothesis import given, settings

from tests.chapter_code import ChapterCode
from tests.chapters.programs import assert_torch_agrees, programs, seeds

chapter = ChapterCode("08_backprop")


@settings(max_examples=640, deadline=None)
@given(programs, seeds)
def test_random_programs_have_torchs_values_and_gradients(book, program, seed):
    assert_torch_agrees(book, program, seed)
