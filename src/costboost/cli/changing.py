"""Costs that the user gives instead of those of training."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from costboost.cli import console
from costboost.cli.cost_options import cost_or_column
from costboost.cli.labels import TWICE, as_tuple, two_costs, unnamed
from costboost.cli.layout import Layout
from costboost.cli.options import read_options
from costboost.cli.wishes import Chosen
from costboost.reading.columns import Label
from costboost.reading.errors import InputError
from costboost.reading.matrices import read_cost_matrix


@dataclass(frozen=True)
class Costs(Chosen):
    """As options give them."""

    fn_cost: str | None = None
    fp_cost: str | None = None
    cost_matrix: str | None = None

    def applied(self, model: Any, layout: Layout) -> Layout:
        """The layout of a model with these costs."""
        both = {"fn_cost": self.fn_cost, "fp_cost": self.fp_cost}
        given = {key: text for key, text in both.items() if text is not None}
        if self.cost_matrix is not None and given:
            raise InputError(TWICE)
        if given and layout.several:
            raise InputError(
                f"{next(iter(given)).replace('_', '-')} is for two classes, and the model tells "
                f"{len(layout.classes)} apart: give --cost-matrix FILE"
            )
        if self.cost_matrix is not None:
            return _by_matrix(layout, model, self.cost_matrix)
        costs: dict[str, Any] = {key: cost_or_column(text) for key, text in given.items()}
        return replace(layout, **costs)


def _by_matrix(layout: Layout, model: Any, path: str) -> Layout:
    classes: list[Label] = list(layout.classes) or model.classes_.tolist()
    costs, named = read_cost_matrix(path, classes, read_options())
    if not named:
        console.note(unnamed(path, classes))
    if layout.several:
        return replace(layout, matrix=as_tuple(costs))
    fn, fp = two_costs(costs, classes, layout.label, path)
    return replace(layout, fn_cost=fn, fp_cost=fp)
