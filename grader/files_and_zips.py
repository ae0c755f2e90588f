"""The files that a student has handed in, those in a zip among them."""

import io
import os
import re
import stat
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

MAX_BYTES = 100_000_000  # of a file that is read, and of all in a zip
MAX_FILES = 1000  # in a zip
# What else than notebooks is read: zips, what a notebook imports and the pictures it shows.
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
READ_SUFFIXES = (".zip", ".json", ".txt", ".py", *PICTURES)
KINDS = {  # by their first bytes
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"PK\x03\x04": "a zip",
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"\x1f\x8b": "a gzip archive",
    b"\xd0\xcf\x11\xe0": "a document of Microsoft Office",
    b"<!doctype html": "a web page (HTML), such as the page of a login",
    b"<html": "a web page (HTML), such as the page of a login",
}


class NotGraded(Exception):
    """The reason why a submission gets no marks, for the column of remarks."""


@dataclass(frozen=True)
class File:
    """A file: its name as remarks show it, and its path or, within a zip, its bytes."""

    name: str
    path: Path | None = None
    data: bytes = b""

    def read(self) -> bytes:
        """Read all bytes; raises NotGraded where they are too many."""
        if self.size > MAX_BYTES:
            limit = f"expected less than {MAX_BYTES // 10**6} MB"
            hint = ": clear the outputs" if ".ipynb" in self.base.lower() else ""
            raise NotGraded(f"{limit}, got {self.size // 10**6}{hint}")
        return self.path.read_bytes() if self.path else self.data

    def start(self) -> bytes:
        """Return the first bytes, which tell the kind of file."""
        if not self.path:
            return self.data[:2000]
        with self.path.open("rb") as file:
            return file.read(2000)

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self.path.stat().st_size if self.path else len(self.data)

    @property
    def base(self) -> str:
        """The name without folders."""
        return PurePosixPath(self.name).name

    @property
    def folder(self) -> str:
        """The name of the folder that it is in."""
        return (self.path or PurePosixPath(self.name)).parent.name

    @property
    def suffix(self) -> str:
        """What the name ends with, in small letters."""
        return PurePosixPath(self.name).suffix.lower()

    @property
    def stem(self) -> str:
        """The name without folders and suffix."""
        return stem(self.base)


def stem(name: str) -> str:
    """Return a file's name without its suffix, or without ``.ipynb`` and all after it."""
    end = name.lower().rfind(".ipynb")
    return name[:end] if end > 0 else PurePosixPath(name).stem


def is_read(path: Path) -> bool:
    """Return whether the content of a file is read, or only its name."""
    has_known_name = (
        ".ipynb" in path.name.lower() or path.suffix.lower() in READ_SUFFIXES
    )
    return has_known_name and path.stat().st_size <= MAX_BYTES


def is_hidden(name: str) -> bool:
    """Return whether a file or folder is one that programs create, judging by its name."""
    return name.startswith((".", "__MACOSX")) or name in ("Thumbs.db", "desktop.ini")


def files(paths: Iterable[Path]) -> list[File]:
    """Return the files of a student, without links."""
    return [File(legible(path), path) for path in paths if not path.is_symlink()]


def legible(path: Path) -> str:
    """Return a file's name with a replacement sign for what is not UTF-8."""
    return os.fsencode(path.name).decode(errors="replace")


def kind(start: bytes) -> str | None:
    """Return what a file other than a notebook is, by its first bytes; None if unknown."""
    beginning = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:20]
    for signature, description in KINDS.items():
        if beginning.startswith(signature) or beginning.lower().startswith(signature):
            return description
    if re.search(rb"^# (In\[|%%)", start, re.M):
        return "a Python script, which has no cells"
    return None


def unpacked(file: File) -> list[File]:
    """Read the files in a zip, writing none of them, those in fewer folders first.

    Links are left out. Raises NotGraded if it is no zip, damaged, encrypted or too large, or
    a path leads out of it.
    """
    try:
        return list(_members(file))
    except NotGraded as reason:
        raise NotGraded(f"{file.name}: {reason}") from None
    except Exception as error:  # whatever zipfile meets in what a student has made
        raise NotGraded(
            f"{file.name}: expected a zip that opens, got {error}"
        ) from None


def _members(file):
    archive, bytes_left = zipfile.ZipFile(io.BytesIO(file.read())), MAX_BYTES
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > MAX_FILES:
        raise NotGraded(f"expected at most {MAX_FILES} files, got {len(members)}")
    path_of = lambda member: PurePosixPath(member.filename.replace("\\", "/"))
    order = lambda member: (len(path_of(member).parts), path_of(member))
    for member in sorted(members, key=order):
        path = path_of(member)
        is_outside = path.is_absolute() or re.fullmatch("[A-Za-z]:", path.parts[0])
        if is_outside or ".." in path.parts:
            raise NotGraded(f"expected paths within the zip, got {member.filename!r}")
        is_link = stat.S_ISLNK(member.external_attr >> 16)
        if is_link or any(map(is_hidden, path.parts)):
            continue
        if member.flag_bits & 1:
            raise NotGraded("expected a zip without a password")
        with archive.open(
            member
        ) as content:  # the size that the zip tells may be false
            data = content.read(bytes_left + 1)
        bytes_left -= len(data)
        if bytes_left < 0:
            raise NotGraded(f"expected less than {MAX_BYTES // 10**6} MB")
        yield File(f"{file.name}/{path}", data=data)


def is_zip(file: File) -> bool:
    """Return whether a file is a zip: by its name or, if called a notebook, by its content."""
    content_kind = kind(file.start())
    by_name = file.suffix == ".zip" and content_kind is None
    return by_name or (file.suffix in (".zip", ".ipynb") and content_kind == "a zip")
