"""The tables and counter-examples of docs/theory.md are those that are computed."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from pages import script

from costboost.algorithms import CLASSES


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return script("theory")


def test_the_page_is_up_to_date(generator: Any) -> None:
    assert generator.PAGE.read_text() == generator.page(), "run: python docs/theory.py"


def test_every_public_classifier_is_on_the_page(generator: Any) -> None:
    page = generator.PAGE.read_text()
    for cls in CLASSES:
        assert f"| `{cls.__name__}` |" in page
