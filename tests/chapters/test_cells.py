"""The cells of every notebook keep the conventions that CONTRIBUTING.md states."""

import ast
import json
import re
import symtable

import nbformat
import pytest

from press import chapters
from press import lint as rules
from press.lint.cells import EXTRAS, KINDS, kind, tags
from tests.chapter_code import CHAPTERS, NOTEBOOKS, ChapterCode

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
every_chapter = pytest.mark.parametrize("slug", CHAPTERS)


@every_notebook
def test_is_stored_without_outputs_counts_and_widget_state(path):
    notebook = json.loads(path.read_text())
    assert "widgets" not in notebook["metadata"]
    for cell in notebook["cells"]:
        # The code of a solution is folded in JupyterLab: View, Collapse Selected Code.
        folded = (
            {"jupyter"} if "solution" in cell["metadata"].get("tags", []) else set()
        )
        assert folded <= set(cell["metadata"]) <= {"tags", *folded}
        assert not folded or cell["metadata"]["jupyter"] == {"source_hidden": True}
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None


@every_notebook
def test_cell_ids_are_unique(path):
    ids = [cell["id"] for cell in json.loads(path.read_text())["cells"]]
    assert len(set(ids)) == len(ids)


@every_notebook
def test_each_code_cell_has_one_kind_and_known_tags(path):
    for i, cell in enumerate(ChapterCode(path.stem).cells):
        assert len(tags(cell) & KINDS) == 1, (
            f"code cell {i}: expected one of {KINDS}, got {tags(cell)}"
        )
        assert tags(cell) <= KINDS | EXTRAS, (
            f"code cell {i}: {tags(cell) - KINDS - EXTRAS}"
        )


@every_notebook
def test_code_cells_are_short_and_narrow(path):
    assert not rules.cell_sizes(nbformat.read(path, 4))


@every_notebook
def test_no_assertion_is_a_decoy(path):
    assert not rules.decoys(nbformat.read(path, 4))


@every_chapter
def test_a_claim_follows_its_sentence(slug):
    assert not rules.claims(chapters.CHAPTERS[slug].notebook)


@every_chapter
def test_checks_and_notation_of_a_chapter_with_claims_are_short(slug):
    notebook = chapters.CHAPTERS[slug].notebook
    assert not rules.long_checks(notebook) + rules.long_notation(notebook)


@every_chapter
def test_has_a_slider_soon(slug):
    assert not rules.sliders(chapters.CHAPTERS[slug].notebook)


@every_chapter
def test_what_a_slider_shows_is_predicted_explained_and_asserted(slug):
    assert not rules.seen(chapters.CHAPTERS[slug].notebook)


@every_notebook
def test_a_position_in_the_text_names_a_figure_and_its_controls(path):
    assert not rules.unknown_positions(nbformat.read(path, 4))


@every_chapter
def test_opens_with_its_label_title_and_question_then_imports(slug):
    title, setup = ChapterCode(slug).notebook.cells[:2]
    label, number = chapters.digits(slug), chapters.CHAPTERS[slug].number
    pattern = rf"\(ch-{label}\)=\n# Chapter {number} · .+\n\n\*.+[.?]\*"
    assert re.match(pattern, title.source), title.source[:120]
    assert (
        kind(setup) == "setup"
        and [kind(c) for c in ChapterCode(slug).cells].count("setup") == 1
    )


@every_notebook
def test_imports_stand_in_the_setup_cell_only(path):
    for i, cell in enumerate(ChapterCode(path.stem).cells):
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
    code = "\n".join(c.source for c in ChapterCode(path.stem).cells)
    calls = re.findall(
        r"np\.random\.seed|torch\.manual_seed|set_default_dtype|filterwarnings", code
    )
    assert not calls


@every_chapter
def test_define_cells_are_followed_by_a_check(slug):
    kinds = [kind(c) for c in ChapterCode(slug).cells]
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
        for c in ChapterCode(slug).cells
    ]
    for i, (this, table) in enumerate(cells):
        if this == "widget":
            functions = [t for t in table.get_children() if t.get_type() == "function"]
            used = rules.globals_read(functions[-1])
            for _, later in cells[i + 1 :]:
                bound = {x.get_name() for x in later.get_symbols() if x.is_assigned()}
                assert not bound & used, f"{functions[-1].get_name()}: {bound & used}"
