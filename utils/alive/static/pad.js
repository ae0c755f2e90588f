// A canvas to draw on: finger, pen, mouse, keyboard. A classic script on a page; in JupyterLab
// utils/alive/pad.py makes a module of it. The text of a drawing is that of utils/alive/inputs.py:
// "start", "empty", or strokes such as 8:4-24:4-12:28;10:16-20:16 in pixels, column:row.
"use strict";
globalThis.alive ??= {};

{
  const STEP = 0.7; // pixels: a pointer that has moved less adds no point
  const POINT = /^(\d+\.?\d*):(\d+\.?\d*)$/;
  const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const HELP =
    "Draw with a finger, a pen or the mouse. By keyboard: the arrow keys move the pen, " +
    "the space bar sets it down and lifts it, Delete clears.";

  // The points of each stroke of a text, and whether it begins with the start.
  function strokesOf(text) {
    const parts = text.split(";").filter(Boolean);
    const strokes = parts.filter((part) => part !== "start" && part !== "empty");
    const points = strokes.map((stroke) => stroke.split("-").map((point) => {
      const [, x, y] = point.match(POINT) ?? [];
      if (x === undefined)
        throw new alive.Refusal(`expected start, empty or strokes such as 8:4-24:4, got '${stroke}'`);
      return [Number(x), Number(y)];
    }));
    return { points, begun: parts.includes("start") };
  }

  // Put the ink of a piece of a stroke into an image: full within the pen's width, less at its
  // rim. Farther away than reach there is none.
  function ink(image, size, width, [x, y], [toX, toY]) {
    const [dx, dy] = [toX - x, toY - y];
    const length = dx * dx + dy * dy;
    const reach = width / 2 + 0.5;
    const first = (a, b) => Math.max(Math.floor(Math.min(a, b) - reach) - 1, 0);
    const end = (a, b) => Math.min(Math.ceil(Math.max(a, b) + reach) + 1, size);
    for (let row = first(y, toY); row < end(y, toY); row++) {
      for (let column = first(x, toX); column < end(x, toX); column++) {
        const [px, py] = [column + 0.5 - x, row + 0.5 - y];
        const along = length ? Math.min(Math.max((px * dx + py * dy) / length, 0), 1) : 0;
        const distance = Math.hypot(px - along * dx, py - along * dy);
        const dark = Math.min(Math.max(reach - distance, 0), 1);
        image[row * size + column] = Math.max(image[row * size + column], dark);
      }
    }
  }

  // The drawing of a text, size × size numbers: 0 is paper, 1 is ink.
  function drawingOf(text, { size, pen, image }) {
    const { points, begun } = strokesOf(text);
    const drawing = new Float64Array(size * size);
    if (begun) drawing.set(image);
    for (const stroke of points)
      for (let i = 0; i < Math.max(1, stroke.length - 1); i++) // a single point is a dot
        ink(drawing, size, pen, stroke[i], stroke[Math.min(i + 1, stroke.length - 1)]);
    return drawing;
  }

  // An element to draw on, with text(), set(text) and drawing(); changed(text) is called when
  // the reader has drawn.
  function pad(settings, changed) {
    const { size, pen, label, start } = settings;
    const make = (tag, name) => Object.assign(document.createElement(tag), { className: name });
    const element = make("div", "pad");
    const canvas = make("canvas", "pad-canvas");
    const mark = make("span", "pad-mark"); // where the pen of the keyboard is
    const surface = make("div", "pad-surface");
    const help = make("p", "pad-help");
    const buttons = make("div", "pad-buttons");
    const side = make("div", "pad-side");
    canvas.width = canvas.height = size;
    surface.tabIndex = 0;
    surface.setAttribute("role", "application");
    surface.setAttribute("aria-label", label);
    help.textContent = HELP;
    help.id = `pad-help-${(alive.pads = (alive.pads ?? 0) + 1)}`;
    surface.setAttribute("aria-describedby", help.id);
    surface.append(canvas, mark);
    side.append(buttons, help);
    element.append(surface, side);

    let begun, strokes, drawing;
    const written = ([x, y]) => `${Number(x.toFixed(1))}:${Number(y.toFixed(1))}`;
    const text = () => {
      const parts = strokes.map((stroke) => stroke.map(written).join("-"));
      return [...(begun ? ["start"] : []), ...parts].join(";") || "empty";
    };
    const paint = () => {
      const brush = canvas.getContext("2d");
      const image = brush.createImageData(size, size);
      drawing.forEach((dark, i) => { image.data[4 * i + 3] = Math.round(255 * dark); });
      brush.putImageData(image, 0, 0);
    };
    const set = (value) => {
      ({ points: strokes, begun } = strokesOf(value));
      drawing = drawingOf(value, settings);
      paint();
    };
    const before = []; // the texts of the drawings that Undo brings back
    const remember = () => before.push(text());
    const add = (point, isFirst) => {
      if (isFirst) {
        remember();
        strokes.push([point]);
      }
      const stroke = strokes.at(-1);
      const last = stroke.at(-1);
      if (!isFirst && Math.hypot(point[0] - last[0], point[1] - last[1]) < STEP) return;
      if (!isFirst) stroke.push(point);
      ink(drawing, size, pen, last, point);
      paint();
      changed(text());
    };

    const rounded = (value) => Math.round(10 * Math.min(Math.max(value, 0), size)) / 10;
    const pointOf = (event) => {
      const box = canvas.getBoundingClientRect();
      return [
        rounded((size * (event.clientX - box.left)) / box.width),
        rounded((size * (event.clientY - box.top)) / box.height),
      ];
    };
    let drawingBy; // the pointer that is down
    surface.addEventListener("pointerdown", (event) => {
      if (event.button || drawingBy !== undefined) return;
      drawingBy = event.pointerId;
      surface.setPointerCapture(event.pointerId);
      add(pointOf(event), true);
    });
    surface.addEventListener("pointermove", (event) => {
      if (event.pointerId !== drawingBy) return;
      const moves = event.getCoalescedEvents?.() ?? [];
      for (const move of moves.length ? moves : [event]) add(pointOf(move), false);
    });
    for (const end of ["pointerup", "pointercancel"])
      surface.addEventListener(end, () => { drawingBy = undefined; });

    // The keyboard's pen.
    const pencil = { at: [size / 2, size / 2], down: false };
    const place = () => {
      mark.style.left = `${(100 * pencil.at[0]) / size}%`;
      mark.style.top = `${(100 * pencil.at[1]) / size}%`;
      mark.classList.toggle("down", pencil.down);
    };
    surface.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in MOVES) {
        const far = event.shiftKey ? 4 : 1;
        pencil.at = pencil.at.map((value, axis) => rounded(value + far * MOVES[event.key][axis]));
        if (pencil.down) add([...pencil.at], false);
      } else if (event.key === " ") {
        pencil.down = !pencil.down;
        if (pencil.down) add([...pencil.at], true);
      } else if (event.key === "Delete" || event.key === "Backspace") {
        pencil.down = false;
        replace("empty");
      } else return;
      event.preventDefault();
      event.stopPropagation(); // a deck's and JupyterLab's keys
      place();
    });
    surface.addEventListener("blur", () => { pencil.down = false; place(); });

    const replace = (value) => {
      if (value !== text()) remember();
      set(value);
      changed(text());
    };
    const button = (name, act) => {
      const made = buttons.appendChild(make("button", "pad-button"));
      made.type = "button";
      made.textContent = name;
      made.addEventListener("click", act);
    };
    button("Clear", () => replace("empty"));
    button("Undo", () => {
      if (before.length) set(before.pop());
      changed(text());
    });
    button("As at first", () => replace(start));
    set(start);
    place();
    return {
      element,
      set: (value) => {
        if (value !== text()) remember(); // a link may have replaced what was drawn
        set(value);
      },
      text,
      drawing: () => drawing,
    };
  }

  // What the reader gave cannot be computed with; the message is a sentence for the reader.
  alive.Refusal ??= class Refusal extends Error {};
  alive.pad = pad;
  alive.drawingOf = drawingOf;
}
