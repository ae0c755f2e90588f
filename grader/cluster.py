"""Submissions graded by workers of Dask, which share no disk with this computer.

What a worker needs travels with the task: the files of a student, or those in
``graded/STUDENT`` for the feedback page. What it has written comes back, and this computer
stores it where it would be without a cluster. So batch.py decides what is kept and what is
graded again, with a cluster or without; ``Cluster`` is only another ``Runner``, see jobs.py.

If a worker dies or is cut off, Dask hands its task to another one. Each worker records with
the scheduler what it begins, and a submission that has begun three times is not begun again:
it cannot end all workers. Dask's own count does not suffice, as it blames a death also on
the tasks that were waiting for that worker. So only as many submissions are sent as there
are workers, and one that Dask gives up is sent again.
"""

import hashlib
import signal
import sys
import threading
import uuid
from concurrent.futures import CancelledError
from pathlib import Path
from time import monotonic

from distributed import Client, KilledWorker, LocalCluster

from grader.edition import edition, mismatch
from grader.jobs import Job, Step
from grader.worker import Parcel, packed, work

GONE = "CLUSTER: the scheduler does not answer any more. The same command goes on."
ATTEMPTS = 5  # where a worker that should not be there has refused, or one has died


def local(jobs: int) -> LocalCluster:
    """Start a scheduler and workers that listen on this computer only."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # for the workers: it is ours
    try:
        return LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # None would still listen, and everywhere
            worker_dashboard_address="127.0.0.1:0",
            memory_limit=0,  # limits.py names one for each submission
            silence_logs="CRITICAL",
            scheduler_kwargs={"dashboard": False},
        )
    finally:
        signal.signal(signal.SIGINT, before)


class Cluster:
    """The ``Runner`` of jobs.py whose jobs are done by workers of Dask.

    ``address`` is the scheduler's, ``tcp://…`` or ``tls://…``, or ``local``, which starts
    one on this computer with ``jobs`` workers; another cluster uses all that it has.
    SystemExit if nothing answers in ``wait`` seconds, no worker joins, or one has another
    edition.
    """

    max_jobs = 256  # threads that wait here for a worker, of which more may join

    def __init__(self, address: str, jobs: int, wait: float = 60):
        self.local_cluster = None
        if address == "local":
            self.local_cluster = local(jobs)
        try:
            self.client = Client(
                self.local_cluster or address, timeout=wait, set_as_default=False
            )
        except (OSError, ValueError, TypeError) as error:  # TypeError: no certificates
            sys.exit(f"CLUSTER: no scheduler answers at {address!r}: {error}")
        self.turn, self.jobs_sent = threading.Condition(), 0
        self.workers, self.counted_at = 1, 0.0
        self.started_at, self.graded = monotonic(), 0
        try:
            self.client.wait_for_workers(1, timeout=wait)
        except TimeoutError:
            self.close()
            sys.exit(f"CLUSTER: no worker has come to {address} within {wait:.0f} s")
        if mismatches := self._mismatched_workers():
            self.close()
            sys.exit("\n".join(f"CLUSTER: {reason}" for reason in mismatches.values()))

    def share(self, released: Path) -> None:
        """Store the released assignment with the scheduler; each worker fetches it once."""
        files, self.released = packed(released), released
        self.released_name = hashlib.sha256(
            repr(sorted(files.items())).encode()
        ).hexdigest()
        self.client.set_metadata(self.released_name, files)

    def run(self, job: Job) -> str | None:
        """Send a job to a worker, and write the files that come back into ``job.folder``."""
        self._wait_for_turn(job)
        try:
            files = {path: packed(path) for path in self._paths(job)}
            error, results = self._ask(job, files)
            for name, content in results.items():
                if files[job.folder].get(name) != content and Path(name).name == name:
                    (job.folder / name).write_bytes(content)
            return error
        finally:
            with self.turn:
                self.jobs_sent -= 1
                self.graded += job.step == Step.GRADE
                self.turn.notify()

    def _paths(self, job):
        """List the paths of a job that travel with it."""
        lists = [a if isinstance(a, list) else [a] for a in job.arguments]
        paths = [p for values in lists for p in values if isinstance(p, Path)]
        return dict.fromkeys([job.folder, *(p for p in paths if p != self.released)])

    def pace(self, left: int) -> str:
        """Return the submissions per minute and the time for the remaining ones, in words."""
        if not self.graded:
            return ""
        rate = 60 * self.graded / (monotonic() - self.started_at)
        minutes = left / rate
        time = f"{minutes:.0f} min" if minutes > 2 else f"{60 * minutes:.0f} s"
        return f"{rate:.3g} a minute, {time} left"

    def close(self) -> None:
        """Disconnect, and end a cluster started by ``local``; waiting calls raise."""
        self.client.close()
        if self.local_cluster:
            self.local_cluster.close()

    def _ask(self, job, files):
        """Return a worker's error or None, and the files that it has written."""
        name, failure = uuid.uuid4().hex, ""
        parcel = Parcel(name, job, files, self.released, self.released_name, edition())
        for _ in range(ATTEMPTS):
            future = self.client.submit(
                work,
                parcel,
                key=f"{job.step}-{uuid.uuid4().hex}",
                # A submission begun is to be finished.
                priority=int(job.step == Step.FEEDBACK),
                pure=False,
            )
            try:
                return future.result()
            except KilledWorker:
                failure = "workers died while it waited for them"
            except CancelledError:  # or ``close`` has been called
                sys.exit(GONE)
            except Exception as error:  # Refused, or whatever another grader raises
                failure = f"{type(error).__name__}: {error}"
                for address, reason in self._mismatched_workers().items():
                    print(f"CLUSTER: sent away: {reason}", file=sys.stderr)
                    self.client.retire_workers([address])
        return f"no worker could do it: {failure}", {}

    def _wait_for_turn(self, job):
        with self.turn:
            while (
                job.step == Step.GRADE and self.jobs_sent >= self._number_of_workers()
            ):
                self.turn.wait(2)
            self.jobs_sent += 1

    def _number_of_workers(self):
        if monotonic() - self.counted_at > 2:
            self.counted_at = monotonic()
            try:
                self.workers = max(1, len(self.client.nthreads()))
            except OSError:
                sys.exit(GONE)
        return self.workers

    def _mismatched_workers(self):
        """Return the workers that must not grade: by address, the reason."""
        expected, mismatches = edition(), {}
        threads = self.client.nthreads()
        try:  # it reads the tasks, too
            actual = self.client.run_on_scheduler(edition)
        except OSError:
            sys.exit(GONE)
        except Exception as error:  # whatever another grader raises, or none
            actual = error
        if actual != expected:
            sys.exit(f"CLUSTER: {mismatch(expected, actual)} on the scheduler")
        for address, actual in self.client.run(edition, on_error="return").items():
            if actual != expected:
                mismatches[address] = (
                    f"{mismatch(expected, actual)} on worker {address}"
                )
            elif threads.get(address, 1) != 1:
                got = f"{threads[address]} threads on worker {address}"
                mismatches[address] = f"expected --nthreads 1, got {got}"
        return mismatches
