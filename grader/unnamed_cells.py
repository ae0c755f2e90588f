"""Identify the cells of a submission whose nbgrader names a program has dropped.

The assignment's texts and tests are still in it: the answer is between the text of a task
and the check that follows.
"""

from collections import Counter

from nbformat import NotebookNode


def by_position(
    given: list[NotebookNode], names: list[str | None], master: NotebookNode
) -> tuple[list[str | None], set[str]]:
    """Name the cells of a submission that have lost their name, by their position.

    ``names`` has theirs as far as they are known, and ``master`` is the released assignment.
    Returns all names, and those that were identified by position or by text.
    """
    search, identified = _Search(given, names, master), set()
    for number, cell in enumerate(master.cells):
        name = grade_id(cell)
        if name is None:
            continue
        if positions := search.positions_of(number, name):
            search.rename(name, positions)
            identified.add(name)
    return search.names, identified


class _Search:
    """The cells of a submission, by position, and those of the assignment, by number.

    ``known`` maps the number of a cell of the assignment to its position.
    """

    def __init__(self, given, names, master):
        self.given, self.names, self.cells = given, list(names), master.cells
        self.known = _positions(given, names, master)
        self.locked = {_words(cell) for cell in self.cells if not _is_answer(cell)}

    def rename(self, name, positions):
        """Give a name to the cells at these positions, and to no others."""
        self.names = [None if known == name else known for known in self.names]
        for position in positions:
            self.names[position] = name

    def positions_of(self, number, name):
        """Return the positions that should get a name; none to leave it where it is."""
        if name in self.names:
            return self._below_stub(number, name)
        if not _is_answer(self.cells[number]):
            return [self.known[number]] if number in self.known else []
        return self._between_neighbours(number)

    def _below_stub(self, number, name):
        """Return the positions of texts below an untouched cell for a proof."""
        cell, stubs = self.cells[number], self._positions_named(name)
        is_proof = _is_answer(cell) and cell.cell_type == "markdown"
        if not is_proof or any(_words(self.given[p]) != _words(cell) for p in stubs):
            return []
        start = stubs[-1] + 1
        ends = {*self.known.values(), *(p for p, n in enumerate(self.names) if n)}
        stop = min((p for p in ends if p >= start), default=len(self.given))
        return self._added_positions(start, stop, ("markdown", "raw"))

    def _between_neighbours(self, number):
        """Return the positions between the text before an answer and the check after it."""
        cell, end = self.cells[number], len(self.cells)
        before = max((n for n in self.known if n < number), default=-1)
        after = min((n for n in self.known if n > number), default=end)
        if not self._is_beside_known(number, before):
            return []
        others = [c for c in self.cells[before + 1 : after] if c is not cell]
        if any(_is_answer(c) and c.cell_type == cell.cell_type for c in others):
            return []
        start = self.known.get(before, -1) + 1
        stop = self.known.get(after, len(self.given))
        positions = self._added_positions(start, stop, (cell.cell_type,), empty=True)
        if not any(_words(self.given[p]) not in ("", _words(cell)) for p in positions):
            # Perhaps it has become a cell of another type, if nothing else can be there.
            types = (
                ("raw",) if cell.cell_type == "code" or positions else ("raw", "code")
            )
            if (retyped := self._added_positions(start, stop, types)) and not others:
                positions = retyped
        if cell.cell_type == "code":  # whatever is before the last is run, too
            return [p for p in positions if self.given[p].source.strip()][-1:]
        return positions

    def _is_beside_known(self, number, before):
        """Return whether the text before an answer or the check after it is there.

        For the last cell, the end of the notebook will do if no other answer can be meant.
        """
        is_last = number + 1 == len(self.cells) and before >= 0
        is_last &= not any(map(_is_answer, self.cells[before + 1 : number]))
        return is_last or number - 1 in self.known or number + 1 in self.known

    def _positions_named(self, name):
        return [p for p, known in enumerate(self.names) if known == name]

    def _added_positions(self, start, stop, types, empty=False):
        """Return the positions of cells of these types that the student has added."""
        return [
            p
            for p in range(start, stop)
            if self.names[p] is None
            and self.given[p].cell_type in types
            and _words(self.given[p]) not in self.locked
            and (empty or _words(self.given[p]))
        ]


def has_own_texts(
    given: list[NotebookNode], names: list[str | None], master: NotebookNode
) -> bool:
    """Return whether a submission has texts that are in no cell of the assignment."""
    keys = {_key(cell) for cell in master.cells} | {""}
    texts = [
        cell
        for cell, name in zip(given, names, strict=True)
        if name is None and cell.cell_type != "code"
    ]
    return any(_key(cell) not in keys for cell in texts)


def grade_id(cell: NotebookNode) -> str | None:
    """Return nbgrader's name of a cell, or None."""
    metadata = cell.metadata.get("nbgrader")
    name = metadata.get("grade_id") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else None


def _positions(given, names, master):
    """Return the positions of the assignment's cells other than answers, by number."""
    known = {name: p for p, name in enumerate(names) if name}
    keys = [_key(cell) for cell in master.cells]
    given_keys = [_key(cell) for cell in given]
    counts = Counter(keys), Counter(given_keys)
    positions = {}
    for number, cell in enumerate(master.cells):
        name = grade_id(cell)
        if name in known:
            positions[number] = known[name]
        elif not _is_answer(cell) and all(c[keys[number]] == 1 for c in counts):
            positions[number] = given_keys.index(keys[number])
    return positions


def _is_answer(cell):
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def _key(cell):
    """Return what identifies a cell: the heading of a text, all of the code."""
    if cell.cell_type == "markdown":  # a heading, whatever its level
        heading = cell.source.strip().partition("\n")[0]
        return " ".join(heading.strip("# \t").split())
    return _words(cell)


def _words(cell):
    """Return the words of a cell, without line breaks and indentation."""
    return " ".join(cell.source.split())
