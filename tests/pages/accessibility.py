"""axe on a page, where what is alike is examined once.

A long table is examined by the rows whose markup differs and every fiftieth of the
others, code by the first token of each class, and contrast once for each look: colour,
size and weight of a text and what lies beneath it. Nothing else decides about contrast,
and so a look that one page has shown need not be examined on the next, in either theme.
"""

import re

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.pages.scripts import WEAR

# Each formula as a word in its colour: its glyphs are pseudo-elements, which axe passes
# over, and what axe would look at instead is thousands of elements of hidden MathML.
FORMULAS = """(text) => {
  for (const formula of document.querySelectorAll("mjx-container")) {
    const word = document.createElement("span");
    word.textContent = text;
    word.style.lineHeight = 1;  // a formula's own is 0
    formula.replaceChildren(word);
  }
}"""

# Take out rows whose markup their table has shown, but for every fiftieth, and make a
# plain text of each token of code whose class has been shown at such a place.
SAMPLE = """async () => {
  await window.MathJax?.startup?.promise; // what it has yet to replace must not be removed
  const markup = (element) => element.tagName +
    [...element.attributes].filter(({ name }) => /^(class|style|role|aria-.*|scope)$/.test(name))
      .map(({ name, value }) => name + (name.startsWith("aria-label") ? "" : value)) +
    "(" + [...element.childNodes].map((node) => node.nodeType === 1 ? markup(node)
      : node.nodeType === 3 && node.data.trim() ? "text" : "").filter(Boolean) + ")";
  for (const body of document.querySelectorAll("article tbody")) {
    const shown = new Set();
    [...body.rows].forEach((row, i) => {
      for (const formula of row.querySelectorAll("mjx-container")) formula.before("text");
      const one = markup(row).replace(/MJX-CONTAINER.*?MJX-ASSISTIVE-MML[^)]*/g, "formula");
      for (const formula of row.querySelectorAll("mjx-container"))
        formula.previousSibling.remove();
      if (shown.has(one) && i % 50) row.remove();
      shown.add(one);
    });
  }
  const shown = new Set();
  for (const code of document.querySelectorAll("article pre")) {
    let place = "";
    for (let box = code; box.tagName !== "ARTICLE"; box = box.parentElement)
      place += box.tagName + box.className;
    for (const token of code.querySelectorAll("span")) {
      if (token.childElementCount) continue;
      const one = place + token.className + token.style.cssText;
      if (shown.has(one)) token.replaceWith(token.textContent);
      shown.add(one);
    }
  }
}"""

# Mark with data-look the first two texts of each look that is not known and empty what
# need not be examined, or axe would measure it all; the new looks, by number.
LOOKS = """(known) => {
  for (const [element, nodes] of window.emptied ?? []) element.replaceChildren(...nodes);
  window.emptied = [];
  for (const marked of document.querySelectorAll("[data-look]")) delete marked.dataset.look;
  const old = new Set(known), fresh = new Map();
  const clear = "rgba(0, 0, 0, 0),none,1,none,none,";
  const outermost = [];  // of what is alike
  const mark = (element, beneath) => {
    const style = getComputedStyle(element);
    const place = /absolute|fixed|sticky/.test(style.position) ? style.position : "";
    const own = [style.backgroundColor, style.backgroundImage, style.opacity,
                 style.filter, style.textShadow, place].join();
    const ground = own === clear ? beneath : beneath + " > " + own;
    const speaks = element.matches("input, select, textarea") ||
      [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    let alike = true;
    if (speaks && element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) {
      const look = [ground, style.color, style.fontSize, style.fontWeight].join(" | ");
      if (!old.has(look)) {
        const of = fresh.get(look) ?? { number: fresh.size, count: 0 };
        fresh.set(look, of);
        if (of.count++ < 2) {
          element.dataset.look = of.number;
          alike = false;
        }
      }
    }
    const inner = [...element.children].filter((child) => mark(child, ground));
    if (alike && inner.length === element.childElementCount) return true;
    outermost.push(...inner);
    return false;
  };
  if (mark(document.body, "")) return [];
  window.emptied = outermost.map((element) => [element, [...element.childNodes]]);
  for (const [element] of emptied) element.replaceChildren();
  return [...fresh.keys()];
}"""


def breaches(page: Page) -> list[tuple[str, str]]:
    """Return what breaks a rule of axe other than contrast: rule and beginning of the HTML."""
    return _run(page, rules={"color-contrast": {"enabled": False}})["violations"]


def pale(page: Page, theme: str, judged: set[str]) -> list[tuple[str, str]]:
    """Return what is too pale in a theme, of the looks that are not in ``judged``.

    ``known`` gains the looks that axe could judge.
    """
    page.evaluate(WEAR, theme)
    looks = page.evaluate(LOOKS, sorted(judged))
    if not looks:
        return []
    violations = _run(page, runOnly=["color-contrast"])
    unjudged = {
        int(number)
        for _, html in violations["incomplete"]
        for number in re.findall(r'data-look="(\d+)"', html)
    }
    judged |= {look for i, look in enumerate(looks) if i not in unjudged}
    return violations["violations"]


def _run(page, **options):
    kinds = ["violations", "incomplete"]
    options |= {"resultTypes": kinds, "preload": False}
    report = Axe().run(page, options=options).response
    return {
        kind: [(v["id"], x["html"][:300]) for v in report[kind] for x in v["nodes"]]
        for kind in kinds
    }
