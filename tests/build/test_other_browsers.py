"""Which browsers are found, what is said of one that is not, and what an older one is spared."""

import asyncio
import json
import sys

import pytest
from playwright.sync_api import sync_playwright

from tests.engines import firefox, launch


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """A computer without any of the browsers."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.delenv("FIREFOX", raising=False)


@pytest.mark.parametrize("engine", launch.ENGINES)
def test_a_browser_that_is_missing_is_named_with_what_may_help(nowhere, engine):
    message = f"expected a {engine}, got none; try .*playwright install {engine}"
    with pytest.raises(launch.Missing, match=message), launch.started(engine):
        pass


def test_a_firefox_that_does_not_start_is_missing(nowhere, monkeypatch, tmp_path):
    program = tmp_path / "firefox"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("FIREFOX", str(program))
    message = "expected a firefox that starts, got .*FIREFOX=/path/to/firefox"
    with pytest.raises(launch.Missing, match=message), launch.started("firefox"):
        pass
    with sync_playwright():  # nothing is left open
        pass


def test_a_named_firefox_that_is_none_ends_the_tests(nowhere, monkeypatch):
    monkeypatch.setenv("FIREFOX", "/nowhere/firefox")
    with pytest.raises(SystemExit, match="FIREFOX: expected the path of a browser"):
        launch.shipped()


def test_what_is_installed_can_be_refused_and_nothing_fails(
    nowhere, monkeypatch, capsys
):
    ran = []
    monkeypatch.setattr(launch.subprocess, "run", lambda *a, **k: ran.append(a[0]))
    launch.main()
    assert {command[-1] for command in ran} <= {*launch.ENGINES, "--with-deps"}
    output = capsys.readouterr().out
    assert "expected a firefox" in output and "expected a webkit" in output


UNKNOWN = {"type": "error", "id": 7, "error": "unknown command", "stacktrace": ""}


@pytest.mark.parametrize(
    ("message", "spared"),
    [
        (UNKNOWN | {"message": firefox.SPARED}, True),
        (UNKNOWN | {"message": "script.evaluate"}, False),
        (
            {"type": "error", "id": 7, "error": "invalid argument", "message": "x"},
            False,
        ),
        ({"type": "success", "id": 7, "result": {"value": "unknown command"}}, False),
    ],
)
def test_of_an_older_firefox_one_error_is_taken_for_done(message, spared):
    success = {"type": "success", "id": 7, "result": {}}
    assert json.loads(firefox.spared(json.dumps(message))) == (
        success if spared else message
    )


def test_what_firefox_says_reaches_playwright_with_another_address(capfd):
    speaks = (
        "import sys; print('WebDriver BiDi listening on ws://x:1', file=sys.stderr)"
    )
    assert asyncio.run(firefox.main(sys.executable, "-c", speaks)) == 0
    errors = capfd.readouterr().err
    assert firefox.LISTENS.search(errors)[2].startswith("ws://127.0.0.1:")
