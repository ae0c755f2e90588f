"""Make a zip for students of each assignment in a folder.

``python -m grader.release ASSIGNMENTS ZIPS REQUIREMENTS``; see the ``help`` of each.
"""

import argparse
import os
import re
import sys
import zipfile
from pathlib import Path

import nbformat

from grader.assignment import assignments, data_files, notebook_path, programs

DATE = (2026, 1, 1, 0, 0, 0)  # fixed, so that the same content has the same bytes
PACKAGES = ("ipykernel", "matplotlib", "numpy", "scikit-learn", "scipy", "torch")


def main() -> None:
    """Read the arguments and release."""
    parser = argparse.ArgumentParser(prog="grader.release")
    parser.add_argument(
        "assignments", type=Path, help="folder with a folder for each assignment"
    )
    parser.add_argument("zips", type=Path, help="folder to write NAME.zip into")
    parser.add_argument(
        "requirements", type=Path, help="requirements.txt with pinned versions"
    )
    options = parser.parse_args()
    folders = assignments(options.assignments.resolve())
    if not folders:
        sys.exit(f"expected folders NAME with NAME.ipynb in {options.assignments}")
    for source in folders:
        release(source, options.zips, options.requirements)
    print(f"Homework for students: {options.zips}/NAME.zip, {len(folders)} assignments")


def release(source: Path, zips: Path, requirements: Path) -> None:
    """Zip an assignment with the versions that it needs, if anything has changed since.

    ``source`` is absolute. nbgrader's own files go into ``zips / "nbgrader"``; of the lines
    ``package==version`` of ``requirements`` the zip gets those in ``PACKAGES``.
    """
    target = zips.resolve() / f"{source.name}.zip"
    if target.exists() and target.stat().st_mtime > _newest(source, requirements):
        return
    from grader import nbgrader_steps  # nbgrader takes two seconds to load

    released = nbgrader_steps.release(source, target.parent / "nbgrader")
    notebook = nbformat.read(released, 4)
    for cell in notebook.cells:  # JupyterLab's Run All goes on where one fails
        if cell.cell_type == "code":
            cell.metadata.tags = ["raises-exception"]
    pins = requirements.read_text("utf-8")
    pinned = re.findall(rf"^(?:{'|'.join(PACKAGES)})==.+$", pins, re.M)
    files = {
        released.name: nbformat.writes(notebook).encode(),
        "requirements.txt": "\n".join([*pinned, ""]).encode(),
        **{path.name: path.read_bytes() for path in data_files(source)},
    }
    part = target.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(f"{source.name}/{name}", DATE)
            info.external_attr = 0o644 << 16  # readable by all
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    os.replace(part, target)


def _newest(source, requirements):
    """Return when something that a zip depends on changed last."""
    grader = Path(__file__).parent.glob("*.py")
    files = [notebook_path(source), *programs(source), *data_files(source)]
    paths = [*files, requirements, *grader]
    return max(path.stat().st_mtime for path in paths)


if __name__ == "__main__":
    main()
