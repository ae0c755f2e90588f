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

    Returns
    -------
    list of str or None, set of str
        All names, and those that were found by place or by text.
    """
    names = list(names)
    at = _places(given, names, master)  # of the assignment's cells, by number
    locked = {_words(cell) for cell in master.cells if not _is_answer(cell)}
    found, end = set(), len(master.cells)

    def own(p):
        return names[p] is None and _words(given[p]) not in locked

    for number, cell in enumerate(master.cells):
        name = grade_id(cell)
        if name is None:
            continue
        if name in names:
            stubs = [p for p, other in enumerate(names) if other == name]
            untouched = all(_words(given[p]) == _words(cell) for p in stubs)
            if not (_is_answer(cell) and cell.cell_type == "markdown" and untouched):
                continue
            # Perhaps the proof is in a cell below the one for it.
            known = {*at.values(), *(p for p, n in enumerate(names) if n)}
            first = stubs[-1] + 1
            last = min((p for p in known if p >= first), default=len(given))
            texts = [p for p in range(first, last) if given[p].cell_type != "code"]
            if below := [p for p in texts if own(p) and _words(given[p])]:
                names = [None if n == name else n for n in names]
                for p in below:
                    names[p] = name
                found.add(name)
            continue
        if not _is_answer(cell):
            if number in at:
                names[at[number]] = name
                found.add(name)
            continue
        before = max((n for n in at if n < number), default=-1)
        after = min((n for n in at if n > number), default=end)
        # Its text before it or its check after it has to be there; after the last cell
        # the end of the notebook will do, where no other answer can be meant.
        is_last = number + 1 == end and before >= 0
        is_last &= not any(map(_is_answer, master.cells[before + 1 : number]))
        if not is_last and number - 1 not in at and number + 1 not in at:
            continue
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
            if own(p) and given[p].cell_type == cell.cell_type
        ]
        if not any(_words(given[p]) not in ("", _words(cell)) for p in between):
            # Perhaps it has become a cell of another type, if nothing else can be there.
            types = ("raw",) if cell.cell_type == "code" or between else ("raw", "code")
            others = [
                p
                for p in range(first, last)
                if own(p) and given[p].cell_type in types and _words(given[p])
            ]
            if others and after - before == 2:
                between = others
        if cell.cell_type == "code":  # whatever is before the last is run, too
            between = [p for p in between if given[p].source.strip()][-1:]
        for p in between:
            names[p] = name
            found.add(name)
    return names, found


def has_own_texts(
    given: list[NotebookNode], names: list[str | None], master: NotebookNode
) -> bool:
    """Whether a submission has texts that are no cell's of the assignment."""
    ours = {_mark(cell) for cell in master.cells} | {""}
    texts = [
        cell
        for cell, name in zip(given, names, strict=True)
        if name is None and cell.cell_type != "code"
    ]
    return any(_mark(cell) not in ours for cell in texts)


def grade_id(cell: NotebookNode) -> str | None:
    """nbgrader's name of a cell, or None."""
    found = cell.metadata.get("nbgrader")
    name = found.get("grade_id") if isinstance(found, dict) else None
    return name if isinstance(name, str) else None


def _places(given, names, master):
    """Where cells of the assignment that are no answers are, by their number in it."""
    known = {name: p for p, name in enumerate(names) if name}
    ours = [_mark(cell) for cell in master.cells]
    theirs = [_mark(cell) for cell in given]
    once = Counter(ours), Counter(theirs)
    places = {}
    for number, cell in enumerate(master.cells):
        name = grade_id(cell)
        if name in known:
            places[number] = known[name]
        elif not _is_answer(cell) and all(c[ours[number]] == 1 for c in once):
            places[number] = theirs.index(ours[number])
    return places


def _is_answer(cell):
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def _mark(cell):
    """By what a cell is known again: a text by its heading, code by all of it."""
    if cell.cell_type == "markdown":  # a heading, whatever its level
        heading = cell.source.strip().partition("\n")[0]
        return " ".join(heading.strip("# \t").split())
    return _words(cell)


def _words(cell):
    """All of a cell, whatever its blanks."""
    return " ".join(cell.source.split())
