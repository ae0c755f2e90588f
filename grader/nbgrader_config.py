"""Settings of nbgrader; they hold for `nbgrader …` run in this folder too (see limits.py)."""

import sys
from pathlib import Path

from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    IgnorePattern,
    LimitOutput,
    SaveAutoGrades,
)

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.limits import LimitedExecute  # noqa: E402

c = get_config()  # noqa: F821  nbgrader provides it

c.CourseDirectory.course_id = "neural-networks-derived"
# Whatever nbgrader writes lies under _build; only the sources are kept in Git.
WRITTEN = ROOT / "_build" / "homework" / "nbgrader"
WRITTEN.mkdir(parents=True, exist_ok=True)
c.CourseDirectory.root = str(WRITTEN)
c.CourseDirectory.source_directory = str(ROOT / "homework" / "source")

c.ClearSolutions.code_stub = {
    "python": 'raise NotImplementedError("Write your answer here.")'
}
c.ClearSolutions.text_stub = "*Write your answer here.*"

c.LimitedExecute.timeout = 30  # seconds a cell
c.LimitedExecute.total = 240  # seconds a notebook
c.LimitedExecute.memory = 4  # GiB a process
c.Autograde.autograde_preprocessors = [  # nbgrader's own list, but for the first
    LimitedExecute,
    IgnorePattern,
    ClearMetadataPreprocessor,
    LimitOutput,
    SaveAutoGrades,
    AssignLatePenalties,
    CheckCellMetadata,
]
