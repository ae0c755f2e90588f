"""Figures at the positions that links and addresses name: ``#name:control=value,…``."""

from urllib.parse import unquote

from playwright.sync_api import Page

# What the controls of a figure show, as an address names it: {"lr": "0.21", …}
STATE = """(figure) => {
  const { controls } = JSON.parse(figure.querySelector("script").textContent);
  const inputs = [...figure.querySelectorAll("input, select")];
  const index = (x) => x.type === "checkbox" ? +x.checked : x.selectedIndex ?? +x.value;
  const read = (which) => Object.fromEntries(
    controls.map(({ name, keys }, i) => [name, decodeURIComponent(keys[which(i)])]));
  return { at: read((i) => index(inputs[i])), start: read((i) => controls[i].default_index) };
}"""

# Of links to positions, clicked by a script, and of addresses, entered one after another:
# what does not lead its figure to where it says, with the reason.
ASTRAY = f"""async ([links, addresses]) => {{
  const state = {STATE};
  const all = [...document.querySelectorAll("figure.interact")];
  const data = new Map(all.map((figure) =>
    [figure, JSON.parse(figure.querySelector("script").textContent)]));
  const positions = (figure) => [...figure.querySelectorAll("input, select")].map((x) =>
    x.type === "checkbox" ? +x.checked : x.selectedIndex ?? +x.value);
  const showsItsPosition = (figure) => {{
    const {{ controls, bases, baseOf, frames }} = data.get(figure);
    const place = positions(figure).reduce((sum, k, i) => sum * controls[i].texts.length + k, 0);
    const [base, frame] = figure.querySelectorAll(".picture img");
    return frame.src.endsWith("," + frames[place]) &&
      base.src.endsWith("," + bases[baseOf[place]]);
  }};
  const wrong = (target) => {{
    const [, name, pairs] = target.match(/^#([^:]*):(.*)$/) ?? [];
    const figures = document.querySelectorAll(`figure.interact[data-name="${{name}}"]`);
    if (figures.length !== 1) return `${{figures.length}} figures`;
    const {{ at, start }} = state(figures[0]);
    const named = Object.fromEntries(
      pairs.split(",").map((pair) => pair.split("=").map(decodeURIComponent)));
    for (const name of Object.keys(named)) if (!(name in at)) return `no control ${{name}}`;
    for (const [name, value] of Object.entries({{ ...start, ...named }}))
      if (at[name] !== value && +at[name] !== +value) return `${{name}} is ${{at[name]}}`;
  }};
  const astray = [];
  const note = (target, reason) => reason && astray.push(`${{target}}: ${{reason}}`);
  for (const link of links ? document.querySelectorAll("a.position") : []) {{
    const target = link.getAttribute("href");
    const [figure] = target.slice(1).split(":");
    if (document.querySelector(`figure.alive[data-name="${{figure}}"]`)) continue; // test_alive.py
    const before = all.map((figure) => positions(figure).join());
    link.click();
    note(target, wrong(target));
    all.forEach((figure, i) => {{
      const moved = positions(figure).join() !== before[i];
      if (moved && `#${{figure.dataset.name}}` !== target.split(":")[0])
        note(target, `moves ${{figure.dataset.name}}`);
      if (!showsItsPosition(figure)) note(target, `${{figure.dataset.name}}: another picture`);
    }});
    if (decodeURIComponent(location.hash) !== decodeURIComponent(target))
      note(target, `the address is ${{location.hash}}`);
  }}
  for (const target of addresses) {{
    const led = new Promise((done) => addEventListener("hashchange", done, {{ once: true }}));
    const late = new Promise((done) => setTimeout(done, 5000));
    location.hash = target;
    await Promise.race([led, late]);
    note(target, wrong(target));
    if (!all.every(showsItsPosition)) note(target, "another picture");
    const figure = document.querySelector(`[data-name="${{target.slice(1).split(":")[0]}}"]`);
    let inside = false;
    for (let tries = 0; !inside && tries < 100; tries++) {{
      const {{ top, bottom }} = figure.querySelector("img").getBoundingClientRect();
      inside = top < innerHeight && bottom > 0;
      if (!inside) await new Promise((done) => setTimeout(done, 50));
    }}
    if (!inside) note(target, "it is not on the screen");
  }}
  return astray;
}}"""


def astray(page: Page, addresses: list[str], *, links: bool = False) -> list[str]:
    """Return which addresses, and which links of the page, do not lead to what they name."""
    return page.evaluate(ASTRAY, [links, addresses])


def farthest(page: Page) -> list[str]:
    """Return of each figure the address where each control is at its last value."""
    return page.evaluate(
        """() => [...document.querySelectorAll("figure.interact")].map((figure) => {
          const { controls } = JSON.parse(figure.querySelector("script").textContent);
          return `#${figure.dataset.name}:` +
            controls.map(({ name, keys }) => `${name}=${keys.at(-1)}`);
        })"""
    )


def assert_shown(page: Page, target: str):
    """Assert that a figure stands at an address, and on the screen.

    A control that the address does not name is at its default.
    """
    name, _, position = target.removeprefix("#").partition(":")
    (figure,) = page.query_selector_all(f"figure.interact[data-name='{name}']")
    settings = dict(pair.split("=") for pair in position.split(","))
    expected = figure.evaluate(STATE)["start"]
    expected |= {key: unquote(value) for key, value in settings.items()}
    page.wait_for_function(
        f"""([figure, wanted]) => {{
          const {{ top, bottom }} = figure.querySelector("img").getBoundingClientRect();
          return top < innerHeight && bottom > 0 && Object.entries(({STATE})(figure).at)
            .every(([name, value]) => wanted[name] === value || +wanted[name] === +value);
        }}""",
        arg=[figure, expected],
        timeout=5_000,
    )
