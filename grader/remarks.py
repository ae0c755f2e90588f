"""Words for the remarks on a submission."""

from collections.abc import Iterable


def first_few(names: Iterable[str]) -> str:
    """Join the first few of many names, for a remark."""
    names = list(names)
    rest = f" and {len(names) - 4} more" if names[4:] else ""
    return ", ".join(names[:4]) + rest
