"""Networks of alive figures become files; a page or deck with such figures names their scripts.

A page is light without its networks, and a browser loads one when its figure comes near the
screen. What the tests compare the figures with is not published.
"""

import re
from pathlib import Path

from press import chapters

HERE = Path(__file__).parent
STATIC = HERE / "static"
PAD = chapters.ROOT / "utils" / "alive" / "static"
# In the order in which they are read; the programs of the figures come after them.
SCRIPTS = [
    STATIC / "layers.js",
    STATIC / "formula.js",
    STATIC / "views.js",
    PAD / "pad.js",
    STATIC / "inputs.js",
    STATIC / "alive.js",
]
STYLES = [PAD / "pad.css", STATIC / "inputs.css", STATIC / "alive.css"]
NETWORKS = "_static/networks"
# In a deck its attributes have another order.
FIGURE = re.compile(r'<figure class="alive"[^>]* data-program="(\w+)"')
PARTS = re.compile(
    r'(?P<head><figure class="alive" data-name="(?P<name>\w+)" data-program="\w+")'
    r"(?P<rest>.*?)"
    r'<script type="application/json" class="network">(?P<network>.*?)</script>\s*'
    r'<script type="application/json" class="expected">(?P<expected>.*?)</script>\s*',
    re.S,
)


def setup(app):
    app.connect("html-page-context", _name_scripts)
    app.connect("build-finished", _move, priority=400)  # before decks are made


def programs_of(html: str) -> list[str]:
    """Return the programs of the alive figures in some HTML, each once."""
    return [*dict.fromkeys(FIGURE.findall(html))]


def scripts_of(html: str) -> list[Path]:
    """Return the scripts that the alive figures in some HTML need; none without a figure."""
    programs = programs_of(html)
    named = [STATIC / "programs" / f"{program}.js" for program in programs]
    return [*SCRIPTS, *named] if programs else []


def views_of(program: str) -> list[str]:
    """Return the names of the views of a program, and of the rows and panels around them."""
    views = (STATIC / "views.js").read_text(encoding="utf-8")
    kinds = [*re.findall(r'^ +(\w+): view\("', views, re.M), "row", "panel"]
    script = (STATIC / "programs" / f"{program}.js").read_text(encoding="utf-8")
    call = rf'\b(?:{"|".join(kinds)})\(\s*(?:\w+, )?"([^"]+)"'
    return [*dict.fromkeys(re.findall(call, script))]


def networks_of(html: str, folder: Path) -> list[Path]:
    """Return the files of the networks of the alive figures in some HTML."""
    return [
        folder / name for name in re.findall(r'data-network="[^"]*?([^"/]+)"', html)
    ]


def _name_scripts(app, page, template, context, doctree):
    """Have a page name the scripts of the alive figures that it has."""
    html = "" if doctree is None else _raw_html(doctree)
    for script in scripts_of(html):
        folder = "programs/" if script.parent.name == "programs" else ""
        app.add_js_file(f"{folder}{script.name}", loading_method="defer")
    if programs_of(html):
        for style in STYLES:
            app.add_css_file(style.name)


def _raw_html(doctree):
    """Return what stands in a page as HTML."""
    return "\n".join(
        node.astext() for node in doctree.findall() if node.tagname == "raw"
    )


def _move(app, exception):
    """Move the networks of the written pages to files, beside the pages' other files."""
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    networks, expected = out / NETWORKS, out.parent / "alive"
    for folder in (networks, expected):
        folder.mkdir(parents=True, exist_ok=True)
    used = set()
    for page in out.glob("book/*.html"):
        before = page.read_text("utf-8")
        after = PARTS.sub(
            lambda parts, page=page: _file(parts, page, networks, expected), before
        )
        if after != before:
            page.write_text(after, "utf-8")
        used.update(path.stem for path in networks_of(after, networks))
    for old in [*networks.iterdir(), *expected.iterdir()]:
        if old.stem not in used:  # an earlier build's
            old.unlink()


def _file(parts, page, networks, expected):
    """Write the network of a figure to a file; return the figure, which names the file."""
    number = page.stem.split("_")[0]
    name = f"{number}_{parts['name']}"
    (networks / f"{name}.js").write_text(
        f'alive.arrived("{name}", {parts["network"]});\n', "utf-8"
    )
    (expected / f"{name}.json").write_text(parts["expected"], "utf-8")
    address = f"../{NETWORKS}/{name}.js"
    return f'{parts["head"]} data-network="{address}"{parts["rest"]}'
