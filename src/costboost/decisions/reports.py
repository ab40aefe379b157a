"""What decisions cost: expected and realised, and over the ranges of uncertain costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Codes
from costboost._core.baselines import (
    BY_COSTS,
    Difference,
    for_all,
    interval,
    least_favourable,
)
from costboost._core.checks import Floats
from costboost._core.costs import Costs
from costboost._core.wording import amount, money_range, percent

WIDTH = 100
"""Columns of the sentence below the table of a report."""


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
    by_costs : float or None
        Total realised cost of deciding by costs alone: of the actions of least expected cost if
        the classes had their shares of the training rows in every row. None if that is one action
        for all rows.
    saved : Difference
        Realised cost below that of the best rule that needs no model, with a 95% interval:
        ``money``, ``low`` and ``high``.
    against : str
        Name of that rule: one action for all rows, or deciding by costs alone.
    """

    actions: list[str]
    rows: Floats
    share: Floats
    expected_cost: Floats
    realised_cost: Floats
    if_all: Floats
    by_costs: float | None
    saved: Difference
    against: str

    @property
    def savings(self) -> float:
        """Realised cost below that of the best rule that needs no model."""
        return self.saved.money

    @property
    def verdict(self) -> str:
        """What the actions save, as a sentence."""
        cost, (money, low, high) = amount(float(self.realised_cost.sum())), self.saved
        if self.saved.is_none:
            return f"The actions cost {cost}, each as much as {self.against}."
        word = "less" if money >= 0 else "more"
        ends = money_range(*((low, high) if money >= 0 else (-high, -low)))
        unsure = "" if low > 0 or high < 0 else " The rows are too few to be sure."
        return (
            f"The actions cost {cost}, {amount(abs(money))} {word} than {self.against}, which is "
            f"the cheapest rule without a model (95% interval {ends}).{unsure}"
        )

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
                amount(self.rows[k]),
                percent(self.share[k]),
                amount(self.expected_cost[k]),
                amount(self.realised_cost[k]),
                amount(self.if_all[k]),
            )
            for k, action in enumerate(self.actions)
        ]
        total = (amount(self.rows.sum()), percent(1.0), amount(self.expected_cost.sum()))
        table = [
            ("action", *heads),
            *body,
            ("total", *total, amount(self.realised_cost.sum()), ""),
        ]
        if self.by_costs is not None:
            table.append((BY_COSTS, "", "", "", amount(self.by_costs), ""))
        widths = [max(len(row[k]) for row in table) for k in range(len(heads) + 1)]
        lines = [
            "  ".join(
                cell.ljust(width) if k == 0 else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in table
        ]
        return "\n".join([*lines, *wrap(self.verdict, WIDTH)])


def rules_without_model(
    costs: Costs, shares: Floats, n_rows: int, rows: str = "rows"
) -> dict[str, Codes]:
    """Actions of the rules that need no model, by name: one for all rows, and by costs alone.

    ``shares`` are those of the classes in training. Decisions by costs that are one action for all
    rows are left out.
    """
    found = {for_all(name, rows): np.full(n_rows, k) for k, name in enumerate(costs.actions)}
    own = costs.by_shares(shares, n_rows)
    return found if np.all(own == own[0]) else found | {BY_COSTS: own}


def make_report(
    costs: Costs,
    probability: Floats,
    codes: Codes,
    truth: NDArray[np.intp],
    weight: Floats,
    shares: Floats,
) -> DecisionReport:
    """Report on the actions ``codes`` of rows whose true classes have the codes ``truth``.

    ``shares`` are those of the classes in training.
    """
    rows, m = np.arange(len(codes)), len(costs.actions)
    paid, foreseen = costs.realised(truth), costs.expected(probability)

    def total(values: Floats) -> Floats:
        return np.bincount(codes, weights=weight * values, minlength=m).astype(float)

    counts = total(np.ones(len(codes)))
    rules = rules_without_model(costs, shares, len(codes))
    losses = {name: weight * paid[rows, other] for name, other in rules.items()}
    own, counted = weight * paid[rows, codes], weight > 0
    return DecisionReport(
        list(costs.actions),
        counts,
        counts / counts.sum(),
        total(foreseen[rows, codes]),
        total(paid[rows, codes]),
        weight @ paid,
        float(losses[BY_COSTS].sum()) if BY_COSTS in losses else None,
        least_favourable(interval((loss - own)[counted]) for loss in losses.values()),
        min(losses, key=lambda name: float(losses[name].sum())),
    )


# ---- uncertain costs, and decisions while they move through their ranges -------------------------

POINTS = 41
"""Number of values of a cost within its range."""

Pick = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True)
class Robustness:
    """Which decisions hold for all costs within their ranges; ``print`` shows a summary.

    Attributes
    ----------
    actions : array of str
        The action of each row.
    robust : array of bool
        Whether no costs within the ranges make another action of the row cheaper.
    regret : array of float
        The most that the action can cost beyond the best one; 0 where it is robust.
    share : float
        Share of robust decisions.
    at_stake : float
        Total regret: no choice of actions can be cheaper than this one by more, whatever the costs
        within their ranges are.
    """

    actions: NDArray[Any]
    robust: NDArray[np.bool_]
    regret: Floats

    @property
    def share(self) -> float:
        return float(self.robust.mean())

    @property
    def at_stake(self) -> float:
        return float(self.regret.sum())

    def __str__(self) -> str:
        n_other = int(np.sum(~self.robust))
        return (
            f"{self.share:.1%} of {len(self.robust):,} decisions hold for all costs within their "
            f"ranges; the other {n_other:,} can cost up to {amount(self.at_stake)} more than the "
            "best"
        )


class CostSweep(NamedTuple):
    """Expected costs of a row over the range of one cost."""

    cost: Floats
    """Values of the cost, or shares of its range if rows have ranges of their own."""
    decided: Floats
    """Expected cost of the decisions, with all other costs at their means."""
    lower: Floats
    upper: Floats
    """Expected cost of the decisions with all other costs at their least and greatest values."""
    known: Floats
    """Expected cost of decisions for which the cost is known."""
    cell: tuple[Any, str]
    """True class and action that the cost belongs to."""
    of_rows: bool
    """Whether rows have ranges of their own."""


class Ends(NamedTuple):
    """An amount of money at the mean costs, and its least and greatest value within the ranges."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class UncertainDecisions:
    """Decisions about rows under costs of which some are ranges."""

    probability: Floats
    """Probability of each class (columns) for each row."""
    costs: Costs
    codes: Codes
    """Positions of the chosen actions."""
    weight: Floats
    """How often each row counts."""

    # ---- one cost --------------------------------------------------------------------------------

    def move(self, cell: Any = None) -> CostSweep:
        """Move one cost through its range; by default that with the greatest effect."""
        own, (means, lows, highs) = self.costs, self.costs.ranges
        truth, action = self._position(cell)
        low, high = lows[:, truth, action], highs[:, truth, action]
        if not np.any(high > low):
            raise ValueError(
                f"the cost of {own.actions[action]!r} where {own.classes[truth]!r} is true is "
                "certain: choose a cell whose cost is a range or a distribution"
            )
        paid = own.times_paid(self.probability, self.codes)
        share = np.linspace(0.0, 1.0, POINTS)
        mine = paid[:, truth, action]
        moving = self._mean(mine * low) + share * self._mean(mine * (high - low))
        others = np.ones(paid.shape[1:], dtype=bool)
        others[truth, action] = False
        middle, lower, upper = (
            moving + self._mean((paid * side)[:, others].sum(axis=1))
            for side in (means, lows, highs)
        )
        known = np.array([self._best(own.moved(truth, action, one)) for one in share])
        of_rows = len(low) > 1 and not (np.all(low == low[0]) and np.all(high == high[0]))
        cost = share if of_rows else low[0] + share * (high[0] - low[0])
        named = self.costs.classes[truth], self.costs.actions[action]
        return CostSweep(cost, middle, lower, upper, known, named, of_rows)

    def cells(self) -> list[tuple[Any, str]]:
        """Costs that are ranges as pairs of a true class and an action, the most relevant first."""
        effect = self._effects()
        wide = np.any(self.costs.ranges.high > self.costs.ranges.low, axis=0)
        order = np.argsort(-effect, axis=None, kind="stable")
        found = (np.unravel_index(int(one), effect.shape) for one in order)
        return [(self.costs.classes[k], self.costs.actions[a]) for k, a in found if wide[k, a]]

    def _effects(self) -> Floats:
        """Mean change of the expected cost of a row over the range of each cost."""
        paid = self.costs.times_paid(self.probability, self.codes)
        wide = self.costs.ranges.high - self.costs.ranges.low
        return np.asarray(np.average(paid * wide, axis=0, weights=self.weight))

    def _position(self, cell: Any) -> tuple[int, int]:
        if self.costs.is_certain:
            raise ValueError("no cost is a range or a distribution: there is nothing to move")
        if cell is None:
            cell = self.cells()[0]
        if not isinstance(cell, tuple) or len(cell) != 2:
            raise ValueError(f"cell must be a pair (true class, action), got {cell!r}")
        known = (list(self.costs.classes), list(self.costs.actions))
        for value, names, what in zip(cell, known, ("classes", "actions"), strict=True):
            if value not in names:
                raise ValueError(f"cell has {value!r}, which is none of the {what} {names}")
        return self.costs.classes.index(cell[0]), self.costs.actions.index(cell[1])

    def _best(self, own: Costs) -> float:
        """Mean expected cost of the cheapest actions."""
        codes = own.choose(self.probability)
        cost = own.expected(self.probability)[np.arange(len(codes)), codes]
        return self._mean(cost)

    def _mean(self, values: Floats) -> float:
        return float(np.average(values, weights=self.weight))

    # ---- all costs -------------------------------------------------------------------------------

    @property
    def regret(self) -> Floats:
        """The most that the action of each row can cost beyond the best one."""
        worst = self.costs.regrets(self.probability)
        return worst[np.arange(len(self.codes)), self.codes]

    def total(self, truth: Codes, codes: Codes | None = None) -> Ends:
        """Total cost if actions are taken where the classes are true; default: the decisions."""
        return self._ends(self._paid(truth, self.codes if codes is None else codes))

    def saved(self, truth: Codes, other: Codes) -> Ends:
        """What the decisions save compared with other ones."""
        return self._ends(self._paid(truth, other) - self._paid(truth, self.codes))

    def _paid(self, truth: Codes, codes: Codes) -> Floats:
        certain = np.eye(len(self.costs.classes))[truth]
        return self.weight[:, None, None] * self.costs.times_paid(certain, codes)

    def _ends(self, paid: Floats) -> Ends:
        """The sum of costs that are paid so often, some of them less than never.

        A cost that is the same for all rows has one unknown value; others have one in each row.
        """
        (mean, low, high), total = self.costs.ranges, paid.sum(axis=0)
        same = np.all((low == low[:1]) & (high == high[:1]), axis=0)

        def end(pick: Pick) -> float:
            at_once = pick(total * low[0], total * high[0])
            row_by_row = pick(paid * low, paid * high).sum(axis=0)
            return float(np.where(same, at_once, row_by_row).sum())

        return Ends(float((paid * mean).sum()), end(np.minimum), end(np.maximum))
