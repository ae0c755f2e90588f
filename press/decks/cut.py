"""Cut a deck from a chapter's built page: see ``press.decks``.

What a slide shows is what the page sets apart: headings, displayed equations, tables,
code, figures with their sliders, predictions, and of the prose the sentences with a bold
word and those that lead into an equation. The rest becomes speaker notes. The standard
``slideshow`` metadata of a cell has the last word, but for starred sections: those are
left out, unless all is asked for (``--all``, a deck of its own: ``NN_slug_all.html``).

========= =========================================================
slide     begins a section of the talk
subslide  begins a slide
(none)    continues the slide before it
fragment  the same, but appears on a click
notes     speaker notes only
skip      not in the deck
========= =========================================================
"""

from dataclasses import dataclass, field
from html import escape
from itertools import zip_longest

from bs4 import BeautifulSoup, Comment, Tag

from press.execution.failure_box import BOX
from press.pages.cell_ids import cell_of

CODE_LINES = 24  # of a slide
LEFT_OUT = ("What this leaves out", "Terms")  # they stand beside the summary
PRINTED = 4  # lines of what a check prints


@dataclass
class Slide:
    """One slide: what it shows, in HTML, and what its speaker reads."""

    title: str
    kind: str = "text"  # of its look: title, text, code, figure, predict, seen
    opens_section: bool = False
    blocks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def html(self):
        head = f"<h2>{self.title}</h2>" if self.title else ""
        notes = "".join(self.notes)
        aside = f'<aside class="notes">{notes}</aside>' if notes else ""
        return f'<section class="{self.kind}">{head}{"".join(self.blocks)}{aside}</section>'


def cells(page, notebook):
    """Pair the cells of a notebook with the blocks that the built page makes of each."""
    blocks, pending = {}, []
    for node in _leaves(page.find("article")):
        name = cell_of(node)
        if name and isinstance(node, Comment):
            blocks[name], pending = pending, []
        elif name:
            blocks[name] = [node]
        elif isinstance(node, Tag):
            pending.append(node)
    missing = [c["id"] for c in notebook["cells"] if c["id"] not in blocks]
    if missing:
        raise ValueError(f"expected every cell on the page, found none for {missing}")
    return [(cell, blocks[cell["id"]]) for cell in notebook["cells"]]


def _leaves(node):
    """Yield the blocks in the order of the page; sections are only brackets around them."""
    for child in node.children:
        if isinstance(child, Comment) or (
            isinstance(child, Tag) and child.name != "section"
        ):
            if isinstance(child, Tag):  # the code of an answer stands within its fold
                yield from child.find_all(cell_of)
            yield child
        elif isinstance(child, Tag):
            yield from _leaves(child)


def slides(page, notebook, everything=False):
    """Cut the slides of a chapter, in order; starred sections only with ``everything``."""
    deck, starred = [], False
    for cell, blocks in cells(page, notebook):
        kind = cell["metadata"].get("slideshow", {}).get("slide_type", "-")
        for title in (b for b in blocks if b.name == "h2"):
            starred = _inner(title).endswith("*")
        if kind == "skip" or (starred and not everything):
            continue
        if cell["cell_type"] == "markdown":
            _prose(deck, blocks, kind)
        else:
            _code(deck, blocks[0], kind)
    return _merged([s for s in deck if s.blocks or s.kind == "title"])


def _merged(deck):
    """Return the slides without those of a sentence or two, which lead into the next slide."""
    merged = []
    for slide in deck:
        previous = merged[-1] if merged else None
        if (
            previous
            and previous.kind == "text"
            and slide.kind in ("code", "figure")
            and (_is_lead(previous) and previous.title == slide.title)
        ):
            merged.pop()
            slide.blocks = previous.blocks + slide.blocks
            slide.notes = previous.notes + slide.notes
            slide.opens_section = previous.opens_section
        merged.append(slide)
    return merged


def _is_lead(slide):
    text = BeautifulSoup("".join(slide.blocks), "html.parser")
    return (
        not text.find(["table", "ul", "ol"])
        and not text.find("div")
        and len(text.get_text()) < 200
    )


def _prose(deck, blocks, kind):
    is_left_out = False
    for block, following in zip_longest(blocks, blocks[1:]):
        classes = block.get("class", [])
        if block.name in ("h2", "h3"):
            is_left_out = block.get_text().startswith(LEFT_OUT)
        if is_left_out:
            continue
        if block.name == "h1":
            deck.append(Slide(_inner(block), "title", True))
        elif block.name in ("h2", "h3"):
            deck.append(Slide(_inner(block), opens_section=block.name == "h2"))
        elif not deck or block.name == "span" or "chapter-head" in classes:
            continue
        elif kind == "notes":
            deck[-1].notes.append(str(block))
        elif "tip" in classes:
            deck.append(Slide("Predict first", "predict", blocks=_body(block)))
        elif {"note", "dropdown"} <= set(classes):
            answer = f'<div class="fragment">{"".join(_body(block))}</div>'
            deck.append(Slide("What was to be seen", "seen", blocks=[answer]))
        elif {"admonition", "exercise", "solution"} & set(classes):
            deck[-1].notes.append(str(block))
        elif block.name == "p" and deck[-1].kind == "title" and not deck[-1].blocks:
            deck[-1].blocks.append(str(block))  # the chapter's question
        else:
            _show(deck, block, following, kind)


def _show(deck, block, following, kind):
    if deck[-1].kind == "title" and block.name == "p":
        deck[-1].notes.append(str(block))
        return
    if deck[-1].kind in ("code", "figure", "predict", "seen"):
        deck.append(Slide(_section(deck)))
    slide = deck[-1]
    classes = block.get("class", [])
    wrap = (lambda x: f'<div class="fragment">{x}</div>') if kind == "fragment" else str
    if "math" in classes or (block.name == "div" and block.find("table")):
        slide.blocks.append(wrap(block))
    elif block.name in ("ul", "ol"):
        items = "".join(
            f"<li>{_lines(li)[0]}</li>" for li in block.find_all("li", recursive=False)
        )
        slide.blocks.append(wrap(f"<{block.name}>{items}</{block.name}>"))
        slide.notes.append(str(block))
    elif block.name == "p":
        lines = _lines(block)
        leads_to_equation = following is not None and "math" in following.get(
            "class", []
        )
        sentences = [x for x in lines if "<strong>" in x]
        if (
            leads_to_equation
            and lines[-1] not in sentences
            and lines[-1].rstrip().endswith(":")
        ):
            sentences.append(lines[-1])
        if sentences:
            slide.blocks.append(wrap(f"<p>{' '.join(sentences)}</p>"))
        if len(sentences) < len(lines):
            slide.notes.append(str(block))


def _code(deck, block, kind):
    tags = {c[4:] for c in block["class"] if c.startswith("tag_")}
    source, output = block.find(class_="cell_input"), block.find(class_="cell_output")
    if tags & {"figure", "widget"} and output:
        failed = output.find(class_=BOX)
        html = str(failed) if failed else _picture(output)
        deck.append(Slide(_section(deck), "figure", blocks=[html]))
    elif kind == "fragment":
        lines = output.get_text().strip().splitlines() if output else []
        checks = [x for x in lines if x.startswith("✓")][:PRINTED]
        if not checks:
            return
        deck[-1].blocks.append(
            f'<pre class="printed fragment">{escape(chr(10).join(checks))}</pre>'
        )
    elif source:
        for part in _pieces(source.find("pre").decode_contents().strip("\n")):
            html = f'<div class="highlight"><pre>{part}</pre></div>'
            deck.append(Slide(_section(deck), "code", blocks=[html]))


def _picture(output):
    """Return the interactive figure of an output, or its image."""
    figure = output.find("figure", class_=["interact", "alive"])
    return str(figure or output.find("img"))


def _pieces(code):
    """Split code between functions into slides short enough for the back of the hall."""
    parts = []
    for piece in code.split("\n\n\n"):
        if parts and (parts[-1] + piece).count("\n") + 3 <= CODE_LINES:
            parts[-1] += "\n\n\n" + piece
        else:
            parts.append(piece)
    return parts


def _section(deck):
    """Return the heading under which the last slide stands."""
    titles = [s.title for s in deck if s.kind in ("title", "text")]
    return titles[-1] if titles else ""


def _inner(tag):
    for link in tag.find_all("a", class_="headerlink"):
        link.decompose()
    return tag.decode_contents().strip()


def _body(block):
    """Return the paragraphs of an admonition or a folded note, a line a sentence."""
    for title in block.find_all(["summary"]) + block.find_all(
        class_="admonition-title"
    ):
        title.decompose()
    paragraphs = []
    for p in block.find_all(["p", "ul", "ol", "div"]):
        if p.name == "div" and "math" not in p.get("class", []):
            continue
        if p.find_parent(["ul", "ol"]) is None:
            paragraphs.append(str(p))
    return paragraphs


def _lines(tag):
    """List the sentences of a paragraph: the source has one a line."""
    if tag.find("p"):
        tag = tag.find("p")
    return [line for line in tag.decode_contents().strip().split("\n") if line] or [""]
