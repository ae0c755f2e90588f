// Where scripts run, the page need not say what is missing without them. The theme knows the
// colours of a first visit only when its last script has run.
{
  const { classList, dataset } = document.documentElement;
  classList.add("scripted");
  // In a sandbox, where nothing may be stored, the theme's own script does not come so far.
  if (dataset.theme === "auto" || !dataset.mode) dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

// A site may forbid styles that scripts write into the page (style-src 'self'), and then a
// fraction of MathJax's loses its bar. It may not forbid the same rules as an object.
new MutationObserver(() => {
  for (const style of document.querySelectorAll("style")) {
    if (style.sheet) continue;
    const sheet = new CSSStyleSheet(), yields = style.matches(":has(~ [rel=stylesheet])");
    sheet.replaceSync(yields ? `@layer { ${style.textContent} }` : style.textContent);
    document.adoptedStyleSheets.push(sheet);
    Object.defineProperty(style, "sheet", { value: sheet }); // MathJax goes on writing there
  }
}).observe(document.head, { childList: true });

// A site may forbid what the theme has as an attribute of its button: see pages/inline.py.
document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll("[data-prints]")) button.addEventListener("click", () => print());
});

// What the theme leaves out for readers who hear the page: a landmark around the sidebar,
// and entries of the bibliography that are items of its list.
document.addEventListener("DOMContentLoaded", () => {
  const sidebar = document.querySelector(".bd-sidebar-primary");
  sidebar?.setAttribute("role", "complementary");
  sidebar?.setAttribute("aria-label", "Book");
  for (const entry of document.querySelectorAll("div[role=doc-biblioentry]")) entry.setAttribute("role", "listitem");
});

// A comment in code names an equation by its label; a reader gets its number and a link to it.
document.addEventListener("DOMContentLoaded", () => {
  for (const comment of document.querySelectorAll(".cell_input :is(.c1, .sd)")) {
    const parts = comment.textContent.split(/\b(eq-\d\d(?:-[a-z0-9]+)+)/);
    if (parts.length === 1) continue;
    comment.replaceChildren(...parts.map((part) => {
      const number = document.querySelector(`[id="equation-${CSS.escape(part)}"] .eqno`)?.firstChild.textContent;
      return number ? Object.assign(document.createElement("a"), { href: `#equation-${part}`, textContent: number }) : part;
    }));
  }
});

// A page of long tables has <div class="finder" data-choose="note chapter">: a box that leaves
// the rows in which all of its words stand, and a list for each of these; note means the
// heading, where no column is called so. The address may say what is sought: #find=5.27
document.addEventListener("DOMContentLoaded", () => {
  const finder = document.querySelector(".finder");
  if (!finder) return;
  const make = (tag, attributes, ...children) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
  };
  // Ranges count as all that lies in them: "eq 5.26-5.29" is found by 5.27, "p. 3-6" by 4.
  const spread = (text) => text.replace(/(\d+\.)?(\d+)\s*[-–]\s*(\d+\.)?(\d+)/g, (all, chapter = "", from, other, to) => {
    if ((other ?? chapter) !== chapter || to - from > 99) return all;
    return Array.from({ length: Math.max(to - from + 1, 0) }, (_, i) => chapter + (Number(from) + i)).join(" ") + " " + all;
  });
  const straight = (text) => text.replace(/[‘’]/g, "'");
  const rows = [...document.querySelectorAll(".bd-article table.table tbody tr")]
    .filter((row) => finder.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING)
    .map((element) => {
      element.closest("table").classList.add("found");
      const heads = [...element.closest("table").tHead.rows[0].cells].map((cell) => cell.textContent.trim());
      const section = element.closest("section");
      const values = Object.fromEntries(heads.map((head, i) => [head, element.cells[i].textContent.trim()]));
      values.note ??= section.querySelector("h2")?.firstChild.textContent.match(/\d{3}/)?.[0];
      return { element, section, values, text: spread(straight(element.textContent)).toLowerCase() };
    });
  const box = make("input", { type: "search", placeholder: "a word or a number", ariaLabel: "Find " + finder.dataset.rows, autocomplete: "off" });
  const lists = finder.dataset.choose.split(" ").map((name) => {
    const values = [...new Set(rows.map((row) => row.values[name]))].filter(Boolean).sort((a, b) => a - b);
    const options = [new Option("every " + name, ""), ...values.map((value) => new Option(name + " " + value, value))];
    return make("select", { name, ariaLabel: name }, ...options);
  });
  const count = make("output", {});
  finder.append(box, ...lists, count);
  const find = () => {
    const words = straight(box.value).toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
      const plain = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      return new RegExp(/^[\d.]+$/.test(word) ? `(?<![\\d.])${plain}(?!\\d|\\.\\d)` : plain);  // 5.2 is not in 5.27
    });
    const shown = new Set();
    let found = 0;
    for (const { element, section, values, text } of rows) {
      const here = words.every((word) => word.test(text)) && lists.every((list) => !list.value || values[list.name] === list.value);
      element.hidden = !here;
      found += here;
      if (here) shown.add(section);
    }
    for (const { section, element } of rows) {
      const table = element.closest("table");
      (section.querySelector("h2") ? section : table).hidden = !shown.has(section);
    }
    count.textContent = found === rows.length ? `${found} ${finder.dataset.rows}` : `${found} of ${rows.length} ${finder.dataset.rows}`;
  };
  const sought = () => {
    const [, words] = location.hash.match(/^#find=(.*)$/) ?? [];
    if (words !== undefined) box.value = decodeURIComponent(words);
    find();
  };
  box.addEventListener("input", () => {
    find();
    history.replaceState(null, "", box.value ? "#find=" + encodeURIComponent(box.value) : location.pathname.split("/").pop());
  });
  for (const list of lists) list.addEventListener("input", find);
  addEventListener("hashchange", sought);
  sought();
});

// The address of a question, or of anything that is folded, opens it.
{
  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    target?.querySelector(":scope > details.notation")?.setAttribute("open", "");
    const box = target?.closest(".admonition") ?? target?.nextElementSibling;
    if (!box?.classList.contains("toggle-hidden")) return;
    box.querySelector(".toggle-button").click();
    box.scrollIntoView();
  };
  addEventListener("load", open);  // by then the folds are there
  addEventListener("hashchange", open);
}

// The map: pointing at a chapter, or choosing it in the list, lights what it rests on.
document.addEventListener("DOMContentLoaded", () => {
  const map = document.querySelector(".map");
  if (!map) return;
  const chapters = new Map([...map.querySelectorAll("[data-chapter]")].map((item) => [item.dataset.chapter, item]));
  const below = (goal, found = new Set([goal])) => {
    for (const need of chapters.get(goal).dataset.needs.split(" ").filter(Boolean))
      if (!found.has(need)) below(need, found.add(need));
    return found;
  };
  const list = document.createElement("select");
  list.append(new Option("the whole book", ""), ...[...chapters].map(([number, item]) => new Option(item.querySelector("a").textContent.replace(/^\d+/, "$& · "), number)));
  const label = document.createElement("label");
  label.append("What do I need for ", list);
  const said = document.createElement("output");
  map.prepend(label, said);
  const light = (goal) => {
    const found = goal ? below(goal) : new Set();
    map.classList.toggle("lit", Boolean(goal));
    for (const [number, item] of chapters) item.classList.toggle("on", found.has(number));
    for (const arc of map.querySelectorAll("path")) {
      const drawn = !arc.classList.contains("implied") || arc.dataset.to === goal;
      arc.classList.toggle("on", drawn && found.has(arc.dataset.from) && found.has(arc.dataset.to));
    }
    const all = goal ? [...found].map((number) => chapters.get(number)) : [...chapters.values()];
    const hours = Math.round(all.reduce((sum, item) => sum + Number(item.dataset.minutes), 0) / 60);
    const before = found.size - 1;
    said.textContent = !goal ? `${chapters.size} chapters, their cores about ${hours} hours of reading`
      : before ? `Chapter ${goal} rests on ${before} other${before > 1 ? "s" : ""}; with it about ${hours} hours of reading`
      : `Chapter ${goal} rests on no other`;
  };
  list.addEventListener("input", () => light(list.value));
  for (const [number, item] of chapters) {
    item.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && light(number));
    item.addEventListener("pointerleave", () => light(list.value));
    item.addEventListener("focusin", () => light(number));
    item.addEventListener("focusout", () => light(list.value));
  }
  light("");
});

// MathJax typesets what is near the screen, but would first read every formula before it, for
// the sake of numbers and macros. Ours come from Sphinx, so the end of a page is there at once.
// The rest follows when there is nothing else to do: those who hear the page need not scroll.
if (window.MathJax) window.MathJax.startup = { ready() {
  MathJax.startup.defaultReady();
  const whenIdle = window.requestIdleCallback ?? ((call) => setTimeout(call, 50));
  const page = MathJax.startup.document;
  page.compileEarlierItems = () => false;
  const typesetSome = () => {
    const waiting = [...document.querySelectorAll("mjx-lazy")].slice(0, 8);
    for (const formula of waiting) page.lazySet.add(formula.dataset.mjxLazy);
    if (waiting.length && !page.lazyIdle) page.lazyProcessSet();
    if (waiting.length) page.lazyPromise.then(() => whenIdle(typesetSome));
  };
  MathJax.startup.promise.then(() => setTimeout(() => whenIdle(typesetSome), 2000));
  MathJax.startup.promise.then(() => addEventListener("beforeprint", fitFormulas)); // after MathJax's own
} };

// Paper is white whatever the theme, and its notation unfolded. It does not scroll: a formula
// that is too wide for it becomes smaller. The layout is still the screen's when the browser tells of it.
{
  let theme;
  const { dataset } = document.documentElement;
  addEventListener("beforeprint", () => {
    theme ??= dataset.theme;
    dataset.theme = "light";
    document.querySelector("details.notation")?.setAttribute("open", "");
  });
  addEventListener("afterprint", () => {
    dataset.theme = theme ?? dataset.theme;
    theme = undefined;
  });
}
function fitFormulas() {
  const paper = 570; // CSS pixels that A4 and Letter have for a formula in a box
  for (const formula of document.querySelectorAll("mjx-container[display]")) {
    const { width } = formula.firstElementChild.getBoundingClientRect();
    if (width > paper) formula.style.setProperty("--on-paper", paper / width);
  }
}
