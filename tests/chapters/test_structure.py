"""Every notebook keeps the conventions that CONTRIBUTING.md states."""

import ast
import csv
import fnmatch
import json
import re
import subprocess
import symtable
import sys

import nbformat
import pytest
import yaml

from press import chapters
from press import lint as rules
from tests.chapter_code import (
    BOOK,
    CHAPTERS,
    EXTRAS,
    KINDS,
    NOTEBOOKS,
    ROOT,
    Chapter,
    kind,
    tags,
)
from tests.homework.marking import SOURCES, info, name_of, points, source

MAX_LINES = 30
WEASEL_WORDS = re.compile(
    r"\b(simply|obviously|clearly|trivially|just|easy|easily)\b", re.I
)


def notebook_ids(path):
    return path.stem


every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=notebook_ids)
every_chapter = pytest.mark.parametrize("slug", CHAPTERS)


def markdown(slug):
    return chapters.markdown(chapters.read(slug))


@every_notebook
def test_is_stored_without_outputs_counts_and_widget_state(path):
    notebook = json.loads(path.read_text())
    assert "widgets" not in notebook["metadata"]
    for cell in notebook["cells"]:
        # The code of a solution is folded in JupyterLab: View, Collapse Selected Code.
        folded = (
            {"jupyter"} if "solution" in cell["metadata"].get("tags", []) else set()
        )
        assert folded <= set(cell["metadata"]) <= {"tags", "slideshow", *folded}
        assert not folded or cell["metadata"]["jupyter"] == {"source_hidden": True}
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None


@every_notebook
def test_cell_ids_are_unique(path):
    ids = [cell["id"] for cell in json.loads(path.read_text())["cells"]]
    assert len(set(ids)) == len(ids)


@every_notebook
def test_each_code_cell_has_one_kind_and_known_tags(path):
    for i, cell in enumerate(Chapter(path.stem).cells):
        assert len(tags(cell) & KINDS) == 1, (
            f"code cell {i}: expected one of {KINDS}, got {tags(cell)}"
        )
        assert tags(cell) <= KINDS | EXTRAS, (
            f"code cell {i}: {tags(cell) - KINDS - EXTRAS}"
        )


@every_notebook
def test_code_cells_are_short_and_narrow(path):
    for i, cell in enumerate(Chapter(path.stem).cells):
        lines = cell.source.splitlines()
        assert 1 <= len(lines) <= MAX_LINES, f"code cell {i} has {len(lines)} lines"
        widest = max(lines, key=len)
        assert len(widest) <= rules.MAX_COLUMNS, f"code cell {i}: {widest!r}"


@every_chapter
def test_is_long_enough_and_has_sliders(slug):
    notebook = chapters.read(slug)
    cells = [c for c in rules.code(notebook) if kind(c) != "solution"]
    assert len(cells) >= 25 and chapters.words(markdown(slug))[1] >= 2_500
    assert len(rules.widgets(notebook)) >= 4


@every_chapter
def test_is_no_longer_than_a_chapter(slug):
    assert not rules.size(chapters.read(slug), sources(slug))


def sources(slug):
    """How many statements of the source notes lead to a chapter."""
    path = BOOK / "data" / f"sources_{slug[:2]}.csv"
    with path.open(newline="") as file:
        return len(list(csv.DictReader(file)))


@every_chapter
def test_of_the_code_open_on_the_page_a_third_at_most_is_checks(slug):
    assert not rules.open_checks(chapters.read(slug))


@every_chapter
def test_has_four_to_seven_sliders_and_one_soon(slug):
    assert not rules.sliders(chapters.read(slug))


@every_chapter
def test_what_a_slider_shows_is_predicted_explained_and_asserted(slug):
    assert not rules.seen(chapters.read(slug))


@every_notebook
def test_a_position_in_the_text_names_a_figure_and_its_controls(path):
    assert not rules.unknown_positions(nbformat.read(path, 4))


@every_chapter
def test_opens_with_its_label_title_and_question_then_imports(slug):
    title, setup = Chapter(slug).notebook.cells[:2]
    number = int(slug[:2])
    pattern = rf"\(ch-{slug[:2]}\)=\n# Chapter {number} · .+\n\n\*.+[.?]\*"
    assert re.match(pattern, title.source), title.source[:120]
    assert (
        kind(setup) == "setup"
        and [kind(c) for c in Chapter(slug).cells].count("setup") == 1
    )


@every_notebook
def test_imports_stand_in_the_setup_cell_only(path):
    for i, cell in enumerate(Chapter(path.stem).cells):
        imports = [
            n
            for n in ast.walk(ast.parse(cell.source))
            if isinstance(n, ast.Import | ast.ImportFrom)
        ]
        assert not imports or kind(cell) in {"setup", "check", "solution"}, (
            f"code cell {i}"
        )
        assert all(alias.name != "*" for node in imports for alias in node.names)


@every_notebook
def test_uses_no_global_seed_or_default(path):
    code = "\n".join(c.source for c in Chapter(path.stem).cells)
    found = re.findall(
        r"np\.random\.seed|torch\.manual_seed|set_default_dtype|filterwarnings", code
    )
    assert not found


@every_chapter
def test_define_cells_are_followed_by_a_check(slug):
    kinds = [kind(c) for c in Chapter(slug).cells]
    for i, this in enumerate(kinds):
        if this == "define":
            assert "check" in kinds[i : i + 6], (
                f"code cell {i}: no check within five cells"
            )


@every_chapter
def test_no_later_cell_changes_what_a_slider_draws_with(slug):
    """A live slider draws with the names as they are when the notebook has run."""
    cells = [
        (kind(c), symtable.symtable(c.source, "cell", "exec"))
        for c in Chapter(slug).cells
    ]
    for i, (this, table) in enumerate(cells):
        if this == "widget":
            functions = [t for t in table.get_children() if t.get_type() == "function"]
            used = rules.globals_read(functions[-1])
            for _, later in cells[i + 1 :]:
                bound = {x.get_name() for x in later.get_symbols() if x.is_assigned()}
                assert not bound & used, f"{functions[-1].get_name()}: {bound & used}"


@every_chapter
def test_prose_has_no_weasel_words(slug):
    for line in markdown(slug).splitlines():
        found = WEASEL_WORDS.findall(line)
        assert not found, f"{found} in {line!r}"


@every_chapter
def test_prose_has_one_sentence_a_line(slug):
    assert not rules.two_sentences(chapters.read(slug))


@every_chapter
def test_no_formula_loses_its_left_side(slug):
    assert not rules.swallowed_brackets(chapters.read(slug))


@every_chapter
def test_every_exercise_has_a_solution(slug):
    text = markdown(slug)
    exercises = re.findall(r"^`{3,}\{exercise\}.*\n:label: (\S+)", text, re.M)
    solutions = re.findall(r"^`{3,}\{solution\} (\S+)", text, re.M)
    assert len(exercises) >= 6 and sorted(exercises) == sorted(solutions)


every_assignment = pytest.mark.parametrize("path", SOURCES, ids=notebook_ids)
EXPECT = re.compile(r"^def expect\(.*?(?=\n\S|\Z)", re.S | re.M)


@every_assignment
def test_homework_is_stored_clean(path):
    notebook = json.loads(path.read_text())
    assert path.stem == path.parent.name and path.stem in CHAPTERS
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in notebook["cells"]:
        assert set(cell["metadata"]) <= {"nbgrader"}
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            assert all(
                len(line.rstrip()) <= rules.MAX_COLUMNS for line in cell["source"]
            )


@every_assignment
def test_homework_has_tasks_and_the_points_that_its_table_says(path):
    found, by_hand = points(path.stem)
    assert 4 <= len(found) <= 6 and 18 <= sum(found.values()) <= 22
    assert len(by_hand) <= 1
    first = source(path.stem).cells[0].source
    table = dict(re.findall(r"^\| `([\w-]+)` \|.*\| (\d+) \|$", first, re.M))
    assert {task: int(some) for task, some in table.items()} == found
    assert f"**{sum(found.values())}**" in first


@every_assignment
def test_homework_cells_are_what_their_names_say(path):
    tasks, _ = points(path.stem)
    for cell in source(path.stem).cells:
        if not name_of(cell):
            continue
        task, _, part = re.match(
            r"(.+?)(-(try|marks)(-\d)?)?$", name_of(cell)
        ).groups()[:3]
        kind = info(cell).grade, info(cell).solution, info(cell).locked
        if name_of(cell) == "setup":
            assert kind == (False, False, True)
            continue
        assert task in tasks, name_of(cell)
        if part == "try":
            assert kind == (False, False, True)
        elif part == "marks":
            assert kind == (True, False, True)
            assert "### BEGIN HIDDEN TESTS" in cell.source
        else:
            assert info(cell).solution and not info(cell).locked
            assert info(cell).grade == (cell.cell_type == "markdown")
            if cell.cell_type == "code":
                assert "### BEGIN SOLUTION" in cell.source


@every_assignment
def test_homework_needs_no_more_than_its_requirements(path):
    for cell in source(path.stem).cells:
        if cell.cell_type == "code":
            for node in ast.walk(ast.parse(cell.source)):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    names = [getattr(node, "module", None) or node.names[0].name]
                    tops = {name.split(".")[0] for name in names}
                    allowed = {"matplotlib", "numpy", "scipy", "torch"}
                    assert tops <= allowed | sys.stdlib_module_names


@every_assignment
def test_homework_prose_has_no_weasel_words(path):
    for cell in source(path.stem).cells:
        if cell.cell_type == "markdown":
            assert not WEASEL_WORDS.findall(cell.source), cell.id


def test_the_checker_is_the_same_in_every_homework():
    codes = [source(path.stem).cells[1].source for path in SOURCES]
    assert len({EXPECT.search(code)[0].strip() for code in codes}) == 1


def test_every_chapter_has_its_homework():
    assert [path.stem for path in SOURCES] == CHAPTERS


def test_table_of_contents_lists_every_notebook():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    listed = re.findall(r"book/\w+\*?", json.dumps(toc))
    pages = {f"book/{p.stem}" for p in BOOK.iterdir() if p.suffix in {".ipynb", ".md"}}
    assert sorted(p for entry in listed for p in fnmatch.filter(pages, entry)) == (
        sorted(pages)
    )
    assert all(fnmatch.filter(pages, entry) for entry in listed)


def test_what_is_published_are_the_pages_that_the_tests_have_passed():
    jobs = {}
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        jobs |= yaml.safe_load(path.read_text())["jobs"]
    publishing = [job for job in jobs.values() if "deploy-pages" in str(job["steps"])]
    assert publishing
    for job in publishing:
        assert not any("run" in s for s in job["steps"]), "built anew, and not tested"
        steps = str(jobs[job["needs"]]["steps"])
        assert 0 < steps.index(".ci/run") < steps.index("upload-pages-artifact")


def test_utils_is_ours_and_small():
    import utils

    folder = ROOT / "utils"
    assert utils.__path__[0] == str(folder)
    # What a reader reads in half an hour; the full-size data sets are for those who ask.
    files = [p for p in folder.rglob("*.py") if p.name != "downloads.py"]
    assert sum(len(p.read_text().splitlines()) for p in files) <= 1_400


def test_importing_utils_changes_nothing():
    code = """
import random, warnings
import ipywidgets, matplotlib.pyplot as plt, numpy as np, sklearn.datasets, torch
state = lambda: (dict(plt.rcParams), np.random.get_state()[1].tolist(), random.getstate(),
                 torch.initial_seed(), list(warnings.filters), plt.get_fignums())
before = state()
import utils.checks, utils.data, utils.interact, utils.plots, utils.text
assert state() == before
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_no_file_in_git_is_heavy():
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    heavy = [
        f for f in files.stdout.split("\n") if f and (ROOT / f).stat().st_size > 500_000
    ]
    assert not heavy
