// The character model of Chapter 17: the probabilities of the next character, whom each
// position attends to, and what the key–value cache holds. The cache stays between two steps:
// of a text that begins as the last one did, only what is new is read.
"use strict";
globalThis.alive ??= {};

{
  const {
    add, argmax, array, concatenate, each, embedding, falling, gelu, layerNorm, linear, row,
    softmax, stack, splitHeads, joinHeads, attention, rotate,
  } = alive.layers;

  // ------------------------------------------------------------ the network

  // Reads T new characters behind the S of the cache, a list with K and V (h, S, d_h) of each
  // block -> scores (T, C) of the next character, the weights (h, T, S + T) of each block,
  // and the cache of all S + T.
  function read(network, characters, cache) {
    const weight = (name) => alive.tensor(network, name);
    const full = (X, name) => linear(X, weight(`${name}.weight`), weight(`${name}.bias`));
    const norm = (X, name) => layerNorm(X, weight(`${name}.weight`), weight(`${name}.bias`));
    const { heads, blocks } = network.data;
    const weights = [];
    const kept = [];
    let X = embedding(weight("embed.weight"), characters); // (T, d)
    for (let l = 0; l < blocks; l++) {
      const block = `blocks.${l}`;
      const attended = attend(norm(X, `${block}.norm_1`), `${block}.attention`, cache[l]);
      X = add(X, attended);
      const Z = gelu(full(norm(X, `${block}.norm_2`), `${block}.up`));
      X = add(X, full(Z, `${block}.down`));
    }
    const scores = linear(norm(X, "norm"), weight("embed.weight")); // tied
    return { scores, weights, cache: kept };

    // Masked attention with rotary positions, X (T, d) to the characters before and itself.
    function attend(X, name, before) {
      const start = before ? before.K.shape[1] : 0; // characters that the cache holds
      const Q = rotate(splitHeads(full(X, `${name}.W_q`), heads), start);
      let K = rotate(splitHeads(full(X, `${name}.W_k`), heads), start);
      let V = splitHeads(full(X, `${name}.W_v`), heads);
      if (before) {
        K = concatenate([before.K, K], 1);
        V = concatenate([before.V, V], 1);
      }
      const mixed = attention(Q, K, V, (t, s) => s <= start + t);
      kept.push({ K, V });
      weights.push(mixed.weights);
      return full(joinHeads(mixed.output), `${name}.W_o`);
    }
  }

  // X (h, S, w) -> the first n rows of each head, and of these the first numbers: (h, n, width)
  function first(X, n, width = X.shape[2]) {
    const [h, S, w] = X.shape;
    const Y = array([h, n, width]);
    for (let i = 0; i < h; i++) {
      for (let t = 0; t < n; t++) {
        const start = (i * S + t) * w;
        Y.values.set(X.values.subarray(start, start + width), (i * n + t) * width);
      }
    }
    return Y;
  }

  // The network and the T characters that were read last, the cache, and the weights
  // (h, T, T) of each block.
  let known = {};

  // Reads T characters, only those that differ from the last ones -> scores (C) of the next
  // character, and what is known now.
  function readOn(network, characters) {
    const before = known.network === network ? known.characters : [];
    let same = 0;
    while (same < characters.length - 1 && characters[same] === before[same]) same++;
    const cache = known.cache?.map(({ K, V }) => ({ K: first(K, same), V: first(V, same) }));
    const now = read(network, characters.slice(same), same ? cache : []);
    const weights = now.weights.map((rows, l) => {
      if (!same) return rows;
      const [h, added] = rows.shape;
      const later = array([h, same, added]); // later characters have no weight
      return concatenate([concatenate([first(known.weights[l], same, same), later], 2), rows], 1);
    });
    known = { network, characters: [...characters], cache: now.cache, weights };
    return { scores: row(now.scores, now.scores.shape[0] - 1), ...known };
  }

  // ------------------------------------------------------------ the next character

  // Scores (C) over the temperature as probabilities.
  const tempered = (scores, temperature) => softmax(each(scores, (s) => s / temperature)).values;

  // The most probable characters until they have this share together, as in Chapter 13.
  function topP(p, share) {
    const kept = new Float64Array(p.length);
    let before = 0; // what the more probable ones have
    for (const i of falling(p)) {
      if (before >= share - 1e-12) break;
      kept[i] = p[i];
      before += p[i];
    }
    return kept.map((value) => value / before);
  }

  // The number of a character that is drawn with these probabilities.
  function draw(p, random) {
    const drawn = random();
    let sum = 0;
    const next = p.findIndex((value) => (sum += value) > drawn);
    return next < 0 ? p.findLastIndex((value) => value > 0) : next; // sums round
  }

  const numbersOf = (text, { characters }) => [...text].map((c) => characters.indexOf(c));

  // The text with so many characters more, or fewer where the line ends, each read with the
  // cache; choose takes the probabilities (C) of the next character and returns its number.
  function write(network, { text, temperature, top_p }, { probabilities, keys, values }, count, choose) {
    const { characters, blocks, most } = network.data;
    if (text.length === most) throw new alive.Refusal(`The line is full: it has ${most} characters.`);
    let cache = Array.from({ length: blocks }, (_, l) => ({ K: row(keys, l), V: row(values, l) }));
    let p = probabilities.values;
    let line = text;
    for (let i = 0; i < count && line.length < most; i++) {
      const next = choose(p);
      if (characters[next] === "\n") break;
      line += characters[next];
      const now = read(network, [next], cache);
      cache = now.cache;
      p = topP(tempered(row(now.scores, 0), temperature), top_p);
    }
    if (line === text) throw new alive.Refusal("The line ends here: the next character is a line break, ↵.");
    return { text: line };
  }

  // Multiply–adds of a block of width d that writes T characters, without and with a cache.
  function costOfWriting(T, d) {
    const without = 6 * T * (T + 1) * d ** 2 + (T * (T + 1) * (2 * T + 1) * d) / 3;
    return array([2], [without, 12 * T * d ** 2 + T * (T + 1) * d]);
  }

  // ------------------------------------------------------------ the picture

  const SHOWN = 10; // of the characters that may come next
  const name = (character) => ({ " ": "␣", "\n": "↵" })[character] ?? character;

  alive.program("continue", {
    // inputs: text, a string; temperature; top_p, a share; head, from 1 on, block by block.
    compute(network, { text, temperature, top_p, head }) {
      const { scores, cache, weights } = readOn(network, numbersOf(text, network.data));
      const heads = concatenate(weights, 0);
      return {
        scores, // (C)
        probabilities: array(scores.shape, topP(tempered(scores, temperature), top_p)),
        weights: heads, // (blocks · h, T, T)
        map: row(heads, head - 1), // (T, T)
        keys: stack(cache.map(({ K }) => K)), // (blocks, h, T, d_h)
        values: stack(cache.map(({ V }) => V)),
        cost: costOfWriting(text.length, alive.tensor(network, "norm.weight").shape[0]),
      };
    },

    show(picture, { scores, probabilities, map, keys, cost }, { text, temperature, head }, network) {
      const { characters, heads, blocks, trained, most } = network.data;
      const T = text.length;
      const line = [...text];
      const long = `${T} character${T === 1 ? "" : "s"}`;

      const far = T - trained; // characters that are further back than any in training
      picture.text("seen", line, row(map, T - 1), {
        title: `Attention weights of the last character: block ${Math.ceil(head / heads)}, head ${((head - 1) % heads) + 1}`,
        at: T - 1,
        most: 1,
        inks: line.map((_, s) => (s < far ? "bad" : "prediction")),
        note: `Orange bars: ${trained} or more characters back, further than in training.`,
      });

      const p = tempered(scores, temperature); // before top-p
      const order = falling(p).slice(0, SHOWN);
      const others = 1 - order.reduce((sum, i) => sum + p[i], 0);
      const kept = probabilities.values.filter((value) => value > 0).length;
      const below = picture.row("below");
      const left = below.row("left");
      left.bars("next", order.map((i) => name(characters[i])), order.map((i) => p[i]), {
        title: `Next character: ${kept} of ${characters.length} may be drawn`,
        range: [0, 1],
        cut: order.map((i) => probabilities.values[i] === 0),
        note: `Hatched: cut by top-p. The other ${characters.length - SHOWN} have ${Math.abs(others).toFixed(2)} together.`,
      });
      left.bars("cost", ["no cache", "cache"], cost.values.map((n) => (blocks * n) / 1e6), {
        title: `Million multiply–adds to write ${long}`,
      });
      const seen = map.values.map((weight, i) => (i % T > Math.floor(i / T) ? NaN : weight));
      below.heatmap("map", line, line, array([T, T], seen), {
        title: "Each row: whom this character attends to",
        range: [0, 1],
        row: T - 1,
        note: "Blank: later characters, which are masked.",
      });

      const held = (2 * keys.values.length).toLocaleString("en");
      const rows = Array.from({ length: blocks }, (_, l) => `block ${l + 1}`);
      const room = Array.from({ length: most }, (_, t) => line[t] ?? "");
      const state = (t) => (t < T - 1 ? "kept" : t < T ? "new" : "empty");
      picture.cells("cache", rows, room, room.map((_, t) => state(t)), {
        title: `Key–value cache: ${held} numbers`,
        states: { kept: "read before", new: "read last" },
        note: `A cell is a key and a value, ${(2 * keys.values.length) / T / blocks} numbers.`,
      });

      const [best, second] = order.map((i) => `${name(characters[i])} ${p[i].toFixed(2)}`);
      return `${long}. Most probable next: ${best}, then ${second}; ${kept} may be drawn. The cache holds ${held} numbers.`;
    },

    actions: {
      "Draw the next character": (inputs, outputs, random, network) =>
        write(network, inputs, outputs, 1, (p) => draw(p, random)),
      "Draw twenty": (inputs, outputs, random, network) =>
        write(network, inputs, outputs, 20, (p) => draw(p, random)),
      "Take the most probable": (inputs, outputs, random, network) =>
        write(network, inputs, outputs, 1, argmax),
    },
  });
}
