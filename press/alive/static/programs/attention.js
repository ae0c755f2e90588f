// The reader of Chapter 16: it writes a French sentence, word by word the most probable
// one, and shows how its heads weigh the English words, of which one may be hidden.
"use strict";
globalThis.alive ??= {};

{
  const {
    add, argmax, array, concatenate, embedding, encode, gruStep, linear, reshape, row, rows,
    stack, tanh, splitHeads, joinHeads, attention, BOS, EOS,
  } = alive.layers;

  // N English words, as numbers -> keys and values of the heads, (h, N, d / h) both
  function readEnglish(network, english) {
    const weight = (name) => alive.tensor(network, name);
    const positions = rows(weight("position.weight"), 0, english.length);
    const X = add(embedding(weight("word.weight"), english), positions); // (N, d)
    const heads = (name) => splitHeads(linear(X, weight(name)), network.data.heads);
    return { K: heads("W_K.weight"), V: heads("W_V.weight") };
  }

  // The last French word and the state q (d) before it -> the state after it, the weights of
  // the heads on the English words (h, N), of which hidden is masked, and the scores (V)
  function step(network, word, before, { K, V }, hidden) {
    const weight = (name) => alive.tensor(network, name);
    const q = gruStep(
      row(weight("written.weight"), word), before,
      weight("state.weight_ih_l0"), weight("state.weight_hh_l0"),
      weight("state.bias_ih_l0"), weight("state.bias_hh_l0"),
    );
    const query = reshape(linear(q, weight("W_Q.weight")), [1, q.shape[0]]);
    const Q = splitHeads(query, network.data.heads); // (h, 1, d / h)
    const { output, weights } = attention(Q, K, V, (m, n) => n !== hidden);
    const both = concatenate([row(joinHeads(output), 0), q], 0); // (2d)
    const mixed = tanh(linear(both, weight("mix.weight"), weight("mix.bias")));
    const scores = linear(mixed, weight("out.weight"), weight("out.bias"));
    const [h, , N] = weights.shape;
    return { q, weights: reshape(weights, [h, N]), scores };
  }

  // The French words that the reader writes, without <eos> unless it is the first, and the
  // weights for each: (M, h, N)
  function write(network, english, hidden) {
    const memory = readEnglish(network, english);
    const words = [];
    const looks = [];
    let q = array([alive.tensor(network, "written.weight").shape[1]]);
    while (words.length < network.data.most && words.at(-1) !== EOS) {
      const next = step(network, words.at(-1) ?? BOS, q, memory, hidden);
      words.push(argmax(next.scores.values));
      looks.push(next.weights);
      q = next.q;
    }
    const M = words.at(-1) === EOS ? Math.max(words.length - 1, 1) : words.length;
    return { words: words.slice(0, M), looks: looks.slice(0, M) };
  }

  // M maps (h, N) -> one (M, N): that of a head, from 1 on, or with 0 the mean of all
  function mapOf(looks, head) {
    const [h, N] = looks[0].shape;
    const mean = (look) => {
      const sum = array([N]);
      look.values.forEach((weight, i) => { sum.values[i % N] += weight / h; });
      return sum;
    };
    return stack(looks.map((look) => (head ? row(look, head - 1) : mean(look))));
  }

  const vector = (values) => array([values.length], values);
  const same = (some, others) => some.join() === others.join();

  alive.program("attention", {
    // inputs: sentence, a list of words; head, from 1 on, or 0 for their mean; hide, a place
    // in the sentence from 1 on, or 0. data: most, words that are written; true, by sentence
    // the French words and for each the English one that it renders, where they are known.
    compute(network, { sentence, head, hide }) {
      const N = sentence.length;
      if (hide > N) {
        throw new alive.Refusal(`There is no word ${hide} to hide, the sentence has ${N}.`);
      }
      if (hide === 1 && N === 1) throw new alive.Refusal("The only word cannot be hidden.");
      const english = encode(sentence, network.data.english);
      const { words, looks } = write(network, english, hide - 1);
      const all = hide ? write(network, english, -1).words : words;
      return {
        written: vector(words), // (M)
        weights: stack(looks), // (M, h, N)
        map: mapOf(looks, head), // (M, N)
        with_all: vector(all), // what it writes if nothing is hidden
      };
    },

    show(picture, { written, map, with_all }, { sentence, head, hide }, network) {
      const spell = (word) => (word === EOS ? "⟨eos⟩" : network.data.french[word]);
      const french = [...written.values].map(spell);
      const before = [...with_all.values].map(spell);
      const [words, alignment] = network.data.true[sentence.join(" ")] ?? [[], []];
      const frames = same(words, french) ? alignment.map((n, m) => [m, n]) : [];
      const N = sentence.length;
      const mass = frames.reduce((sum, [m, n]) => sum + map.values[m * N + n], 0);
      const share = `${((100 * mass) / french.length).toFixed(0)} %`;
      const who = head ? `Head ${head}` : "Mean of the heads";
      const hidden = sentence[hide - 1];

      const rows = [[hide ? "with all words" : "written", before.join(" ")]];
      if (hide) rows.push([`without “${hidden}”`, french.join(" ")]);
      picture.listing("written", ["", "French"], rows);
      picture.heatmap("map", french, sentence, map, {
        title: frames.length ? `${who}: ${share} of the weight on the framed words` : who,
        range: [0, 1],
        frames,
        struck: hide ? [hide - 1] : [],
      });
      const now = `“${french.join(" ")}”`;
      if (!hide) return `The network writes ${now}.`;
      return same(french, before)
        ? `Without “${hidden}” the network writes the same, ${now}.`
        : `Without “${hidden}” the network writes ${now}.`;
    },
  });
}
