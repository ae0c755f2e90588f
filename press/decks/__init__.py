"""Lectures.

=========== =========================================================================
cut         slides from a built page: what a slide shows, what its speaker reads
files       a deck as one file, made with the pages; its look is in deck.css
present     a chapter's figures live on a projector
=========== =========================================================================
"""
