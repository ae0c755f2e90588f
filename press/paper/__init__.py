"""The book on paper: one PDF of all chapters, and one of each; ``make pdf``.

========== ==========================================================================
builder    the whole book as one tree: front, parts, chapters, answers, back matter
chapter    what of a chapter goes on paper, and what is at its end or the book's
figures    an interactive figure at its default, the positions that the text names beside it
back       notation, glossary and index, with the pages that LaTeX counts
writer     LaTeX for what Sphinx's writer has no words for: boxes, numbers, tables
press      the engine: found, run, its log read; the chapters cut from the whole
========== ==========================================================================

Sphinx's LaTeX by XeLaTeX and not the built pages through a browser: it moves figures so
that no page is left half empty, hyphenates, counts pages for references and index, and
marks the line of code that it breaks. Printing the pages from a browser did none of these.
"""
