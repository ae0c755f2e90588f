"""Every assignment: right answers keep their marks, wrong ones and tricks do not.

The marks are computed in this process, by ``tests.homework.mark``; that they are
nbgrader's is for ``test_homework_batch.py`` to show.
"""

import builtins
import dis
from textwrap import dedent

import nbformat
import numpy
import pytest
import torch

from homework.course import release
from tests.homework import (
    ASSIGNMENTS,
    answered,
    answers,
    mark,
    points,
    source,
    with_cell,
)

every_assignment = pytest.mark.parametrize("slug", ASSIGNMENTS)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """What nbgrader makes of each assignment for students."""
    folder = tmp_path_factory.mktemp("course")
    return {slug: nbformat.read(release(slug, folder), 4) for slug in ASSIGNMENTS}


def full(slug):
    of, by_hand = points(slug)
    return {task: most for task, most in of.items() if task not in by_hand}


def wrong_answers(slug):
    """Codes of the k-th wrong answers, right ones where there are fewer, and marks due."""
    right, wrong = answers(slug)
    for k in range(max(map(len, wrong.values()))):
        some = {task: found[k] for task, found in wrong.items() if k < len(found)}
        yield (
            {task: what for task, (what, _, _) in some.items()},
            right | {task: code for task, (_, code, _) in some.items()},
            full(slug) | {task: due for task, (_, _, due) in some.items()},
        )


@every_assignment
def test_answers_are_given_for_every_task(slug):
    right, wrong = answers(slug)
    assert set(right) == set(wrong) == set(full(slug))
    for task, found in wrong.items():
        assert len(found) >= 3, f"{task}: expected three typical wrong answers"
        assert all(0 <= some < full(slug)[task] for _, _, some in found), task


@every_assignment
def test_right_answers_get_full_marks(released, slug):
    right = answered(released[slug], answers(slug)[0])
    for notebook in (source(slug), right):
        found, errors = mark(slug, notebook)
        assert not errors and found == full(slug)


@every_assignment
def test_the_untouched_release_gets_none(released, slug):
    found, _ = mark(slug, released[slug])
    assert not any(found.values()), found


@every_assignment
def test_wrong_answers_lose_their_marks_and_no_others(released, slug):
    different = []
    for what, codes, due in wrong_answers(slug):
        found, _ = mark(slug, answered(released[slug], codes))
        different += [
            f"{task}, {what.get(task, 'right beside wrong ones')}: "
            f"expected {due[task]}, got {found[task]}"
            for task in due
            if found[task] != due[task]
        ]
    assert not different, "\n".join(different)


# A student who knows Python wins nothing with it, wherever the trick is played.
TRICKS = """
import builtins, math
yes = lambda *_, **__: True
zero = lambda *_, **__: 0
expect = print
abs = max = len = zero
all = any = isinstance = yes
float = int = tuple = lambda x: x
def rebind():
    np.allclose = np.isclose = np.array_equal = np.all = yes
    np.abs = np.shape = zero
    np.testing.assert_allclose = torch.testing.assert_close = yes
    torch.allclose = torch.equal = yes
    builtins.abs = builtins.max = zero
    builtins.all = builtins.any = yes
class Flattering(np.ndarray):
    __array_function__ = __array_ufunc__ = __eq__ = yes
    def __sub__(self, other):
        return self * 0
class Pleasing(builtins.float):
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = yes
    __sub__ = __rsub__ = zero
    __truediv__ = lambda self, other: Pleasing(1)
    __abs__ = zero
    __hash__ = builtins.float.__hash__
def please(answer):
    if builtins.isinstance(answer, (builtins.tuple, builtins.list)):
        return type(answer)(map(please, answer))
    if builtins.isinstance(answer, (builtins.float, builtins.int)):
        return Pleasing(answer)
    if builtins.isinstance(answer, np.ndarray) and answer.ndim:
        return answer.view(Flattering)
    if not callable(answer):
        return answer
    def tricky(*args, **settings):
        rebind()
        return please(answer(*args, **settings))
    return tricky
rebind()
"""


def mark_tricky(slug, notebook, apart):
    """Marks; and Python, NumPy and PyTorch are left as they were."""
    modules = [builtins, numpy, numpy.testing, torch, torch.testing]
    before = [(vars(module), dict(vars(module))) for module in modules]
    try:
        return mark(slug, notebook, apart)[0]
    finally:
        for names, kept in before:
            names.update(kept)


def tricked(code):
    """A wrong answer that says so nicely: every name that it binds is made pleasing."""
    steps = dis.get_instructions(compile(dedent(code), "answer", "exec"))
    bound = {step.argval for step in steps if step.opname == "STORE_NAME"}
    lines = [f"{name} = please({name})" for name in sorted(bound)]
    return "\n".join([dedent(code), *lines])


@every_assignment
def test_tricks_win_nothing(released, slug):
    """Nor is it in vain to ask: without a namespace for the tests they do."""
    won = 0
    for what, codes, due in wrong_answers(slug):
        codes = {task: tricked(code) for task, code in codes.items()}
        notebook = with_cell(answered(released[slug], codes), TRICKS)
        found = mark_tricky(slug, notebook, apart=True)
        assert all(found[task] <= due[task] for task in due), (what, found, due)
        naive = mark_tricky(slug, notebook, apart=False)
        won += sum(naive.values()) - sum(due.values())
    assert won > 0
