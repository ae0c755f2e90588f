"""How soon a page can be read, and whether it moves afterwards."""

import json

# Runs in the page before anything else: notes when the formulas that are on the screen
# stand typeset, where the target of the address stands then, and every later shift.
WATCH = """
const unset = (math) => {
  const box = math.getBoundingClientRect();
  return box.bottom > 0 && box.top < innerHeight && box.width > 0 &&
    math.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && // no fold
    (!math.querySelector("mjx-container") || math.querySelector("mjx-lazy"));
};
window.reading = { shift: 0, place: () => {
  const id = decodeURIComponent(location.hash.slice(1));
  return id && document.getElementById(id)?.getBoundingClientRect().top;
} };
const look = () => {
  const begun = document.querySelector("mjx-container") && document.fonts.status === "loaded";
  if (!begun || [...document.querySelectorAll(".math")].some(unset))
    return requestAnimationFrame(look);
  reading.ready = performance.now();
  requestAnimationFrame(() => requestAnimationFrame(() => { // once it is painted
    reading.top = reading.place();
    reading.painted = performance.now();
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (entry.startTime > reading.painted) reading.shift += entry.value;
    }).observe({ type: "layout-shift" });
  }));
};
requestAnimationFrame(look);
"""


def readiness(browser, path, anchor="", settle=3):
    """Return seconds until the screen is readable, and how far it moves in the seconds after.

    Returns ``ready`` in seconds, ``shift`` (the browser's layout shift score after that)
    and ``moved``, by how many pixels the anchor has moved.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(path.as_uri() + (f"#{anchor}" if anchor else ""))
    page.wait_for_function("window.reading?.ready", timeout=60_000)
    page.wait_for_timeout(1000 * settle)
    seen = json.loads(
        page.evaluate("JSON.stringify({...reading, now: reading.place()})")
    )
    context.close()
    moved = abs(seen["now"] - seen["top"]) if anchor else 0
    return {"ready": seen["ready"] / 1000, "shift": seen["shift"], "moved": moved}
