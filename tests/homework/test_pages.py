"""Feedback pages: pictures of the students', and what cannot be shown."""

import base64
import json
import shutil
from time import monotonic

import nbformat
import pytest
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.api import Gradebook

from grader import batch
from grader.feedback_page import LEFT_OUT
from grader.files_and_zips import File
from grader.limits import DEFAULT
from grader.marks import Sheet
from grader.nbgrader_steps import feedback, incidents, leave_out_what_fails, release
from grader.pictures import CODE_OR_TAG, attach_pictures, prepend
from grader.processes import Processes
from grader.repair import load
from grader.sanitise import markdown_alone
from tests.homework.assignments import FOLDERS, answered, name_of, released, teachers
from tests.homework.classroom import ASSIGNMENT

DOT = base64.b64encode(b"\x89PNG\r\n\x1a\n not all of it").decode()
OTHER = base64.b64encode(b"\x89PNG\r\n\x1a\n another").decode()
HTML = {"output_type": "display_data", "data": {"text/html": 5}, "metadata": {}}
SHEET = Sheet(teachers(ASSIGNMENT))


def grading(folder, run):
    """Make a grading of a class with a function in place of processes."""
    runner = Processes(1)
    runner.run = run
    return batch.Grading(ASSIGNMENT, "state", DEFAULT, 1, folder, SHEET, runner)


def page(notebook):
    """Return the texts of a notebook as nbgrader's page shows them."""
    return "".join(
        markdown_alone({"cell": cell}, cell.source)
        for cell in notebook.cells
        if cell.cell_type == "markdown"
    )


def text(source, **attachments):
    cell = new_markdown_cell(source)
    if attachments:
        cell.attachments = {f"{name}.png": v for name, v in attachments.items()}
    return cell


def completed(cell, *files):
    """Return the cell's page and the remarks."""
    notebook = new_notebook()
    notebook.cells = [cell]
    remarks = attach_pictures(notebook, list(files))
    nbformat.validate(notebook)
    return page(notebook), remarks


@pytest.mark.parametrize(
    "source",
    [
        "![proof](attachment:proof.png)",
        "![](<attachment:proof.png> 'title')",
        "![p][1]\n\n[1]: attachment:proof.png",
        "<img alt='p' src='attachment:proof.png' width=300>",
    ],
)
@pytest.mark.parametrize(
    "broken",
    [
        None,
        {},
        [],
        "text",
        {"image/png": 7},
        {"image/png": ""},
        {"image/png": "not base64!"},
        {"image/png": ["not", "joined"]},
        {"image/heic": DOT},
        {"text/html": "<script>alert(1)</script>"},
    ],
)
def test_a_picture_that_is_missing_or_broken_costs_no_page(source, broken):
    cell = text(source, **{} if broken is None else {"proof": broken})
    html, remarks = completed(cell)
    assert "data:image/png;base64,&quot" not in html and "alert(1)" not in html
    assert 'src="data:image/png;base64,"' in html
    (remark,) = remarks
    assert remark == "the picture proof.png is missing or cannot be shown: cell 1"


@pytest.mark.parametrize("name", ["proof.png", "证明 1.png", "a b.png", "100%.png"])
def test_a_picture_that_is_there_is_shown_whatever_its_name(name):
    cell = new_markdown_cell(f"![](<attachment:{name}>)")
    cell.attachments = {name: {"image/png": DOT, "text/plain": "a proof"}}
    html, remarks = completed(cell)
    assert f"data:image/png;base64,{DOT}" in html and not remarks


@pytest.mark.parametrize("address", ["proof.png", "img/proof.png", r"C:\a\proof.png"])
@pytest.mark.parametrize("form", ["![p](<{}>)", "<img src='{}'/>"])
def test_a_picture_in_a_file_beside_the_notebook_is_shown(address, form):
    file = File("a.zip/img/proof.png", data=base64.b64decode(DOT))
    html, remarks = completed(text(form.format(address)), file)
    assert f"data:image/png;base64,{DOT}" in html and not remarks
    html, remarks = completed(text(form.format(address)))
    assert remarks == ["the picture proof.png is missing or cannot be shown: cell 1"]


def test_of_two_pictures_with_one_name_the_first_counts():
    files = [
        File(name, data=base64.b64decode(content))
        for name, content in [("a.zip/p.png", DOT), ("a.zip/old/p.png", OTHER)]
    ]
    html, _ = completed(text("![](p.png)"), *files)
    assert DOT in html and OTHER not in html


@pytest.mark.parametrize(
    "source",
    [
        "So `<img src='a.png'>` shows it.",
        "``a ` <img src='a.png'>``",
        "```html\n<img src='a.png'>\n```",
        "~~~\n<img src='a.png'>\n",
        "<img alt='no address'>",
    ],
)
def test_a_tag_that_is_code_or_has_no_address_is_let_be(source):
    cell = text(source)
    _, remarks = completed(cell)
    assert cell.source == source and not remarks


@pytest.mark.parametrize("part", ["<img src='", "<img src='a' ", "<img ", "src='a' "])
def test_tags_without_an_end_take_no_time(part):
    start = monotonic()
    replaced = CODE_OR_TAG.sub(str, "<img " + part * 10**4)
    assert replaced and monotonic() - start < 1


def test_pictures_elsewhere_and_code_are_let_be():
    cell = text(
        "![](https://a.org/b.png) `![](attachment:c.png)` ![](data:image/gif;base64,R0)"
    )
    source = cell.source
    _, remarks = completed(cell)
    assert not remarks and cell.source == source


def test_cells_that_are_joined_keep_the_pictures_of_both():
    upper = text("![](attachment:a.png) ![](attachment:b.png)", a={"image/png": DOT})
    second = text(
        "![](attachment:a.png)", a={"image/png": OTHER}, b={"image/png": OTHER}
    )
    prepend(upper, second)
    assert second.source == (
        "![](attachment:a-2.png) ![](attachment:b.png)\n\n![](attachment:a.png)"
    )
    html, remarks = completed(second)
    assert html.count(DOT) == 1 and html.count(OTHER) == 2 and not remarks


@pytest.mark.parametrize("broken", [7, [], "text", {"image/png": 7}, {"a": {}}])
def test_attachments_that_are_none_end_nothing(tmp_path, broken):
    notebook = answered(released(ASSIGNMENT), {"homogeneous": "![](attachment:a.png)"})
    notebook.cells[-1].attachments = {"a.png": broken}
    path = tmp_path / f"{ASSIGNMENT}.ipynb"
    path.write_text(json.dumps(notebook))
    repaired, remarks = load([path], ASSIGNMENT, released(ASSIGNMENT))
    assert remarks == ["the picture a.png is missing or cannot be shown: homogeneous"]
    nbformat.validate(repaired)


def test_a_proof_cut_in_two_keeps_its_picture(tmp_path):
    notebook = answered(released(ASSIGNMENT), {"homogeneous": "![](attachment:a.png)"})
    notebook.cells[-1].attachments = {"a.png": {"image/png": DOT}}
    half = nbformat.from_dict(dict(notebook.cells[-1]) | {"id": "half"})
    half.update(source="And so.", attachments={})
    notebook.cells.append(half)
    path = tmp_path / f"{ASSIGNMENT}.ipynb"
    nbformat.write(notebook, path)
    repaired, remarks = load([path], ASSIGNMENT, released(ASSIGNMENT))
    (proof,) = [c for c in repaired.cells if name_of(c) == "homogeneous"]
    assert proof.source == "![](attachment:a.png)\n\nAnd so." and not remarks
    assert DOT in page(repaired)


def test_what_cannot_be_shown_is_left_out_alone():
    """One text and one output of which the exporter cannot make a page."""
    bad_cell = new_code_cell("1", metadata={"nbgrader": {"grade_id": "glu"}})
    bad_cell.outputs = [nbformat.from_dict(HTML)]
    good = new_code_cell("2", outputs=[new_output("stream", text="fine")])
    notebook = new_notebook()
    notebook.cells = [text("![](attachment:a.png)"), good, bad_cell]
    assert leave_out_what_fails(notebook) == ["cell 1", "glu"]
    html, _ = HTMLExporter().from_notebook_node(notebook)
    assert "attachment:a.png" in html and "outputs of this cell" in html
    assert "fine" in html and leave_out_what_fails(notebook) == []


@pytest.mark.filterwarnings("ignore:Object of type")  # SQLAlchemy, of nbgrader's lines
def test_nbgraders_page_has_all_the_rest(tmp_path, monkeypatch):
    path = release(FOLDERS[ASSIGNMENT], tmp_path / "course")
    folder, work = tmp_path / "place", tmp_path / "work"
    for directory in (folder, work):
        directory.mkdir()
    shutil.copy(tmp_path / "course" / "gradebook.db", folder)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        book.update_or_create_student("student")
        book.update_or_create_submission(ASSIGNMENT, "student")
    notebook = answered(
        nbformat.read(path, 4), {"homogeneous": "![](attachment:a.png)"}
    )
    nbformat.write(notebook, folder / path.name)
    monkeypatch.chdir(work)
    feedback(ASSIGNMENT, folder, {"homogeneous": (2, "Say why.")})
    html = (folder / "feedback.html").read_text()
    assert "Score: 2.0 / 3.0" in html
    assert "Say why." in html and "A unit with a gate" in html
    assert "shown as it was typed" in html and "attachment:a.png" in html
    assert json.loads((folder / LEFT_OUT).read_text()) == ["homogeneous"]


def test_a_page_that_fails_is_said_and_tried_again(tmp_path):
    """In table, marks.csv and on the page, which has the marks all the same."""
    result = {"marks": {"glu-marks-1": 2}, "remarks": ["encoding X"]}
    path, jobs = tmp_path / "ada.html", []

    def fails(job):
        jobs.append(job.step)
        return "InvalidNotebook: <what>"

    def works(job):
        jobs.append(job.step)
        (job.folder / "feedback.html").write_text("<html><body>the notebook</body>")
        (job.folder / LEFT_OUT).write_text(json.dumps(["glu"]))

    def write(do):
        row = SHEET.row("ada", result, {})
        grading(tmp_path, do)._write_page(path, row, tmp_path)
        return row["remark"], path.read_text()

    for _ in range(2):
        remark, html = write(fails)
        assert "is tried again next time: InvalidNotebook: <what>" in remark
        assert "encoding X" in html and "InvalidNotebook: &lt;what&gt;" in html
        assert "<td>glu</td><td>2</td>" in html
    remark, html = write(works)
    assert remark == "encoding X; not shown on the feedback page: glu"
    assert remark in html and "the notebook" in html
    assert write(fails) == (remark, html) and len(jobs) == 3


def test_a_page_that_cannot_be_written_ends_nothing(tmp_path):
    """A name of 255 letters is one too long for a page."""
    name = "a" * 252
    (tmp_path / "graded" / name).mkdir(parents=True)
    (tmp_path / "feedback").mkdir()
    row = grading(tmp_path, lambda _: "no").grade(name, [tmp_path / "a.ipynb"], {})
    assert "the feedback page cannot be written" in row["remark"]


def failing(ename, evalue, name=None):
    metadata = {"nbgrader": {"grade_id": name}} if name else {}
    cell = new_code_cell("…", metadata=metadata)
    cell.outputs = [new_output("error", ename=ename, evalue=evalue, traceback=[])]
    return cell


def test_a_sentence_that_the_limits_leave_in_an_output_is_a_remark():
    cell = new_code_cell("…", metadata={"nbgrader": {"grade_id": "glu"}})
    cell.outputs = [new_output("display_data", metadata={"remark": "no network here"})]
    assert incidents(new_notebook(cells=[cell])) == ["no network here: glu"]


def test_what_a_cell_has_looked_for_in_vain_is_named():
    cells = [
        failing("ModuleNotFoundError", "No module named 'pandas'"),
        failing("ModuleNotFoundError", "No module named 'pandas'", "glu"),
        failing("ModuleNotFoundError", "No module named 'my.layers'", "mend"),
        failing("FileNotFoundError", "[Errno 2] No such file or directory: 'a.csv'"),
        failing("FileNotFoundError", "b.csv\nnot found."),
        failing("NameError", "name 'x' is not defined", "mend-marks-1"),
    ]
    module = "expected a module of requirements.txt or a .py file beside the notebook"
    handed_in = "(of what was handed in only .py files that it imports are)"
    file = f"is not there when the notebook runs {handed_in}"
    assert incidents(new_notebook(cells=cells)) == [
        f"{module}, there is no pandas: cell 1, glu",
        f"{module}, there is no my.layers: mend",
        f"'a.csv' {file}: cell 4",
        f"b.csv {file}: cell 5",
    ]
