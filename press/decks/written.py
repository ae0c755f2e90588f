"""Decks are written by hand: ``slides/NN_slug.md`` names what the built page shows.

One slide a heading; ``slides/README.md`` says how to write them. Nothing of the
chapter is typed twice: figures, equations, code, tables and drawings are taken from its
page by their names, and a name that does not exist is an error that says what there is.
A chapter without such a file has no deck.
"""

import json
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

from bs4 import BeautifulSoup
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from press import chapters
from press.decks.page_parts import PageParts
from press.execution.failure_box import BOX, THIS_COMPUTER

FOLDER = chapters.ROOT / "slides"
ITEM = re.compile(r"^(figure|equation|steps|code|table|drawing|printed): (.+)$")
POLL, NUMBER = re.compile(r"^\? (.+)$"), re.compile(r"^= (.+)$")
SAME = re.compile(r"^same: (.+)$", re.M)
FORMULA = re.compile(r"(?<!\\)(\\\(.*?\\\)|\\\[.*?(?<!\\)\\\])", re.S)
COLUMN, CLICK, NOTES = "|||", ". . .", "Notes:"
MINUTES = re.compile(r"^\(([\d.]+) min(, may go)?\)")  # may go when time is short
DRAFT = "<!-- draft -->"  # the first line of a deck that is no lecture yet

_inline = {"renderer": lambda content, options: _tex(content, options)}
_markdown = MarkdownIt("commonmark").use(dollarmath_plugin, **_inline)


def _tex(content, options):
    left, right = (r"\[", r"\]") if options["display_mode"] else (r"\(", r"\)")
    return f"{left}{escape(content)}{right}"


def _fenced(renderer, tokens, index, options, env):
    """Render a block of code as the page renders a cell."""
    lexer = get_lexer_by_name(tokens[index].info.strip() or "text")
    return highlight(tokens[index].content, lexer, HtmlFormatter(wrapcode=False))


_markdown.add_render_rule("fence", _fenced)


@dataclass(frozen=True)
class Slide:
    """One slide: what it shows and what its speaker reads, in HTML."""

    title: str
    kind: str  # of its look: title, text, code, figure, predict
    body: str
    notes: str

    def html(self):
        body = f'<div class="body">{self.body}</div>'
        notes = f'<aside class="notes">{self.notes}</aside>'
        head = f"<h2>{self.title}</h2>"
        return f'<section class="{self.kind}">{head}{body}{notes}</section>'


def path_of(slug: str) -> Path:
    """Return the path of a chapter's deck, which need not exist."""
    return FOLDER / f"{slug}.md"


def slugs() -> list[str]:
    """List the chapters that have a deck, in their order."""
    return [slug for slug in chapters.CHAPTERS if path_of(slug).exists()]


def is_draft(slug: str) -> bool:
    """Return whether a deck says that it is no lecture yet."""
    return path_of(slug).read_text(encoding="utf-8").startswith(DRAFT)


def minutes(slug: str) -> tuple[float, float] | None:
    """Add up the minutes in the notes of a deck: all, and of these what may go.

    None if the chapter has no deck, or a draft.
    """
    path = path_of(slug)
    if not path.exists() or is_draft(slug):
        return None
    lines = path.read_text(encoding="utf-8").split("\n")
    found = [match for match in map(MINUTES.match, lines) if match]
    may_go = sum(float(match[1]) for match in found if match[2])
    return sum(float(match[1]) for match in found), may_go


def slides(page: BeautifulSoup, notebook: dict, text: str) -> list[Slide]:
    """Make the slides that a text describes; what they show is the built page's.

    ValueError if one names what the page does not have, or has no heading or no notes.
    """
    parts = PageParts(page, notebook)
    deck = []
    for part in re.split(r"^(?=#{1,2} )", text, flags=re.M)[1:]:
        head, _, body = part.partition("\n")
        body, _, notes = body.partition(f"\n{NOTES}")
        title = _markdown.renderInline(head.lstrip("# ").strip())
        try:
            deck.append(_slide(title, head.startswith("# "), body, notes, parts))
        except ValueError as error:
            raise ValueError(f"slide {len(deck) + 1}, {head!r}: {error}") from None
    if not deck or deck[0].kind != "title":
        raise ValueError("expected a heading '# The title' first, got none")
    return deck


def _slide(title, is_title, body, notes, parts):
    if not notes.strip():
        raise ValueError(f"expected notes after {NOTES!r}, got none")
    pairs = [pair for line in SAME.findall(body) for pair in line.split(" | ")]
    body = SAME.sub("", body)
    columns = [_column(part, parts) for part in body.split(f"\n{COLUMN}\n")]
    kinds = [kind for _, kind in columns if kind]
    if len(columns) > 1:
        inner = "".join(f"<div>{blocks}</div>" for blocks, _ in columns)
        blocks = f'<div class="columns">{inner}</div>'
    else:
        blocks = columns[0][0]
    kind = "title" if is_title else kinds[0] if kinds else "text"
    return Slide(title, kind, _coloured(blocks, pairs), _spoken(notes))


def _coloured(html, pairs):
    """Give a symbol and its name in code, ``\\mathbf{W}_h = W_h``, one colour for each pair."""
    page = BeautifulSoup(html, "html.parser")
    for i, pair in enumerate(pairs, 1):
        symbol, _, name = pair.rpartition(" = ")
        in_formula = rf"\class{{same-{i}}}{{{symbol}}}"
        in_code = f'<span class="same-{i}">{name}</span>'
        word = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
        found = page.find_all(string=FORMULA)
        formulas = [(text, _replaced(symbol, in_formula, text)) for text in found]
        formulas = [(text, marked) for text, marked in formulas if marked != text]
        code = [s for s in page.select(".highlight pre")]
        texts = [s for pre in code for s in pre.find_all(string=word)]
        if not formulas or not texts:
            raise ValueError(
                f"same: expected 'symbol = name', both on the slide, got {pair!r}"
            )
        for text, marked in formulas:
            text.replace_with(marked)
        for text in texts:
            marked = word.sub(
                lambda _, html_in_code=in_code: html_in_code, escape(text, quote=False)
            )
            # Only inside of <pre> the parser keeps the blanks before a name.
            parsed = BeautifulSoup(f"<pre>{marked}</pre>", "html.parser")
            text.replace_with(*parsed.pre.contents)
    return str(page) if pairs else html


def _replaced(symbol, new, text):
    """Replace a symbol in the formulas of a text: b, but not the b of ``\\begin``."""
    after = r"(?![A-Za-z])" if re.search(r"\\[A-Za-z]+$", symbol) else ""
    # What is not the symbol is skipped by whole commands, with the words that they enclose.
    skipped = r"\\(?:begin|end|text|operatorname)\{[^}]*\}|\\[A-Za-z]+"
    parts = re.compile(f"({re.escape(symbol) or '(?!)'}{after})|{skipped}")
    put = lambda part: new if part[1] else part[0]
    return FORMULA.sub(lambda formula: parts.sub(put, formula[0]), text)


def _column(text, parts):
    """Write the HTML of one column, in clicks, and name the kind of slide it makes."""
    out, kind = [], ""
    for click, part in enumerate(text.split(f"\n{CLICK}\n")):
        blocks, plain = [], []
        for line in [*part.split("\n"), ""]:
            item, poll, number = (x.match(line) for x in (ITEM, POLL, NUMBER))
            if not (item or poll or number):
                plain.append(line)
                continue
            blocks.append(_markdown.render("\n".join(plain)))
            plain = []
            if item:
                blocks.append(_item(item[1], item[2].strip(), parts))
                kind = kind or {"figure": "figure", "code": "code"}.get(item[1], "")
            elif poll:
                blocks.append(_poll(poll[1]))
                kind = "predict"
            else:
                blocks.append(_number(number[1]))
        blocks.append(_markdown.render("\n".join(plain)))
        html = "".join(blocks)
        if html.strip():
            out.append(f'<div class="fragment">{html}</div>' if click else html)
    return "".join(out), kind


def _item(kind, name, parts):
    """Show what the page has under a name, or that the cell which shows it failed."""
    try:
        return getattr(parts, kind)(name)
    except ValueError:
        if not parts.page.find(class_=BOX):
            raise
        sentence = (
            f"{kind.capitalize()} {name}: not there, as a cell failed {THIS_COMPUTER}."
        )
        return f'<p class="{BOX}">{escape(sentence)}</p>'


def _poll(line):
    """Make a list of answers to vote on, each with its letter."""
    items = "".join(
        f"<li>{_markdown.renderInline(answer.strip())}</li>"
        for answer in line.split(" | ")
    )
    return f'<ol class="poll">{items}</ol>'


def _number(line):
    """Show a number that matters, large, and what it is the number of."""
    value, _, caption = line.partition(" | ")
    caption = _markdown.renderInline(caption.strip())
    return f'<p class="number"><b>{_markdown.renderInline(value.strip())}</b> {caption}</p>'


def _spoken(notes):
    """Render speaker notes; the minutes at their beginning are kept for the clock."""
    text = notes.strip()
    minutes = MINUTES.match(text)
    if minutes is None:
        raise ValueError(f"expected notes that begin with '(2 min)', got {text[:30]!r}")
    html = _markdown.render(text)
    return f'<div data-minutes="{minutes[1]}">{html}</div>'


def of_chapter(slug: str, page: BeautifulSoup) -> list[Slide]:
    """Make the deck of a chapter from its file."""
    path = path_of(slug)
    notebook = json.loads(chapters.CHAPTERS[slug].path.read_text(encoding="utf-8"))
    try:
        return slides(page, notebook, path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path.relative_to(chapters.ROOT)}: {error}") from None
