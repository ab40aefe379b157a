"""Figures are drawn without a screen, and closed after each test."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import pytest

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    from matplotlib import pyplot

    pyplot.close("all")
