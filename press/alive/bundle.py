"""An alive figure as a page has it: its default picture, its inputs, its network.

With it stands what ``compute`` gives for a dozen inputs drawn at random, by PyTorch: the tests
of the pages compare. ``files`` moves network and expectations to files once pages are written.
"""

import base64
import html
import io
from pathlib import Path
from string import Template

import matplotlib.pyplot as plt
import numpy as np

from press.figures.bundle import payload
from press.figures.lettering import smallest_lettering
from utils.interact.frames import description, picture, png, printed

DPI = 150
DRAWN = 12  # inputs for which the page's outputs are compared
TEMPLATE = Path(__file__).with_name("figure.html")


def default_bundle(function, controls):
    """Show only the default picture: what ``alive_bundle`` gives, without the rest."""
    image = picture(function, _defaults(controls), DPI)
    return {
        "image/png": base64.b64encode(png(image)).decode(),
        "text/plain": description(function),
    }


def alive_bundle(function, controls):
    """Show the default picture, and give as data what ``alive.js`` brings it to life with."""
    image, network = picture(function, _defaults(controls), DPI), function.alive
    figure = function(**_defaults(controls))
    plt.close(figure)  # or pyplot shows it once more
    data = {
        "description": description(function),
        "controls": [control.to_page() for control in controls],
    }
    page = Template(TEMPLATE.read_text("utf-8")).substitute(
        name=html.escape(function.__name__),
        program=html.escape(network.program),
        lettering=f"{smallest_lettering(figure):.4f}",
        title=html.escape(function.__name__.replace("_", " ")),
        height=round(720 * image.height / image.width),
        picture=_webp(image),
        alt=html.escape(description(function)),
        data=payload(data),
        network=payload(packed(network.weights) | {"data": network.data}),
        expected=payload({"cases": cases(function, controls)}),
    )
    pdf = printed(function, _defaults(controls))
    return {
        "text/html": page,
        "application/pdf": base64.b64encode(pdf).decode(),
    } | default_bundle(function, controls)


def packed(arrays: dict[str, np.ndarray]) -> dict:
    """Return arrays as the page reads them: shapes, places, and all bytes in base64.

    The numbers are float32, the first byte the least, row after row.
    """
    tensors, parts, place = {}, [], 0
    for name, array in arrays.items():
        part = np.ascontiguousarray(array, "<f4").tobytes()
        tensors[name] = {"shape": [*array.shape], "at": place}
        parts.append(part)
        place += len(part)
    return {"tensors": tensors, "bytes": base64.b64encode(b"".join(parts)).decode()}


def cases(function, controls) -> list[dict]:
    """Draw inputs, and return with each what PyTorch computes, or why it refuses.

    The first is the default; in each of the next ones one input differs from it. ValueError
    where an input changes nothing, or an output is not finite.
    """
    rng = np.random.default_rng(0)
    start = {control.name: control.start for control in controls}
    texts = [start]
    texts += [start | {c.name: _another(c, rng)} for c in controls for _ in range(2)]
    while len(texts) < DRAWN:
        texts.append({control.name: control.sample(rng) for control in controls})
    given = [_case(function, controls, case) for case in texts]
    for i, control in enumerate(controls):
        if all(_result(case) == _result(given[0]) for case in given[2 * i + 1 :][:2]):
            raise ValueError(
                f"{function.__name__}: expected {control.name!r} to change the outputs, "
                "got the same ones"
            )
    return given


def _result(case):
    """Return what a case computes, without what it was given."""
    return {key: value for key, value in case.items() if key != "inputs"}


def _another(control, rng):
    """Draw a text other than the start's."""
    while (text := control.sample(rng)) == control.start:
        pass
    return text


def _case(function, controls, texts):
    """Return one case: the texts of the inputs, and the outputs or the refusal."""
    try:
        inputs = {c.name: c.read(texts[c.name]) for c in controls}
        outputs = function.alive.outputs(**inputs)
    except ValueError as error:
        return {"inputs": texts, "refused": str(error)}
    for name, values in outputs.items():
        if not np.isfinite(values).all():
            raise ValueError(
                f"{function.__name__}: expected finite outputs, got others in {name!r} "
                f"for {texts}"
            )
    return {"inputs": texts, "outputs": packed(outputs)}


def _defaults(controls):
    return {control.name: control.default for control in controls}


def _webp(image):
    buffer = io.BytesIO()
    image.save(buffer, "webp", lossless=True, method=4)
    return base64.b64encode(buffer.getvalue()).decode()
