"""What a person marks: points and comments in a spreadsheet."""

import csv
import io
import os
import subprocess

import nbformat
import pytest

from grader.course import release
from grader.report import (
    BY_HAND,
    Sheet,
    Typed,
    read_by_hand,
    require_writable,
    write_by_hand,
    write_marks,
)
from tests.homework.assignments import FOLDERS, answered, teachers
from tests.homework.classroom import ASSIGNMENT, grading, marks

SHEET = Sheet(teachers(ASSIGNMENT))


def test_points_typed_by_hand_are_added_and_kept(tmp_path):
    released = nbformat.read(release(FOLDERS[ASSIGNMENT], tmp_path / "course"), 4)
    submissions, out = tmp_path / "class", tmp_path / "class-marks" / ASSIGNMENT
    submissions.mkdir()

    def hand_in(proof):
        notebook = answered(released, {"homogeneous": proof})
        nbformat.write(notebook, submissions / "ada.ipynb")

    def grade():
        done = subprocess.run(**grading(submissions), timeout=120)
        return done, marks(submissions)["ada"]

    def type_points(old, new):
        path = out / "by_hand.csv"
        text = path.read_text("utf-8-sig")
        assert old in text
        text = text.replace(old, new).replace("∀", "?").replace(",", ";")
        path.write_text(text.replace("2.5", "2,5"), "gb2312")  # as a spreadsheet might

    hand_in("- Each layer passes\nthe factor on, ∀α.")
    done, row = grade()
    assert "1 answers to mark by hand" in done.stdout and row["homogeneous"] == ""
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
    done, _ = grade()
    assert (
        done.returncode == 1 and "expected points from 0 to 3, got '4'" in done.stdout
    )


@pytest.mark.parametrize("points", ["4", "-1", "nan", "two"])
def test_points_that_cannot_be_are_refused(tmp_path, points):
    path = tmp_path / "by_hand.csv"
    path.write_text(f"{','.join(BY_HAND)}\nada,homogeneous,{points},3,,a,v1\n")
    with pytest.raises(SystemExit, match=f"row 2: .* from 0 to 3, got '{points}'"):
        read_by_hand(path, SHEET)


def a_row(student, points="2", comment="ja", version="v1"):
    return [student, "homogeneous", points, "3", comment, "Since.", version]


def a_table(rows, heading=BY_HAND, **dialect):
    """Lines as a spreadsheet writes them."""
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
def test_names_tell_the_encoding(tmp_path, encoding, students):
    text = a_table([a_row(name, comment=f"{name}: ja") for name in students])
    typed = read_table(tmp_path, text.encode(encoding), students)
    assert points_of(typed) == dict.fromkeys(students, 2)
    assert {e.comment for e in typed.values()} == {f"{name}: ja" for name in students}


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
    with pytest.raises(SystemExit, match="expected text in UTF-8, got an encoding"):
        read_table(tmp_path, data, students)
    assert (tmp_path / "by_hand.csv").read_bytes() == data
    assert os.listdir(tmp_path) == ["by_hand.csv"]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("first", ["", "sep="])
def test_other_spreadsheets_write_other_tables(tmp_path, separator, end, first):
    rows = [a_row("Ada, or;\tso", "2,5", comment="a\nb"), [""] * 7, a_row("bo")]
    line = f"{first}{separator}{end}" if first else ""
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


def test_two_lines_for_one_answer_are_refused(tmp_path):
    same = a_table([a_row("ada"), a_row("ada")]).encode()
    assert points_of(read_table(tmp_path, same, ["ada"])) == {"ada": 2}
    other = a_table([a_row("ada"), a_row("ada", "3")]).encode()
    with pytest.raises(SystemExit, match="row 3: expected one line for ada"):
        read_table(tmp_path, other, ["ada"])


def test_columns_of_the_teachers_own_are_kept(tmp_path):
    """Also of a student who no longer hands in, whose answer stays, too."""
    heading = ["done", *BY_HAND, "", "done"]
    rows = [["x", *a_row("ada"), "see §2", "y"], ["", *a_row("left"), "ill", ""]]
    typed = read_table(tmp_path, a_table(rows, heading=heading).encode(), ["ada"])
    path = tmp_path / "by_hand.csv"
    result = {"marks": {"homogeneous": None}, "answers": {"homogeneous": "New."}}
    row = SHEET.row("ada", result | {"remarks": []}, typed)
    assert write_by_hand(path, [row], typed, SHEET) == ["left"]
    with path.open(encoding="utf-8-sig", newline="") as file:
        ada, left = csv.DictReader(file)
    assert (ada["done"], ada["column 9"], ada["done 10"]) == ("x", "see §2", "y")
    assert "had 2" in ada["comment"] and ada["answer"] == "New."
    assert (left["column 9"], left["answer"], left["points"]) == ("ill", "Since.", "2")
    again = read_by_hand(path, SHEET, ["ada"])
    assert write_by_hand(path, [row], again, SHEET) == ["left"]


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
