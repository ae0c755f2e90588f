// Chapter 18: what is nearest to a word, or to a sum of words such as king − man + woman, and
// what the chapter's controls answer.
"use strict";
globalThis.alive ??= {};

{
  const { array, falling, linear, row, unit } = alive.layers;
  const SHOWN = 8; // words nearest to the sum
  const FIRST = 3; // and to what a control adds up
  const ZERO = 1e-6; // a sum of unit vectors that is shorter has no direction

  // terms [[sign, number], …] and table (V, d) -> their sum (1, d)
  function sumOf(terms, table) {
    const sum = array([1, table.shape[1]]);
    for (const [sign, number] of terms) {
      row(table, number).values.forEach((x, i) => { sum.values[i] += sign * x; });
    }
    return sum;
  }

  const written = (words) => words.map(([sign, word], k) =>
    (sign < 0 ? "− " : k ? "+ " : "") + word).join(" ");

  alive.program("vectors", {
    compute(network, { words, leave_out: leaveOut }) {
      const numbers = words.map(([, word]) => network.data.words.indexOf(word));
      const terms = words.map(([sign], k) => [sign, numbers[k]]);
      const table = unit(alive.tensor(network, "vectors")); // (V, d)
      const whole = sumOf(terms, table);
      if (Math.hypot(...whole.values) < ZERO) {
        throw new alive.Refusal("These words cancel, and a vector of zeros has no direction.");
      }
      // The nearest words to a sum first, and the cosines of all.
      function nearest(sum) {
        const cosines = linear(unit(sum), table).values; // (1, d) (d, V)
        const order = falling(cosines.map((x) => Math.round(1e9 * x))); // two that are equal in theory
        const left = leaveOut ? order.filter((i) => !numbers.includes(i)) : order;
        return { left, cosines };
      }
      // The chapter's controls: the last word alone, and nothing taken off.
      const added = terms.filter(([sign]) => sign > 0);
      const controls = [[[1, numbers.at(-1)]], added.length ? added : terms]
        .map((some) => nearest(sumOf(some, table)));
      const { left, cosines } = nearest(whole);
      const shown = left.slice(0, SHOWN);
      const firsts = controls.map((control) => control.left.slice(0, FIRST));
      return {
        nearest: array([SHOWN], shown), // numbers of words
        cosines: array([SHOWN], shown.map((i) => cosines[i])),
        controls: array([2, FIRST], firsts.flat()),
        control_cosines: array([2, FIRST], firsts.flatMap((some, k) => some.map((i) => controls[k].cosines[i]))),
      };
    },

    show(picture, outputs, { words, leave_out: leaveOut }, network) {
      const { nearest, cosines, controls, control_cosines: controlCosines } = outputs;
      const word = (number) => network.data.words[number];
      const asked = words.map(([, one]) => one);
      const sum = written(words);
      const row = picture.row("answers");
      const bars = (views, name, title, numbers, values, ink, note) => {
        const found = [...numbers].map(word);
        const marked = found.map((one, i) => (asked.includes(one) ? i : -1)).filter((i) => i >= 0);
        return views.bars(name, found, values, { title, note, range: [0, 1], marked, inks: ink });
      };
      bars(row, "nearest", `Nearest to ${sum}`, nearest.values, cosines, "prediction", "The numbers are cosines.");
      const added = words.filter(([sign]) => sign > 0);
      const titles = [`${asked.at(-1)} alone`, written(added.length ? added : words)];
      const panel = row.panel("controls", "Controls");
      panel.element.hidden = words.length === 1;
      titles.forEach((title, k) => {
        const part = ({ values }) => values.subarray(k * FIRST, (k + 1) * FIRST);
        bars(panel, `control ${k}`, title, part(controls), part(controlCosines), "data");
      });
      const without = leaveOut ? ", without the words of the question" : "";
      const best = titles.map((title, k) => `${title}: ${word(controls.values[k * FIRST])}`);
      const said = [...nearest.values.subarray(0, 4)].map(word).join(", ");
      return [`Nearest to ${sum}${without}: ${said}`, ...(words.length > 1 ? best : [])].join(". ") + ".";
    },
  });
}
