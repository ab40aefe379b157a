"""A browser that the tests of a file share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from report.browsing import browser


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    driver = browser("--window-size=1440,900")
    yield driver
    driver.quit()
