"""How large the letters of a figure are, so that a narrow screen can tell."""

from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure


def smallest_lettering(figure: Figure) -> float:
    """Return the smallest font size that a figure draws, as a fraction of its width.

    Without any text this is 1.
    """
    renderer = RendererAgg(*figure.bbox.size.astype(int).tolist(), figure.dpi)
    draw_text, sizes = renderer.draw_text, []

    def record(gc, x, y, text, font, *others, **named):
        if text.strip():
            sizes.append(font.get_size_in_points())
        draw_text(gc, x, y, text, font, *others, **named)

    renderer.draw_text = record
    figure.draw(renderer)
    return min(sizes, default=72 * figure.get_figwidth()) / 72 / figure.get_figwidth()
