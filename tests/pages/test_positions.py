"""Links and addresses lead to positions of figures; how they do: tests/build/test_figure_page."""

import pytest

from tests.pages.built import CHAPTERS, every_chapter
from tests.pages.positions import assert_shown, astray, farthest


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
