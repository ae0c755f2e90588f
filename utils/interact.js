// Exchanges the picture of a static figure as its controls move. Needs no library, no
// kernel, no server; runs once for each figure that is not yet alive. A frame holds only
// what differs from its base picture and lies on top of it.
for (const figure of document.querySelectorAll("figure.interact:not([data-alive])")) {
  figure.dataset.alive = "true";
  const base = figure.querySelector("img");
  const image = base.parentElement.appendChild(base.cloneNode()); // lies over the base
  base.alt = "";
  const inputs = [...figure.querySelectorAll("input, select")];
  const data = JSON.parse(figure.querySelector("script").textContent);
  const index = (input) =>
    input.type === "checkbox" ? Number(input.checked) : input.selectedIndex ?? Number(input.value);
  const position = () =>
    inputs.reduce((sum, input, i) => sum * data.controls[i].texts.length + index(input), 0);
  const [bases, frames] = [data.bases, data.frames].map((pictures) =>
    pictures.map((picture) => "data:image/webp;base64," + picture));
  // The browser keeps decoded what these hold, so that a step costs less than a frame.
  let decoded;
  const decode = () => {
    decoded ??= [...bases, ...frames].map((source) => Object.assign(new Image(), { src: source }));
  };
  const show = () => {
    const texts = inputs.map((input, i) => data.controls[i].texts[index(input)]);
    inputs.forEach((input, i) => {
      if (input.type !== "range") return;
      input.setAttribute("aria-valuetext", texts[i]);
      input.nextElementSibling.textContent = texts[i];
      input.style.setProperty("--filled", (100 * input.value) / input.max + "%");
    });
    base.src = bases[data.baseOf[position()]];
    image.src = frames[position()];
    const state = data.controls.map((control, i) => control.label + " = " + texts[i]);
    image.alt = data.description + " " + state.join(", ") + ".";
  };
  for (const input of inputs) {
    input.addEventListener("input", show);
    input.addEventListener("pointerenter", decode);
    input.addEventListener("focus", decode);
  }
  addEventListener("pageshow", show); // a browser may restore moved controls on return
  show();
}
