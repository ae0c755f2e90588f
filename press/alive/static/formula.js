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

  // A value and its derivative: [v, d]. Where two are equal, each has half of the slope.
  const FUNCTIONS = {
    abs: ([v, d]) => [Math.abs(v), Math.sign(v) * d],
    cos: ([v, d]) => [Math.cos(v), -Math.sin(v) * d],
    erf: ([v, d]) => [erf(v), (2 / Math.sqrt(Math.PI)) * Math.exp(-v * v) * d],
    exp: ([v, d]) => [Math.exp(v), Math.exp(v) * d],
    log: ([v, d]) => [Math.log(v), d / v],
    max: ([a, da], [b, db]) => [Math.max(a, b), a > b ? da : b > a ? db : (da + db) / 2],
    min: ([a, da], [b, db]) => [Math.min(a, b), a < b ? da : b < a ? db : (da + db) / 2],
    relu: ([v, d]) => [Math.max(v, 0), v > 0 ? d : 0],
    sigmoid: ([v, d]) => [sigmoid(v), sigmoid(v) * (1 - sigmoid(v)) * d],
    sin: ([v, d]) => [Math.sin(v), Math.cos(v) * d],
    sqrt: ([v, d]) => [Math.sqrt(v), d / (2 * Math.sqrt(v))],
    tanh: ([v, d]) => [Math.tanh(v), (1 - Math.tanh(v) ** 2) * d],
  };
  const OPERATORS = {
    "+": ([a, da], [b, db]) => [a + b, da + db],
    "-": ([a, da], [b, db]) => [a - b, da - db],
    "*": ([a, da], [b, db]) => [a * b, a * db + b * da],
    "/": ([a, da], [b, db]) => [a / b, (da * b - a * db) / (b * b)],
    "^": ([a, da], [b, db]) => [
      a ** b,
      (da && b ? b * a ** (b - 1) * da : 0) + (db ? a ** b * Math.log(a) * db : 0),
    ],
  };

  // The function of a text: value(x), slope(x); an alive.Refusal says what was expected.
  function parse(text) {
    if (text.length > MOST)
      throw new alive.Refusal(`expected at most ${MOST} characters, got ${text.length}`);
    const small = text.toLowerCase();
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
    const take = (wanted) => (token === wanted ? advance() : refuse(wanted));

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
      take("(");
      const given = [sum()];
      for (let i = 1; i < FUNCTIONS[name].length; i++) { take(","); given.push(sum()); }
      take(")");
      return [name, ...given];
    };

    advance();
    const tree = sum();
    if (token) refuse("an operator or the end");
    return { text, value: (x) => dual(tree, x)[0], slope: (x) => dual(tree, x)[1] };
  }

  // The value and the derivative of a tree at x.
  function dual([kind, ...parts], x) {
    if (kind === "x") return [x, 1];
    if (kind === "number") return [parts[0], 0];
    return (FUNCTIONS[kind] ?? OPERATORS[kind])(...parts.map((part) => dual(part, x)));
  }

  alive.parse = parse;
}
