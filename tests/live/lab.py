"""A JupyterLab to test notebooks in, and how to use it."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request

import nbformat

from tests.chapter_code import BOOK

CONTROLS = [
    """import ipywidgets as widgets
import matplotlib.pyplot as plt
from utils.interact import interact


def plot(*values, style="-"):
    fig, ax = plt.subplots(figsize=(3, 2))
    ax.plot(values, style)
    ax.set(ylim=(-3, 3))
    return fig""",
    """@interact(slope=(-1.0, 2.0, 0.5), form={"line": "-", "dots": "o"}, zero=False)
def every(slope=1.0, form="-", zero=False):
    \"\"\"A line.\"\"\"
    return plot(int(zero), slope, style=form)""",
    """@interact(step=(0, 5), play="step")
def played(step=0):
    \"\"\"A line that turns with time.\"\"\"
    return plot(0, step / 2)""",
    """@interact(a=widgets.IntSlider(min=0, max=3, value=0))
def troubled(a=0):
    \"\"\"A line that cannot be drawn at two.\"\"\"
    if a == 2:
        raise ValueError("two is too much")
    return plot(0, a)""",
    """import numpy as np
from utils.alive import Drawing, Sentence, alive


def ink(digit, words, k):
    if not digit.any():
        raise ValueError("Nothing is drawn.")
    return {"ink": digit.sum(axis=0) * k * len(words)}


@alive(
    "probe",
    compute=ink,
    digit=Drawing(16, np.zeros((16, 16)) + np.eye(16)),
    words=Sentence(["a", "b"], "a b", 4),
    k=(1, 3),
)
def living(digit, words, k=1):
    \"\"\"The ink of a drawing.\"\"\"
    return plot(*ink(digit, words, k)["ink"] / 10)""",
]

SETTINGS = {
    "notebook-extension/tracker": {
        "windowingMode": "none",  # every cell is on the page
        "autoStartDefaultKernel": True,
    },
    "apputils-extension/notification": {"fetchNews": "false"},
}


@contextlib.contextmanager
def serving(folder):
    """A JupyterLab on a copy of the chapters in ``folder``; yields its address."""
    shutil.copytree(BOOK, folder / "book")
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in CONTROLS],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(notebook, folder / "book" / "controls.ipynb")
    for name, content in SETTINGS.items():
        file = folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content))
    env = os.environ | {
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
        with contextlib.suppress(
            urllib.error.HTTPError
        ):  # 500 while a kernel comes or goes
            with urllib.request.urlopen(f"{url}api/kernels", timeout=5) as response:
                kernels = json.load(response)
            if any(
                k["execution_state"] == "idle" and k["connections"] for k in kernels
            ):
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
