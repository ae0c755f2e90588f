"""Settings of every test, in this process and in the kernels of the notebooks."""

import os
import re
from pathlib import Path

import matplotlib
import pytest
from hypothesis import settings

HERE = Path(__file__).parent

# No window from the tests; but kernels keep Jupyter's own backend, and so do draw.
matplotlib.use("agg")
os.environ.pop("MPLBACKEND", None)
os.environ["OMP_NUM_THREADS"] = "1"  # two workers share two cores
# A kernel starts with the site hook that refuses any connection beyond this machine …
os.environ["PYTHONPATH"] = os.pathsep.join(
    [
        str(HERE / "press" / "execution" / "offline"),
        str(HERE),  # press.figures
        *filter(None, [os.environ.get("PYTHONPATH")]),
    ]
)
# … and turns the warnings that mean wrong numbers into errors.
os.environ["PYTHONWARNINGS"] = ",".join(
    f"error:{message}:RuntimeWarning"
    for message in ("overflow encountered", "divide by zero", "invalid value")
)

# The same examples in every CI run, so that a failure is a change's and can be repeated;
# new ones at every run of a reader, so that somebody finds what is left to find.
settings.register_profile("ci", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")

# What takes longest begins first, or one worker would be left alone with it at the end.
ORDER = re.compile(
    r"(test_homework)|(test_live)|(test_build)|(\.ipynb)|(test_pages)|(test_\d\d_)|(test_slides)"
)
# The page or the deck that a test is about, by the last of its parameters.
PAGE = re.compile(r"test_(?:pages|slides)\.py::.*(?:book/|[\[-])(\w+)\]$")


def pytest_addoption(parser):
    parser.addoption(
        "--live-all",
        action="store_true",
        help="run every chapter in a real JupyterLab, not two of them",
    )


@pytest.hookimpl(tryfirst=True)  # before -k selects among what is here
def pytest_collection_modifyitems(items):
    """All in groups, the longest first."""
    items.sort(key=rank)  # stable: within a group the order of the file


def pytest_sessionstart(session):
    from tests.costs import Meter

    session.config.meter = Meter()


def pytest_collection_finish(session):
    session.config.meter.read()  # the first test does not answer for the collection


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """With each test's seconds go its CPU-seconds: `make bench` adds them up."""
    report = yield
    spent = item.config.meter.read()
    item.cpu = spent if call.when == "setup" else item.cpu + spent
    if call.when == "teardown":
        report.user_properties.append(("cpu", f"{item.cpu:.2f}"))
    return report


def rank(item):
    name = group(item.nodeid)
    found = ORDER.search(name)
    return found.lastindex if found else ORDER.groups + 1, name


def group(nodeid):
    """Name of the tests that one worker runs one after the other.

    A notebook is a group, since its cells need each other; so is a built page and so is
    a deck, each opened once; so is every other file.
    """
    file = nodeid.partition("::")[0]
    page = PAGE.search(nodeid)
    return f"{file} {page[1]}" if page else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Hand the groups to the workers; xdist's own groups are lost with pytest 9.2."""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return group(nodeid)

    config.option.loadscopereorder = False
    return ByGroup(config, log)
