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
    search, found = _Search(given, names, master), set()
    for number, cell in enumerate(master.cells):
        name = grade_id(cell)
        if name is None:
            continue
        if places := search.places_of(number, name):
            search.rename(name, places)
            found.add(name)
    return search.names, found


class _Search:
    """The cells of a submission beside those of the assignment, which have numbers here."""

    def __init__(self, given, names, master):
        self.given, self.names, self.cells = given, list(names), master.cells
        self.at = _places(given, names, master)  # of the assignment's cells, by number
        self.locked = {_words(cell) for cell in self.cells if not _is_answer(cell)}

    def rename(self, name, places):
        """Give a name to the cells at these places and to no others."""
        self.names = [None if known == name else known for known in self.names]
        for place in places:
            self.names[place] = name

    def places_of(self, number, name):
        """Where a cell of the assignment is, if that is not known or is another place."""
        if name in self.names:
            return self._below_stub(number, name)
        if not _is_answer(self.cells[number]):
            return [self.at[number]] if number in self.at else []
        return self._between_neighbours(number)

    def _below_stub(self, number, name):
        """Texts below the cell for a proof, where that is as it was handed out."""
        cell, stubs = self.cells[number], self._named(name)
        is_proof = _is_answer(cell) and cell.cell_type == "markdown"
        if not is_proof or any(_words(self.given[p]) != _words(cell) for p in stubs):
            return []
        first = stubs[-1] + 1
        known = {*self.at.values(), *(p for p, n in enumerate(self.names) if n)}
        last = min((p for p in known if p >= first), default=len(self.given))
        return self._own(first, last, ("markdown", "raw"))

    def _between_neighbours(self, number):
        """Cells between the text before an answer and the check after it."""
        cell, end = self.cells[number], len(self.cells)
        before = max((n for n in self.at if n < number), default=-1)
        after = min((n for n in self.at if n > number), default=end)
        if not self._is_beside_known(number, before):
            return []
        others = [c for c in self.cells[before + 1 : after] if c is not cell]
        if any(_is_answer(c) and c.cell_type == cell.cell_type for c in others):
            return []
        first, last = self.at.get(before, -1) + 1, self.at.get(after, len(self.given))
        between = self._own(first, last, (cell.cell_type,), empty=True)
        if not any(_words(self.given[p]) not in ("", _words(cell)) for p in between):
            # Perhaps it has become a cell of another type, if nothing else can be there.
            types = ("raw",) if cell.cell_type == "code" or between else ("raw", "code")
            if (turned := self._own(first, last, types)) and not others:
                between = turned
        if cell.cell_type == "code":  # whatever is before the last is run, too
            return [p for p in between if self.given[p].source.strip()][-1:]
        return between

    def _is_beside_known(self, number, before):
        """Whether the text before an answer or the check after it is there.

        After the last cell the end of the notebook will do, where no other answer can be
        meant.
        """
        is_last = number + 1 == len(self.cells) and before >= 0
        is_last &= not any(map(_is_answer, self.cells[before + 1 : number]))
        return is_last or number - 1 in self.at or number + 1 in self.at

    def _named(self, name):
        return [p for p, known in enumerate(self.names) if known == name]

    def _own(self, first, last, types, empty=False):
        """Places of the student's own cells of these types."""
        return [
            p
            for p in range(first, last)
            if self.names[p] is None
            and self.given[p].cell_type in types
            and _words(self.given[p]) not in self.locked
            and (empty or _words(self.given[p]))
        ]


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
