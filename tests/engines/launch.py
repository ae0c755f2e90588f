"""The browsers besides Chromium: found and started, or said what is lacking."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Error, sync_playwright

from tests.engines import firefox

ENGINES = "firefox", "webkit"
NAMES = "firefox", "firefox-esr"
DEBIAN = (
    "apt-get update -qq && apt-get install -y -qq --no-install-recommends firefox-esr"
)


class Missing(Exception):
    """There is no such browser here, or it does not start."""


@contextmanager
def started(engine: str) -> Iterator[Browser]:
    """A headless browser of that engine: as its makers ship it, else Playwright's own."""
    path = shipped() if engine == "firefox" else None
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        kind = getattr(playwright, engine)
        if not path and not Path(kind.executable_path).exists():
            raise Missing(f"expected a {engine}, got none; {advice(engine)}")
        options = spoken_for(path, Path(folder)) if path else {}
        try:
            browser = kind.launch(**options)
        except Error as error:
            first_line = str(error).partition("\n")[0]
            message = f"expected a {engine} that starts"
            raise Missing(f"{message}, got {first_line!r}; {advice(engine)}") from error
        yield browser
        browser.close()


def shipped() -> str | None:
    """Return the path of a Firefox: ``FIREFOX``, or on PATH; None where there is none.

    On Windows none: what speaks for it is a script, and no program there.
    """
    configured = os.environ.get("FIREFOX")
    if configured and not shutil.which(configured):
        sys.exit(f"FIREFOX: expected the path of a browser, got {configured!r}")
    names = () if os.name == "nt" else filter(None, (configured, *NAMES))
    return next(filter(None, map(shutil.which, names)), None)


def spoken_for(path: str, folder: Path) -> dict:
    """Return options with which Playwright starts a Firefox as ``tests.engines.firefox`` says."""
    program = folder / "firefox"
    call = shlex.join([sys.executable, firefox.__file__, path])
    program.write_text(f'#!/bin/sh\nexec {call} "$@"\n', "utf-8")
    program.chmod(0o755)
    return {"executable_path": program, "channel": "moz-firefox"}


def own(engine: str) -> list[str]:
    """Return the command that installs Playwright's own browser."""
    return [sys.executable, "-m", "playwright", "install", engine]


def advice(engine: str) -> str:
    """Return how to get a browser: the end of an error."""
    alternative = " or set FIREFOX=/path/to/firefox" if engine == "firefox" else ""
    return f"try {shlex.join(own(engine))}{alternative}"


def install(engine: str) -> None:
    """Install a browser that is missing, if that can be had; Debian's where we are root."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    attempts = [[*own(engine), "--with-deps"] if is_root else own(engine)]
    if engine == "firefox" and is_root and shutil.which("apt-get"):
        attempts.insert(0, ["sh", "-c", DEBIAN])
    for command in attempts:
        try:
            with started(engine):
                return
        except Missing:
            print("Installing another browser for the tests:", *command, flush=True)
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(command, timeout=600, stdin=subprocess.DEVNULL)


def main() -> None:
    """Say which browsers there are, after an attempt to install those that are missing."""
    for engine in ENGINES:
        install(engine)
        try:
            with started(engine) as browser:
                print(f"{engine} {browser.version}")
        except Missing as error:
            print(error)


if __name__ == "__main__":
    main()
