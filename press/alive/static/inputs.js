// What a reader can change of a living figure: utils/alive/inputs.py has the same in Python.
//
// alive.inputs.kind(spec, changed) makes an input. Its text() is what an address names; set(text)
// puts it there; read(text) gives the value that a program computes with, or throws an
// alive.Refusal, whose message is a sentence; notice(text) is what to tell of a text that was read.
"use strict";
globalThis.alive ??= {};

{
  const UNKNOWN = "<unk>";
  const OFFERED = 6; // words at a time
  let made = 0;

  // An element with attributes and children.
  function element(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  // ---- A drawing ------------------------------------------------------------------------

  function drawing(spec, changed) {
    const pad = alive.pad(spec, changed);
    return {
      element: pad.element,
      text: pad.text,
      set: pad.set,
      read: (text) => alive.array([spec.size, spec.size], alive.drawingOf(text, spec)),
    };
  }

  // ---- A range, a choice, a switch --------------------------------------------------------

  const number = (text) =>
    /^[-+−]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text.replace("−", "-")) : NaN;

  // The index of a text on the grid: a number of a range may be written otherwise than its key.
  function indexOf({ name, kind, keys }, text) {
    const index = keys.findIndex((key) =>
      key === text || (kind === "range" && Number(key) === number(text)));
    if (index < 0) throw new alive.Refusal(`expected ${name} in ${keys.join(", ")}, got '${text}'`);
    return index;
  }

  function onGrid(spec, control, index, put) {
    const set = (text) => put(indexOf(spec, text));
    set(spec.start);
    return {
      element: control,
      text: () => spec.keys[index()],
      set,
      read: (text) => spec.values[indexOf(spec, text)],
    };
  }

  function range(spec, changed) {
    const slider = element("input", { type: "range", min: 0, max: spec.texts.length - 1 });
    const output = element("output");
    const show = () => {
      const text = spec.texts[slider.value];
      output.textContent = text;
      slider.setAttribute("aria-valuetext", text);
      slider.style.setProperty("--filled", `${(100 * slider.value) / slider.max}%`);
    };
    slider.addEventListener("input", () => { show(); changed(); });
    const row = element("label", {}, element("span", {}, spec.label), slider, output);
    return onGrid(spec, row, () => Number(slider.value), (i) => { slider.value = i; show(); });
  }

  function choice(spec, changed) {
    const list = element("select", {}, ...spec.texts.map((text) => new Option(text)));
    list.addEventListener("input", () => changed());
    const row = element("label", {}, element("span", {}, spec.label), list);
    return onGrid(spec, row, () => list.selectedIndex, (i) => { list.selectedIndex = i; });
  }

  function toggle(spec, changed) {
    const box = element("input", { type: "checkbox" });
    box.addEventListener("input", () => changed());
    const row = element("label", { class: "switch" }, box, element("span", {}, spec.label));
    return onGrid(spec, row, () => Number(box.checked), (i) => { box.checked = Boolean(i); });
  }

  // ---- What is typed ----------------------------------------------------------------------

  // A field for a text, with examples to choose, and room for what helps to type it.
  function field(spec, changed, attributes = {}) {
    const box = element("input", {
      type: "text", id: `alive-input-${made++}`, autocomplete: "off", autocapitalize: "off",
      spellcheck: "false", ...attributes,
    });
    box.value = spec.start;
    const label = element("label", { for: box.id }, spec.label);
    const row = element("div", { class: "typed" }, label, box);
    if (spec.examples?.length) {
      const name = `Examples: ${spec.label}`;
      const named = spec.examples.map((text, i) => (spec.names?.length ? `${spec.names[i]}: ${text}` : text));
      const options = ["choose one …", ...named].map((text) => new Option(text));
      const list = element("select", { "aria-label": name }, ...options);
      list.addEventListener("input", () => {
        if (list.selectedIndex) box.value = spec.examples[list.selectedIndex - 1];
        changed();
      });
      // It stays where it is while arrow keys go through it.
      const invite = () => { list.selectedIndex = 0; };
      list.addEventListener("blur", invite);
      box.addEventListener("input", invite);
      row.append(list);
    }
    box.addEventListener("input", () => changed());
    const put = (text) => { box.value = text; };
    return { element: row, box, text: () => box.value, set: put };
  }

  function sentence(spec, changed) {
    const known = new Set(spec.words);
    const typed = field(spec, () => { offer(); changed(); });
    const { box } = typed;
    // The sentence that a text names, or the text.
    const meant = (text) => spec.examples[spec.names?.indexOf(text.trim())] ?? text;
    typed.set(meant(spec.start)); // a deck may begin with a name
    // What is no word is read without its capitals, and marks behind it stand alone.
    const words = (text) => meant(text).split(/\s+/).flatMap((typed) => {
      const [, word, marks] = typed.match(/^(.*?)([.,;:!?]*)$/);
      const parts = known.has(typed) ? [typed] : [word, ...marks].filter(Boolean);
      const low = (part) => part.toLowerCase();
      return parts.map((part) => (!known.has(part) && known.has(low(part)) ? low(part) : part));
    });
    const offers = element("div", { class: "offers", role: "group", "aria-label": "Words that begin so", hidden: "" });
    typed.element.append(offers);

    // The words that begin as the last one before the caret, which is put in their place.
    const offer = () => {
      const before = box.value.slice(0, box.selectionStart ?? box.value.length);
      const begun = before.match(/\S*$/)[0].toLowerCase();
      const fitting = begun && !known.has(begun) ? spec.words.filter((word) => word.startsWith(begun)) : [];
      if (fitting.length) offers.hidden = false; // for good, or typing would move the page
      offers.replaceChildren(...fitting.slice(0, OFFERED).map((word) => {
        const button = element("button", { type: "button" }, word);
        button.addEventListener("click", () => {
          const start = before.length - begun.length;
          box.setRangeText(word, start, before.length, "end");
          box.focus();
          offers.replaceChildren();
          changed();
        });
        return button;
      }));
    };
    return {
      ...typed,
      set(text) {
        typed.set(meant(text));
        offers.replaceChildren();
      },
      read(text) {
        const read = words(text);
        if (read.length < 1 || read.length > spec.most)
          throw new alive.Refusal(`expected 1 to ${spec.most} words, got ${read.length}`);
        return read.map((word) => (known.has(word) ? word : UNKNOWN));
      },
      notice(text) {
        const strange = new Set(words(text).filter((word) => !known.has(word) && word !== UNKNOWN));
        const listed = [...strange].map((word) => `“${word}”`).join(", ");
        return listed && `Not in the vocabulary and read as ${UNKNOWN}: ${listed}.`;
      },
    };
  }

  // Words with signs, as pairs [1 or −1, word]; none is unknown.
  function sum(spec, changed) {
    const known = new Set(spec.words);
    const refuse = (expected, got) => { throw new alive.Refusal(`expected ${expected}, got ${got}`); };
    const read = (text) => {
      const terms = [];
      let sign = 0; // none has come
      for (const token of text.toLowerCase().match(/[-+−–]|[^-+−–\s]+/g) ?? []) {
        if ("+-−–".includes(token)) {
          if (sign) refuse("a word after a sign", token);
          sign = token === "+" ? 1 : -1;
        } else {
          if (!known.has(token)) throw new alive.Refusal(alike(token, spec.words));
          terms.push([sign || 1, token]);
          sign = 0;
        }
      }
      if (sign) refuse("a word after a sign", "the end");
      if (terms.length < 1 || terms.length > spec.most) refuse(`1 to ${spec.most} words`, terms.length);
      return terms;
    };
    return { ...sentence(spec, changed), read, notice: () => "" };
  }

  function alike(word, words) {
    const far = new Map(words.map((other) => [other, edits(word, other)]));
    const [a, b, c] = [...words].sort((one, other) => far.get(one) - far.get(other));
    return `“${word}” is not among the ${words.length} words; spelled most alike are “${a}”, “${b}” and “${c}”`;
  }

  // How many letters are put in, left out or changed that one word becomes the other.
  function edits(one, other) {
    const letters = [...other];
    let counts = [0, ...letters.map((_, j) => j + 1)];
    [...one].forEach((letter, i) => {
      const row = [i + 1];
      letters.forEach((its, j) => {
        row.push(Math.min(counts[j + 1] + 1, row[j] + 1, counts[j] + (letter !== its)));
      });
      counts = row;
    });
    return counts.at(-1);
  }

  function line(spec, changed) {
    const known = new Set(spec.characters);
    return {
      ...field(spec, changed),
      read(text) {
        const line = [...text].map((c) => (known.has(c) ? c : c.toLowerCase())).join("");
        const count = [...line].length;
        if (count < 1 || count > spec.most)
          throw new alive.Refusal(`expected 1 to ${spec.most} characters, got ${count}`);
        const strange = [...new Set(line)].filter((character) => !known.has(character)).sort();
        const shown = strange.map((character) => `“${character}”`).join(", ");
        if (shown)
          throw new alive.Refusal(`expected the characters “${spec.characters}”, got ${shown}`);
        return line;
      },
    };
  }

  const formula = (spec, changed) => ({ ...field(spec, changed), read: (text) => alive.parse(text) });

  alive.element = element;
  alive.inputs = { drawing, range, choice, switch: toggle, sentence, sum, line, formula };
}
