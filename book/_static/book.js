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
if (window.MathJax) window.MathJax.startup = { ready() {
  MathJax.startup.defaultReady();
  MathJax.startup.document.compileEarlierItems = () => false;
} };
