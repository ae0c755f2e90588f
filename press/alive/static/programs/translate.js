// The translator of Chapter 20: for an English sentence it looks for a French one, by
// beam search and, for comparison, by greedy search.
"use strict";
globalThis.alive ??= {};

{
  const {
    argmax, array, concatenate, each, embedding, encode, falling, gru, gruStep, linear,
    logSoftmax, row, softmax, stack, tanh, transpose, BOS, EOS,
  } = alive.layers;
  const [KEPT, FINISHED] = [0, 1]; // fates
  const NO_WORD = -1; // behind a list of words that is shorter than the longest

  // ------------------------------------------------------------ the network

  // English words (T) -> encoder states as columns (H, T), keys (T, H), first state (H) of
  // the decoder
  function readSource(network, english) {
    const weight = (name) => alive.tensor(network, name);
    const half = (words, end) => gru(
      embedding(weight("x.weight"), words),
      weight(`f.weight_ih_${end}`), weight(`f.weight_hh_${end}`),
      weight(`f.bias_ih_${end}`), weight(`f.bias_hh_${end}`),
    );
    const T = english.length;
    const forward = half(english, "l0");
    const backward = half([...english].reverse(), "l0_reverse"); // the last word first
    const states = english.map((_, t) =>
      concatenate([row(forward, t), row(backward, T - 1 - t)], 0));
    const h = stack(states);
    const code = concatenate([row(forward, T - 1), row(backward, T - 1)], 0);
    const state = tanh(linear(code, weight("start.weight"), weight("start.bias")));
    return { columns: transpose(h), keys: linear(h, weight("W_h.weight")), state };
  }

  // eq-20-attention: state s (H) -> code (H), the mean of the encoder states, weighted by
  // the softmax of v · tanh(W_s s + key)
  function look(network, s, { columns, keys }) {
    const [T, H] = keys.shape;
    const query = linear(s, alive.tensor(network, "W_s.weight")).values;
    const v = alive.tensor(network, "v.weight").values;
    const e = array([T]);
    for (let t = 0; t < T; t++) {
      for (let i = 0; i < H; i++) {
        e.values[t] += v[i] * Math.tanh(query[i] + keys.values[t * H + i]);
      }
    }
    return linear(softmax(e), columns); // Σ a h
  }

  // eq-20-gru: last word, state s (H) -> ln P of the next word (V), new state (H)
  function step(network, word, s, memory) {
    const weight = (name) => alive.tensor(network, name);
    const c = look(network, s, memory);
    const y = row(weight("y.weight"), word);
    const state = gruStep(
      concatenate([y, c], 0), s,
      weight("g.weight_ih"), weight("g.weight_hh"),
      weight("g.bias_ih"), weight("g.bias_hh"),
    );
    const said = concatenate([state, c], 0);
    const scores = linear(said, weight("out.weight"), weight("out.bias"));
    return { logP: logSoftmax(scores), state };
  }

  // What the network has computed for its last source, by prefix: another width or
  // exponent asks for much of it again.
  const remembered = new WeakMap();
  function stepsOf(network, english) {
    const source = english.join();
    if (remembered.get(network)?.source !== source) {
      const memory = readSource(network, english);
      remembered.set(network, { source, memory, steps: new Map() });
    }
    return remembered.get(network);
  }

  // The network with one source, as a function: a prefix, a list of words -> ln P of the
  // next word (V). It is divided and normalised again, so a larger divisor is less sure.
  function modelOf(network, english, divisor) {
    const { memory, steps } = stepsOf(network, english);
    const after = (prefix) => {
      const key = prefix.join();
      if (!steps.has(key)) {
        const state = prefix.length ? after(prefix.slice(0, -1)).state : memory.state;
        steps.set(key, step(network, prefix.at(-1) ?? BOS, state, memory));
      }
      return steps.get(key);
    };
    return (prefix) => logSoftmax(each(after(prefix).logP, (p) => p / divisor)).values;
  }

  // ------------------------------------------------------------- the search

  // eq-20-greedy: the most probable next word, until the sentence ends or has most words.
  function greedy(model, most) {
    const words = [];
    let logP = 0;
    while (words.length < most && words.at(-1) !== EOS) {
      const next = model(words);
      const word = argmax(next);
      words.push(word);
      logP += next[word];
    }
    return { words, logP };
  }

  // All prefixes grown by one word: kept, the k most probable { words, logP }, best first;
  // and the rank among all of a prefix that is wanted, 0 if it is none of them.
  function extensions(model, live, k, wanted) {
    const grown = ({ words, logP }) => [...model(words)].map((p) => logP + p);
    const scores = live.flatMap(grown);
    const V = scores.length / live.length;
    const order = falling(scores); // a tie keeps its order
    const kept = order.slice(0, k).map((i) => {
      const { words } = live[Math.floor(i / V)];
      return { words: [...words, i % V], logP: scores[i] };
    });
    const from = live.findIndex(({ words }) => same(words, wanted.slice(0, -1)));
    return { kept, rank: order.indexOf(from * V + wanted.at(-1)) + 1 };
  }

  // eq-20-normalised
  const scoreOf = ({ words, logP }, alpha) => logP / words.length ** alpha;

  // The nodes { words, logP, fate } of the tree, step after step: what is kept. An output
  // is finished at <eos> or most words. lost: how many words of the right sentence have
  // left the beam, and the rank that they had; zeros if they stay, or nobody knows them.
  function beamTree(model, k, alpha, most, right) {
    const nodes = [{ words: [], logP: 0, fate: KEPT }];
    let lost = [0, 0];
    let live = [...nodes];
    let best = -Infinity;
    for (let t = 1; t <= most && live.length; t++) {
      const { kept, rank } = extensions(model, live, k, right.slice(0, t));
      if (t <= right.length && rank > k) lost = [t, rank];
      for (const node of kept) {
        const over = node.words.at(-1) === EOS || t === most;
        node.fate = over ? FINISHED : KEPT;
        if (over) best = Math.max(best, scoreOf(node, alpha));
      }
      nodes.push(...kept);
      live = kept.filter(({ fate }) => fate === KEPT);
      if (live.length && best >= live[0].logP / most ** alpha) break; // eq-20-stop
    }
    return { nodes, lost };
  }

  // ln P of a sentence: eq-20-chain
  function logProbability(model, words) {
    return words.reduce((sum, word, t) => sum + model(words.slice(0, t))[word], 0);
  }

  const same = (some, others) => some.join() === others.join();

  // Lists of words -> one array, as wide as the longest
  function padded(lists) {
    const width = Math.max(...lists.map((words) => words.length));
    const values = lists.flatMap((words) =>
      [...words, ...Array(width - words.length).fill(NO_WORD)]);
    return array([lists.length, width], values);
  }

  const vector = (values) => array([values.length], values);

  // The lists of words of such an array.
  function listsOf({ shape: [count], values }) {
    const width = values.length / count;
    return Array.from({ length: count }, (_, i) => {
      const words = [...values.subarray(i * width, (i + 1) * width)];
      return words.filter((word) => word !== NO_WORD);
    });
  }

  alive.program("translate", {
    // inputs: source, a list of words; k, the beam width; alpha, the exponent of the
    // length; divisor. data: most, words of an output; right, by English sentence the
    // right translation as numbers, where it is known.
    compute(network, { source, k, alpha, divisor }) {
      const { english, most, right } = network.data;
      const model = modelOf(network, [...encode(source, english), EOS], divisor);
      const known = right[source.join(" ")] ?? [];
      const { nodes, lost } = beamTree(model, k, alpha, most, known);
      const outputs = nodes.filter(({ fate }) => fate === FINISHED);
      outputs.sort((a, b) => scoreOf(b, alpha) - scoreOf(a, alpha));
      const plain = greedy(model, most);
      return {
        tree: padded(nodes.map(({ words }) => words)), // (nodes, longest)
        tree_log_probs: vector(nodes.map(({ logP }) => logP)),
        fates: vector(nodes.map(({ fate }) => fate)), // 0 kept, 1 finished
        outputs: padded(outputs.map(({ words }) => words)), // best ln P / L^α first
        scores: vector(outputs.map((node) => scoreOf(node, alpha))),
        greedy: vector(plain.words),
        right: vector(known),
        lost: vector(lost),
        // of the first output, of greedy search and of the right sentence
        log_probs: vector([outputs[0].logP, plain.logP, logProbability(model, known)]),
      };
    },

    show(picture, outputs, { k, alpha }, network) {
      const { french } = network.data;
      const { number } = alive.views;
      const spell = (word) => (word === EOS ? "⟨eos⟩" : french[word]);
      const spelled = (words) => words.map(spell);
      const sentence = (words) => spelled(words.filter((word) => word !== EOS)).join(" ");
      const [best] = listsOf(outputs.outputs);
      const plain = [...outputs.greedy.values];
      const right = [...outputs.right.values];

      const nodes = listsOf(outputs.tree).map((words, i) => {
        const logP = outputs.tree_log_probs.values[i];
        if (outputs.fates.values[i] === KEPT) return { words: spelled(words) };
        const value = scoreOf({ words, logP }, alpha);
        return { words: spelled(words), fate: "finished", value };
      });
      const [t, rank] = outputs.lost.values;
      const left = { words: spelled(right.slice(0, t)), fate: "lost", value: `no. ${rank}` };
      if (t) nodes.push(left);
      const row = (name, words, logP) => {
        const verdict = name !== "right" && same(words, right) ? "\u00a0✓" : "";
        const score = scoreOf({ words, logP }, alpha);
        return [name, (sentence(words) || "(nothing)") + verdict, number(logP), number(score)];
      };
      const names = [`beam of ${k}`, "greedy", "right"];
      const found = right.length ? [best, plain, right] : [best, plain];
      const { values: logPs } = outputs.log_probs;
      const rows = found.map((words, i) => row(names[i], words, logPs[i]));
      picture.listing("found", ["", "French", "ln P", "score"], rows);
      picture.tree("tree", nodes, {
        best: spelled(best),
        fates: { best: "output", lost: "right, but pruned: its rank" },
      });
      const written = `A beam of ${k} writes “${sentence(best)}”`;
      return same(best, plain)
        ? `${written}, as greedy search does.`
        : `${written}, greedy search “${sentence(plain)}”.`;
    },
  });
}
