"""An interactive figure without a kernel, on a page and in a deck.

bundle     the figure as a page has it: all frames drawn beforehand, and ``figure.html``
lettering  how large its letters are
static     ``figure.js`` moves it, ``figure.css`` is its look
"""
