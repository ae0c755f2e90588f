"""Rules of the text: how many words, one sentence a line, no formula cut short."""

import re

from press import chapters

MAX_WORDS = 12_000
WEASEL_WORDS = re.compile(
    r"\b(simply|obviously|clearly|trivially|just|easy|easily)\b", re.I
)
# A full stop, and a capital after it …
SENTENCE_BREAK = re.compile(r"[.?!][”\"')*_]*\s+[“\"'(*_]*[A-ZÀ-ÖØ-Þ]")
# … but not that of "e.g.", of an initial, of "1." or of a heading that runs into its text.
ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|[Cc]f|vs|al|[Ee]qs?|[Ff]igs?|[Ss]ecs?|[Cc]hs?|pp?|[Nn]o|Dr|[A-Z])\."
    r"|^\s*\d+\. |^\W*(\*\*?)[^*]+[.?!]\1(?= )"
)


def too_many_words(notebook):
    """Say so if a chapter has too many words, formulas and tables included."""
    _, total = chapters.words(chapters.markdown(notebook))
    return (
        [f"expected at most {MAX_WORDS} words, got {total}"]
        if total > MAX_WORDS
        else []
    )


def weasel_words(text):
    """List the words that tell a reader how easy it is."""
    return WEASEL_WORDS.findall(text)


def two_sentences(notebook):
    """List the lines of more than one sentence: a diff should show a sentence."""
    return [
        line
        for line in lines(notebook)
        if SENTENCE_BREAK.search(ABBREVIATION.sub("", line))
    ]


# TeX takes a bracket that opens an environment or a line for an option, and drops it.
SWALLOWED = re.compile(
    r"\\begin\{(?:aligned|gathered|alignedat)\}\s*\[|\\\\\s*\[(?!\d)"
)


def swallowed_brackets(notebook):
    """List the lines of formulas that would lose their left side; ``{}[`` keeps it."""
    return SWALLOWED.findall(chapters.markdown(notebook))


def lines(notebook):
    """List the lines of a notebook's text, formulas, code and links each as one word."""
    text = "\n".join(
        c.source + "\n" for c in notebook.cells if c.cell_type == "markdown"
    )
    text = re.sub(r"^(`{3,})(?!\{).*?^\1$", "", text, flags=re.M | re.S)  # listings
    text = re.sub(r"\$\$.*?\$\$( *\([\w-]+\))?", "", text, flags=re.S)
    text = re.sub(r"\$[^$]+\$|`[^`\n]+`", "formula", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", "link", text)
    aside = re.compile(r"\s*(\||#|:\w|```|:::|<!--|\([\w-]+\)=)")
    return [line for line in text.split("\n") if line.strip() and not aside.match(line)]
