"""For `nbgrader …` in this folder: the grader's settings, on these assignments."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

c = get_config()  # noqa: F821  nbgrader provides it
load_subconfig("nbgrader_config.py", path=str(ROOT / "grader"))  # noqa: F821

course_id = ROOT / "hub" / "course_id.txt"
c.CourseDirectory.course_id = course_id.read_text("utf-8").strip()
# Whatever nbgrader writes lies under _build; only the assignments are kept in Git.
WRITTEN = ROOT / "_build" / "homework" / "nbgrader"
WRITTEN.mkdir(parents=True, exist_ok=True)
c.CourseDirectory.root = str(WRITTEN)
c.CourseDirectory.source_directory = str(ROOT / "homework" / "source")
