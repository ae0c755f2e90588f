"""Links and addresses lead to positions of figures.

How they do is proved by finger and by keyboard on a small page; where they lead, on
every page.
"""

import pytest

from tests.pages.built import CHAPTERS, every_chapter
from tests.pages.conftest import LINKS
from tests.pages.positions import (
    assert_at,
    assert_shown,
    astray,
    farthest,
    figure_of,
    follow_positions,
    state,
)
from tests.pages.printed import unstated


@every_chapter
def test_links_and_addresses_set_their_figures(visit, name):
    page = visit(name)
    addresses = farthest(page)
    assert addresses
    assert not astray(page, addresses, links=True)


@pytest.mark.parametrize("name", CHAPTERS[-1:])
def test_a_chapter_opens_with_its_last_figure_at_a_position(visit, name):
    target = farthest(visit(name))[-1]
    assert_shown(visit(name, position=target), target)


def test_a_link_sets_a_figure_by_finger_and_by_keyboard(reader, small):
    page = reader.open(small)
    follow_positions(page)
    link = page.locator("a.position").first
    link.focus()
    page.keyboard.press("Enter")
    assert_at(page, figure_of(page, LINKS[0]), LINKS[0])
    assert not unstated(page)


@pytest.mark.parametrize("link", LINKS)
def test_an_address_opens_a_figure_far_down(reader, small, link):
    page = reader.open(small + link)
    assert_shown(page, link)


@pytest.mark.parametrize(
    "link", ["#line", "#line:slope=0.7", "#line:speed=1", "#none:a=1"]
)
def test_an_address_that_no_figure_has_changes_nothing(reader, small, link):
    page = reader.open(small)
    before = state(figure_of(page, LINKS[0]))
    page.evaluate("(link) => { location.hash = link; }", link)
    page.wait_for_timeout(100)
    assert state(figure_of(page, LINKS[0])) == before
