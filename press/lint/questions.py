"""Questions readers ask: each has a label and a folded answer that is not too long."""

import re

from press import chapters

HEADING = "Questions readers ask"
MAX_WORDS = 150  # words of an answer
BOX = re.compile(r"(.*)\n:::\{admonition\} (.+)\n((?::.*\n)*)([\s\S]*?)\n:::\s*")


def questions(notebook):
    """List the breaches of a chapter that has such a section; without one there are none."""
    text = chapters.markdown(notebook)
    titles = [title.strip() for title in re.findall(r"^## (.+)$", text, re.M)]
    if HEADING not in titles:
        return []
    errors, index = [], titles.index(HEADING)
    if titles[index + 1 : index + 2] != ["Exercises"]:
        errors.append(f"expected {HEADING!r} right before the exercises, got {titles}")
    sections = re.split(r"^## .+$", text, flags=re.M)
    boxes = BOX.findall(sections[index + 1])
    if not boxes:
        errors.append(f"expected a question under {HEADING!r}, got none")
    for label, question, options, answer in boxes:
        errors += [f"{question}: {error}" for error in _errors(label, options, answer)]
    return errors


def _errors(label, options, answer):
    if not re.fullmatch(r"\(q-\d\d-[\w-]+\)=", label):
        yield f"expected a label (q-NN-name)= above it, got {label!r}"
    if not {"dropdown", "question"} <= set(options.split()):
        yield f"expected :class: dropdown question, got {options!r}"
    words = len(answer.split())
    if not 0 < words <= MAX_WORDS:
        yield f"expected an answer of at most {MAX_WORDS} words, got {words}"
