"""Grading on a cluster, without nbgrader; the real class: tests/evidence."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import psutil
import pytest
from distributed import Client, WorkerPlugin

import grader.edition
import grader.worker
from grader import worker
from grader.cluster import Cluster, local
from grader.files_and_zips import MAX_BYTES
from grader.jobs import Job, Step
from tests.homework.assignments import ROOT
from tests.homework.classroom import ASSIGNMENT, grading, marks, stamps

STUDENTS = {name: number for number, name in enumerate("abcdef", start=1)}
STUDENTS |= {"kills once": 7, "kills always": 8}


def command(folder, *more):
    """Run ``make grade`` without nbgrader to its end; return status and output."""
    diary = str(folder / "diary")
    call = grading(
        folder / "class",
        module="tests.homework.without_nbgrader",
        DIARY=diary,
        OMP_NUM_THREADS="1",
    )
    call["args"] += ["--jobs", "2", *more]
    process = subprocess.run(**call, timeout=200)
    return process.returncode, process.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A class, and an empty diary."""
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "diary").write_text("")
    (folder / "class").mkdir()
    for name, length in STUDENTS.items():
        (folder / "class" / f"{name}.ipynb").write_text("x" * length)
    return folder


@pytest.fixture(scope="module")
def graded(folder):
    """The folder once a local cluster has graded it, and what was printed."""
    status, output = command(folder, "--cluster", "local")
    assert status == 0, output
    return folder, output


@pytest.fixture(scope="module")
def workers():
    """Two workers, whose grader is this repository's."""
    with local(2) as cluster:
        yield cluster


def test_nobody_else_needs_dask():
    code = "import sys, grader.__main__; sys.exit('distributed' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_results_lie_where_they_do_without_a_cluster(graded):
    folder, output = graded
    out = folder / "class-marks" / ASSIGNMENT
    rows = marks(folder / "class")
    for name, length in STUDENTS.items():
        if name != "kills always":
            assert rows[name]["glu"] == str(length)
            files = {path.name for path in (out / "graded" / name).iterdir()}
            assert files >= {"result.json", "gradebook.db", "feedback.html", "log.txt"}
            assert "fed back" in (out / "feedback" / f"{name}.html").read_text()
    assert f"{len(STUDENTS)}/{len(STUDENTS)} graded, " in output
    assert " a minute, 0 s left" in output


def test_a_killed_workers_submission_is_graded_elsewhere_once(graded):
    folder, _ = graded
    diary = Counter((folder / "diary").read_text().splitlines())
    assert diary["kills once begun"] == 2 and diary["kills once ended"] == 1
    rows = marks(folder / "class")
    assert len(rows) == len(STUDENTS) and rows["kills once"]["sum"] == "7"


def test_who_kills_three_workers_kills_no_more(graded):
    folder, _ = graded
    diary = Counter((folder / "diary").read_text().splitlines())
    assert diary["kills always begun"] == 3
    row = marks(folder / "class")["kills always"]
    assert row["sum"] == "" and "3 workers died while they ran it" in row["remark"]


def test_the_same_command_goes_on(graded):
    """What was graded is kept; what ended the workers is tried again, if it is there."""
    folder, _ = graded
    (folder / "class" / "kills always.ipynb").unlink()
    (folder / "class" / "new.ipynb").write_text("x" * 9)
    before = stamps(folder / "class-marks" / ASSIGNMENT / "graded")
    status, output = command(folder, "--cluster", "local")
    after = stamps(folder / "class-marks" / ASSIGNMENT / "graded")
    assert status == 0 and before.items() <= after.items(), output
    assert [path.parent.name for path in after.keys() - before.keys()] == ["new"]


def pretend(edition, dask_worker):
    """On a worker: grade without nbgrader, with this edition."""

    def in_process(job):
        (job.folder / "result.json").write_text(json.dumps(str(dask_worker.address)))

    worker.in_process = in_process
    worker.edition = grader.edition.edition = lambda: edition


def test_a_worker_with_another_grader_is_refused(folder, workers):
    ours, graded = worker.edition(), folder / "class-marks" / ASSIGNMENT / "graded"
    before = stamps(graded)
    with Client(workers.scheduler_address, set_as_default=False) as client:
        client.run(pretend, ours | {"grader/*.py": "another"})
        try:
            status, output = command(folder, "--cluster", workers.scheduler_address)
        finally:
            client.run(pretend, ours)
    assert status == 1
    assert "CLUSTER: expected grader/*.py" in output
    assert "; got another on worker tcp://" in output
    assert stamps(graded) == before


def test_a_stranger_that_joins_later_is_sent_away(workers, tmp_path, capsys):
    (tmp_path / "released").mkdir()
    cluster = Cluster(workers.scheduler_address, 1)
    cluster.share(tmp_path / "released")
    edition = worker.edition()
    try:
        first, second = cluster.client.nthreads()
        for address, python in [(first, edition["Python"]), (second, "3.0")]:
            other_edition = edition | {"Python": python}
            cluster.client.run(pretend, other_edition, workers=[address])
        for number in range(4):
            folder = tmp_path / str(number)
            folder.mkdir()
            assert cluster.run(Job(Step.GRADE, folder, ([], "name", folder))) is None
            assert json.loads((folder / "result.json").read_text()) == first
    finally:
        cluster.close()
    expected = f"expected Python {edition['Python']}; got 3.0 on worker {second}"
    assert f"CLUSTER: sent away: {expected}" in capsys.readouterr().err


class Deadly(WorkerPlugin):
    """On each worker, those that come later too: "kills" ends it, all others are marked."""

    def setup(self, worker):
        grader.worker.in_process = self.in_process

    @staticmethod
    def in_process(job):
        if "kills" in job.folder.name:
            # Dask starts no worker again that ends as soon as it is there.
            time.sleep(1)
            psutil.Process().kill()
        (job.folder / "result.json").write_text(json.dumps(job.folder.name))


def test_who_waits_for_a_worker_that_is_killed_is_not_to_blame(tmp_path):
    """Both are sent to one worker, by a scheduler that gives up at the first death."""
    (tmp_path / "released").mkdir()
    names = ["kills", "waits"]
    with local(1) as only:
        only.scheduler.allowed_failures = 0
        cluster = Cluster(only.scheduler_address, 1)
        cluster.share(tmp_path / "released")
        cluster.client.register_plugin(Deadly())
        cluster.workers, cluster.counted_at = len(names), float("inf")
        with ThreadPoolExecutor(len(names)) as pool:
            futures = {}
            for name in names:
                (tmp_path / name).mkdir()
                futures[name] = pool.submit(
                    cluster.run, Job(Step.GRADE, tmp_path / name)
                )
                time.sleep(0.1)
            try:
                answers = {name: futures[name].result(timeout=300) for name in names}
            finally:
                cluster.close()
    blamed = "3 workers died while they ran it; read it first"
    assert answers == {"kills": blamed, "waits": None}
    assert json.loads((tmp_path / "waits" / "result.json").read_text()) == "waits"


def remembers(diary):
    """On a worker: note who begins what, and grade nothing."""

    def in_process(job):
        name = job.folder.name
        with open(diary, "a") as file:
            print(name, "begun by", os.getpid(), file=file, flush=True)
            time.sleep(0.5)
        (job.folder / "result.json").write_text(json.dumps(name))

    worker.in_process = in_process


def test_a_worker_that_is_cut_off_and_comes_back_counts_once(tmp_path):
    """Frozen, it answers nobody, as behind a network that is down."""
    diary, names = tmp_path / "diary", "abcd"
    (tmp_path / "released").mkdir()
    diary.write_text("")
    for name in names:
        (tmp_path / name).mkdir()
    with local(1) as local_cluster:
        call = [sys.executable, "-m", "distributed.cli.dask_worker"]
        call += [local_cluster.scheduler_address, "--nthreads", "1", "--no-nanny"]
        call += ["--memory-limit", "0", "--no-dashboard", "--host", "127.0.0.1"]
        call += ["--dashboard-address", "127.0.0.1:0", "--death-timeout", "5"]
        frozen = psutil.Popen(call, cwd=ROOT, stderr=subprocess.DEVNULL)
        cluster = Cluster(local_cluster.scheduler_address, 1)
        cluster.share(tmp_path / "released")
        try:
            cluster.client.wait_for_workers(2, timeout=60)
            cluster.client.run(remembers, str(diary))
            one = lambda name: cluster.run(Job(Step.GRADE, tmp_path / name))
            with ThreadPoolExecutor(len(names)) as pool:
                futures = [pool.submit(one, name) for name in names]
                while f"begun by {frozen.pid}\n" not in diary.read_text():
                    time.sleep(0.05)
                frozen.suspend()
                time.sleep(6)  # the least that a scheduler waits for is five seconds
                local_cluster.scheduler.worker_ttl = 1  # by default five minutes
                local_cluster.sync(local_cluster.scheduler.check_worker_ttl)
                assert [task.result(timeout=60) for task in futures] == [None] * len(
                    names
                )
            results = list(tmp_path.glob("*/result.json"))
            before = {path: path.stat().st_mtime_ns for path in results}
            frozen.resume()
            frozen.wait(60)  # it learns that it has been given up
            assert before == {path: path.stat().st_mtime_ns for path in results}
        finally:
            cluster.close()
            with suppress(psutil.NoSuchProcess):
                frozen.kill()
    begun = Counter(line[0] for line in diary.read_text().splitlines())
    assert sorted(begun.values()) == [1, 1, 1, 2]
    for name in names:
        assert json.loads((tmp_path / name / "result.json").read_text()) == name


def test_nothing_listens_beyond_this_computer(workers):
    this = psutil.Process()
    sockets = [c for p in [this, *this.children(True)] for c in p.net_connections()]
    heard = {c.laddr.ip for c in sockets if c.status == psutil.CONN_LISTEN}
    assert heard == {"127.0.0.1"}


def test_nobody_waits_for_a_scheduler_that_is_not_there():
    with pytest.raises(
        SystemExit, match=r"no scheduler answers at 'tcp://127.0.0.1:9'"
    ):
        Cluster("tcp://127.0.0.1:9", 1, wait=1)


def test_what_is_sent_arrives(tmp_path):
    """Links as links, and of files no more than the grader reads."""
    received, sent = tmp_path / "there", tmp_path / "here"
    (received / "deep").mkdir(parents=True)
    (received / "deep" / "a.ipynb").write_bytes(b"notebook")
    (received / "long.pdf").write_bytes(b"%PDF" * 1000)
    (received / "link.ipynb").symlink_to("deep/a.ipynb")
    with (received / "huge.ipynb").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    for path in received.iterdir():
        worker.unpack(worker.packed(path), sent / path.name)
    link = sent / "link.ipynb"
    assert link.is_symlink() and not link.exists()
    assert (sent / "deep" / "a.ipynb").read_bytes() == b"notebook"
    assert worker.packed(received / "long.pdf") == (b"", 4000)
    assert worker.packed(received / "huge.ipynb") == (b"", MAX_BYTES + 1)
    assert (sent / "huge.ipynb").stat().st_size == MAX_BYTES + 1
