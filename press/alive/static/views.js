// The pictures of the living figures, drawn on the page and drawn again in place.
//
//   const view = alive.views.bars(["cat", "dog"], [0.9, 0.1], { title: "What is it?" });
//   figure.append(view);                       // an element
//   view.update(["cat", "dog"], [0.2, 0.8]);   // the same element, new data
//
// A drawing is as wide as its place, one unit of it is a pixel of the page, and its type has
// the page's size. Colours are classes (ink-good) and variables of alive.css; what a colour
// says, a number, a pattern or a line says too. An array is {shape, values}, or a plain list.
globalThis.alive ??= {};
{
  const SVG = "http://www.w3.org/2000/svg";
  const SMALLEST = 11; // pixels of a type that is easily read
  const DASHES = ["", "8 4", "2 4", "10 3 2 3"]; // so that curves differ without their colours
  const LEVELS = 256; // of a colour map

  // ---- Numbers and words ----------------------------------------------------------------

  const number = (value, digits = 2) => {
    if (!Number.isFinite(value)) return "–";
    const text = value.toFixed(digits);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  };
  const short = (value, digits) => number(value, digits).replace(/\.?0+$/, (zeros) => (zeros[0] === "." ? "" : zeros));
  const listed = (items) => [...(items.shape ? items.values : items)];
  const between = (value, low, high) => Math.min(Math.max(value, low), high);
  const count = (n, one, many = one + "s") => `${n} ${n === 1 ? one : many}`;
  const visible = (token) => (token === " " ? "␣" : token === "\n" ? "↵" : token);
  const sentence = (title, text) => (title ? `${title}: ${text}` : text);

  // A matrix as {shape: [rows, columns], values}, from such an object or a list of lists.
  const matrix = (data) => {
    if (data.shape) return data;
    const rows = data.map(listed);
    return { shape: [rows.length, rows[0]?.length ?? 0], values: rows.flat() };
  };

  // Round numbers between two ends, about as many as wanted.
  const roundNumbers = (low, high, wanted) => {
    const rough = (high - low) / Math.max(wanted, 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const first = Math.ceil(low / step - 1e-9);
    const last = Math.floor(high / step + 1e-9);
    const numbers = [];
    for (let i = first; i <= last; i++) numbers.push({ value: i * step, text: number(i * step, digits) });
    return numbers;
  };
  const raised = (power) => "10" + [...String(power)].map((sign) =>
    "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]).join("");
  const powersOfTen = (low, high, wanted) => {
    const first = Math.ceil(Math.log10(low) - 1e-9);
    const last = Math.floor(Math.log10(high) + 1e-9);
    const step = Math.max(1, Math.ceil((last - first) / Math.max(wanted, 1)));
    const powers = [];
    for (let power = first; power <= last; power += step) powers.push({ value: 10 ** power, text: raised(power) });
    return powers;
  };

  // ---- Elements -------------------------------------------------------------------------

  const create = (tag, name, ...children) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    element.append(...children);
    return element;
  };

  // Set what has changed; null takes an attribute away. Positions to a tenth of a pixel.
  const set = (mark, attributes) => {
    mark.drawn ??= {};
    for (const [name, value] of Object.entries(attributes)) {
      const wanted = typeof value === "number" ? Math.round(10 * value) / 10 : value;
      if (mark.drawn[name] === wanted) continue;
      mark.drawn[name] = wanted;
      if (name === "text") mark.textContent = wanted;
      else if (wanted === null) mark.removeAttribute(name);
      else mark.setAttribute(name, wanted);
    }
    return mark;
  };

  // As many children of a kind as there are things to draw: what is there is used again.
  const marks = (parent, tag, things, draw) => {
    while (parent.childElementCount > things.length) parent.lastElementChild.remove();
    while (parent.childElementCount < things.length) parent.append(document.createElementNS(SVG, tag));
    let mark = parent.firstElementChild;
    things.forEach((thing, i) => {
      set(mark, draw(thing, i));
      mark = mark.nextElementSibling;
    });
  };

  // A path of an SVG: path("M", x, y, "L", …), to a tenth of a pixel.
  const path = (...parts) => parts.map((part) => (typeof part === "number" ? part.toFixed(1) : part)).join(" ");

  let patterns = 0;
  const drawingOf = () => {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("role", "img");
    const pattern = document.createElementNS(SVG, "pattern");
    const name = `alive-hatch-${patterns++}`;
    set(pattern, { id: name, class: "hatch", width: 6, height: 6 });
    set(pattern, { patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
    const stripe = document.createElementNS(SVG, "path");
    set(stripe, { d: "M1.5 0V6" });
    pattern.append(stripe);
    const definitions = document.createElementNS(SVG, "defs");
    definitions.append(pattern);
    svg.append(definitions);
    svg.hatch = `url(#${name})`;
    svg.definitions = definitions;
    svg.layers = {};
    return svg;
  };
  // A group of the marks of one kind, in the order of the first calls.
  const layer = (svg, name) => {
    if (!svg.layers[name]) {
      svg.layers[name] = document.createElementNS(SVG, "g");
      svg.layers[name].setAttribute("class", name);
      svg.append(svg.layers[name]);
    }
    return svg.layers[name];
  };

  // ---- Type: how wide a text is, and what of it fits -------------------------------------

  const pen = document.createElement("canvas").getContext("2d");
  const widths = new Map();
  const measured = (text, font) => {
    const key = font + text;
    if (!widths.has(key)) {
      if (widths.size > 5000) widths.clear();
      pen.font = font;
      widths.set(key, pen.measureText(text).width);
    }
    return widths.get(key);
  };
  const typeOf = (element) => {
    const { fontSize, fontFamily } = getComputedStyle(element);
    const size = Math.max(parseFloat(fontSize), SMALLEST);
    const small = Math.max(0.88 * size, SMALLEST);
    const font = ({ bold = false, little = false } = {}) =>
      `${bold ? 650 : 400} ${little ? small : size}px ${fontFamily}`;
    const width = (text, style) => measured(text, font(style));
    const shorten = (text, most, style) => {
      if (width(text, style) <= most) return text;
      let kept = [...text];
      while (kept.length > 1 && width(kept.join("") + "…", style) > most) kept.pop();
      return kept.join("") + "…";
    };
    const widest = (texts, style) => Math.max(0, ...texts.map((text) => width(text, style)));
    return { size, small, font, width, widest, shorten };
  };

  // ---- Colour maps, read from alive.css once for a theme ----------------------------------

  let maps;
  // rgb(1, 2, 3), and of a mixture color(srgb 0.1 0.2 0.3)
  const parts = (colour) => {
    const numbers = colour.replace("srgb", "").match(/[\d.e-]+/g).slice(0, 3).map(Number);
    return colour.startsWith("color(") ? numbers.map((part) => 255 * part) : numbers;
  };
  const colourMap = (name, stops, probe) => {
    const colours = stops.map((stop) => {
      probe.style.color = `var(--${name}-${stop})`;
      return parts(getComputedStyle(probe).color);
    });
    return Array.from({ length: LEVELS }, (_, level) => {
      const place = (level / (LEVELS - 1)) * (colours.length - 1);
      const at = Math.min(Math.floor(place), colours.length - 2);
      return colours[at].map((part, i) => Math.round(part + (place - at) * (colours[at + 1][i] - part)));
    });
  };
  const readMaps = (element) => {
    const probe = create("span", "probe");
    element.append(probe);
    const sequential = colourMap("sequential", [0, 1, 2, 3], probe);
    const diverging = colourMap("diverging", [0, 1, 2, 3, 4], probe);
    probe.style.color = "var(--paper)";
    const paper = getComputedStyle(probe).color;
    probe.style.color = "var(--text)";
    const text = getComputedStyle(probe).color;
    probe.remove();
    const bytes = (map) => Uint32Array.from(map, ([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r);
    // Whether white is read better than black on it: WCAG's contrasts are equal at 0.18.
    const light = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    const dark = (map) => map.map(([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b) < 0.179);
    const named = (map) => ({
      names: map.map((parts) => `rgb(${parts})`),
      bytes: bytes(map),
      dark: dark(map),
    });
    return { sequential: named(sequential), diverging: named(diverging), paper, text };
  };
  // Which level of which map a value has: between two ends, or on either side of a centre.
  const colouring = (element, values, { range, centre }) => {
    maps ??= readMaps(element);
    let low = Infinity;
    let high = -Infinity;
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (centre !== undefined) {
      const reach = Math.max(high - centre, centre - low) || 1;
      [low, high] = range ?? [centre - reach, centre + reach];
    } else {
      [low, high] = range ?? [Math.min(low, 0), high];
    }
    const scale = high > low ? (LEVELS - 1) / (high - low) : 0;
    const level = (value) => between(Math.round((value - low) * scale), 0, LEVELS - 1);
    const share = (value) => (high > low ? between((value - low) / (high - low), 0, 1) : 0);
    const { paper, text } = maps;
    return { ...maps[centre === undefined ? "sequential" : "diverging"], level, share, low, high, paper, text };
  };

  // ---- What all views share ---------------------------------------------------------------

  const redrawAll = () => {
    for (const view of document.querySelectorAll(".view")) view.redraw();
  };
  const newColours = () => {
    maps = undefined;
    redrawAll();
  };
  new MutationObserver(newColours).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  for (const question of ["(forced-colors: active)", "(prefers-color-scheme: dark)", "print"])
    matchMedia(question).addEventListener("change", newColours);
  document.fonts?.addEventListener("loadingdone", () => {
    widths.clear();
    for (const view of document.querySelectorAll(".view")) view.measureAgain();
  });
  const widthsOfPlaces = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) target.parentElement?.resize(Math.floor(contentRect.width));
  });

  const sample = ({ ink = "data", kind = "box", dash = "", bold = false }) => {
    const svg = drawingOf();
    svg.setAttribute("aria-hidden", "true");
    svg.removeAttribute("role");
    set(svg, { width: 26, height: 12, viewBox: "0 0 26 12" });
    const box = { x: 4, y: 1, width: 18, height: 10, rx: 2 };
    const marked = layer(svg, "sample");
    if (kind === "line")
      marks(marked, "path", [0], () => ({ class: `line ink-${ink}${bold ? " bold" : ""}`, d: "M1 6H25", "stroke-dasharray": dash || null }));
    else if (kind === "hatch")
      marks(marked, "rect", [0], () => ({ class: "hatched", fill: svg.hatch, ...box }));
    else
      marks(marked, "rect", [0], () => ({ class: `${kind} ink-${ink}`, ...box }));
    return svg;
  };
  const showLegend = (element, entries) => {
    const key = JSON.stringify(entries);
    if (element.known === key) return;
    element.known = key;
    element.hidden = !entries.length;
    element.replaceChildren(...entries.map((entry) => create("span", "", sample(entry), entry.text)));
  };
  const showText = (element, text = "") => {
    if (element.textContent !== text) element.textContent = text;
    element.hidden = !text;
  };

  // A kind of view: a function that makes an element, from one that draws the data in it.
  const view = (kind, draw) => (...first) => {
    const title = create("p", "view-title");
    const place = create("div", "view-place");
    const legend = create("p", "view-legend");
    const note = create("p", "view-note");
    const element = create("div", `view view-${kind}`, title, place, legend, note);
    const given = draw.length - 2; // the data: all that it takes but the frame and the options
    let data = first;
    let width = 0;
    let tallest = 0;
    let type; // asked once for a width: to ask costs a layout
    element.redraw = () => {
      if (!width) return;
      type ??= typeOf(place);
      const options = data[given] ?? {};
      const all = [...data.slice(0, given), options];
      const { height, legend: entries = [], says } = draw({ element, place, width, type }, ...all);
      // What has been tall keeps its room, below all of it, or a drag would move the page.
      tallest = Math.max(tallest, height);
      element.style.paddingBottom = `${Math.round(tallest - height)}px`;
      showText(title, options.title);
      showText(note, element.reading ?? options.note);
      showLegend(legend, entries);
      const pictured = place.querySelector("[role=img]") ?? place;
      if (says) set(pictured, { "aria-label": says });
    };
    element.update = (...next) => {
      const before = data;
      data = next;
      try {
        element.redraw();
      } catch (error) {
        data = before; // what cannot be drawn is not drawn again
        throw error;
      }
      return element;
    };
    element.resize = (wide) => {
      if (wide === width) return;
      width = wide;
      element.measureAgain();
    };
    element.measureAgain = () => {
      tallest = 0;
      type = undefined;
      element.redraw();
    };
    showText(title, first[given]?.title);
    widthsOfPlaces.observe(place);
    return element;
  };
  // The drawing of a place, of a size; made at its first use.
  const svgOf = ({ place, width }, height) => {
    place.svg ??= place.appendChild(drawingOf());
    const high = Math.ceil(height);
    return set(place.svg, { width, height: high, viewBox: `0 0 ${width} ${high}` });
  };

  // ---- Bars -------------------------------------------------------------------------------

  // bars(labels, values, options): a bar for each value.
  //   direction "right" (default) or "up"; range [low, high]; digits; inks, a name or a list;
  //   marked, the index of the bar in bold; cut, a list of what is hatched, and cutText, why;
  //   height of bars that go up.
  // All views: title above, note below; heat maps, images and trees: digits.
  const inkOf = (inks, i) => (Array.isArray(inks) ? inks[i] : inks) ?? "prediction";
  const barList = (labels, values, options) => {
    const texts = listed(labels).map(String);
    const numbers = listed(values);
    if (texts.length !== numbers.length)
      throw new Error(`bars: expected as many labels as values, got ${texts.length} and ${numbers.length}`);
    const marked = new Set([options.marked ?? []].flat());
    return texts.map((label, i) => ({
      label,
      value: numbers[i],
      text: number(numbers[i], options.digits),
      ink: inkOf(options.inks, i),
      cut: Boolean(options.cut?.[i]),
      marked: marked.has(i),
    }));
  };
  const barRange = (bars, { range }) => {
    const values = bars.map(({ value }) => value).filter(Number.isFinite);
    const [low, high] = range ?? [Math.min(0, ...values), Math.max(0, ...values)];
    return high > low ? [low, high] : [low, low + 1];
  };
  const drawBars = (frame, labels, values, options) => {
    const bars = barList(labels, values, options);
    const height = options.direction === "up" ? barsUp(frame, bars, options) : barsRight(frame, bars, options);
    const anyCut = bars.some(({ cut }) => cut);
    const said = bars.map(({ label, text, cut, marked }) =>
      `${label} ${text}${cut ? ", left out" : ""}${marked ? ", marked" : ""}`);
    return {
      height,
      legend: anyCut && options.cutText ? [{ kind: "hatch", text: options.cutText }] : [],
      says: sentence(options.title, said.join("; ") || "no bars"),
    };
  };
  const barClass = ({ ink, cut, marked }) => (cut ? "hatched" : `box ink-${ink}`) + (marked ? " marked" : "");
  const wordClass = ({ cut, marked }) => (cut ? "cut" : "") + (marked ? "marked" : "") || null;

  // From left to right, a line for each: labels, bars, numbers.
  const barsRight = (frame, bars, options) => {
    const { width, type } = frame;
    const pitch = Math.round(1.75 * type.size);
    const thick = Math.round(0.95 * type.size);
    const left = Math.min(type.widest(bars.map(({ label }) => label), { bold: true }), 0.4 * width) + 8;
    const [low, high] = barRange(bars, options);
    const ends = [low, high].map((end) => number(end, options.digits)); // or the scale would shake
    const beside = type.widest([...ends, ...bars.map(({ text }) => text)], { little: true, bold: true }) + 6;
    const room = Math.max(width - left - beside, 10);
    const at = (value) => left + (room * (between(value, low, high) - low)) / (high - low);
    const svg = svgOf(frame, pitch * bars.length + 2);
    const middle = (i) => (i + 0.5) * pitch + 1;
    marks(layer(svg, "bars"), "rect", bars, (bar, i) => ({
      class: barClass(bar),
      fill: bar.cut ? svg.hatch : null,
      x: Math.min(at(0), at(bar.value)),
      y: middle(i) - thick / 2,
      width: Math.abs(at(bar.value) - at(0)) || 0,
      height: thick,
      rx: 2,
    }));
    marks(layer(svg, "axis"), "path", [0], () => ({ d: path("M", at(0), 1, "V", pitch * bars.length + 1) }));
    marks(layer(svg, "labels"), "text", bars, (bar, i) => ({
      class: wordClass(bar),
      text: type.shorten(bar.label, left - 8, { bold: true }),
      x: left - 8,
      y: middle(i) + 0.35 * type.size,
      "text-anchor": "end",
    }));
    marks(layer(svg, "numbers"), "text", bars, (bar, i) => ({
      class: wordClass(bar),
      text: bar.text,
      x: Math.max(at(bar.value), at(0)) + 6,
      y: middle(i) + 0.35 * type.small,
    }));
    return pitch * bars.length + 2;
  };

  // Upwards, side by side: numbers above, labels below.
  const barsUp = (frame, bars, options) => {
    const { width, type } = frame;
    const texts = bars.map(({ label }) => label);
    const { pitch: slot, header } = columnsIn(type, texts, width, 64, { below: true });
    const start = header.overhang;
    const thick = Math.min(0.7 * slot, 34);
    const [low, high] = barRange(bars, options);
    const above = type.small + 6;
    const room = options.height ?? 110;
    const bottom = above + room;
    const at = (value) => bottom - (room * (between(value, low, high) - low)) / (high - low);
    const height = bottom + header.height + 4;
    const svg = svgOf(frame, height);
    const middle = (i) => start + (i + 0.5) * slot;
    const fits = type.widest(bars.map(({ text }) => text), { little: true }) + 2 <= slot;
    marks(layer(svg, "bars"), "rect", bars, (bar, i) => ({
      class: barClass(bar),
      fill: bar.cut ? svg.hatch : null,
      x: middle(i) - thick / 2,
      y: Math.min(at(bar.value), at(0)),
      width: thick,
      height: Math.abs(at(bar.value) - at(0)) || 0,
      rx: 2,
    }));
    marks(layer(svg, "axis"), "path", [0], () => ({ d: path("M", start, at(0), "h", slot * bars.length) }));
    marks(layer(svg, "labels"), "text", header.labels, ({ text, i }) => ({
      class: wordClass(bars[i]),
      text,
      ...header.at(middle(i), bottom + 4),
    }));
    const largest = Math.max(...bars.map(({ value }) => value));
    const numbered = bars.map((bar, i) => ({ bar, i })).filter(({ bar }) => fits || bar.value === largest);
    marks(layer(svg, "numbers"), "text", numbered, ({ bar, i }) => {
      const half = type.width(bar.text, { little: true }) / 2;
      return {
        class: wordClass(bar),
        text: bar.text,
        x: between(middle(i), half, width - half),
        y: Math.min(at(bar.value), at(0)) - 4,
        "text-anchor": "middle",
      };
    });
    return height;
  };

  // Labels of columns so that none meets the next: level, else slanted, else upright, else
  // only every second, third, … of them.
  const headings = (type, texts, pitch, { below = false } = {}) => {
    const longest = 8 * type.size;
    const shown = texts.map((text, i) => ({ i, text: type.shorten(text, longest) }));
    const widest = type.widest(shown.map(({ text }) => text));
    const line = 1.15 * type.size;
    const characters = widest <= 1.2 * type.size;
    const thinned = characters ? Math.ceil((widest + 1) / pitch) : 1;
    if (widest + 4 <= pitch || characters)
      return {
        labels: shown.filter(({ i }) => i % thinned === 0),
        height: line + 2,
        overhang: 0,
        at: (x, y) => ({ x, y: below ? y + 0.8 * line : y - 4, "text-anchor": "middle", transform: null }),
      };
    const slanted = pitch * Math.SQRT1_2 >= line * 0.95;
    const every = slanted ? 1 : Math.ceil(line / pitch);
    const angle = slanted ? 45 : 90;
    const sine = Math.sin((angle * Math.PI) / 180);
    const cosine = Math.cos((angle * Math.PI) / 180);
    const labels = shown.filter(({ i }) => i % every === 0);
    return {
      labels,
      height: widest * sine + line * cosine + 4,
      // how far the ends stand out beside the columns: on the right, below them on the left
      overhang: Math.max(0, ...labels.map(({ text, i }) =>
        type.width(text) * cosine + 0.7 * line * sine - ((below ? i : texts.length - i - 1) + 0.5) * pitch)),
      at: (x, y) => {
        const shift = 0.35 * type.size;
        const foot = below ? [x + shift * (slanted ? 0.3 : 1), y + (slanted ? 0.6 * type.size : 0)] : [x + shift, y - 5];
        return {
          x: foot[0],
          y: foot[1],
          "text-anchor": below ? "end" : "start",
          transform: `rotate(${-angle} ${foot.map((part) => part.toFixed(1)).join(" ")})`,
        };
      },
    };
  };

  // Columns of a width at most, with their labels, in a room.
  const columnsIn = (type, texts, room, most, where) => {
    let overhang = 0;
    for (let tries = 0; ; tries++) {
      const pitch = Math.min((room - overhang) / Math.max(texts.length, 1), most);
      const header = headings(type, texts, pitch, where);
      if (header.overhang <= overhang + 0.5 || tries === 4) return { pitch, header };
      ({ overhang } = header); // narrower columns may turn their labels
    }
  };

  // ---- Heat maps --------------------------------------------------------------------------

  // heatmap(rows, columns, values, options): labels of rows and columns, a matrix. A value that
  // is no number (NaN) is not seen and stays blank.
  //   range [low, high]; centre, the value that stays pale; struck, indices of hidden columns;
  //   frames, cells [row, column] with a frame; row, the index of the label in bold;
  //   cell, the largest width of a cell; ramp: false for no strip of colours.
  const TABLE = 160; // cells that are also a table for those who cannot see the map
  const NUMBERED = 400; // cells at most that have room for a number
  const drawHeatmap = (frame, rows, columns, values, options) => {
    const { element, width, type } = frame;
    const rowTexts = listed(rows).map((text) => visible(String(text)));
    const columnTexts = listed(columns).map((text) => visible(String(text)));
    const { shape, values: cells } = matrix(values);
    if (shape[0] !== rowTexts.length || shape[1] !== columnTexts.length)
      throw new Error(`heatmap: expected ${rowTexts.length} × ${columnTexts.length} values, got ${shape.join(" × ")}`);
    const struck = new Set(options.struck ?? []);
    const colours = colouring(element, cells, options);
    const digits = options.digits ?? 2;

    // Where things stand.
    const left = Math.min(type.widest(rowTexts, { bold: options.row !== undefined }), 0.32 * width) + 8;
    const most = options.cell ?? 60;
    const { pitch, header } = columnsIn(type, columnTexts, width - left, most);
    const least = rowTexts.length > 14 ? 0 : 1.7 * type.size;
    const high = between(pitch, Math.min(least, 30), 30);
    const top = header.height;
    const bottom = top + high * rowTexts.length;
    const ramp = options.ramp === false ? 0 : 8 + type.small;
    const height = bottom + ramp + 2;
    const gap = pitch > 12 ? 1 : 0;
    const svg = svgOf(frame, height);
    const x = (j) => left + j * pitch;
    const y = (i) => top + i * high;

    // Numbers where they fit, else as per cent, else none.
    const texts = Array.from(cells, (value) => number(value, digits));
    const perCent = Array.from(cells, (value) => number(100 * value, 0));
    const fits = (some) => type.widest(some, { little: true }) + 5 <= pitch && high >= type.small + 2;
    const whole = options.range?.[0] === 0 && options.range[1] === 1;
    const numbered = cells.length <= NUMBERED;
    const shown = numbered && fits(texts) ? texts : numbered && whole && fits(perCent) ? perCent : undefined;
    const all = Array.from(cells, (value, k) => ({
      value,
      k,
      i: Math.floor(k / columnTexts.length),
      j: k % columnTexts.length,
    }));
    const seen = all.filter(({ value, j }) => Number.isFinite(value) && !struck.has(j));
    const painted = seen.map(({ i, j, k, value }) => ({ x: x(j), y: y(i), value, text: shown?.[k] }));
    paintCells(frame, painted, { width: pitch - gap, height: high - gap }, colours, height);
    marks(layer(svg, "struck-columns"), "rect", [...struck], (j) => ({
      fill: svg.hatch,
      x: x(j),
      y: top,
      width: pitch - gap,
      height: bottom - top - gap,
    }));
    marks(layer(svg, "outline"), "rect", [0], () => ({
      x: left - 0.5,
      y: top - 0.5,
      width: pitch * columnTexts.length - gap + 1,
      height: bottom - top - gap + 1,
    }));
    marks(layer(svg, "frames"), "rect", options.frames ?? [], ([i, j]) => ({
      x: x(j) + 0.5,
      y: y(i) + 0.5,
      width: pitch - gap - 1,
      height: high - gap - 1,
      rx: 2,
    }));
    marks(layer(svg, "labels"), "text", header.labels, ({ text, i }) => ({
      class: struck.has(i) ? "struck" : null,
      text,
      ...header.at(x(i) + (pitch - gap) / 2, top),
    }));
    const every = Math.ceil((1.05 * type.size) / high);
    const labelled = rowTexts.map((text, i) => ({ text, i })).filter(({ i }) => i % every === 0);
    marks(layer(svg, "row-labels"), "text", labelled, ({ text, i }) => ({
      class: options.row === i ? "marked" : null,
      text: type.shorten(text, left - 8, { bold: options.row === i }),
      x: left - 8,
      y: y(i) + high / 2 + 0.35 * type.size,
      "text-anchor": "end",
    }));
    const end = (value) => (shown === perCent ? `${number(100 * value, 0)} %` : short(value, digits));
    drawRamp(frame, svg, colours, { left, top: bottom + 8, shown: ramp > 0, ends: [end(colours.low), end(colours.high)] });

    // In words.
    element.cellAt = (across, down) => {
      const j = Math.floor((across - left) / pitch);
      const i = Math.floor((down - top) / high);
      if (i < 0 || j < 0 || i >= rowTexts.length || j >= columnTexts.length) return undefined;
      return `${rowTexts[i]} → ${columnTexts[j]}: ${struck.has(j) ? "hidden" : texts[i * columnTexts.length + j]}`;
    };
    readUnderPointer(element, svg, options);
    const table = cells.length <= TABLE;
    later(element, () => showTable(element, table ? rowTexts : [], columnTexts, texts, options.title));
    return { height, says: sentence(options.title, mapInWords(rowTexts, columnTexts, texts, seen, struck, options.row)) };
  };
  const mapInWords = (rowTexts, columnTexts, texts, seen, struck, row) => {
    const best = [];
    for (const cell of seen) if (!(best[cell.i]?.value >= cell.value)) best[cell.i] = cell;
    const largest = (cell) => (cell ? `${columnTexts[cell.j]} ${texts[cell.k]}` : "nothing");
    const lines = rowTexts.map((label, i) => `${label}: ${largest(best[i])}`);
    const said = lines.length <= 16 ? lines : lines.filter((_, i) => i === row);
    const parts = [`${count(rowTexts.length, "row")}, ${count(columnTexts.length, "column")}`];
    if (struck.size) parts.push(`hidden: ${[...struck].map((j) => columnTexts[j]).join(", ")}`);
    if (said.length) parts.push(`largest in each row: ${said.join("; ")}`);
    return parts.join(". ");
  };
  // The cells and their numbers, on a canvas under the drawing: a hundred texts of an SVG cost
  // ten times the time. Where the system takes the colours away, a bar at the foot of each.
  const paintCells = ({ place, width, type }, cells, { width: wide, height: high }, colours, height) => {
    if (!place.canvas) {
      place.canvas = create("canvas", "painted");
      place.prepend(place.canvas);
    }
    const { canvas } = place;
    const dense = Math.max(globalThis.devicePixelRatio || 1, 1);
    const [across, down] = [width, height].map((length) => Math.ceil(length * dense));
    if (canvas.width !== across) canvas.width = across;
    if (canvas.height !== down) canvas.height = down;
    canvas.style.width = `${across / dense}px`;
    canvas.style.height = `${down / dense}px`;
    const brush = canvas.getContext("2d");
    brush.setTransform(dense, 0, 0, dense, 0, 0);
    brush.clearRect(0, 0, across, down);
    brush.font = type.font({ little: true });
    brush.textAlign = "center";
    const plain = forced();
    const snap = (at) => Math.round(at * dense) / dense; // no blurred edges
    for (const { x, y, value, text } of cells) {
      const level = colours.level(value);
      const [left, top] = [snap(x), snap(y)];
      const [right, bottom] = [snap(x + wide), snap(y + high)];
      const blank = plain && text; // without a number, its grey is all that a cell has
      brush.fillStyle = blank ? colours.paper : colours.names[level];
      brush.fillRect(left, top, right - left, bottom - top);
      if (!text) continue;
      brush.fillStyle = plain ? colours.text : colours.dark[level] ? "#fff" : "#000";
      brush.fillText(text, x + wide / 2, y + high / 2 + 0.35 * type.small - (plain ? 3 : 0));
      if (!plain) continue;
      brush.fillRect(left + 2, bottom - 5, (wide - 4) * colours.share(value), 3);
      brush.strokeStyle = colours.text;
      brush.lineWidth = 0.6;
      brush.strokeRect(left, top, right - left, bottom - top);
    }
  };
  const forced = () => matchMedia("(forced-colors: active)").matches;

  // What the colours mean: a strip from the least to the largest.
  const drawRamp = ({ type }, svg, colours, { left, top, shown, ends }) => {
    const parts = shown ? Array.from({ length: 24 }, (_, i) => i) : [];
    const wide = 4;
    const start = left + type.width(ends[0], { little: true }) + 6;
    marks(layer(svg, "ramp"), "rect", parts, (i) => ({
      fill: colours.names[Math.round((i / (parts.length - 1)) * (LEVELS - 1))],
      x: start + i * wide,
      y: top,
      width: wide + 0.5,
      height: 0.8 * type.small,
    }));
    const places = [left, start + parts.length * wide + 6];
    marks(layer(svg, "ramp-ends"), "text", shown ? ends : [], (text, i) => ({
      text,
      x: places[i],
      y: top + 0.75 * type.small,
    }));
  };

  // What is for a screen reader alone waits until a drag has paused.
  const later = (element, act) => {
    clearTimeout(element.clock);
    element.clock = setTimeout(act, 250);
  };
  const showTable = (element, rows, columns, texts, title) => {
    const key = JSON.stringify([rows, columns, texts, title]);
    if (element.tabled === key) return;
    element.tabled = key;
    element.table?.remove();
    if (!rows.length) return;
    const table = create("table");
    table.createCaption().textContent = title ?? "values";
    const head = table.createTHead().insertRow();
    const heading = (text, scope) => {
      const cell = create("th", "", text);
      cell.scope = scope;
      return cell;
    };
    head.append(create("td"), ...columns.map((text) => heading(text, "col")));
    const body = table.createTBody();
    rows.forEach((text, i) => {
      const row = body.insertRow();
      const cells = texts.slice(i * columns.length, (i + 1) * columns.length);
      row.append(heading(text, "row"), ...cells.map((cell) => create("td", "", cell)));
    });
    element.table = create("div", "view-table", table); // a table itself cannot be small
    element.append(element.table);
  };
  // The cell under the pointer in words, where the note stands.
  const readUnderPointer = (element, svg, options) => {
    element.options = options;
    if (element.reads) return;
    element.reads = true;
    const note = element.querySelector(".view-note");
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const scale = svg.clientWidth / (box.width || 1); // of a slide
      element.reading = element.cellAt((event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
      showText(note, element.reading ?? element.options.note ?? "\u00a0");
    });
    svg.addEventListener("pointerleave", () => {
      element.reading = undefined;
      showText(note, element.options.note ?? "\u00a0");
    });
  };

  // ---- Images: the maps of a layer --------------------------------------------------------

  // images(stack, across, options): an array (C, H, W) or (H, W), so many beside each other
  // where there is room.
  //   range or centre as of heat maps; each: true where each map has a range of its own;
  //   size, the largest width of a map; least, the smallest; names, a text under each map.
  const drawImages = (frame, stack, across, options) => {
    const { element, place, width } = frame;
    const [depth, rows, columns] = stack.shape.length === 2 ? [1, ...stack.shape] : stack.shape;
    const { values } = stack;
    const pixels = rows * columns;
    const shared = colouring(element, values, options);
    const gap = width < 480 ? 4 : 8;
    const dense = globalThis.devicePixelRatio || 1;
    const most = options.size ?? 96;
    let wanted = Math.min(across ?? depth, depth);
    const room = () => Math.min((width - gap * (wanted - 1)) / wanted, most);
    while (wanted > 1 && room() < (options.least ?? 26)) wanted = Math.ceil(wanted / 2);
    // Each number becomes a square of whole pixels of the screen.
    const side = Math.max(Math.floor((room() * dense) / columns), 1) / dense;
    place.grid ??= place.appendChild(create("div", "view-maps"));
    const { grid } = place;
    grid.setAttribute("role", "img");
    grid.style.gridTemplateColumns = `repeat(${wanted}, ${side * columns}px)`;
    grid.style.gap = `${gap}px`;
    while (grid.childElementCount > depth) grid.lastElementChild.remove();
    while (grid.childElementCount < depth) grid.append(create("div", "", create("canvas"), create("span")));
    if (depth === 1) element.style.flex = `0 0 ${Math.min(most, width)}px`; // in a row
    const means = [];
    [...grid.children].forEach(({ firstChild: canvas, lastChild: name }, map) => {
      showText(name, options.names?.[map]);
      if (canvas.width !== columns || canvas.height !== rows || !canvas.pixels) {
        canvas.width = columns;
        canvas.height = rows;
        canvas.pen = canvas.getContext("2d");
        canvas.image = canvas.pen.createImageData(columns, rows);
        canvas.pixels = new Uint32Array(canvas.image.data.buffer);
      }
      canvas.style.width = `${side * columns}px`;
      canvas.style.height = `${side * rows}px`;
      const start = map * pixels;
      const own = options.each ? colouring(element, values.slice(start, start + pixels), options) : shared;
      let sum = 0;
      for (let k = 0; k < pixels; k++) {
        const value = values[start + k];
        sum += Math.abs(value - (options.centre ?? 0));
        canvas.pixels[k] = own.bytes[own.level(value)];
      }
      means.push(sum / pixels);
      canvas.pen.putImageData(canvas.image, 0, 0);
    });
    const lines = Math.ceil(depth / wanted);
    const strongest = means.indexOf(Math.max(...means));
    const what = depth === 1 ? `an image of ${rows} × ${columns}` : `${depth} maps of ${rows} × ${columns}`;
    const led = depth === 1 ? "" : `, map ${strongest + 1} the strongest`;
    const ends = options.each ? "" : `, values from ${number(shared.low)} to ${number(shared.high)}`;
    const named = options.names ? 1.3 * frame.type.small : 0;
    return {
      height: lines * (side * rows + named) + (lines - 1) * gap,
      says: sentence(options.title, what + led + ends),
    };
  };

  // ---- Trees of prefixes ------------------------------------------------------------------

  // tree(nodes, options): nodes {words, value, fate, note}, each after the one it grew from.
  //   value is a number or a text, note a text behind it; fate kept, finished, pruned or lost;
  //   best, the words of the output, or a list of several; start, the text of the root;
  //   fates, other words for the legend; legend: false for none.
  const FATES = {
    kept: { ink: "prediction", text: "kept", sample: { kind: "line" } },
    finished: { ink: "good", text: "finished", sample: { kind: "box-finished" } },
    pruned: { ink: "data", text: "pruned", sample: { kind: "line", dash: "3 3" } },
    lost: { ink: "bad", text: "the right one, pruned", sample: { kind: "box-lost" } },
  };
  const DRAWN = ["pruned", "lost", "finished", "kept", "won"];
  const prefix = (words) => JSON.stringify(words);
  // Linked nodes from [{words, value, fate}], in the order given; a root without words.
  const linked = (nodes, { best = [], start = "start", digits = 2 }) => {
    const outputs = best.length && !Array.isArray(best[0]) ? [best] : best;
    const won = new Set(outputs.flatMap((words) => words.map((_, i) => prefix(words.slice(0, i + 1)))));
    const root = { label: start, text: "", fate: "kept", below: [], depth: 0, won: won.size > 0, words: [] };
    const known = new Map([[prefix([]), root]]);
    for (const { words, value, fate = "kept", note } of nodes.filter(({ words }) => words.length)) {
      const above = known.get(prefix(words.slice(0, -1)));
      if (!above) throw new Error(`tree: expected ${words.slice(0, -1).join(" ")} among the nodes`);
      if (!FATES[fate]) throw new Error(`tree: expected a fate of ${Object.keys(FATES).join(", ")}, got ${fate}`);
      const said = typeof value === "number" ? number(value, digits) : value;
      const node = {
        words,
        fate,
        above,
        below: [],
        depth: words.length,
        label: String(words.at(-1)),
        text: [said, note].filter(Boolean).join(" "),
        won: won.has(prefix(words)),
      };
      above.below.push(node);
      known.set(prefix(words), node);
    }
    return [...known.values()];
  };
  const drawTree = (frame, nodes, options) => {
    const { width, type } = frame;
    const all = linked(nodes, options);
    const pad = 4;
    const sized = (beside) => all.map((node) => {
      const words = type.width(node.label, { bold: true });
      const value = node.text ? type.width(node.text, { little: true }) : 0;
      const wide = beside ? words + (value && value + 5) : Math.max(words, value);
      return Object.assign(node, { wide: wide + 2 * pad, wordsWide: words, valueWide: value });
    });
    const leaves = all.filter(({ below }) => !below.length).length;
    const two = 2.75 * type.size;
    const one = 1.65 * type.size;
    const inColumns = (beside) => {
      sized(beside);
      const columns = [];
      for (const node of all) columns[node.depth] = Math.max(columns[node.depth] ?? 0, node.wide);
      const gaps = Math.max(columns.length - 1, 1);
      const free = (width - columns.reduce((sum, wide) => sum + wide, 0)) / gaps;
      return free >= 10 ? { columns, gap: Math.min(free, 60), beside } : undefined;
    };
    const shape = (leaves > 12 && inColumns(true)) || inColumns(false);
    let height;
    let beside;
    if (shape) {
      beside = shape.beside;
      height = placeInColumns(all, shape, beside ? one : two);
    } else {
      beside = true;
      sized(beside);
      height = placeAsOutline(all, width, one);
    }
    const svg = svgOf(frame, height);
    // Lines share their beginning: on top the one that goes furthest.
    const edges = DRAWN.flatMap((drawn) => all.filter((node) => node.above && (node.won ? "won" : node.fate) === drawn));
    marks(layer(svg, "edges"), "path", edges, (node) => ({
      class: `${node.fate} ink-${FATES[node.fate].ink}${node.won ? " won" : ""}`,
      d: node.edge,
    }));
    const boxHigh = (beside ? one : two) - (beside ? 2 : 4);
    marks(layer(svg, "boxes"), "rect", all, (node) => ({
      class: `${node.fate} ink-${FATES[node.fate].ink}${node.won ? " won" : ""}`,
      x: node.x + 0.75,
      y: node.y - boxHigh / 2 + 0.75,
      width: node.wide - 1.5,
      height: boxHigh - 1.5,
      rx: 5,
    }));
    const twoLines = ({ text }) => text && !beside;
    marks(layer(svg, "labels"), "text", all, (node) => ({
      class: node.fate + (node.won ? " won" : ""),
      text: node.label,
      x: beside ? node.x + pad : node.x + node.wide / 2,
      y: node.y + 0.35 * type.size - (twoLines(node) ? 0.52 * type.size : 0),
      "text-anchor": beside ? "start" : "middle",
    }));
    marks(layer(svg, "numbers"), "text", all.filter(({ text }) => text), (node) => ({
      class: node.fate,
      text: node.text,
      x: beside ? node.x + node.wide - pad : node.x + node.wide / 2,
      y: node.y + 0.35 * type.small + (beside ? 0 : 0.58 * type.size),
      "text-anchor": beside ? "end" : "middle",
    }));
    const present = Object.keys(FATES).filter((fate) => all.some((node) => node.above && node.fate === fate));
    const legend = present.map((fate) => {
      const { sample, ink, text } = FATES[fate];
      return { ...sample, ink, text: options.fates?.[fate] ?? text };
    });
    if (all[0].won) legend.push({ kind: "line", bold: true, ink: "prediction", text: options.fates?.best ?? "output" });
    return { height, legend: options.legend === false ? [] : legend, says: sentence(options.title, treeInWords(all)) };
  };
  const treeInWords = (all) => {
    const [, ...nodes] = all;
    const ends = nodes.filter(({ below, won }) => (won ? !below.some((node) => node.won) : !below.length));
    // First what came out of it, last what is still kept.
    const order = (node) => (node.won ? 0 : 1 + DRAWN.indexOf(node.fate));
    ends.sort((one, other) => order(one) - order(other));
    const said = ends.map(({ words, text, fate, won }) =>
      `${[...words, text].filter(Boolean).join(" ")}, ${won ? "the output" : FATES[fate].text}`);
    return [count(nodes.length, "prefix", "prefixes"), ...said].join("; ");
  };

  // A step is a column; leaves lie one below the other, the others between their own.
  const placeInColumns = (all, { columns, gap }, pitch) => {
    let free = 0;
    const row = (node) => {
      const rows = node.below.map(row);
      node.row = rows.length ? (rows[0] + rows.at(-1)) / 2 : free++;
      return node.row;
    };
    row(all[0]);
    const starts = [0];
    columns.forEach((wide, depth) => starts.push(starts[depth] + wide + gap));
    for (const node of all) {
      node.x = starts[node.depth];
      node.y = (node.row + 0.5) * pitch;
    }
    for (const node of all.slice(1)) {
      const from = node.above.x + node.above.wide;
      const bend = (from + starts[node.depth]) / 2;
      node.edge = path("M", from, node.above.y, "C", bend, node.above.y, bend, node.y, node.x, node.y);
    }
    return free * pitch;
  };
  // Where the columns do not fit: words follow each other as in a text, and where the tree
  // branches each branch begins a line below, further in.
  const placeAsOutline = (all, width, pitch) => {
    let y = pitch / 2;
    const inset = 16;
    const lay = (first, indent) => {
      const start = Math.min(indent, width - first.wide);
      let node = first;
      let x = Math.max(start, 0);
      for (;;) {
        Object.assign(node, { x, y, indent });
        if (node.below.length !== 1) break;
        const [next] = node.below;
        x += node.wide + 10;
        if (x + next.wide > width) {
          x = indent + 10;
          y += pitch;
        }
        next.edge = path("M", x - 10, y, "h", 10);
        node = next;
      }
      const foot = node.y + pitch / 2 - 3;
      for (const next of node.below) {
        y += pitch;
        const at = y;
        lay(next, indent + inset);
        next.edge = path("M", indent + 7, foot, "V", at, "H", next.x);
      }
    };
    lay(all[0], 0);
    return y + pitch / 2;
  };

  // ---- Curves -----------------------------------------------------------------------------

  // curves(series, axes, options): series {name, x, y, ink, dash, thin}, gaps where y is none.
  //   axes: x and y, [low, high] each, or what the series need; xLabel, yLabel; scale "log".
  //   options: markers {x, y, ink, text}; spans {from, to}, hatched, and spanText, why;
  //   posts, places of dotted vertical lines; height of the axes.
  const drawCurves = (frame, series, axes, options) => {
    const { width, type } = frame;
    const log = axes.scale === "log";
    const curves = series.map((curve, i) => ({
      ink: "prediction",
      dash: DASHES[i % DASHES.length],
      ...curve,
      x: listed(curve.x),
      y: listed(curve.y),
    }));
    const drawable = (value) => Number.isFinite(value) && (!log || value > 0);
    const seen = (values) => values.filter(drawable);
    const ends = (values) => [
      values.reduce((one, other) => Math.min(one, other), Infinity),
      values.reduce((one, other) => Math.max(one, other), -Infinity),
    ];
    const xEnds = axes.x ?? ends(curves.flatMap(({ x }) => x));
    let yEnds = axes.y ?? ends(curves.flatMap(({ y }) => seen(y)));
    if (!axes.y && !log) {
      const margin = 0.06 * (yEnds[1] - yEnds[0]) || 1;
      yEnds = [yEnds[0] - margin, yEnds[1] + margin];
    }
    if (!(yEnds[1] > yEnds[0])) yEnds = log ? [0.1, 1] : [-1, 1];
    const scaled = log ? Math.log10 : Number;
    const high = options.height ?? between(0.42 * width, 160, 260);
    const yTicks = log ? powersOfTen(...yEnds, high / 40) : roundNumbers(...yEnds, high / 32);
    const xTicks = roundNumbers(...xEnds, width / 70);
    // As wide as −0.5 at least, so that pictures one below the other have one axis.
    const left = type.widest(["−0.5", ...yTicks.map(({ text }) => text)], { little: true }) + 8;
    const right = Math.max(8, type.widest(xTicks.map(({ text }) => text), { little: true }) / 2);
    const top = axes.yLabel ? 1.9 * type.size : 8;
    const bottom = top + high;
    const height = bottom + 1.4 * type.small + (axes.xLabel ? 1.35 * type.size : 4);
    const room = width - left - right;
    const atX = (value) => left + (room * (value - xEnds[0])) / (xEnds[1] - xEnds[0]);
    const atY = (value) => bottom - (high * (scaled(value) - scaled(yEnds[0]))) / (scaled(yEnds[1]) - scaled(yEnds[0]));
    const svg = svgOf(frame, height);
    clipTo(svg, { x: left, y: top, width: room, height: high });
    const line = (x1, y1, x2, y2) => ({ x1, y1, x2, y2 });
    marks(layer(svg, "spans"), "rect", options.spans ?? [], ({ from, to }) => {
      const [one, other] = [from, to].map((value) => atX(between(value, ...xEnds)));
      return { class: "span", fill: svg.hatch, x: one, y: top, width: Math.max(other - one, 0), height: high };
    });
    marks(layer(svg, "grid"), "line", yTicks, ({ value }) => line(left, atY(value), left + room, atY(value)));
    const zero = [];
    if (!log && yEnds[0] < 0 && yEnds[1] > 0) zero.push(line(left, atY(0), left + room, atY(0)));
    if (xEnds[0] < 0 && xEnds[1] > 0) zero.push(line(atX(0), top, atX(0), bottom));
    marks(layer(svg, "zero"), "line", zero, (mark) => mark);
    marks(layer(svg, "axis"), "path", [0], () => ({ d: path("M", left, top, "V", bottom, "H", left + room) }));
    const drawn = layer(svg, "curves");
    set(drawn, { "clip-path": svg.clip });
    marks(layer(svg, "posts"), "line", options.posts ?? [], (value) => line(atX(value), top, atX(value), bottom));
    marks(drawn, "path", curves, ({ x, y, ink, dash, thin }) => ({
      class: `line ink-${ink}${thin ? " thin" : ""}`,
      d: pathThrough(x.map(atX), y.map((value) => (drawable(value) ? atY(value) : NaN)), top, bottom),
      "stroke-dasharray": dash || null,
    }));
    const dots = (options.markers ?? []).filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
    const inside = dots.filter(({ x, y }) => x >= xEnds[0] && x <= xEnds[1] && y >= yEnds[0] && y <= yEnds[1]);
    marks(layer(svg, "dots"), "circle", inside, ({ x, y, ink = "truth" }) => ({
      class: `box ink-${ink}`,
      cx: atX(x),
      cy: atY(y),
      r: 5,
    }));
    marks(layer(svg, "numbers"), "text", yTicks, ({ text, value }) => ({
      text,
      x: left - 6,
      y: atY(value) + 0.35 * type.small,
      "text-anchor": "end",
    }));
    marks(layer(svg, "x-numbers"), "text", xTicks, ({ text, value }) => ({
      text,
      x: atX(value),
      y: bottom + 1.3 * type.small,
      "text-anchor": "middle",
    }));
    const names = [];
    if (axes.yLabel) names.push({ text: axes.yLabel, x: 0, y: type.size, "text-anchor": "start" });
    if (axes.xLabel) names.push({ text: axes.xLabel, x: left + room, y: height - 0.35 * type.size, "text-anchor": "end" });
    marks(layer(svg, "labels"), "text", names, (mark) => mark);
    const legend = curves.filter(({ name }) => name).map(({ name, ink, dash }) => ({ kind: "line", ink, dash, text: name }));
    const span = options.spans?.length && options.spanText ? [{ kind: "hatch", text: options.spanText }] : [];
    const fromTo = (name, [low, high]) => `${name} from ${number(low)} to ${number(high)}`;
    const said = [
      ...curves.map(({ name, y }, i) => fromTo(name ?? axes.yLabel ?? `curve ${i + 1}`, ends(seen(y)))),
      ...dots.map(({ x, y, text }) => text ?? `a dot at ${number(x)}, ${number(y)}`),
      ...(options.spans ?? []).map(({ from, to }) => fromTo(options.spanText ?? "shaded", [from, to])),
    ];
    const over = fromTo(axes.xLabel ?? "x", xEnds);
    return { height, legend: [...legend, ...span], says: sentence(options.title, [over, ...said].join("; ")) };
  };
  let clips = 0;
  const clipTo = (svg, box) => {
    if (!svg.clip) {
      const clip = document.createElementNS(SVG, "clipPath");
      const name = `alive-clip-${clips++}`;
      clip.id = name;
      clip.append(document.createElementNS(SVG, "rect"));
      svg.definitions.append(clip);
      svg.clip = `url(#${name})`;
      svg.clipped = clip.firstElementChild;
    }
    set(svg.clipped, box);
  };
  // Lines through what can be drawn: a gap where a value is none, or leaps across the picture.
  const pathThrough = (xs, ys, top, bottom) => {
    let drawn = "";
    let before = NaN;
    xs.forEach((x, i) => {
      const y = between(ys[i], top - 1000, bottom + 1000);
      if (Number.isFinite(ys[i])) {
        const leaps = (before < top && y > bottom) || (before > bottom && y < top);
        drawn += (Number.isNaN(before) || leaps ? "M" : "L") + `${x.toFixed(1)} ${y.toFixed(1)}`;
      }
      before = Number.isFinite(ys[i]) ? y : NaN;
    });
    return drawn || "M0 0";
  };

  // ---- A text and the weight on each part of it -------------------------------------------

  // text(tokens, weights, options): a bar over each token, lines broken as in a text.
  //   at, the token in a frame; struck, indices; most, the weight of a full bar; inks.
  const drawText = (frame, tokens, weights, options) => {
    const { width, type } = frame;
    const texts = listed(tokens).map((token) => visible(String(token)));
    const values = listed(weights);
    const largest = options.most ?? Math.max(...values.filter(Number.isFinite), 1e-9);
    const struck = new Set(options.struck ?? []);
    const bar = 30;
    const line = bar + 1.75 * type.size;
    const gap = texts.every((text) => text.length === 1) ? 1 : 5;
    let x = 0;
    let lineNumber = 0;
    const placed = texts.map((text, i) => {
      const wide = Math.max(type.width(text) + 2, 8);
      if (x + wide > width && x > 0) {
        x = 0;
        lineNumber += 1;
      }
      const token = { text, i, x, wide, y: lineNumber * line, value: values[i] };
      x += wide + gap;
      return token;
    });
    const height = (lineNumber + 1) * line + 2;
    const svg = svgOf(frame, height);
    const tall = (value) => (value > 0 ? Math.max(bar * Math.min(value / largest, 1), 0.7) : 0);
    marks(layer(svg, "at"), "rect", placed.filter(({ i }) => i === options.at), (token) => ({
      x: token.x - 1,
      y: token.y + bar + 3,
      width: token.wide + 2,
      height: 1.5 * type.size,
      rx: 3,
    }));
    marks(layer(svg, "bars"), "rect", placed, (token) => ({
      class: `box ink-${inkOf(options.inks, token.i)}`,
      x: token.x,
      y: token.y + bar - tall(token.value),
      width: token.wide,
      height: tall(token.value),
    }));
    marks(layer(svg, "axis"), "path", placed, (token) => ({ d: path("M", token.x, token.y + bar, "h", token.wide) }));
    marks(layer(svg, "labels"), "text", placed, (token) => ({
      class: struck.has(token.i) ? "struck" : token.i === options.at ? "marked" : null,
      text: token.text,
      x: token.x + token.wide / 2,
      y: token.y + bar + 3 + 1.1 * type.size,
      "text-anchor": "middle",
    }));
    const sorted = placed.filter(({ value }) => value > 0).sort((one, other) => other.value - one.value);
    const said = sorted.slice(0, 5).map(({ text, i, value }) => `${text} at position ${i + 1} ${number(value)}`);
    const from = options.at === undefined ? "" : `from ${texts[options.at]} at position ${options.at + 1}: `;
    return { height, says: sentence(options.title, from + (said.join("; ") || "no weight")) };
  };

  // ---- Cells of a memory -------------------------------------------------------------------

  // cells(rows, columns, states, options): a cell for each row and column; states is a list for
  // all rows, or a list for each, of what CELLS names. options.states: other words for the legend.
  const CELLS = {
    kept: "kept",
    new: "written in this step",
    empty: "empty",
    dropped: "dropped",
  };
  const drawCells = (frame, rows, columns, states, options) => {
    const { width, type } = frame;
    const rowTexts = listed(rows).map(String);
    const columnTexts = listed(columns).map((text) => visible(String(text)));
    const stateOf = (i, j) => (Array.isArray(states[0]) ? states[i][j] : states[j]) ?? "empty";
    const left = type.widest(rowTexts) + 10;
    const room = width - left;
    const pitch = between(type.widest(columnTexts) + 6, 16, 48);
    const across = Math.max(Math.min(Math.floor(room / pitch), columnTexts.length), 1);
    const high = Math.round(1.35 * type.size);
    const header = 1.35 * type.size;
    const band = header + rowTexts.length * high + 10;
    const bands = Math.ceil(columnTexts.length / across);
    const height = Math.max(bands, 1) * band;
    const svg = svgOf(frame, height);
    const x = (j) => left + (j % across) * pitch;
    const y = (i, j) => Math.floor(j / across) * band + header + i * high;
    const all = rowTexts.flatMap((_, i) => columnTexts.map((_, j) => ({ i, j, state: stateOf(i, j) })));
    marks(layer(svg, "cells"), "rect", all, ({ i, j, state }) => ({
      class: `cell-${state}`,
      fill: state === "dropped" ? svg.hatch : null,
      x: x(j) + 1,
      y: y(i, j) + 1,
      width: pitch - 2,
      height: high - 2,
      rx: 2,
    }));
    marks(layer(svg, "labels"), "text", columnTexts, (text, j) => ({
      class: stateOf(0, j) === "new" ? "marked" : stateOf(0, j) === "empty" ? "cut" : null,
      text: type.shorten(text, pitch - 2),
      x: x(j) + pitch / 2,
      y: y(0, j) - 0.3 * type.size,
      "text-anchor": "middle",
    }));
    const starts = Array.from({ length: bands }, (_, k) => k * across);
    const named = starts.flatMap((j) => rowTexts.map((text, i) => ({ text, i, j })));
    marks(layer(svg, "row-labels"), "text", named, ({ text, i, j }) => ({
      text,
      x: left - 10,
      y: y(i, j) + high / 2 + 0.35 * type.size,
      "text-anchor": "end",
    }));
    const present = Object.keys(CELLS).filter((state) => all.some((cell) => cell.state === state));
    const how = (state) => all.filter((cell) => cell.state === state).length;
    return {
      height,
      legend: present.map((state) => ({
        kind: state === "dropped" ? "hatch" : `cell-${state}`,
        text: options.states?.[state] ?? CELLS[state],
      })),
      says: sentence(options.title, present.map((state) => `${how(state)} ${CELLS[state]}`).join(", ")),
    };
  };

  // ---- A table: what a row is, then its cells ----------------------------------------------

  const drawListing = ({ place }, columns, rows) => {
    const key = JSON.stringify([columns, rows]);
    if (place.key !== key) {
      place.key = key;
      const ofNumbers = columns.map((_, j) => rows.every((row) => /^[−\d.]*$/.test(row[j])));
      const cell = (text, j, scope) => {
        const made = create(scope && text ? "th" : "td", ofNumbers[j] ? "number" : "", text);
        if (scope && text) made.scope = scope;
        return made;
      };
      const table = create("table");
      table.createTHead().insertRow().append(...columns.map((text, j) => cell(text, j, "col")));
      const body = table.createTBody();
      for (const row of rows)
        body.insertRow().append(...row.map((text, j) => cell(String(text), j, j ? "" : "row")));
      place.replaceChildren(table);
    }
    return { height: place.firstElementChild.offsetHeight };
  };

  // ---- Views beside each other, and a picture that keeps its views --------------------------

  // row(...views), panel(title, ...views): elements that hold others.
  const row = (...views) => create("div", "view-row", ...views);
  const panel = (title, ...views) => create("div", "view-panel", create("p", "view-title", title), ...views);
  const kinds = {
    bars: view("bars", drawBars),
    heatmap: view("heatmap", drawHeatmap),
    images: view("images", drawImages),
    tree: view("tree", drawTree),
    curves: view("curves", drawCurves),
    text: view("text", drawText),
    cells: view("cells", drawCells),
    listing: view("listing", drawListing),
  };
  // picture(element).bars("answer", labels, values): made at the first call, the same
  // element at each later one. picture.row("top") is such a picture, its views in a row.
  // chosen lists the names of the views that are shown, by default all; the name of a row or
  // a panel stands for all that it holds. place puts the element itself where it belongs.
  const picture = (element, chosen, place = () => {}) => {
    const kept = new Map();
    const keep = (name, make, again) => {
      if (kept.has(name)) return again(kept.get(name));
      kept.set(name, make());
      return kept.get(name);
    };
    const isChosen = (name) => !chosen || chosen.includes(name);
    const put = (child) => {
      place();
      if (!child.parentElement) element.append(child);
      return child;
    };
    const inside = (name, holder) => (isChosen(name) ? picture(put(holder)) : picture(holder, chosen, () => put(holder)));
    const keeper = { element };
    for (const [kind, make] of Object.entries(kinds))
      keeper[kind] = (name, ...data) => keep(name,
        () => (isChosen(name) ? put(make(...data)) : make(...data)),
        (view) => view.update(...data));
    keeper.row = (name) => keep(name, () => inside(name, row()), (inner) => inner);
    keeper.panel = (name, title = name) => {
      const inner = keep(name, () => inside(name, panel(title)), (inner) => inner);
      showText(inner.element.firstElementChild, title);
      return inner;
    };
    return keeper;
  };

  alive.views = { ...kinds, row, panel, picture, number };
}
