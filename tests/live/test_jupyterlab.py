"""Notebooks in a real JupyterLab: run all, drag a slider, the picture changes.

Always a small notebook with every kind of control; by `make live` every chapter.
"""

import contextlib

import pytest

from press import chapters
from tests.browser import chromium
from tests.live.lab import run_all, serving


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("lab")) as url:
        yield url


def pytest_generate_tests(metafunc):
    if "slug" in metafunc.fixturenames:
        every = metafunc.config.getoption("live_all")
        metafunc.parametrize("slug", chapters.CHAPTERS if every else [])


@pytest.fixture
def page():
    with chromium() as browser:
        yield browser.new_page(viewport={"width": 1400, "height": 1000})


def figures_of(page, url, slug):
    """Return the live figures of a notebook in which every cell has run."""
    run_all(page, url, slug)
    errors = page.locator("[data-mime-type='application/vnd.jupyter.error']")
    assert errors.count() == 0
    return page.locator(".jp-OutputArea-output .widget-vbox").all()


@contextlib.contextmanager
def picture_changes(page, figure):
    """Assert that the figure shows another picture after what is done inside."""
    picture = figure.locator("img")
    before = picture.get_attribute("src")
    yield
    page.wait_for_function(
        "([image, before]) => image.src !== before && image.naturalWidth > 0",
        arg=[picture.element_handle(), before],
        timeout=20_000,
    )


def step(page, figure, back=False):
    """One step of the first slider, by keyboard; forward where it can."""
    slider = figure.locator(".noUi-handle").first
    slider.scroll_into_view_if_needed()
    slider.focus()
    value, last = map(slider.get_attribute, ("aria-valuenow", "aria-valuemax"))
    page.keyboard.press("ArrowLeft" if back or value == last else "ArrowRight")


def test_run_all_then_drag(lab, page, slug):
    figures = figures_of(page, lab, slug)
    assert len(figures) == len(chapters.CHAPTERS[slug].figures)
    for figure in figures:
        if figure.locator(".noUi-handle").count():
            with picture_changes(page, figure):
                step(page, figure)
    assert_greets_a_reader(page, slug)


def assert_greets_a_reader(page, slug):
    """No role that JupyterLab cannot resolve, no open solution, nothing for graders."""
    assert page.locator(".jp-MarkdownCell .text-yellow-600").count() == 0
    solutions = page.locator(".jp-CodeCell:has(.jp-Placeholder)")
    cells = chapters.CHAPTERS[slug].notebook.cells
    assert solutions.count() == sum("jupyter" in cell.metadata for cell in cells)
    printed = solutions.locator("[data-mime-type$=stdout]")
    assert printed.count() and not any(x.is_visible() for x in printed.all())
    assert page.get_by_role("button", name="Validate", exact=True).count() == 0
    assert page.get_by_text("Create Assignment", exact=True).count() == 0


def test_every_kind_of_control_draws_and_an_error_is_said(lab, page):
    every, played, troubled, living = figures_of(page, lab, "controls")
    with picture_changes(page, every):
        step(page, every)
    with picture_changes(page, every):
        every.locator("select").select_option(index=1)
    with picture_changes(page, every):
        every.locator("input[type=checkbox]").click()
    with picture_changes(page, played):
        played.locator(".widget-play button").first.click()
    with picture_changes(page, troubled):
        step(page, troubled)
    step(page, troubled)
    alert = troubled.get_by_role("alert")
    alert.get_by_text("two is too much").wait_for(timeout=20_000)
    with picture_changes(page, troubled):
        step(page, troubled)
    alert.wait_for(state="detached", timeout=20_000)
    assert_a_drawing_is_drawn_again(page, living)


def assert_a_drawing_is_drawn_again(page, living):
    """The canvas of a page, with the notebook's own network."""
    pad = living.get_by_role("application", name="digit")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    with picture_changes(page, living):
        page.mouse.move(box["x"] + 20, box["y"] + 120)
        page.mouse.down()
        page.mouse.move(box["x"] + 180, box["y"] + 120, steps=8)
        page.mouse.up()
    living.get_by_role("button", name="Clear").click()
    alert = living.get_by_role("alert")
    alert.get_by_text("Nothing is drawn.").wait_for(timeout=20_000)
    with picture_changes(page, living):
        living.get_by_role("button", name="As at first").click()
    alert.wait_for(state="detached", timeout=20_000)
    living.locator("input[type=text]").fill("a c")
    living.get_by_text("Not in the vocabulary").wait_for(timeout=20_000)
