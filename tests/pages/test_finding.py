"""How a reader of the built book finds a place: searched tables, the map, the gallery."""

import re

import pytest

from press import chapters
from press.tables import appendices
from tests.pages.built import HTML, address


def rows(page):
    """Return the rows of the searched tables that are to be seen, as text."""
    texts = page.locator(".finder").evaluate(
        """(finder) => [...document.querySelectorAll(".bd-article tbody tr")].filter((row) =>
          row.checkVisibility() && finder.compareDocumentPosition(row) & 4)
          .map((row) => row.textContent)"""
    )
    return [" ".join(re.sub("[‘’]", "'", row).split()) for row in texts]


def said(page):
    return page.locator(".finder output").text_content()


def test_an_equation_of_a_note_leads_to_our_derivation_in_two_clicks(reader):
    page = reader.open(address("book/index"))
    page.locator(".bd-sidebar-primary a", has_text="Sources").click()  # one
    page.wait_for_selector(".finder input")
    reader.forget()  # the page is another now
    count = len(appendices.rows("sources"))
    assert said(page) == f"{count} rows"
    page.locator(".finder select[name=note]").select_option("002")
    page.locator(".finder input").fill("5.27")
    (row,) = rows(page)
    assert row.startswith("eq 5.24-5.30") and said(page) == f"1 of {count} rows"
    page.locator(".found tr:visible td:last-child a").first.click()  # two
    page.wait_for_url(re.compile(r"/book/\d\d_\w+\.html#"))
    target, _, label = page.url.rpartition("/")[2].partition("#")
    assert target == "08_backprop.html"
    assert page.locator(f'[id="{label}"]').count() == 1


def test_an_equation_that_code_names_has_its_number_and_a_link(visit):
    page = visit("book/01_math")
    link = page.locator(".cell_input a[href='#equation-eq-01-fold-jacobian']").first
    number = page.locator("[id='equation-eq-01-fold-jacobian'] .eqno").inner_text()
    assert link.inner_text() == number.rstrip("#") == "(1.2)"
    named = page.locator(".cell_input .c1").all_text_contents()
    assert named and not any("eq-01-" in comment for comment in named)


@pytest.mark.parametrize("row", appendices.rows("sources")[::97], ids=lambda r: r["id"])
def test_a_row_is_found_by_its_number_and_chapter(reader, row):
    page = reader.open(address("book/sources"))
    number = re.search(r"\d+(\.\d+)*", row["reference"])
    page.locator(".finder select[name=note]").select_option(row["note"])
    chapter = str(chapters.CHAPTERS[row["slug"]].number)
    page.locator(".finder select[name=chapter]").select_option(chapter)
    page.locator(".finder input").fill(number[0] if number else row["reference"])
    assert any(row_text.startswith(row["reference"]) for row_text in rows(page))
    assert page.locator(".bd-article h2:visible").count() == 1 + 1  # and works cited


def test_a_number_is_found_in_a_range_and_not_in_a_longer_number(reader):
    page = reader.open(address("book/sources"))
    for name in ("note", "chapter"):
        page.locator(f".finder select[name={name}]").select_option("")
    page.locator(".finder input").fill("1.6")
    assert any(row.startswith("eq 1.5-1.9") for row in rows(page))
    page.locator(".finder input").fill("1.2")
    assert rows(page)
    for row in rows(page):
        assert not re.match(r"eq 1\.2\d(?!.*1\.2\b)", row), row


def test_a_question_is_found_and_leads_to_its_answer(reader):
    page = reader.open(address("book/questions"))
    questions = [
        q
        for slug in chapters.CHAPTERS
        for q in chapters.CHAPTERS[slug].questions.items()
    ]
    assert len(rows(page)) == len(questions) >= 8
    page.locator(".finder input").fill("cell use relu")
    assert len(rows(page)) == 1
    label = next(label for label, question in questions if "cell use ReLU" in question)
    page.locator(".found tr:visible a").first.click()
    page.wait_for_url(re.compile(rf"#{label}$"))
    reader.forget()  # the page is another now
    answer = page.locator(f'[id="{label}"]').locator("xpath=ancestor-or-self::*[1]")
    assert answer.is_visible()
    page.locator(".question:not(.toggle-hidden)").first.wait_for(state="visible")
    assert page.locator(".question:not(.toggle-hidden)").count() == 1


@pytest.mark.parametrize("sought", ["岭回归", "ridge regression"])
def test_the_glossary_is_searched_both_ways(reader, sought):
    page = reader.open(address("book/glossary"))
    page.locator(".finder input").fill(sought)
    (entry,) = [row for row in rows(page) if row.startswith("ridge regression")]
    assert "岭回归" in entry
    assert len(rows(page)) < 10


def test_an_address_says_what_is_sought(reader):
    page = reader.open(address("book/glossary") + "#find=%E5%B2%AD%E5%9B%9E%E5%BD%92")
    assert page.locator(".finder input").input_value() == "岭回归"
    assert 1 <= len(rows(page)) < 10


def test_what_is_nowhere_is_said_to_be_nowhere(reader):
    page = reader.open(address("book/algorithms"))
    page.locator(".finder input").fill("perpetuum mobile")
    assert not rows(page) and said(page).startswith("0 of ")


def test_without_javascript_all_rows_are_there(reader):
    page = reader.open(address("book/errata"), java_script_enabled=False)
    entries = page.locator(".bd-article table.table tbody tr:visible")
    assert entries.count() == len(appendices.errata_rows())


def below(number):
    """Return what a chapter rests on, itself included."""
    return {number}.union(*(below(need) for need in chapters.by_number(number).needs))


@pytest.mark.parametrize("number", [1, 5, 17, 20])
def test_the_map_lights_what_a_chapter_rests_on(reader, number):
    page = reader.open(address("book/index"))
    page.locator(".map select").select_option(str(number))
    lit = page.locator(".map li.on").evaluate_all(
        "(all) => all.map((x) => +x.dataset.chapter)"
    )
    assert set(lit) == below(number)
    arcs = page.locator(".map path.on").evaluate_all(
        "(all) => all.map((x) => [+x.dataset.from, +x.dataset.to])"
    )
    assert all({*arc} <= below(number) for arc in arcs)
    assert len(arcs) >= len(lit) - 1
    others = len(lit) - 1
    text = page.locator(".map output").text_content()
    assert (f"rests on {others} other" if others else "rests on no other") in text


def test_the_map_points_at_what_a_chapter_rests_on(reader):
    page = reader.open(address("book/index"))
    page.locator(".map select").select_option("")
    page.locator(".map a", has_text="Convolution").first.hover()
    lit = page.locator(".map li.on").evaluate_all(
        "(all) => all.map((x) => +x.dataset.chapter)"
    )
    assert set(lit) == below(11)


def test_the_gallery_shows_each_figure_and_leads_to_it(reader):
    page = reader.open(address("book/gallery"))
    cards = page.locator(".gallery a")
    sizes = cards.locator("img").evaluate_all(
        """(all) => Promise.all(all.map(async (image) => {
          image.loading = "eager";
          await image.decode();
          return image.naturalWidth;
        }))"""
    )
    assert len(sizes) == appendices.counts()["interactive figures"]
    assert min(sizes) >= 300
    weight = sum(p.stat().st_size for p in (HTML / "_images" / "figures").iterdir())
    assert weight < 4_000_000
    for href in cards.evaluate_all("(all) => all.map((a) => a.getAttribute('href'))"):
        target, _, position = href.partition("#")
        text = (HTML / "book" / target).read_text("utf-8")
        assert re.search(rf'class="(interact|alive)" data-name="{position[:-1]}"', text)


@pytest.mark.parametrize("k", [0, 41, 97])
def test_a_picture_of_the_gallery_opens_its_figure(reader, k):
    page = reader.open(address("book/gallery"))
    card = page.locator(".gallery a").nth(k)
    name = card.get_attribute("href").partition("#")[2][:-1]
    card.click()
    reader.forget()
    page.wait_for_selector(f'figure[data-name="{name}"][data-alive] form:visible')
    page.wait_for_function(
        """(name) => {
          const picture = document.querySelector(`[data-name="${name}"] .picture`);
          const box = picture.getBoundingClientRect();
          return box.top < innerHeight && box.bottom > 0;
        }""",
        arg=name,
    )
