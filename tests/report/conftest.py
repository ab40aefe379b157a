"""A browser that the tests of a file share, and pages in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from report.browsing import Open, Page, browser
from report.examples import Example

from costboost import report


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    driver = browser("--window-size=1440,900")
    yield driver
    driver.quit()


@pytest.fixture
def open_page(chrome: Any, tmp_path: Path) -> Open:
    def opened(example: Example, **other: Any) -> Page:
        path = tmp_path / "report.html"
        report.write(path, example.model, example.X, example.y, **example.options | other)
        return Page(chrome, path)

    return opened
