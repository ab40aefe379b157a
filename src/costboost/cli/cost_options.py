"""Costs as options give them: numbers, or names of columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from costboost.reading.errors import InputError, unknown


def cost_of(text: str) -> float:
    """A cost that is a number."""
    try:
        value = float(text)
    except ValueError:
        raise InputError(
            "this algorithm takes no costs of rows here, but numbers or --cost-matrix, got "
            f"{text!r}"
        ) from None
    if not math.isfinite(value) or value <= 0:
        raise InputError(f"a cost must be a number above 0, or the name of a column, got {text}")
    return value


def cost_or_column(text: str) -> float | str:
    """A number, or else what must be the name of a column."""
    try:
        float(text)
    except ValueError:
        return text
    return cost_of(text)


def check_cost_columns(costs: Iterable[float | str], names: Sequence[str], where: str) -> None:
    """A InputError if a cost names a column that is not there."""
    for cost in costs:
        if isinstance(cost, str) and cost not in names:
            raise unknown("column", cost, names, f" in {where} for a cost")
