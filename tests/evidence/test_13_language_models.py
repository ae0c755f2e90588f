"""How the contest of chapter 13 was tuned, searched again."""

import numpy as np

from tests.chapter_code import Chapter

chapter = Chapter("13_language_models")


def test_how_the_contest_was_tuned(book):
    """Rate, start, dropout and the discount, on the validation sentences alone."""
    chapter.run("13-corpus", book)
    vocab, train, valid, _ = book["parts"](0)
    new = book["windows"](valid, 4)

    def score(**settings):
        net = book["fit"](train, len(vocab), **settings)
        p = book["guess"](net, new[:, :-1])[np.arange(len(new)), new[:, -1]]
        return book["perplexity"](p)

    counts = {}
    for beta in (None, 0.75, 0.85, 0.95):
        model = book["kneser_ney"](train, 4, len(vocab) - 2, beta)
        counts[beta] = book["perplexity"](book["probabilities"](model, valid, 4))
    assert min(counts, key=counts.get) is None and counts[0.85] < counts[0.75]
    assert counts[0.85] < counts[0.95]
    found = {lr: score(lr=lr) for lr in (0.01, 0.03, 0.1)}
    assert found[0.03] < 0.99 * found[0.01] and found[0.03] < 0.95 * found[0.1], found
    assert max(found[0.03], score(seed=1)) < 0.97 * counts[None]
    bare = {
        (lr, epochs): score(lr=lr, epochs=epochs, drop=(0.0, 0.0))
        for lr, epochs in ((0.01, 2), (0.06, 2), (0.03, 2), (0.03, 3))
    }
    assert min(bare, key=bare.get) == (0.03, 2)
    assert 0.97 < bare[0.03, 2] / counts[None] < 1.03, bare
