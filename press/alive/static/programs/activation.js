// Chapter 6: an activation function that the reader types, in one unit and through 30 layers.
"use strict";

{
  const { array } = alive.layers;
  const GRID = Array.from({ length: 501 }, (_, i) => (i - 250) / 50); // z from −5 to 5
  const FLAT = 0.05; // a derivative smaller than this passes little
  const TANGENT = 1.5; // of it to either side
  const NONE = -300; // stands for the logarithm of 0

  // X (N, D) and W (D, D) -> s X W
  function times(X, W, s) {
    const D = Math.sqrt(W.length);
    const Y = new Float64Array(X.length);
    for (let n = 0; n < X.length; n += D) {
      for (let i = 0; i < D; i++) {
        const x = s * X[n + i];
        for (let j = 0; j < D; j++) Y[n + j] += x * W[i * D + j];
      }
    }
    return Y;
  }

  // dY (N, D) and W (D, D) -> s dY Wᵀ
  function timesTransposed(dY, W, s) {
    const D = Math.sqrt(W.length);
    const dX = new Float64Array(dY.length);
    for (let n = 0; n < dY.length; n += D) {
      for (let i = 0; i < D; i++) {
        let sum = 0;
        for (let j = 0; j < D; j++) sum += dY[n + j] * W[i * D + j];
        dX[n + i] = s * sum;
      }
    }
    return dX;
  }

  const rms = (values) => Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length);
  const power = (size) => (size > 0 ? Math.max(Math.log10(size), NONE) : NONE);

  // Sizes as powers of ten, from the first on to the last that is finite; zeros after it.
  function powers(sizes, length) {
    const end = sizes.findIndex((size) => !Number.isFinite(size));
    const reached = end < 0 ? sizes.length : end;
    const kept = Array.from({ length }, (_, l) => (l < reached ? power(sizes[l]) : 0));
    return [array([length], kept), reached];
  }

  // What becomes of the signal X forward, and of the gradient dA back.
  function throughLayers(network, f, s) {
    const weights = alive.tensor(network, "W");
    const [L, D] = weights.shape;
    const W = (l) => weights.values.subarray(l * D * D, (l + 1) * D * D);
    const forward = [], slopes = [];
    let A = alive.tensor(network, "X").values;
    for (let l = 0; l < L; l++) {
      const Z = times(A, W(l), s);
      const { value, slope } = f.over(Z);
      forward.push(rms(Z));
      slopes.push(slope);
      A = value;
    }
    let dA = alive.tensor(network, "dA").values;
    const back = [rms(dA)];
    for (let l = L - 1; l >= 0; l--) {
      const dZ = dA.map((d, i) => d * slopes[l][i]);
      dA = timesTransposed(dZ, W(l), s);
      back.push(rms(dA));
    }
    return [forward, back.map((size) => size / back[0])];
  }

  const minus = (number) => String(number).replace("-", "−");
  const told = (x) => (Number.isFinite(x) ? alive.views.number(x, 3) : minus(x).replace("Infinity", "∞").replace("NaN", "nan"));

  // Refuses what no layer can use: a stretch without values, or no derivative at all.
  function refuse(f, { value, slope }) {
    const gap = value.findIndex((v, i) => !Number.isFinite(v) && !Number.isFinite(value[i + 1]) && i < 500);
    if (gap >= 0) {
      const at = minus(GRID[gap]);
      throw new alive.Refusal(`A net input may be any number, but ${f.text} is nan or infinite at x = ${at}.`);
    }
    if (!slope.some(Number.isFinite)) throw new alive.Refusal(`The chain rule finds no derivative of ${f.text} at any x.`);
  }

  alive.program("activation", {
    compute(network, { f, z, s }) {
      const { value, slope } = f.over([...GRID, z]);
      refuse(f, { value: value.subarray(0, 501), slope: slope.subarray(0, 501) });
      const [forward, back] = throughLayers(network, f, s);
      const [signal, up] = powers(forward, forward.length);
      const comes = up === forward.length; // else there is no end from which it comes back
      const [gradient, down] = powers(comes ? back : [NaN], back.length);
      return {
        value: array([501], value.subarray(0, 501)),
        slope: array([501], slope.subarray(0, 501)),
        here: array([2], [value[501], slope[501]]),
        signal, // powers of ten: RMS of z in layer 1, 2, …
        gradient, // and of the gradient after 0, 1, … layers back
        reached: array([2], [up, down]), // how many of them are finite
      };
    },

    show(picture, { value, slope, here, signal, gradient, reached }, { f, z, s }) {
      const { number } = alive.views;
      const [y, m] = here.values;
      const row = picture.row("panels");
      const unit = row.panel("unit", "One unit");
      const spans = flatParts(slope.values);
      const dot = (at, text) => [{ x: z, y: at, ink: "truth", text }];
      const x = [-5, 5];
      unit.curves("value",
        [
          { x: GRID, y: value.values, ink: "prediction", dash: "", name: "f(z)" },
          { x: [z - TANGENT, z + TANGENT], y: [y - TANGENT * m, y + TANGENT * m], ink: "gradient", dash: "", thin: true, name: "tangent" },
        ],
        { x, y: framed(value.values, -1.5, 3.5) },
        { title: `f(${minus(z)}) = ${told(y)}`, spans, posts: [z], markers: dot(y, `f of z is ${told(y)}`), height: 150 });
      unit.curves("slope",
        [{ x: GRID, y: slope.values, ink: "gradient", dash: "", name: "f′(z)" }],
        { x, y: framed(slope.values, -0.5, 1.5), xLabel: "z" },
        { title: `f′(${minus(z)}) = ${told(m)}`, spans, spanText: "derivative below 0.05 in size", posts: [z], markers: dot(m, `its derivative is ${told(m)}`), height: 90 });
      const [up, down] = reached.values;
      const L = signal.shape[0];
      const size = (array, count) => [...array.values.subarray(0, count)].map((exponent) => 10 ** exponent);
      const ended = ending(up, down, L, gradient.values);
      row.panel("depth", `Thirty layers, weights of scale ${s}`).curves("depth",
        [
          { x: GRID.slice(0, up).map((_, l) => l + 1), y: size(signal, up), ink: "prediction", name: "z, forward" },
          { x: GRID.slice(0, down).map((_, l) => L - l), y: size(gradient, down), ink: "gradient", name: "gradient, back" },
        ],
        { x: [0, L], y: [1e-16, 1e8], scale: "log", xLabel: "layer", yLabel: "RMS" },
        { note: ended, height: 285 });
      const after = ended || `After thirty layers the signal is 10 to the power ${number(signal.values[L - 1], 1)}, the gradient 10 to the power ${number(gradient.values[L], 1)}.`;
      return `f of ${minus(z)} is ${told(y)}, its derivative ${told(m)}. ${after}`;
    },
  });

  // The stretches in which the derivative is small.
  function flatParts(slope) {
    const parts = [];
    slope.forEach((m, i) => {
      if (!(Math.abs(m) < FLAT)) return;
      const last = parts.at(-1);
      if (last && last.to === GRID[i - 1]) last.to = GRID[i];
      else parts.push({ from: GRID[i], to: GRID[i] });
    });
    return parts;
  }

  // Ends of an axis: at least from low to high, at most 2.5 further.
  function framed(values, low, high) {
    let [least, most] = [low, high];
    for (const value of values) {
      if (value < least) least = value;
      if (value > most) most = value;
    }
    return [Math.max(least, low - 2.5), Math.min(most, high + 2.5)];
  }

  // What ends before the last layer, in a sentence.
  function ending(up, down, L, gradient) {
    if (up < L) return `In layer ${up + 1} the RMS of z is infinite or nan, so no gradient comes back.`;
    if (down <= L) return `Below layer ${L + 1 - down} the RMS of the gradient is infinite or nan.`;
    const lost = gradient.indexOf(NONE);
    return lost < 0 ? "" : `Below layer ${L + 1 - lost} the RMS of the gradient is 0.`;
  }
}
