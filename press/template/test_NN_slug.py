"""The functions of chapter NUMBER on inputs that its page does not use, and its faults."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chapter_code import ChapterCode, Fault, assert_near, autograd, catches

chapter = ChapterCode("NN_slug")


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), N=st.integers(1, 9))
def test_the_gradient_is_that_of_autograd(book, seed, N):
    rng = np.random.default_rng(seed)
    w, x, y = rng.normal(), rng.normal(size=N), rng.normal(size=N)
    squared = lambda w: ((w * torch.tensor(x) - torch.tensor(y)) ** 2).mean() / 2
    value, (derivative,) = autograd(squared, w)
    assert_near(book["loss"](w, x, y), float(value))
    assert_near(book["gradient"](w, x, y), float(derivative))


FAULTS = [
    Fault(".mean() / 2", ".mean()", "a loss that is twice as large"),
    Fault("(w * x - y) ** 2", "(w * x + y) ** 2", "a sign in the loss"),
    Fault("x * (w * x - y)", "w * x - y", "an input that the gradient has lost"),
    Fault("w - lr * gradient", "w + lr * gradient", "steps that go up"),
]
test_checks_catch = catches(chapter, FAULTS)
