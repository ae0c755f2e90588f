"""nbgrader's settings on the hub, for every server: the hub names this folder to Jupyter."""

import os
import sys
from pathlib import Path

from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbgrader.auth import JupyterHubAuthPlugin

ROOT = Path(__file__).resolve().parent.parent


@pass_context
def markdown_alone(context, source: str) -> str:
    """What nbconvert makes of a text, but HTML in it is shown as it was typed."""
    attachments = context.get("cell", {}).get("attachments", {})
    renderer = IPythonRenderer(
        escape=True, allow_harmful_protocols=False, attachments=attachments
    )
    return MarkdownWithMath(renderer=renderer).render(source)


c = get_config()  # noqa: F821  nbgrader provides it
c.CourseDirectory.course_id = "neural-networks-derived"
c.Exchange.root = os.environ["NBGRADER_EXCHANGE"]

# The formgrader, or a teacher's shell:
if folder := os.environ.get("HUB_COURSE_FOLDER"):
    sys.path.insert(0, str(ROOT))
    load_subconfig("nbgrader_config.py", path=str(ROOT / "grader"))  # noqa: F821
    c.CourseDirectory.root = folder
    c.CourseDirectory.source_directory = str(ROOT / "homework" / "source")
    # So a folder of submissions is what `make grade` takes.
    c.CourseDirectory.directory_structure = (
        "{nbgrader_step}/{assignment_id}/{student_id}"
    )
    # A script in a notebook would act in the formgrader as who looks at it.
    c.HTMLExporter.sanitize_html = True  # of outputs
    c.HTMLExporter.filters = {"markdown2html": markdown_alone}
    c.ExchangeFactory.collect = "grader.collect.Collect"
    # Only there are the hub's names the system's: submissions under another's are left out.
    c.ExchangeCollect.check_owner = bool(os.environ.get("HUB_GRADER"))
    c.ExchangeCollect.update = True
else:
    c.Authenticator.plugin_class = JupyterHubAuthPlugin
    c.CourseDirectory.student_id = os.environ["JUPYTERHUB_USER"]
