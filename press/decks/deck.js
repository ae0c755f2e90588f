// Typeset, then share out what does not fit on further slides, then start the show.
const WIDTH = 1280, HEIGHT = 720, BOTTOM = 36;

addEventListener("load", async () => {
  await MathJax.startup.promise;
  await MathJax.typesetPromise();
  await document.fonts.ready;
  await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
  for (const figure of document.querySelectorAll("figure[data-moved]")) // to its own position
    figure.querySelector("input, select").dispatchEvent(new Event("input"));
  const slides = document.querySelector(".reveal .slides");
  slides.classList.add("measuring");
  for (const figure of document.querySelectorAll("figure.alive")) figure.begin();
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (let i = 0; i < 3; i++) await frame(); // what a network computes is drawn at its width
  for (const slide of [...slides.children]) fit(slide);
  for (const figure of document.querySelectorAll(".written figure.alive")) await enlarge(figure, frame);
  slides.classList.remove("measuring");
  await Reveal.initialize({
    width: WIDTH, height: HEIGHT, margin: 0, center: false, hash: true, transition: "none",
    slideNumber: "c/t", navigationMode: "linear", controls: false, plugins: [RevealNotes],
    pdfSeparateFragments: false, pdfMaxPagesPerSlide: 1,
    keyboardCondition: (event) => !event.target.matches(CONTROLS) || isForDeck(event),
  });
  Reveal.addKeyBinding({ keyCode: 68, key: "D", description: "Dark room" }, () => {
    const { dataset } = document.documentElement;
    dataset.theme = dataset.theme === "dark" ? "light" : "dark";
  });
  document.documentElement.dataset.ready = "yes";
});

// Arrows move the slider that has the focus, a space turns a switch or presses a button;
// whatever else a deck knows (a clicker's PageUp and PageDown, B, Esc) goes to the deck and
// takes the focus along, since Reveal.js hears no key while an input has it.
const CONTROLS = "input, select, button";
const OWN = { button: /^( |Enter)$/, checkbox: /^ $/, range: /^Arrow/, "select-one": /^Arrow/,
  text: /^(.|Arrow.+|Home|End)$/ };
const DECK = /^(.|Arrow.+|Page.+|Home|End|Escape)$/;
const isForDeck = (event) => DECK.test(event.key) && !OWN[event.target.type]?.test(event.key)
  && !(event.ctrlKey || event.altKey || event.metaKey);
addEventListener("keydown", (event) => {
  if (!event.target.matches?.(CONTROLS) || !isForDeck(event)) return;
  event.preventDefault();
  event.target.blur();
}, true);

const blocksOf = (slide) => [...slide.children].filter((x) => !x.matches("h2, aside"));

// What stands alone on its slide grows until the last row can read it with ease.
const LARGEST = { math: 66, printed: 44, highlight: 30 };
function grow(column, high) {
  const blocks = [...column.querySelectorAll("div.math, .printed, .highlight")];
  const widest = (x) => Math.max(...[x, ...x.querySelectorAll("pre, mjx-container")].map((y) => y.scrollWidth));
  for (const block of blocks) {
    const most = LARGEST[Object.keys(LARGEST).find((kind) => block.classList.contains(kind))];
    for (let size = parseFloat(getComputedStyle(block).fontSize) + 2; size <= most; size += 2) {
      const before = block.style.fontSize;
      block.style.fontSize = `${size}px`;
      if (widest(block) <= column.clientWidth && column.scrollHeight <= 0.94 * high) continue;
      block.style.fontSize = before;
      break;
    }
  }
}

// A figure whose network runs is as wide as its place, and as small as it must be.
function shrink(figure, over) {
  for (let zoom = 0.95; over() > 0 && zoom > 0.4; zoom -= 0.05) figure.style.zoom = zoom;
}

// On a written slide it is as large as its place allows; its views are drawn anew at each size.
async function enlarge(figure, frame) {
  const body = figure.closest(".body");
  for (let zoom = 1.6; zoom > 0.4; zoom -= 0.1) {
    figure.style.zoom = zoom;
    for (let i = 0; i < 3; i++) await frame();
    if (body.scrollHeight <= body.clientHeight && figure.scrollWidth <= figure.clientWidth) return;
  }
}

// A written slide is never shared out: its body takes the height that the heading leaves, and
// its pictures grow until they fill what the rest of the body leaves.
function fill(slide) {
  const body = slide.querySelector(".body"), edge = 56;
  const high = HEIGHT - edge - (body.getBoundingClientRect().top - slide.getBoundingClientRect().top);
  for (const column of slide.querySelectorAll(".columns > div, .body")) {
    if (column.querySelector(".columns")) continue;
    for (const picture of column.querySelectorAll("figure.interact, :scope > img, .fragment > img")) {
      const image = picture.matches("img") ? picture : picture.querySelector("img");
      const ratio = image.naturalWidth / image.naturalHeight;
      const set = (width) => { picture.style.width = picture.style.maxWidth = `${width}px`; };
      set(column.clientWidth);
      for (let left = 6; left && column.scrollHeight > high; left--) // its controls may wrap anew
        set(Math.max(360, (image.clientHeight - (column.scrollHeight - high)) * ratio));
    }
    for (const figure of column.querySelectorAll("figure.alive")) shrink(figure, () => column.scrollHeight - high);
    for (let size = 27; size >= 24 && column.scrollHeight > high; size--)
      for (const cell of column.querySelectorAll("td, th")) cell.style.fontSize = `${size}px`;
    for (const wide of column.querySelectorAll(".highlight, .math, .printed, table")) {
      const inner = [wide, ...wide.querySelectorAll("pre, mjx-container")];
      const over = Math.max(...inner.map((x) => x.scrollWidth)) / column.clientWidth;
      const size = parseFloat(getComputedStyle(wide).fontSize);
      if (over > 1) wide.style.fontSize = `${(0.98 * size) / over}px`;
    }
    const formulas = [...column.querySelectorAll("div.math")];
    for (let size = 42; size > 26 && formulas.length && column.scrollHeight > high; size -= 2)
      for (const formula of formulas)
        formula.style.fontSize = `${Math.min(size, parseFloat(getComputedStyle(formula).fontSize))}px`;
    for (let gap = 26; gap >= 10 && column.scrollHeight > high; gap -= 4) column.style.gap = `${gap}px`;
    for (let size = 32; size >= 26 && column.scrollHeight > high; size -= 2)
      for (const text of column.querySelectorAll(":scope > :is(p, ul, ol)")) text.style.fontSize = `${size}px`;
    if (!column.querySelector("img")) grow(column, high);
  }
  body.style.height = `${high}px`;
}

// Pictures take the height that is left, code and text shrink a little, the rest moves on.
function fit(slide) {
  if (slide.matches(".written")) return fill(slide);
  const over = () => slide.scrollHeight - HEIGHT;
  for (const figure of slide.querySelectorAll("figure.interact, :scope > img")) {
    const image = figure.matches("img") ? figure : figure.querySelector("img");
    const ratio = image.naturalWidth / image.naturalHeight;
    figure.style.width = figure.style.maxWidth = `${WIDTH - 96}px`;
    for (let left = 5; left && over() + BOTTOM > 0; left--) { // its controls may wrap anew
      const width = Math.max(480, (image.clientHeight - over() - BOTTOM) * ratio);
      figure.style.width = figure.style.maxWidth = `${width}px`;
    }
  }
  for (const figure of slide.querySelectorAll("figure.alive")) shrink(figure, () => over() + BOTTOM);
  const blocks = blocksOf(slide);
  const scale = (block, factor) => {
    block.style.fontSize = "";
    block.style.fontSize = `${parseFloat(getComputedStyle(block).fontSize) * factor}px`;
  };
  const width = slide.clientWidth - 96;
  for (const block of blocks) {
    const wide = Math.max(...[block, ...block.querySelectorAll("pre, mjx-container")].map((x) => x.scrollWidth)) / width;
    if (wide > 1) scale(block, Math.max(0.6, 0.98 / wide));
  }
  if (over() > 0) slide.querySelector("pre.printed")?.remove();
  if (slide.matches(".figure") || over() <= 0) return;
  for (let factor = 0.96; over() > 0 && factor > (slide.querySelector('table') ? 0.6 : 0.74); factor -= 0.04) blocks.forEach((b) => scale(b, factor));
  const rows = blocks[0].querySelectorAll("tbody tr");
  if (over() <= 0 || (blocks.length < 2 && rows.length < 4)) return;
  blocks.forEach((block) => { block.style.fontSize = ""; });
  const next = slide.cloneNode(false);
  const title = slide.querySelector("h2");
  if (title) next.append(title.cloneNode(true));
  if (blocks.length === 1) { // a table alone: its lower half moves on
    const half = Math.ceil(rows.length / 2), lower = blocks.pop().cloneNode(true);
    [...rows].slice(half).forEach((row) => row.remove());
    [...lower.querySelectorAll("tbody tr")].slice(0, half).forEach((row) => row.remove());
    next.append(lower);
  }
  for (let last = blocks.pop(); blocks.length && over() > 0; last = blocks.pop()) {
    title ? next.querySelector("h2").after(last) : next.prepend(last);
    const lead = blocks.at(-1); // a sentence that leads into what has moved goes with it
    if (lead?.matches("p") && lead.textContent.trim().endsWith(":") && blocks.length > 1 && over() <= 0) {
      blocks.pop();
      title ? next.querySelector("h2").after(lead) : next.prepend(lead);
    }
  }
  slide.after(next);
  fit(slide);
  fit(next);
}
