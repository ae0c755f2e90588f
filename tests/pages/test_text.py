"""What a built page says: its formulas, its output, its weight, its links."""

import html
import re
import zipfile

import pytest

from grader.assignment import data_files
from press import chapters
from press import lint as rules
from tests.homework.assignments import ASSIGNMENTS, FOLDERS
from tests.pages.built import HTML, PAGES, every_chapter, every_page, parsed, source
from utils import alt

MAX_PAGE_BYTES = 4_000_000


@every_page
def test_weighs_little(name):
    page = HTML / f"{name}.html"
    images = re.findall(r'src="([^":]+\.(?:png|svg|webp|jpe?g))"', source(name))
    weight = page.stat().st_size + sum(
        (page.parent / image).stat().st_size for image in set(images)
    )
    assert weight < MAX_PAGE_BYTES, f"{name}: {weight / 1e6:.2f} MB"


@every_chapter
def test_every_equation_is_rendered(visit, name):
    page = visit(name)
    assert page.locator("mjx-merror").count() == 0
    unknown = page.locator("math [mathcolor=red]")  # commands MathJax does not know
    assert not unknown.all_text_contents()
    written = page.locator(".math").count()
    assert written and page.locator(".math mjx-container").count() >= written
    # What a screen reader reads.
    assert page.locator(".math mjx-assistive-mml > math").count() >= written
    prose = page.locator("article").inner_text()
    assert "\\(" not in prose and "$$" not in prose and "{eq}`" not in prose


@every_chapter
def test_checks_show_no_pictures(name):
    """A `seen` check that calls its figure's function has to close what it drew."""
    checks = parsed(name).select("div.cell.tag_check")
    assert checks and not [cell for cell in checks if cell.select("img")]


@every_chapter
def test_no_figure_is_shown_twice(name):
    """A cell whose last line is its figure shows it, and so does the end of the cell."""
    for cell in parsed(name).select("div.cell"):
        pictures = [image["src"] for image in cell.select("img")]
        assert len(pictures) == len(set(pictures)), cell.get("id")


@every_chapter
def test_what_is_printed_fits_the_column(name):
    output = r'<div class="output (?:stream|text_plain)[^>]*>.*?<pre>(.*?)</pre>'
    printed = "\n".join(re.findall(output, source(name), re.DOTALL))
    lines = html.unescape(re.sub("<[^>]+>", "", printed)).splitlines()
    assert lines, "the pattern finds what is printed"
    assert not [line for line in lines if len(line) > rules.MAX_COLUMNS]
    assert "np.float64(" not in printed and "np.int64(" not in printed


def test_every_image_says_what_it_shows():
    for name in PAGES:
        for image in re.findall(r"<img[^>]*>", source(name)):
            (words,) = re.findall(r'alt="([^"]*)"', image)
            assert "_images/" not in words and words != alt.NOTHING, (name, image)


def test_links_between_pages_lead_somewhere():
    pages = {path: path.read_text() for path in HTML.glob("book/*.html")}
    for path, text in pages.items():
        # Positions are followed in test_positions.py.
        text = re.sub(r'class="position[^"]*" href="[^"]+"', "", text)
        for target, _, anchor in re.findall(
            r'href="([^":#?]*\.html)?(#([^"]+))?"', text
        ):
            other = (path.parent / target).resolve() if target else path
            if other.suffix == ".html" and (target or anchor):
                assert other.exists(), f"{path.name} links to {target}"
                links = (
                    not anchor or other not in pages or f'id="{anchor}"' in pages[other]
                )
                assert links, f"{path.name} links to {target}#{anchor}"


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_a_chapter_leads_to_its_homework_without_solutions(name):
    page = source(f"book/{chapters.by_number(int(name[:2])).slug}")
    (link,) = re.findall(rf'href="(\.\./homework/{name}\.zip)"', page)
    with zipfile.ZipFile(HTML / "book" / link) as archive:
        files = {entry: archive.read(entry).decode() for entry in archive.namelist()}
    beside = {"requirements.txt", *(path.name for path in data_files(FOLDERS[name]))}
    assert set(files) == {f"{name}/{name}.ipynb", *(f"{name}/{b}" for b in beside)}
    notebook = files[f"{name}/{name}.ipynb"]
    assert "Write your answer here" in notebook
    assert "BEGIN SOLUTION" not in notebook and "HIDDEN TESTS" not in notebook
    needs = files[f"{name}/requirements.txt"].split()
    assert {need.split("==")[0] for need in needs} == {
        "ipykernel", "matplotlib", "numpy", "scikit-learn", "scipy", "torch"
    }  # fmt: skip
