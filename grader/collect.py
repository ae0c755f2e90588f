"""Collecting from nbgrader's exchange, into which students can write by other means, too."""

from pathlib import Path

from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default.collect import ExchangeCollect


class Collect(ExchangeCollect):
    """nbgrader's own, without what no button *Submit* has put there.

    nbgrader follows links with the rights of who collects, so that a link to the solutions
    would be graded as an answer; takes a name such as ``..`` for a path; ends at a folder
    that it cannot read; and has a later folder count, whoever it belongs to.
    """

    def init_src(self):
        """The last submission of each student, of those that are in order."""
        inbound = Path(self.root, self.coursedir.course_id, "inbound")
        self.inbound_path, last = str(inbound), {}
        for folder in sorted(inbound.glob(f"*+{self.coursedir.assignment_id}+*")):
            try:
                record = self._path_to_record(str(folder))
                self._refuse(folder, record["username"])
            except (ExchangeError, OSError, ValueError, OverflowError) as error:
                self.log.warning("Left out: %s: %s", folder, error)
                continue
            before = last.setdefault(record["username"], record)
            if record["timestamp"] > before["timestamp"]:
                last[record["username"]] = record
        self.src_records = list(last.values())

    def _refuse(self, folder, student):
        if not student or student.startswith("."):
            raise ValueError("expected a student's name")
        for path in (folder, *folder.rglob("*")):
            if path.is_symlink() or not (path.is_dir() or path.is_file()):
                raise ValueError(f"expected files and folders, got {path.name}")
            if path.is_file():
                path.open("rb").close()
        if self.check_owner:
            try:
                owner = folder.owner()
            except KeyError:  # a user that has gone
                owner = "nobody"
            if owner != student:
                raise ValueError(f"expected {student}'s own, got {owner}'s")
