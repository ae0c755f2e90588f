"""The book on paper: one PDF of all chapters, and one of each; ``make pdf``.

========== ==========================================================================
builder    the whole book as one tree: front, parts, chapters, answers, back matter
chapter    what of a chapter goes on paper, and what is at its end or the book's
figures    an interactive figure at its default, the positions that the text names beside it
back       notation, glossary and index, with the pages that LaTeX counts
writer     LaTeX for what Sphinx's writer has no words for: boxes, numbers, tables
engine     XeLaTeX found, run, its log read
cut        the chapters, cut from the whole
========== ==========================================================================

Sphinx's LaTeX by XeLaTeX and not the built pages through a print engine: of those tried,
WeasyPrint came close, but fits no figure to what is left of a page, so that pages before
figures stay a third empty or more; its formulas are drawings that no search reads, and it
is slower. CONTRIBUTING.md has the figures.
"""
