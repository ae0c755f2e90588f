"""What a worker of cluster.py does, and what it and the coordinator send each other."""

import hashlib
import multiprocessing
import platform
import tempfile
from functools import cache
from importlib.metadata import version
from pathlib import Path

from distributed import get_client

from grader.batch import PROGRAMS
from grader.handed_in import is_read
from grader.processes import in_process, prepare

DEATHS = 3  # workers that one submission may end
LOG_BYTES = 1_000_000  # of what a submission has printed, the end
_templates = {}  # the released assignments that this worker knows


class Refused(Exception):
    """A worker's edition is not ours, in words for the terminal."""


@cache
def edition() -> dict[str, str]:
    """What has to be the same wherever a class is graded."""
    digest = hashlib.sha256()
    for path in PROGRAMS:
        digest.update(path.read_bytes())
    return {
        "Python": platform.python_version(),
        "nbgrader": version("nbgrader"),
        "grader/*.py": digest.hexdigest()[:12],
    }


def mismatch(expected: dict, found: dict | Exception) -> str:
    """What was expected and what came: an edition, or an error where there is no grader."""
    if isinstance(found, dict):
        names = [name for name in expected if found.get(name) != expected[name]]
        wanted = ", ".join(f"{name} {expected[name]}" for name in names)
        return f"expected {wanted}; got " + ", ".join(str(found.get(n)) for n in names)
    wanted = ", ".join(f"{name} {value}" for name, value in expected.items())
    return f"expected {wanted}; got {type(found).__name__}: {found}"


def work(expected: dict, template: tuple, job: tuple) -> tuple[str | None, dict]:
    """Do the job in a process of its own, with its limits.

    Parameters
    ----------
    expected : dict
        The edition of the computer that asks.
    template : tuple
        Name of the released assignment, by which the scheduler has it, and path there.
    job : tuple
        Its name, task, path of the place, files by their path there, arguments, seconds.

    Returns
    -------
    str or None, dict
        What went wrong, and the files of the place.

    Raises
    ------
    Refused
        If the edition of this worker is another.
    """
    if (here := edition()) != expected:
        raise Refused(mismatch(expected, here))
    name, path = template
    if name not in _templates:
        _templates[name] = get_client().get_metadata(name)
    _prepare()
    job_name, task, place, sent, arguments, seconds = job
    # Whoever has begun and comes again has lost a worker, by its own doing or by chance.
    begun = get_client().get_metadata(["begun", job_name], 0)
    if begun == DEATHS:
        return f"{DEATHS} workers died while they ran it; read it first", {}
    get_client().set_metadata(["begun", job_name], begun + 1)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # Written anew each time, as an earlier submission may have found the way there.
        sent = sent | {path: _templates[name]}
        here = {
            there: unpack(content, Path(folder, str(number), there.name))
            for number, (there, content) in enumerate(sent.items())
        }
        swap = lambda a: here[a] if isinstance(a, Path) else a
        swapped = [
            [*map(swap, a)] if isinstance(a, list) else swap(a) for a in arguments
        ]
        error = in_process(task, here[place], *swapped, seconds=seconds)
        files = packed(here[place])
        if "log.txt" in files:
            files["log.txt"] = files["log.txt"][-LOG_BYTES:]
        return error, files


@cache
def _prepare():
    """Once a worker: it is a daemon of its nanny's, which Python allows no processes."""
    multiprocessing.current_process().daemon = False
    prepare()


def packed(path: Path) -> dict[str, bytes] | tuple[bytes, int] | None:
    """What a path holds, to be sent: a folder as a dict, a link as None."""
    if path.is_symlink():
        return None
    if path.is_dir():
        files = [p for p in path.rglob("*") if p.is_file() and not p.is_symlink()]
        return {str(p.relative_to(path)): p.read_bytes() for p in files}
    # Of what a student hands in only what may be read is sent, and none that is too long.
    return path.read_bytes() if is_read(path) else b"", path.stat().st_size


def unpack(content: dict | tuple | None, path: Path) -> Path:
    """Write what ``packed`` has read; the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is None:
        path.symlink_to("nowhere")
    elif isinstance(content, dict):
        path.mkdir()
        for name, data in content.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(data)
    else:
        data, size = content
        path.write_bytes(data)
        with path.open("r+b") as file:
            file.truncate(size)
    return path
