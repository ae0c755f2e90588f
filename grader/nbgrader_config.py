"""nbgrader's settings for release and grading, apart from the folders."""

import os
import sys
from dataclasses import asdict
from pathlib import Path

import nbgrader.dbutil
from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    IgnorePattern,
    LimitOutput,
    SaveAutoGrades,
)

from grader.execute import LimitedExecute
from grader.limits import DEFAULT
from grader.sanitise import markdown_alone
from grader.self_contained import SelfContained

c = get_config()  # noqa: F821  nbgrader provides it
# It calls alembic by this bare name, which a shell without .venv does not find.
tools = str(Path(sys.executable).parent)
path = os.environ.get("PATH", "").split(os.pathsep)
if tools not in path[:2]:  # behind what answers for installers, see processes.py
    os.environ["PATH"] = os.pathsep.join([tools, *path])
# By its package name, as alembic reads paths in the system's encoding.
nbgrader.dbutil.ALEMBIC_DIR = "nbgrader:alembic"

c.GenerateAssignment.preprocessors.prepend([SelfContained])
c.ClearSolutions.code_stub = {
    "python": 'raise NotImplementedError("Write your answer here.")'
}
c.ClearSolutions.text_stub = "*Write your answer here.*"

c.LimitedExecute.update(asdict(DEFAULT))
c.LimitedExecute.shutdown_kernel = "immediate"  # PyTorch's leave takes half a second
c.Autograde.autograde_preprocessors = [  # nbgrader's own list, but for the first
    LimitedExecute,
    IgnorePattern,
    ClearMetadataPreprocessor,
    LimitOutput,
    SaveAutoGrades,
    AssignLatePenalties,
    CheckCellMetadata,
]

# A script in a notebook would run with the rights of the person who opens its page.
c.HTMLExporter.sanitize_html = True  # of outputs
c.HTMLExporter.filters = {"markdown2html": markdown_alone}
