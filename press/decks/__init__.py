"""Lectures: slides cut from a built page, and its figures live."""
