"""Lectures.

=========== =========================================================================
written     slides/NN_slug.md as slides; page_parts finds what they name on the built page
files       a deck as one file, made with the pages; its look is in deck.css
present     a chapter's figures live on a projector
=========== =========================================================================
"""
