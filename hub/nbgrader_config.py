"""nbgrader's settings on the hub, for every server: the hub names this folder to Jupyter."""

import os
import sys
from pathlib import Path

from nbgrader.auth import JupyterHubAuthPlugin

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

c = get_config()  # noqa: F821  nbgrader provides it
c.CourseDirectory.course_id = (HERE / "course_id.txt").read_text("utf-8").strip()
c.Exchange.root = os.environ["NBGRADER_EXCHANGE"]

# The formgrader, or a teacher's shell:
if folder := os.environ.get("HUB_COURSE_FOLDER"):
    sys.path.insert(0, str(ROOT))
    load_subconfig("nbgrader_config.py", path=str(ROOT / "grader"))  # noqa: F821
    c.CourseDirectory.root = folder
    c.CourseDirectory.source_directory = str(ROOT / "homework" / "source")
    # This way a folder of submissions is one that `make grade` takes.
    c.CourseDirectory.directory_structure = (
        "{nbgrader_step}/{assignment_id}/{student_id}"
    )
    c.ExchangeFactory.collect = "grader.hub_collect.Collect"
    # Only then are users of the hub users of the system, so that an owner can be checked.
    c.ExchangeCollect.check_owner = bool(os.environ.get("HUB_GRADER"))
    c.ExchangeCollect.update = True
else:
    c.Authenticator.plugin_class = JupyterHubAuthPlugin
    c.CourseDirectory.student_id = os.environ["JUPYTERHUB_USER"]
