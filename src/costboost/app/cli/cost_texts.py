"""Costs as they are typed: numbers, ranges, names of columns, or a file that has all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from costboost._core.names import COST_NAMES
from costboost._core.wording import stated
from costboost.app.cli.terminal import note
from costboost.app.reading.errors import InputError

if TYPE_CHECKING:
    from costboost.app.cli.given import Given

USUAL = {"fn_cost": "1", "fp_cost": "1"}
"""Costs of the commands that train if none are typed."""


@dataclass(frozen=True)
class CostTexts:
    """The costs that are typed; None for those that are not."""

    fn_cost: str | None = None
    fp_cost: str | None = None
    tp_cost: str | None = None
    tn_cost: str | None = None
    cost_matrix: str | None = None
    """A file with the cost of every mistake."""
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Ranges of uncertain costs by name, for the report; the text is their mean."""

    @classmethod
    def of(cls, given: Given) -> CostTexts:
        """The costs among the options of a command; those in the file of --costs if it is given."""
        typed = {name: given.get(name) for name in (*COST_NAMES, "cost_matrix")}
        path = given.get("costs_file")
        if path is None:
            return cls._with_means(typed)
        if any(text not in (None, USUAL.get(name)) for name, text in typed.items()):
            raise InputError(
                "costs are given twice: --costs FILE, or options for them, but not both"
            )
        from costboost.app.reading.outcome_costs import read_outcome_costs

        outcomes = read_outcome_costs(path, given.reading)
        return cls._with_means(typed | (outcomes or {"cost_matrix": path}))

    @classmethod
    def _with_means(cls, typed: dict[str, str | None]) -> CostTexts:
        """The costs with the mean of a range in its place."""
        ranges = {}
        for name in COST_NAMES:
            first, _, last = (typed[name] or "").partition("..")
            try:
                low, high = float(first), float(last)
            except ValueError:
                continue  # a number, or the name of a column
            option = f"--{name.replace('_', '-')} {typed[name]}"
            if not -math.inf < low <= high < math.inf:
                raise InputError(f"{option} must be a range from low to high")
            mean = low / 2 + high / 2
            ranges[name], typed[name] = (low, high), f"{mean:.17g}"
            note(f"{option} is a range: decisions are made for its mean, {stated(mean)}")
        return cls(**typed, ranges=ranges)

    @property
    def outcomes(self) -> dict[str, str]:
        """The costs of two classes that are typed, by name."""
        costs = {name: getattr(self, name) for name in COST_NAMES}
        return {name: text for name, text in costs.items() if text is not None}

    @property
    def gains(self) -> bool:
        """Whether right predictions have costs, so that all costs may be gains."""
        return self.tp_cost is not None or self.tn_cost is not None

    @property
    def usual(self) -> bool:
        """Whether no costs of two classes are typed, or those that both mistakes have anyway."""
        return self.outcomes == USUAL


def parse_cost(text: str, gains: bool = False) -> float:
    """A cost that must be a number, above 0 unless there may be gains."""
    try:
        value = float(text)
    except ValueError:
        raise InputError(
            "this algorithm takes no costs of rows here, but numbers or --cost-matrix, got "
            f"{text!r}"
        ) from None
    if gains and math.isfinite(value):
        return value
    if gains:
        raise InputError(f"a cost must be a finite number, or the name of a column, got {text}")
    if not math.isfinite(value) or value <= 0:
        raise InputError(f"a cost must be a number above 0, or the name of a column, got {text}")
    return value


def cost_or_column(text: str, gains: bool = False) -> float | str:
    """A cost as a number, or else the name of a column."""
    try:
        float(text)
    except ValueError:
        return text
    return parse_cost(text, gains)


def numbers_or_columns(costs: CostTexts, gains: bool = False) -> dict[str, float | str]:
    """The costs of two classes by name, as numbers or names of columns."""
    gains = gains or costs.gains
    return {name: cost_or_column(text, gains) for name, text in costs.outcomes.items()}
