"""The table in the documentation is the one that the records give."""

from __future__ import annotations

from pathlib import Path

from costboost import datasets
from costboost.datasets import describing

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"


def test_the_table_is_up_to_date() -> None:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    start = lines.index(describing.table().splitlines()[0])
    shown = lines[start : start + 2 + len(datasets.available())]
    assert "\n".join(shown) == describing.table(), (
        "docs/datasets.md is not up to date: put the output of "
        "python -m costboost.datasets.describing in the place of its table"
    )


def test_public_names_are_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in datasets.__all__:
        assert name in page, name
