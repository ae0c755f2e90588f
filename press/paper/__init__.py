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

Code of figures and of experiments over twelve lines stays on the page, and so do ``seen``
checks. *What you should have seen* stands at the end of the chapter, solutions at the end of
the book. A figure shows its default and, in small, each position that the text links to: a
position that is only described is not on paper. A figure whose network runs on the page shows
its default alone. ``book_paper: letterpaper`` under ``sphinx``,
``config`` in ``_config.yml`` is another format.

A character that no font has, a reference that leads nowhere, a line that reaches five points
into the margin and a figure higher than a page stop the build; ``tests/paper`` measures the
pages of the last one.

Why LaTeX: Chapters 13 and 17 were also printed from the built pages. Chromium 156 gives no
page numbers of references, and Paged.js, which does, stretched last lines before a page
break. WeasyPrint 70 came close, but it fits no figure to what is left of a page, its formulas
are drawings that no search reads, and it takes more than twice as long. Where TeX cannot be
had, WeasyPrint would be the way.
"""
