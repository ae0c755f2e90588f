"""`make chapter` in a copy of the book: the new chapter passes its tests at once."""

import os
import shutil
import subprocess
import sys

import pytest

from press import chapters
from press.new_chapter import lay_out
from tests.chapter_code import ROOT

SLUG, TITLE = "21_diffusion", "Diffusion models"
FORM = [
    "tests/chapters/test_cells.py",
    "tests/chapters/test_text.py",
    "tests/chapters/test_note_rows.py",
    "tests/chapters/test_repository.py",
    "tests/pages/test_appendices.py",
    "tests/pages/test_tables.py",
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy") / "book"
    built = shutil.ignore_patterns(".git", ".venv", "_build", ".*_cache", "__pycache__")
    shutil.copytree(ROOT, folder, ignore=built)
    process = run(folder, "press.new_chapter", SLUG, TITLE)
    assert process.returncode == 0, process.stderr
    return folder


def run(folder, *module):
    return subprocess.run(
        [sys.executable, "-m", *module],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder), "WORKERS": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


def test_a_new_chapter_has_its_form_and_a_row_in_every_table(copy):
    # test_tables.py, which is no chapter's, is selected by the name of its file.
    chosen = f"{SLUG} or table or twice or belongs or index"
    process = run(copy, "pytest", "-q", *FORM, "-k", chosen)
    assert process.returncode == 0, process.stdout


def test_a_new_chapter_passes_make_check(copy):
    process = run(copy, "press", "--check", SLUG)
    assert process.returncode == 0, process.stdout + process.stderr
    html = copy / "_build" / "html"
    (copy / "_build" / "check" / "_build" / "html").rename(html)
    assert TITLE in (html / "book" / f"{SLUG}.html").read_text("utf-8")
    process = run(copy, "pytest", "-q", "-n", "0", "tests/decks", "-k", SLUG)
    assert process.returncode == 0, process.stdout


@pytest.mark.parametrize(
    ("slug", "title", "expected"),
    [
        ("20_seq2seq", "Again", "expected CHAPTER=21_"),
        ("21 diffusion", TITLE, "got '21 diffusion'"),
        (SLUG, " ", 'expected TITLE="…", got none'),
    ],
)
def test_a_name_that_does_not_fit_is_refused(slug, title, expected):
    with pytest.raises(ValueError, match=expected):
        lay_out(slug, title)


@pytest.mark.parametrize("line", ["title", "needs"])
def test_a_chapter_that_lacks_a_line_is_named(line):
    chapter = chapters.Chapter(SLUG, "Language", 14, 0, "", "")
    vars(chapter)["markdown"] = "# Diffusion models"
    with pytest.raises(
        ValueError, match=rf"{SLUG}\.ipynb: expected a line '.+', got none"
    ):
        getattr(chapter, line)
