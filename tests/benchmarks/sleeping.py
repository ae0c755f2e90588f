"""A Dask worker that sleeps in place of grading, ``--preload`` of cluster.py.

Scheduler, coordinator and ``grader.worker.work`` are the real ones: files arrive, are
unpacked and sent back. Only the process in which a submission would run is not started;
what it leaves is copied from a sample, with a remark by which cluster.py knows it again.
"""

import hashlib
import json
import os
import random
import shutil
import time
from pathlib import Path

from grader import worker
from grader.jobs import Job, Step

SAMPLE, SECONDS = "SLEEPING_SAMPLE", "SLEEPING_SECONDS"  # variables, see cluster.py
SPREAD = 0.3  # a grading takes this much more or less
QUIET = {  # Dask watching itself takes 2.7 % of a core a worker, so 0.2: they share two
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
}


def digest(paths: list[Path]) -> str:
    """Return a name for the notebooks of a submission, as far as they travel to a worker."""
    hashed = hashlib.sha256()
    for path in paths:
        hashed.update(path.name.encode())
        if path.suffix == ".ipynb" and not path.is_symlink():
            hashed.update(path.read_bytes())
    return hashed.hexdigest()[:12]


def in_process(job: Job) -> None:
    """Do in place of ``grader.processes.in_process`` as long, and as many bytes."""
    sample, folder = Path(os.environ[SAMPLE]), job.folder
    if job.step == Step.GRADE:
        for path in sample.iterdir():
            if path.name != "feedback.html":
                shutil.copy(path, folder)
        result = json.loads((sample / "result.json").read_text("utf-8"))
        result["remarks"] = [digest(job.arguments[0])]
        (folder / "result.json").write_text(json.dumps(result), "utf-8")
    else:
        shutil.copy(sample / "feedback.html", folder)
    seed = job.step + (folder / "result.json").read_text("utf-8")
    spread = random.Random(seed).uniform(1 - SPREAD, 1 + SPREAD)
    time.sleep(json.loads(os.environ[SECONDS])[job.step] * spread)


def dask_setup(_) -> None:
    """Dask calls it in each worker."""
    worker.in_process = in_process
