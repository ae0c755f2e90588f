"""What the built book needs beyond Jupyter Book: living figures, honest cache, numbers.

Named in ``_config.yml``, so that a bare ``jupyter-book build .`` has it too.
"""

import hashlib
import json
import logging
import os
import re
import shutil
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor

CHAPTER = re.compile(r"book/(\d\d)_")
TRAILING_LABELS = re.compile(r"(.*?)\s*((?:(?:^|\n)\([\w-]+\)=\s*)*)", re.S)
HEADING = re.compile(r"<h2>Exercises.*?</h2>|</h1>", re.S)
HOMEWORK = (
    '<p class="homework">For marks: <a href="../homework/{0}.zip">the homework of this '
    "chapter</a>, a notebook whose checks answer at once (zip).</p>"
)


def setup(app):
    os.environ["BOOK_MODE"] = "static"  # inherited by the kernels; see utils.interact
    os.environ["OMP_NUM_THREADS"] = "1"  # small matrices: threads only get in the way
    app.connect("config-inited", _key_cache_on_utils)
    app.connect("builder-inited", _execute_in_parallel)
    app.connect("source-read", _mark_cells)
    app.connect(
        "env-get-updated", _number_by_chapter, priority=900
    )  # after Sphinx's own count
    app.connect("html-page-context", _without_thebe, priority=900)
    app.connect("build-finished", _link_homework)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _key_cache_on_utils(app, config):
    """A cache folder a version of utils: jupyter-cache sees only changes in the cells."""
    folder = Path(__file__).parent
    files = [f for f in sorted(folder.iterdir()) if f.suffix in {".py", ".js", ".css"}]
    files.append(Path(app.srcdir) / "requirements.txt")
    digest = hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()[:12]
    config.nb_execution_cache_path = str(
        Path(app.srcdir) / "_build" / ".jupyter_cache" / digest
    )


def _execute_in_parallel(app):
    """Fill the cache with a kernel a core; myst-nb would run one notebook at a time.

    What fails is not cached, so that myst-nb runs it again and reports the cell.
    """
    cache = get_cache(app.config.nb_execution_cache_path)
    new = []
    for path in sorted(map(str, Path(app.srcdir, "book").glob("*.ipynb"))):
        try:
            cache.match_cache_file(path)
        except KeyError:
            new.append(cache.add_nb_to_project(path).pk)
    if new:
        executor = load_executor("local-parallel", cache, logging.getLogger(__name__))
        executor.run_and_cache(filter_pks=new, timeout=app.config.nb_execution_timeout)


def _mark_cells(app, page, source):
    """A comment at the end of each markdown cell, by which slides.build tells them apart."""
    if not CHAPTER.match(page):
        return
    notebook = json.loads(source[0])
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            # Before a label at the end, which belongs to what follows.
            text, labels = TRAILING_LABELS.fullmatch("".join(cell["source"])).groups()
            cell["source"] = f"{text}\n\n<!-- cell {cell['id']} -->\n\n{labels}"
    source[0] = json.dumps(notebook)


def _number_by_chapter(app, env):
    """Equations, figures and exercises count anew in each chapter: (3.1), (3.2), …"""
    for page, kinds in env.toc_fignumbers.items():
        match = CHAPTER.match(page)
        prefix = (int(match[1]),) if match else ()
        for kind, numbers in kinds.items():
            in_order = sorted(numbers, key=numbers.get)
            kinds[kind] = {
                label: (*prefix, i) for i, label in enumerate(in_order, start=1)
            }
    return []


def _without_thebe(app, page, template, context, doctree):
    """Jupyter Book adds Thebe's script twice, which is an error in the console; we use none."""
    context["script_files"] = [
        script
        for script in context.get("script_files", [])
        if "thebe" not in f"{script} {getattr(script, 'attributes', '')}".lower()
    ]


def _link_homework(app, exception):
    """Each chapter's page leads to the zip of its homework, where `make homework` made one.

    In the written page, since Sphinx does not write a page anew that has not changed.
    """
    for archive in sorted(Path(app.srcdir, "_build", "homework").glob("*.zip")):
        page = Path(app.outdir, "book", f"{archive.stem}.html")
        if exception or app.builder.format != "html" or not page.exists():
            continue
        (Path(app.outdir) / "homework").mkdir(exist_ok=True)
        shutil.copy(archive, Path(app.outdir) / "homework")
        text, link = page.read_text("utf-8"), HOMEWORK.format(archive.stem)
        if link not in text:
            place = max(HEADING.finditer(text), key=lambda m: m[0][:3] == "<h2")
            page.write_text(text[: place.end()] + link + text[place.end() :], "utf-8")
