"""What the exercises of chapter 20 build, beside PyTorch, and its checks put to the test."""

from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chapter_code import ChapterCode, Fault, assert_near, kind
from tests.chapters.inputs import decoder_step

chapter = ChapterCode("20_seq2seq")
sizes, seeds = st.integers(1, 5), st.integers(0, 2**32 - 1)

# What the exercises build: cells by a mark of each, of which the last one checks.
BACK = (
    "def torch_step",
    "def attend_backward",
    "def decoder_step_backward",
    "dout = rng",
)
SAMPLING = "def tempered", "drawn = Counter", "powers ="
FIVE = "def table_model", "def winners", "def by_conditionals", "AGREE ="


def solved(marks, fault=None):
    """Return the names that the cells with these marks define; a fault may be in one of them."""
    scope = dict(chapter.namespace())
    sources = [c.source for c in chapter.cells if kind(c) != "define"]
    sources = [next(s for s in sources if mark in s) for mark in marks]
    if fault:
        assert sum(s.count(fault.find) for s in sources) == 1, fault
        sources = [s.replace(fault.find, fault.put) for s in sources]
    for source in sources:
        exec(source, scope)
    return scope


@settings(deadline=None, max_examples=20)
@given(N=sizes, T=sizes, E=sizes, H=sizes, C=sizes, A=sizes, seed=seeds)
def test_the_way_back_equals_autograd(N, T, E, H, C, A, seed):
    solution, rng = way_back(), np.random.default_rng(seed)
    w, inputs, real = decoder_step(rng, N, T, E, H, C, A)
    out, cache = solution["decoder_step"](w, **inputs, real=real)
    grads = solution["decoder_step_backward"](
        w, dout := rng.normal(size=out.shape), cache
    )
    leaf = {k: torch.tensor(v, requires_grad=True) for k, v in (w | inputs).items()}
    theirs = solution["torch_step"](**leaf, real=torch.tensor(real))
    theirs.backward(torch.tensor(dout))
    assert set(grads) == set(leaf)
    expected = [leaf[key].grad for key in grads]
    assert_near([*grads.values()], expected, rtol=1e-8, atol=1e-11)


@cache
def way_back():
    return solved(BACK)


@settings(deadline=None, max_examples=40)
@given(V=st.integers(2, 9), tau=st.floats(0.1, 5), top_k=st.integers(0, 9), seed=seeds)
def test_temperature_and_top_k(V, tau, top_k, seed):
    top_k = min(top_k, V)
    log_p = torch.log_softmax(
        torch.tensor(np.random.default_rng(seed).normal(size=V)), 0
    )
    values, indices = (log_p / tau).topk(top_k or V)
    desired = torch.zeros(V).double()
    desired[indices] = values.softmax(0)
    ours = np.exp(sampling()["tempered"](log_p.numpy(), tau, top_k))
    np.testing.assert_allclose(ours, desired, atol=1e-12)


@cache
def sampling():
    return solved(SAMPLING[:1])


def test_conditional_ranking_is_not_better_on_average():
    book, rng, gap = solved(FIVE[:-1]), np.random.default_rng(4), []
    for _ in range(100):
        model = book["random_model"](4, rng)
        joint = book["beam_search"](model, 2, 4, None)[0][1]
        gap.append(joint - book["by_conditionals"](model, 2, 4, None)[-1][0][1])
    assert np.mean(gap) > 0.05


SOLUTION_FAULTS = [
    (BACK, "de = a * (da - (a * da).sum(axis=1, keepdims=True))", "de = a * da",
     "softmax without its second term"),
    (BACK, '* w["v"] * (1 - phi**2)', '* w["v"]', "missing slope of tanh"),
    (BACK, 'dc[:, None] + dphi @ w["W_h"].T', "dc[:, None]",
     "states as values only, not as keys"),
    (BACK, "(s - s_new) * u * (1 - u)", "(s_new - s) * u * (1 - u)",
     "sign of the update gate"),
    (BACK, "ds * u + drs * r +", "ds * u + drs +", "reset gate left out on the way back"),
    (BACK, '("s", ds_in, r * s)', '("s", ds_in, s)',
     "dW_ss from the state before the reset"),
    (BACK, "dout[:, H:] + dx[:, E:]", "dout[:, H:]", "one of the two uses of the code"),
    (BACK, "ds + ds_looked", "ds", "the query's gradient"),
    (SAMPLING, "np.sort(log_p)[-top_k]", "np.sort(log_p)[top_k - 1]",
     "the k least probable words"),
    (SAMPLING, "log_p / tau", "log_p * tau", "temperature upside down"),
    (SAMPLING, "*, tau=1.0", "*, tau=0.8", "a sampler that is never at τ = 1"),
    (FIVE, "before[h[0][:-1]] - h[1]", "-h[1]", "the wrong rule is not wrong"),
]  # fmt: skip


@pytest.mark.parametrize(
    "marks, find, put, consequence",
    SOLUTION_FAULTS,
    ids=[fault[-1] for fault in SOLUTION_FAULTS],
)
def test_solutions_catch(marks, find, put, consequence):
    with pytest.raises(AssertionError):
        solved(marks, Fault(find, put, consequence))


@pytest.mark.parametrize(
    "marks", (BACK, SAMPLING, FIVE), ids=("back", "sampling", "five")
)
def test_solutions_hold(marks):
    assert solved(marks)
