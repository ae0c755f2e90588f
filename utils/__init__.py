"""What the chapters share and none of them is about: figures, checks, data and text.

Algorithms, layers, losses and training loops stay on the page that teaches them.
Importing this package changes nothing: no seed, no style, no network.
"""
