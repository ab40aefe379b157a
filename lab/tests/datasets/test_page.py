"""The table in docs/datasets.md is that of the records."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from pages import script

from costboost_lab import datasets
from costboost_lab.datasets import records


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return script("datasets")


def test_the_table_is_up_to_date(generator: Any) -> None:
    page = generator.PAGE.read_text(encoding="utf-8")
    assert page == generator.page(), "run: python docs/datasets.py"
    for name in datasets.available():
        assert f"| `{name}` |" in page


def test_every_kind_of_costs_has_a_text(generator: Any) -> None:
    assert set(generator.COSTS) == set(records.COST_KINDS)


def test_public_names_are_on_the_page(generator: Any) -> None:
    page = generator.PAGE.read_text(encoding="utf-8")
    for name in datasets.__all__:
        assert name in page, name
