"""Make what students get: ``_build/homework/NN_slug.zip``, for each assignment."""

import os
import re
import zipfile
from pathlib import Path

import nbformat

from press import chapters
from press.pages import chapter_head as head

HERE = Path(__file__).resolve().parent
SOURCES = {slug: HERE / "source" / slug / f"{slug}.ipynb" for slug in chapters.SLUGS}
ASSIGNMENTS = {slug: path for slug, path in SOURCES.items() if path.exists()}
BUILD = HERE.parent / "_build" / "homework"
DATE = (2026, 1, 1, 0, 0, 0)  # fixed, so that the same content has the same bytes
NEEDED = ("ipykernel", "matplotlib", "numpy", "scipy", "torch")


def main():
    """Release every assignment and zip it with the versions that it needs."""
    BUILD.mkdir(parents=True, exist_ok=True)
    pins = (HERE.parent / "requirements.txt").read_text("utf-8")
    needs = re.findall(rf"^(?:{'|'.join(NEEDED)})==.+$", pins, re.M)
    for slug, path in ASSIGNMENTS.items():
        target = BUILD / f"{slug}.zip"
        if target.exists() and target.stat().st_mtime > newest(path):
            continue
        from grader.course import release  # nbgrader takes two seconds to load

        notebook = nbformat.read(release(slug, BUILD / "nbgrader"), 4)
        for cell in notebook.cells:  # JupyterLab's Run All goes on where one fails
            if cell.cell_type == "code":
                cell.metadata.tags = ["raises-exception"]
        files = {
            f"{slug}.ipynb": nbformat.writes(notebook).encode(),
            "requirements.txt": "\n".join([*needs, ""]).encode(),
        }
        part = target.with_suffix(".part")
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                info = zipfile.ZipInfo(f"{slug}/{name}", DATE)
                info.external_attr = 0o644 << 16  # readable by all
                archive.writestr(info, content, zipfile.ZIP_DEFLATED)
        os.replace(part, target)
    for slug in chapters.SLUGS:
        head.write(slug)  # the chapter's page, if there is one, links to it
    print(f"Homework for students: {BUILD.relative_to(HERE.parent)}/NN_slug.zip")


def newest(source):
    """When a zip's ingredients changed last."""
    grader = [HERE / name for name in ("course.py", "nbgrader_config.py", "release.py")]
    paths = [source, HERE.parent / "requirements.txt", *grader]
    return max(path.stat().st_mtime for path in paths)


if __name__ == "__main__":
    main()
