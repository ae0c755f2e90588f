// A function of x that a reader types: utils/alive/formula.py has the same grammar. It is parsed,
// and computed with its derivative by the rules of differentiation, forward.
"use strict";
globalThis.alive ??= {};

{
  const MOST = 120; // characters
  const TOKEN = /\s*(\d+\.?\d*(?:e[-+]?\d+)?|\.\d+|[a-z]+|\*\*|[-+*/^(),])\s*/y;
  const CONSTANTS = { e: Math.E, pi: Math.PI };
  const isNumber = (token) => /^[\d.]/.test(token);
  const isName = (token) => /^[a-z]+$/.test(token);
  const sigmoid = (x) => 1 / (1 + Math.exp(-x));
  const erf = (x) => alive.layers.erf(x);

  // By name a function of one number or two, and its derivative, where a and b have the
  // derivatives da and db. Where two are equal, each has half of the slope. A slope that
  // does not count is multiplied by 0, so that an infinite one gives nan, as in PyTorch.
  const FUNCTIONS = {
    abs: [Math.abs, (a, da) => Math.sign(a) * da],
    cos: [Math.cos, (a, da) => -Math.sin(a) * da],
    erf: [erf, (a, da) => (2 / Math.sqrt(Math.PI)) * Math.exp(-a * a) * da],
    exp: [Math.exp, (a, da) => Math.exp(a) * da],
    log: [Math.log, (a, da) => da / a],
    max: [(a, b) => Math.max(a, b), (a, da, b, db) => share(a, b) * da + share(b, a) * db],
    min: [(a, b) => Math.min(a, b), (a, da, b, db) => share(b, a) * da + share(a, b) * db],
    relu: [(a) => Math.max(a, 0), (a, da) => (a > 0) * da],
    sigmoid: [sigmoid, (a, da) => sigmoid(a) * (1 - sigmoid(a)) * da],
    sin: [Math.sin, (a, da) => Math.cos(a) * da],
    sqrt: [Math.sqrt, (a, da) => da / (2 * Math.sqrt(a))],
    tanh: [Math.tanh, (a, da) => (1 - Math.tanh(a) ** 2) * da],
  };
  const share = (a, b) => (a === b ? 0.5 : Number(a > b));
  const OPERATORS = {
    "+": [(a, b) => a + b, (a, da, b, db) => da + db],
    "-": [(a, b) => a - b, (a, da, b, db) => da - db],
    "*": [(a, b) => a * b, (a, da, b, db) => a * db + b * da],
    "/": [(a, b) => a / b, (a, da, b, db) => (da * b - a * db) / (b * b)],
    "^": [(a, b) => a ** b, (a, da, b, db) =>
      (da && b ? b * a ** (b - 1) * da : 0) + (db ? a ** b * Math.log(a) * db : 0)],
  };
  const ARGUMENTS = { max: 2, min: 2 }; // of a function; the others have one

  // The function of a text: value(x), slope(x), and both at many: { value, slope } = over(xs).
  // An alive.Refusal says what was expected.
  function parse(text) {
    if (text.length > MOST)
      throw new alive.Refusal(`expected at most ${MOST} characters, got ${text.length}`);
    const small = text.toLowerCase().replace(/[−–]/g, "-");
    let position = 0, after = 0, token = "";
    const refuse = (expected) => {
      const rest = small.slice(position).trim().slice(0, 12);
      throw new alive.Refusal(`expected ${expected}, got ${rest || "the end"}`);
    };
    const advance = () => {
      const before = token;
      position = after;
      TOKEN.lastIndex = position;
      const match = TOKEN.exec(small);
      token = match ? match[1] : "";
      after = match ? TOKEN.lastIndex : position;
      if (!match && small.slice(position).trim()) refuse("numbers, x, functions and + - * / ^ ( )");
      return before;
    };
    const take = (wanted, after = "") => (token === wanted ? advance() : refuse(`“${wanted}”${after}`));

    const sum = () => {
      let tree = product();
      while (token === "+" || token === "-") tree = [advance(), tree, product()];
      return tree;
    };
    const product = () => {
      let tree = signed();
      while (true) {
        if (token === "*" || token === "/") tree = [advance(), tree, signed()];
        else if (tree[0] === "number" && (token === "(" || isName(token))) tree = ["*", tree, power()];
        else return tree;
      }
    };
    const signed = () => {
      if (token === "-") { advance(); return ["-", ["number", 0], signed()]; }
      if (token === "+") { advance(); return signed(); }
      return power();
    };
    const power = () => {
      const tree = atom();
      if (token !== "^" && token !== "**") return tree;
      advance();
      return ["^", tree, signed()];
    };
    const atom = () => {
      if (isNumber(token)) return ["number", Number(advance())];
      if (token === "x") return [advance()];
      if (Object.hasOwn(CONSTANTS, token)) return ["number", CONSTANTS[advance()]];
      if (Object.hasOwn(FUNCTIONS, token)) return call();
      if (token === "(") {
        advance();
        const tree = sum();
        take(")");
        return tree;
      }
      return refuse(isName(token) ? `x, e, pi or one of ${Object.keys(FUNCTIONS).join(", ")}` : "a number, x, a function or (");
    };
    const call = () => {
      const name = advance();
      take("(", ` after ${name}`);
      const given = [sum()];
      for (let i = 1; i < (ARGUMENTS[name] ?? 1); i++) { take(","); given.push(sum()); }
      take(")");
      return [name, ...given];
    };

    advance();
    const tree = sum();
    if (token) refuse("an operator or the end");
    const over = (xs) => dual(tree, Float64Array.from(xs));
    return { text, over, value: (x) => over([x]).value[0], slope: (x) => over([x]).slope[0] };
  }

  // The values of a tree and its derivatives at each x.
  function dual([kind, ...parts], xs) {
    const filled = (number) => new Float64Array(xs.length).fill(number);
    if (kind === "x") return { value: xs, slope: filled(1) };
    if (kind === "number") return { value: filled(parts[0]), slope: filled(0) };
    const [f, derivative] = FUNCTIONS[kind] ?? OPERATORS[kind];
    const [a, b = a] = parts.map((part) => dual(part, xs));
    const value = a.value.map((x, i) => f(x, b.value[i]));
    const slope = a.value.map((x, i) => derivative(x, a.slope[i], b.value[i], b.slope[i]));
    return { value, slope };
  }

  alive.parse = parse;
}
