"""The tables and counter-examples of docs/theory.md are those that are computed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import costboost

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_theory", ROOT / "docs" / "theory.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date(generator: Any) -> None:
    assert generator.PAGE.read_text() == generator.page(), "run: python docs/theory.py"


def test_every_public_classifier_is_on_the_page(generator: Any) -> None:
    page = generator.PAGE.read_text()
    for name in costboost.__all__:
        if hasattr(getattr(costboost, name), "rule"):
            assert f"| `{name}` |" in page
