"""Decks on demand: ``make slides CHAPTER=16_attention``; with ``--all`` starred sections too."""

import argparse
import sys

from press import chapters
from press.decks import files


def main(arguments: list[str]) -> None:
    """Make the decks of the chapters named, or of all; a deck that is newest stays."""
    parser = argparse.ArgumentParser(description="Cut decks from the built pages.")
    parser.add_argument("slugs", nargs="*", metavar="NN_slug")
    parser.add_argument("--all", action="store_true", help="include starred sections")
    options = parser.parse_args(arguments)
    unknown = set(options.slugs) - set(chapters.CHAPTERS)
    if unknown:
        sys.exit(
            f"Expected chapters among {', '.join(chapters.CHAPTERS)}; "
            f"got {', '.join(unknown)}"
        )
    for slug in options.slugs or chapters.CHAPTERS:
        if options.all or not files.is_newest(slug):
            files.write(slug, everything=options.all)
        path = files.deck_of(slug, everything=options.all)
        print(f"{path.as_uri()}  {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
