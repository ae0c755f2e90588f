"""What a reader can change of an alive figure.

Each input has a *text* for each of its values: what is typed, and what an address names
(``#figure:input=text``). It reads a text, gives the widget that a reader changes it with in
JupyterLab, says what the page needs to know of it, and draws a text at random for the tests.
"""

import copy
import inspect
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

import ipywidgets as widgets
import numpy as np

from utils.alive.formula import Expression, parse
from utils.interact.controls import Control

UNKNOWN = "<unk>"
PEN = 2.5  # width of a stroke in pixels
DIGITS = 4  # of the ink of a pixel, so that a page is not too long
MARKS = re.compile(r"(.*?)([.,;:!?]*)")  # a word, and what stands behind it
SIGNED = re.compile(r"[-+−–]|[^-+−–\s]+")
POINT = re.compile(r"(\d+\.?\d*):(\d+\.?\d*)", re.ASCII)


class Input:
    """What all inputs share; ``alive`` fills in name and label."""

    name = label = kind = ""

    @property
    def default(self):
        """The value at which it starts."""
        return self.read(self.start)

    def to_page(self) -> dict:
        """Return what the page needs to know, as JSON can hold it."""
        fields = ("name", "label", "kind", "start")
        return {field: getattr(self, field) for field in fields}

    def notice(self, text: str) -> str:
        """Return what to tell the reader of a text that was read; mostly nothing."""
        return ""

    def widget(self) -> widgets.Widget:
        """Return a widget whose ``value`` is a text."""
        return widgets.Text(
            value=self.start,
            description=self.label,
            continuous_update=True,
            style={"description_width": "initial"},
            layout={"width": "auto"},
        )


class Drawing(Input):
    """A canvas of size × size pixels, for finger, pen, mouse and keyboard.

    Its value is an array (size, size): 0 is paper, 1 is ink. ``start`` is the drawing that
    it begins with, such an array. A text is ``start``, ``empty``, or strokes: the points
    ``column:row`` of a stroke joined by ``-``, strokes by ``;``, both in pixels from the
    upper left corner. ``8:4-24:4-12:28`` is a seven.
    """

    kind, start = "drawing", "start"

    def __init__(self, size: int, start: np.ndarray):
        self.size, self.start_image = size, np.round(np.array(start, float), DIGITS)
        if self.start_image.shape != (size, size):
            raise ValueError(
                f"Drawing: expected a start ({size}, {size}), "
                f"got {self.start_image.shape}"
            )
        if not ((self.start_image >= 0) & (self.start_image <= 1)).all():
            raise ValueError("Drawing: expected a start from 0 to 1, got other values")

    def read(self, text: str) -> np.ndarray:
        """Return the drawing (size, size) of a text; ValueError where it is none."""
        image = np.zeros((self.size, self.size))
        for part in filter(None, text.split(";")):
            if part == "start":
                image = np.maximum(image, self.start_image)
            elif part != "empty":
                image = np.maximum(image, self._stroke(part))
        return image

    def _stroke(self, text):
        """Return the ink of a stroke: full within the pen's width, less at its rim."""
        points = [POINT.fullmatch(point) for point in text.split("-")]
        if None in points:
            raise ValueError(
                f"expected start, empty or strokes such as 8:4-24:4, got {text!r}"
            )
        x, y = np.array([[float(p[1]), float(p[2])] for p in points]).T
        centres = np.arange(self.size) + 0.5
        distance = np.full((self.size, self.size), np.inf)
        for i in range(max(1, len(x) - 1)):  # a single point is a dot
            j = min(i + 1, len(x) - 1)
            dx, dy = x[j] - x[i], y[j] - y[i]
            px, py = centres[None, :] - x[i], centres[:, None] - y[i]
            length = dx * dx + dy * dy
            along = (px * dx + py * dy) / length if length else 0 * (px + py)
            along = np.clip(along, 0, 1)
            near = np.hypot(px - along * dx, py - along * dy)
            distance = np.minimum(distance, near)
        return np.clip(PEN / 2 + 0.5 - distance, 0, 1)

    def other(self, value: np.ndarray) -> np.ndarray:
        """Return another drawing: ink where there was none."""
        return 1 - value

    def sample(self, rng: np.random.Generator) -> str:
        """Draw a text at random: one to three strokes of a few points."""
        low, high = self.size // 8, self.size - self.size // 8
        strokes = [
            "-".join(f"{x}:{y}" for x, y in rng.integers(low, high, (count, 2)))
            for count in rng.integers(2, 6, rng.integers(1, 4))
        ]
        return ";".join(strokes)

    def to_page(self) -> dict:
        """Return what the page needs to know: also the start, row after row."""
        image = self.start_image.ravel().tolist()
        return super().to_page() | {"size": self.size, "pen": PEN, "image": image}

    def widget(self) -> widgets.Widget:
        """Return the canvas of the page as a widget."""
        from utils.alive.pad import Pad  # anywidget is needed here alone

        return Pad(value=self.start, settings=self.to_page())


@dataclass(eq=False)
class Sentence(Input):
    """Words of a vocabulary, separated by blanks; an unknown one is read as ``<unk>``.

    Its value is the list of words, one to ``most``. What is no word is read without its
    capitals, and marks behind it stand alone: ``Look.`` is ``look .``. ``examples`` are
    sentences to choose, or a dict of them by name; as a text, and so in an address, a name
    stands for its sentence.
    """

    words: Sequence[str]
    start: str
    most: int
    examples: Sequence[str] | Mapping[str, str] = ()
    kind = "sentence"

    def read(self, text: str) -> list[str]:
        """Return the words of a text; ValueError where they are none or too many."""
        words = self._split(text)
        if not 1 <= len(words) <= self.most:
            raise ValueError(f"expected 1 to {self.most} words, got {len(words)}")
        known = set(self.words)
        return [word if word in known else UNKNOWN for word in words]

    def notice(self, text: str) -> str:
        """Say which words are read as ``<unk>``."""
        known = {*self.words, UNKNOWN}
        strange = [word for word in self._split(text) if word not in known]
        if not strange:
            return ""
        words = ", ".join(f"“{word}”" for word in dict.fromkeys(strange))
        return f"Not in the vocabulary and read as {UNKNOWN}: {words}."

    def _split(self, text):
        """Return the words of a text, or of the example that it names."""
        if isinstance(self.examples, Mapping):
            text = self.examples.get(text.strip(), text)
        known, words = {*self.words}, []
        for typed in text.split():
            word, marks = MARKS.fullmatch(typed).groups()
            for part in [typed] if typed in known else [word, *marks]:
                low = part.lower()
                words.append(low if part not in known and low in known else part)
        return [word for word in words if word]

    def other(self, value: list[str]) -> list[str]:
        """Return another sentence: without the last word, or with one more."""
        return value[:-1] if len(value) > 1 else [*value, self.words[-1]]

    def sample(self, rng: np.random.Generator) -> str:
        """Draw a text at random, of words that are known and sometimes one that is not."""
        count = int(rng.integers(1, self.most + 1))
        words = [str(word) for word in rng.choice([*self.words], count)]
        if rng.random() < 0.25:
            words[int(rng.integers(count))] = "qwxz"
        return " ".join(words)

    def to_page(self) -> dict:
        """Return what the page needs to know: also the words and the examples."""
        named = isinstance(self.examples, Mapping)
        return super().to_page() | {
            "most": self.most,
            "words": [*self.words],
            "examples": [*(self.examples.values() if named else self.examples)],
            "names": [*self.examples] if named else [],
        }


@dataclass(eq=False)
class Sum(Sentence):
    """Words of a vocabulary with signs, such as ``king - man + woman``; none is unknown.

    Its value is a list of one to ``most`` pairs of a sign, 1 or −1, and a word.
    """

    kind = "sum"

    def read(self, text: str) -> list[tuple[int, str]]:
        """Return the signs and words of a text; ValueError says what it lacks."""
        terms, sign = [], 0  # 0: none has come
        for token in SIGNED.findall(text.lower()):
            if token in "+-−–":
                if sign:
                    raise ValueError(f"expected a word after a sign, got {token}")
                sign = 1 if token == "+" else -1
            else:
                self._expect_known(token)
                terms.append((sign or 1, token))
                sign = 0
        if sign:
            raise ValueError("expected a word after a sign, got the end")
        if not 1 <= len(terms) <= self.most:
            raise ValueError(f"expected 1 to {self.most} words, got {len(terms)}")
        return terms

    def _expect_known(self, word):
        if word not in self.words:
            a, b, c = sorted(self.words, key=lambda known: edits(word, known))[:3]
            raise ValueError(
                f"“{word}” is not among the {len(self.words)} words; "
                f"spelled most alike are “{a}”, “{b}” and “{c}”"
            )

    def notice(self, text: str) -> str:
        """Say nothing: an unknown word is refused."""
        return ""

    def sample(self, rng: np.random.Generator) -> str:
        """Draw a text at random, of words that are known and sometimes one that is not."""
        words = super().sample(rng).split()
        signs = rng.choice(["+", "-"], len(words))
        return " ".join(
            f"{sign} {word}" for sign, word in zip(signs, words, strict=True)
        )

    def other(self, value: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """Return another sum: without the last word, or with one more."""
        return value[:-1] if len(value) > 1 else [*value, (1, self.words[-1])]


def edits(one: str, other: str) -> int:
    """Count the letters to put in, leave out or change that turn one word into another."""
    counts = range(len(other) + 1)
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, its in enumerate(other, 1):
            row.append(min(counts[j] + 1, row[-1] + 1, counts[j - 1] + (letter != its)))
        counts = row
    return counts[-1]


@dataclass(eq=False)
class Line(Input):
    """A line of text of given characters, at least one and at most ``most``.

    Its value is the text, in which a capital that is not among them is a small letter.
    """

    characters: str
    start: str
    most: int
    kind = "line"

    def read(self, text: str) -> str:
        """Return the text; ValueError where it is empty, too long, or has others."""
        line = "".join(c if c in self.characters else c.lower() for c in text)
        if not 1 <= len(line) <= self.most:
            raise ValueError(f"expected 1 to {self.most} characters, got {len(line)}")
        if strange := sorted({*line} - {*self.characters}):
            shown = ", ".join(f"“{character}”" for character in strange)
            raise ValueError(
                f"expected the characters “{self.characters}”, got {shown}"
            )
        return line

    def other(self, value: str) -> str:
        """Return another text: without the last character, or with one more."""
        return value[:-1] if len(value) > 1 else value + self.characters[-1]

    def sample(self, rng: np.random.Generator) -> str:
        """Draw a text at random."""
        count = int(rng.integers(1, self.most + 1))
        return "".join(rng.choice([*self.characters], count))

    def to_page(self) -> dict:
        """Return what the page needs to know: also the characters."""
        rest = {"most": self.most, "characters": "".join(self.characters)}
        return super().to_page() | rest


@dataclass(eq=False)
class Formula(Input):
    """A function of x, such as ``x / (1 + exp(-x))``: see ``utils.alive.formula``.

    Its value is an ``Expression``, which is called with numbers, arrays or tensors.
    """

    start: str
    examples: Sequence[str] = ()
    kind = "formula"

    def read(self, text: str) -> Expression:
        """Return the expression; ValueError says where it ends to be one."""
        return parse(text)

    def other(self, value: Expression) -> Expression:
        """Return another expression."""
        return parse(f"1.7 - 2 * ({value.text})")

    def sample(self, rng: np.random.Generator) -> str:
        """Draw a text at random."""
        a, b = rng.integers(1, 6, 2)
        forms = ["tanh({a}*x)", "x/({a}+exp(-{b}*x))", "max(-x/{a}, x)", "{a}*sin(x)^2"]
        forms += [
            "log(1+exp({a}*x))/{b}",
            "-abs(x)^{a} + {b}",
            "erf(x/{a})",
            "{a}x - {b}",
        ]
        return forms[int(rng.integers(len(forms)))].format(a=a, b=b)

    def to_page(self) -> dict:
        """Return what the page needs to know: also the examples."""
        return super().to_page() | {"examples": [*self.examples]}


class Grid(Input):
    """A range, a choice or a switch, as ``interact`` has it."""

    def __init__(self, control: Control):
        self.control, self.kind, self.values = control, control.kind, control.values
        self.name, self.label = control.name, control.label
        self.start = self._text(control.default_index)

    def read(self, text: str):
        """Return the value of a text; ValueError says which there are."""
        return self.control.read(text)

    def other(self, value):
        """Return another value, at an end."""
        return self.control.other(value)

    def sample(self, rng: np.random.Generator) -> str:
        """Draw a text at random."""
        return self._text(int(rng.integers(len(self.values))))

    def to_page(self) -> dict:
        """Return what the page needs to know: keys, texts and values of the grid."""
        pairs = zip(self.values, self.control.texts, strict=True)
        return super().to_page() | {
            "keys": [self._text(i) for i in range(len(self.values))],
            "texts": [*self.control.texts],
            "values": [_plain(value, text) for value, text in pairs],
        }

    def widget(self) -> widgets.Widget:
        """Return a widget whose ``value`` is a text."""
        options = [(text, self._text(i)) for i, text in enumerate(self.control.texts)]
        make = widgets.SelectionSlider if self.kind == "range" else widgets.Dropdown
        return make(
            options=options,
            value=self.start,
            description=self.label,
            style={"description_width": "initial"},
            layout={"width": "auto", "min_width": "18em", "flex": "1"},
        )

    def _text(self, index):
        return unquote(self.control.keys[index])


def input_of(name: str, label: str | None, given, default) -> Input:
    """Return the input of an argument; ``given`` is an ``Input`` or an abbreviation."""
    label = label or name.replace("_", " ")
    if not isinstance(given, Input):
        missing = () if default is inspect.Parameter.empty else (default,)
        return Grid(Control.of(name, label, given, *missing))
    named = copy.copy(given)
    named.name, named.label = name, label
    try:
        named.read(named.start)
    except ValueError as error:
        raise ValueError(f"{name}: its start: {error}") from None
    return named


def _plain(value, text):
    """Return a value as JSON has it, or its text."""
    try:
        json.dumps(value)
    except TypeError:
        return text
    return value
