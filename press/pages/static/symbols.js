// What a symbol means, from the chapter's table of its notation: on hover the one under the
// pointer, on focus by the keyboard all that the formula has. MathJax writes each letter as
// elements whose classes name the glyph; a symbol is known by the glyphs that it is made of.
document.addEventListener("DOMContentLoaded", () => {
  const table = document.querySelector("#notation table");
  if (!table) return;
  const glyphs = (node) => [...node.querySelectorAll("mjx-c")].map((glyph) => glyph.className).join("+");
  const isSymbol = (node) => node.matches("mjx-mi, mjx-msub, mjx-mover, mjx-texatom");

  // The symbols of a formula in the table: "d_h = d/h" explains what stands before "=".
  const named = (formula) => {
    const names = [[]];
    for (const part of formula.querySelector("mjx-math").children) {
      if (!part.matches("mjx-mo")) names.at(-1).push(part);
      else if (glyphs(part) === "mjx-c2C") names.push([]); // a comma
      else if (glyphs(part).startsWith("mjx-c3D")) break; // an equals sign
      else names.at(-1).push(part);
    }
    return names.filter((parts) => parts.length === 1 && isSymbol(parts[0])).map(([part]) => part);
  };
  let meanings;
  // The table is folded, so its formulas may not have been typeset: here they are, unseen.
  const read = () => {
    if (meanings || !window.MathJax?.tex2chtml) return meanings ?? new Map();
    meanings = new Map();
    const formulas = [...MathJax.startup.document.math].filter(({ start }) => table.contains(start.node));
    for (const { cells } of table.tBodies[0].rows) {
      const inCell = formulas.filter(({ start }) => cells[0].contains(start.node));
      const symbols = inCell.map(({ math }) => MathJax.tex2chtml(math)).flatMap(named);
      const words = cells[1].textContent.trim(), parts = words.split(/[;,] /);
      symbols.forEach((symbol, i) => {
        const key = glyphs(symbol);
        if (!meanings.has(key)) meanings.set(key, parts.length === symbols.length ? parts[i] : words);
      });
    }
    return meanings;
  };
  // From a glyph outwards, the widest symbol that the table has: W_q before W.
  const symbolAt = (node) => {
    let symbol = null;
    for (; node && !node.matches("mjx-math"); node = node.parentElement)
      if (isSymbol(node) && read().has(glyphs(node))) symbol = node;
    return symbol;
  };

  const help = document.createElement("div");
  help.id = "symbol-help";
  help.role = "tooltip";
  help.hidden = true;
  document.body.append(help);
  const drawn = (symbol) => {
    const copy = document.createElement("mjx-container");
    copy.className = "MathJax";
    copy.setAttribute("aria-hidden", "true");
    copy.append(document.createElement("mjx-math"));
    copy.firstChild.append(symbol.cloneNode(true));
    copy.firstChild.firstChild.removeAttribute("space"); // before it, in the formula
    return copy;
  };
  const show = (symbols, near) => {
    const entries = new Map(); // those that share a meaning, as W_q and W_k, share a line
    for (const symbol of symbols) {
      const meaning = read().get(glyphs(symbol));
      entries.set(meaning, [...(entries.get(meaning) ?? []), symbol]);
    }
    help.replaceChildren(...[...entries].map(([meaning, symbols]) => {
      const entry = document.createElement("p");
      entry.append(...symbols.flatMap((symbol) => [drawn(symbol), " "]), meaning);
      return entry;
    }));
    help.hidden = false;
    const { left, bottom } = near.getBoundingClientRect();
    const room = document.documentElement.clientWidth - help.offsetWidth - 8;
    help.style.left = `${Math.max(8, Math.min(left, room)) + scrollX}px`;
    help.style.top = `${bottom + 6 + scrollY}px`;
  };
  const hide = () => { help.hidden = true; };
  document.addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType !== "mouse" || help.contains(target)) return;
    const symbol = target.closest("mjx-math") && !table.contains(target) ? symbolAt(target) : null;
    if (symbol) show([symbol], symbol);
    else hide();
  });
  document.addEventListener("focusin", ({ target }) => {
    if (!target.matches("mjx-container:focus-visible") || table.contains(target)) return;
    const symbols = new Map();
    for (const glyph of target.querySelectorAll("mjx-c")) {
      const symbol = symbolAt(glyph);
      if (symbol) symbols.set(glyphs(symbol), symbol);
    }
    if (!symbols.size) return;
    show(symbols.values(), target);
    target.setAttribute("aria-describedby", help.id);
  });
  document.addEventListener("focusout", ({ target }) => {
    if (target.getAttribute("aria-describedby") === help.id) target.removeAttribute("aria-describedby");
    hide();
  });
  document.addEventListener("keydown", ({ key }) => { if (key === "Escape") hide(); });
});
