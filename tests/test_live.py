"""The chapters in a real JupyterLab: run all, drag a slider, the picture changes."""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

import pytest

from tests.browser import chromium
from tests.notebooks import BOOK, CHAPTERS

SETTINGS = {
    "notebook-extension/tracker": {
        "windowingMode": "none",  # every cell is on the page
        "autoStartDefaultKernel": True,
    },
    "apputils-extension/notification": {"fetchNews": "false"},
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("lab")) as url:
        yield url


@contextmanager
def serving(folder):
    """A JupyterLab on a copy of the chapters in ``folder``; yields its address."""
    shutil.copytree(BOOK, folder / "book")
    for name, content in SETTINGS.items():
        file = folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content))
    env = os.environ | {
        "BOOK_MODE": "live",
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port=0",
               "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True",
               f"--ServerApp.root_dir={folder / 'book'}"]  # fmt: skip
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(command, env=env, stdout=log, stderr=log)
        try:
            yield address(folder / "runtime", server)
        finally:
            server.terminate()
            server.wait(30)


def address(runtime, server, patience=60):
    for _ in range(patience * 4):
        time.sleep(0.25)
        assert server.poll() is None, "JupyterLab ended before it answered"
        for file in runtime.glob("jpserver-*.json"):
            url = json.loads(file.read_text())["url"]
            try:
                urllib.request.urlopen(f"{url}api", timeout=5).close()
                return url
            except OSError:
                continue
    raise AssertionError(f"JupyterLab did not answer within {patience} s")


def run_all(page, url, slug):
    page.goto(f"{url}lab/tree/{slug}.ipynb?reset")
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for(timeout=60_000)
    for _ in range(240):  # the menu asks for a kernel if it is used before there is one
        with urllib.request.urlopen(f"{url}api/kernels", timeout=5) as response:
            kernels = json.load(response)
        if any(k["execution_state"] == "idle" and k["connections"] for k in kernels):
            break
        page.wait_for_timeout(250)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_function(
        """() => {
          const prompts = [...document.querySelectorAll(".jp-CodeCell .jp-InputArea-prompt")];
          return prompts.length && prompts.every((p) => /\\[\\d+\\]/.test(p.textContent));
        }""",
        timeout=180_000,
    )


@pytest.mark.parametrize("slug", CHAPTERS)
def test_run_all_then_drag(lab, slug):
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        run_all(page, lab, slug)
        assert (
            page.locator("[data-mime-type='application/vnd.jupyter.error']").count()
            == 0
        )
        figures = page.locator(".jp-OutputArea-output .widget-vbox")
        assert figures.count() >= 4
        for i in range(figures.count()):
            figure = figures.nth(i)
            picture = figure.locator("img")
            before = picture.get_attribute("src")
            slider = figure.locator(".noUi-handle")
            if slider.count() == 0:
                continue
            slider.first.scroll_into_view_if_needed()
            slider.first.focus()
            forward = slider.first.get_attribute(
                "aria-valuenow"
            ) != slider.first.get_attribute("aria-valuemax")
            page.keyboard.press("ArrowRight" if forward else "ArrowLeft")
            page.wait_for_function(
                "([image, before]) => image.src !== before && image.naturalWidth > 0",
                arg=[picture.element_handle(), before],
                timeout=20_000,
            )
