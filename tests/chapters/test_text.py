"""The text of every chapter keeps the conventions that CONTRIBUTING.md states."""

import re

import pytest

from press import chapters
from press import lint as rules

every_chapter = pytest.mark.parametrize("slug", chapters.CHAPTERS)


@every_chapter
def test_is_no_longer_than_a_chapter(slug):
    assert not rules.too_many_words(chapters.CHAPTERS[slug].notebook)


@every_chapter
def test_prose_has_no_weasel_words(slug):
    assert not rules.weasel_words(chapters.CHAPTERS[slug].markdown)


@every_chapter
def test_prose_has_one_sentence_a_line(slug):
    assert not rules.two_sentences(chapters.CHAPTERS[slug].notebook)


@every_chapter
def test_no_formula_loses_its_left_side(slug):
    assert not rules.swallowed_brackets(chapters.CHAPTERS[slug].notebook)


@every_chapter
def test_what_readers_ask_is_labelled_and_answered(slug):
    assert not rules.questions(chapters.CHAPTERS[slug].notebook)


@every_chapter
def test_every_exercise_has_a_solution(slug):
    text = chapters.CHAPTERS[slug].markdown
    exercises = re.findall(r"^`{3,}\{exercise\}.*\n:label: (\S+)", text, re.M)
    solutions = re.findall(r"^`{3,}\{solution\} (\S+)", text, re.M)
    assert exercises and sorted(exercises) == sorted(solutions)


@every_chapter
def test_no_reference_goes_to_the_second_of_two_targets(slug):
    """JupyterLab finds the first of two in neighbouring lines only."""
    text = chapters.CHAPTERS[slug].markdown
    second = re.findall(r"^\([\w-]+\)=\n\(([\w-]+)\)=", text, re.M)
    assert not [name for name in second if re.search(rf"[`<]{name}[`>]", text)]
