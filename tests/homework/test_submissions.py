"""What is handed in: read whatever its state, mended where that can be, else named."""

import ast
import copy
import io
import json
import os
import sys
import zipfile
from pathlib import Path
from textwrap import dedent

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell

from grader import files_and_zips
from grader.batch import files_by_student
from grader.files_and_zips import File, unpacked
from grader.reading import read
from grader.repair import NO_ANSWER_CELL, NotGraded, load
from grader.text import Undecided, decode
from tests.homework.assignments import answered, info, name_of, released, with_cell
from tests.homework.classroom import (
    ASSIGNMENT,
    FULL,
    RIGHT,
    duplicated,
    stripped,
    tampered,
)
from tests.homework.marking import mark

PROOF, GLU = "By induction.", dedent(RIGHT["glu"]).strip()


def right(**other):
    return answered(released(ASSIGNMENT), RIGHT | {"homogeneous": PROOF} | other)


def data(notebook, **options):
    return json.dumps(
        notebook, **{"ensure_ascii": False, "indent": 1} | options
    ).encode()


def loaded(folder, contents, assignment=ASSIGNMENT):
    """Load files, given by name; return the notebook and the remarks as one text."""
    paths = []
    for name, content in contents.items():
        paths.append(folder / name)
        paths[-1].parent.mkdir(parents=True, exist_ok=True)
        paths[-1].write_bytes(content)
    notebook, remarks = load(paths, assignment, released(assignment))
    nbformat.validate(notebook)
    return notebook, "; ".join(remarks)


def refused(folder, contents, assignment=ASSIGNMENT):
    """Return why a submission gets no marks."""
    with pytest.raises(NotGraded) as reason:
        loaded(folder, contents, assignment)
    assert "\n" not in str(reason.value)
    return str(reason.value)


def alone(content):
    return {f"{ASSIGNMENT}.ipynb": content}


def sources(notebook):
    return {name_of(c): c.source for c in notebook.cells if name_of(c)}


def without_names(notebook):
    """Strip nbgrader's names and the ids of cells, as some programs do."""
    notebook.nbformat_minor = 4
    for cell in notebook.cells:
        del cell["id"]
        cell.metadata = {"cell_id": "00001-c9b4"}
    return notebook


def test_what_can_be_mended_is_the_same_as_before(tmp_path):
    """Damage by programs and by students: the notebook to be graded has every answer."""
    accent = data(with_cell(right(), "cafe = 1  # au CAFE"))
    old = nbformat.convert(copy.deepcopy(right()), 3)
    damaged = {
        "duplicated": (data(duplicated(right())), ""),
        "renamed": (data(tampered(right())), ""),
        "stripped": (data(stripped(right())), ""),
        "nameless": (data(without_names(right())), "found by their places: saturation"),
        "version 3": (data(old), ""),
        "ascii": (data(right(), ensure_ascii=True), ""),
        "utf-32": (data(right()).decode().encode("utf-32"), "UTF-32"),
        "utf-32-be": (data(right()).decode().encode("utf-32-be"), "UTF-32-BE"),
        "utf-16": (data(right()).decode().encode("utf-16-le"), "UTF-16-LE"),
        "latin-1": (accent.replace(b"CAFE", b"caf\xe9"), "UTF-8 mixed with another"),
    }
    expected = sources(right())
    for damage, (content, words) in damaged.items():
        notebook, remarks = loaded(tmp_path, alone(content))
        cells = sources(notebook)
        assert list(cells) == list(expected), damage
        assert all(cells[task] == expected[task] for task in RIGHT), damage
        assert bool(remarks) == bool(words) and words in remarks, damage
        assert mark(ASSIGNMENT, notebook)[0] == FULL, damage


@pytest.mark.parametrize("assignment", [ASSIGNMENT, "07_mlp", "14_rnn"])
@pytest.mark.parametrize(
    ("encoding", "proof"),
    [
        ("gbk", "证明：陈喆"),  # GB 2312 lacks the last letter
        ("gb18030", "𠮷"),
        ("big5", "證明：因為"),  # which lacks letters of the assignment
        ("shift-jis", "証明：なぜなら"),
        ("euc-kr", "증명: 왜냐하면"),
        ("cp1252", "naïve, über"),
        ("mac-roman", "naïve, über"),
    ],
)
def test_words_of_the_assignment_tell_the_encoding(
    tmp_path, assignment, encoding, proof
):
    notebook = with_cell(released(assignment).copy(), f"# {proof}")
    notebook = copy.deepcopy(notebook)
    content = data(notebook).decode().encode(encoding, "replace")
    repaired, remarks = loaded(tmp_path, {"a.ipynb": content}, assignment)
    assert f"# {proof}" in [cell.source for cell in repaired.cells]
    assert "expected UTF-8" in remarks


def test_an_encoding_that_no_word_tells_is_refused(tmp_path):
    notebook = right(homogeneous="très")
    for cell in notebook.cells:
        cell.source = "" if name_of(cell) != "homogeneous" else cell.source
    content = data(notebook).decode().encode("cp1252", "replace")
    assert "expected text in UTF-8" in refused(tmp_path, alone(content))


def test_links_are_named_and_not_followed(tmp_path):
    """They may lead to the work of another, or out of the folder."""
    other, submissions = tmp_path / "other", tmp_path / "class"
    for folder in (other, submissions / "cy"):
        folder.mkdir(parents=True)
    (other / f"{ASSIGNMENT}.ipynb").write_text("{}")
    (submissions / "bo").symlink_to(other)
    (submissions / "ada.ipynb").symlink_to(other / f"{ASSIGNMENT}.ipynb")
    (submissions / "cy" / "mine.ipynb").symlink_to(other / f"{ASSIGNMENT}.ipynb")
    students = files_by_student(submissions)
    assert sorted(students) == ["ada", "bo", "cy"]
    for paths in students.values():
        assert len(paths) == 1
        with pytest.raises(NotGraded, match=r"\(a link, not followed\)"):
            load(paths, ASSIGNMENT, None)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([1], "expected JSON with cells, got list"),
        ({}, "expected JSON with cells, got {}"),
        ({"a": 1, "b": 2}, "expected JSON with cells, got a, b"),
        ({"cells": 3}, "expected a list of cells, got int"),
        ({"cells": ["a"]}, "expected cells, cell 1 is str"),
        ({"cells": [{}, {"source": 7}]}, "expected text in cells, cell 2 has int"),
        ({"cells": [{"source": ["a", 1]}]}, "expected text in cells, cell 1 has list"),
        ({"worksheets": 3}, "not a notebook that Jupyter reads: "),
    ],
)
def test_what_is_no_notebook_is_said(content, words):
    with pytest.raises(NotGraded) as reason:
        read(json.dumps(content).encode(), set())
    assert words in str(reason.value)


def line_of(content, text):
    return content[: content.index(text)].count(b"\n") + 1


def test_json_that_is_none_is_said_with_its_line(tmp_path):
    """By a merge, by hand, or cut off on its way."""
    content = data(right())
    offset = content.index(b'   "cell_type"', 900)
    ours, theirs = b"<<<<<<< HEAD\n", b'=======\n   "a": 2,\n>>>>>>> main\n'
    merged = content[:offset] + ours + theirs + content[offset:]
    line = line_of(merged, ours)
    message = refused(tmp_path, alone(merged))
    assert f"a merge that is not settled: line {line} is '<<<<<<< HEAD'" in message
    twice = refused(tmp_path, alone(merged + b"\n" + ours))
    assert f"line {line} is '<<<<<<< HEAD', the first of 2" in twice
    comma = content.replace(b'"nbformat_minor": 5\n', b'"nbformat_minor": 5,\n')
    at = line_of(comma, b'"nbformat_minor"')
    assert f"a comma too many in line {at}" in refused(tmp_path, alone(comma))
    lacking = content.replace(b'"metadata": {},\n', b'"metadata": {}\n', 1)
    at = line_of(lacking, b'"metadata": {}\n') + 1
    assert f"line {at} is wrong (Expecting ',' delimiter)" in refused(
        tmp_path, alone(lacking)
    )
    for end in (len(content) // 2, content.index(b'"id"') + 2, len(content) - 3):
        lines = content[:end].rstrip().count(b"\n") + 1
        assert f"cut off in line {lines}" in refused(tmp_path, alone(content[:end]))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (f"{ASSIGNMENT}.ipynb", b"%PDF-1.7", "expected JSON, got a PDF"),
        (f"{ASSIGNMENT}.ipynb", b"\n<!DOCTYPE html>\n<html>", "a web page (HTML)"),
        (f"{ASSIGNMENT}.ipynb", b"\xef\xbb\xbf<HTML>", "a web page (HTML)"),
        (f"{ASSIGNMENT}.ipynb", b"# %%\nimport numpy", "got a Python script"),
        (f"{ASSIGNMENT}.ipynb", bytes(10**4) + b"\n", "holds nothing but zeros"),
        (f"{ASSIGNMENT}.ipynb", b"import numpy", "JSON, it begins 'import numpy'"),
        (
            f"{ASSIGNMENT}.py",
            b"#!/usr/bin/env python\n\n# In[1]:\n",
            "(a Python script",
        ),
        (f"{ASSIGNMENT}.rar", b"Rar!\x1a\x07", f"{ASSIGNMENT}.rar (a RAR archive)"),
        (f"{ASSIGNMENT}.zip", b"7z\xbc\xaf\x27", f"{ASSIGNMENT}.zip (a 7z archive)"),
        (f"{ASSIGNMENT}.pdf", b"%PDF", f"found {ASSIGNMENT}.pdf (a PDF)"),
        (f"{ASSIGNMENT}.ipynb", b"[" * 10**5, "expected JSON, it is nested too deep"),
        (
            f"{ASSIGNMENT}.ipynb",
            b"[" + b"7" * 5000 + b"]",
            "expected JSON, got Exceeds",
        ),
    ],
)
def test_a_file_of_another_kind_is_named(tmp_path, name, content, words):
    assert words in refused(tmp_path, {name: content})


def another():
    """Return an assignment of the book whose first task has the name of one of the sample's."""
    notebook = copy.deepcopy(released("14_rnn"))
    first = next(cell for cell in notebook.cells if info(cell).get("solution"))
    first["id"] = info(first).grade_id = "mend"
    return notebook


def test_another_assignment_is_named_though_it_has_a_task_of_the_same_name(tmp_path):
    """Both have a task `mend`."""
    for other in (another(), without_names(another())):
        message = refused(tmp_path, alone(data(other)))
        assert "another notebook" in message and "got 'Homework 14 ·" in message
    titles = stripped(another())
    assert "with 1 of 6 answer cells" in refused(tmp_path, alone(data(titles)))


def test_cells_that_lack_what_each_should_have_are_read(tmp_path):
    notebook = right()
    for cell in notebook.cells:
        cell.pop("outputs", None)
        if name_of(cell) == "glu":  # the id tells which it is
            del cell["metadata"], cell["cell_type"]
        elif not name_of(cell):
            del cell["metadata"]
    notebook.cells[0].pop("source")
    notebook.cells.append({"metadata": [], "cell_type": "heading"})
    del notebook["nbformat"], notebook["metadata"]
    repaired, remarks = loaded(tmp_path, alone(data(notebook)))
    assert remarks == "" and sources(repaired)["glu"] == sources(right())["glu"]
    assert mark(ASSIGNMENT, repaired)[0] == FULL


def test_ends_of_lines_and_the_layout_of_code_are_no_change(tmp_path):
    """Windows and a formatter that runs on saving; a changed test still is one."""
    windows, laid_out = right(), right()
    for cell in windows.cells:
        cell.source = cell.source.replace("\n", "\r\n")
    for cell in laid_out.cells:
        if cell.cell_type == "code" and "marks" in (name_of(cell) or ""):
            cell.source = ast.unparse(ast.parse(cell.source)) + "  \n"
    for notebook in (windows, laid_out):
        repaired, remarks = loaded(tmp_path, alone(data(notebook)))
        assert remarks == "" and not any("\r" in c.source for c in repaired.cells)
    changed = with_cell(windows, "")
    (test,) = [c for c in changed.cells if name_of(c) == "glu-marks-1"]
    test.source = test.source.replace("(3, 8)", "(2, 8)")
    assert loaded(tmp_path, alone(data(changed)))[1] == "original restored: glu-marks-1"


def test_a_merge_within_a_cell_is_said(tmp_path):
    """nbdime leaves the notebook readable and the two versions in the cell."""
    merge = "<<<<<<< local\ndef glu(Z): 1\n=======\ndef glu(Z): 2\n>>>>>>> remote"
    _, remarks = loaded(tmp_path, alone(data(right(glu=merge))))
    assert remarks == "a merge that is not settled: glu"


class TestPlaces:
    """Cells that have lost their names, between texts that have not."""

    def test_answers_among_cells_of_the_students_own(self, tmp_path):
        notebook = without_names(right())
        at = [cell.source for cell in notebook.cells].index(GLU)
        notebook.cells.insert(at + 1, new_code_cell("  "))
        notebook.cells.insert(at, new_code_cell("half = 0.5"))
        notebook.cells.append(new_markdown_cell("And so on."))
        repaired, remarks = loaded(tmp_path, alone(data(notebook)))
        assert "found by their places" in remarks
        assert sources(repaired)["glu"] == GLU
        assert sources(repaired)["homogeneous"] == f"{PROOF}\n\nAnd so on."
        assert mark(ASSIGNMENT, repaired)[0] == FULL

    def test_a_cell_that_was_written_anew(self, tmp_path):
        notebook = right()
        index = [name_of(cell) for cell in notebook.cells].index("homogeneous")
        notebook.cells[index] = new_markdown_cell("A new proof.")
        repaired, remarks = loaded(tmp_path, alone(data(notebook)))
        assert sources(repaired)["homogeneous"] == "A new proof."
        assert remarks.endswith("found by their places: homogeneous")

    def test_a_proof_below_the_cell_for_it(self, tmp_path):
        """The cell has its name still and is as it was handed out."""
        notebook = answered(released(ASSIGNMENT), RIGHT)
        notebook.cells += [new_markdown_cell("By induction."), new_raw_cell("So.")]
        repaired, remarks = loaded(tmp_path, alone(data(notebook)))
        assert sources(repaired)["homogeneous"] == "By induction.\n\nSo."
        assert (
            remarks == "cells without their names, found by their places: homogeneous"
        )
        untouched = answered(released(ASSIGNMENT), RIGHT)
        repaired, remarks = loaded(tmp_path, alone(data(untouched)))
        assert sources(repaired) == sources(untouched) and remarks == ""

    @pytest.mark.parametrize(
        ("task", "new"),
        [
            ("homogeneous", new_code_cell),
            ("homogeneous", new_raw_cell),
            ("glu", new_raw_cell),
        ],
    )
    @pytest.mark.parametrize("change", [lambda notebook: notebook, without_names])
    def test_an_answer_in_a_cell_of_another_type(self, tmp_path, task, new, change):
        notebook = right()
        at = [name_of(cell) for cell in notebook.cells].index(task)
        notebook.cells[at] = new(notebook.cells[at].source)
        repaired, remarks = loaded(tmp_path, alone(data(change(notebook))))
        assert sources(repaired)[task] == sources(right())[task]
        assert "found by their places" in remarks and "no answer cell" not in remarks

    @pytest.mark.parametrize("heading", ["## #", "##  ", "Aufgabe "])
    def test_a_heading_that_was_changed(self, tmp_path, heading):
        """The last task has nothing after its answer."""
        notebook = without_names(right())
        text = notebook.cells[-2]
        text.source = text.source.replace("## ", heading, 1)
        repaired, _ = loaded(tmp_path, alone(data(notebook)))
        assert sources(repaired)["homogeneous"].endswith(PROOF)

    def test_texts_of_no_task_make_somebody_look(self, tmp_path):
        """An untouched answer gets 0 by itself, and so would the one that is missing."""
        notebook = right()
        notebook.cells.pop()
        missing, remarks = loaded(tmp_path, alone(data(notebook)))
        untouched = sources(released(ASSIGNMENT))["homogeneous"]
        assert sources(missing)["homogeneous"] == untouched
        assert remarks == "no answer cell: homogeneous"
        notebook.cells.insert(1, new_markdown_cell("My proof."))
        repaired, remarks = loaded(tmp_path, alone(data(notebook)))
        assert sources(repaired)["homogeneous"] == NO_ANSWER_CELL
        assert "look at the notebook, which has texts of no task: homogen" in remarks

    def test_nothing_is_taken_for_an_answer_without_its_text_beside_it(self, tmp_path):
        notebook = right()
        keep = ("setup", "saturation", "active-share-try")
        notebook.cells = [c for c in notebook.cells if name_of(c) in keep]
        notebook.cells.insert(2, new_code_cell("def glu(Z): return Z"))
        repaired, remarks = loaded(tmp_path, alone(data(notebook)))
        assert "no answer cell: glu" in remarks
        assert "NotImplementedError" in sources(repaired)["glu"]


def zipped(contents, **info):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            member = zipfile.ZipInfo(name)
            for key, value in info.items():
                setattr(member, key, value)
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


class TestZips:
    """The zip that was handed out, handed in again, and what else may be in one."""

    @pytest.mark.parametrize(
        "name", [f"{ASSIGNMENT}.zip", "A.ZIP", "mine.ipynb", "mine.ipynb.zip"]
    )
    def test_the_notebook_in_it_is_read(self, tmp_path, name):
        inside = {
            f"{ASSIGNMENT}/solved/mine.ipynb": data(right()),
            f"{ASSIGNMENT}/requirements.txt": b"numpy==2.4.6\n",
            f"__MACOSX/{ASSIGNMENT}/solved/._mine.ipynb": b"\0\5\26\7",
            f"{ASSIGNMENT}/.ipynb_checkpoints/mine-checkpoint.ipynb": b"{}",
        }
        repaired, remarks = loaded(tmp_path, {name: zipped(inside)})
        assert sources(repaired)["glu"] == GLU and remarks == ""

    def test_a_notebook_beside_it_counts(self, tmp_path):
        files = {"a.ipynb": data(right()), "a.zip": zipped({"b.ipynb": b"{}"})}
        assert sources(loaded(tmp_path, files)[0])["glu"] == GLU

    def test_one_that_is_damaged_or_a_page_with_its_name_hides_none(self, tmp_path):
        files = {
            f"{ASSIGNMENT}.ipynb - Colab.pdf": b"%PDF-1.7",
            "data.zip": b"PK\x03\x04nothing",
            "hw.zip": zipped({"mine.ipynb": data(right())}),
        }
        repaired, remarks = loaded(tmp_path, files)
        assert sources(repaired)["glu"] == GLU
        assert remarks.startswith("data.zip: expected a zip that opens")
        del files["hw.zip"]
        assert refused(tmp_path / "b", files).endswith("expected JSON, got a PDF")

    def test_the_files_in_fewer_folders_come_first(self):
        file = File("a.zip", data=zipped({"b/c.py": b"", "b/a.py": b"", "z.py": b""}))
        assert [f.name for f in unpacked(file)] == [
            "a.zip/z.py",
            "a.zip/b/a.py",
            "a.zip/b/c.py",
        ]

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (zipped({"../a.ipynb": b"{}"}), "paths within the zip, got '../a.ipynb'"),
            (
                zipped({"/etc/a.ipynb": b"{}"}),
                "paths within the zip, got '/etc/a.ipynb'",
            ),
            (zipped({"C:\\a.ipynb": b"{}"}), "expected paths within the zip"),
            (zipped({"a.txt": b"hello"}), "found a.zip (a zip), a.zip/a.txt"),
            (zipped({}), "no notebook: expected"),
            (zipped({"a.ipynb": b"{}"})[:40], "expected a zip that opens"),
            (b"PK\x03\x04nothing", "expected a zip that opens"),
            (b"nothing", "expected a zip that opens"),
            (zipped({"b.zip": zipped({"a.ipynb": b"{}"})}), "a.zip/b.zip (a zip)"),
            (
                zipped({"a.ipynb": b"/etc/passwd"}, external_attr=0o120777 << 16),
                "no notebook: expected",
            ),
        ],
    )
    def test_what_cannot_be_read_is_said(self, tmp_path, content, words):
        assert words in refused(tmp_path, {"a.zip": content})
        assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]

    def test_a_password_is_said(self, tmp_path):
        content = bytearray(zipped({"a.ipynb": b"{}"}))
        content[6] |= 1
        content[content.index(b"PK\1\2") + 8] |= 1
        assert "without a password" in refused(tmp_path, {"a.zip": bytes(content)})

    def test_a_bomb_is_not_unpacked(self, monkeypatch):
        monkeypatch.setattr(files_and_zips, "MAX_BYTES", 10**6)
        bomb = zipped({f"{i}.ipynb": bytes(10**5) for i in range(11)})
        assert len(bomb) < 10_000
        with pytest.raises(NotGraded, match="expected less than 1 MB"):
            unpacked(File("a.zip", data=bomb))
        # One that tells a smaller size than it has.
        lie = bytearray(zipped({"a.ipynb": bytes(2 * 10**6)}))
        at = lie.index(b"PK\1\2") + 24
        lie[at : at + 4] = (10).to_bytes(4, "little")
        with pytest.raises(NotGraded):
            unpacked(File("a.zip", data=bytes(lie)))
        monkeypatch.setattr(files_and_zips, "MAX_FILES", 10)
        with pytest.raises(NotGraded, match="expected at most 10 files, got 11"):
            unpacked(File("a.zip", data=bomb))


@pytest.mark.parametrize(
    "name",
    [
        f"{ASSIGNMENT}.ipynb.txt",
        f"{ASSIGNMENT}.ipynb.json",
        f"{ASSIGNMENT}.IPYNB",
        f"{ASSIGNMENT} (1).ipynb",
        "homework.json",
        "answers.txt",
    ],
)
def test_another_name_is_no_hindrance(tmp_path, name):
    files = {name: data(right()), "notes.txt": b"hello", "x.json": b'{"a": 1}'}
    assert sources(loaded(tmp_path, files)[0])["glu"] == GLU


def test_of_two_notebooks_a_copy_and_an_untouched_one_do_not_count(tmp_path):
    names = (f"{ASSIGNMENT} (1).ipynb", f"{ASSIGNMENT}-Copy1.ipynb")
    untouched = data(released(ASSIGNMENT))
    for second in (data(right()), untouched):
        files = dict(zip(names, (data(right()), second), strict=True))
        repaired, remarks = loaded(tmp_path, files)
        assert sources(repaired)["glu"] == GLU
        assert remarks == f"2 notebooks, graded was {names[0]}"
    other = dict(zip(names, (data(right()), data(right(glu="x = 1"))), strict=True))
    assert "expected one notebook" in refused(tmp_path, other)
    both = dict.fromkeys(names, untouched)
    assert "NotImplementedError" in sources(loaded(tmp_path, both)[0])["glu"]


@pytest.mark.parametrize(
    ("file_name", "words"),
    [
        (data(released(ASSIGNMENT)), ""),
        (data(with_cell(answered(released(ASSIGNMENT), {}), "print(1)")), ""),
        (b"", f"; {ASSIGNMENT}.ipynb: the file is empty"),
    ],
)
def test_the_right_name_alone_is_no_answer(tmp_path, file_name, words):
    """Untouched, with a cell to try something, or damaged, beside the work itself."""
    files = alone(file_name) | {"final.ipynb": data(right())}
    repaired, remarks = loaded(tmp_path, files)
    assert sources(repaired)["glu"] == GLU
    assert remarks == f"2 notebooks, graded was final.ipynb{words}"


def test_of_two_with_answers_the_right_name_decides(tmp_path):
    files = {"a.ipynb": data(right(glu="x = 1"))} | alone(data(right()))
    repaired, remarks = loaded(tmp_path, files)
    assert sources(repaired)["glu"] == GLU
    assert remarks == f"2 notebooks, graded was {ASSIGNMENT}.ipynb"


def test_outputs_are_of_no_account(tmp_path):
    """Broken ones, and more than anybody wants to read."""
    notebook = right()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [{"output_type": 7}, {"data": "x" * 3 * 10**6}, None]
    content = data(notebook)
    assert 50 * 10**6 < len(content) < files_and_zips.MAX_BYTES
    repaired, remarks = loaded(tmp_path, alone(content))
    assert sources(repaired) == sources(right()) and remarks == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            f"{ASSIGNMENT}.ipynb",
            "expected less than 100 MB, got 100: clear the outputs",
        ),
        ("a.zip", "a.zip: expected less than 100 MB, got 100"),
    ],
)
def test_what_is_too_large_is_not_read(tmp_path, monkeypatch, name, words):
    (tmp_path / name).touch()
    os.truncate(tmp_path / name, files_and_zips.MAX_BYTES + 1)
    monkeypatch.setattr(Path, "read_bytes", None)
    with pytest.raises(NotGraded) as reason:
        load([tmp_path / name], ASSIGNMENT, released(ASSIGNMENT))
    assert str(reason.value) == words


class TestModules:
    """Python files beside the notebook."""

    IMPORTS = "from my_layers import *\nimport math"
    HELPER = f"import numpy as np\nfrom my_numbers import half\n{GLU}"

    def test_what_the_notebook_imports_is_written_where_it_runs(self, tmp_path):
        files = alone(data(right(glu=self.IMPORTS))) | {
            "my_layers.py": self.HELPER.encode("utf-8-sig"),
            "my_numbers.py": b"half = 0.5\r\n",
            "other.py": b"1 / 0",
        }
        repaired, remarks = loaded(tmp_path, files)
        first_cells = {cell.source for cell in repaired.cells[:2]}
        assert first_cells == {
            f"%%writefile my_layers.py\n{self.HELPER}",
            "%%writefile my_numbers.py\nhalf = 0.5",
        }
        assert "run with my_layers.py" in remarks and "my_numbers.py" in remarks
        assert "other.py" not in data(repaired).decode()

    @pytest.mark.parametrize(
        ("name", "content", "words"),
        [
            ("numpy.py", b"", "numpy.py is not used, as another module has its name"),
            ("math.py", b"", "math.py is not used, as another module has its name"),
            ("my_layers.py", b"#" * 200_001, "not used, expected less than 200 kB"),
            ("my_layers.py", b"# \xff\xfe", "is not used, expected text in UTF-8"),
        ],
    )
    def test_what_is_not_used_is_said(self, tmp_path, name, content, words):
        files = alone(data(right(glu=self.IMPORTS))) | {name: content}
        repaired, remarks = loaded(tmp_path, files)
        assert words in remarks and "%%writefile" not in data(repaired).decode()

    @pytest.mark.parametrize("folder", ["backup", "old"])
    def test_of_two_with_one_name_that_in_fewer_folders_counts(self, tmp_path, folder):
        (tmp_path / "ada").mkdir()
        files = alone(data(right(glu=self.IMPORTS))) | {
            "my_layers.py": b"glu = 1",
            f"{folder}/my_layers.py": b"glu = 2",
        }
        loaded(tmp_path / "ada", files)
        (paths,) = files_by_student(tmp_path).values()
        repaired, _ = load(paths, ASSIGNMENT, released(ASSIGNMENT))
        assert repaired.cells[0].source == "%%writefile my_layers.py\nglu = 1"

    def test_an_empty_one_is_written(self, tmp_path):
        files = alone(data(right(glu=self.IMPORTS))) | {"my_layers.py": b" \n"}
        repaired, _ = loaded(tmp_path, files)
        assert repaired.cells[0].source == "%%writefile my_layers.py\n# empty"

    @pytest.mark.parametrize(
        ("program", "words"),
        [
            ("# 门控线性单元", ""),  # of the assignment's text
            ("# 陈喆", "陈喆"),  # of the student's own
            ("# -*- coding: gbk -*-\nx = '陈喆'", ""),
        ],
    )
    def test_its_encoding_is_told_by_texts_and_by_itself(
        self, tmp_path, program, words
    ):
        notebook = right(glu=self.IMPORTS, homogeneous=f"Proof. {words}")
        files = alone(data(notebook)) | {"my_layers.py": program.encode("gbk")}
        repaired, _ = loaded(tmp_path, files)
        written = program.replace("gbk", "utf-8")
        assert repaired.cells[0].source == f"%%writefile my_layers.py\n{written}"

    @pytest.mark.parametrize(
        "line",
        [
            "from mylib.layers import glu",
            "import mylib.layers",
            "from mylib import layers",
        ],
    )
    def test_one_in_a_folder_is_named(self, tmp_path, line):
        files = alone(data(right(glu=line))) | {"mylib/layers.py": GLU.encode()}
        repaired, remarks = loaded(tmp_path, files)
        assert "%%writefile" not in data(repaired).decode()
        words = "layers.py is not used, as it is imported from a folder: expected it"
        assert remarks == f"{words} beside the notebook"


@pytest.mark.skipif(sys.platform != "linux", reason="names there are bytes")
def test_names_that_are_no_utf_8_are_a_student_each(tmp_path):
    """Of a zip that was made on Chinese Windows, say."""
    for name in ("张三".encode("gbk"), "李四".encode("gbk"), b"Ren\xe9", b"Ren\xe8"):
        with open(os.path.join(os.fsencode(tmp_path), name + b".ipynb"), "w"):
            pass
    assert sorted(files_by_student(tmp_path)) == [
        "Ren\\xe8",
        "Ren\\xe9",
        "张三",
        "李四",
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="names there are bytes")
def test_a_files_name_that_is_no_utf_8_ends_nothing(tmp_path):
    path = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), b"\xd5\xc5.txt")))
    path.write_text("no cells")
    with pytest.raises(NotGraded) as reason:
        load([path], ASSIGNMENT, released(ASSIGNMENT))
    assert str(reason.value).encode().endswith("found ��.txt".encode())


def test_letters_that_differ_between_encodings_are_not_guessed_where_people_read():
    """Both have the name as it is; only one of them is Czech."""
    saved = "José: příliš dlouhé".encode("cp1250")
    with pytest.raises(Undecided):
        decode(saved, ["José"])
    assert decode(saved, ["José"], guess=True) == ("José: pøíliš dlouhé", "CP1252")
    assert decode(saved, ["příliš"])[0] == "José: příliš dlouhé"
    assert decode("José: é".encode("cp1252"), ["José"]) == ("José: é", "CP1252")
    dots = "陳小明‧".encode("cp950")  # which are others in Big5-HKSCS
    assert decode(dots, ["陳小明"])[1] == "Big5-HKSCS"


def test_a_file_is_its_students_whatever_a_browser_has_called_it(tmp_path):
    for name in ("ada.ipynb", "bo.ipynb.txt", "cy.zip", "di.ipynb (1)", "e.f.IPYNB"):
        (tmp_path / name).write_text("")
    assert sorted(files_by_student(tmp_path)) == ["ada", "bo", "cy", "di", "e.f"]
