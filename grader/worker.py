"""What a worker of cluster.py does, and what it and the coordinator exchange."""

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
_released = {}  # the released assignments that this worker knows


class Refused(Exception):
    """The worker's edition is not the coordinator's; the message is for the terminal."""


@dataclass(frozen=True)
class Parcel:
    """A job sent to a worker, with everything that it needs there."""

    name: str  # unique to this job
    job: Job  # with paths of the coordinator
    files: dict  # what each of these paths holds, see ``packed``
    released: Path  # the released assignment, also a path of the coordinator
    released_name: str  # under which the scheduler stores its files
    edition: dict  # the coordinator's


def work(parcel: Parcel) -> tuple[str | None, dict]:
    """Run the job in a separate process; return what went wrong, and its folder's files.

    Raises Refused if this worker has another edition.
    """
    if edition() != parcel.edition:
        raise Refused(mismatch(parcel.edition, edition()))
    if parcel.released_name not in _released:
        files = get_client().get_metadata(parcel.released_name)
        _released[parcel.released_name] = files
    _prepare()
    # A job that was begun before has lost its worker, by its own fault or by chance.
    attempts = get_client().get_metadata(["begun", parcel.name], 0)
    if attempts == DEATHS:
        return f"{DEATHS} workers died while they ran it; read it first", {}
    get_client().set_metadata(["begun", parcel.name], attempts + 1)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # Written anew each time, as an earlier submission may have changed the files.
        files = parcel.files | {parcel.released: _released[parcel.released_name]}
        paths = {
            path: unpack(content, Path(folder, str(number), path.name))
            for number, (path, content) in enumerate(files.items())
        }
        job_folder = paths[parcel.job.folder]
        arguments = tuple(_replaced(value, paths) for value in parcel.job.arguments)
        error = in_process(replace(parcel.job, folder=job_folder, arguments=arguments))
        results = packed(job_folder)
        if "log.txt" in results:
            results["log.txt"] = results["log.txt"][-LOG_BYTES:]
        return error, results


def _replaced(value, paths):
    """Return an argument with the worker's paths in place of the coordinator's."""
    if isinstance(value, list):
        return [_replaced(item, paths) for item in value]
    return paths[value] if isinstance(value, Path) else value


@cache
def _prepare():
    """Prepare a worker once: as its nanny's daemon, Python allows it no processes."""
    multiprocessing.current_process().daemon = False
    # A new process imports it, as the main program does.
    prepare("distributed.nanny")


def packed(path: Path) -> dict[str, bytes] | tuple[bytes, int] | None:
    """Return what a path holds, to be sent: a folder as a dict, a link as None."""
    if path.is_symlink():
        return None
    if path.is_dir():
        files = [p for p in path.rglob("*") if p.is_file() and not p.is_symlink()]
        return {str(p.relative_to(path)): p.read_bytes() for p in files}
    # Content that is never read, or is too long, is not sent.
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
