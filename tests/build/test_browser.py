"""The browser of the tests: found, or installed without an unseen question, or one clear line."""

import os
import stat
import subprocess
import sys

import pytest

from tests import browser


@pytest.fixture
def commands(monkeypatch):
    """What an installation would run, with its options; nothing is run, nothing found."""
    ran = []
    monkeypatch.setattr(subprocess, "run", lambda *a, **k: ran.append((a[0], k)))
    monkeypatch.setattr(browser, "find", lambda: None)
    monkeypatch.setattr(browser.shutil, "which", lambda name: f"/usr/bin/{name}")
    return ran


@pytest.mark.parametrize(("user", "attempts"), [(1000, 1), (0, 2)])
def test_only_root_installs_for_the_system(commands, monkeypatch, user, attempts):
    monkeypatch.setattr(os, "geteuid", lambda: user, raising=False)
    assert browser.install() is None
    assert len(commands) == attempts
    for command, options in commands:
        system = "--with-deps" in command or "apt-get" in " ".join(command)
        assert system == (user == 0), command
        # What it says is seen, and it cannot wait for an answer.
        assert {"stdout", "stderr", "capture_output"}.isdisjoint(options)
        assert options["stdin"] == subprocess.DEVNULL


def test_an_installation_that_hangs_is_given_up(commands, monkeypatch):
    def hang(command, timeout, **options):
        commands.append(command)
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(subprocess, "run", hang)
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    assert browser.install() is None and len(commands) == 2


def test_a_machine_without_a_browser_gets_one_line(monkeypatch):
    monkeypatch.setattr(browser, "find", lambda: None)
    monkeypatch.setattr(browser, "install", lambda: None)
    with pytest.raises(SystemExit, match="set CHROMIUM=/path/to/chromium"):
        browser.main()


@pytest.mark.skipif(os.name == "nt", reason="a script is no program there")
def test_a_browser_without_its_libraries_is_named(monkeypatch, tmp_path):
    path = tmp_path / "chromium"
    path.write_text("#!/bin/sh\necho 'libnss3.so: cannot open' >&2\nexit 127\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(browser, "find", lambda: str(path))
    with pytest.raises(SystemExit, match=r"libnss3.*\n.*install-deps chromium"):
        browser.main()


def test_a_browser_that_starts_is_no_trouble():
    assert browser.trouble(sys.executable) is None
    assert "No such file" in browser.trouble("/nowhere/chromium")
