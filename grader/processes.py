"""Separate processes for students' code, which leave nothing behind."""

import contextlib
import ctypes
import multiprocessing
import os
import shutil
import sys
import tempfile
import threading
import uuid
from pathlib import Path

import psutil

from grader import installers
from grader.jobs import Job, Step

KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "PYTHONPATH")
KEPT_VARIABLES += ("LD_LIBRARY_PATH", "SYSTEMROOT")
HOME_VARIABLES = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA")
TEMPORARY_VARIABLES = ("TMPDIR", "TEMP", "TMP")
# A process started from a server that has nbgrader loaded already saves three seconds.
PROCESSES = multiprocessing.get_context(
    "spawn" if sys.platform == "win32" else "forkserver"
)
_running, _starting, _stopped = set(), threading.Lock(), threading.Event()


class Stopped(Exception):
    """The job is not done, since ``stop`` has been called."""


class Processes:
    """The ``Runner`` of jobs.py for this computer alone."""

    def __init__(self, max_jobs: int):
        self.max_jobs = max_jobs

    def share(self, released: Path) -> None:
        """Do nothing: jobs read the folder directly."""

    def run(self, job: Job) -> str | None:
        """Run a job, see ``in_process``."""
        return in_process(job)

    def pace(self, left: int) -> str:
        """Return nothing: the lines printed show the speed."""
        return ""

    def close(self) -> None:
        """Do nothing: no process outlives its job."""


def in_process(job: Job) -> str | None:
    """Run a job in a separate process; return what went wrong, or None.

    The process runs in an empty folder, also its home, which is removed afterwards. Its
    environment holds none of the teacher's tokens, and installs nothing; its output goes to
    ``job.folder / "log.txt"``. When it ends, or after ``job.seconds``, everything that it
    has started is ended too.
    """
    log, token = job.folder / "log.txt", uuid.uuid4().hex
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        process = PROCESSES.Process(target=_work, args=(job, home, token, log))
        with _starting:  # or it would start behind the back of ``stop``
            if _stopped.is_set():
                raise Stopped
            process.start()
            _running.add(process)
        try:
            process.join(job.seconds)
            code = process.exitcode
        finally:
            _running.discard(process)
            _end(process, token)
    if _stopped.is_set():
        raise Stopped
    if code == 0:
        return None
    if code is None:
        return f"it took more than {job.seconds:.0f} s"
    if code < 0:
        return f"signal {-code} ended it; read the notebook before you run it again"
    return log.read_text("utf-8", errors="replace").strip().split("\n")[-1]


def prepare(*modules: str) -> None:
    """Preload what processes need, and these modules; call it before the first job."""
    _adopt()
    loaded = ["grader.nbgrader_steps", "matplotlib.font_manager"]
    # What nbgrader and nbconvert load when they come to need it: half a second.
    loaded += ["sqlalchemy.dialects.sqlite", "IPython.lib.lexers", "ipykernel"]
    loaded += ["pygments.lexers.python", "nbgrader.apps", "nbgrader.converters"]
    PROCESSES.set_forkserver_preload([*loaded, *modules])


def stop() -> None:
    """End all running jobs and start no more: each ``in_process`` raises Stopped."""
    with _starting:
        _stopped.set()
        for process in tuple(_running):
            process.kill()


def _adopt():
    """Adopt every descendant process that loses its parent, on Linux.

    So a process cannot escape by starting a session or changing its environment.
    """
    if sys.platform == "linux":
        PR_SET_CHILD_SUBREAPER = 36
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_with_parent():
    """Wait until the parent of this process is killed, then end it and its descendants.

    So the submission of a killed worker ends, before another worker takes it over.
    """
    multiprocessing.parent_process().join()
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            process.kill()
    os._exit(1)


def _end(work, token):
    """End a process and all its descendants.

    On Linux, ``_adopt`` has made all of them our children, and they are recognised by their
    session: our own helpers stay in ours, which nothing can enter from outside. Elsewhere
    they are recognised by the token in their environment.
    """
    work.kill()
    work.join()
    for _ in range(20):  # the children of those that end here are the next to be ours
        orphans = [p for p in psutil.process_iter() if _is_orphan(p, token)]
        for process in orphans:
            with contextlib.suppress(psutil.Error):
                process.kill()
        if not orphans:
            return
        psutil.wait_procs(orphans, timeout=1)


def _is_orphan(process, token):
    try:
        if sys.platform == "linux":
            in_our_session = os.getsid(process.pid) == os.getsid(0)
            return process.ppid() == os.getpid() and not in_our_session
        return process.environ().get("HOMEWORK_RUN") == token
    except (psutil.Error, OSError):
        return False


def _work(job, home, token, log):
    """Set up the new process, and run the job in it."""
    if hasattr(os, "setsid"):
        os.setsid()  # Ctrl-C is for the parent, which then ends this process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _adopt()  # as long as this process lives, what is started here stays below it
    with open(log, "a", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)  # the kernels write here too
        os.dup2(file.fileno(), 2)
    fonts, temporary = _copy_fonts(Path(home, ".matplotlib")), Path(home, "tmp")
    temporary.mkdir()
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    os.environ.clear()
    # No MPLBACKEND: a kernel chooses Jupyter's own, and the pages show the figures.
    os.environ.update(kept, HOMEWORK_RUN=token, OMP_NUM_THREADS="1")
    # Caches and settings lie below these; no other name is needed, as all are cleared.
    os.environ.update(
        dict.fromkeys(HOME_VARIABLES, home)
        | dict.fromkeys(TEMPORARY_VARIABLES, str(temporary))
    )
    os.environ.update(MPLCONFIGDIR=str(fonts), PYTHONDONTWRITEBYTECODE="1")
    os.environ.update(installers.write_substitutes(Path(home, ".installers")))
    os.chdir(home)
    from grader import nbgrader_steps  # here, as the parent has no need of nbgrader

    functions = {
        Step.RELEASE: nbgrader_steps.release,
        Step.GRADE: nbgrader_steps.grade,
        Step.FEEDBACK: nbgrader_steps.feedback,
    }
    functions[job.step](*job.arguments)


def _copy_fonts(folder):
    """Copy Matplotlib's list of fonts, which each kernel would take 0.6 s to make."""
    folder.mkdir()
    if matplotlib := sys.modules.get("matplotlib"):  # the server has loaded it
        for path in Path(matplotlib.get_cachedir()).glob("fontlist-*.json"):
            shutil.copy(path, folder)
    return folder
