"""What the book holds, counted: ``python -m press.tables``."""

from press.tables import appendices

if __name__ == "__main__":
    for name, number in appendices.counts().items():
        print(f"{number:6,} {name}")
