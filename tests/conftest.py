"""What all tests share: settings, and the order on several workers."""

import os
import re

import matplotlib
import pytest
from hypothesis import settings

from press.execution.pytest_plugin import restrict_kernels

matplotlib.use("agg")  # no window from the tests
restrict_kernels()  # the Pythons that a test starts, too

# The same examples in every CI run, so that a failure is a change's and can be repeated;
# new ones at every run of a reader, so that somebody finds what is left to find.
settings.register_profile("ci", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")

# What takes longest begins first, or one worker would be left alone with it at the end.
ORDER = ("homework", "hub", "build", "live", "pages", "chapters", "decks")
# The page or the deck that a test is about, by the last of its parameters.
PAGE = re.compile(r"tests/(?:(pages)/.*book/|(decks)/.*[\[-])(\w+)\]$")


def pytest_addoption(parser):
    parser.addoption(
        "--live-all",
        action="store_true",
        help="run every chapter in a real JupyterLab, not the small notebook alone",
    )
    parser.addoption(
        "--hub-all",
        action="store_true",
        help="have a class of thirty on the JupyterHub, not of three",
    )


@pytest.hookimpl(tryfirst=True)  # before -k selects among what is here
def pytest_collection_modifyitems(items):
    """All in groups, the longest first."""
    items.sort(key=rank)  # stable: within a group the order of the files


def rank(item: pytest.Item) -> tuple[int, str]:
    """Return where a test stands in the order: its room's place, then its group."""
    room = item.nodeid.split("/")[1]
    return ORDER.index(room) if room in ORDER else len(ORDER), group(item.nodeid)


def group(nodeid: str) -> str:
    """Name of the tests that one worker runs one after the other.

    All that is about one built page or one deck is a group, since it is opened once; so is
    every other file.
    """
    page = PAGE.match(nodeid)
    return (
        f"tests/{page[1] or page[2]} {page[3]}" if page else nodeid.partition("::")[0]
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Hand the groups to the workers; xdist's own groups are lost with pytest 9.2."""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return group(nodeid)

    config.option.loadscopereorder = False
    return ByGroup(config, log)


@pytest.fixture(scope="module")
def book(request):
    """The names that the define cells of the file's ``chapter`` define: a dictionary."""
    return request.module.chapter.namespace()


@pytest.fixture
def reader(shared_reader):
    """A reader of pages; what they ask of a network or complain of fails the test."""
    yield shared_reader
    troubles, shared_reader.troubles[:] = shared_reader.troubles[:], []
    assert not troubles
