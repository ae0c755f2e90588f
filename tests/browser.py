"""A Chromium for the tests of the built book: found, or installed, or one clear line."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager, suppress
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
    """Playwright's Chromium, else Debian's package where we are root.

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
        if found := find():
            return found
    return None


def trouble(path):
    """Why the browser at ``path`` does not start, in a line; None where it does."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True)
    except OSError as error:
        return str(error)
    said = (done.stderr or done.stdout).strip().splitlines()
    return (said or [f"exit status {done.returncode}"])[-1] if done.returncode else None


# Of the figures in an element: the parts of their controls that lie over one another.
COVERED = """(root) => [...root.querySelectorAll("form")].flatMap((form) => {
  const all = [...form.querySelectorAll("span, input, select, output, button")];
  const boxes = all.map((each) => [each, each.getBoundingClientRect()]);
  return boxes.flatMap(([one, a], i) => boxes.slice(i + 1)
    .filter(([other, b]) => !one.contains(other) &&
      Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2)
    .map(([other]) => `${one.outerHTML} × ${other.outerHTML}`));
})"""


@contextmanager
def chromium():
    """A headless browser; what its pages ask of the network is for the caller to refuse."""
    path = find()
    assert path, "expected a Chromium; run `make browser`"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class Reader:
    """A browser that keeps the page which it was last shown: opening one takes seconds."""

    def __init__(self, browser):
        self.browser, self.troubles = browser, []
        self.page, self.shown = None, None

    def open(self, address, **options):
        if self.shown != (address, options):
            self.close()
            self.page, self.shown = self._open(address, options), (address, options)
        return self.page

    def close(self):
        if self.page:
            self.page.context.close()
        self.page = self.shown = None

    def _open(self, address, options):
        context, troubles = self.browser.new_context(**options), self.troubles
        # Without a choice of an earlier visit the theme complains of its own default.
        context.add_init_script("localStorage.mode ??= localStorage.theme ??= 'light'")
        context.route(re.compile("^(?!file:|data:|blob:)"), lambda route: route.abort())
        page = context.new_page()
        page.on(
            "request", lambda r: r.url.startswith("http") and troubles.append(r.url)
        )
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda m: m.type == "error" and troubles.append(m.text))
        page.goto(address)
        return page


def main():
    """Find or install a browser, or end with the line that says what to do."""
    path = find() or install()
    if not path:
        sys.exit(
            "No Chromium found or installed. Install one and set CHROMIUM=/path/to/chromium."
        )
    if why := trouble(path):
        sys.exit(
            f"{path} does not start: {why}\nWhere libraries are missing, "
            f"sudo {sys.executable} -m playwright install-deps chromium\n"
            "installs them; or set CHROMIUM=/path/to/chromium."
        )
    print("Browser of the tests:", path)


if __name__ == "__main__":
    main()
