"""What chapter 14 tells of longer training, trained."""

from tests.chapter_code import Chapter

chapter = Chapter("14_rnn")


def test_thirty_passes_over_the_characters_come_near_counting(book):
    """What 14-char-said tells of longer training."""
    chapter.run("14-char-run", book)
    net, told = book["read"](0, 0.01, passes=30, T=32)
    found = book["perplexity"](net, book["ids"]["test"])
    assert 3.8 < found < 4.08 and told[-1] < told[11] < told[2]
    assert 3.63 < found < 4.09  # counted with orders 5 and 4
