"""The notebooks of the book, each executed once: for the pages and as a test.

nbval runs them, without a network and with the warnings that mean wrong numbers turned into
errors. What they show is kept by jupyter-cache, and the pages are made from that. So a page
holds exactly what the test has seen, and no notebook runs twice, but for one in which a cell
failed: its page says so in a box, and the next build tries again. A book always comes out.

============= =======================================================================
cache         what has been executed, what failed, what waits; the events of a Sphinx build
pytest_plugin what pytest does besides nbval: what failed is noted, and all is kept
cells         the cells as pytest runs them, and the figures among them again
kernel        notices when it has died
failures      what was expected of a cell that failed, and what came
inspection    asked in the kernel: the line that failed, and with which values
failure_box   what the page shows of it
record        what jupyter-cache keeps of a notebook
seen          whether the checks of a figure notice that something else is drawn
progress      which notebooks run, how many are done, how long the rest will take
offline/      loaded by every Python of a notebook: no connection leaves this machine
============= =======================================================================

jupyter-cache's parallel executor was tried first; it executes with nbclient, which keeps no
kernel to draw the figures again in, and nbval would have executed everything a second time.
"""
