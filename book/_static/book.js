// What the theme leaves out for readers who hear the page: a landmark around the sidebar,
// and entries of the bibliography that are items of its list.
document.addEventListener("DOMContentLoaded", () => {
  const sidebar = document.querySelector(".bd-sidebar-primary");
  sidebar?.setAttribute("role", "complementary");
  sidebar?.setAttribute("aria-label", "Book");
  for (const entry of document.querySelectorAll("div[role=doc-biblioentry]")) entry.setAttribute("role", "listitem");
});
