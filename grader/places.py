"""Which cell of a submission is which, where a program has dropped their names.

The assignment's texts and tests are in it still: between the text of a task and the check
after the answer there is the answer.
"""

from collections import Counter

from nbformat import NotebookNode


def by_place(
    given: list[NotebookNode],
    names: list[str | None],
    master: NotebookNode,
    wanted: dict[str, NotebookNode],
) -> tuple[list[str | None], set[str]]:
    """Name the cells of a submission that have lost their name and can be told by place.

    Parameters
    ----------
    given : list of NotebookNode
        The cells of the submission.
    names : list of str or None
        Their names, as far as they are known.
    master : NotebookNode
        The released assignment.
    wanted : dict of str to NotebookNode
        Its cells that have a name, in order.

    Returns
    -------
    list of str or None, set of str
        All names, and those that were found by place or by text.
    """
    names = list(names)
    at = _places(given, names, master)  # of the assignment's cells, by number
    found = set()
    for number, cell in enumerate(master.cells):
        name = next((n for n, model in wanted.items() if model is cell), None)
        if name is None or name in names:
            continue
        if not _is_answer(cell):
            if number in at:
                names[at[number]] = name
                found.add(name)
            continue
        # Its text before it or its check after it has to be there.
        if number - 1 not in at and number + 1 not in at:
            continue
        before = max((n for n in at if n < number), default=-1)
        after = min((n for n in at if n > number), default=len(master.cells))
        if any(
            other is not cell
            and other.cell_type == cell.cell_type
            and _is_answer(other)
            for other in master.cells[before + 1 : after]
        ):
            continue
        first, last = at.get(before, -1) + 1, at.get(after, len(given))
        between = [
            p
            for p in range(first, last)
            if names[p] is None and given[p].cell_type == cell.cell_type
        ]
        if cell.cell_type == "code":  # whatever is before the last is run, too
            between = [p for p in between if given[p].source.strip()][-1:]
        for p in between:
            names[p] = name
            found.add(name)
    return names, found


def _places(given, names, master):
    """Where cells of the assignment that are no answers are, by their number in it."""
    known = {name: p for p, name in enumerate(names) if name}
    ours = [_mark(cell) for cell in master.cells]
    theirs = [_mark(cell) for cell in given]
    once = Counter(ours), Counter(theirs)
    places = {}
    for number, cell in enumerate(master.cells):
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if name in known:
            places[number] = known[name]
        elif not _is_answer(cell) and all(c[ours[number]] == 1 for c in once):
            places[number] = theirs.index(ours[number])
    return places


def _is_answer(cell):
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def _mark(cell):
    """By what a cell is known again: a text by its heading, code by all of it."""
    source = cell.source.strip()
    if cell.cell_type == "markdown":
        return source.partition("\n")[0]
    return " ".join(source.split())
