"""What build and tests cost, by kind and chapter, and what follows for twenty chapters.

From the records of the last `make book` (jupyter-cache: seconds of a kernel, about its
CPU-seconds on a quiet machine) and the last `make test` (_build/tests.xml: CPU-seconds).
"""

import contextlib
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import psutil
from jupyter_cache import get_cache

from press import chapters

BUILD = chapters.ROOT / "_build"
KINDS = {  # a test's kind by the first of these that its name begins with
    "tests.pages": "pages",
    "tests.decks": "decks",
    "tests.homework": "homework",
    "tests.live": "JupyterLab",
    "tests.chapters": "own tests",
}
ONCE = {"JupyterLab"}  # a small notebook, however many chapters there are


def built(folder=BUILD / ".jupyter_cache"):
    """Seconds that each notebook took when it was last executed for the book."""
    records = [
        r for cache in folder.iterdir() for r in get_cache(cache).list_cache_records()
    ]
    records.sort(key=lambda record: record.created)
    last = {Path(r.uri).stem: r.data["execution_seconds"] for r in records}
    out = Counter()
    for name, seconds in last.items():
        out["build", chapter(name)] += seconds
    return dict(out)


class Meter:
    """CPU-seconds of this process and of all that it starts, however deep."""

    def __init__(self):
        self.seen = {}  # pid → its parent, seconds of its own, of those it has reaped

    def read(self):
        """CPU-seconds since the last reading."""
        before, self.seen, own = self.seen, {}, psutil.Process()
        for process in [own, *own.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                t = process.cpu_times()
                reaped = t.children_user + t.children_system
                self.seen[process.pid] = process.ppid(), t.user + t.system, reaped
        counted = Counter()  # of what has ended since, by who may have reaped it
        for pid in before.keys() - self.seen:
            parent, *seconds = before[pid]
            while parent in before and parent not in self.seen:
                parent = before[parent][0]
            counted[parent] += sum(seconds)
        total = 0.0
        for pid, (_, seconds, reaped) in self.seen.items():
            _, old, old_reaped = before.get(pid, (0, 0.0, 0.0))
            # A browser's processes are never reaped: then there is nothing to take off.
            total += seconds - old + max(0.0, reaped - old_reaped - counted[pid])
        return total


def tested(report=BUILD / "tests.xml"):
    """CPU-seconds of the tests by kind and chapter; what is of no chapter under ''."""
    out = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')} {case.get('name')}"
        kind = next((k for start, k in KINDS.items() if name.startswith(start)), "rest")
        slug = chapter(name)
        if kind == "own tests" and not slug:
            kind = "rest"
        cpu = case.find("properties/property[@name='cpu']")
        out[kind, "" if kind in ONCE else slug] += float(cpu.get("value"))
    return dict(out)


def chapter(name):
    """The slug of the chapter that a test or a file is about, or its errata; '' if none."""
    return next(
        (
            s
            for s in chapters.CHAPTERS
            if s in name or f"errata_{chapters.digits(s)}" in name
        ),
        "",
    )


def table(seconds, count=20, workers=2):
    """Rows of the table: a kind each, then all, then what follows for ``count`` chapters."""
    slugs = sorted({slug for _, slug in seconds if slug})
    rows = [["", *(chapters.digits(slug) for slug in slugs), "mean", "once"]]
    everything = Counter()
    for kind in sorted({kind for kind, _ in seconds}):
        each = [seconds.get((kind, slug), 0.0) for slug in slugs]
        once = seconds.get((kind, ""), 0.0)
        everything.update(dict(zip(slugs, each, strict=True)) | {"": once})
        rows.append([kind, *each, sum(each) / len(slugs), once])
    each = [everything[slug] for slug in slugs]
    mean, once = sum(each) / len(slugs), everything[""]
    rows.append(["all", *each, mean, once])
    for n in (len(slugs), count):
        minutes = (n * mean + once) / workers / 60
        rows.append([f"{n} chapters on {workers} cores: {minutes:.0f} min"])
    return rows
