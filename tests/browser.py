"""A Chromium for the tests of the built book: found, or installed, or one clear line."""

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
         "--disable-component-update", "--disable-sync", "--disable-quic"]  # fmt: skip


def find():
    """Path of a Chromium: ``CHROMIUM``, PATH, Playwright's own; None where there is none."""
    named = os.environ.get("CHROMIUM")
    if named:
        if not shutil.which(named):
            sys.exit(f"CHROMIUM: expected the path of a browser, got {named!r}")
        return named
    for name in NAMES:
        if found := shutil.which(name):
            return found
    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
    return str(own) if own.exists() else None


def install():
    """Playwright's Chromium, else Debian's package where we are root."""
    attempts = [
        [sys.executable, "-m", "playwright", "install", "--with-deps", "chromium"]
    ]
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        attempts.append(
            ["sh", "-c", "apt-get update -qq && apt-get install -y -qq chromium"]
        )
    for command in attempts:
        print("Installing a browser for the tests:", " ".join(command), flush=True)
        try:
            subprocess.run(
                command,
                timeout=600,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            continue
        if found := find():
            return found
    return None


@contextmanager
def chromium():
    """A headless browser; what its pages ask of the network is for the caller to refuse."""
    path = find()
    assert path, "expected a Chromium; run `make browser`"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


if __name__ == "__main__":
    browser = find() or install()
    if not browser:
        sys.exit(
            "No Chromium found or installed. Install one and set CHROMIUM=/path/to/chromium."
        )
    print("Browser of the tests:", browser)
