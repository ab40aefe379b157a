"""The picture of the packages in docs/guide-engine.md is that of the imports."""

from __future__ import annotations

from itertools import pairwise
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
from pages import DOCS, script

ADVICE = "run: python docs/draw_house.py"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return script("draw_house")


def test_the_imports_in_the_picture_are_those_of_the_source(generator: Any) -> None:
    assert generator.stored() == generator.imports(), ADVICE


def test_the_picture_is_up_to_date(generator: Any) -> None:
    assert generator.PICTURE.read_text() == generator.svg(generator.imports()), ADVICE


def test_every_room_is_drawn_with_its_content(generator: Any) -> None:
    texts = {one.text for one in ElementTree.parse(generator.PICTURE).iter(f"{SVG}text")}
    for room in set(generator.imports()) - generator.NOT_DRAWN:
        assert room in generator.ROOMS, f"{room} has no entry in ROOMS of docs/draw_house.py"
        assert {room, generator.ROOMS[room][1]} <= texts


def test_arrows_that_follow_from_others_are_not_drawn(generator: Any) -> None:
    graph = {"a": {"b", "c"}, "b": {"c"}, "c": set(), "checks": set()}
    assert generator.drawn(graph) == {"a": {"b"}, "b": {"c"}, "c": set()}


def test_boxes_do_not_overlap(generator: Any) -> None:
    places, _, size = generator.layout(generator.drawn(generator.imports()))
    spots = sorted(places.values(), key=lambda place: (place.y, place.x))
    for one, other in pairwise(spots):
        assert other.y > one.y or other.x - one.x >= generator.WIDTH
    assert all(0 < place.x < size.x and 0 < place.y < size.y for place in spots)


def test_the_guide_follows_the_numbers_of_the_picture(generator: Any) -> None:
    page = (DOCS / "guide-engine.md").read_text()
    for room, step in generator.STEPS.items():
        assert f"**{step}. `{room}`:" in page
