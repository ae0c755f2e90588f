"""What a printed figure has to say."""

from playwright.sync_api import Page


def unstated(page: Page) -> list[str]:
    """Return what a printed figure does not say of its controls: their labels, their values."""
    page.emulate_media(media="print")
    missing = page.evaluate(
        """() => [...document.querySelectorAll("figure.interact")].flatMap((figure) => {
          const { controls } = JSON.parse(figure.querySelector("script").textContent);
          const inputs = [...figure.querySelectorAll("input, select")];
          const value = (x) => x.type === "checkbox" ? +x.checked : x.selectedIndex ?? +x.value;
          return controls
            .flatMap(({ label, texts }, i) => [label, texts[value(inputs[i])]])
            .filter((text) => !figure.innerText.includes(text))
            .map((text) => `${figure.dataset.name}: ${text}`);
        })"""
    )
    page.emulate_media(media="screen")
    return missing
