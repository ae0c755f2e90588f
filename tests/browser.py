"""A Chromium for the tests of the built book: found, or installed, or one clear line."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from playwright.sync_api import Browser, Page, sync_playwright

from press.browser import FLAGS, find


def install() -> str | None:
    """Install Playwright's Chromium, else Debian's package where we are root.

    The libraries that Chromium needs come along for root alone: to others Playwright
    would put sudo's question for a password.
    """
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    playwright = [sys.executable, "-m", "playwright", "install", "chromium"]
    attempts = [[*playwright, "--with-deps"] if root else playwright]
    if root and shutil.which("apt-get"):
        attempts.append(
            ["sh", "-c", "apt-get update -qq && apt-get install -y -qq chromium"]
        )
    for command in attempts:
        print("Installing a browser for the tests:", " ".join(command), flush=True)
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(command, timeout=600, stdin=subprocess.DEVNULL)
        if path := find():
            return path
    return None


def trouble(path: str) -> str | None:
    """Return why the browser at ``path`` does not start, in a line; None where it does."""
    try:
        process = subprocess.run([path, "--version"], capture_output=True, text=True)
    except OSError as error:
        return str(error)
    lines = (process.stderr or process.stdout).strip().splitlines()
    return (
        (lines or [f"exit status {process.returncode}"])[-1]
        if process.returncode
        else None
    )


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser; what its pages ask of the network is for the caller to refuse."""
    path = find()
    assert path, "expected a Chromium; run `make browser`"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class Reader:
    """A browser without a network that keeps what it was last shown.

    To open a page takes seconds, in a new window twice as many: the same page with the
    same options stays as it is, another one opens in the same window.
    """

    def __init__(self, browser: Browser):
        self.browser, self.troubles = browser, []
        self.page, self.address, self.options = None, None, None

    def open(self, address: str, **options) -> Page:
        """Open the page at ``address`` in a context with ``options``, as it was left."""
        if self.page is None or self.options != options:
            self.close()
            self.page, self.options = self._window(options), options
        if self.address != address:
            self.page.goto("about:blank")  # else a new position would load nothing
            self.page.goto(address)
            self.address = address
        return self.page

    def forget(self):
        """Load what is opened next anew: the page was changed, or led elsewhere."""
        self.address = None

    def close(self):
        if self.page:
            self.page.context.close()
        self.page = self.address = None

    def _window(self, options):
        context = self.browser.new_context(offline=True, **options)
        page = context.new_page()
        note = self.troubles.append
        page.on("request", lambda r: r.url.startswith("http") and note(r.url))
        page.on("pageerror", lambda error: note(str(error)))
        page.on("console", lambda m: m.type == "error" and note(m.text))
        return page


@contextmanager
def reading() -> Iterator[Reader]:
    """A reader for the tests of a folder, in a browser of its own."""
    with chromium() as browser:
        reader = Reader(browser)
        yield reader
        reader.close()


def main():
    """Find or install a browser, or end with the line that says what to do."""
    path = find() or install()
    if not path:
        sys.exit(
            "No Chromium found or installed. Install one and set CHROMIUM=/path/to/chromium."
        )
    if reason := trouble(path):
        sys.exit(
            f"{path} does not start: {reason}\nWhere libraries are missing, "
            f"sudo {sys.executable} -m playwright install-deps chromium\n"
            "installs them; or set CHROMIUM=/path/to/chromium."
        )
    print("Browser of the tests:", path)


if __name__ == "__main__":
    main()
