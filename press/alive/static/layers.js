// The layers of the book's networks, as the chapters derive them, in loops over numbers.
// An array is { shape, values }: row after row in a Float64Array. Weights are laid out as
// PyTorch lays them out, so that W (out, in) multiplies from the right as its transpose.
"use strict";
globalThis.alive ??= {};
// What a reader is told who gave something that cannot be computed with: a sentence.
alive.Refusal ??= class Refusal extends Error {};

{
  // ---------------------------------------------------------------- arrays

  const size = (shape) => shape.reduce((product, length) => product * length, 1);

  // The array of this shape with these values, a list of numbers; zeros without values.
  function array(shape, values = size(shape)) {
    const made = { shape, values: new Float64Array(values) };
    if (made.values.length !== size(shape)) {
      const got = made.values.length;
      throw new Error(`array: expected ${size(shape)} values for (${shape}), got ${got}`);
    }
    return made;
  }

  // A weight of the network by its name, decoded when it is first asked for.
  const decoded = new WeakMap(); // network -> its bytes, and its arrays by name
  function tensor(network, name) {
    if (!(name in network.tensors)) {
      const names = Object.keys(network.tensors).join(", ");
      throw new Error(`tensor: expected one of ${names}, got ${name}`);
    }
    if (!decoded.has(network)) {
      const letters = atob(network.bytes); // a letter for each byte
      const bytes = new DataView(new ArrayBuffer(letters.length));
      for (let i = 0; i < letters.length; i++) {
        bytes.setUint8(i, letters.charCodeAt(i));
      }
      decoded.set(network, { bytes, arrays: new Map() });
    }
    const { bytes, arrays } = decoded.get(network);
    if (!arrays.has(name)) {
      const { shape, at } = network.tensors[name];
      const weights = array(shape);
      for (let i = 0; i < weights.values.length; i++) {
        weights.values[i] = bytes.getFloat32(at + 4 * i, true); // little-endian
      }
      arrays.set(name, weights);
    }
    return arrays.get(name);
  }

  // X with f applied to each value.
  const each = (X, f) => array(X.shape, X.values.map((x) => f(x)));

  // X + Y and X ⊙ Y of equal shapes.
  const add = (X, Y) => array(X.shape, X.values.map((x, i) => x + Y.values[i]));
  const multiply = (X, Y) => array(X.shape, X.values.map((x, i) => x * Y.values[i]));

  // X (n, …) -> its part i (…), and its parts from start up to end, (end − start, …).
  const row = (X, i) => reshape(rows(X, i, i + 1), X.shape.slice(1));
  function rows(X, start, end) {
    const [n, ...shape] = X.shape;
    if (!(start >= 0 && start <= end && end <= n)) {
      throw new Error(`rows: expected numbers from 0 to ${n}, got ${start} and ${end}`);
    }
    const length = size(shape);
    const values = X.values.slice(start * length, end * length);
    return array([end - start, ...shape], values);
  }

  const reshape = (X, shape) => array(shape, X.values);

  // X (n, m) -> (m, n)
  function transpose(X) {
    const [n, m] = X.shape;
    const Y = array([m, n]);
    X.values.forEach((x, i) => { Y.values[(i % m) * n + Math.floor(i / m)] = x; });
    return Y;
  }

  // n arrays (…) -> (n, …)
  function stack(arrays) {
    const values = arrays.flatMap((X) => [...X.values]);
    return array([arrays.length, ...arrays[0].shape], values);
  }

  // Arrays whose shapes differ in one axis at most -> one array, joined along that axis.
  function concatenate(arrays, axis) {
    const shape = [...arrays[0].shape];
    shape[axis] = arrays.reduce((sum, X) => sum + X.shape[axis], 0);
    const joined = array(shape);
    let filled = 0;
    for (let i = 0; i < size(shape.slice(0, axis)); i++) {
      for (const X of arrays) {
        const length = size(X.shape.slice(axis));
        joined.values.set(X.values.subarray(i * length, (i + 1) * length), filled);
        filled += length;
      }
    }
    return joined;
  }

  // The numbers of all values, from the largest value to the smallest; a tie keeps order.
  const falling = (values) =>
    [...values.keys()].sort((i, j) => values[j] - values[i]);

  // The number of the largest value; the first one in a tie.
  const argmax = (values) =>
    values.reduce((best, value, i) => (value > values[best] ? i : best), 0);

  // ------------------------------------------------- full and convolutional

  // X (…, in), W (out, in), b (out) or none -> X Wᵀ + b, (…, out)
  function linear(X, W, b) {
    const [outputs, inputs] = W.shape;
    if (X.shape.at(-1) !== inputs) {
      throw new Error(`linear: expected rows of ${inputs} numbers, got (${X.shape})`);
    }
    const Y = array([...X.shape.slice(0, -1), outputs]);
    const x = X.values;
    const w = W.values;
    for (let n = 0; n < x.length / inputs; n++) {
      for (let j = 0; j < outputs; j++) {
        let sum = b ? b.values[j] : 0;
        for (let i = 0; i < inputs; i++) {
          sum += x[n * inputs + i] * w[j * inputs + i];
        }
        Y.values[n * outputs + j] = sum;
      }
    }
    return Y;
  }

  // X (C, H, W), filters (K, C, h, w), b (K) -> (K, H − h + 1, W − w + 1); stride 1
  function conv2d(X, filters, b) {
    const [C, H, W] = X.shape;
    const [K, channels, h, w] = filters.shape;
    if (channels !== C) {
      throw new Error(`conv2d: expected ${channels} channels, got (${X.shape})`);
    }
    const Y = array([K, H - h + 1, W - w + 1]);
    const x = X.values;
    const filter = filters.values;
    let filled = 0;
    for (let k = 0; k < K; k++) {
      for (let i = 0; i <= H - h; i++) {
        for (let j = 0; j <= W - w; j++) {
          let sum = b.values[k];
          for (let c = 0; c < C; c++) {
            for (let u = 0; u < h; u++) {
              const pixels = (c * H + i + u) * W + j;
              const weights = ((k * C + c) * h + u) * w;
              for (let v = 0; v < w; v++) {
                sum += x[pixels + v] * filter[weights + v];
              }
            }
          }
          Y.values[filled++] = sum;
        }
      }
    }
    return Y;
  }

  // X (C, H, W) -> the means of its squares of s × s pixels, (C, ⌊H / s⌋, ⌊W / s⌋)
  function avgPool2d(X, s) {
    const [C, H, W] = X.shape;
    const Y = array([C, Math.floor(H / s), Math.floor(W / s)]);
    let filled = 0;
    for (let c = 0; c < C; c++) {
      for (let i = 0; i + s <= H; i += s) {
        for (let j = 0; j + s <= W; j += s) {
          let sum = 0;
          for (let u = 0; u < s; u++) {
            for (let v = 0; v < s; v++) {
              sum += X.values[(c * H + i + u) * W + j + v];
            }
          }
          Y.values[filled++] = sum / s ** 2;
        }
      }
    }
    return Y;
  }

  // -------------------------------------------------- activation functions

  const relu = (X) => each(X, (x) => Math.max(x, 0));
  const tanh = (X) => each(X, Math.tanh);
  const logistic = (x) => 1 / (1 + Math.exp(-x));
  const sigmoid = (X) => each(X, logistic);
  const gelu = (X) => each(X, (x) => (x / 2) * (1 + erf(x / Math.SQRT2)));

  // 2/√π e^(−x²) (x + 2x³/3 + 4x⁵/15 + …): no term cancels another, so it is exact.
  function erf(x) {
    if (Math.abs(x) > 6) {
      return Math.sign(x); // up to 2e-17
    }
    let term = x;
    let sum = x;
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  }

  // ------------------------------------------------ along the last axis

  // X with f applied to each of its rows, the numbers of the last axis.
  function eachRow(X, f) {
    const length = X.shape.at(-1);
    const Y = array(X.shape);
    for (let start = 0; start < X.values.length; start += length) {
      Y.values.set(f(X.values.subarray(start, start + length)), start);
    }
    return Y;
  }

  // e^s / Σ e^s; a score of −Infinity is masked and gets 0. NaN if all are masked.
  function softmax(S) {
    return eachRow(S, (scores) => {
      const largest = Math.max(...scores); // e^s would overflow
      const powers = scores.map((s) => Math.exp(s - largest));
      const sum = powers.reduce((a, b) => a + b, 0);
      return powers.map((power) => power / sum);
    });
  }

  // s − ln Σ e^s
  function logSoftmax(S) {
    return eachRow(S, (scores) => {
      const largest = Math.max(...scores);
      const sum = scores.reduce((before, s) => before + Math.exp(s - largest), 0);
      return scores.map((s) => s - largest - Math.log(sum));
    });
  }

  // g (x − mean) / √(variance + ε) + b for rows x (d); g (d) and b (d) serve all rows
  function layerNorm(X, g, b, epsilon = 1e-5) {
    return eachRow(X, (x) => {
      const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
      const variance = x.reduce((sum, v) => sum + (v - mean) ** 2, 0) / x.length;
      const std = Math.sqrt(variance + epsilon);
      return x.map((value, i) => (g.values[i] * (value - mean)) / std + b.values[i]);
    });
  }

  // Rows x / ‖x‖; a row of zeros stays one.
  function unit(X) {
    return eachRow(X, (x) => {
      const length = Math.max(Math.hypot(...x), 1e-8);
      return x.map((value) => value / length);
    });
  }

  // ---------------------------------------------------------------- words

  // Numbers that stand for no word, as in utils.text; an unknown word is read as UNK.
  const [PAD, BOS, EOS, UNK] = [0, 1, 2, 3];

  // Words -> their numbers in a vocabulary, a list of words
  function encode(words, vocabulary) {
    const numbers = words.map((word) => vocabulary.indexOf(word));
    return numbers.map((number) => (number < 0 ? UNK : number));
  }

  // A table (V, d) and T numbers of words -> their rows (T, d)
  function embedding(table, numbers) {
    return stack(numbers.map((number) => row(table, number)));
  }

  // A step of PyTorch's GRU with gates r, z, n: x (in), h (d) -> new h (d).
  // W_x (3d, in), W_h (3d, d), b_x (3d), b_h (3d): r, z and n one below the other.
  function gruStep(x, h, W_x, W_h, b_x, b_h) {
    const [d] = h.shape;
    const fromInput = linear(x, W_x, b_x).values;
    const fromState = linear(h, W_h, b_h).values;
    return array([d], h.values.map((before, i) => {
      const r = logistic(fromInput[i] + fromState[i]);
      const z = logistic(fromInput[d + i] + fromState[d + i]);
      const n = Math.tanh(fromInput[2 * d + i] + r * fromState[2 * d + i]);
      return z * before + (1 - z) * n;
    }));
  }

  // All steps of a GRU from h = 0: X (T, in) -> the states (T, d)
  function gru(X, W_x, W_h, b_x, b_h) {
    const states = [];
    let h = array([W_h.shape[1]]);
    for (let t = 0; t < X.shape[0]; t++) {
      h = gruStep(row(X, t), h, W_x, W_h, b_x, b_h);
      states.push(h);
    }
    return stack(states);
  }

  // ------------------------------------------------------------ attention

  // X (T, d) -> (h, T, d / h): head i has the i-th part of each row
  function splitHeads(X, h) {
    const [T, d] = X.shape;
    const heads = array([h, T, d / h]);
    let filled = 0;
    for (let i = 0; i < h; i++) {
      for (let t = 0; t < T; t++) {
        const start = t * d + (i * d) / h;
        heads.values.set(X.values.subarray(start, start + d / h), filled);
        filled += d / h;
      }
    }
    return heads;
  }

  // (h, T, d / h) -> (T, d): the way back
  function joinHeads(heads) {
    const parts = Array.from({ length: heads.shape[0] }, (_, i) => row(heads, i));
    return concatenate(parts, 1);
  }

  // Q (h, M, k), K (h, N, k), V (h, N, v) -> output (h, M, v), weights (h, M, N).
  // maySee(m, n): may query m look at key n? Without it each query sees all keys.
  function attention(Q, K, V, maySee = () => true) {
    const [h, M, k] = Q.shape;
    const N = K.shape[1];
    const scores = array([h, M, N]);
    for (let i = 0; i < h; i++) {
      const products = linear(row(Q, i), row(K, i)).values; // Q Kᵀ, (M, N)
      for (let m = 0; m < M; m++) {
        for (let n = 0; n < N; n++) {
          const score = maySee(m, n) ? products[m * N + n] / Math.sqrt(k) : -Infinity;
          scores.values[(i * M + m) * N + n] = score;
        }
      }
    }
    const weights = softmax(scores);
    const heads = [];
    for (let i = 0; i < h; i++) {
      heads.push(linear(row(weights, i), transpose(row(V, i)))); // A V, (M, v)
    }
    return { output: stack(heads), weights };
  }

  // Rotary positions: in row t of X (…, T, d) pair i turns by (start + t) 10000^(−2i/d).
  function rotate(X, start = 0) {
    const [T, d] = X.shape.slice(-2);
    const Y = array(X.shape);
    for (let at = 0; at < X.values.length; at += 2) {
      const t = Math.floor(at / d) % T;
      const angle = (start + t) * 10000 ** (-(at % d) / d);
      const [x, y] = [X.values[at], X.values[at + 1]];
      Y.values[at] = x * Math.cos(angle) + y * Math.sin(angle);
      Y.values[at + 1] = y * Math.cos(angle) - x * Math.sin(angle);
    }
    return Y;
  }

  alive.array = array;
  alive.tensor = tensor;
  alive.layers = {
    array, tensor, each, add, multiply, row, rows, reshape, transpose, stack,
    concatenate, falling, argmax,
    linear, conv2d, avgPool2d,
    relu, tanh, sigmoid, erf, gelu,
    softmax, logSoftmax, layerNorm, unit,
    PAD, BOS, EOS, UNK, encode, embedding, gruStep, gru,
    splitHeads, joinHeads, attention, rotate,
  };
}
