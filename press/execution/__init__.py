"""The notebooks of the book, each executed once: for the pages and as a test.

nbval runs them, without a network and with the warnings that mean wrong numbers turned into
errors. What they show is kept by jupyter-cache, and the pages are made from that. So a page
holds exactly what the test has passed, and no notebook runs twice.

=========== =========================================================================
cache       what has been executed, what waits, and the events of a Sphinx build
plugin      what pytest does besides nbval: figures drawn again in other orders, and kept
progress    which notebooks run, how many are done, how long the rest will take
offline/    loaded by every Python of a notebook: no connection leaves this machine
=========== =========================================================================

jupyter-cache's parallel executor was tried first; it executes with nbclient, which keeps no
kernel to draw the figures again in, and nbval would have executed everything a second time.
"""
