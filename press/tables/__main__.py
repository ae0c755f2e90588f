"""What the book holds, counted; and README's tables brought up to date."""

from press.tables import README, appendices, fill

if __name__ == "__main__":
    for name, number in appendices.counts().items():
        print(f"{number:6,} {name}")
    README.write_text(fill(README.read_text(encoding="utf-8")), encoding="utf-8")
