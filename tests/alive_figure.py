"""A small figure whose network runs, with each kind of input, and a page that shows it."""

import matplotlib.pyplot as plt
import numpy as np
import torch

from press.alive import files
from press.alive.bundle import alive_bundle
from tests.chapter_code import ROOT
from tests.figures import shown_with
from utils.alive import Drawing, Formula, Line, Sentence, Sum, alive

WORDS = ["cat", "the", "sat", "mat"]
FIGURES = ROOT / "press" / "figures" / "static"
# What programs/probe.js would be.
PROGRAM = """alive.program("probe", {
  compute(network, { digit, words, line, f, k, kind, twice, terms }) {
    if (line === "ab") throw new alive.Refusal("Not that one.");
    const { linear } = alive.layers;
    const numbers = words.map((word) => network.data.words.indexOf(word));
    return {
      image: linear(digit, alive.tensor(network, "W")),
      words: alive.array([numbers.length], numbers),
      line: alive.array([1], [line.length * k]),
      f: alive.array([3], [-1.5, 0, 2].map((x) => (twice ? 2 : 1) * f.value(x))),
      kind: alive.array([1], [kind === "long one" ? 1 : 0]),
      terms: alive.array([terms.length],
        terms.map(([sign, word]) => sign * (1 + network.data.words.indexOf(word)))),
    };
  },
  show(picture, { image, words, f }) {
    picture.images("image", image, 1, { title: "image" });
    picture.bars("f", ["-1.5", "0", "2"], f, { title: "f" });
    return `${words.values.length} words.`;
  },
  actions: { "Another letter": ({ line }) => ({ line: line + "c" }) },
});"""
PAGE = """<!DOCTYPE html><html lang="en" data-theme="light"><head><title>Page</title>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
{styles}</head><body><main><h1>Page</h1>
<p><a class="position" href="#probe:line=abc,k=3">there</a></p>{body}</main>{scripts}
</body></html>"""


def compute(digit, words, line, f, k, kind, twice, terms):
    """Return what the program does."""
    if line == "ab":
        raise ValueError("Not that one.")
    numbers = [WORDS.index(word) if word in WORDS else -1 for word in words]
    return {
        "image": torch.tensor(digit) @ (torch.eye(8, dtype=torch.float64) / 2).T,
        "words": np.array(numbers),
        "line": np.array([len(line) * k]),
        "f": (2 if twice else 1) * f(torch.tensor([-1.5, 0.0, 2.0])),
        "kind": np.array([kind == "long one"]),
        "terms": np.array([sign * (1 + WORDS.index(word)) for sign, word in terms]),
    }


def probe_figure():
    """Declare the figure, and return its function."""

    @alive(
        "probe",
        weights={"W": torch.eye(8) / 2},
        data={"words": WORDS},
        compute=compute,
        digit=Drawing(8, np.eye(8)),
        words=Sentence(WORDS, "the cat", 4, ["the mat sat", "the cat sat"]),
        line=Line("abc ", "a b", 6),
        f=Formula("2x^2 - tanh(x)"),
        k=(1, 4),
        kind=["short", "long one"],
        twice=False,
        terms=Sum(WORDS, "cat - the", 3),
        actions={
            "Another letter": lambda inputs, _, rng: {"line": inputs["line"] + "c"}
        },
    )
    def probe(digit, words, line, f, k=2, kind="short", twice=False, *, terms):
        """A picture of what was given."""
        fig, ax = plt.subplots(figsize=(4, 2))
        outputs = compute(digit, words, line, f, k, kind, twice, terms)
        ax.plot(outputs["f"])
        return fig

    return probe


def probe_html():
    """Return the figure's HTML as a page of a build has it."""
    with shown_with(alive_bundle) as shown:
        probe_figure()
    return shown[0]["text/html"]


def page(body, program=PROGRAM):
    """Return a page with some HTML, and all that brings its figures to life."""
    styles = [FIGURES / "figure.css", *files.STYLES]
    return PAGE.format(
        styles="".join(f"<style>{path.read_text('utf-8')}</style>" for path in styles),
        body=body,
        scripts="".join(
            f"<script>{script}</script>"
            for script in [*(p.read_text("utf-8") for p in files.SCRIPTS), program]
        ),
    )
