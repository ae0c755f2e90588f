"""An alive figure on a page and in a deck: its network runs in the reader's browser.

bundle  what its cell shows in a build: default picture, inputs, network, expected outputs
files   networks become files of their own; which scripts a page or a deck names
static  layers compute, views draw, inputs are changed, alive brings it together; programs/
        has one for each figure. No library, no modules: a page is read from file://.

What it computes in Python, and what a reader can change: ``utils.alive``.
"""
