"""Answers to the homework, a file for each assignment ``NN_slug``.

``RIGHT[task]`` is a right answer written differently from the source's, which must keep
all marks. ``WRONG[task]`` holds at least three typical wrong answers by what is wrong
with them: the code, which must get nothing, or the pair (code, points it deserves).
The code replaces the whole answer cell.
``SLIPS[task]`` are the slips in the code that students get to mend, one dictionary each:
what stands there, and what is right; see ``test_mend.py``.
They are data: ``assignments.py`` reads them.
"""

# Put before an answer that forgets its seed: ``next(turns)`` is another number at each call,
# and the same in every run of the tests.
TURNS = "turns = iter(range(100, 10_000))\n"


def changed(text: str, *pairs: str, points: float = 0) -> tuple[str, float]:
    """Return a wrong answer: ``text`` with changes ``old, new, …``, and what it deserves.

    ValueError where there is nothing to change.
    """
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        if old not in text:
            raise ValueError(f"expected {old!r} in the answer, found none")
        text = text.replace(old, new)
    return text, points
