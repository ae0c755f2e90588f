// What the theme leaves out for readers who hear the page: a landmark around the sidebar,
// and entries of the bibliography that are items of its list.
document.addEventListener("DOMContentLoaded", () => {
  const sidebar = document.querySelector(".bd-sidebar-primary");
  sidebar?.setAttribute("role", "complementary");
  sidebar?.setAttribute("aria-label", "Book");
  for (const entry of document.querySelectorAll("div[role=doc-biblioentry]")) entry.setAttribute("role", "listitem");
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
} };
