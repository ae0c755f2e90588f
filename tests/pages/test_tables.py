"""The tables about chapters say what notebooks, plan and table of contents say."""

import copy
import re
import tomllib
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from press import chapters, tables
from press.decks import written
from press.tables import chapter_map, course, paths
from tests.homework.assignments import ASSIGNMENTS, points

every_chapter = pytest.mark.parametrize("slug", chapters.CHAPTERS)


def test_the_plan_has_every_chapter_in_order_and_one_for_each_week():
    planned = chapters.CHAPTERS.values()
    assert [c.slug for c in planned] == sorted(
        path.stem for path in chapters.BOOK.glob("[0-9][0-9]_*.ipynb")
    )
    weeks = [c.week_of_14 for c in planned]
    assert weeks == sorted(weeks) and set(weeks) == set(range(1, 15))
    assert {c.week_of_7 for c in planned} == set(range(8))


def test_what_the_plan_says_is_said_of_a_part_and_a_chapter_that_exist():
    meta = chapters.TOC["meta"]
    assert list(meta["chapters"]) == list(chapters.CHAPTERS)
    assert list(meta["parts"]) == [part.name for part in chapters.PARTS]


def test_a_chapter_that_the_plan_lacks_is_named():
    toc = copy.deepcopy(chapters.TOC)
    del toc["meta"]["chapters"]["08_backprop"]
    with pytest.raises(KeyError, match=r"meta, chapters: expected '08_backprop'"):
        chapters.read_parts(toc)


def test_a_seventh_part_and_a_chapter_of_it_are_read():
    toc = copy.deepcopy(chapters.TOC)
    new = {"caption": "Beyond", "chapters": [{"file": "book/21_diffusion"}]}
    toc["parts"].append(new)
    toc["meta"]["parts"]["Beyond"] = "What comes after."
    about = {"weeks": [14, 0], "holds": "noise", "discuss": "noise"}
    toc["meta"]["chapters"]["21_diffusion"] = about
    (chapter,) = chapters.read_parts(toc)[-1].chapters
    assert (chapter.number, chapter.part) == (21, "Beyond")


def test_what_is_no_chapter_has_no_slug():
    assert chapters.of_page("book/03_linear_regression") == "03_linear_regression"
    assert chapters.of_page("book/errata_03") is None
    assert chapters.of_page("homework/03_linear_regression") is None


@every_chapter
def test_each_table_names_the_chapter(slug):
    chapter = chapters.CHAPTERS[slug]
    link = f"{{ref}}`{chapter.number} · {chapter.title} <ch-{slug[:2]}>`"
    for table in (course.talks, course.discussions):
        assert link in table()
    assert link.replace(" ·", "") in course.semester()
    assert f"| {link} | {chapter.holds} |" in course.contents()


@every_chapter
def test_homework_is_counted_as_it_is_graded(slug):
    assignments = [a for a in ASSIGNMENTS if a.startswith(slug)]  # and its project
    worth = [worth for name in assignments for worth in points(name)[0].values()]
    assert course.homework(chapters.CHAPTERS[slug]) == (len(worth), sum(worth))


def test_teachers_are_told_where_answers_go_wrong():
    remarks = tomllib.loads(course.REMARKS.read_text(encoding="utf-8"))
    assert set(remarks.pop("semester")["projects"]) <= set(ASSIGNMENTS)
    assert set(remarks) <= set(ASSIGNMENTS)
    assert all(told["mistake"].endswith(".") for told in remarks.values())
    assert course.mistakes().count("\n- ") == len(remarks) - 1
    assert row_of(course.assignments(), "Project 15")[-1] == "sunspots"


def row_of(table, start):
    """Return the cells of the row that starts so."""
    (row,) = [line for line in table.split("\n") if line.startswith(f"| {start}")]
    return [cell.strip() for cell in row.split("|")[1:-1]]


def test_a_talk_has_the_minutes_of_its_deck_and_is_blank_without_one(monkeypatch):
    chapter = chapters.CHAPTERS["11_convolution"]
    whole, may_go = written.minutes(chapter.slug)
    assert may_go < whole
    assert row_of(course.talks(), chapter.link())[1] == f"{whole:.0f}"
    minutes = lambda slug: None if slug == chapter.slug else (40, 5)
    monkeypatch.setattr(written, "minutes", minutes)
    assert row_of(course.talks(), chapter.link())[1] == ""
    assert row_of(course.semester(), f"{chapter.week_of_14} |")[2] == ""


def test_a_week_has_the_minutes_of_its_decks_without_what_may_go_and_with_it():
    found = [
        written.minutes(c.slug) for c in chapters.CHAPTERS.values() if c.week_of_14 == 1
    ]
    whole, may_go = (sum(each) for each in zip(*found, strict=True))
    cell = row_of(course.semester(), "1 |")[2]
    assert cell == f"{whole - may_go:.0f}–{whole:.0f}"


def test_a_page_without_tables_stays_and_an_unknown_table_is_refused():
    assert tables.fill("# Page\n\n<!-- words -->\n") == "# Page\n\n<!-- words -->\n"
    with pytest.raises(ValueError, match=r"expected a table of .*paths.*, got 'tarot'"):
        tables.fill("<!-- table: tarot -->\n<!-- end -->")


def test_pages_with_tables_are_read_again_when_another_page_changes(tmp_path):
    pages = {"book/index": "<!-- table: paths -->\n<!-- end -->", "book/other": "text"}
    (tmp_path / "book").mkdir()
    for page, text in pages.items():
        (tmp_path / f"{page}.md").write_text(text)
    env = SimpleNamespace(found_docs=pages, doc2path=lambda p: f"{tmp_path / p}.md")
    outdated = tables._outdated_pages
    assert outdated(None, env, set(), {"book/03_linear_regression"}, set()) == [
        "book/index"
    ]
    assert outdated(None, env, set(), set(), set()) == []


def test_a_chapter_needs_earlier_ones_only_and_all_but_the_first_two_need_some():
    for slug, chapter in chapters.CHAPTERS.items():
        assert all(1 <= n < chapter.number for n in chapter.needs), slug
        assert chapter.needs or chapter.number <= 2, slug


def test_the_map_has_each_chapter_once_and_an_arc_for_each_need():
    page = BeautifulSoup(chapter_map.book_map(), "html.parser")
    rows = {int(row["data-chapter"]): row for row in page.select("[data-chapter]")}
    arcs = {(int(a["data-from"]), int(a["data-to"])) for a in page.select("path")}
    assert list(rows) == [c.number for c in chapters.CHAPTERS.values()]
    for chapter in chapters.CHAPTERS.values():
        number, needs = chapter.number, chapter.needs
        row = rows[number]
        assert row.a["href"] == f"{chapter.slug}.html"
        assert chapter.title in row.a.get_text()
        assert [int(n) for n in row["data-needs"].split()] == needs
        assert {one for one, other in arcs if other == number} == set(needs)
        numbers = re.findall(r"\d+", row.small.get_text().partition("needs")[2])
        assert [int(n) for n in numbers] == needs


def test_an_arc_starts_and_ends_at_the_rows_of_its_chapters():
    page = BeautifulSoup(chapter_map.book_map(), "html.parser")
    rows = page.select("li")
    at = {
        row.get("data-chapter"): (i + 0.5) * chapter_map.ROW
        for i, row in enumerate(rows)
    }
    for arc in page.select("path"):
        numbers = [float(x) for x in re.findall(r"-?[\d.]+", arc["d"])]
        assert numbers[1] == numbers[3] == at[arc["data-from"]]
        assert numbers[5] == numbers[7] == at[arc["data-to"]]
        farthest = (numbers[0] + 3 * numbers[2]) / 4  # of a cubic with equal handles
        assert 0 <= farthest < chapter_map.ARCS


def test_a_path_leads_to_figures_and_sections_that_exist():
    sections = set().union(*(chapters.CHAPTERS[s].sections for s in chapters.CHAPTERS))
    steps = {
        path["through"]: path.get("steps", []) for path in chapters.TOC["meta"]["paths"]
    }
    assert {label for _, *labels in steps["sections"] for label in labels} <= sections
    assert len(paths.paths().splitlines()) > sum(map(len, steps.values())) + 7
    with pytest.raises(ValueError, match=r"expected a figure of 03_.*, got 'tarot'"):
        paths._figure(3, "tarot", "")
