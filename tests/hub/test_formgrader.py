"""What formgrader and feedback show of a notebook, to others than who wrote it."""

from pathlib import Path

import pytest
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.server_extensions.formgrader import handlers
from traitlets.config.loader import PyFileConfigLoader

from tests.homework.assignments import ROOT

HARM = "<script>alert(1)</script><img src=x onerror='alert(2)'>"


@pytest.fixture(params=[("hub", "formgrade"), ("grader", "feedback")])
def page(request, tmp_path, monkeypatch):
    """Notebooks as the formgrader, or ``make grade``, makes pages of them."""
    folder, template = request.param
    monkeypatch.setenv("NBGRADER_EXCHANGE", str(tmp_path))
    monkeypatch.setenv("HUB_COURSE_FOLDER", str(tmp_path))
    path = str(ROOT / folder)
    config = PyFileConfigLoader("nbgrader_config.py", path=path).load_config()
    config.HTMLExporter.template_name = template
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    bootstrap = Path(handlers.static_path, "node_modules", "bootstrap", "dist", "css")
    config.HTMLExporter.extra_template_paths = [str(bootstrap)]
    exporter = HTMLExporter(config=config)
    names = ("assignment_id", "notebook_id", "submission_id", "base_url", "student")
    names += ("last_name", "first_name", "notebook_path")
    resources = dict.fromkeys(names, "") | {"index": 0, "total": 1}
    resources["nbgrader"] = {"score": 0, "max_score": 0, "late_penalty": 0}
    return lambda *cells: exporter.from_notebook_node(
        new_notebook(cells=list(cells)), resources=resources
    )[0]


def test_no_script_of_a_students_runs(page):
    bundle = {"text/html": f"<b>shown</b>{HARM}", "text/plain": ""}
    script = {"application/javascript": "alert(3)"}
    outputs = [new_output("display_data", data) for data in (bundle, script)]
    text = page(
        new_markdown_cell(f"A proof. {HARM} [link](javascript:alert(4))\n\n{HARM}"),
        new_code_cell("", outputs=outputs),
    )
    assert "A proof." in text and "<b>shown</b>" in text
    assert "<script>alert" not in text and "<img src=x" not in text
    assert "javascript:alert" not in text and "alert(3)" not in text


def test_formulas_and_pictures_are_shown(page):
    cell = new_markdown_cell("If $a < b & c$, **then** ![p](attachment:p.png)")
    cell["attachments"] = {"p.png": {"image/png": "aGVsbG8="}}
    text = page(cell)
    assert "$a &lt; b &amp; c$, <strong>then</strong>" in text
    assert "data:image/png;base64,aGVsbG8=" in text
