// Chapter 12: what LeNet makes of a digit that the reader draws.
"use strict";

{
  const { array, argmax, avgPool2d, conv2d, linear, relu, reshape, softmax } = alive.layers;
  const CANVAS = 32; // pixels of the drawing, and of the network's input
  const CELLS = 8; // as the digits of the data have them
  const LARGE = 20; // pixels of a digit, enlarged
  const TRACE = 0.02; // ink of a pixel that is drawn

  // How much of each pixel lies in each of the eight cells of a frame: (8, 32), from first
  // and last drawn pixel and the frame's size.
  function shares([first, last], size) {
    const start = (first + last + 1 - size) / 2;
    const cell = size / CELLS;
    const covered = array([CELLS, CANVAS]);
    for (let i = 0; i < CELLS; i++) {
      for (let pixel = 0; pixel < CANVAS; pixel++) {
        const from = Math.max(start + i * cell, pixel);
        const to = Math.min(start + (i + 1) * cell, pixel + 1);
        covered.values[i * CANVAS + pixel] = Math.max(to - from, 0) / cell;
      }
    }
    return covered;
  }

  // The drawing (32, 32) as the data are: 8 × 8 means of a frame around what is drawn.
  function asData(drawing) {
    const rows = [];
    const columns = [];
    drawing.values.forEach((ink, i) => {
      if (ink <= TRACE) return;
      rows.push(Math.floor(i / CANVAS));
      columns.push(i % CANVAS);
    });
    if (!rows.length) throw new alive.Refusal("Nothing is drawn, so there is no digit to classify.");
    const [high, wide] = [rows, columns].map((places) => [Math.min(...places), Math.max(...places)]);
    const size = Math.max(high[1] - high[0], wide[1] - wide[0]) + 1;
    const down = shares(high, size);
    const across = shares(wide, size);
    return linear(linear(down, transposed(drawing)), across); // down · drawing · acrossᵀ
  }

  function transposed(X) {
    const [rows, columns] = X.shape;
    return array([columns, rows], X.values.map((_, i) => X.values[(i % rows) * columns + Math.floor(i / rows)]));
  }

  // A value between pixels, from the four around it; paper outside.
  function between(image, size, row, column) {
    const [top, left] = [Math.floor(row), Math.floor(column)];
    let sum = 0;
    for (const i of [top, top + 1]) {
      for (const j of [left, left + 1]) {
        if (i < 0 || j < 0 || i >= size || j >= size) continue;
        sum += (1 - Math.abs(row - i)) * (1 - Math.abs(column - j)) * image.values[i * size + j];
      }
    }
    return sum;
  }

  // 8 × 8 enlarged to 20 × 20, in the middle of 32 × 32; at the edge the last pixel goes on.
  function enlarged(small) {
    const margin = (CANVAS - LARGE) / 2;
    const large = array([CANVAS, CANVAS]);
    const place = (i) => Math.min(Math.max(((i + 0.5) * CELLS) / LARGE - 0.5, 0), CELLS - 1);
    for (let i = 0; i < LARGE; i++) {
      for (let j = 0; j < LARGE; j++) {
        large.values[(margin + i) * CANVAS + margin + j] = between(small, CELLS, place(i), place(j));
      }
    }
    return large;
  }

  // Turned against the clock around the middle, by degrees, then moved to the right.
  function moved(image, angle, shift) {
    const middle = (CANVAS - 1) / 2;
    const [cos, sin] = [Math.cos, Math.sin].map((f) => f((angle * Math.PI) / 180));
    return array([CANVAS, CANVAS], image.values.map((_, k) => {
      const y = Math.floor(k / CANVAS) - middle;
      const x = (k % CANVAS) - shift - middle;
      return between(image, CANVAS, cos * y + sin * x + middle, cos * x - sin * y + middle);
    }));
  }

  alive.program("digit", {
    compute(network, { digit, shift, angle }) {
      const weight = (name) => alive.tensor(network, name);
      const layer = (f, X, number) => f(X, weight(`${number}.weight`), weight(`${number}.bias`));
      const { level, spread } = network.data;
      const image = moved(enlarged(asData(digit)), angle, shift);
      const input = array([1, CANVAS, CANVAS], image.values.map((ink) => (ink - level) / spread));
      const C1 = relu(layer(conv2d, input, 0));
      const S2 = avgPool2d(C1, 2);
      const C3 = relu(layer(conv2d, S2, 3));
      const S4 = avgPool2d(C3, 2);
      const C5 = relu(layer(conv2d, S4, 6));
      const F6 = relu(layer(linear, reshape(C5, [120]), 9));
      const out = layer(linear, F6, 11);
      return { input, C1, S2, C3, S4, out, probabilities: softmax(out) };
    },

    show(picture, { input, C1, S2, C3, S4, probabilities }) {
      const best = argmax(probabilities.values);
      const digits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
      const top = picture.row("top"); // on a phone one below the other, the answer first
      top.bars("probabilities", digits, probabilities, {
        title: "Probabilities", range: [0, 1], marked: best,
      });
      top.images("input", input, 1, { title: "Input: 32 × 32", size: 200 });
      const first = picture.row("first");
      first.images("C1", C1, 3, { title: "C1: 6 maps of 28 × 28", size: 56 });
      first.images("S2", S2, 3, { title: "S2: 6 maps of 14 × 14", size: 56 });
      const second = picture.row("second");
      second.images("C3", C3, 8, { title: "C3: 16 maps of 10 × 10", size: 40 });
      second.images("S4", S4, 8, { title: "S4: 16 maps of 5 × 5", size: 40 });
      return `The network says ${best}, with probability ${probabilities.values[best].toFixed(2)}.`;
    },
  });
}
