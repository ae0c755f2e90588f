"""Questions readers ask: each has a label and a folded answer that is long enough to be one."""

import re

from press import chapters

HEADING = "Questions readers ask"
WORDS = range(60, 151)  # of an answer that does not lead to a section
BOX = re.compile(r"(.*)\n:::\{admonition\} (.+)\n((?::.*\n)*)([\s\S]*?)\n:::\s*")
LEADS = re.compile(r"\]\(|\{(?:ref|eq|numref)\}`")


def questions(notebook):
    """Breaches of a chapter that has such a section; a chapter without one has none."""
    text = chapters.markdown(notebook)
    names = [name.strip() for name in re.findall(r"^## (.+)$", text, re.M)]
    if HEADING not in names:
        return []
    out, here = [], names.index(HEADING)
    if names[here + 1 : here + 2] != ["Exercises"]:
        out.append(f"expected {HEADING!r} right before the exercises, got {names}")
    sections = re.split(r"^## .+$", text, flags=re.M)
    boxes = BOX.findall(sections[here + 1])
    if not boxes:
        out.append(f"expected a question under {HEADING!r}, got none")
    for label, question, options, answer in boxes:
        out += [f"{question}: {wrong}" for wrong in _wrong(label, options, answer)]
    return out


def _wrong(label, options, answer):
    if not re.fullmatch(r"\(q-\d\d-[\w-]+\)=", label):
        yield f"expected a label (q-NN-name)= above it, got {label!r}"
    if not {"dropdown", "question"} <= set(options.split()):
        yield f"expected :class: dropdown question, got {options!r}"
    words = len(answer.split())
    if words > WORDS[-1] or (words < WORDS[0] and not LEADS.search(answer)):
        wanted = f"{WORDS[0]} to {WORDS[-1]} words, or fewer and a link"
        yield f"expected {wanted}, got {words}"
