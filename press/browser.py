"""A Chromium, for the handouts of the decks and for the tests: found, or None."""

import os
import shutil
import sys
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


def find() -> str | None:
    """Return the path of a Chromium: ``CHROMIUM``, PATH, Playwright's own; or None."""
    configured = os.environ.get("CHROMIUM")
    if configured:
        if not shutil.which(configured):
            sys.exit(f"CHROMIUM: expected the path of a browser, got {configured!r}")
        return configured
    for name in NAMES:
        if path := shutil.which(name):
            return path
    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
    return str(own) if own.exists() else None
