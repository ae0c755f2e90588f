"""Collect submissions from nbgrader's exchange, into which students can also write directly."""

import os
import shutil
import stat
from pathlib import Path

from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default.collect import ExchangeCollect
from nbgrader.utils import ignore_patterns


class Collect(ExchangeCollect):
    """nbgrader's collector, without what the button *Submit* cannot have written.

    nbgrader follows links with the rights of the person who collects, so a link to the
    solutions would be graded as an answer. It takes a name such as ``..`` for a path, stops
    at a folder that it cannot read or that is too large, and lets the latest folder count,
    no matter whose it is.
    """

    def init_src(self):
        """Find the last valid submission of each student."""
        inbound = Path(self.root, self.coursedir.course_id, "inbound")
        self.inbound_path, records = str(inbound), {}
        for folder in sorted(inbound.glob(f"*+{self.coursedir.assignment_id}+*")):
            try:
                record = self._path_to_record(str(folder))
                self._refuse(folder, record["username"])
            except (ExchangeError, OSError, ValueError, OverflowError) as error:
                self.log.warning("Left out: %s: %s", folder, error)
                continue
            latest = records.setdefault(record["username"], record)
            if record["timestamp"] > latest["timestamp"]:
                records[record["username"]] = record
        self.src_records = list(records.values())

    def do_copy(self, src, dest, log=None):
        """Copy the files below ``src`` to ``dest``, unless one has become a link meanwhile."""
        ignored = ignore_patterns(
            self.coursedir.ignore,
            self.coursedir.include,
            self.coursedir.max_file_size,
            self.log,
        )
        try:
            # By descriptors, so that what is looked at is what is copied.
            for folder, _, names, descriptor in os.fwalk(src):
                copies = Path(dest, os.path.relpath(folder, src))
                copies.mkdir()
                for name in set(names).difference(ignored(folder, names)):
                    (copies / name).write_bytes(_content(name, descriptor))
        except (OSError, ValueError) as error:
            self.log.warning("Left out: %s: %s", src, error)
            shutil.rmtree(dest, ignore_errors=True)

    def _refuse(self, folder, student):
        if not student or student.startswith("."):
            raise ValueError("expected a student's name")
        for path in (folder, *folder.rglob("*")):
            if path.is_symlink() or not (path.is_dir() or path.is_file()):
                raise ValueError(f"expected files and folders, got {path.name}")
            if path.is_file():
                path.open("rb").close()
        size, limit = self.get_size(folder), 1000 * self.coursedir.max_dir_size
        if size > limit:
            raise ValueError(f"expected at most {limit} bytes, got {size}")
        if self.check_owner:
            try:
                owner = folder.owner()
            except KeyError:  # a user that has gone
                owner = "nobody"
            if owner != student:
                raise ValueError(f"expected {student}'s own, got {owner}'s")


def _content(name, folder):
    """Return the bytes of a file in the folder with the descriptor ``folder``."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    with open(os.open(name, flags, dir_fd=folder), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError(f"expected a file, got {name}")
        return file.read()
