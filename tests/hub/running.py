"""The hub of hub/jupyterhub_config.py, started for a test on free ports of this computer."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

import psutil
import pytest

from tests.homework.assignments import FOLDERS, ROOT
from tests.homework.classroom import ASSIGNMENT
from tests.hub.client import COURSE, Person

PROXY = "configurable-http-proxy"
NODE = ROOT / "_build" / "node" / "node_modules" / ".bin"
SECONDS = 180  # that the hub may take to start, on a busy machine
STUDENT, STAFF = "a-password", "a-longer-password"
SECRETS = {
    "HUB_STUDENT_PASSWORD": STUDENT,
    "HUB_STAFF_PASSWORD": STAFF,
    "JPY_COOKIE_SECRET": "0123456789abcdef" * 4,
}
TEACHERS = {"lena": "instructor", "omar": "instructor", "mia": "marker"}


def need_proxy() -> None:
    """Skip the test with a sentence where there is no proxy: `make hub-test` installs it."""
    path = os.pathsep.join([str(NODE), os.environ.get("PATH", "")])
    if not shutil.which(PROXY, path=path):
        pytest.skip(
            f"The hub needs {PROXY}: install Node.js with npm, then `make proxy`."
        )


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return what the configuration of the hub reads, with a folder to write into."""
    variables = {k: v for k, v in os.environ.items() if k not in SECRETS}
    own = {"HUB_FOLDER": str(folder), "HUB_ALLOW_ROOT": "1", "OMP_NUM_THREADS": "1"}
    return variables | SECRETS | own | more


def command() -> list[str]:
    """Return the command of `make hub`."""
    config = str(ROOT / "hub" / "jupyterhub_config.py")
    return [sys.executable, "-m", "jupyterhub", "-f", config]


class Hub:
    """A hub that runs: its address, its folder, and who is in the course."""

    def __init__(self, address: str, folder: Path, process: psutil.Process):
        self.address, self.folder, self.process = address, folder, process

    def person(self, name: str) -> Person:
        """Log somebody of the course in by the form."""
        return Person(self.address, name, STAFF if name in TEACHERS else STUDENT)

    def server(self, name: str) -> psutil.Process:
        """Return the process of somebody's server."""
        for process in self.process.children(recursive=True):
            try:
                if process.environ().get("JUPYTERHUB_USER") == name:
                    return process
            except psutil.Error:
                continue
        raise AssertionError(f"expected a server of {name}, found none")


@contextmanager
def running(folder: Path, students: list[str]) -> Iterator[Hub]:
    """A hub with these students, until the end of the block; its log is in the folder."""
    need_proxy()
    lines = ["name,role", *(f"{name},{role}" for name, role in TEACHERS.items())]
    lines += [f"{name},student" for name in students]
    (folder / "people.csv").write_text("\n".join(lines))
    # In place of homework/source: nbgrader also reads what lies in the course's folder.
    source = f"c.CourseDirectory.source_directory = {str(FOLDERS[ASSIGNMENT].parent)!r}"
    (folder / "course").mkdir()
    (folder / "course" / "nbgrader_config.py").write_text(
        f"c = get_config()\n{source}\n"
    )
    pages = ROOT / "_build" / "html"  # of the book, if it has been built
    port = free_port()
    more = {"HUB_PEOPLE": str(folder / "people.csv"), "HUB_PORT": str(port)}
    # A shell that runs the tests in the background has them ignore what ends servers.
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    with (folder / "hub.log").open("w") as log:
        process = psutil.Popen(
            command(),
            env=environment(folder, **more),
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=heed,
        )
    hub = Hub(f"http://127.0.0.1:{port}", folder, process)
    try:
        _wait(hub, f"/services/{COURSE}/")
        if pages.exists():
            _wait(hub, "/services/book/")
        yield hub
    finally:
        below = process.children(recursive=True)
        process.terminate()
        process.wait(120)
        for child in psutil.wait_procs(below, timeout=20)[1]:
            child.kill()


def free_port() -> int:
    """Return a port of this computer that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait(hub, path):
    """Wait until something answers there."""
    opener, end = build_opener(ProxyHandler({})), time.monotonic() + SECONDS
    while True:
        try:
            return opener.open(hub.address + path, timeout=20)
        except (URLError, OSError) as error:
            log = (hub.folder / "hub.log").read_text(errors="replace")
            assert hub.process.is_running(), log
            assert hub.process.status() != psutil.STATUS_ZOMBIE, log
            assert time.monotonic() < end, f"{error}\n{log}"
            time.sleep(0.3)
