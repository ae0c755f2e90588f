"""What is measured and never asserted: `make bench` prints it.

Layers beside PyTorch's, sliders live and static, the run time of a chapter, the weight of
a page and when it can be read. Times are medians; compare them on a quiet machine only. A
cluster has a command of its own, see cluster.py.
"""

import importlib
import re
import statistics
import tempfile
import time
from pathlib import Path

import nbformat
import numpy as np
import torch
from nbclient import NotebookClient

from press import chapters
from tests.benchmarks.readiness import readiness
from tests.browser import chromium
from tests.chapter_code import BOOK, CHAPTERS, ChapterCode
from tests.live import lab
from tests.pages import built
from tests.pages.test_alive import cases as cases_of


def median_ms(function, repeat=31):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        function()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def row(*cells):
    print(
        "  "
        + "".join(
            f"{cell!s:<34}" if i == 0 else f"{cell!s:>14}"
            for i, cell in enumerate(cells)
        )
    )


def layers():
    """Functions of the pages beside PyTorch's on the same work."""
    # Freed at once: glibc then keeps what is freed, else page faults are timed as well.
    np.ones(3 * 2**20)
    print("\nFrom scratch beside PyTorch (ms; ratio > 1: ours is slower)")
    row("", "ours", "torch", "ratio")
    for slug in CHAPTERS:
        tests = importlib.import_module(f"tests.chapters.test_{slug}")
        if not hasattr(tests, "benchmarks"):
            continue
        for name, ours, theirs in tests.benchmarks(ChapterCode(slug).namespace()):
            a, b = median_ms(ours), median_ms(theirs)
            row(
                f"{chapters.digits(slug)} {name}",
                f"{a:.3f}",
                f"{b:.3f}",
                f"{a / b:.2f}",
            )


def run_times():
    print("\nRun time of a chapter, a fresh kernel, no slider moved (s)")
    for slug in CHAPTERS:
        notebook = nbformat.read(BOOK / f"{slug}.ipynb", 4)
        start = time.perf_counter()
        NotebookClient(
            notebook, timeout=300, resources={"metadata": {"path": str(BOOK)}}
        ).execute()
        row(slug, f"{time.perf_counter() - start:.1f}")


def pages():
    print(
        "\nWeight of a page (kB) and of its heaviest figure; a slider step on it (ms)"
    )
    row("", "page", "figure", "median", "slowest")
    with chromium() as browser:
        for name in built.CHAPTERS:
            html = (built.HTML / f"{name}.html").read_text()
            figures = re.findall(r'<figure class="interact".*?</figure>', html, re.S)
            page = browser.new_page()
            page.goto((built.HTML / f"{name}.html").as_uri())
            page.wait_for_load_state("networkidle")
            steps = [
                t
                for f in page.locator("figure.interact").all()
                for t in f.evaluate(STEP_TIMES)
            ]
            row(name, len(html) // 1000, max(map(len, figures)) // 1000,
                f"{statistics.median(steps):.1f}", f"{max(steps):.1f}")  # fmt: skip


def screens():
    print(
        "\nUntil the screen can be read (s), and what moves then (layout shift; pixels)"
    )
    row("", "top", "shift", "far down", "shift", "moved")
    with chromium() as browser:
        for name in built.CHAPTERS:
            path = built.HTML / f"{name}.html"
            # Where links lead: not what is folded, which sphinx-exercise names alike.
            ids = re.findall(r'<section id="((?!solution)[^"]+)">', path.read_text())
            far = ids[3 * len(ids) // 4]
            top = [readiness(browser, path) for _ in range(3)]
            down = [readiness(browser, path, far) for _ in range(3)]
            median = lambda runs, key: statistics.median(run[key] for run in runs)
            row(name, f"{median(top, 'ready'):.2f}", f"{median(top, 'shift'):.3f}",
                f"{median(down, 'ready'):.2f}", f"{median(down, 'shift'):.3f}",
                f"{median(down, 'moved'):.0f}")  # fmt: skip


# From the event of a slider to the next picture decoded and ready to be painted.
STEP_TIMES = """async (figure) => {
  const times = [];
  const image = figure.querySelector("img:last-of-type");
  for (const input of figure.querySelectorAll("input[type=range]")) {
    input.dispatchEvent(new Event("focus"));
    await new Promise((done) => setTimeout(done, 1500));
    for (let value = 0; value <= input.max; value++) {
      const start = performance.now();
      input.value = value;
      input.dispatchEvent(new Event("input"));
      await image.decode();
      times.push(performance.now() - start);
    }
  }
  return times;
}"""


def networks():
    print(
        "\nA network on a page (kB), and a step of its figure with a CPU a quarter as fast (ms)"
    )
    row("", "network", "computed", "median", "slowest")
    with chromium() as browser:
        for name in built.CHAPTERS:
            page = browser.new_page()
            page.goto((built.HTML / f"{name}.html").as_uri())
            slow = page.context.new_cdp_session(page)
            slow.send("Emulation.setCPUThrottlingRate", {"rate": 4})
            for figure in page.locator("figure.alive").all():
                figure.scroll_into_view_if_needed()
                figure.locator(".views").wait_for(timeout=60_000)
                address = figure.get_attribute("data-network").removeprefix("../")
                size = (built.HTML / address).stat().st_size // 1000
                start = figure.evaluate("(figure) => figure.texts()")
                cases = [case["inputs"] for case in cases_of(name, figure)]
                computed, steps = figure.evaluate(ALIVE_STEPS, [start, cases])
                row(f"{name} {figure.get_attribute('data-name')}", size,
                    f"{statistics.median(computed):.0f}",
                    f"{statistics.median(steps):.0f}", f"{max(steps):.0f}")  # fmt: skip
            page.close()


# What the program needs to compute a case, and a whole step from the new address to the
# picture ready to be painted.
ALIVE_STEPS = """async (figure, [start, cases]) => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const computed = [], steps = [];
  for (const inputs of cases) {
    let begun = performance.now();
    try { figure.compute(inputs); } catch { continue; }
    computed.push(performance.now() - begun);
    await frame();
    begun = performance.now();
    figure.show(inputs);
    document.body.offsetHeight;
    steps.push(performance.now() - begun);
    await frame();
  }
  figure.show(start);
  return [computed, steps];
}"""


def live(folder):
    print("\nLive in JupyterLab, from an arrow key to the new picture (ms)")
    row("", "median", "slowest", "steps")
    with lab.serving(folder) as url, chromium() as browser:
        for slug in CHAPTERS:
            page = browser.new_page(viewport={"width": 1400, "height": 1000})
            lab.run_all(page, url, slug)
            times = []
            for figure in page.locator(".jp-OutputArea-output .widget-vbox").all():
                times += live_steps(page, figure)
            row(
                slug, f"{statistics.median(times):.0f}", f"{max(times):.0f}", len(times)
            )
            page.close()


# From an arrow key on a slider to the new picture in the page, or null at its end.
LIVE_STEP = """([handle, image, key]) => new Promise((done) => {
  const start = performance.now();
  const seen = new MutationObserver(() => done(performance.now() - start));
  seen.observe(image, { attributes: true, attributeFilter: ["src"] });
  handle.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  setTimeout(done, 1500, null);
})"""


def live_steps(page, figure, count=6):
    slider = figure.locator(".noUi-handle")
    if slider.count() == 0:
        return []
    slider = slider.first.element_handle()
    picture = figure.locator("img").element_handle()
    keys = ("ArrowLeft",) * count + ("ArrowRight",) * count
    times = [page.evaluate(LIVE_STEP, [slider, picture, key]) for key in keys]
    return [t for t in times if t is not None]


if __name__ == "__main__":
    torch.set_num_threads(1)
    np.set_printoptions(precision=3)
    layers()
    run_times()
    pages()
    networks()
    screens()
    with tempfile.TemporaryDirectory() as folder:
        live(Path(folder))
