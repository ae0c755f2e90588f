// Brings a figure to life whose network runs in this browser. Needs no kernel and no server.
//
// A program (programs/NAME.js) says what is computed and how it is shown:
//   alive.program("digit", {
//     compute(network, inputs) { … return { logits: alive.array([10], values) }; },
//     show(picture, outputs, inputs, network) { … return "what is said"; },
//     actions: { "Draw the next character": (inputs, outputs, random) => ({ text: "…" }) },
//   });
// picture is alive.views.picture of an element. compute may throw an alive.Refusal: its message
// is a sentence for the reader. An action returns the inputs that it changes, as texts by name.
"use strict";
globalThis.alive ??= {};

{
  const NEAR = "1000px"; // of the screen: then the network is loaded
  const PAUSE = 700; // milliseconds without a change, until what is shown is said
  const programs = {};
  const networks = {}; // by name those that have arrived
  const waiting = {}; // by name what is to be done when one arrives

  alive.program = (name, program) => { programs[name] = program; };

  // The file of a network calls this: _static/networks/12_read_digit.js.
  alive.arrived = (name, network) => {
    networks[name] = network;
    for (const act of waiting[name] ?? []) act(network);
    delete waiting[name];
  };

  // Calls act with a network, which is in the page or in a file of its own.
  function load(figure, act) {
    const { network: address } = figure.dataset;
    const inside = figure.querySelector("script.network");
    const name = address?.match(/([^/]+)\.js$/)[1];
    if (inside) return act(JSON.parse(inside.textContent));
    if (networks[name]) return act(networks[name]);
    if (waiting[name]) return waiting[name].push(act);
    waiting[name] = [act];
    document.head.append(alive.element("script", { src: address }));
  }

  // The value of each input for a program; the texts are those of an address.
  const valuesOf = (inputs, texts) =>
    Object.fromEntries(inputs.map(({ spec, input }) => [spec.name, input.read(texts[spec.name])]));

  function enliven(figure) {
    figure.dataset.alive = "true";
    const parts = [".picture", "form", ".note", ".views", ".said"];
    const [still, form, note, view, said] = parts.map((part) => figure.querySelector(part));
    figure.querySelector(".without-scripts").remove();
    const data = JSON.parse(figure.querySelector("script.inputs").textContent);
    const program = programs[figure.dataset.program];
    const picture = alive.views.picture(view, figure.dataset.views?.split(",")); // a slide has some of them
    let network;

    const changed = () => later();
    const inputs = data.controls.map((spec) => ({ spec, input: alive.inputs[spec.kind](spec, changed) }));
    form.append(...inputs.map(({ input }) => input.element));
    const texts = () => Object.fromEntries(inputs.map(({ spec, input }) => [spec.name, input.text()]));
    const set = (changes) => {
      for (const { spec, input } of inputs) if (spec.name in changes) input.set(changes[spec.name]);
    };

    // A step: read the inputs, compute, show; or say why not.
    const step = () => {
      const now = texts();
      try {
        const values = valuesOf(inputs, now);
        const outputs = program.compute(network, values);
        const words = program.show(picture, outputs, values, network);
        const notices = inputs.map(({ spec, input }) => input.notice?.(now[spec.name])).filter(Boolean);
        say([...notices, words].join(" "), notices.join(" "));
        figure.classList.remove("refused");
        still.hidden = true;
        view.hidden = false;
      } catch (error) {
        figure.classList.add("refused");
        say(error instanceof alive.Refusal ? sentence(error.message) : `This figure failed: ${error.message}`);
        if (!(error instanceof alive.Refusal)) throw error;
      }
    };
    let asked;
    const later = () => {
      if (!network) return;
      asked ??= requestAnimationFrame(() => {
        asked = undefined;
        step();
      });
    };

    // What is shown is said once the reader pauses; what is wrong can be seen at once. What
    // a page shows at first is not said: it has its descriptions.
    let pause, touched = false;
    const say = (words, seen = words) => {
      note.textContent = seen;
      if (seen) note.style.minHeight = `${note.offsetHeight}px`; // kept, or typing would move the page
      clearTimeout(pause);
      if (touched) pause = setTimeout(() => { said.textContent = words; }, PAUSE);
      touched = true;
    };

    const buttons = Object.entries(program.actions ?? {}).map(([label, act]) => {
      const button = alive.element("button", { type: "button", class: "action" }, label);
      button.addEventListener("click", () => {
        if (!network) return;
        try {
          const values = valuesOf(inputs, texts());
          set(act(values, program.compute(network, values), Math.random, network));
          step();
        } catch (error) {
          if (!(error instanceof alive.Refusal)) throw error;
          say(sentence(error.message));
        }
      });
      return button;
    });
    if (buttons.length) form.append(alive.element("div", { class: "actions" }, ...buttons));
    form.addEventListener("submit", (event) => event.preventDefault());

    // A position is an address: #name:input=text,…; what it does not name is as at first.
    const go = (hash, block) => {
      const changes = alive.positionOf(hash, figure.dataset.name, inputs);
      if (!changes) return false;
      set(changes);
      later();
      // All of the figure where there is room, in any case its inputs.
      figure.scrollIntoView({ block });
      form.scrollIntoView({ block: "nearest" });
      return true;
    };
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.('a[href^="#"]');
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (!go(link.hash, "nearest")) return;
      event.preventDefault();
      history.replaceState(null, "", link.hash);
    });
    addEventListener("hashchange", () => go(location.hash, "center"));
    addEventListener("load", () => go(location.hash, "center"));

    form.hidden = false;
    // The network comes when the figure comes near the screen; a deck asks for it at once.
    const near = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) figure.begin();
    }, { rootMargin: NEAR });
    near.observe(figure);
    figure.begin = () => {
      near.disconnect();
      if (!network) load(figure, (arrived) => {
        network = arrived;
        step();
      });
    };
    // For the tests: where the inputs stand, what is computed and shown for texts.
    figure.texts = texts;
    figure.show = (given) => {
      set(given);
      step();
    };
    figure.compute = (given) => program.compute(network, valuesOf(inputs, given));
  }

  // A sentence, from an error that may lack its capital and its full stop.
  const sentence = (text) => text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

  // The text of each input at a position of a figure; undefined where it is not one.
  alive.positionOf = (hash, figure, inputs) => {
    const plain = (text) => {
      try { return decodeURIComponent(text); } catch { return text; }
    };
    const [, name, rest] = hash.match(/^#([^:]*):(.*)$/) ?? [];
    if (!name || plain(name) !== figure) return undefined;
    const pairs = rest.split(",").map((pair) => pair.trim()).filter(Boolean);
    const chosen = {};
    for (const pair of pairs) {
      const [, key, text] = pair.match(/^([^=]+)=(.*)$/) ?? [];
      if (key === undefined || plain(key) in chosen) return undefined;
      chosen[plain(key)] = plain(text);
    }
    const position = Object.fromEntries(inputs.map(({ spec }) => [spec.name, spec.start]));
    for (const key of Object.keys(chosen)) if (!(key in position)) return undefined;
    Object.assign(position, chosen);
    try {
      valuesOf(inputs, position);
    } catch {
      return undefined;
    }
    return position;
  };

  // Each figure once its program has been read.
  addEventListener("DOMContentLoaded", () => {
    for (const figure of document.querySelectorAll("figure.alive:not([data-alive])")) enliven(figure);
  });
  if (document.readyState === "complete")
    for (const figure of document.querySelectorAll("figure.alive:not([data-alive])")) enliven(figure);
}
