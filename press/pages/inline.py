"""Scripts that stand in a page become files, as some sites run no others.

Such a site sends ``Content-Security-Policy: script-src 'self'``. The theme, its extensions and
MathJax's settings put scripts into the HTML, which are moved once it is written. A module
stays, as no browser loads one of a file from ``file://``. Where no script runs at all, each
page says so.
"""

import hashlib
import re
from pathlib import Path

FOLDER = "_static/inline"
SCRIPT = re.compile(r"<script([^>]*)>(.*?)</script>", re.S)
MOVED = re.compile(r'(?!.*\bsrc=)(?!.*\btype="(?!text/javascript"))', re.S)
REPLACED = {
    'onclick="window.print()"': "data-prints",  # book.js hears it
    'data-theme="auto"': 'data-theme="light"',  # of <html>, until a script asks the reader
}
BODY = re.compile(r"<body[^>]*>\n")
WITHOUT = (  # book.css hides it once book.js runs
    '<p class="without-scripts">No script runs here: formulas stand as TeX, '
    "figures keep to their first picture, and no list can be searched.</p>\n"
)


def setup(app):
    app.connect("build-finished", _move)


def _move(app, exception):
    """Move the scripts of every page but decks, which are one file each."""
    if exception is not None or app.builder.format != "html":
        return
    out, used = Path(app.outdir), set()
    (out / FOLDER).mkdir(parents=True, exist_ok=True)
    for page in [*out.glob("*.html"), *out.glob("book/*.html")]:
        before = page.read_text("utf-8")
        root = "../" * (len(page.relative_to(out).parts) - 1)
        after = SCRIPT.sub(lambda script, root=root: _file(script, out, root), before)
        for old, new in REPLACED.items():
            after = after.replace(old, new, 1)
        if WITHOUT not in after:
            after = BODY.sub(rf"\g<0>{WITHOUT}", after, count=1)
        if after != before:
            page.write_text(after, "utf-8")
        used.update(re.findall(rf"{FOLDER}/(\w+\.js)", after))
    for old in (out / FOLDER).iterdir():
        if old.name not in used:  # an earlier build's
            old.unlink()


def _file(script, out, root):
    """Return an element that loads a script from a file; data stay where they are."""
    attributes, text = script.groups()
    if not MOVED.match(attributes):
        return script[0]
    name = f"{FOLDER}/{hashlib.sha256(text.encode()).hexdigest()[:12]}.js"
    (out / name).write_text(text, "utf-8")
    return f'<script{attributes} src="{root}{name}"></script>'
