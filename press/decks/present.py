"""A chapter's figures live on a projector: ``make present CHAPTER=16_attention``.

Voilà runs the chapter and shows its headings, predictions and sliders without the code;
a note of what was to be seen stays folded until somebody opens it.
"""

import re
import subprocess
import sys

import nbformat

from press import chapters

ROOT = chapters.ROOT
STAGE = ROOT / "_build" / "present"
STYLE = """<style>
body { max-width: 62rem; margin: 0 auto; font-size: 1.35rem; }
.widget-vbox img { width: 100%; }
.widget-label, .widget-readout, select { font-size: 1.1rem; }
</style>"""
ADMONITION = re.compile(
    r"^```\{admonition\} (.+)\n:class: (.+)\n((?:.*\n)*?)```$", re.M
)
# A number that the stage does not show.
EQUATION = re.compile(r"\s*\(?\{eq\}`[^`]*`\)?")
# Words that set a figure, cite a work or lead to a chapter: none of these is on the stage.
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\([\w./]*#[^()\s]+\)")
ROLE = re.compile(r"\{\w+\}`([^`<]*?)\s*(?:<[^>]*>)?`")


def stage(slug):
    """Write the notebook that Voilà shows; returns its path."""
    notebook = nbformat.read(chapters.CHAPTERS[slug].path, 4)
    cells, heading = [nbformat.v4.new_markdown_cell(STYLE)], ""
    for cell in notebook.cells:
        tags = set(cell.metadata.get("tags", []))
        if cell.cell_type == "markdown":
            new_heading, boxes = spoken(cell.source)
            heading = new_heading or heading
            if boxes or new_heading.startswith("# "):
                cells.append(
                    nbformat.v4.new_markdown_cell("\n\n".join([heading, *boxes]))
                )
                heading = ""  # shown once
        elif "solution" not in tags:
            # Whatever is no slider runs, and keeps what it prints and draws to itself.
            quiet = "" if "widget" in tags else "%%capture\n"
            cells.append(nbformat.v4.new_code_cell(quiet + cell.source))
    notebook.cells = cells
    STAGE.mkdir(parents=True, exist_ok=True)
    path = STAGE / f"{slug}.ipynb"
    nbformat.write(notebook, path)
    return path


def spoken(markdown):
    """Return of a markdown cell the heading with the question, and the predictions and answers."""
    heading = re.search(r"^#{1,3} .+$(\n\n\*.+\*$)?", markdown, re.M)
    parts = []
    for title, kinds, body in ADMONITION.findall(markdown):
        body = LINK.sub(r"\1", ROLE.sub(r"\1", EQUATION.sub("", body))).strip()
        if kinds == "tip":
            parts.append(f"**{title}.** {body}")
        elif "note" in kinds:
            parts.append(f"<details><summary>{title}</summary>\n\n{body}\n\n</details>")
    return heading[0] if heading else "", parts


def command(path, *options):
    """Return the call of Voilà, without code and the extensions that it cannot load."""
    deny = "--VoilaConfiguration.extension_denylist"
    flags = [
        "--strip_sources=True",
        f"{deny}=jupyterlab-myst",
        f"{deny}=@jupyter/nbgrader",
    ]
    return [sys.executable, "-m", "voila", *flags, *options, str(path)]


def main(arguments):
    """Show the one chapter that is named."""
    slugs = ", ".join(chapters.CHAPTERS)
    if len(arguments) != 1 or arguments[0] not in chapters.CHAPTERS:
        sys.exit(f"Expected CHAPTER= one of {slugs}; got {arguments}")
    return subprocess.call(command(stage(arguments[0])))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
