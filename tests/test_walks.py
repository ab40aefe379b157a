"""Common calls stay within their budgets of calls of functions and depth."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from walks import WALKS, walk


class Budget(NamedTuple):
    calls: int
    depth: int


BUDGETS = {
    "fit of two classes": Budget(30_000, 21),
    "fit of three classes": Budget(81_000, 24),
    "costboost fit --report": Budget(89_500, 29),
}
"""They are lowered with every change that needs less.

The aim is a depth of 14 for a fit of two classes, 40,000 calls for one of three, and 60,000 for a
report. Files are counted by walks.py, but have no budget: a file holds one idea.
"""


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_is_no_longer_than_its_budget(name: str) -> None:
    taken, budget = walk(WALKS[name]), BUDGETS[name]
    most = ", ".join(f"{n:,} x {':'.join(key)}" for key, n in taken.functions.most_common(5))
    assert taken.calls <= budget.calls, f"most calls: {most}"
    assert taken.depth <= budget.depth
