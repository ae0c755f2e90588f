"""What tests evaluate in a page: how a figure looks, what is covered or cut."""

# The picture as it is seen, the frame over its base, as a number that tells pictures apart.
PICTURE = """async (figure) => {
  const images = [...figure.querySelectorAll("img")];
  await null; // Firefox decodes the last picture if it has not yet begun to load this one
  while (!images.every((image) => image.complete)) await new Promise((done) => setTimeout(done));
  await Promise.all(images.map((image) => image.decode()));
  const [width, height] = [images[0].naturalWidth >> 1, images[0].naturalHeight >> 1];
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  for (const image of images) context.drawImage(image, 0, 0, width, height);
  let hash = 2166136261;
  for (const pixel of new Uint32Array(context.getImageData(0, 0, width, height).data.buffer))
    hash = Math.imul(hash ^ pixel, 16777619);
  return hash;
}"""
DESCRIPTION = "(figure) => [...figure.querySelectorAll('img')].at(-1).alt"

# From the defaults each control of a figure moved in turn through its positions, the last
# of which it keeps: its number of positions, of pictures and of descriptions seen.
MOVES = f"""async (figure) => {{
  const look = {PICTURE}, say = {DESCRIPTION}, found = [];
  const {{ controls }} = JSON.parse(figure.querySelector("script").textContent);
  const inputs = [...figure.querySelectorAll("input, select")];
  const put = (input, i) => {{
    if (input.type === "checkbox") input.checked = Boolean(i);
    else if (input.type === "range") input.value = i;
    else input.selectedIndex = i;
  }};
  inputs.forEach((input, k) => put(input, controls[k].default_index));
  for (const [k, input] of inputs.entries()) {{
    const count = controls[k].texts.length;
    const pictures = new Set(), descriptions = new Set();
    for (let i = 0; i < count; i++) {{
      put(input, i);
      input.dispatchEvent(new Event("input", {{ bubbles: true }}));
      pictures.add(await look(figure));
      descriptions.add(say(figure));
    }}
    found.push({{ count, pictures: pictures.size, descriptions: descriptions.size }});
  }}
  return found;
}}"""

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

# Pictures that reach beyond the screen or beyond a box that clips what it holds.
CUT = """() => [...document.querySelectorAll("figure.interact img, .cell_output img")]
  .filter((image) => image.offsetParent)
  .filter((image) => {
    const { left, right } = image.getBoundingClientRect();
    const outside = (from, to) => left < from - 0.5 || right > to + 0.5;
    if (outside(0, document.documentElement.clientWidth)) return true;
    for (let box = image.parentElement; box; box = box.parentElement) {
      const from = box.getBoundingClientRect().left + box.clientLeft;
      if (getComputedStyle(box).overflowX !== "visible" &&
          outside(from, from + box.clientWidth)) return true;
    }
  })
  .map((image) => image.alt)"""

# Another theme, once the colours have arrived: a button fades into them. Not for ever: on a
# busy machine a browser that nobody looks at may leave a fade where it is.
WEAR = """async (theme) => {
  document.documentElement.dataset.theme = theme;
  const changes = document.getAnimations().filter((change) => change instanceof CSSTransition);
  const late = new Promise((done) => setTimeout(done, 3000));
  await Promise.race([late, Promise.allSettled(changes.map((change) => change.finished))]);
}"""

# Formulas that the page leaves until they come near the screen, too.
TYPESET = """async () => {
  if (window.typeset) return;
  await window.MathJax?.startup?.promise;
  await window.MathJax?.startup?.document?.lazyTypesetAll?.();
  // What has come near the screen meanwhile is on its way, too.
  // A test may take out what holds a formula: MathJax must not come back to it.
  const late = performance.now() + 30000;
  while (document.querySelector("mjx-lazy")) {
    if (performance.now() > late) throw Error("formulas still to come after 30 seconds");
    await new Promise((done) => setTimeout(done, 20));
  }
  window.typeset = true;
}"""
