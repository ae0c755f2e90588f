// Typeset, fill each slide, then start the show.
const WIDTH = 1280, HEIGHT = 720;

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
  for (const slide of slides.children) fill(slide);
  for (const figure of document.querySelectorAll("figure.alive")) await enlarge(figure, frame);
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

// What share of its room a block needs from left to right; lines of code have the room of their box.
function share(block, column) {
  const formulas = [block, ...block.querySelectorAll("mjx-container")];
  const code = [...block.querySelectorAll("pre")];
  return Math.max(...formulas.map((x) => x.scrollWidth / column.clientWidth),
    ...code.map((x) => x.scrollWidth / x.clientWidth));
}

// What stands alone on its slide grows until the last row can read it with ease.
const LARGEST = { math: 66, printed: 44, highlight: 30 };
function grow(column, high) {
  const blocks = [...column.querySelectorAll("div.math, .printed, .highlight")];
  for (const block of blocks) {
    const most = LARGEST[Object.keys(LARGEST).find((kind) => block.classList.contains(kind))];
    for (let size = parseFloat(getComputedStyle(block).fontSize) + 2; size <= most; size += 2) {
      const before = block.style.fontSize;
      block.style.fontSize = `${size}px`;
      if (share(block, column) <= 1 && column.scrollHeight <= 0.94 * high) continue;
      block.style.fontSize = before;
      break;
    }
  }
}

// A figure whose network runs is as large as its place allows; its views are drawn anew at each size.
async function enlarge(figure, frame) {
  const body = figure.closest(".body");
  for (let zoom = 1.6; zoom > 0.4; zoom -= 0.1) {
    figure.style.zoom = zoom;
    for (let i = 0; i < 3; i++) await frame();
    if (body.scrollHeight <= body.clientHeight && figure.scrollWidth <= figure.clientWidth) return;
  }
}

// The body takes the height that the heading leaves, and its pictures grow until they fill
// what the rest of the body leaves.
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
    for (const figure of column.querySelectorAll("figure.alive")) // as small as it must be
      for (let zoom = 0.95; column.scrollHeight > high && zoom > 0.4; zoom -= 0.05) figure.style.zoom = zoom;
    for (let size = 27; size >= 24 && column.scrollHeight > high; size--)
      for (const cell of column.querySelectorAll("td, th")) cell.style.fontSize = `${size}px`;
    for (const wide of column.querySelectorAll(".highlight, .math, .printed, table")) {
      const over = share(wide, column);
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
