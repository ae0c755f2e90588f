// Exchanges the picture of a static figure as its controls move. Needs no library, no
// kernel, no server. A frame holds only what differs from its base picture and lies on top
// of it.
const LEGIBLE = 11, NARROW = 600; // CSS pixels: a font that is easily read, a figure on a phone
function enliven(figure) {
  figure.dataset.alive = "true";
  const [picture, form, state] = figure.querySelectorAll(".picture, form, .state");
  const base = picture.querySelector("img");
  const image = picture.appendChild(base.cloneNode()); // lies over the base
  base.alt = "";
  figure.style.setProperty("--ratio", base.getAttribute("width") / base.getAttribute("height"));
  const note = figure.querySelector(".without-scripts");
  note.remove();
  image.addEventListener("error", () => {
    note.textContent = "This site forbids the pictures of this figure: its Content-Security-Policy needs img-src data:";
    figure.append(note);
  });
  const data = JSON.parse(figure.querySelector("script").textContent);
  const { controls } = data;

  // Native elements, labelled, with the value of a range as text.
  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const button = (name, label) => make("button", { type: "button", class: name, "aria-label": label });
  const inputs = controls.map(({ label, kind, texts, default_index: start, plays }) => {
    const said = make("span", {}, label);
    if (kind === "switch") {
      const box = make("input", { type: "checkbox", ...(start && { checked: "" }) });
      form.append(make("label", { class: "switch" }, box, said));
      return box;
    }
    if (kind === "choice") {
      const options = texts.map((text, i) => new Option(text, text, i === start, i === start));
      const list = make("select", {}, ...options);
      form.append(make("label", {}, said, list));
      return list;
    }
    const range = make("input", { type: "range", min: 0, max: texts.length - 1, value: start });
    const row = make("label", {}, said, range, make("output", {}));
    form.append(plays ? make("div", { class: "time" }, button("play", "Play " + label), row) : row);
    return range;
  });
  const size = form.appendChild(button("size", "Larger picture"));
  const index = (input) =>
    input.type === "checkbox" ? Number(input.checked) : input.selectedIndex ?? Number(input.value);
  const frameNumber = () => // the last control runs fastest
    inputs.reduce((sum, input, i) => sum * controls[i].texts.length + index(input), 0);
  const [bases, frames] = [data.bases, data.frames].map((pictures) =>
    pictures.map((picture) => "data:image/webp;base64," + picture));
  // The browser keeps decoded what these hold, so that a step costs less than a frame.
  let decoded;
  const decode = () => {
    decoded ??= [...bases, ...frames].map((source) => Object.assign(new Image(), { src: source }));
  };
  const show = () => {
    const texts = inputs.map((input, i) => controls[i].texts[index(input)]);
    inputs.forEach((input, i) => {
      if (input.type !== "range") return;
      input.setAttribute("aria-valuetext", texts[i]);
      input.nextElementSibling.textContent = texts[i];
      input.style.setProperty("--filled", (100 * input.value) / input.max + "%");
    });
    base.src = bases[data.baseOf[frameNumber()]];
    image.src = frames[frameNumber()];
    state.textContent = controls.map((control, i) => control.label + " = " + texts[i]).join(", ");
    image.alt = data.description + " " + state.textContent + ".";
  };
  for (const input of inputs) {
    input.addEventListener("input", () => { stop(); show(); });
    input.addEventListener("pointerenter", decode);
    input.addEventListener("focus", decode);
  }

  // The button of a range that is time plays it through; a touch of any control stops it.
  const play = form.querySelector(".play");
  let clock;
  const stop = () => {
    clearInterval(clock);
    clock = undefined;
    play?.setAttribute("aria-pressed", "false");
  };
  play?.addEventListener("click", () => {
    if (clock) return stop();
    const range = play.parentElement.querySelector("input");
    decode();
    if (range.value === range.max) range.value = 0;
    show();
    play.setAttribute("aria-pressed", "true");
    clock = setInterval(() => {
      range.stepUp();
      show();
      if (range.value === range.max) stop();
    }, 1000 / 6);
  });
  form.addEventListener("pointerdown", (event) => event.target === play || stop());
  form.addEventListener("submit", (event) => event.preventDefault());

  // Large: the same elements in a dialog over the whole screen.
  const dialog = figure.appendChild(document.createElement("dialog"));
  dialog.setAttribute("aria-label", figure.dataset.name.replaceAll("_", " "));
  dialog.addEventListener("keydown", (event) => event.stopPropagation()); // a deck's keys
  dialog.addEventListener("close", () => {
    figure.prepend(picture, hint, form, state);
    figure.style.minHeight = "";
    size.ariaLabel = "Larger picture";
    size.focus({ preventScroll: true });
  });
  const enlarge = () => {
    if (dialog.open) return;
    figure.style.minHeight = figure.offsetHeight + "px"; // the page stays where it is
    dialog.append(picture, form, state); // and no hint
    dialog.showModal();
    size.ariaLabel = "Close";
    size.focus();
  };
  // Where a narrow screen makes its letters too small, the figure says how to enlarge them.
  const lettering = Number(figure.dataset.lettering);
  figure.style.setProperty("--legible", Math.ceil(LEGIBLE / lettering) + "px");
  const hint = make("p", { class: "hint", "aria-hidden": "true" }, "Tap the picture to enlarge it.");
  picture.after(hint);
  const measure = () => {
    const width = picture.clientWidth; // 0 on a slide that is not shown
    hint.hidden = !width || width >= NARROW || width * lettering >= LEGIBLE;
  };
  new ResizeObserver(measure).observe(picture);
  measure();
  size.addEventListener("click", () => (dialog.open ? dialog.close() : enlarge()));
  picture.addEventListener("click", enlarge);

  // A position is an address: #name:control=value,…; what it does not name is as at first.
  // What utils/interact/positions.py refuses moves nothing here.
  const plain = (text) => {
    try { return decodeURIComponent(text); } catch { return text; }
  };
  const number = (text) =>
    /^[-+−]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text.replace("−", "-")) : NaN;
  const indices = (hash) => {
    const [, name, text] = hash.match(/^#([^:]*):(.*)$/) ?? [];
    if (!name || plain(name) !== figure.dataset.name) return [];
    const pairs = text.split(",").map((pair) => pair.trim()).filter(Boolean);
    const chosen = new Map(pairs.map((pair) => {
      const [, name, value] = pair.match(/^([^=]+)=(.*)$/) ?? [];
      return [plain(name ?? ""), plain(value ?? "")];
    }));
    const names = controls.map((control) => control.name);
    if (chosen.size < pairs.length || [...chosen.keys()].some((name) => !names.includes(name))) return [];
    return controls.map(({ name, kind, keys, default_index: start }) => !chosen.has(name) ? start :
      keys.findIndex((key) => plain(key) === chosen.get(name) ||
        (kind === "range" && Number(key) === number(chosen.get(name)))));
  };
  const go = (hash, block) => {
    const wanted = indices(hash);
    if (!wanted.length || wanted.includes(-1)) return false;
    stop();
    wanted.forEach((k, i) => {
      if (inputs[i].type === "checkbox") inputs[i].checked = Boolean(k);
      else if (inputs[i].matches("select")) inputs[i].selectedIndex = k;
      else inputs[i].value = k;
    });
    state.setAttribute("aria-live", "polite"); // said once, not at each step of a slider
    show();
    setTimeout(() => state.removeAttribute("aria-live"), 1000);
    picture.scrollIntoView({ block });
    return true;
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!go(link.hash, "nearest")) return;
    event.preventDefault();
    history.replaceState(null, "", link.hash);
  });
  addEventListener("hashchange", () => go(location.hash, "center"));
  addEventListener("load", () => go(location.hash, "center")); // when what stands above is there
  // A browser may restore moved controls on return.
  addEventListener("pageshow", (event) => event.persisted && show());
  form.hidden = false;
  stop();
  go(location.hash, "center") || show();
}

// Each figure as soon as the browser has read it, before it paints: no page moves later.
{
  const enlivenRead = () => {
    for (const figure of document.querySelectorAll("figure.interact:not([data-alive])"))
      if (figure.nextSibling || document.readyState !== "loading") enliven(figure);
  };
  const reading = new MutationObserver(enlivenRead);
  reading.observe(document, { childList: true, subtree: true });
  addEventListener("DOMContentLoaded", () => { reading.disconnect(); enlivenRead(); });
  enlivenRead();
}
