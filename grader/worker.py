"""What a worker of cluster.py does, and what it and the coordinator send each other."""

import multiprocessing
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from distributed import get_client

from grader.edition import edition, mismatch
from grader.files_and_zips import is_read
from grader.jobs import Job
from grader.processes import in_process, prepare

DEATHS = 3  # workers that one submission may end
LOG_BYTES = 1_000_000  # of what a submission has printed, the end
_templates = {}  # the released assignments that this worker knows


class Refused(Exception):
    """A worker's edition is not ours, in words for the terminal."""


@dataclass(frozen=True)
class Parcel:
    """A job on its way to a worker, with all that it needs there.

    Parameters
    ----------
    name : str
        Of this job alone.
    job : Job
        With paths of the computer that asks.
    files : dict
        By each of these paths what it holds, see ``packed``.
    template : Path
        The released assignment, likewise a path of the computer that asks.
    template_name : str
        The name by which the scheduler has its files.
    edition : dict
        Of the computer that asks.
    """

    name: str
    job: Job
    files: dict
    template: Path
    template_name: str
    edition: dict


def work(parcel: Parcel) -> tuple[str | None, dict]:
    """Do the job in a process of its own, with its limits.

    Returns
    -------
    str or None, dict
        What went wrong, and the files of the job's place.

    Raises
    ------
    Refused
        If the edition of this worker is another.
    """
    if edition() != parcel.edition:
        raise Refused(mismatch(parcel.edition, edition()))
    if parcel.template_name not in _templates:
        files = get_client().get_metadata(parcel.template_name)
        _templates[parcel.template_name] = files
    _prepare()
    # Whoever has begun and comes again has lost a worker, by its own doing or by chance.
    begun = get_client().get_metadata(["begun", parcel.name], 0)
    if begun == DEATHS:
        return f"{DEATHS} workers died while they ran it; read it first", {}
    get_client().set_metadata(["begun", parcel.name], begun + 1)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # Written anew each time, as an earlier submission may have found the way there.
        files = parcel.files | {parcel.template: _templates[parcel.template_name]}
        paths = {
            path: unpack(content, Path(folder, str(number), path.name))
            for number, (path, content) in enumerate(files.items())
        }
        place = paths[parcel.job.place]
        arguments = tuple(_replaced(value, paths) for value in parcel.job.arguments)
        error = in_process(replace(parcel.job, place=place, arguments=arguments))
        results = packed(place)
        if "log.txt" in results:
            results["log.txt"] = results["log.txt"][-LOG_BYTES:]
        return error, results


def _replaced(value, paths):
    """Return an argument with the worker's paths in place of the asking computer's."""
    if isinstance(value, list):
        return [_replaced(item, paths) for item in value]
    return paths[value] if isinstance(value, Path) else value


@cache
def _prepare():
    """Once a worker: it is a daemon of its nanny's, which Python allows no processes."""
    multiprocessing.current_process().daemon = False
    prepare(
        "distributed.nanny"
    )  # which a new process imports, as the main program does


def packed(path: Path) -> dict[str, bytes] | tuple[bytes, int] | None:
    """Return what a path holds, to be sent: a folder as a dict, a link as None."""
    if path.is_symlink():
        return None
    if path.is_dir():
        files = [p for p in path.rglob("*") if p.is_file() and not p.is_symlink()]
        return {str(p.relative_to(path)): p.read_bytes() for p in files}
    # Of what a student hands in only what may be read is sent, and none that is too long.
    return path.read_bytes() if is_read(path) else b"", path.stat().st_size


def unpack(content: dict | tuple | None, path: Path) -> Path:
    """Write what ``packed`` has read, and return the path."""
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
