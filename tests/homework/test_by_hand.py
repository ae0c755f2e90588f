"""What a person marks: points and comments in a spreadsheet."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from grader import batch
from grader.__main__ import main
from grader.feedback_page import stamp
from grader.limits import DEFAULT, Limits
from grader.marks import (
    BY_HAND,
    Sheet,
    Typed,
    read_by_hand,
    require_writable,
    write_by_hand,
    write_marks,
)
from grader.processes import Processes
from grader.terminal import table
from tests.homework.assignments import FOLDERS, answered, released, teachers
from tests.homework.classroom import ASSIGNMENT, grading, marks

SHEET = Sheet(teachers(ASSIGNMENT))
RESULT = {"marks": {"homogeneous": None}, "remarks": []}
RESULT["answers"] = {"homogeneous": "Since."}


def test_points_typed_by_hand_are_added_and_kept(tmp_path):
    submissions, out = tmp_path / "class", tmp_path / "class-marks" / ASSIGNMENT
    submissions.mkdir()

    def hand_in(proof):
        notebook = answered(released(ASSIGNMENT), {"homogeneous": proof})
        nbformat.write(notebook, submissions / "ada.ipynb")

    def grade():
        process = subprocess.run(**grading(submissions), timeout=120)
        return process, marks(submissions)["ada"]

    def type_points(old, new):
        path = out / "by_hand.csv"
        text = path.read_text("utf-8-sig")
        assert old in text
        text = text.replace(old, new).replace("∀", "?").replace(",", ";")
        path.write_text(text.replace("2.5", "2,5"), "gb2312")  # as a spreadsheet might

    hand_in("- Each layer passes\nthe factor on, ∀α.")
    process, row = grade()
    assert "1 answers to mark by hand" in process.stdout and row["homogeneous"] == ""
    assert "not yet marked" in (out / "feedback" / "ada.html").read_text()
    type_points("homogeneous,,3,,", "homogeneous,2.5,3,缺归纳,")
    _, row = grade()
    assert (row["homogeneous"], row["sum"]) == ("2.5", "2.5")
    page = (out / "feedback" / "ada.html").read_text()
    assert "缺归纳" in page and "Score: 2.5 / 3.0" in page
    hand_in("Another proof.")  # the points were for the first
    _, row = grade()
    assert row["homogeneous"] == "" and "had 2.5" in (out / "by_hand.csv").read_text()
    type_points("homogeneous,,3", "homogeneous,4,3")
    process, _ = grade()
    assert process.returncode == 1
    assert "expected points from 0 to 3, got '4'" in process.stdout


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Grade a class without nbgrader: a function that does so and returns marks.csv.

    Its argument is called while the first submission is graded.
    """
    submissions, out = tmp_path / "class", tmp_path / "out"
    monkeypatch.setattr(batch, "prepare", lambda: None)

    def grade(meanwhile=lambda: None):
        events = [meanwhile]

        def do(job):
            if job.step == "grade":
                (job.folder / "result.json").write_text(json.dumps(RESULT))
                events.pop()() if events else None
            elif job.step == "feedback":
                (job.folder / "feedback.html").write_text("<html><body>")

        for name in ("ada", "bo"):
            path = submissions / f"{name}.ipynb"
            path.parent.mkdir(exist_ok=True)
            path.write_text(path.read_text() + "." if path.exists() else "")
        monkeypatch.setattr(batch, "in_process", do)  # for the release
        runner = Processes(1)
        runner.run = do
        batch.run(submissions, FOLDERS[ASSIGNMENT], out, runner)
        with (out / "marks.csv").open(encoding="utf-8-sig", newline="") as file:
            return {row["student"]: row["homogeneous"] for row in csv.DictReader(file)}

    return grade


def test_what_is_typed_while_the_class_is_graded_counts(tmp_path, fake, capsys):
    path = tmp_path / "out" / "by_hand.csv"

    def type_points():
        text = path.read_text("utf-8-sig")
        path.write_text(text.replace("bo,homogeneous,,3,,", "bo,homogeneous,2,3,ja,"))

    assert fake() == {"ada": "", "bo": ""}
    assert "changed meanwhile" not in capsys.readouterr().err
    assert fake(type_points) == {"ada": "", "bo": "2"}
    assert "by_hand.csv was changed meanwhile: read again" in capsys.readouterr().err
    assert "bo,homogeneous,2,3,ja,Since." in path.read_text("utf-8")
    assert "<td>2</td>" in (tmp_path / "out" / "feedback" / "bo.html").read_text()


def test_a_table_that_is_deleted_while_the_class_is_graded_is_written_again(
    tmp_path, fake
):
    path = tmp_path / "out" / "by_hand.csv"
    fake()
    path.write_text(path.read_text("utf-8-sig").replace("ous,,3", "ous,1,3"))
    assert fake(path.unlink) == {"ada": "1", "bo": "1"}
    assert "ada,homogeneous,1,3" in path.read_text("utf-8")


@pytest.mark.parametrize("points", ["4", "-1", "nan", "two"])
def test_points_that_cannot_be_are_refused(tmp_path, points):
    path = tmp_path / "by_hand.csv"
    path.write_text(f"{','.join(BY_HAND)}\nada,homogeneous,{points},3,,a,v1\n")
    with pytest.raises(SystemExit, match=f"row 2: .* from 0 to 3, got '{points}'"):
        read_by_hand(path, SHEET)


def a_row(student, points="2", comment="ja", version="v1"):
    return [student, "homogeneous", points, "3", comment, "Since.", version]


def a_table(rows, heading=BY_HAND, **dialect):
    """Return lines as a spreadsheet writes them."""
    file = io.StringIO(newline="")
    csv.writer(file, **dialect).writerows([heading, *rows])
    return file.getvalue()


def read_table(folder, data, students):
    path = folder / "by_hand.csv"
    path.write_bytes(data)
    return read_by_hand(path, SHEET, students)


def points_of(typed):
    return {student: entry.points for (student, _), entry in typed.items()}


@pytest.mark.parametrize(
    ("encoding", "students"),
    [
        ("utf-8", ["王芳", "ada"]),
        ("utf-8-sig", ["王芳"]),
        ("utf-16", ["王芳", "陈喆"]),
        ("gb2312", ["王芳", "李伟"]),
        ("gbk", ["王芳", "陈喆", "朱镕"]),  # two that GB 2312 lacks
        ("gbk", ["前剩"]),  # whose bytes are some text in UTF-8, too
        ("gb18030", ["𠮷田", "王芳"]),
        ("big5", ["陳小明", "林志玲"]),
        ("shift-jis", ["山田太郎", "佐藤"]),
        ("euc-kr", ["김철수", "이영희"]),
        ("cp1252", ["Müller", "Žižek", "Gruß"]),
        ("mac-roman", ["Müller", "Çelik"]),
        ("cp1250", ["Dvořák", "Müller"]),
        ("cp1251", ["Щукин", "Иванова"]),
        ("koi8-r", ["Щукин"]),
        ("cp1253", ["Παπαδόπουλος"]),
        ("cp1254", ["Yıldız", "Ağca"]),
        ("cp850", ["Müller"]),
    ],
)
def test_names_tell_the_encoding_and_it_is_said(tmp_path, encoding, students, capsys):
    text = a_table([a_row(name, comment=f"{name}: ja") for name in students])
    typed = read_table(tmp_path, text.encode(encoding), students)
    assert points_of(typed) == dict.fromkeys(students, 2)
    assert {e.comment for e in typed.values()} == {f"{name}: ja" for name in students}
    message = capsys.readouterr().err
    assert ("expected UTF-8, read as" in message) == (not encoding.startswith("utf-8"))


def test_names_of_those_who_were_graded_before_tell_it_too(tmp_path):
    (tmp_path / "graded" / "陈喆").mkdir(parents=True)
    data = a_table([a_row("陈喆")]).encode("gbk")
    assert points_of(read_table(tmp_path, data, ["ada"])) == {"陈喆": 2}


def test_what_was_written_there_last_tells_it_too(tmp_path):
    """A comment, in a class without any letter that ASCII lacks."""
    typed = {("ada", "homogeneous"): Typed(2, "缺归纳", "v1")}
    write_by_hand(tmp_path / "by_hand.csv", [], typed, SHEET)
    data = a_table([a_row("ada", comment="缺归纳，陈喆")]).encode("gbk")
    (entry,) = read_table(tmp_path, data, ["ada"]).values()
    assert entry.comment == "缺归纳，陈喆"


@pytest.mark.parametrize("students", [["王芳"], ["ada"], []])
def test_an_encoding_that_nothing_tells_is_refused_and_the_file_kept(
    tmp_path, students
):
    data = a_table([a_row("ada", comment="très bien")]).encode("cp1252")
    with pytest.raises(
        SystemExit, match="expected text in UTF-8, got another encoding"
    ):
        read_table(tmp_path, data, students)
    assert (tmp_path / "by_hand.csv").read_bytes() == data
    assert os.listdir(tmp_path) == ["by_hand.csv"]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("first_line", ["", "sep="])
def test_other_spreadsheets_write_other_tables(tmp_path, separator, end, first_line):
    rows = [a_row("Ada, or;\tso", "2,5", comment="a\nb"), [""] * 7, a_row("bo")]
    line = f"{first_line}{separator}{end}" if first_line else ""
    dialect = {"delimiter": separator, "lineterminator": end}
    text = line + a_table(rows, **dialect, quoting=csv.QUOTE_ALL)
    typed = read_table(tmp_path, text.encode(), ["bo"])
    assert points_of(typed) == {"Ada, or;\tso": 2.5, "bo": 2}


@pytest.mark.parametrize(
    ("student", "saved"),
    [
        ("陈喆", "陈?"),
        ("Erdős", "Erdos"),
        ("Ada L", " Ada L "),
        ("0012345", "12345"),
        ("202312345678901", "2.02312E+14"),
        ("202312345678901", "2,02312E+14"),
    ],
)
def test_a_name_that_a_spreadsheet_has_changed_is_known_again(tmp_path, student, saved):
    data = a_table([a_row(saved)]).encode()
    typed = read_table(tmp_path, data, [student, "王芳", "77"])
    assert points_of(typed) == {student: 2}
    others = [student, {"陈喆": "陈昉", "Erdős": "Erdös"}.get(student, f"0{student}")]
    if "," not in saved and " " not in saved:
        with pytest.raises(SystemExit, match="row 2: expected the name of a student"):
            read_table(tmp_path, a_table([a_row(saved)]).encode(), others)


def test_a_number_of_thousands_of_digits_is_nobodys_name(tmp_path):
    number = "1" * 5000
    assert points_of(
        read_table(tmp_path, a_table([a_row(number)]).encode(), ["1"])
    ) == {number: 2}


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"\r\n", b"sep=;\n"])
def test_an_empty_table_is_named(tmp_path, data):
    with pytest.raises(SystemExit, match=r"by_hand\.csv is empty: delete it"):
        read_table(tmp_path, data, ["ada"])


def test_two_lines_for_one_answer_are_refused(tmp_path):
    same = a_table([a_row("ada"), a_row("ada")]).encode()
    assert points_of(read_table(tmp_path, same, ["ada"])) == {"ada": 2}
    other = a_table([a_row("ada"), a_row("ada", "3")]).encode()
    with pytest.raises(SystemExit, match="row 3: expected one line for ada"):
        read_table(tmp_path, other, ["ada"])


def test_columns_of_the_teachers_own_are_kept(tmp_path):
    """Also of a student who no longer hands in, whose answer stays, too."""
    heading = ["done", *BY_HAND, "", "done", "to do", ""]  # two with nothing in them
    rows = [["x", *a_row("ada"), "see §2", "y"], ["", *a_row("left"), "ill", ""]]
    typed = read_table(tmp_path, a_table(rows, heading=heading).encode(), ["ada"])
    path = tmp_path / "by_hand.csv"
    result = {"marks": {"homogeneous": None}, "answers": {"homogeneous": "New."}}
    row = SHEET.row("ada", result | {"remarks": []}, typed)
    assert write_by_hand(path, [row], typed, SHEET) == ["left"]
    with path.open(encoding="utf-8-sig", newline="") as file:
        ada, other = csv.DictReader(file)
    assert (ada["done"], ada["column 9"], ada["done 10"]) == ("x", "see §2", "y")
    assert ada["to do"] == "" and "column 12" not in ada
    assert "had 2" in ada["comment"] and ada["answer"] == "New."
    assert (other["column 9"], other["answer"], other["points"]) == (
        "ill",
        "Since.",
        "2",
    )
    typed_again = read_by_hand(path, SHEET, ["ada"])
    assert write_by_hand(path, [row], typed_again, SHEET) == ["left"]


@pytest.mark.parametrize("name", ["by_hand.csv", "marks.csv"])
def test_what_somebody_else_has_written_is_kept_as_a_copy(tmp_path, name):
    path, copies = tmp_path / name, tmp_path / "before"
    result = {"marks": {"homogeneous": None}, "answers": {"homogeneous": "Since."}}
    row = SHEET.row("ada", result | {"remarks": []}, {})

    def write(rows):
        if name == "marks.csv":
            return write_marks(path, rows, SHEET)
        return write_by_hand(path, rows, {}, SHEET)

    write([row])
    write([row, row | {"student": "bo"}])
    assert not copies.exists(), "expected no copy of what the grader has written"
    edited = path.read_bytes() + "a note of mine: 王\n".encode("gbk")
    path.write_bytes(edited)
    write([row])
    (copy,) = copies.iterdir()
    assert copy.read_bytes() == edited and b"a note" not in path.read_bytes()
    path.write_bytes(edited + b"2")  # in the same second, perhaps
    write([row])
    assert {p.read_bytes() for p in copies.iterdir()} == {edited, edited + b"2"}


def test_a_table_that_is_open_elsewhere_is_said_and_left(tmp_path, monkeypatch):
    """Before anything is graded, and again where it is written."""
    path = tmp_path / "marks.csv"
    path.write_bytes(b"mine")

    def locked(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", locked)
    with pytest.raises(SystemExit, match=r"marks.csv: expected a file .* written"):
        write_marks(path, [], SHEET)
    assert path.read_bytes() == b"mine" and not list(tmp_path.glob("*.part"))
    monkeypatch.setattr(type(path), "open", locked)
    with pytest.raises(SystemExit, match="close it where it is open"):
        require_writable(path)


def test_a_page_that_was_saved_in_another_encoding_is_written_again(tmp_path):
    row, path = SHEET.row("ada", RESULT, {}), tmp_path / "ada.html"
    path.write_bytes(f"<!-- {stamp(row)} -->é".encode("cp1252"))
    runner = Processes(1)
    runner.run = lambda job: None
    grading = batch.Grading(ASSIGNMENT, "state", DEFAULT, 1, tmp_path, SHEET, runner)
    grading._write_page(path, row, tmp_path)
    path.write_text("saved again", "utf-16")
    (tmp_path / "feedback.html").write_text("<body>new")
    grading._write_page(path, row, tmp_path)
    assert path.read_text("utf-8").startswith(f"<!-- {stamp(row)} -->")


def test_other_limits_have_all_graded_again():
    """As the assignment in another state does: the state is part of each result's key."""
    of = lambda limits: batch._fingerprint(
        FOLDERS[ASSIGNMENT], teachers(ASSIGNMENT), limits
    )
    assert of(DEFAULT) == of(Limits()) != of(Limits(memory=1))


def test_a_submission_is_named_by_its_bytes_without_all_of_them_in_memory(
    tmp_path, monkeypatch
):
    path, names = tmp_path / "ada.ipynb", set()
    monkeypatch.setattr(Path, "read_bytes", None)
    for text in ("one", "two", "one"):
        path.write_text(text)
        names.add(batch._key("edition", [path]))
    assert len(names) == 2


def test_a_terminal_without_a_students_letters_shows_the_table(monkeypatch):
    terminal = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", io.StringIO())  # which has no encoding to set
    monkeypatch.setattr(sys, "argv", ["grader", "", ASSIGNMENT])
    with pytest.raises(SystemExit):
        main()
    print(table([SHEET.row("王芳", RESULT, {})], SHEET), flush=True)
    assert "??" in terminal.buffer.getvalue().decode("ascii")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--out", "a-file"], "a-file: expected a folder for marks and feedback, got"),
        (["--out", "a-file/in"], "in: expected a folder for marks and feedback, got"),
        (["--jobs", "0"], "--jobs: expected 1 or more, got 0"),
    ],
)
def test_options_that_cannot_be_are_named(
    tmp_path, monkeypatch, capsys, options, words
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "class").mkdir()
    for path in (tmp_path / "a-file", tmp_path / "class" / "ada.ipynb"):
        path.write_text("")
    command = ["grader", "class", str(FOLDERS[ASSIGNMENT]), *options]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as reason:
        main()
    assert words in f"{reason.value} {capsys.readouterr().err}"
