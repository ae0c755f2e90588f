"""The rates of chapter 19, searched, its two files repeated, and what it tells of few labels."""

import csv

import numpy as np
import pytest
import torch

from press import chapters
from tests.chapter_code import ChapterCode
from tests.chapters.inputs import texts_without_labels

chapter = ChapterCode("19_text_classification")


def stored(name):
    with (chapters.BOOK / "data" / f"run_19_{name}.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_study_comes_out_as_the_file_says(book):
    scope, words = dict(book), ("not", "was")
    scope["NETS"] = {}
    for cell in ("19-removal", "19-weights"):  # they read NETS
        chapter.run(cell, scope)
    names = "SIZES", "SEEDS", "STEPS", "CONTEST", "studied"
    chapter.define("19-study", scope, *names)
    chapter.define("19-decide-data", scope, "SPOKEN")
    chapter.define("19-shrug", scope, "DENIED", "turns")
    text, rows = scope["SPOKEN"]["not … bad"], stored("study")
    assert len(rows) == 5 * 2 * 3
    apart = 0
    for row in rows:
        name, n, seed = case = row["model"], int(row["labelled"]), int(row["seed"])
        z = scope["studied"](*case)
        for kind in ("all", *scope["GROUPS"]):
            few = 0.05 if kind == "all" else 0.15  # a few dozen reviews of a kind
            assert abs(book["accuracy"](z, kind) - float(row[kind])) < few, (case, kind)
        if n == 200 or name == "bigrams":
            continue
        for word in words:
            repeated = scope["turns"]((name, seed), word)
            assert abs(repeated - float(row[f"without {word}"])) < 0.25, (case, word)
        if name == "BiLSTM attend":
            scope["NETS"][name] = scope["NETS"][name, seed]
            own, moved = (np.abs(w) for w in scope["two_answers"](name, text))
            tokens = text.split()
            assert tokens[moved.argmax()] in ("not", "bad"), case
            apart += tokens[own.argmax()] not in ("not", "bad")
    assert apart >= 2  # of three seeds


@pytest.mark.parametrize("name", ["deep bag", "textCNN", "BiLSTM attend"])
def test_the_rate_of_the_page_is_inside_the_grid(book, name):
    """On the validation reviews a quarter of the rate is worse, four times no better."""
    chosen, losses = book["RATES"][name], []
    for lr in (chosen / 4, chosen, 4 * chosen):
        accuracies = []
        for seed in (2, 3):
            options = {"lr": lr, "seed": seed, "steps": 300}
            accuracies.append(
                book["trained"](name, *book["sample"](seed, 1600), **options)[0].best
            )
        losses.append(np.mean(accuracies))
    assert losses[1] < losses[0] and losses[1] < losses[2] + 0.02, losses


def test_the_mean_state_is_one_of_those_that_mix(book):
    options = {"lr": book["RATES"]["BiLSTM mean"], "seed": 1, "steps": 300}
    net = book["trained"]("BiLSTM mean", *book["sample"](1, 1600), **options)
    z = book["logits"](*net, book["TEST"])
    assert min(book["accuracy"](z), book["accuracy"](z, "contrast")) > 0.85


@pytest.mark.parametrize("name", ["deep bag", "textCNN", "BiLSTM attend"])
def test_with_200_labels_the_best_weights_come_early(book, name):
    training, validation = book["sample"](2, 1600)
    net, numbers = book["trained"](
        name, training[:200], validation, lr=0.01, seed=2, steps=300
    )
    assert net.best_step < 100
    z = book["logits"](net, numbers, book["TEST"])
    assert book["accuracy"](z) < 0.66


def test_reading_through_the_padding_costs_little_or_much(book):
    """From run to run: some networks lose little, others fall far, one to a coin."""
    scope, name, costs, remainders = dict(book), "BiLSTM last", [], []
    chapter.define("19-broken", scope, "careless")
    for seed in (1, 2, 3, 4):
        options = {"lr": book["RATES"][name], "seed": seed, "steps": 300}
        net = book["trained"](name, *book["sample"](seed, 1600), **options)
        scope["NETS"] = {name: net}
        right, wrong = (
            book["accuracy"](scope["careless"](name, 176, slips=slips))
            for slips in ((False, False), (True, True))
        )
        costs.append(right - wrong)
        remainders.append(wrong)
    assert min(costs) < 0.1 and max(costs) > 0.3 and min(remainders) < 0.55, (
        costs,
        remainders,
    )


@pytest.fixture(scope="module")
def unlabelled(book):
    return texts_without_labels(book)


def test_the_vectors_help_as_much_as_the_file_says(book, unlabelled):
    scope = dict(book)
    scope["UNLABELLED"], scope["NUMBERS"] = unlabelled
    names = "VECTORS", "shuffled", "MIXED_UP", "reached"
    chapter.define("19-study", scope, "STEPS")
    chapter.define("19-vectors-run", scope, *names)
    rows = stored("vectors")
    assert len(rows) == 5
    for row in rows:
        for seed in (1, 2, 3):
            repeated = scope["reached"](row["vectors"], seed)
            assert abs(repeated - float(row[f"seed {seed}"])) < 0.05, (row, seed)


def test_the_rate_of_the_vectors(book, unlabelled):
    """A third and three times the rate have no validation loss much lower."""
    training, validation = book["sample"](2, 1600)
    vectors = book["word_vectors"](*unlabelled)
    parts = [book["tensors"](p, unlabelled[1]) for p in (training[:200], validation)]
    for kind in ("random", "mixed up", "frozen", "trained", "both"):
        losses, initial = [], vectors
        if kind == "mixed up":
            order = np.random.default_rng(0).permutation(len(vectors) - 4) + 4
            initial = torch.cat([vectors[:4], vectors[torch.tensor(order)]])
        for lr in (0.003, 0.01, 0.03):
            net = book["with_vectors"]("textCNN", initial, kind, 2)
            with book["seeded"](2):
                losses.append(book["fit"](net, *parts, lr=lr, seed=2, steps=60).best)
        assert losses[1] < min(losses) + 0.03, (kind, losses)
