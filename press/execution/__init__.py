"""The notebooks of the book, each executed once: for the pages and as a test.

nbval runs them, without a network and with the warnings that mean wrong numbers turned into
errors. What they show is kept by jupyter-cache, and the pages are made from that. So a page
holds exactly what the test has seen, and no notebook runs twice, but for one in which a cell
failed: its page says so in a box, and the next build tries again. A book always comes out.

The way of a check that does not hold, from its cell to the exit status:

================ ====================================================================
execute          start pytest for the notebooks that wait
cells            run the cells under pytest, and the figures among them again
pytest_plugin    attach what failed to its notebook, and keep both at the notebook's end
wording          word what was expected of a cell that failed, and what came
inspection       asked in the kernel: the line that failed, and with which values
record           keep a notebook with its outputs and failures in jupyter-cache
failure_box      show them in a box on the page
cache            list them after the build; with any, ``press.__main__`` exits with 1
sphinx_events    .. or Sphinx does, if jupyter-book was called by itself
================ ====================================================================

Beside it:

================ ====================================================================
kernel           notices when it has died
bundles          what a figure is shown as
figure_mutations checks that the checks of a figure fail once something else is drawn
progress         which notebooks run, how many are done, how long the rest will take
offline/         loaded by every Python of a notebook: no connection leaves this machine
================ ====================================================================

jupyter-cache's parallel executor was tried first; it executes with nbclient, which keeps no
kernel to draw the figures again in, and nbval would have executed everything a second time.
"""
