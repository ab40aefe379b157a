"""Expected and realised cost of the actions of labelled rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from costboost.checks import Floats
from costboost.costs import expected
from costboost.decisions.assignment import Codes


@dataclass(frozen=True)
class DecisionReport:
    """Cost of the actions of labelled rows; ``print`` shows a table.

    Attributes
    ----------
    actions : list of str
        The actions.
    rows : array
        Number (or weight) of the rows that have each action.
    share : array
        Share of the rows.
    expected_cost : array
        Total expected cost of the rows of each action, by the probabilities.
    realised_cost : array
        Total cost of these rows for the classes that are true. For a review it is the expected
        cost over the errors of the reviewer.
    if_all : array
        Total realised cost if all rows had the action.
    """

    actions: list[str]
    rows: Floats
    share: Floats
    expected_cost: Floats
    realised_cost: Floats
    if_all: Floats

    @property
    def savings(self) -> float:
        """Realised cost below that of the best action for all rows alike."""
        return float(self.if_all.min() - self.realised_cost.sum())

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The numbers of each action by name."""
        names = ("rows", "share", "expected_cost", "realised_cost", "if_all")
        return {
            action: {name: float(getattr(self, name)[k]) for name in names}
            for k, action in enumerate(self.actions)
        }

    def __str__(self) -> str:
        heads = ("rows", "share", "expected cost", "realised cost", "cost if all")
        body = [
            (
                action,
                f"{self.rows[k]:,.10g}",
                f"{self.share[k]:.1%}",
                f"{self.expected_cost[k]:,.6g}",
                f"{self.realised_cost[k]:,.6g}",
                f"{self.if_all[k]:,.6g}",
            )
            for k, action in enumerate(self.actions)
        ]
        total = (f"{self.rows.sum():,.10g}", "100.0%", f"{self.expected_cost.sum():,.6g}")
        table = [
            ("action", *heads),
            *body,
            ("total", *total, f"{self.realised_cost.sum():,.6g}", ""),
        ]
        widths = [max(len(row[k]) for row in table) for k in range(len(heads) + 1)]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if k == 0 else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in table
        )


def make_report(
    actions: Sequence[str],
    probability: Floats,
    table: Floats,
    codes: Codes,
    truth: NDArray[np.intp],
    weight: Floats,
) -> DecisionReport:
    """Report on the actions ``codes`` of rows whose true classes have the codes ``truth``."""
    rows, m = np.arange(len(codes)), len(actions)
    realised = table[truth] if table.ndim == 2 else table[rows, truth]
    foreseen = expected(probability, table)

    def total(values: Floats) -> Floats:
        return np.bincount(codes, weights=weight * values, minlength=m).astype(float)

    counts = total(np.ones(len(codes)))
    return DecisionReport(
        list(actions),
        counts,
        counts / counts.sum(),
        total(foreseen[rows, codes]),
        total(realised[rows, codes]),
        weight @ realised,
    )
