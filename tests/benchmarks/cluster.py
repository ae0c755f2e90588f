"""A course of five hundred on a cluster: ``python -m tests.benchmarks.cluster``.

A class is drawn, right and wrong, and the command of ``make grade`` grades it: on real
workers, and on many that sleep instead (sleeping.py), all on this computer. A row tells

- seconds of the whole command, and submissions a minute, from the release of the
  assignment to the last feedback page;
- CPU-seconds of scheduler, coordinator (the command) and workers with all below them
  while the command runs, and how many cores were busy, with whatever else runs here;
- the most memory of scheduler, coordinator and one worker with its nanny and processes
  (resident MB, so what they share counts for each);
- how many have marks that are not due, or of those who sleep another's.

Compare them on a quiet machine only. CPU-seconds of workers are complete on Linux only.
"""

import argparse
import contextlib
import json
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import psutil
from distributed import Client

from grader.batch import files_by_student
from grader.jobs import Job, Step
from grader.processes import in_process, prepare
from tests.benchmarks import sleeping
from tests.homework import classroom
from tests.homework.assignments import FOLDERS, ROOT, answered
from tests.homework.classroom import ASSIGNMENT

ODD = (
    "=1+1 [x]", "finn-exits", "gina-crash", "hugo-loop", "jan-memory",
    "tina-tricks", "paul-half", "quin-pdf", "lola-link", "zack-generous",
)  # fmt: skip
HEAD = (
    "workers", "one takes (s)", "command (s)", "a minute", "scheduler (CPU-s)",
    "coordinator (CPU-s)", "workers (CPU-s)", "cores busy", "scheduler (MB)",
    "coordinator (MB)", "a worker (MB)", "wrong marks",
)  # fmt: skip
LOCAL = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0", "--host", "127.0.0.1")


def draw(released, number=500, seed=0):
    """Draw a class as ``a_class`` has it: a quarter of the answers wrong, and ten odd ones."""
    rng, odd = random.Random(seed), classroom.a_class(released)
    places = dict(zip(rng.sample(range(number), len(ODD)), ODD, strict=True))
    students, impatient = {}, f" {classroom.LIMITS.timeout} s"
    for index in range(number):
        if name := places.get(index):
            content, due, word = odd[name]
            word = word.replace(impatient, "")
        else:
            name, due, codes, word = "drawn", {}, dict(classroom.RIGHT), ""
            for task in classroom.FULL:
                if rng.random() < 1 / 4:
                    _, codes[task], due[task] = rng.choice(classroom.WRONG[task])
            content = json.dumps(answered(released, codes)).encode()
        students[f"{index:03d} {name}"] = content, due, word
    return students


def sample(folder):
    """Grade once and keep the result in ``folder/place``; return a notebook, seconds by step."""
    prepare()
    course, results = folder / "course", folder / "place"
    path = folder / "right.ipynb"
    course.mkdir()
    results.mkdir()
    _real(Step.RELEASE, course, FOLDERS[ASSIGNMENT], course)
    notebook = course / "release" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    released = nbformat.read(notebook, 4)
    nbformat.write(answered(released, classroom.RIGHT), path)
    took = {"grade": [], "feedback": []}
    for _ in range(3):
        took["grade"].append(
            _real(Step.GRADE, results, [path], ASSIGNMENT, course, results)
        )
        took["feedback"].append(_real(Step.FEEDBACK, results, ASSIGNMENT, results, {}))
    return released, {step: statistics.median(times) for step, times in took.items()}


def _real(step, folder, *arguments):
    start = time.monotonic()
    if error := in_process(Job(step, folder, arguments)):
        sys.exit(f"{step}: {error}")
    return time.monotonic() - start


@contextlib.contextmanager
def cluster(folder, number, **env):
    """Address, scheduler, and the process above so many workers, once all are there."""
    scheduler_file, started = folder / "scheduler.json", []

    def start(program, env, *arguments):
        command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *arguments]
        log = (folder / f"{program}.txt").open("w")
        env = os.environ | env
        started.append(psutil.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log))

    try:
        start(
            "scheduler", {}, "--scheduler-file", scheduler_file, "--port", "0", *LOCAL
        )
        while not scheduler_file.exists() or not scheduler_file.read_text().endswith(
            "}"
        ):
            assert started[0].poll() is None, (folder / "scheduler.txt").read_text()
            time.sleep(0.1)
        address = json.loads(scheduler_file.read_text())["address"]
        preload = ("--preload", "tests.benchmarks.sleeping") if env else ()
        start("worker", env, address, "--nworkers", str(number), "--nthreads", "1",
              "--memory-limit", "0", *LOCAL, *preload)  # fmt: skip
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(number, timeout=600)
        yield address, *started
    finally:
        for process in reversed(started):
            below = process.children(recursive=True)
            process.terminate()
            for one in psutil.wait_procs([process, *below], timeout=60)[1]:
                one.kill()


def usage(process, below=False):
    """Return CPU-seconds and resident MB of a process, with all below it or without."""
    seconds = size = 0
    for one in [process, *(process.children(recursive=True) if below else [])]:
        with contextlib.suppress(psutil.Error):
            seconds += sum(one.cpu_times()[: 4 if below else 2])  # 4: those that ended
            size += one.memory_info().rss / 1e6
    return seconds, size


def measured(folder, students, workers, one=0.0, **env):
    """Grade the class on so many workers: a row of the table."""
    (folder / "class").mkdir()
    for name, (content, _, _) in students.items():
        classroom.handed_in(folder / "class", name, content)
    if env:  # the marks of the sample, and whose it is
        submissions = files_by_student(folder / "class").items()
        students = {
            name: (None, {}, sleeping.digest(paths)) for name, paths in submissions
        }
    with cluster(folder, workers, **env) as (address, scheduler, above):
        watched = [(scheduler, False), (above, True)]
        before, start = [usage(*w)[0] for w in watched], time.time()
        psutil.cpu_percent()  # the next call tells of the time since this one
        command = classroom.grading(folder / "class")
        command["args"] += ["--cluster", address]
        with (folder / "output.txt").open("w") as command["stdout"]:
            run = psutil.Popen(**command)
        watched.append((run, False))
        used, peaks = [], [0] * 3
        while run.poll() is None:
            usages = [usage(*w) for w in watched]
            used = [seconds for seconds, _ in usages]
            peaks = [max(m, size) for m, (_, size) in zip(peaks, usages, strict=True)]
            time.sleep(0.5)
        took = time.time() - start
        busy = psutil.cpu_count() * psutil.cpu_percent() / 100
    assert run.returncode == 0, (folder / "output.txt").read_text()
    out = folder / "class-marks" / ASSIGNMENT
    pages = [page.stat().st_mtime for page in (out / "feedback").glob("*.html")]
    rate = 60 * len(pages) / (max(pages) - (out / "assignment/key").stat().st_mtime)
    if wrong := classroom.different_marks(folder / "class", students):
        print(wrong, file=sys.stderr)
    cpu = used[0] - before[0], used[2], used[1] - before[1]
    memory = peaks[0], peaks[2], peaks[1] / workers
    return (
        workers, f"{one:.2g}" if env else "real", f"{took:.0f}", f"{rate:.0f}",
        *(f"{x:.1f}" for x in (*cpu, busy)), *(f"{x:.0f}" for x in memory),
        len(wrong.splitlines()),
    )  # fmt: skip


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.cluster")
    parser.add_argument("--students", type=int, default=500)
    parser.add_argument("--real", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--sleeping", type=int, nargs="*", default=[16, 64])
    parser.add_argument(
        "--seconds",
        type=float,
        help="that a sleeping worker takes for a submission; default: as measured",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        released, took = sample(Path(folder))
        one = options.seconds or sum(took.values())
        took = {step: one * t / sum(took.values()) for step, t in took.items()}
        env = sleeping.QUIET | {sleeping.SAMPLE: f"{folder}/place"}
        env[sleeping.SECONDS] = json.dumps(took)
        students = draw(released, options.students)
        row = lambda *cells: print("|", *(f"{c} |" for c in cells), flush=True)
        row(*HEAD)
        row(*["--:"] * len(HEAD))
        runs = [(n, {}) for n in options.real] + [(n, env) for n in options.sleeping]
        for workers, sleeps in runs:
            with tempfile.TemporaryDirectory(dir=folder) as run_folder:
                row(*measured(Path(run_folder), students, workers, one, **sleeps))


if __name__ == "__main__":
    main()
