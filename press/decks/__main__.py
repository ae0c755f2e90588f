"""Decks on demand: ``make slides``, or one, ``make slides CHAPTER=16_attention``.

Where there is a Chromium, each deck has its handout beside it.
"""

import argparse
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from press import browser
from press.decks import files, handout, written


def main(arguments: list[str]) -> None:
    """Make the decks of the chapters named, or of all, and their handouts; what is newest stays."""
    parser = argparse.ArgumentParser(description="Make decks from the built pages.")
    parser.add_argument("slugs", nargs="*", metavar="NN_slug")
    options = parser.parse_args(arguments)
    known = written.slugs()
    if unknown := set(options.slugs) - set(known):
        sys.exit(
            f"Expected chapters with a deck in slides/, {', '.join(known)}; "
            f"got {', '.join(unknown)}"
        )
    decks = []
    for slug in options.slugs or known:
        if not files.is_newest(slug):
            files.write(slug)
        path = files.deck_of(slug)
        print(f"{path.as_uri()}  {path.stat().st_size / 1e6:.1f} MB")
        decks.append(path)
    print_handouts(decks)


def print_handouts(decks: list[Path]) -> None:
    """Print those decks that have no handout, or an older one."""
    outdated = [deck for deck in decks if not _is_printed(deck)]
    chromium = browser.find() if outdated else None
    if outdated and not chromium:
        return print("No handouts: they need a Chromium. `make browser` brings one.")
    if outdated:
        with sync_playwright() as playwright:
            printer = playwright.chromium.launch(
                executable_path=chromium, args=browser.FLAGS
            )
            for deck in outdated:
                handout.write(deck, deck.with_suffix(".pdf"), printer)
            printer.close()
    for deck in decks:
        print(deck.with_suffix(".pdf").as_uri())


def _is_printed(deck):
    printed = deck.with_suffix(".pdf")
    return printed.exists() and printed.stat().st_mtime > deck.stat().st_mtime


if __name__ == "__main__":
    main(sys.argv[1:])
